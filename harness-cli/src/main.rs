//! The `rollcheck` command: the process edge and nothing else.

use rollcheck_cli::{Exit, Terminal, run};
use std::io::{self, IsTerminal};
use std::process::ExitCode;

fn main() -> ExitCode {
    let terminal = Terminal {
        stderr_is_terminal: io::stderr().is_terminal(),
        // https://no-color.org: set and not empty means no colour.
        no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
    };
    let (mut stdout, mut stderr) = (io::stdout().lock(), io::stderr());
    let exit = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(std::env::args_os(), &mut stdout, &mut stderr, terminal)
    }));
    // The panic hook has already written what happened and where.
    exit.unwrap_or(Exit::Internal).into()
}
