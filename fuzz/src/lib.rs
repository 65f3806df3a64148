//! Fuzz targets of the readers; [`entries`] says what each promises.

pub mod entries;
