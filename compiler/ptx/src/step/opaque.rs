//! Instructions that are known by name, operands and effects alone: which opaque operation each is.

use super::{Done, PtxState, Step};
use crate::checked::Op;
use sassafras_semantics::{Domain, Opaque};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn opaque(&mut self) -> Done<()> {
        match self.inst.op {
            // PTX ISA, "griddepcontrol".
            Op::Griddepcontrol => {
                let mode = self.inst.mods.mode.unwrap_or_default();
                self.perform(&format!("griddepcontrol.{mode}"), &[])?;
                Ok(())
            }
            _ => Err(self.unsupported()),
        }
    }

    /// Asks the state for an operation by name.
    fn perform(&mut self, name: &str, arguments: &[D::V]) -> Done<Vec<D::V>> {
        let op = Opaque::named(name).ok_or_else(|| self.unsupported())?;
        self.state.opaque(self.d, op, arguments)
    }
}
