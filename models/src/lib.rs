//! Everything learned or fitted.
