//! The PTX of an entry, as what it says and as what runs.

use sassafras_execute::{Failure, Launch, Options, Outcome, ptx};
use sassafras_ptx::checked::Module;
use sassafras_symbolic::origin::Origin;

/// An entry of a module of PTX.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// What it says.
    pub origin: Origin<'a>,
    module: &'a Module,
    name: &'a str,
}

impl<'a> Source<'a> {
    /// None if the module has no such entry.
    pub fn of_module(module: &'a Module, name: &'a str) -> Option<Source<'a>> {
        Some(Source { origin: Origin::of_module(module, name)?, module, name })
    }

    /// Runs it.
    ///
    /// # Errors
    /// As the executor says.
    pub fn execute(&self, launch: &Launch, options: &Options) -> Result<Outcome, Failure> {
        ptx::run(self.module, self.name, launch, options)
    }
}
