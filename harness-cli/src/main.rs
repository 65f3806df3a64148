//! The `rollcheck` command.
fn main() {}
