//! Instructions that are known by name, operands and effects alone: which opaque operation each is.

use super::lane::Lane;
use super::{Outcome, Register, Step};
use crate::meaning::Meaning as M;
use sassafras_semantics::{Domain, Opaque, State, Trap};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn opaque(mut self) -> Step<D> {
        match self.inst.row().meaning {
            // ptxas 13.0 makes one of `griddepcontrol.launch_dependents`, the other of `griddepcontrol.wait`.
            M::Preexit => self.perform("griddepcontrol.launch_dependents", &[])?,
            M::Acqbulk => self.perform("griddepcontrol.wait", &[])?,
            _ => return Err(self.unsupported("the instruction")),
        };
        Ok(Outcome::Next)
    }

    /// Asks the state for an operation by name.
    fn perform(&mut self, name: &str, arguments: &[D::V]) -> Result<Vec<D::V>, Trap> {
        let op = Opaque::named(name).ok_or_else(|| self.unsupported(name))?;
        self.state.opaque(self.d, op, arguments)
    }
}
