//! Matrices of a warp (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").

use super::{Done, Outcome, PtxState, Step};
use crate::checked::{Op, Operand, RegisterId, Type};
use sassafras_semantics::{Collective, Domain, Space};
use smallvec::SmallVec;

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    pub(super) fn matrix(&mut self) -> Done<Outcome<'a, D::V>> {
        let mut arguments: SmallVec<[D::V; 4]> = SmallVec::new();
        let mut results = SmallVec::new();
        let op = match self.inst.op {
            Op::Mma => {
                let mma = self.inst.mma().ok_or_else(|| self.unsupported())?;
                results = self.registers(0)?;
                for (operand, element) in [(1, mma.a), (2, mma.b), (3, mma.c)] {
                    self.values(operand, element.register(), &mut arguments)?;
                }
                Collective::Mma(mma)
            }
            Op::Ldmatrix => {
                arguments.push(self.row_address(1)?);
                results = self.registers(0)?;
                Collective::MatrixLoad(self.inst.matrices())
            }
            Op::Stmatrix => {
                arguments.push(self.row_address(0)?);
                self.values(1, 32, &mut arguments)?;
                Collective::MatrixStore(self.inst.matrices())
            }
            _ => {
                arguments.push(self.source(1, Type::B(32))?);
                results.push(self.one(self.operand(0)?)?);
                Collective::MatrixTranspose
            }
        };
        Ok(Outcome::Collective { op, arguments, results })
    }

    /// The address of a row, as an offset in shared memory of 32 bits.
    fn row_address(&mut self, operand: usize) -> Done<D::V> {
        let address = self.address(operand)?;
        let address = match self.inst.mods.space {
            Some(_) => address,
            None => self.state.cvta_to(self.d, Space::Shared, &address)?,
        };
        Ok(self.resize(&address, 32))
    }

    fn items(&self, operand: usize) -> Done<SmallVec<[&'a Operand; 4]>> {
        Ok(match self.operand(operand)? {
            Operand::Vector(items) => items.iter().map(|i| &**i).collect(),
            one => SmallVec::from_slice(&[one]),
        })
    }

    /// The registers of an operand, of `width` bits each.
    fn values(&mut self, operand: usize, width: u32, to: &mut SmallVec<[D::V; 4]>) -> Done<()> {
        for item in self.items(operand)? {
            to.push(self.value(item, width)?);
        }
        Ok(())
    }

    fn registers(&self, operand: usize) -> Done<SmallVec<[Option<RegisterId>; 2]>> {
        self.items(operand)?.into_iter().map(|item| self.one(item)).collect()
    }

    fn one(&self, operand: &Operand) -> Done<Option<RegisterId>> {
        match operand {
            Operand::Register(r) => Ok(Some(*r)),
            Operand::Sink => Ok(None),
            _ => Err(self.unsupported()),
        }
    }
}
