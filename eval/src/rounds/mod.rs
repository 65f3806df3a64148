//! (to come)

pub mod scene;
pub mod yaml;
