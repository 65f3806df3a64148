//! Numbers and values as the recorded documents spell them.
//!
//! [`python`] prints what Python prints, [`printf`] what C prints, [`plain`] takes out what acts on a terminal.

pub mod plain;
pub mod printf;
pub mod python;
