//! `rollcheck sentinel entry`, `replay` and `audit`

pub mod audit;
pub mod audit_summary;
pub mod entry;
pub mod replay;
