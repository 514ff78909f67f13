//! What is equal becomes one term: the normal form, exact numbers, and signatures by values. The checker of witnesses is built without it.
//!
//! - [`mod@normal`]: the normal form, each of its rewrites a row with a proof.
//! - [`integer`]: words as sums of products and floors, without wrapping.
//! - [`signature`]: values of terms on many inputs.

pub mod integer;
pub mod normal;
pub mod signature;

pub use normal::Normal;
