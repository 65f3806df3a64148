//! The demonstration graph: nodes, twelve typed relations, identity.
//!
//! [`schema`] names the relations; [`nodes`] coarsens episodes; [`edges`] joins nodes; [`DemoGraph`] is the
//! read-only result that everything else uses; [`files`] keeps it as `g_nodes.npz` and `g_edges.npz`.

pub mod demo_graph;
pub mod edges;
pub mod error;
pub mod files;
pub mod nodes;
pub mod schema;

pub use demo_graph::{DemoGraph, Lane, Nodes};
pub use error::GraphError;
pub use schema::Relation;
