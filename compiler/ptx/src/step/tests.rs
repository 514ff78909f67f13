//! Vectors derived by hand from the PTX ISA.
