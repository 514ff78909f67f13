//! Truth tables, shifts, bit counting, bytes, selection.
//!
//! Source: PTX `lop3`, `shf`, `prmt`, `bfind`, `bmsk`, `szext` through ptxas, one instruction each; Mesa's NAK (MIT).

use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, State, Trap, UnaryOp};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// A truth table over three values of one width: bit `4a + 2b + c` of the table.
    pub(super) fn table(&self, table: u64, a: &D::V, b: &D::V, c: &D::V) -> D::V {
        let width = self.d.width(a);
        let ones = self.d.constant(width, u128::MAX);
        let mut result = self.d.constant(width, 0);
        if table & 0xff == 0xff {
            return ones;
        }
        for row in 0..8 {
            if table >> row & 1 != 0 {
                let literal =
                    |v: &D::V, bit: u32| if row >> bit & 1 != 0 { v.clone() } else { self.d.not(v) };
                let term = self.d.and(&self.d.and(&literal(a, 2), &literal(b, 1)), &literal(c, 0));
                result = self.d.or(&result, &term);
            }
        }
        result
    }

    pub(super) fn lop3(mut self) -> Step<D> {
        let (a, b, c) = (self.logic32("a")?, self.logic32("b")?, self.logic32("c")?);
        let lut = self.raw("lut");
        let result = self.table(lut, &a, &b, &c);
        let some = self.d.not(&self.d.eq(&result, &self.constant(32, 0)));
        let both = self.flag("pand");
        let q = self.pred_or("q", false)?;
        let p = if both { self.d.and(&some, &q) } else { self.d.or(&some, &q) };
        self.set("d", &result);
        self.set("p", &p);
        self.next()
    }

    /// Each input is a predicate or the sign of a register, in the order of the text.
    pub(super) fn plop3(mut self) -> Step<D> {
        let mut inputs = Vec::with_capacity(3);
        for (predicate, register) in [("q0", "a"), ("q1", "b"), ("q2", "c")] {
            inputs.push(if self.has(register) {
                let v = self.bits32(register)?;
                self.d.extract(&v, 31, 1)
            } else {
                self.pred(predicate)?
            });
        }
        let [a, b, c] = &inputs[..] else { return Err(self.unsupported("a truth table of three inputs")) };
        let (first, second) = (self.raw("lut"), self.raw("lut2"));
        let (p, p2) = (self.table(first, a, b, c), self.table(second, a, b, c));
        self.set("d", &p);
        self.set("d2", &p2);
        self.next()
    }

    /// Funnel shift of `c:a`: the count is clamped to the width, or taken modulo it with `.W`.
    pub(super) fn shf(mut self) -> Step<D> {
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let right = self.text("dir") == ".R";
        let (wrap, high) = (self.flag("w"), self.flag("hi"));
        let (wide, signed) = match self.text("ty") {
            ".U32" => (false, false),
            ".S32" => (false, true),
            ".U64" => (true, false),
            ".S64" => (true, true),
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        let width = if wide { 64 } else { 32 };
        let count = if wrap {
            self.d.and(&b, &self.constant(32, width - 1))
        } else {
            let limit = self.constant(32, width);
            let over = self.d.compare(CompareOp::ULt, &limit, &b);
            self.d.ite(&over, &limit, &b)
        };
        let count = self.d.zext(&count, 64);
        let both = self.d.concat(&c, &a);
        let op = match (right, signed) {
            (false, _) => BinaryOp::Shl,
            (true, false) => BinaryOp::LShr,
            (true, true) => BinaryOp::AShr,
        };
        let shifted = self.d.binary(op, &both, &count);
        self.set("d", &self.d.extract(&shifted, if high { 32 } else { 0 }, 32));
        self.next()
    }

    pub(super) fn unary_bits(mut self, op: UnaryOp) -> Step<D> {
        let b = self.logic32("b")?;
        self.set("d", &self.d.unary(op, &b));
        self.next()
    }

    /// Position of the highest one (of the highest bit that differs from the sign), or its distance from bit 31 with
    /// `.SH`; all ones if there is none.
    pub(super) fn flo(mut self) -> Step<D> {
        let b = self.logic32("b")?;
        let signed = self.text("sg") != ".U32";
        let distance = self.flag("sh");
        let negative = self.d.extract(&b, 31, 1);
        let v = if signed { self.d.ite(&negative, &self.d.not(&b), &b) } else { b };
        let zeros = self.d.unary(UnaryOp::LeadingZeros, &v);
        let found = if distance { zeros.clone() } else { self.d.sub(&self.constant(32, 31), &zeros) };
        let none = self.d.eq(&zeros, &self.constant(32, 32));
        self.set("d", &self.d.ite(&none, &self.constant(32, 0xffff_ffff), &found));
        self.set("p", &self.d.not(&none));
        self.next()
    }

    /// Picks bytes of `c:a` by the nibbles of the selector, as PTX `prmt` with its modes.
    pub(super) fn prmt(mut self) -> Step<D> {
        let (a, selector, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let all = self.d.concat(&c, &a);
        let mode = self.text("mode");
        let low = self.d.extract(&selector, 0, 2);
        let mut result: Option<D::V> = None;
        for i in 0..4u64 {
            let byte = if mode.is_empty() || mode == ".IDX" {
                let nibble = self.d.extract(&selector, 4 * i as u32, 4);
                let byte = self.byte(&all, &self.d.extract(&nibble, 0, 3));
                let sign = self.d.sext(&self.d.extract(&byte, 7, 1), 8);
                self.d.ite(&self.d.extract(&nibble, 3, 1), &sign, &byte)
            } else {
                // The four results of the mode, one per value of the selector's low two bits.
                let mut byte =
                    self.byte_at(&all, prmt_index(mode, 0, i).ok_or_else(|| self.unsupported(mode))?);
                for s in 1..4 {
                    let index = prmt_index(mode, s, i).ok_or_else(|| self.unsupported(mode))?;
                    let here = self.d.eq(&low, &self.constant(2, s));
                    byte = self.d.ite(&here, &self.byte_at(&all, index), &byte);
                }
                byte
            };
            result = Some(match result {
                None => byte,
                Some(lower) => self.d.concat(&byte, &lower),
            });
        }
        if let Some(result) = result {
            self.set("d", &result);
        }
        self.next()
    }

    fn byte_at(&self, all: &D::V, index: u64) -> D::V {
        self.d.extract(all, 8 * index as u32, 8)
    }

    /// The byte of a 64-bit value that a 3-bit index names.
    fn byte(&self, all: &D::V, index: &D::V) -> D::V {
        if let Some(known) = self.d.as_constant(index) {
            return self.byte_at(all, known as u64);
        }
        let shift = self.d.concat(&self.d.zext(index, 61), &self.constant(3, 0));
        self.d.extract(&self.d.binary(BinaryOp::LShr, all, &shift), 0, 8)
    }

    pub(super) fn sel(mut self) -> Step<D> {
        let (a, b, q) = (self.bits32("a")?, self.bits32("b")?, self.pred("q")?);
        self.set("d", &self.d.ite(&q, &a, &b));
        self.next()
    }

    /// The same over pairs of registers.
    pub(super) fn sel_wide(mut self) -> Step<D> {
        let (a, b, q) = (self.bits64("a")?, self.bits64("b")?, self.pred("q")?);
        self.set_wide("d", &self.d.ite(&q, &a, &b));
        self.next()
    }

    /// Extends from bit `b`: the low `b` bits of `a`, with copies of the sign or zeros above.
    pub(super) fn sgxt(mut self) -> Step<D> {
        let (a, b) = (self.bits32("a")?, self.bits32("b")?);
        let (signed, wrap) = (self.text("sg") != ".U32", self.flag("w"));
        let count = self.clamped(&b, wrap);
        let up = self.d.sub(&self.constant(32, 32), &count);
        let shifted = self.d.binary(BinaryOp::Shl, &a, &up);
        let op = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
        self.set("d", &self.d.binary(op, &shifted, &up));
        self.next()
    }

    /// `b` ones from bit `a` upwards.
    pub(super) fn bmsk(mut self) -> Step<D> {
        let (a, b) = (self.bits32("a")?, self.bits32("b")?);
        let wrap = self.flag("w");
        let (from, count) = (self.clamped(&a, wrap), self.clamped(&b, wrap));
        let ones = self.d.constant(32, u128::MAX);
        let low = self.d.not(&self.d.binary(BinaryOp::Shl, &ones, &count));
        self.set("d", &self.d.binary(BinaryOp::Shl, &low, &from));
        self.next()
    }

    /// A count, modulo 32 or at most 32.
    fn clamped(&self, count: &D::V, wrap: bool) -> D::V {
        if wrap {
            return self.d.and(count, &self.constant(32, 31));
        }
        let limit = self.constant(32, 32);
        let over = self.d.compare(CompareOp::ULt, &limit, count);
        self.d.ite(&over, &limit, count)
    }
}

/// Byte `i` of PTX `prmt` in a mode, for the low two bits of the selector.
fn prmt_index(mode: &str, selector: u64, i: u64) -> Option<u64> {
    Some(match mode {
        ".F4E" => selector + i,
        ".B4E" => (selector + 8 - i) % 8,
        ".RC8" => selector,
        ".ECL" => selector.max(i),
        ".ECR" => selector.min(i),
        ".RC16" => (selector & 1) * 2 + (i & 1),
        _ => return None,
    })
}

/// A comparison named by its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    Ne,
    Ge,
    True,
}

pub(super) fn integer_test(text: &str) -> Option<Test> {
    Some(match text {
        ".F" => Test::False,
        ".LT" => Test::Lt,
        ".EQ" => Test::Eq,
        ".LE" => Test::Le,
        ".GT" => Test::Gt,
        ".NE" => Test::Ne,
        ".GE" => Test::Ge,
        ".T" => Test::True,
        _ => return None,
    })
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn compare_integers(&self, test: Test, signed: bool, a: &D::V, b: &D::V) -> D::V {
        let (lt, le) =
            if signed { (CompareOp::SLt, CompareOp::SLe) } else { (CompareOp::ULt, CompareOp::ULe) };
        let c = |op, a, b| self.d.compare(op, a, b);
        match test {
            Test::False => self.d.no(),
            Test::True => self.d.yes(),
            Test::Lt => c(lt, a, b),
            Test::Le => c(le, a, b),
            Test::Gt => c(lt, b, a),
            Test::Ge => c(le, b, a),
            Test::Eq => self.d.eq(a, b),
            Test::Ne => self.d.not(&self.d.eq(a, b)),
        }
    }

    /// Writes a comparison's result combined with `q` to `d`, and its complement combined with `q` to `d2`.
    pub(super) fn set_test(&mut self, holds: &D::V) -> Result<(), Trap> {
        let q = self.pred_or("q", true)?;
        let bop = self.text("bop");
        for (name, value) in [("d", holds.clone()), ("d2", self.d.not(holds))] {
            let value = self.combine(bop, &value, &q)?;
            self.set(name, &value);
        }
        Ok(())
    }

    pub(super) fn combine(&self, bop: &str, a: &D::V, b: &D::V) -> Result<D::V, Trap> {
        Ok(match bop {
            ".AND" => self.d.and(a, b),
            ".OR" => self.d.or(a, b),
            ".XOR" => self.d.xor(a, b),
            _ => return Err(self.unsupported(&format!("combination `{bop}`"))),
        })
    }

    /// `.EX` compares high halves: where they are equal, `q1`, the result for the low halves, decides.
    pub(super) fn isetp(mut self) -> Step<D> {
        let (a, b) = (self.bits32("a")?, self.bits32("b")?);
        self.compare(&a, &b)
    }

    /// The same over pairs of registers; an immediate is extended by its sign.
    pub(super) fn isetp_wide(mut self) -> Step<D> {
        let (a, b) = (self.bits64("a")?, self.bits64("b")?);
        self.compare(&a, &b)
    }

    fn compare(mut self, a: &D::V, b: &D::V) -> Step<D> {
        let cmp = self.text("cmp");
        let test = integer_test(cmp).ok_or_else(|| self.unsupported(cmp))?;
        let signed = !self.text("sg").starts_with(".U");
        let mut holds = self.compare_integers(test, signed, a, b);
        let low = self.pred_or("q1", true)?;
        if self.flag("ex") && !matches!(test, Test::False | Test::True) {
            holds = self.d.ite(&self.d.eq(a, b), &low, &holds);
        }
        self.set_test(&holds)?;
        self.next()
    }
}
