//! Moving data: `mov`, `prmt`, and address conversions (PTX ISA, "Data Movement and Conversion Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{Op, Operand, Type};
use sassafras_semantics::{BinaryOp, CompareOp, Domain, Space};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn data(&mut self) -> Done<()> {
        let ty = self.ty();
        match self.inst.op {
            Op::Mov => {
                let value = self.source(1, ty)?;
                self.result(&value)
            }
            Op::Prmt => self.prmt(),
            Op::Cvta => {
                let space = self.inst.mods.space.unwrap_or(Space::Generic);
                let a = self.source(1, ty)?;
                let a = self.resize(&a, 64);
                let address = if self.inst.mods.to {
                    self.state.cvta_to(self.d, space, &a)?
                } else {
                    self.state.cvta(self.d, space, &a)?
                };
                let address = self.resize(&address, ty.width());
                self.result(&address)
            }
            Op::Isspacep => {
                let space = self.inst.mods.space.ok_or_else(|| self.unsupported())?;
                let a = self.source(1, Type::U(64))?;
                let cluster = self.inst.mods.hints.contains(&"shared::cluster");
                let inside = if cluster {
                    let op = sassafras_semantics::Opaque::named("inclusterspace");
                    let op = op.ok_or_else(|| self.unsupported())?;
                    self.state.opaque(self.d, op, &[a])?.swap_remove(0)
                } else {
                    self.state.is_space(self.d, space, &a)?
                };
                self.result(&inside)
            }
            // The rank is the top byte of an address in the window of the cluster's shared memory, whose own upper half is the same everywhere.
            Op::Mapa | Op::Getctarank => {
                let (d, ty) = (self.d, self.ty());
                let address = self.cluster_address(ty)?;
                if self.inst.op == Op::Getctarank {
                    let rank = d.zext(&d.extract(&address, 24, 8), 32);
                    return self.result(&rank);
                }
                let rank = self.source(2, Type::B(32))?;
                let low = d.concat(&d.extract(&rank, 0, 8), &d.extract(&address, 0, 24));
                let mapped =
                    if ty.width() == 64 { d.concat(&d.extract(&address, 32, 32), &low) } else { low };
                self.result(&mapped)
            }
            _ => Err(self.unsupported()),
        }
    }

    /// Operand 1 as an address: that of a variable is generic unless the instruction names the window.
    fn cluster_address(&mut self, ty: Type) -> Done<D::V> {
        let value = self.source(1, ty)?;
        let symbol = matches!(self.operand(1)?, Operand::Symbol(..));
        if symbol && !self.inst.mods.words.contains(&"shared::cluster") {
            return self.state.cvta(self.d, sassafras_semantics::Space::Shared, &value);
        }
        Ok(value)
    }

    fn prmt(&mut self) -> Done<()> {
        let d = self.d;
        let word = Type::B(32);
        let (a, b, c) = (self.source(1, word)?, self.source(2, word)?, self.source(3, word)?);
        let both = d.concat(&b, &a);
        let mut result: Option<D::V> = None;
        for place in 0..4u32 {
            let byte = match self.inst.mods.mode {
                None => {
                    let selector = d.extract(&c, 4 * place, 4);
                    let byte = self.byte(&both, &d.extract(&selector, 0, 3));
                    // The selector's top bit replicates the byte's sign.
                    let sign = d.sext(&d.extract(&byte, 7, 1), 8);
                    d.ite(&d.extract(&selector, 3, 1), &sign, &byte)
                }
                Some(mode) => {
                    let table = selectors(mode).ok_or_else(|| self.unsupported())?;
                    let row = d.extract(&c, 0, 2);
                    let mut chosen = d.constant(3, table[0][place as usize].into());
                    for (i, bytes) in table.iter().enumerate().skip(1) {
                        let here = d.compare(CompareOp::Eq, &row, &d.constant(2, i as u128));
                        chosen = d.ite(&here, &d.constant(3, bytes[place as usize].into()), &chosen);
                    }
                    self.byte(&both, &chosen)
                }
            };
            result = Some(match result {
                None => byte,
                Some(low) => d.concat(&byte, &low),
            });
        }
        let result = result.ok_or_else(|| self.unsupported())?;
        self.result(&result)
    }

    /// Byte number `which` (3 bits) of 64 bits.
    fn byte(&self, both: &D::V, which: &D::V) -> D::V {
        let d = self.d;
        let shift = d.concat(which, &d.constant(3, 0));
        d.extract(&d.binary(BinaryOp::LShr, both, &d.zext(&shift, 64)), 0, 8)
    }
}

/// The bytes, lowest first, that each mode of `prmt` takes for selector values 0 to 3.
fn selectors(mode: &str) -> Option<[[u8; 4]; 4]> {
    Some(match mode {
        "f4e" => [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
        "b4e" => [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
        "rc8" => [[0; 4], [1; 4], [2; 4], [3; 4]],
        "ecl" => [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
        "ecr" => [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
        "rc16" => [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
        _ => return None,
    })
}
