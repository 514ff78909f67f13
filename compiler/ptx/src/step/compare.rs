//! Comparison and selection (PTX ISA, "Comparison and Selection Instructions", "Comparisons").

use super::float::one;
use super::{Done, PtxState, Step};
use crate::checked::{BoolOp, Comparison, Op, Type};
use sassafras_semantics::{CompareOp, Domain, FloatFormat, FloatRelation};

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn compare(&mut self) -> Done<()> {
        match self.inst.op {
            Op::Setp => self.setp(),
            Op::Set => self.set_value(),
            Op::Selp => {
                let ty = self.ty();
                let (a, b, c) = (self.source(1, ty)?, self.source(2, ty)?, self.source(3, Type::Pred)?);
                self.result(&self.d.ite(&c, &a, &b))
            }
            _ => self.slct(),
        }
    }

    /// Whether the elements of a pair are compared one by one, and their format.
    fn pair_format(ty: Type) -> Option<FloatFormat> {
        match ty {
            Type::F16x2 => Some(FloatFormat::F16),
            Type::Bf16x2 => Some(FloatFormat::Bf16),
            _ => None,
        }
    }

    fn setp(&mut self) -> Done<()> {
        let (d, ty) = (self.d, self.ty());
        let (a, b) = (self.source(1, ty)?, self.source(2, ty)?);
        let (t, other) = match Self::pair_format(ty) {
            // p from the low elements, q from the high.
            Some(format) => {
                let of =
                    |low| self.comparison(Type::F(format), &d.extract(&a, low, 16), &d.extract(&b, low, 16));
                (of(0)?, of(16)?)
            }
            None => {
                let t = self.comparison(ty, &a, &b)?;
                let not = d.not(&t);
                (t, not)
            }
        };
        let (p, q) = (self.combined(&t)?, self.combined(&other)?);
        self.result(&p)?;
        self.second_result(&q)
    }

    fn set_value(&mut self) -> Done<()> {
        let d = self.d;
        let (to, from) = (self.ty(), self.second_ty());
        let (a, b) = (self.source(1, from)?, self.source(2, from)?);
        let result = match Self::pair_format(from) {
            Some(format) => {
                let each = Type::F(format);
                // Each half of the result has the element's format, or is half of an integer.
                let half = if Self::pair_format(to).is_some() { each } else { Type::U(16) };
                let mut halves = Vec::with_capacity(2);
                for low in [0, 16] {
                    let t = self.comparison(each, &d.extract(&a, low, 16), &d.extract(&b, low, 16))?;
                    let t = self.combined(&t)?;
                    halves.push(self.truth(&t, half));
                }
                d.concat(&halves[1], &halves[0])
            }
            None => {
                let t = self.comparison(from, &a, &b)?;
                let t = self.combined(&t)?;
                self.truth(&t, to)
            }
        };
        self.result(&result)
    }

    /// True as 1.0 or as all ones.
    fn truth(&self, t: &D::V, ty: Type) -> D::V {
        let ones = match ty {
            Type::F(format) => one(format),
            ty => (1 << ty.width()) - 1,
        };
        self.d.ite(t, &self.d.constant(ty.width(), ones), &self.d.constant(ty.width(), 0))
    }

    fn slct(&mut self) -> Done<()> {
        let (d, ty, by) = (self.d, self.ty(), self.second_ty());
        let (a, b, c) = (self.source(1, ty)?, self.source(2, ty)?, self.source(3, by)?);
        let first = match by {
            // A NaN selects b.
            Type::F(format) => {
                let zero = d.constant(format.width(), 0);
                d.float_relation(FloatRelation::Le, format, self.inst.mods.ftz, &zero, &c)
            }
            _ => d.not(&self.is_negative(&c)),
        };
        self.result(&d.ite(&first, &a, &b))
    }

    /// The comparison's outcome combined with operand 3, if there is one.
    fn combined(&mut self, t: &D::V) -> Done<D::V> {
        let Some(op) = self.inst.mods.bool_op else { return Ok(t.clone()) };
        let c = self.source(3, Type::Pred)?;
        match op {
            BoolOp::And => Ok(self.d.and(t, &c)),
            BoolOp::Or => Ok(self.d.or(t, &c)),
            BoolOp::Xor => Ok(self.d.xor(t, &c)),
            BoolOp::Popc => Err(self.unsupported()),
        }
    }

    fn comparison(&self, ty: Type, a: &D::V, b: &D::V) -> Done<D::V> {
        let comparison = self.inst.mods.compare.ok_or_else(|| self.unsupported())?;
        match ty {
            Type::F(format) => Ok(self.float_comparison(comparison, format, a, b)),
            _ => self.integer_comparison(comparison, ty.signed(), a, b),
        }
    }

    fn integer_comparison(&self, comparison: Comparison, signed: bool, a: &D::V, b: &D::V) -> Done<D::V> {
        let d = self.d;
        let (lt, le) =
            if signed { (CompareOp::SLt, CompareOp::SLe) } else { (CompareOp::ULt, CompareOp::ULe) };
        Ok(match comparison {
            Comparison::Eq => d.eq(a, b),
            Comparison::Ne => d.not(&d.eq(a, b)),
            Comparison::Lt => d.compare(lt, a, b),
            Comparison::Le => d.compare(le, a, b),
            Comparison::Gt => d.compare(lt, b, a),
            Comparison::Ge => d.compare(le, b, a),
            Comparison::Lo => d.compare(CompareOp::ULt, a, b),
            Comparison::Ls => d.compare(CompareOp::ULe, a, b),
            Comparison::Hi => d.compare(CompareOp::ULt, b, a),
            Comparison::Hs => d.compare(CompareOp::ULe, b, a),
            _ => return Err(self.unsupported()),
        })
    }

    fn float_comparison(&self, comparison: Comparison, format: FloatFormat, a: &D::V, b: &D::V) -> D::V {
        let d = self.d;
        let of = |relation, a: &D::V, b: &D::V| d.float_relation(relation, format, self.inst.mods.ftz, a, b);
        let (eq, lt, le) = (FloatRelation::Eq, FloatRelation::Lt, FloatRelation::Le);
        let unordered = || of(FloatRelation::Unordered, a, b);
        match comparison {
            Comparison::Eq => of(eq, a, b),
            // Ordered: false if either is NaN.
            Comparison::Ne => d.not(&d.or(&of(eq, a, b), &unordered())),
            Comparison::Lt | Comparison::Lo => of(lt, a, b),
            Comparison::Le | Comparison::Ls => of(le, a, b),
            Comparison::Gt | Comparison::Hi => of(lt, b, a),
            Comparison::Ge | Comparison::Hs => of(le, b, a),
            Comparison::Equ => d.or(&of(eq, a, b), &unordered()),
            Comparison::Neu => d.not(&of(eq, a, b)),
            Comparison::Ltu => d.not(&of(le, b, a)),
            Comparison::Leu => d.not(&of(lt, b, a)),
            Comparison::Gtu => d.not(&of(le, a, b)),
            Comparison::Geu => d.not(&of(lt, a, b)),
            Comparison::Num => d.not(&unordered()),
            Comparison::Nan => unordered(),
        }
    }
}
