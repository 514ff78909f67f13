//! A source on concrete values.

use sassafras_execute::{Failure, Launch, Options, Outcome, ptx, sass};
use sassafras_symbolic::origin::Origin;

/// Runs a source in the executor of its form.
///
/// # Errors
/// As the executors say.
pub fn execute(origin: Origin<'_>, launch: &Launch, options: &Options) -> Result<Outcome, Failure> {
    match origin {
        Origin::Ptx { module, function } => ptx::run(module, &function.name, launch, options),
        Origin::Code { cubin, code } => sass::run(cubin, &code.name, launch, options),
    }
}
