//! The ELF container of SASS: sections, symbols, relocations and `.nv.info`, and the reader. `sassafras_emit` writes it.
//!
//! Two levels. [`elf::Image`] is the file as ELF sees it: headers, sections, symbols, segments; it is read
//! without loss of meaning. [`Cubin`] is what the file says: functions, parameters, variables, address slots.
//! [`read`] lifts an image into a [`Cubin`].
//!
//! What the model has no field for (an unknown attribute, section or symbol) is kept in `attributes`, `sections` and
//! `symbols` and written back; nothing is dropped silently.
//!
//! Facts: black-box comparison with ptxas 13.0.88 and `cuobjdump -elf` 13.2.51.
//!
//! Addresses of variables: code loads the 64-bit address of a `.global` variable from `c[0x4][8*slot]`, where `slot` is an
//! index into [`Cubin::addresses`]; the loader fills the slot by its `R_CUDA_64` relocation. `.const` variables live at
//! their [`Variable::offset`] in constant bank 3.

pub mod attribute;
pub mod elf;
mod error;
pub mod frame;
pub mod implied;
mod layout;
mod lift;
mod model;
pub mod note;
pub mod relocation;

pub use attribute::{Attribute, Value};
pub use error::{Error, Place};
pub use layout::{Debug, Layout, layout};
pub use model::{
    Address, Bank, Binding, Cubin, Extern, Function, Kind, LINES, Param, Producer, Relocation, Section,
    Shared, Space, Subroutine, Symbol, UNKNOWN_STACK, Variable,
};

/// Reads a cubin.
///
/// # Errors
/// An input that is no cubin of a known layout, with the offset in the file at which reading stopped.
pub fn read(bytes: &[u8]) -> Result<Cubin, Error> {
    lift::lift(&elf::read(bytes)?)
}
