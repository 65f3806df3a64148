//! The `rollcheck` command as a library: parse, call, print.
//!
//! [`args`] is what was typed, [`settings`] what it means, [`commands`] one file a command, [`pipeline`] what
//! several of them do, [`printer`] the only place that prints, [`exit`] the codes, [`report`] the HTML pages. [`run`] ties them together and
//! knows no process: arguments, both streams and the terminal come in.

pub mod args;
pub mod commands;
pub mod error;
pub mod exit;
pub mod pipeline;
pub mod printer;
pub mod progress;
pub mod report;
pub mod settings;

pub use error::CliError;
pub use exit::Exit;
pub use printer::{Printer, Terminal};

use args::Cli;
use clap::Parser;
use settings::Settings;
use std::ffi::OsString;
use std::io::Write;

/// Runs one command line and says how the process should end.
///
/// `args` begins with the program's name. Data goes to `stdout`, everything else to `stderr`.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
    terminal: Terminal,
) -> Exit {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return printer::parser_message(stdout, stderr, terminal, &error),
    };
    let mut printer = Printer::new(stdout, stderr, terminal, cli.global.output());
    let outcome = Settings::new(&cli.global).apply().and_then(|()| commands::run(&cli.command, &mut printer));
    match outcome {
        Ok(exit) => exit,
        Err(error) => printer.error(&error),
    }
}
