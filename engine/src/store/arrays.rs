//! Named arrays with a dtype and a shape: what every file of the engine is made of.
//!
//! Values lie in C order. Readers ask by name, type and shape and get an error that names the file, the
//! array, what was expected and what was found; integer types widen, floating types widen, nothing
//! narrows.

use super::error::StoreError;

/// The values of an array, by NumPy type.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// `<f8`
    F64(Vec<f64>),
    /// `<f4`
    F32(Vec<f32>),
    /// `<i8`
    I64(Vec<i64>),
    /// `<i4`
    I32(Vec<i32>),
    /// `<i2`
    I16(Vec<i16>),
    /// `|i1`
    I8(Vec<i8>),
    /// `|u1`
    U8(Vec<u8>),
    /// `|b1`
    Bool(Vec<bool>),
    /// `<U…`
    Text(Vec<String>),
}

impl Data {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::I16(v) => v.len(),
            Self::I8(v) => v.len(),
            Self::U8(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Text(v) => v.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The NumPy type string, in little-endian form (`<U` without its width).
    pub fn dtype(&self) -> &'static str {
        match self {
            Self::F64(_) => "<f8",
            Self::F32(_) => "<f4",
            Self::I64(_) => "<i8",
            Self::I32(_) => "<i4",
            Self::I16(_) => "<i2",
            Self::I8(_) => "|i1",
            Self::U8(_) => "|u1",
            Self::Bool(_) => "|b1",
            Self::Text(_) => "<U",
        }
    }
}

/// One array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the dimensions; empty for a scalar.
    pub shape: Vec<usize>,
    /// The values in C order.
    pub data: Data,
}

/// A set of named arrays, in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    file: String,
    entries: Vec<(String, Array)>,
}

/// What a reader accepts for one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// Any length.
    Any,
    /// This length.
    Is(usize),
}

impl Arrays {
    /// An empty set; `file` names it in errors.
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), entries: Vec::new() }
    }

    /// The name used in errors.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Adds an array; one of the same name is replaced.
    ///
    /// # Panics
    /// When `shape` does not hold `data`: a bug of the caller, never of a file.
    pub fn push(&mut self, name: impl Into<String>, shape: &[usize], data: Data) {
        let name = name.into();
        assert_eq!(shape.iter().product::<usize>(), data.len(), "shape of `{name}`");
        let array = Array { shape: shape.to_vec(), data };
        match self.entries.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) => *old = array,
            None => self.entries.push((name, array)),
        }
    }

    /// Adds a scalar text.
    pub fn push_text(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.push(name, &[], Data::Text(vec![text.into()]));
    }

    /// The arrays in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.entries.iter().map(|(n, a)| (n.as_str(), a))
    }

    /// The array of a name, if present.
    pub fn find(&self, name: &str) -> Option<&Array> {
        self.entries.iter().find(|(n, _)| n == name).map(|(_, a)| a)
    }

    /// The array of a name.
    ///
    /// # Errors
    /// [`StoreError::Missing`], with the names that are present.
    pub fn get(&self, name: &str) -> Result<&Array, StoreError> {
        self.find(name).ok_or_else(|| StoreError::Missing {
            file: self.file.clone(),
            array: name.to_owned(),
            found: self.entries.iter().map(|(n, _)| n.clone()).collect(),
        })
    }

    fn shaped(&self, name: &str, shape: &[Dim]) -> Result<&Array, StoreError> {
        let array = self.get(name)?;
        let fits = array.shape.len() == shape.len()
            && array.shape.iter().zip(shape).all(|(&n, &d)| d == Dim::Any || d == Dim::Is(n));
        if fits {
            return Ok(array);
        }
        let words: Vec<String> = shape
            .iter()
            .map(|d| match d {
                Dim::Any => "any".to_owned(),
                Dim::Is(n) => n.to_string(),
            })
            .collect();
        Err(StoreError::Shape {
            file: self.file.clone(),
            array: name.to_owned(),
            expected: if words.is_empty() {
                "a scalar".to_owned()
            } else {
                format!("[{}]", words.join(", "))
            },
            found: array.shape.clone(),
        })
    }

    fn dtype_error(&self, name: &str, array: &Array, expected: &'static str) -> StoreError {
        StoreError::Dtype {
            file: self.file.clone(),
            array: name.to_owned(),
            expected,
            found: array.data.dtype().to_owned(),
        }
    }

    /// A floating-point array as f64 (f32 widens exactly).
    pub fn f64(&self, name: &str, shape: &[Dim]) -> Result<Vec<f64>, StoreError> {
        let array = self.shaped(name, shape)?;
        match &array.data {
            Data::F64(v) => Ok(v.clone()),
            Data::F32(v) => Ok(v.iter().map(|&x| f64::from(x)).collect()),
            _ => Err(self.dtype_error(name, array, "a float")),
        }
    }

    /// An f32 array.
    pub fn f32(&self, name: &str, shape: &[Dim]) -> Result<&[f32], StoreError> {
        let array = self.shaped(name, shape)?;
        match &array.data {
            Data::F32(v) => Ok(v),
            _ => Err(self.dtype_error(name, array, "<f4")),
        }
    }

    /// An integer array as i64.
    pub fn i64(&self, name: &str, shape: &[Dim]) -> Result<Vec<i64>, StoreError> {
        let array = self.shaped(name, shape)?;
        Ok(match &array.data {
            Data::I64(v) => v.clone(),
            Data::I32(v) => v.iter().map(|&x| i64::from(x)).collect(),
            Data::I16(v) => v.iter().map(|&x| i64::from(x)).collect(),
            Data::I8(v) => v.iter().map(|&x| i64::from(x)).collect(),
            Data::U8(v) => v.iter().map(|&x| i64::from(x)).collect(),
            Data::Bool(v) => v.iter().map(|&x| i64::from(x)).collect(),
            _ => return Err(self.dtype_error(name, array, "an integer")),
        })
    }

    /// An integer array as i32; a value that does not fit is refused with its index.
    pub fn i32(&self, name: &str, shape: &[Dim]) -> Result<Vec<i32>, StoreError> {
        let wide = self.i64(name, shape)?;
        wide.iter()
            .enumerate()
            .map(|(index, &v)| {
                i32::try_from(v).map_err(|_| self.value_error(name, index, "a 32-bit integer", v))
            })
            .collect()
    }

    /// A 0/1 array as booleans.
    pub fn flags(&self, name: &str, shape: &[Dim]) -> Result<Vec<bool>, StoreError> {
        let wide = self.i64(name, shape)?;
        wide.iter()
            .enumerate()
            .map(|(index, &v)| match v {
                0 => Ok(false),
                1 => Ok(true),
                _ => Err(self.value_error(name, index, "0 or 1", v)),
            })
            .collect()
    }

    /// A text array.
    pub fn texts(&self, name: &str, shape: &[Dim]) -> Result<&[String], StoreError> {
        let array = self.shaped(name, shape)?;
        match &array.data {
            Data::Text(v) => Ok(v),
            _ => Err(self.dtype_error(name, array, "text")),
        }
    }

    /// A scalar text.
    pub fn text(&self, name: &str) -> Result<&str, StoreError> {
        Ok(self.texts(name, &[])?.first().map_or("", String::as_str))
    }

    /// A [`StoreError::Value`] of this file.
    pub fn value_error(
        &self,
        array: &str,
        index: usize,
        expected: impl Into<String>,
        found: impl std::fmt::Display,
    ) -> StoreError {
        StoreError::Value {
            file: self.file.clone(),
            array: array.to_owned(),
            index,
            expected: expected.into(),
            found: found.to_string(),
        }
    }
}
