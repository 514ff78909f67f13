//! From selectable IR to words, one function at a time, all of them at once.

use rayon::prelude::*;
use sassafras_codegen::select;
use sassafras_ir as ir;
use sassafras_machine as machine;

use super::{Session, text};
use crate::Failure;
use crate::assemble::Code;
use crate::limits::Bounds;
use crate::observe::{Form, Notes};
use crate::phase::Stage;
use crate::statistics::Entry;

/// What became of one function.
pub(super) struct Finished {
    pub(super) code: Code,
    pub(super) entry: Entry,
    /// Its text, when the session stops at one of these phases.
    pub(super) text: Option<String>,
}

/// Statistics of a stage, as names and numbers.
type Numbers = Vec<(&'static str, u64)>;

impl Session<'_> {
    /// Compiles every function that is wanted; the result stands in the module's order.
    pub(super) fn functions(
        &self,
        module: &ir::Module,
        layout: &select::Layout,
        bounds: &[Bounds],
        wanted: &(dyn Fn(&ir::Function) -> bool + Sync),
    ) -> Result<Vec<Option<Finished>>, Failure> {
        let work = |(index, f): (usize, &ir::Function)| {
            wanted(f).then(|| self.function(module, f, index, layout, &bounds[index])).transpose()
        };
        let results: Vec<Result<Option<Finished>, Failure>> =
            module.functions.par_iter().enumerate().map(work).collect();
        // Of several failures the first function's is told, whichever came first.
        results.into_iter().collect()
    }

    fn function(
        &self,
        module: &ir::Module,
        f: &ir::Function,
        index: usize,
        layout: &select::Layout,
        bounds: &Bounds,
    ) -> Result<Finished, Failure> {
        let mut entry = Entry { name: f.name.clone(), ..Entry::default() };
        let chip = self.chip();
        let mut m =
            Self::timed(&mut entry, || select::select(module, f, layout, chip)).map_err(|e| match &e {
                select::Error::NoRule { .. } => Failure::Unsupported {
                    stage: Stage::Select,
                    function: Some(f.name.clone()),
                    what: e.to_string(),
                },
                select::Error::Rule { .. } => Failure::Internal {
                    stage: Stage::Select,
                    function: Some(f.name.clone()),
                    what: e.to_string(),
                },
            })?;
        let reserved = chip.limits().reserved_registers;
        m.max_registers = bounds.registers.saturating_sub(reserved).min(m.max_registers);
        self.machine_done(Stage::Select, index, None, &m, Vec::new())?;
        let stopped =
            |stage| (self.stop_after == Some(stage)).then(|| Some(text::form(Form::Machine(&m), stage)));
        if let Some(text) = stopped(Stage::Select) {
            return Ok(Finished { code: Code::default(), entry, text });
        }
        let what = "everything behind selection".to_owned();
        Err(Failure::Unsupported { stage: Stage::Prepare, function: Some(m.name.clone()), what })
    }

    fn machine_done(
        &self,
        stage: Stage,
        index: usize,
        before: Option<&machine::Function>,
        m: &machine::Function,
        numbers: Numbers,
    ) -> Result<(), Failure> {
        let notes = Notes { function: Some(m.name.clone()), numbers, planted: None };
        self.done(stage, index, before.map(Form::Machine), Form::Machine(m), notes)
    }
}
