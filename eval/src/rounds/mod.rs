//! What is recorded, parsed and not judged.
//!
//! One file a recorded kind: [`deploy_log`], [`monitor`], [`goal`], [`snapshot`], [`scene`] (through [`rollcheck_engine::store::yaml`]). [`lines`] streams
//! a file in blocks of whole lines, [`json`] decodes as the recorder's language does, [`layout`] knows where files lie,
//! [`read`] opens them, [`evidence`] is all that one scene says.

pub mod deploy_log;
pub mod error;
pub mod evidence;
pub mod goal;
pub mod json;
pub mod layout;
pub mod lines;
pub mod monitor;
pub mod needles;
pub mod read;
pub mod scene;
pub mod snapshot;
