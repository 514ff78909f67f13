//! NVIDIA's own tools and the solvers: fetched, versioned, used when present and skipped aloud when not.
//!
//! - [`table`]: which versions of which packages, and where they go. The only place that knows.
//! - [`install`]: fetches them with pip.
//! - [`status`]: what is here, as data.
//! - [`Tools`]: finds a program; a missing one is a [`Skipped`] with its reason, never a silent pass.
//! - [`Ptxas`], [`Nvdisasm`], [`Cuobjdump`], [`Nvcc`]: one wrapper per program.
//! - [`skip`]: what a test calls when it cannot run. [`fault`]: what it says of a fault that it planted.
//!
//! None of this is needed to compile PTX; it is for comparisons.

mod cuobjdump;
pub mod fault;
mod install;
mod nvcc;
mod nvdisasm;
mod ptxas;
mod run;
mod skip;
mod status;
pub mod table;
mod tools;

pub use cuobjdump::Cuobjdump;
pub use install::{InstallError, Installed, Report, install};
pub use nvcc::Nvcc;
pub use nvdisasm::Nvdisasm;
pub use ptxas::Ptxas;
pub use run::{Output, RunError};
pub use skip::{allowed_skips, skip};
pub use status::{Status, ToolStatus, status};
pub use tools::{Skipped, Tools, workspace_root};
