//! Packed half precision: two binary16 or bfloat16 numbers in a register.
//!
//! Source: PTX `add`, `mul`, `fma`, `min`, `max`, `setp`, `set` of f16x2 and bf16x2 through ptxas, one instruction each.

use super::float::float_test;
use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use sassafras_semantics::{Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, State, Trap};

/// Low and high half.
type Pair<V> = [V; 2];

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    fn half_format(&mut self) -> FloatFormat {
        // Forms before sm_90 hold it beside another.
        let bfloat = [self.text("bf"), self.text("ty")].contains(&".BF16_V2");
        if bfloat { FloatFormat::Bf16 } else { FloatFormat::F16 }
    }

    /// A source with its flags and swizzle; the operand that the form lacks is the pair of immediates.
    fn halves(&mut self, name: &str, swizzle: &str) -> Result<Pair<D::V>, Trap> {
        if !self.has(name) {
            let low = self.raw("lo");
            // Forms that take one half show one number.
            let high = self.raw("hi");
            return Ok([self.constant(16, low), self.constant(16, high)]);
        }
        let absolute = self.absolute(name);
        self.halves_as(name, swizzle, absolute)
    }

    fn is_barred(&mut self, name: &str) -> bool {
        self.inst.row().id.contains(".abs") && !self.is_general(name)
    }

    /// Whether an operand's sign is changed; in forms with bars that is a field of its own.
    fn sign_changes(&mut self, name: &str) -> bool {
        if self.is_barred(name) { self.has("neg") && self.raw("neg") != 0 } else { self.negated(name) }
    }

    /// The same; whether absolute values are taken is for the caller to say.
    fn halves_as(&mut self, name: &str, swizzle: &str, absolute: bool) -> Result<Pair<D::V>, Trap> {
        let v = self.bits32(name)?;
        // Forms whose text has bars around their uniform register always take its magnitude; their sign is a field of its own.
        let (barred, negate) = (self.is_barred(name), self.sign_changes(name));
        self.halves_signed(v, swizzle, absolute || barred, negate)
    }

    /// The halves of a word with their signs changed so.
    fn halves_signed(
        &mut self,
        v: D::V,
        swizzle: &str,
        absolute: bool,
        negate: bool,
    ) -> Result<Pair<D::V>, Trap> {
        let (low, high) = match self.text(swizzle) {
            "" => (0, 16),
            ".H0_H0" => (0, 0),
            ".H1_H1" => (16, 16),
            other => return Err(self.unsupported(&format!("swizzle {other}"))),
        };
        Ok([low, high].map(|at| self.signs(&self.d.extract(&v, at, 16), absolute, negate)))
    }

    fn half_mode(&mut self) -> Result<FloatMode, Trap> {
        Ok(FloatMode { ftz: self.ftz()?, sat: self.flag("sat"), ..FloatMode::default() })
    }

    fn set_pair(&mut self, [low, high]: &Pair<D::V>) {
        let both = self.d.concat(high, low);
        self.set("d", &both);
    }

    /// `HADD2`; with `.F32` the low halves are added as binary32.
    pub(super) fn half_sum(mut self) -> Step<D> {
        if !self.flag("f32") {
            return self.half_arithmetic(FloatOp::Add);
        }
        let (format, mode) = (self.half_format(), self.half_mode()?);
        let [a, _] = self.halves("a", "as")?;
        let [b, _] = self.halves("b", "bs")?;
        let exact = |v: &D::V| self.d.float_to_float(format, FloatFormat::F32, FloatMode::default(), v);
        let sum = self.d.float(FloatOp::Add, FloatFormat::F32, mode, &[&exact(&a), &exact(&b)]);
        self.set("d", &sum);
        self.next()
    }

    /// Whether a wider format is read or written.
    fn widens(&mut self) -> bool {
        self.flag("f32") || [self.text("bf"), self.text("ty")].contains(&".F32")
    }

    pub(super) fn half_arithmetic(mut self, op: FloatOp) -> Step<D> {
        if self.widens() {
            return Err(self.unsupported("a binary32 result"));
        }
        let (format, mode) = (self.half_format(), self.half_mode()?);
        let a = self.halves("a", "as")?;
        let b = self.halves("b", "bs")?;
        let c = if op == FloatOp::Fma { Some(self.halves("c", "cs")?) } else { None };
        let relu = self.inst.row().meaning == crate::meaning::Meaning::Hfma2Relu;
        if relu {
            self.always("q")?;
        }
        let zero = self.constant(16, 0);
        let result = [0, 1].map(|i| match &c {
            Some(c) if relu => {
                let v = self.d.float(op, format, mode, &[&a[i], &b[i], &c[i]]);
                self.d.float(FloatOp::MaxNan, format, FloatMode::default(), &[&v, &zero])
            }
            Some(c) => self.d.float(op, format, mode, &[&a[i], &b[i], &c[i]]),
            None => self.d.float(op, format, mode, &[&a[i], &b[i]]),
        });
        self.set_pair(&result);
        self.next()
    }

    /// Minimum where `q` holds, else maximum.
    pub(super) fn half_extremum(mut self) -> Step<D> {
        if self.widens() {
            return Err(self.unsupported("a binary32 result"));
        }
        let (format, mode) = (self.half_format(), self.half_mode()?);
        let (a, b, q) = (self.halves("a", "as")?, self.halves("b", "bs")?, self.pred("q")?);
        let (min, max) =
            if self.flag("nan") { (FloatOp::MinNan, FloatOp::MaxNan) } else { (FloatOp::Min, FloatOp::Max) };
        let xorsign = self.flag("xorsign");
        let sign = self.constant(16, 0x8000);
        // The signs are those of the registers, and a NaN takes none, as with `FMNMX`.
        let mut raw = [a.clone(), b.clone()];
        for (i, (name, swizzle)) in [("a", "as"), ("b", "bs")].into_iter().enumerate() {
            if xorsign && self.has(name) {
                let word = self.bits32(name)?;
                raw[i] = self.halves_signed(word, swizzle, false, false)?;
            }
        }
        let result = [0, 1].map(|i| {
            let least = self.d.float(min, format, mode, &[&a[i], &b[i]]);
            let most = self.d.float(max, format, mode, &[&a[i], &b[i]]);
            let v = self.d.ite(&q, &least, &most);
            if xorsign {
                let signs = self.d.and(&self.d.xor(&raw[0][i], &raw[1][i]), &sign);
                let signed = self.d.or(&self.d.and(&v, &self.d.not(&sign)), &signs);
                let nan = self.d.float_relation(FloatRelation::Unordered, format, false, &v, &v);
                self.d.ite(&nan, &v, &signed)
            } else {
                v
            }
        });
        self.set_pair(&result);
        self.next()
    }

    fn half_tests(&mut self) -> Result<Pair<D::V>, Trap> {
        let format = self.half_format();
        let (a, b) = (self.halves("a", "as")?, self.halves("b", "bs")?);
        let cmp = self.text("cmp");
        let test = float_test(cmp).ok_or_else(|| self.unsupported(&format!("comparison {cmp}")))?;
        let ftz = self.flag("ftz");
        Ok([0, 1].map(|i| self.compare_floats(test, format, ftz, &a[i], &b[i])))
    }

    /// Comparisons into halves: all ones, or 1.0 with `.BF`.
    pub(super) fn half_set(mut self) -> Step<D> {
        let tests = self.half_tests()?;
        let (q, bop, format) = (self.pred_or("q", true)?, self.text("bop"), self.half_format());
        let yes = match (self.flag("f"), format) {
            (false, _) => 0xffff,
            (true, FloatFormat::Bf16) => 0x3f80,
            (true, _) => 0x3c00,
        };
        let (yes, no) = (self.constant(16, yes), self.constant(16, 0));
        let mut result = [no.clone(), no.clone()];
        for (to, test) in result.iter_mut().zip(&tests) {
            *to = self.d.ite(&self.combine(bop, test, &q)?, &yes, &no);
        }
        self.set_pair(&result);
        self.next()
    }

    /// Comparisons into predicates: `d` for the low halves, `d2` for the high ones; with `.H_AND` `d` for both.
    pub(super) fn half_setp(mut self) -> Step<D> {
        let [low, high] = self.half_tests()?;
        let (q, bop) = (self.pred_or("q", true)?, self.text("bop"));
        let (first, second) = if self.flag("hand") {
            if self.target("d2").is_some() {
                return Err(self.unsupported("a second result of .H_AND"));
            }
            (self.d.and(&low, &high), high)
        } else {
            (low, high)
        };
        let (first, second) = (self.combine(bop, &first, &q)?, self.combine(bop, &second, &q)?);
        self.set("d", &first);
        self.set("d2", &second);
        self.next()
    }
}
