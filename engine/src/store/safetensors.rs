//! `.safetensors`: the same arrays for readers outside NumPy.
//!
//! The format knows numbers only, so text goes into its metadata under [`METADATA_KEY`] as one JSON
//! object with sorted keys: one key, because the format's own map has no order.

use super::arrays::{Arrays, Data};
use super::atomic;
use super::error::StoreError;
use super::npy;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The metadata entry that holds the text arrays.
pub const METADATA_KEY: &str = "rollcheck";

/// Writes the arrays, atomically.
///
/// # Errors
/// [`StoreError::Io`], [`StoreError::Container`].
pub fn write(path: &Path, arrays: &Arrays) -> Result<(), StoreError> {
    atomic::write(path, &format(arrays)?)
}

/// The bytes of a file, the same for the same arrays.
pub fn format(arrays: &Arrays) -> Result<Vec<u8>, StoreError> {
    let failed = |reason: String| StoreError::Container {
        file: arrays.file().to_owned(),
        format: "safetensors",
        reason,
    };
    let mut texts = BTreeMap::new();
    let mut raws = Vec::new();
    for (name, array) in arrays.iter() {
        let dtype = match &array.data {
            Data::F64(_) => Dtype::F64,
            Data::F32(_) => Dtype::F32,
            Data::I64(_) => Dtype::I64,
            Data::I32(_) => Dtype::I32,
            Data::I16(_) => Dtype::I16,
            Data::I8(_) => Dtype::I8,
            Data::U8(_) => Dtype::U8,
            Data::Bool(_) => Dtype::BOOL,
            Data::Text(v) => {
                texts.insert(name, (&array.shape, v));
                continue;
            }
        };
        let mut raw = Vec::new();
        npy::raw_values(&array.data, 0, &mut raw);
        raws.push((name, dtype, array.shape.clone(), raw));
    }
    let views = raws
        .iter()
        .map(|(name, dtype, shape, raw)| {
            TensorView::new(*dtype, shape.clone(), raw).map(|view| (*name, view))
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| failed(e.to_string()))?;
    let json = serde_json::to_string(&texts).map_err(|e| failed(e.to_string()))?;
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), json)]);
    safetensors::serialize(views, Some(metadata)).map_err(|e| failed(e.to_string()))
}

/// Reads every array of a file.
///
/// # Errors
/// [`StoreError::Io`], [`StoreError::Container`], [`StoreError::Malformed`].
pub fn read(path: &Path) -> Result<Arrays, StoreError> {
    parse(&atomic::read(path)?, &path.display().to_string())
}

/// As [`read`], from bytes; `file` names them in errors.
pub fn parse(bytes: &[u8], file: &str) -> Result<Arrays, StoreError> {
    let container =
        |reason: String| StoreError::Container { file: file.to_owned(), format: "safetensors", reason };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| container(e.to_string()))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| container(e.to_string()))?;
    let mut views = tensors.iter().collect::<Vec<_>>();
    views.sort_by_key(|&(name, _)| name);
    let mut arrays = Arrays::new(file);
    for (name, view) in views {
        let descr = match view.dtype() {
            Dtype::F64 => "<f8",
            Dtype::F32 => "<f4",
            Dtype::I64 => "<i8",
            Dtype::I32 => "<i4",
            Dtype::I16 => "<i2",
            Dtype::I8 => "|i1",
            Dtype::U8 => "|u1",
            Dtype::BOOL => "|b1",
            other => {
                return Err(StoreError::Malformed {
                    file: file.to_owned(),
                    array: name.to_owned(),
                    reason: format!("dtype {other:?} is not read"),
                });
            }
        };
        let array = npy::from_raw(descr, view.shape(), view.data()).map_err(|reason| {
            StoreError::Malformed { file: file.to_owned(), array: name.to_owned(), reason }
        })?;
        arrays.push(name, &array.shape, array.data);
    }
    if let Some(json) = header.metadata().as_ref().and_then(|m| m.get(METADATA_KEY)) {
        let texts: BTreeMap<String, (Vec<usize>, Vec<String>)> =
            serde_json::from_str(json).map_err(|e| container(format!("metadata: {e}")))?;
        for (name, (shape, values)) in texts {
            let held = shape.iter().try_fold(1_usize, |n, &d| n.checked_mul(d));
            if held != Some(values.len()) {
                return Err(container(format!("metadata: `{name}` does not fit its shape")));
            }
            arrays.push(name, &shape, Data::Text(values));
        }
    }
    Ok(arrays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_text_survive_and_bytes_are_stable() {
        let mut arrays = Arrays::new("w");
        arrays.push("b", &[2], Data::F32(vec![1.5, -2.0]));
        arrays.push("a", &[1, 2], Data::I32(vec![3, 4]));
        arrays.push_text("graph_hash", "00ff");
        arrays.push("names", &[2], Data::Text(vec!["x".into(), "y".into()]));
        let bytes = format(&arrays).unwrap();
        assert_eq!(bytes, format(&arrays).unwrap());
        let back = parse(&bytes, "w").unwrap();
        for (name, array) in arrays.iter() {
            assert_eq!(back.get(name).unwrap(), array, "{name}");
        }
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end], "cut").is_err(), "cut at {end}");
        }
    }
}
