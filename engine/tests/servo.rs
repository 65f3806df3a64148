//! The servo on the offline plant: against the approach recorded in the simulator, and its limits.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rollcheck_engine::constants::{JQ_EPS, JQ_MAX, SEG_K};
use rollcheck_engine::readout::Segment;
use rollcheck_engine::servo::{Command, Servo, ServoEnd, ServoError, ServoSettings, plan};

const HOME: [f64; 7] =
    [0.0, -0.161_037_389, 0.0, -2.444_597_47, 0.0, 2.226_752_2, std::f64::consts::FRAC_PI_4];

/// A start `level` rad from home, along `direction`.
fn start(level: f64, direction: [f64; 7]) -> Vec<f64> {
    let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    HOME.iter().zip(direction).map(|(q, u)| q + level * u / norm).collect()
}

#[test]
fn the_recorded_approach_within_two_hundredths_of_a_radian_a_step() {
    // Distance to home after each control step, one start 0.5 rad away (libero-loop page).
    let recorded = [0.469, 0.398, 0.319, 0.248, 0.188, 0.141, 0.104, 0.077, 0.056, 0.041, 0.030, 0.022];
    let q = start(0.5, [0.3, -0.4, 0.1, 0.5, -0.2, 0.6, 0.1]);
    let plan = plan(ServoSettings::default(), &q, &Segment::hold(&HOME)).unwrap();
    for (k, (step, recorded)) in plan.steps.iter().zip(recorded).enumerate() {
        assert!((step.error_rad - recorded).abs() <= 0.02, "step {k}: {}, {recorded}", step.error_rad);
    }
    assert!(plan.steps.len() >= recorded.len());
}

#[test]
fn every_perturbation_level_arrives_in_6_to_14_steps() {
    let steps = [0.1, 0.2, 0.3, 0.4, 0.5].map(|level| {
        let q = start(level, [1.0, 0.0, -1.0, 0.5, 0.0, 0.0, 2.0]);
        let outcome = plan(ServoSettings::default(), &q, &Segment::hold(&HOME)).unwrap().hand_off.outcome;
        assert_eq!(outcome.end, ServoEnd::Reached);
        let approach = outcome.approach_steps.unwrap();
        assert_eq!(outcome.steps, approach + SEG_K - 1);
        approach
    });
    assert!(steps.iter().all(|n| (6..=14).contains(n)), "{steps:?}");
    assert!(steps.is_sorted(), "{steps:?}");
}

#[test]
fn a_start_within_the_tolerance_goes_straight_to_the_next_frame() {
    let plan = plan(ServoSettings::default(), &start(0.02, [1.0; 7]), &Segment::hold(&HOME)).unwrap();
    let frames: Vec<usize> = plan.steps.iter().map(|s| s.frame).collect();
    assert_eq!(frames, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(plan.hand_off.outcome.approach_steps, Some(0));
    assert_eq!(plan.hand_off.posture.q(), plan.steps.last().unwrap().q);
}

#[test]
fn a_blocked_arm_spends_the_step_limit_and_reports_its_distance() {
    let q = start(0.25, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let mut servo = Servo::new(ServoSettings::default(), Segment::hold(&HOME)).unwrap();
    let mut followed = 0;
    let outcome = loop {
        match servo.step(&q).unwrap() {
            Command::Follow { frame, q_target } => {
                assert_eq!((frame, q_target), (0, &HOME[..]));
                followed += 1;
            }
            Command::Done(hand_off) => {
                assert_eq!(hand_off.posture.q(), q);
                break hand_off.outcome;
            }
        }
    };
    assert_eq!((followed, outcome.steps), (JQ_MAX, JQ_MAX));
    assert_eq!((outcome.end, outcome.approach_steps, outcome.frame), (ServoEnd::StepLimit, None, 0));
    assert!((outcome.error_rad - 0.25).abs() < 1e-12);
    // Done stays done, wherever the arm is by now.
    assert!(matches!(servo.step(&HOME).unwrap(), Command::Done(h) if h.outcome == outcome));
}

#[test]
fn following_counts_against_the_step_limit_too() {
    let q = start(0.5, [1.0; 7]);
    let segment = Segment::hold(&HOME);
    let full = plan(ServoSettings::default(), &q, &segment).unwrap().hand_off.outcome;
    let tight = ServoSettings { step_limit: full.steps - 1, ..ServoSettings::default() };
    let cut = plan(tight, &q, &segment).unwrap().hand_off.outcome;
    assert_eq!((cut.end, cut.approach_steps), (ServoEnd::StepLimit, full.approach_steps));
    assert_eq!((cut.steps, cut.frame), (full.steps - 1, SEG_K - 2));
    let none = ServoSettings { step_limit: 0, ..ServoSettings::default() };
    assert_eq!(plan(none, &q, &segment).unwrap().hand_off.outcome.steps, 0);
}

#[test]
fn bad_settings_and_states_are_refused_and_cost_no_step() {
    let setting = |settings: ServoSettings| match settings.check().unwrap_err() {
        ServoError::Setting { setting, .. } => setting,
        other => panic!("{other}"),
    };
    let ok = ServoSettings::default();
    assert_eq!(setting(ServoSettings { kp: 0.0, ..ok }), "kp");
    assert_eq!(setting(ServoSettings { kp: 2e5, ..ok }), "kp");
    assert_eq!(setting(ServoSettings { tolerance_rad: f64::NAN, ..ok }), "tolerance_rad");
    let not_finite = Segment::hold(&[f64::INFINITY; 7]);
    assert!(matches!(Servo::new(ok, not_finite), Err(ServoError::NotFinite { field: "segment", .. })));

    let mut servo = Servo::new(ok, Segment::hold(&HOME)).unwrap();
    let before = servo.clone();
    let mut q = HOME;
    q[4] = f64::NAN;
    assert_eq!(servo.step(&q).unwrap_err().to_string(), "`q`, index 4: NaN is not finite");
    assert_eq!(servo.step(&q[..6]).unwrap_err().to_string(), "`q` has 6 joints, the target 7");
    assert_eq!(servo, before);
}

proptest! {
    #[test]
    fn the_step_limit_holds_and_the_ends_mean_what_they_say(
        level in 0.0..3.0, direction in prop::array::uniform7(-1.0..1.0), kp in 5.0..400.0, limit in 0_usize..80,
    ) {
        let settings = ServoSettings { kp, step_limit: limit, ..ServoSettings::default() };
        let plan = plan(settings, &start(level, direction), &Segment::hold(&HOME)).unwrap();
        let outcome = plan.hand_off.outcome;
        prop_assert!(outcome.steps <= limit);
        prop_assert_eq!(outcome.steps, plan.steps.len());
        if let Some(last) = plan.steps.last() {
            prop_assert_eq!((outcome.frame, outcome.error_rad), (last.frame, last.error_rad));
        }
        match outcome.end {
            ServoEnd::Reached => {
                prop_assert_eq!(outcome.frame, SEG_K - 1);
                prop_assert!(outcome.error_rad <= JQ_EPS);
            }
            ServoEnd::StepLimit => prop_assert_eq!(outcome.steps, limit),
        }
    }

    /// The closed form of a critically damped joint, which the tick rate meets to a hundredth of the start.
    #[test]
    fn the_plant_follows_the_critically_damped_curve(level in 0.1..0.5) {
        let settings = ServoSettings { tolerance_rad: 1e-12, ..ServoSettings::default() };
        let plan = plan(settings, &start(level, [1.0; 7]), &Segment::hold(&HOME)).unwrap();
        for (k, step) in plan.steps.iter().enumerate() {
            let wt = settings.kp.sqrt() * 0.05 * (k + 1) as f64;
            let expected = level * (1.0 + wt) * (-wt).exp();
            prop_assert!((step.error_rad - expected).abs() < 0.01 * level);
        }
    }
}
