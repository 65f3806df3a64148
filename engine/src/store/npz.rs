//! `.npz`: a zip of `.npy` members, read from its central directory.
//!
//! Written with fixed times, in the order of the arrays, so equal arrays give equal bytes. A member's
//! declared size is a claim: at most [`MAX_MEMBER`] bytes are inflated, and the shape is checked against
//! what came out.

use super::arrays::Arrays;
use super::atomic;
use super::error::StoreError;
use super::npy;
use std::io::{Cursor, Read, Write};
use std::path::Path;

/// Largest member that is inflated, bytes: above a million frames of sixteen f64 joints.
pub const MAX_MEMBER: u64 = 512 << 20;

/// Reads every array of a file.
///
/// # Errors
/// [`StoreError::Io`], [`StoreError::Container`] for a file that is not a zip or is cut short,
/// [`StoreError::Malformed`] for a bad member.
pub fn read(path: &Path) -> Result<Arrays, StoreError> {
    parse(&atomic::read(path)?, &path.display().to_string())
}

/// As [`read`], from bytes; `file` names them in errors.
pub fn parse(bytes: &[u8], file: &str) -> Result<Arrays, StoreError> {
    let container = |reason: String| StoreError::Container { file: file.to_owned(), format: "npz", reason };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| container(e.to_string()))?;
    // The archive keeps the last member of a name and is silent about the others.
    if archive.has_duplicate_names() {
        return Err(container("two members have the same name".to_owned()));
    }
    let mut arrays = Arrays::new(file);
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|e| container(e.to_string()))?;
        let name = member.name().map_err(|e| container(e.to_string()))?.into_owned();
        let Some(array) = name.strip_suffix(".npy") else {
            return Err(container(format!("member {name:?} is not an array")));
        };
        let malformed =
            |reason: String| StoreError::Malformed { file: file.to_owned(), array: array.to_owned(), reason };
        if arrays.find(array).is_some() {
            return Err(malformed("occurs twice".to_owned()));
        }
        let mut raw = Vec::new();
        member
            .by_ref()
            .take(MAX_MEMBER + 1)
            .read_to_end(&mut raw)
            .map_err(|e| malformed(format!("cannot be unpacked: {e}")))?;
        if raw.len() as u64 > MAX_MEMBER {
            return Err(malformed(format!("unpacks to more than {MAX_MEMBER} bytes")));
        }
        let parsed = npy::parse(&raw).map_err(malformed)?;
        arrays.push(array, &parsed.shape, parsed.data);
    }
    Ok(arrays)
}

/// Writes the arrays, atomically.
///
/// # Errors
/// [`StoreError::Io`]; the old file, if any, is then untouched.
pub fn write(path: &Path, arrays: &Arrays) -> Result<(), StoreError> {
    atomic::write(path, &format(arrays)?)
}

/// The bytes of a file, the same for the same arrays.
pub fn format(arrays: &Arrays) -> Result<Vec<u8>, StoreError> {
    let failed =
        |reason: String| StoreError::Container { file: arrays.file().to_owned(), format: "npz", reason };
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays.iter() {
        writer.start_file(format!("{name}.npy"), options).map_err(|e| failed(e.to_string()))?;
        writer.write_all(&npy::format(array)).map_err(|e| failed(e.to_string()))?;
    }
    Ok(writer.finish().map_err(|e| failed(e.to_string()))?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::super::arrays::{Data, Dim};
    use super::*;

    fn sample() -> Arrays {
        let mut arrays = Arrays::new("sample");
        arrays.push("q", &[2, 3], Data::F64(vec![1.0, 2.0, 3.0, 4.0, 5.0, f64::NAN]));
        arrays.push("task", &[2], Data::I16(vec![4, -7]));
        arrays.push_text("name", "put the mug on the plate");
        arrays
    }

    #[test]
    fn bytes_are_stable_and_read_back() {
        let bytes = format(&sample()).unwrap();
        assert_eq!(bytes, format(&sample()).unwrap());
        let back = parse(&bytes, "sample").unwrap();
        assert_eq!(back.i32("task", &[Dim::Is(2)]).unwrap(), [4, -7]);
        assert_eq!(back.text("name").unwrap(), "put the mug on the plate");
        assert!(back.f64("q", &[Dim::Any, Dim::Is(3)]).unwrap()[5].is_nan());
    }

    #[test]
    fn wrong_requests_name_file_array_expected_and_found() {
        let arrays = sample();
        let text = |e: StoreError| e.to_string();
        assert_eq!(
            text(arrays.f64("qd", &[Dim::Any]).unwrap_err()),
            "sample: array `qd` is missing; the file holds q, task, name"
        );
        assert_eq!(
            text(arrays.f64("q", &[Dim::Any, Dim::Is(7)]).unwrap_err()),
            "sample: array `q` has shape [2, 3], expected [any, 7]"
        );
        assert_eq!(
            text(arrays.i32("q", &[Dim::Any, Dim::Any]).unwrap_err()),
            "sample: array `q` has dtype <f8, expected an integer"
        );
        assert_eq!(
            text(arrays.flags("task", &[Dim::Any]).unwrap_err()),
            "sample: array `task`, index 0: 4, expected 0 or 1"
        );
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = format(&sample()).unwrap();
        for end in 0..bytes.len() {
            assert!(parse(&bytes[..end], "cut").is_err(), "cut at {end}");
        }
    }

    #[test]
    fn every_flipped_byte_is_answered() {
        let bytes = format(&sample()).unwrap();
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0xff;
            let _ = parse(&bad, "flipped");
        }
    }
}
