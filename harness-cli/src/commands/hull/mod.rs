//! `rollcheck hull ...`

pub mod check;
pub mod derive;
pub mod fragment;
pub mod overhang;
