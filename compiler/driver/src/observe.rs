//! Who looks at each stage.

use sassafras_cubin::Cubin;
use sassafras_ir as ir;
use sassafras_machine as machine;
use sassafras_ptx as ptx;

use crate::phase::Stage;

/// What a stage was given or made.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// A PTX module.
    Ptx(&'a ptx::checked::Module),
    /// An IR module.
    Ir(&'a ir::Module),
    /// A function of machine code.
    Machine(&'a machine::Function),
    /// A function's words, 16 bytes each, padding included, and the routines that stand behind it, by number.
    Words(&'a machine::Function, &'a [(u8, machine::Function)], &'a [u128]),
    /// A cubin, and the file that it becomes.
    Cubin(&'a Cubin, &'a [u8]),
}

/// What a stage says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The function it worked on, if it works on one at a time.
    pub function: Option<String>,
    /// Its statistics: name and number.
    pub numbers: Vec<(&'static str, u64)>,
    /// What it merged, if it folds branches.
    pub merges: Vec<machine::Merge>,
    /// The fault that was planted behind it, if any.
    pub planted: Option<String>,
}

/// A judge's objection to what a stage made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{judge} objects to {stage}{}: {message}", function.as_ref().map(|f| format!(" of `{f}`")).unwrap_or_default())]
pub struct Objection {
    /// Who objects.
    pub judge: String,
    /// To which stage.
    pub stage: Stage,
    /// About which function.
    pub function: Option<String>,
    /// Why; may be several lines.
    pub message: String,
}

/// Looks at each stage; several functions may be looked at at once.
pub trait Observer: Sync {
    /// Whether the form before this stage must be kept for [`Observer::observe`].
    fn wants_before(&self, stage: Stage) -> bool {
        let _ = stage;
        false
    }

    /// Called after each pass of the optimiser that changed a function; `before` is there when
    /// [`Observer::wants_before`] says so of [`Stage::Optimise`].
    ///
    /// # Errors
    /// An objection stops the compilation.
    fn observe_pass(
        &self,
        pass: &'static str,
        before: Option<&ir::Function>,
        after: &ir::Function,
    ) -> Result<(), Objection> {
        let _ = (pass, before, after);
        Ok(())
    }

    /// Called after each stage.
    ///
    /// # Errors
    /// An objection stops the compilation.
    fn observe(
        &self,
        stage: Stage,
        before: Option<Form<'_>>,
        after: Form<'_>,
        notes: &Notes,
    ) -> Result<(), Objection>;
}

/// Looks at nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn observe(&self, _: Stage, _: Option<Form<'_>>, _: Form<'_>, _: &Notes) -> Result<(), Objection> {
        Ok(())
    }
}
