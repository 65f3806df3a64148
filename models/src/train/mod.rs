//! Training of the head (sentinel page, section 2).
