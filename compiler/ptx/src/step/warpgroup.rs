//! `wgmma`: products of a warpgroup, by name.
//!
//! Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". The products themselves are opaque operations, whose results stand in the
//! registers at once: what reads them before the wait is undefined there, so any value refines it.

use super::{Done, PtxState, Step};
use crate::checked::{Operand, Type};
use crate::table::columns;
use sassafras_semantics::opaque::product_flags;
use sassafras_semantics::{Domain, Opaque};

const WORD: Type = Type::B(32);

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn warpgroup(&mut self) -> Done<()> {
        let d = self.d;
        let (name, arguments) = match self.inst.mods.words.first().copied().unwrap_or_default() {
            // It orders what lanes do to registers with what products do to them, which here is in order.
            "fence" => return Ok(()),
            "commit_group" => ("wgmma.commit", Vec::new()),
            // No more groups than seven are told apart.
            "wait_group" => match self.operand(0)? {
                Operand::Immediate(n) => ("wgmma.wait", vec![d.constant(32, u128::from((*n).min(7)))]),
                _ => return Err(self.unsupported()),
            },
            _ => return self.warpgroup_product(),
        };
        let op = Opaque::named(name).ok_or_else(|| self.unsupported())?;
        self.state.opaque(d, op, &arguments)?;
        Ok(())
    }

    fn constant_at(&self, index: usize) -> Done<u64> {
        match self.operand(index)? {
            Operand::Immediate(bits) => Ok(*bits),
            _ => Err(self.unsupported()),
        }
    }

    /// `wgmma.mma_async`: accumulators, descriptors or registers of A, the descriptor of B, metadata and its selector where sparse, the predicate
    /// that keeps the accumulators, signs, transposes.
    fn warpgroup_product(&mut self) -> Done<()> {
        let d = self.d;
        let words = self.inst.mods.words.clone();
        let sparse = words.contains(&"sp");
        let (Operand::Vector(sums), Some(n)) = (self.operand(0)?, columns(&words)) else {
            return Err(self.unsupported());
        };
        let mut name = "wgmma".to_owned();
        let registers = matches!(self.operand(1)?, Operand::Vector(_));
        name += if registers { ".rs" } else { ".ss" };
        name += if sparse { ".sp" } else { "" };
        name += &format!(".n{n}");
        self.inst.types.iter().for_each(|ty| name += &format!(".{}", ty.name()));
        let op = Opaque::named(&name).ok_or_else(|| self.unsupported())?;

        let keeps = self.source(if sparse { 5 } else { 3 }, Type::Pred)?;
        let none = d.constant(32, 0);
        let mut arguments = Vec::with_capacity(sums.len() + 9);
        for sum in sums {
            let old = self.value(sum, 32)?;
            arguments.push(d.ite(&keeps, &old, &none));
        }
        match self.operand(1)? {
            Operand::Vector(parts) => {
                for part in parts {
                    arguments.push(self.value(part, 32)?);
                }
            }
            _ => arguments.push(self.source(1, Type::B(64))?),
        }
        arguments.push(self.source(2, Type::B(64))?);
        arguments.push(keeps);
        let mut next = 4;
        let mut selector = 0;
        if sparse {
            arguments.push(self.source(3, WORD)?);
            selector = self.constant_at(4)?;
            next = 6;
        }
        let mut rest = Vec::new();
        for index in next..self.operands() {
            rest.push(self.constant_at(index)?);
        }
        let flags = product_flags(&rest, registers, words.contains(&"satfinite"), selector);
        let flags = flags.ok_or_else(|| self.unsupported())?;
        arguments.push(d.constant(32, flags.into()));
        let results = self.state.opaque(d, op, &arguments)?;
        for (sum, result) in sums.iter().zip(&results) {
            self.result_to(sum, result, false)?;
        }
        Ok(())
    }
}
