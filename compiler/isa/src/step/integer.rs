//! Integer arithmetic: sums with carries, products, shifted sums, minima, absolute values.
//!
//! Source: Mesa's NAK (MIT) for carries of negated operands; one-instruction PTX through ptxas for the rest.

use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use sassafras_semantics::{CompareOp, Domain, State, Trap};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// A summand as 34 bits: a negated operand counts as its complement plus one, so that a carry leaves where hardware
    /// says; with carry-in it is the complement alone.
    fn summand(&mut self, name: &str, extended: bool, width: u32, units: u32) -> Result<D::V, Trap> {
        let v = self.bits(name, units)?;
        if !self.negated(name) {
            return Ok(self.d.zext(&v, width));
        }
        let v = self.d.zext(&self.d.not(&v), width);
        Ok(if extended { v } else { self.plus(&v, &self.d.yes()) })
    }

    /// Carries out of a sum whose low `bits` bits are the result: at least one, at least two.
    fn carries(&mut self, sum: &D::V, bits: u32, names: [&str; 2]) {
        let top = self.d.extract(sum, bits, 2);
        let high = self.d.extract(&top, 1, 1);
        let some = self.d.or(&high, &self.d.extract(&top, 0, 1));
        self.set(names[0], &some);
        self.set(names[1], &high);
    }

    /// `a + b + c` over 32 bits, or over 64 where operands are pairs of registers; an immediate is extended by its sign.
    pub(super) fn iadd3(mut self, units: u32) -> Step<D> {
        let (x, bits) = (self.flag("x"), 32 * units);
        let mut sum = self.summand("a", x, bits + 2, units)?;
        for name in ["b", "c"] {
            if self.has(name) {
                let v = self.summand(name, x, bits + 2, units)?;
                sum = self.d.add(&sum, &v);
            }
        }
        let single = self.has("p") || self.has("q");
        let (into, out) = if single { (["q", "q1"], ["p", "p1"]) } else { (["q0", "q1"], ["p0", "p1"]) };
        let carry_in = [self.pred_or(into[0], false)?, self.pred_or(into[1], false)?];
        if x {
            for carry in &carry_in {
                sum = self.plus(&sum, carry);
            }
        }
        self.set_wide("d", &self.d.extract(&sum, 0, bits));
        self.carries(&sum, bits, out);
        self.next()
    }

    pub(super) fn viadd(mut self) -> Step<D> {
        if self.flag("sat") {
            return self.saturated_sum();
        }
        let (a, b) = (self.int32("a", false)?, self.bits32("b")?);
        // Sums of 8 or 16 bits, side by side.
        let parts = match self.text("ty") {
            "" | ".32" | ".S32" => 1,
            ".16x2" | ".S16x2" => 2,
            _ => 4,
        };
        if parts > 1 && self.negated("a") {
            return Err(self.unsupported("a negated first summand of parts"));
        }
        let minus = self.negated("b");
        let sum = |lane: &Self, a: &D::V, b: &D::V| if minus { lane.d.sub(a, b) } else { lane.d.add(a, b) };
        let result = self.by_parts(parts, &a, &b, sum);
        self.set("d", &result);
        self.next()
    }

    /// `VIADD.S32.ISAT`: the sum of 32 signed bits, clamped. Source: PTX `add.sat.s32`, `sub.sat.s32` through ptxas 13.0.88 for sm_120.
    fn saturated_sum(mut self) -> Step<D> {
        if self.text("ty") != ".S32" {
            return Err(self.unsupported("a saturating sum that is not of .S32"));
        }
        let (a, b) = (self.bits32("a")?, self.bits32("b")?);
        let (a, b) = (self.d.sext(&a, 34), self.d.sext(&b, 34));
        let a = if self.negated("a") { self.d.neg(&a) } else { a };
        let sum = if self.negated("b") { self.d.sub(&a, &b) } else { self.d.add(&a, &b) };
        let (least, most) =
            (self.d.constant(34, (-(1i128 << 31)) as u128), self.d.constant(34, (1 << 31) - 1));
        let sum = self.d.ite(&self.d.compare(CompareOp::SLt, &sum, &least), &least, &sum);
        let sum = self.d.ite(&self.d.compare(CompareOp::SLt, &most, &sum), &most, &sum);
        self.set("d", &self.d.extract(&sum, 0, 32));
        self.next()
    }

    /// An operation on low and high halves.
    fn by_halves(&self, a: &D::V, b: &D::V, op: impl Fn(&Self, &D::V, &D::V) -> D::V) -> D::V {
        self.by_parts(2, a, b, op)
    }

    /// An operation on each of some parts of 32 bits.
    fn by_parts(&self, parts: u32, a: &D::V, b: &D::V, op: impl Fn(&Self, &D::V, &D::V) -> D::V) -> D::V {
        let width = 32 / parts;
        let one = |i: u32| {
            let part = |v: &D::V| self.d.extract(v, width * i, width);
            op(self, &part(a), &part(b))
        };
        (1..parts).fold(one(0), |low, i| self.d.concat(&one(i), &low))
    }

    /// The 64-bit product, with the signs that the type says; negated if one factor is.
    fn product(&mut self, signed: bool) -> Result<D::V, Trap> {
        let (a, b) = (self.bits32("a")?, self.bits32("b")?);
        let wide = |v: &D::V| if signed { self.d.sext(v, 64) } else { self.d.zext(v, 64) };
        let product = self.d.mul(&wide(&a), &wide(&b));
        Ok(if self.negated("a") != self.negated("b") { self.d.neg(&product) } else { product })
    }

    pub(super) fn imad(mut self) -> Step<D> {
        // The low half does not depend on signs.
        self.text("sg");
        let product = self.product(false)?;
        let x = self.flag("x");
        let c = self.int32("c", x)?;
        let mut sum = self.d.add(&self.d.extract(&product, 0, 32), &c);
        let carry = self.pred_or("q", false)?;
        if x {
            sum = self.plus(&sum, &carry);
        }
        self.set("d", &sum);
        self.next()
    }

    /// The 66-bit sum of product and `c`.
    fn wide_sum(&mut self) -> Result<D::V, Trap> {
        let signed = self.text("sg") != ".U32";
        let product = self.product(signed)?;
        let x = self.flag("x");
        let c = self.summand("c", x, 66, 2)?;
        let mut sum = self.d.add(&self.d.zext(&product, 66), &c);
        let carry = self.pred_or("q", false)?;
        if x {
            sum = self.plus(&sum, &carry);
        }
        Ok(sum)
    }

    pub(super) fn imad_wide(mut self) -> Step<D> {
        let sum = self.wide_sum()?;
        self.set_wide("d", &self.d.extract(&sum, 0, 64));
        self.carries(&sum, 64, ["p", "p1"]);
        self.next()
    }

    pub(super) fn imad_hi(mut self) -> Step<D> {
        let sum = self.wide_sum()?;
        self.set("d", &self.d.extract(&sum, 32, 32));
        self.carries(&sum, 64, ["p", "p1"]);
        self.next()
    }

    /// `(c:a << s)`'s low or high word, plus `b`; a negation applies to the shifted value.
    pub(super) fn lea(mut self) -> Step<D> {
        let a = self.bits32("a")?;
        let (high, sx32, x) = (self.flag("hi"), self.flag("sx"), self.flag("x"));
        let shift = self.raw("sh") as u32;
        let shifted = if high {
            let upper = if sx32 { self.d.extract(&self.d.sext(&a, 64), 32, 32) } else { self.bits32("c")? };
            let both = self.d.concat(&upper, &a);
            let both =
                self.d.binary(sassafras_semantics::BinaryOp::Shl, &both, &self.constant(64, shift.into()));
            self.d.extract(&both, 32, 32)
        } else {
            self.d.binary(sassafras_semantics::BinaryOp::Shl, &a, &self.constant(32, shift.into()))
        };
        let mut sum = self.d.zext(&shifted, 34);
        if self.negated("a") {
            sum = self.d.zext(&self.d.not(&shifted), 34);
            if !x {
                sum = self.plus(&sum, &self.d.yes());
            }
        }
        let b = self.summand("b", x, 34, 1)?;
        sum = self.d.add(&sum, &b);
        let carry = self.pred_or("q", false)?;
        if x {
            sum = self.plus(&sum, &carry);
        }
        self.set("d", &self.d.extract(&sum, 0, 32));
        self.carries(&sum, 32, ["p", "p1"]);
        self.next()
    }

    pub(super) fn iabs(mut self) -> Step<D> {
        let b = self.bits32("b")?;
        let negative = self.d.compare(CompareOp::SLt, &b, &self.constant(32, 0));
        self.set("d", &self.d.ite(&negative, &self.d.neg(&b), &b));
        self.next()
    }

    /// Minimum where `least` holds, else maximum.
    pub(super) fn extremum(&self, signed: bool, least: &D::V, a: &D::V, b: &D::V) -> D::V {
        let less = self.d.compare(if signed { CompareOp::SLt } else { CompareOp::ULt }, a, b);
        self.d.ite(&self.d.eq(&less, least), a, b)
    }

    /// Minimum or maximum of `values`, of 32 bits or of two halves; with `.RELU` at least zero.
    fn set_extremum(&mut self, values: &[D::V]) -> Step<D> {
        let least = self.pred("q")?;
        let (signed, parts) = match self.text("ty") {
            "" | ".S32" => (true, 1),
            ".U32" => (false, 1),
            ".S16x2" => (true, 2),
            ".U16x2" => (false, 2),
            ".S8x4" => (true, 4),
            ".U8x4" => (false, 4),
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        let relu = self.flag("relu");
        let pick = |lane: &Self, a: &D::V, b: &D::V| lane.extremum(signed, &least, a, b);
        let clamp = |lane: &Self, a: &D::V, zero: &D::V| lane.extremum(true, &lane.d.no(), a, zero);
        let mut result = values[0].clone();
        for v in &values[1..] {
            result = self.by_parts(parts, &result, v, pick);
        }
        if relu {
            let zero = self.constant(32, 0);
            result = self.by_parts(parts, &result, &zero, clamp);
        }
        self.set("d", &result);
        self.next()
    }

    pub(super) fn vimnmx(mut self) -> Step<D> {
        let values = [self.bits32("a")?, self.bits32("b")?];
        self.only_data()?;
        self.set_extremum(&values)
    }

    pub(super) fn vimnmx3(mut self) -> Step<D> {
        let values = [self.bits32("a")?, self.bits32("b")?, self.bits32("c")?];
        self.set_extremum(&values)
    }

    /// Minimum or maximum of `a + b` and `c`.
    pub(super) fn viaddmnmx(mut self) -> Step<D> {
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let minus = self.negated("b");
        let halves = self.text("ty").ends_with("x2");
        let sum = |lane: &Self, a: &D::V, b: &D::V| if minus { lane.d.sub(a, b) } else { lane.d.add(a, b) };
        let sum = if halves { self.by_halves(&a, &b, sum) } else { sum(&self, &a, &b) };
        self.set_extremum(&[sum, c])
    }

    /// `|a - b| + c`.
    pub(super) fn vabsdiff(mut self) -> Step<D> {
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let signed = self.text("sg") != ".U32";
        let distance = self.distance(signed, &a, &b);
        self.only_data()?;
        self.set("d", &self.d.add(&distance, &c));
        self.next()
    }

    /// The same over four bytes: their distances side by side, or summed up with `.ACC`. That `c` has no part in the former is an experiment:
    /// ptxas 13.0.88 makes it of `vabsdiff4.u32.u32.u32 d, a, b, c`, in which `c` is a register that PTX does not look at.
    pub(super) fn vabsdiff4(mut self) -> Step<D> {
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let signed = self.text("sg") != ".U8";
        self.only_data()?;
        let distance = |lane: &Self, i: u32| {
            let byte = |v: &D::V| lane.d.extract(v, 8 * i, 8);
            lane.distance(signed, &byte(&a), &byte(&b))
        };
        let value = if self.flag("acc") {
            (0..4).fold(c, |sum, i| self.plus(&sum, &distance(&self, i)))
        } else {
            (1..4).fold(distance(&self, 0), |low, i| self.d.concat(&distance(&self, i), &low))
        };
        self.set("d", &value);
        self.next()
    }

    fn distance(&self, signed: bool, a: &D::V, b: &D::V) -> D::V {
        let less = self.d.compare(if signed { CompareOp::SLt } else { CompareOp::ULt }, a, b);
        self.d.ite(&less, &self.d.sub(b, a), &self.d.sub(a, b))
    }

    /// Refuses a predicate result whose meaning is not known.
    fn only_data(&mut self) -> Result<(), Trap> {
        match (self.target("p"), self.target("p2")) {
            (None, None) => Ok(()),
            _ => Err(self.unsupported("a predicate result")),
        }
    }

    /// Dot product of four bytes, or of two halves with two bytes, plus `c`.
    pub(super) fn idp(mut self) -> Step<D> {
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.int32("c", false)?);
        let (sa, sb) = (self.text("sa") == ".S8", self.text("sb") == ".S8");
        let mode = self.text("mode");
        let (count, width, from) = match mode {
            ".4A" => (4, 8, 0),
            ".2A.LO" => (2, 16, 0),
            ".2A.HI" => (2, 16, 2),
            _ => return Err(self.unsupported(&format!("mode {mode}"))),
        };
        let wide = |v: &D::V, at, width, signed| {
            let v = self.d.extract(v, at, width);
            if signed { self.d.sext(&v, 32) } else { self.d.zext(&v, 32) }
        };
        let mut sum = c;
        for i in 0..count {
            let x = wide(&a, width * i, width, sa);
            let y = wide(&b, 8 * (from + i), 8, sb);
            sum = self.d.add(&sum, &self.d.mul(&x, &y));
        }
        self.set("d", &sum);
        self.next()
    }

    /// `IMNMX` of sm_120: of 32 or 64 bits; a shorter immediate is extended by its sign. Its predicate results, and the operand that ptxas
    /// leaves at !PT, are not known. Source: PTX `min`, `max` of 64 bits through ptxas 13.0.88.
    pub(super) fn imnmx_wide(mut self) -> Step<D> {
        let (signed, units) = match self.text("ty") {
            "" => (true, 1),
            ".U32" => (false, 1),
            ".S64" => (true, 2),
            ".U64" => (false, 2),
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        let q1 = self.pred_or("q1", false)?;
        if self.d.as_constant(&q1) != Some(0) {
            return Err(self.unsupported("a second predicate operand"));
        }
        self.only_data()?;
        let (a, b, least) = (self.bits("a", units)?, self.bits("b", units)?, self.pred("q")?);
        self.set_wide("d", &self.extremum(signed, &least, &a, &b));
        self.next()
    }

    pub(super) fn imnmx(mut self) -> Step<D> {
        let signed = self.text("sg") != ".U32";
        let (a, b) = (self.int32("a", false)?, self.int32("b", false)?);
        let least = self.pred("q")?;
        self.set("d", &self.extremum(signed, &least, &a, &b));
        self.next()
    }
}
