//! Instructions that the IR carries as opaque operations: which one each is, and its operands.

use crate::context::{Context, Result};
use sassafras_ir::Op;
use sassafras_ptx::checked::{Inst, Op as P};
use sassafras_semantics::Opaque;

/// The operation of a name; one without a row is not supported.
pub(crate) fn named(name: &str) -> Result<Opaque> {
    Opaque::named(name).ok_or_else(|| format!("`{name}` is not supported"))
}

impl Context<'_, '_> {
    pub(crate) fn opaque(&mut self, inst: &Inst) -> Result<()> {
        match inst.op {
            P::Griddepcontrol => {
                let op = named(&format!("griddepcontrol.{}", inst.mods.mode.unwrap_or_default()))?;
                self.effect(Op::Opaque(op), &[]);
                Ok(())
            }
            _ => Err("this instruction is not supported".into()),
        }
    }
}
