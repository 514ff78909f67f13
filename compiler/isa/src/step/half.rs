//! Packed half precision.
