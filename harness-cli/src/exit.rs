//! Exit codes, one table for every command.

use std::process::ExitCode;

/// How a run ended.
///
/// Code 130 (interrupted) is not listed: Ctrl-C ends the process by its signal, which a shell reports as
/// 130. Files are renamed into place when complete, so nothing half-written is left under its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, nothing negative.
    Done,
    /// A verdict or check came out negative.
    Negative,
    /// Wrong usage, or an input or output that cannot be read or written. Nothing was written.
    Input,
    /// Refused: a guardrail, a policy, a gate, or files that belong to another graph or head.
    Refused,
    /// Nothing negative, but something could not be judged.
    Unknown,
    /// The asked device is not available.
    Device,
    /// A bug.
    Internal,
}

impl Exit {
    /// The process's exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Negative => 1,
            Self::Input => 2,
            Self::Refused => 3,
            Self::Unknown => 5,
            Self::Device => 6,
            Self::Internal => 70,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The table as `rollcheck --help` prints it.
pub const TABLE: &str = "\
Exit codes:
    0  done, nothing negative
    1  a verdict or check came out negative
    2  wrong usage, or a file that cannot be read or written; nothing was written
    3  refused: a guardrail, policy, gate or hull check, or a file made for another graph or head
    5  nothing negative, but something could not be judged
    6  the asked device is not available
   70  internal error (a bug)
  130  interrupted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_table_lists_every_code() {
        use Exit::{Device, Done, Input, Internal, Negative, Refused, Unknown};
        let printed: Vec<u8> = TABLE
            .lines()
            .filter_map(|line| line.split_whitespace().next()?.parse().ok())
            .filter(|&code| code != 130)
            .collect();
        let codes = [Done, Negative, Input, Refused, Unknown, Device, Internal].map(Exit::code);
        assert_eq!(printed, codes);
    }
}
