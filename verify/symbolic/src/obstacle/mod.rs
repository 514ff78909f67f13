//! Why nothing was shown: an enum with what each kind of obstacle has as fields, the text that people see, a code that never changes, and advice.
//!
//! - [`Obstacle`]: one of the groups below, each an enum in its own module. [`Located`]: where it was met. [`page`]: how such an enum is made, and [`Advice`].
//! - [`place`]: sides, places, and what had to be shown of them.
//! - [`evaluation`] U01, [`source`] U02, [`target`] U03, [`convergence`] U04, [`uniform`] U05, [`events`] U06, [`memory`] U07, [`freedom`] U08,
//!   [`container`] U09, [`effort`] U10, [`coverage`] U11, [`replay`] U12, [`nothing`] U13.
//! - [`held`]: the obstacle behind a trap.

pub mod container;
pub mod convergence;
pub mod coverage;
pub mod effort;
pub mod evaluation;
pub mod events;
pub mod freedom;
pub mod held;
pub mod memory;
pub mod nothing;
pub mod page;
pub mod place;
pub mod replay;
pub mod source;
pub mod target;
pub mod uniform;
mod whole;

pub use page::Advice;
pub use whole::{Located, OTHER, Obstacle, all, explained};
