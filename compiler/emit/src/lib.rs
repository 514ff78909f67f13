//! Cubins as files: [`write()`] lays one out as ptxas 13.0.88 does for sm_90, line information included; and files taken apart to the byte.
//!
//! - `lower`, `plan`: from a cubin to sections and symbols. [`attribute`]: records. [`image`]: from those to bytes.
//! - [`lines`]: line information that is written. [`line_table`]: line information that is read.
//! - [`exact`]: every section of any compiler's file read into types, and back to the same bytes.

pub mod attribute;
pub mod exact;
pub mod image;
pub mod line_table;
pub mod lines;
mod lower;
mod plan;

use sassafras_cubin::{Cubin, Error};

/// Writes a cubin; the same value always gives the same bytes.
///
/// # Errors
/// A value that the container cannot hold: a chip without a layout row, a parameter list of more than 64 KiB, a
/// relocation to a symbol that does not exist.
pub fn write(cubin: &Cubin) -> Result<Vec<u8>, Error> {
    image::write(&lower::lower(cubin)?)
}
