//! `g_head.npz` and `g_head.safetensors`: weights, sizes, the graph they belong to, how they were trained.

use super::config::HeadConfig;
use super::error::HeadError;
use super::weights::HeadWeights;
use rollcheck_engine::store::arrays::{Arrays, Data, Dim};
use rollcheck_engine::store::{GraphHash, npz, safetensors};
use std::path::Path;

/// File name of the weights.
pub const HEAD_FILE: &str = "g_head.npz";
/// File name of the same weights as safetensors.
pub const SAFETENSORS_FILE: &str = "g_head.safetensors";

const SIZES: [&str; 6] = ["dof", "width", "hidden", "layers", "history", "seed_topk"];
const BANDWIDTH: &str = "kernel_bw_rad";
const SUMMARY: &str = "training";

/// Writes both files into a folder. `summary` is JSON: seed, epochs, scores.
///
/// # Errors
/// [`HeadError::Store`].
pub fn write(
    folder: &Path,
    weights: &HeadWeights,
    graph: &GraphHash,
    summary: &str,
) -> Result<(), HeadError> {
    let arrays = to_arrays(weights, graph, summary);
    npz::write(&folder.join(HEAD_FILE), &arrays)?;
    safetensors::write(&folder.join(SAFETENSORS_FILE), &arrays)?;
    Ok(())
}

/// Reads a head made for the graph of this hash; the file's ending tells the format.
///
/// # Errors
/// [`HeadError`]: unreadable, of another graph, of unsupported sizes, damaged.
pub fn read(path: &Path, graph: &GraphHash) -> Result<(HeadWeights, String), HeadError> {
    let arrays = match path.extension().and_then(|e| e.to_str()) {
        Some("safetensors") => safetensors::read(path)?,
        _ => npz::read(path)?,
    };
    from_arrays(&arrays, graph)
}

/// The arrays of a file.
pub fn to_arrays(weights: &HeadWeights, graph: &GraphHash, summary: &str) -> Arrays {
    let c = weights.config();
    let mut arrays = Arrays::new(HEAD_FILE);
    for tensor in weights.tensors() {
        arrays.push(tensor.name.clone(), &tensor.shape, Data::F32(tensor.values.clone()));
    }
    for (name, size) in SIZES.into_iter().zip([c.dof, c.width, c.hidden, c.layers, c.history, c.seed_topk]) {
        arrays.push(name, &[], Data::I64(vec![size as i64]));
    }
    arrays.push(BANDWIDTH, &[], Data::F64(vec![c.bandwidth_rad]));
    arrays.push_text(SUMMARY, summary);
    weights.hash().stamp(&mut arrays);
    graph.stamp(&mut arrays);
    arrays
}

/// Weights and training summary from arrays.
///
/// # Errors
/// As [`read`].
pub fn from_arrays(arrays: &Arrays, graph: &GraphHash) -> Result<(HeadWeights, String), HeadError> {
    graph.verify(arrays)?;
    let mut sizes = [0; SIZES.len()];
    for (size, name) in sizes.iter_mut().zip(SIZES) {
        let found = arrays.i64(name, &[])?[0];
        *size = usize::try_from(found).map_err(|_| arrays.value_error(name, 0, "a size", found))?;
    }
    let [dof, width, hidden, layers, history, seed_topk] = sizes;
    let bandwidth_rad = arrays.f64(BANDWIDTH, &[])?[0];
    let config = HeadConfig { dof, width, hidden, layers, history, seed_topk, bandwidth_rad };
    config.check()?;
    let mut values = Vec::new();
    for (name, shape) in HeadWeights::shapes(&config) {
        let dims: Vec<Dim> = shape.iter().map(|&n| Dim::Is(n)).collect();
        values.push(arrays.f32(&name, &dims)?.to_vec());
    }
    let weights = HeadWeights::new(config, values)?;
    weights.hash().verify(arrays)?;
    Ok((weights, arrays.text(SUMMARY)?.to_owned()))
}
