//! The points of a cloud file by the ending of its name: `.ply` or `.pcd`, in any case of letters.
//!
//! Points with a coordinate that is not finite are dropped and counted: PCD writes NaN where a sensor saw nothing.

use super::bytes::{self, BytesError, shown};
use super::error::CloudFileError;
use super::{pcd, ply};
use crate::geometry::pose::Point;
use std::path::Path;

/// Largest cloud file that is read, bytes.
pub const CLOUD_BYTES_MAX: u64 = 512 << 20;

/// Longest line of a header, bytes.
const HEADER_LINE_MAX: usize = 4096;

/// The points of a file, in its order, in its own frame and unit (metres by convention).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointFile {
    /// The finite ones.
    pub points: Vec<Point>,
    /// How many were dropped because a coordinate is not finite.
    pub dropped: u64,
}

impl PointFile {
    pub(super) fn push(&mut self, xyz: [f64; 3]) {
        if xyz.iter().all(|x| x.is_finite()) {
            self.points.push(Point::from(xyz));
        } else {
            self.dropped += 1;
        }
    }
}

/// The points of a file.
///
/// # Errors
/// [`CloudFileError`].
pub fn read_points(path: &Path) -> Result<PointFile, CloudFileError> {
    let file = path.display().to_string();
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let reader = match ending.as_deref() {
        Some("ply") => ply::read_ply,
        Some("pcd") => pcd::read_pcd,
        Some(other) => return Err(CloudFileError::Extension { file, found: format!(".{other}") }),
        None => return Err(CloudFileError::Extension { file, found: "no ending".to_owned() }),
    };
    match bytes::read(path, CLOUD_BYTES_MAX) {
        Ok(bytes) => reader(&bytes, &file),
        Err(BytesError::Store(error)) => Err(error.into()),
        Err(BytesError::TooLarge { found }) => {
            Err(CloudFileError::TooLarge { file, found, bytes_max: CLOUD_BYTES_MAX })
        }
    }
}

/// Lines from the front of bytes; what follows them may be binary.
pub(super) struct Lines<'a> {
    pub(super) file: &'a str,
    pub(super) rest: &'a [u8],
    /// Number of the last line taken, from 1.
    pub(super) line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8], file: &'a str) -> Self {
        Self { file, rest: bytes, line: 0 }
    }

    /// The next line without its end; `None` at the end of the file.
    pub(super) fn row(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = (self.rest.get(..end)?, self.rest.get(end + 1..).unwrap_or_default());
        self.rest = rest;
        self.line += 1;
        Some(line.trim_ascii())
    }

    /// A line of a header, which is short text.
    pub(super) fn header(&mut self, expected: &str) -> Result<&'a str, CloudFileError> {
        let line = self.row().ok_or_else(|| self.refused(expected, "the end of the file"))?;
        match std::str::from_utf8(line) {
            Ok(text) if text.len() <= HEADER_LINE_MAX => Ok(text),
            _ => Err(self.refused(expected, "what is not text")),
        }
    }

    pub(super) fn refused(&self, expected: &str, found: &str) -> CloudFileError {
        CloudFileError::Line {
            file: self.file.to_owned(),
            line: self.line.max(1),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }

    pub(super) fn refused_text(&self, expected: &str, found: &str) -> CloudFileError {
        self.refused(expected, &shown(found))
    }

    pub(super) fn data(&self, reason: String) -> CloudFileError {
        CloudFileError::Data { file: self.file.to_owned(), reason }
    }
}

/// How a number lies in binary data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    pub(super) fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The value at an offset; `None` past the end.
    pub(super) fn at(self, bytes: &[u8], at: usize, big_endian: bool) -> Option<f64> {
        macro_rules! take {
            ($t:ty) => {{
                let raw = bytes::array(bytes, at)?;
                if big_endian { <$t>::from_be_bytes(raw) } else { <$t>::from_le_bytes(raw) }
            }};
        }
        Some(match self {
            Self::I8 => f64::from(take!(i8)),
            Self::U8 => f64::from(take!(u8)),
            Self::I16 => f64::from(take!(i16)),
            Self::U16 => f64::from(take!(u16)),
            Self::I32 => f64::from(take!(i32)),
            Self::U32 => f64::from(take!(u32)),
            Self::I64 => take!(i64) as f64,
            Self::U64 => take!(u64) as f64,
            Self::F32 => f64::from(take!(f32)),
            Self::F64 => take!(f64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::voxel_grid::VoxelGrid;

    #[test]
    fn the_ending_decides_and_another_is_refused() {
        let made = tempfile::tempdir().unwrap();
        let path = made.path().join("CLOUD.PLY");
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n\
                    property float z\nend_header\n0 0 0\n0.1 0 0.3\n";
        crate::store::atomic::write(&path, text.as_bytes()).unwrap();
        let cloud = read_points(&path).unwrap();
        assert_eq!(VoxelGrid::from_points(&cloud.points, 0.05).unwrap().occupied_cells().count(), 2);
        let error = read_points(&made.path().join("cloud.las")).unwrap_err().to_string();
        assert!(error.ends_with("points are read from .ply or .pcd, found .las"), "{error}");
        assert!(matches!(read_points(&made.path().join("none.pcd")), Err(CloudFileError::Store(_))));
    }
}
