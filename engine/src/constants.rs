//! Every named constant of the method, with its unit and where it comes from.
//!
//! Names are those of the method document (section 4), so that a search for either finds both.
//! CHOSEN: fixed by the method's authors. DERIVED: follows from another one or from data. OURS: a choice
//! of the sentinel page where the method is silent.

/// Raw frames a node stands for; a split is forced at every gripper change. CHOSEN.
pub const COARSEN: usize = 5;
/// Phase bins; one bin is 0.05 of an episode. CHOSEN.
pub const NBINS_ALIGN: usize = 20;
/// Sibling edges of a node: nearest nodes of other demos of the task. CHOSEN.
pub const K_SIBLING: usize = 8;
/// Most sibling edges of a node into one demo. OURS (diversity).
pub const SIBLINGS_PER_DEMO: usize = 2;
/// Align edges of a node: nearest nodes of other demos in the same phase bin. CHOSEN.
pub const K_ALIGN: usize = 4;
/// Node steps of the temporal relations `next*` and `prev*`. CHOSEN.
pub const DILATIONS: [usize; 5] = [1, 2, 4, 8, 16];

/// Raw frames in a window; one policy action chunk. CHOSEN.
pub const HIST_H: usize = 8;
/// Bandwidth of the seed kernel, rad. CHOSEN.
pub const KERNEL_BW: f64 = 0.15;
/// Nodes that the seed kernel starts from. CHOSEN.
pub const SEED_TOPK: usize = 256;
/// Rounds of message passing. CHOSEN.
pub const LAYERS: usize = 3;
/// Smallest deviation used to standardise a joint, rad. OURS.
pub const MIN_DEVIATION: f64 = 1e-6;

/// Distance from the entry target above which a start is rewound, rad. CHOSEN.
pub const JQ_GATE: f64 = 0.08;
/// Entry stratum: phase at most this. CHOSEN (one bin).
pub const JQ_GRAPH_ENTRY_BAND: f64 = 0.05;
/// Proportional gain of the joint servo, 1/s^2. CHOSEN.
pub const JQ_KP: f64 = 80.0;
/// Servo tolerance, rad (2-norm over the joints). CHOSEN.
pub const JQ_EPS: f64 = 0.03;
/// Servo step limit, control steps. CHOSEN.
pub const JQ_MAX: usize = 60;
/// Frames in a target segment. CHOSEN.
pub const SEG_K: usize = 8;
/// Rate at which the torque law is evaluated, Hz. OURS (the simulator's physics rate).
pub const SERVO_HZ: f64 = 500.0;
/// Ticks of the torque law in one control step. OURS (20 Hz control).
pub const SERVO_TICKS: usize = 25;

/// Raw frames that one check may advance. Upper end DERIVED (twice the nominal rate).
pub const TRACK_ADVANCE_SET: [usize; 8] = [0, 1, 2, 4, 6, 8, 12, 16];
/// Temperature of the filter's likelihood where none was fitted. OURS (1 is the method).
pub const TRACK_TAU: f64 = 2.0;
/// Restart share with which the filter runs unless the fitted one is asked for. OURS.
pub const LEAK: f64 = 1e-3;
/// Sibling share used where nothing was fitted. OURS.
pub const BETA: f64 = 0.05;
/// Advance weights used where nothing was fitted (sentinel page, the kernel measurements). OURS.
pub const PI: [f64; 8] = [0.01, 0.01, 0.01, 0.01, 0.12, 0.82, 0.01, 0.01];
/// Floor of each fitted advance weight before renormalisation. OURS.
pub const PI_FLOOR: f64 = 0.01;

/// False-alarm share an episode, over both tests and all fires. CHOSEN.
pub const TRACK_ALPHA_EVIDENCE: f64 = 0.05;
/// Slope of the linear bet. CHOSEN.
pub const TRACK_LAM: f64 = 0.8;
/// Fires allowed in one episode. CHOSEN.
pub const MAX_INTERVENTIONS: usize = 3;
/// Exponent of the power bet. OURS.
pub const POWER_KAPPA: f64 = 0.3;
/// Longest number of bets that a mixture over start times plans for. OURS.
pub const MIXTURE_HORIZON: usize = 64;
/// Smallest null bank of a cell before it is pooled upward. OURS.
pub const MIN_BANK: usize = 30;
/// Floor of the log predictive likelihood, `ln 1e-300`. OURS.
pub const LOG_EVIDENCE_FLOOR: f64 = -690.775_527_898_213_7;

/// Quantile of the certified radius. CHOSEN.
pub const BASIN_RADIUS_QUANTILE: f64 = 0.95;
/// Quantile of the basin bandwidth. CHOSEN.
pub const BASIN_BANDWIDTH_QUANTILE: f64 = 0.50;

/// Smallest and largest number of joints the code takes.
pub const DOF_RANGE: std::ops::RangeInclusive<usize> = 1..=16;

/// Phase bin of a phase: `clamp(floor(20 x), 0, 19)` in f64.
pub fn phase_bin(phase: f64) -> usize {
    (NBINS_ALIGN as f64 * phase).floor().clamp(0.0, (NBINS_ALIGN - 1) as f64) as usize
}
