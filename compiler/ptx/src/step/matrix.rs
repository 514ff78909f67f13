//! Matrices of a warp (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").

use super::{Done, Outcome, PtxState, Step};
use crate::checked::{Op, Operand, RegisterId, Type};
use sassafras_semantics::{Collective, Domain, Opaque, Space};
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

    /// `mma.sp`, as an opaque operation: the figures that say where metadata lie are no text.
    pub(super) fn sparse_product(&mut self) -> Done<()> {
        let words = &self.inst.mods.words;
        let shape = words.iter().find(|w| w.starts_with("m16")).ok_or_else(|| self.unsupported())?;
        let [d, a, b, _] = self.inst.types[..] else { return Err(self.unsupported()) };
        let Operand::Immediate(selector) = self.operand(5)? else { return Err(self.unsupported()) };
        let sat = if self.says("satfinite") { ".sat" } else { "" };
        let name = format!("sparse.{shape}.{}.{}.{}{sat}.s{selector}", d.name(), a.name(), b.name());
        let op = Opaque::named(&name).ok_or_else(|| self.unsupported())?;
        let mut arguments = Vec::new();
        for operand in 1..=3 {
            let width = 32 * self.items(operand)?.len() as u32;
            let operand = self.operand(operand)?;
            arguments.push(self.value(operand, width)?);
        }
        arguments.push(self.source(4, Type::B(32))?);
        let results = self.state.opaque(self.d, op, &arguments)?;
        let to = self.operand(0)?;
        results.iter().try_for_each(|result| self.result_to(to, result, false))
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
