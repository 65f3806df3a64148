//! Everything learned or fitted; candle lives here.
//!
//! [`head`] is the relation-typed network: a window in, one logit a node out. [`train`] makes it,
//! [`fit`] makes what the filter and the rules need (`g_track.npz`), [`audit`] measures the whole on demos that
//! neither of them saw. [`split`] says which demo belongs to which of the three.

pub mod audit;
pub mod fit;
pub mod head;
pub mod random;
pub mod split;
pub mod train;

#[cfg(test)]
mod testing;
