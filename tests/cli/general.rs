//! What holds for every command: help, version, usage errors, completions, global options.

use crate::support::{Workspace, check};

#[test]
fn help() {
    let workspace = Workspace::new();
    for (name, args) in [
        ("help", &["--help"][..]),
        ("help_short", &["-h"]),
        ("help_graph", &["graph", "--help"]),
        ("help_graph_build", &["graph", "build", "--help"]),
        ("help_graph_info", &["graph", "info", "--help"]),
        ("help_quickstart", &["quickstart", "--help"]),
        ("help_head", &["head", "--help"]),
        ("help_head_train", &["head", "train", "--help"]),
        ("help_head_eval", &["head", "eval", "--help"]),
        ("help_track_fit", &["track", "fit", "--help"]),
        ("help_sentinel", &["sentinel", "--help"]),
        ("help_sentinel_entry", &["sentinel", "entry", "--help"]),
        ("help_sentinel_replay", &["sentinel", "replay", "--help"]),
        ("help_sentinel_audit", &["sentinel", "audit", "--help"]),
        ("help_completions", &["completions", "--help"]),
    ] {
        check(name, &workspace.run(args));
    }
}

#[test]
fn version() {
    check("version", &Workspace::new().run(&["--version"]));
}

#[test]
fn usage_errors_are_exit_2_and_say_what_is_meant() {
    let workspace = Workspace::new();
    for (name, args) in [
        ("usage_nothing", &[][..]),
        ("usage_unknown_command", &["grahp", "info", "x"]),
        ("usage_missing_option", &["graph", "build", "demos.npz"]),
        ("usage_zero_threads", &["graph", "info", "x", "--threads", "0"]),
        ("usage_unknown_shell", &["completions", "tcsh"]),
    ] {
        check(name, &workspace.run(args));
    }
}

#[test]
fn completions_of_every_shell_name_the_commands() {
    let workspace = Workspace::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = workspace.output(&["completions", shell]);
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        for word in ["graph", "build", "info", "threads", "quickstart", "train", "fit", "replay", "audit"] {
            assert!(script.contains(word), "{shell}: no `{word}`");
        }
    }
}

/// A reader such as `head` that leaves early must not make a failed run of a good one.
#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_rollcheck"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
