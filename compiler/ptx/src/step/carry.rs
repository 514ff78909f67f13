//! Extended precision: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc` (PTX ISA, "Extended-Precision Integer
//! Arithmetic Instructions").
//!
//! CC.CF holds the carry-out of additions, and of subtractions the carry-out of `a + !b + 1`: it is 0 where the PTX ISA speaks of a
//! borrow. The text does not say what an `addc` behind a `sub.cc` reads. ptxas 13.0.88 and 13.5.37 add the complement's carry
//! (`corpus/features/carry_mixed.ptx`), and the 128-bit division that nvcc puts into programs is right only so.

use super::{Done, PtxState, Step};
use crate::checked::{Op, Part, RegisterId};
use sassafras_semantics::Domain;

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn carry(&mut self) -> Done<()> {
        let (d, ty, mods) = (self.d, self.ty(), &self.inst.mods);
        let width = ty.width();
        let (with_carry, subtract) = match self.inst.op {
            Op::Add | Op::Mad => (false, false),
            Op::Addc | Op::Madc => (true, false),
            Op::Sub => (false, true),
            Op::Subc => (true, true),
            _ => return Err(self.unsupported()),
        };
        let (a, b) = match self.inst.op {
            Op::Mad | Op::Madc => {
                let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
                let part = mods.part.unwrap_or(Part::Lo);
                if part == Part::Wide {
                    return Err(self.unsupported());
                }
                (self.product(&a, &b, ty.signed(), part), self.source(3, ty)?)
            }
            _ => (self.source(1, ty)?, self.source(2, ty)?),
        };
        // One bit more than the operands: the top bit of the sum is the carry, that of the difference the borrow.
        let wide = width + 1;
        let mut b = d.zext(&b, wide);
        if with_carry {
            let mut flag = self.state.read(d, RegisterId::CARRY)?;
            if subtract {
                flag = d.not(&flag);
            }
            b = d.add(&b, &d.zext(&flag, wide));
        }
        let a = d.zext(&a, wide);
        let exact = if subtract { d.sub(&a, &b) } else { d.add(&a, &b) };
        let result = d.extract(&exact, 0, width);
        if mods.carry_out {
            let mut flag = d.extract(&exact, width, 1);
            if subtract {
                flag = d.not(&flag);
            }
            self.state.write(d, RegisterId::CARRY, flag);
        }
        self.result(&result)
    }
}
