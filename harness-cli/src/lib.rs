//! The `rollcheck` command as a library.
