//! The file as ELF sees it: headers, sections, symbols, segments.

mod abi;
pub mod constants;
mod image;
mod read;

pub use abi::{Abi, Header, V7_FLAGS};
pub use image::{Data, Image, Section, Segment, Symbol};
pub use read::read;
