//! The files that geometry comes from.
