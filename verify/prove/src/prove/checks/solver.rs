//! Whether what a solver says of the assumptions bears a proof.

use crate::prove::comparison::{Comparison, Stop};
use sassafras_solve::solver::Answer;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::evaluation::Evaluation;

/// There is a solver.
pub fn present(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.task.solver.present() { Ok(()) } else { Err(Effort::NoSolver {}.into()) }
}

/// Before anything is said about an input, it has to exist.
pub fn satisfiable(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.evaluated.reached.is_ok() {
        return Ok(());
    }
    match c.task.solver.check(&c.inputs.script(&c.run.assumptions)) {
        Answer::Sat(_) => Ok(()),
        Answer::Unsat => Err(Evaluation::Vacuous {}.into()),
        Answer::Unknown(why) => Err(Effort::Assumptions { said: why.into() }.into()),
    }
}

/// A solver that calls everything impossible is of no use.
pub fn consistent(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.task.record.obligations.by_solver == 0 {
        return Ok(());
    }
    match c.task.solver.check_last(&c.inputs.script(&c.run.assumptions)) {
        Answer::Sat(_) => Ok(()),
        Answer::Unsat => Err(Evaluation::VacuousAtLast {}.into()),
        Answer::Unknown(why) => Err(Effort::Assumptions { said: why.into() }.into()),
    }
}
