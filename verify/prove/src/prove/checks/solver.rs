//! Whether what a solver says of the assumptions bears a proof.

use crate::prove::comparison::{Comparison, Stop};
use crate::reason::Reason;
use sassafras_solve::solver::Answer;

/// There is a solver.
pub fn present(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.task.solver.present() { Ok(()) } else { Err("no solver".into()) }
}

/// Before anything is said about an input, it has to exist.
pub fn satisfiable(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.evaluated.reached.is_ok() {
        return Ok(());
    }
    match c.task.solver.check(&c.inputs.script(&c.run.assumptions)) {
        Answer::Sat(_) => Ok(()),
        Answer::Unsat => Err(Reason::vacuous().into()),
        Answer::Unknown(why) => Err(format!("the assumptions: {why}").into()),
    }
}

/// A solver that calls everything impossible is of no use.
pub fn consistent(c: &mut Comparison<'_, '_, '_>) -> Result<(), Stop> {
    if c.task.record.obligations.by_solver == 0 {
        return Ok(());
    }
    match c.task.solver.check_last(&c.inputs.script(&c.run.assumptions)) {
        Answer::Sat(_) => Ok(()),
        Answer::Unsat => Err("vacuous: to the solver the assumptions contradict each other".into()),
        Answer::Unknown(why) => Err(format!("the assumptions: {why}").into()),
    }
}
