//! What the arguments mean: values checked beyond their spelling, the host asked where that is needed.

use crate::args::GlobalArgs;
use crate::error::CliError;
use rollcheck_engine::when::RuleSettings;
use std::str::FromStr;

/// Settings of every command.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    threads: Option<usize>,
}

impl Settings {
    /// Reads the global options.
    pub fn new(global: &GlobalArgs) -> Self {
        Self { threads: global.threads.map(usize::from) }
    }

    /// Sets up the process: the thread pool.
    ///
    /// # Errors
    /// [`CliError::Internal`] when the pool cannot be made.
    pub fn apply(self) -> Result<(), CliError> {
        let Some(threads) = self.threads else { return Ok(()) };
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|e| CliError::Internal(format!("cannot make a pool of {threads} threads: {e}")))
    }
}

/// A device as typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The best that is there.
    #[default]
    Auto,
    /// The processor.
    Cpu,
    /// A CUDA device by number.
    Cuda(usize),
}

/// A device that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    Cpu,
}

impl DeviceChoice {
    /// Finds the device.
    ///
    /// # Errors
    /// [`CliError::Device`].
    pub fn resolve(self) -> Result<Device, CliError> {
        match self {
            Self::Auto | Self::Cpu => Ok(Device::Cpu),
            Self::Cuda(_) => Err(CliError::Device {
                asked: self.to_string(),
                reason: "this build has no CUDA backend".to_owned(),
            }),
        }
    }
}

impl std::fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(|index| index.parse().ok())
                .map(Self::Cuda)
                .ok_or_else(|| "expected `auto`, `cpu`, `cuda` or `cuda:N`".to_owned()),
        }
    }
}

/// Which bets and wealth rule decide a fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RuleChoice {
    /// The method's own setting: linear bets at every check, product wealth
    Method,
    /// Power bets at every third check, uniform mixture over start times
    #[default]
    Recommended,
}

impl RuleChoice {
    /// Both, in the order in which they are printed.
    pub const ALL: [Self; 2] = [Self::Method, Self::Recommended];

    /// The rule.
    pub fn settings(self) -> RuleSettings {
        match self {
            Self::Method => RuleSettings::method(),
            Self::Recommended => RuleSettings::recommended(),
        }
    }

    /// As typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Recommended => "recommended",
        }
    }
}

/// What is done to a recording before it is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Perturbation {
    /// The arm is pushed to a random joint offset that stays.
    Push {
        /// Norm of the offset, rad.
        offset_rad: f64,
        /// First frame of the push.
        frame: usize,
    },
    /// The arm stops moving.
    Stall {
        /// First frame that repeats.
        frame: usize,
    },
}

impl FromStr for Perturbation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let spelled = || "expected `push:RAD@FRAME` or `stall@FRAME`, such as `push:0.4@60`".to_owned();
        let (what, frame) = text.split_once('@').ok_or_else(spelled)?;
        let frame = frame.parse().map_err(|_| spelled())?;
        match what.split_once(':') {
            None if what == "stall" => Ok(Self::Stall { frame }),
            Some(("push", offset)) => {
                let offset_rad: f64 = offset.parse().map_err(|_| spelled())?;
                if !(offset_rad.is_finite() && offset_rad > 0.0) {
                    return Err(format!("a push of {offset} rad is not a positive length"));
                }
                Ok(Self::Push { offset_rad, frame })
            }
            _ => Err(spelled()),
        }
    }
}

/// A start pose, rad.
#[derive(Clone, Debug, PartialEq)]
pub struct StartPose(pub Vec<f64>);

impl FromStr for StartPose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',')
            .enumerate()
            .map(|(joint, value)| match value.trim().parse::<f64>() {
                Ok(q) if q.is_finite() => Ok(q),
                _ => Err(format!("joint {joint}: `{value}` is not a finite number of radians")),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    #[test]
    fn devices_are_spelled_and_found() {
        let choice = |text: &str| text.parse::<DeviceChoice>();
        assert_eq!(choice("auto").unwrap().resolve().unwrap(), Device::Cpu);
        assert_eq!(choice("cuda"), Ok(DeviceChoice::Cuda(0)));
        assert_eq!(choice("cuda:3"), Ok(DeviceChoice::Cuda(3)));
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "CPU"] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
        let error = DeviceChoice::Cuda(1).resolve().unwrap_err();
        assert_eq!(error.exit(), Exit::Device);
        assert_eq!(error.to_string(), "device `cuda:1` is not available: this build has no CUDA backend");
    }

    #[test]
    fn perturbations_are_spelled() {
        let parse = |text: &str| text.parse::<Perturbation>();
        assert_eq!(parse("push:0.4@60"), Ok(Perturbation::Push { offset_rad: 0.4, frame: 60 }));
        assert_eq!(parse("stall@60"), Ok(Perturbation::Stall { frame: 60 }));
        for wrong in [
            "push@60",
            "push:@60",
            "push:0.4",
            "push:nan@6",
            "push:-1@6",
            "push:0@6",
            "stall:1@6",
            "stall@-1",
            "@6",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_start_pose_names_the_joint_that_is_wrong() {
        assert_eq!("0, -0.5,2".parse(), Ok(StartPose(vec![0.0, -0.5, 2.0])));
        for wrong in ["", "1,,2", "1,inf", "1;2"] {
            assert!(wrong.parse::<StartPose>().unwrap_err().starts_with("joint "), "{wrong}");
        }
    }
}
