//! Command line contract.
