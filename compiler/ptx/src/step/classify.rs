//! `copysign` and `testp`: signs and classes of floats.

use super::float::infinity;
use super::{Done, PtxState, Step};
use crate::checked::{Op, Type};
use sassafras_semantics::{CompareOp, Domain};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn classify(&mut self) -> Done<()> {
        let (d, ty) = (self.d, self.ty());
        let Type::F(format) = ty else { return Err(self.unsupported()) };
        let width = format.width();
        let sign = d.constant(width, 1 << (width - 1));
        let a = self.source(1, ty)?;
        let result = if self.inst.op == Op::Copysign {
            // The sign of a on the magnitude of b.
            let b = self.source(2, ty)?;
            d.or(&d.and(&a, &sign), &d.and(&b, &d.not(&sign)))
        } else {
            let magnitude = d.and(&a, &d.not(&sign));
            let inf = d.constant(width, infinity(format));
            let least_normal = d.constant(width, infinity(format) & infinity(format).wrapping_neg());
            let zero = d.eq(&magnitude, &d.constant(width, 0));
            let finite = d.compare(CompareOp::ULt, &magnitude, &inf);
            let tiny = d.compare(CompareOp::ULt, &magnitude, &least_normal);
            match self.inst.mods.mode {
                Some("finite") => finite,
                Some("infinite") => d.eq(&magnitude, &inf),
                Some("number") => d.compare(CompareOp::ULe, &magnitude, &inf),
                Some("notanumber") => d.compare(CompareOp::ULt, &inf, &magnitude),
                // Zeros count as normal.
                Some("normal") => d.and(&finite, &d.or(&zero, &d.not(&tiny))),
                Some("subnormal") => d.and(&tiny, &d.not(&zero)),
                _ => return Err(self.unsupported()),
            }
        };
        self.result(&result)
    }
}
