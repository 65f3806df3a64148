//! What refuses a round before anything is launched or written.
//!
//! The host is asked once ([`gather`]), what it says is plain data ([`facts`]), and each guard is a function of that data.
//! In the order in which they run: [`worktree`] (clean, then the commit), [`overlay`], [`launcher`], [`sidecar`], [`gpu`],
//! [`safety_argv`]; then [`safety_scene`] on the scene copies, which `round_ops::splice` makes and checks for their pins.
//! A fact that is unknown refuses like a bad one. [`refusal`] holds every refusal. Reference page, sections 15.1 to 15.4.

pub mod facts;
pub mod gather;
pub mod gpu;
pub mod launcher;
pub mod overlay;
pub mod refusal;
pub mod safety_argv;
pub mod safety_scene;
pub mod sidecar;
pub mod worktree;
