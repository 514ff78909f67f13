//! Memory: global allocations with guard gaps, constants and parameters, and one lane's view of all spaces.
//!
//! Generic addresses have four windows outside global memory: shared, local, constant and parameter. A generic address is
//! the window's base plus the offset in the space; the bases are this executor's choice, and no program may depend on them.

pub(crate) mod address;
mod global;
mod lane;
mod race;
mod shared;
mod surface;
mod touch;

pub use address::{CONST_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_BYTES, resolve, window};
pub(crate) use address::{number, range};
pub use global::{Allocation, Global};
pub use lane::Lane;
pub use race::{race, race_where};
pub use shared::Memory;
pub use surface::{Surfaces, drawn};
pub use touch::{Deed, Log, Touch, Use, Who};
