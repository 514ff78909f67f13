//! What the corpus computes: launch descriptions, seeded inputs, and CPU references written from the CUDA sources.
//!
//! - [`corpus`]: finds the kernels and features on disk.
//! - [`spec`]: the TOML launch description, as `corpus/README.md` documents it.
//! - [`launch`]: one concrete launch: shape, seed, parameters with their bytes.
//! - [`inputs`]: the exact generator of random inputs (splitmix64).
//! - [`data`]: typed buffers and their bytes.
//! - [`known`]: inputs that must be refused, and programs that some ptxas compiles wrongly.
//! - [`traces`]: what NVIDIA's tools made of the corpus, as recorded.
//! - [`compare`]: exact, within N units in the last place, or unordered.
//! - [`reference`](fn@reference): the CPU reference of a kernel.
//!
//! The crate depends on no other room, so that executors, command line and GPU runner can all use it.

pub mod compare;
pub mod corpus;
pub mod data;
mod expr;
pub mod inputs;
mod kernels;
pub mod known;
pub mod launch;
pub mod spec;
pub mod traces;

pub use compare::{Compare, Mismatch};
pub use corpus::{Kernel, feature_spec, features, kernels, workspace_root};
pub use data::{Data, Type};
pub use launch::{Buffer, Launch, Param, Scalar};
pub use spec::{Spec, SpecError};

/// The buffers a kernel leaves behind: for every output parameter its index among the parameters and its contents.
pub type Outputs = Vec<(usize, Data)>;

/// Runs the CPU reference of kernel `name` on `launch`, and gives what each output buffer must hold.
///
/// `None` when no reference of that name is written. The references follow the CUDA source statement by statement:
/// f32 and f64 round to nearest after every operation and nothing is contracted (as `nvcc -fmad=false` compiles it);
/// approximate functions are computed in f64 and rounded once.
pub fn reference(name: &str, launch: &Launch) -> Option<Outputs> {
    kernels::run(name, launch)
}
