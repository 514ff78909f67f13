//! binary32 and binary64 arithmetic, comparison, selection and the functions of the multi-function unit.
//!
//! Source: PTX of one instruction through ptxas; special cases of the PTX ISA. `MUFU` is a relation (the domain's
//! approximation); `FCHK` may answer "may be wrong" anywhere.

use super::lane::Lane;
use super::logic::Test;
use super::outcome::Step;
use super::register::Register;
use sassafras_semantics::{
    Approximation, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding, State, Trap,
};

/// The rounding that a modifier names; nearest even if there is none.
pub(super) fn rounding(text: &str) -> Option<Rounding> {
    Some(match text {
        "" | ".RN" | ".ROUND" => Rounding::NearestEven,
        ".RZ" | ".TRUNC" => Rounding::Zero,
        ".RM" | ".FLOOR" => Rounding::Down,
        ".RP" | ".CEIL" => Rounding::Up,
        _ => return None,
    })
}

/// The float format that a modifier names.
pub(super) fn format(text: &str) -> Option<FloatFormat> {
    Some(match text {
        ".F16" => FloatFormat::F16,
        ".BF16" => FloatFormat::Bf16,
        ".F32" => FloatFormat::F32,
        ".F64" => FloatFormat::F64,
        _ => return None,
    })
}

/// Which operand a comparison wants, and whether NaN satisfies it.
pub(super) fn float_test(text: &str) -> Option<(Test, bool)> {
    Some(match text {
        ".F" => (Test::False, false),
        ".LT" => (Test::Lt, false),
        ".EQ" => (Test::Eq, false),
        ".LE" => (Test::Le, false),
        ".GT" => (Test::Gt, false),
        ".NE" => (Test::Ne, false),
        ".GE" => (Test::Ge, false),
        ".NUM" => (Test::True, false),
        ".NAN" => (Test::False, true),
        ".LTU" => (Test::Lt, true),
        ".EQU" => (Test::Eq, true),
        ".LEU" => (Test::Le, true),
        ".GTU" => (Test::Gt, true),
        ".NEU" => (Test::Ne, true),
        ".GEU" => (Test::Ge, true),
        ".T" => (Test::True, true),
        _ => return None,
    })
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    pub(super) fn rounding(&mut self) -> Result<Rounding, Trap> {
        let text = self.text("rnd");
        rounding(text).ok_or_else(|| self.unsupported(&format!("rounding {text}")))
    }

    pub(super) fn mode(&mut self) -> Result<FloatMode, Trap> {
        Ok(FloatMode { rounding: self.rounding()?, ftz: self.ftz()?, sat: self.flag("sat") })
    }

    /// Whether subnormals are flushed. `.FMZ`, by which zero times anything is zero, comes from no PTX.
    pub(super) fn ftz(&mut self) -> Result<bool, Trap> {
        match self.text("ftz") {
            "" => Ok(false),
            ".FTZ" => Ok(true),
            text => Err(self.unsupported(&format!("a product with {text}"))),
        }
    }

    /// Clears the sign, then flips it, as the flags say.
    pub(super) fn signs(&self, v: &D::V, absolute: bool, negate: bool) -> D::V {
        let width = self.d.width(v);
        let sign = 1u128 << (width - 1);
        let mut v = v.clone();
        if absolute {
            v = self.d.and(&v, &self.d.constant(width, sign - 1));
        }
        if negate {
            v = self.d.xor(&v, &self.d.constant(width, sign));
        }
        v
    }

    /// A float source with its flags.
    pub(super) fn float(&mut self, name: &str, format: FloatFormat) -> Result<D::V, Trap> {
        let v = if format == FloatFormat::F64 { self.bits64(name)? } else { self.bits32(name)? };
        let v = if format.width() == 16 { self.d.extract(&v, self.part(), 16) } else { v };
        let (absolute, negate) = (self.absolute(name), self.negated(name));
        Ok(self.signs(&v, absolute, negate))
    }

    /// Where the part of `b` begins that a conversion takes: the form says `.H1`, or its field `s` names a byte.
    pub(super) fn part(&mut self) -> u32 {
        match self.text("s") {
            ".B1" => 8,
            ".B2" => 16,
            ".B3" => 24,
            _ if self.text("h") == ".H1" => 16,
            _ if self.inst.row().id.contains(".h1") || self.inst.row().id.contains(".part16") => 16,
            _ => 0,
        }
    }

    fn set_float(&mut self, name: &str, v: &D::V) {
        match self.d.width(v) {
            64 => self.set_wide(name, v),
            32 => self.set(name, v),
            _ => self.set(name, &self.d.zext(v, 32)),
        }
    }

    /// `FADD`, `FMUL`, `FFMA`, `DADD`, `DMUL`, `DFMA`.
    pub(super) fn arithmetic(mut self, op: FloatOp, format: FloatFormat) -> Step<D> {
        let mode = self.mode()?;
        let a = self.float("a", format)?;
        let b = self.float("b", format)?;
        let scale = self.text("scale");
        if !scale.is_empty() {
            // The product of two binary32 numbers is exact in binary64, and so is its half.
            let factor = match (scale.as_bytes().get(1), scale[2..].parse::<f64>()) {
                (Some(b'M'), Ok(n)) => n,
                (Some(b'D'), Ok(n)) => 1.0 / n,
                _ => return Err(self.unsupported(&format!("scale {scale}"))),
            };
            let wide = |v: &D::V| {
                let flush = FloatMode { ftz: mode.ftz, ..FloatMode::default() };
                self.d.float_to_float(format, FloatFormat::F64, flush, v)
            };
            let times = |x: &D::V, y: &D::V| {
                self.d.float(FloatOp::Mul, FloatFormat::F64, FloatMode::default(), &[x, y])
            };
            let product = times(&times(&wide(&a), &wide(&b)), &self.constant(64, factor.to_bits()));
            let result = self.d.float_to_float(FloatFormat::F64, format, mode, &product);
            self.set_float("d", &result);
            return self.next();
        }
        let result = if op == FloatOp::Fma {
            let c = self.float("c", format)?;
            self.d.float(op, format, mode, &[&a, &b, &c])
        } else {
            self.d.float(op, format, mode, &[&a, &b])
        };
        self.set_float("d", &result);
        self.next()
    }

    /// Two binary32 numbers: the registers of a pair, the same the other way round, or one register twice.
    fn two(&mut self, name: &str, swizzle: &str, part: &str) -> Result<[D::V; 2], Trap> {
        if self.flag(part) {
            return Err(self.unsupported("signs of one of two numbers"));
        }
        let (absolute, negate) = (self.absolute(name), self.negated(name));
        let order = self.text(swizzle);
        let both = match order {
            ".F32" => {
                let v = self.bits32(name)?;
                [v.clone(), v]
            }
            _ => {
                let v = self.bits64(name)?;
                let (low, high) = (self.d.extract(&v, 0, 32), self.d.extract(&v, 32, 32));
                if order == ".F32x2.LO_HI" { [high, low] } else { [low, high] }
            }
        };
        Ok(both.map(|v| self.signs(&v, absolute, negate)))
    }

    /// `FADD2`, `FMUL2`, `FFMA2`. Source: PTX `add`, `mul`, `fma` of f32x2 through ptxas 13.0.88 for sm_100.
    pub(super) fn arithmetic_of_two(mut self, op: FloatOp) -> Step<D> {
        let mode = self.mode()?;
        let (a, b) = (self.two("a", "as", "anp")?, self.two("b", "bs", "bnp")?);
        let c = if op == FloatOp::Fma { Some(self.two("c", "cs", "cnp")?) } else { None };
        let [low, high] = [0, 1].map(|i| match &c {
            Some(c) => self.d.float(op, FloatFormat::F32, mode, &[&a[i], &b[i], &c[i]]),
            None => self.d.float(op, FloatFormat::F32, mode, &[&a[i], &b[i]]),
        });
        self.set_wide("d", &self.d.concat(&high, &low));
        self.next()
    }

    /// A half of a register as binary32, which is exact.
    fn half_as_single(&mut self, name: &str, part: &str) -> Result<D::V, Trap> {
        let half = if self.flag("bf") { FloatFormat::Bf16 } else { FloatFormat::F16 };
        let at = if self.flag(part) { 16 } else { 0 };
        let v = self.bits32(name)?;
        let (absolute, negate) = (self.absolute(name), self.negated(name));
        let v = self.signs(&self.d.extract(&v, at, 16), absolute, negate);
        Ok(self.d.float_to_float(half, FloatFormat::F32, FloatMode::default(), &v))
    }

    /// `FHADD`, `FHFMA`: factors, or the first summand, are halves. Source: PTX `add`, `fma` of f32 with f16 or bf16 through ptxas 13.0.88 for
    /// sm_100.
    pub(super) fn with_halves(mut self, op: FloatOp) -> Step<D> {
        let mode = self.mode()?;
        let a = self.half_as_single("a", "h")?;
        let result = if op == FloatOp::Fma {
            let (b, c) = (self.half_as_single("b", "h2")?, self.float("c", FloatFormat::F32)?);
            self.d.float(op, FloatFormat::F32, mode, &[&a, &b, &c])
        } else {
            let b = self.float("b", FloatFormat::F32)?;
            self.d.float(op, FloatFormat::F32, mode, &[&a, &b])
        };
        self.set("d", &result);
        self.next()
    }

    /// `FMNMX3`: the minimum of three where `q` holds, else the maximum. Source: PTX `min`, `max` of three operands through ptxas 13.0.88.
    pub(super) fn float_extremum_of_three(mut self) -> Step<D> {
        let mode = FloatMode { ftz: self.flag("ftz"), ..FloatMode::default() };
        let of = [
            self.float("a", FloatFormat::F32)?,
            self.float("b", FloatFormat::F32)?,
            self.float("c", FloatFormat::F32)?,
        ];
        let q = self.pred("q")?;
        let (min, max) =
            if self.flag("nan") { (FloatOp::MinNan, FloatOp::MaxNan) } else { (FloatOp::Min, FloatOp::Max) };
        let [least, most] = [min, max].map(|op| {
            let first = self.d.float(op, FloatFormat::F32, mode, &[&of[0], &of[1]]);
            self.d.float(op, FloatFormat::F32, mode, &[&first, &of[2]])
        });
        self.set("d", &self.d.ite(&q, &least, &most));
        self.next()
    }

    /// Minimum where `q` holds, else maximum.
    pub(super) fn float_extremum(mut self, format: FloatFormat) -> Step<D> {
        let mode = FloatMode { ftz: self.flag("ftz"), ..FloatMode::default() };
        let (a, b) = (self.float("a", format)?, self.float("b", format)?);
        let q = self.pred("q")?;
        let (min, max) =
            if self.flag("nan") { (FloatOp::MinNan, FloatOp::MaxNan) } else { (FloatOp::Min, FloatOp::Max) };
        let least = self.d.float(min, format, mode, &[&a, &b]);
        let most = self.d.float(max, format, mode, &[&a, &b]);
        let mut result = self.d.ite(&q, &least, &most);
        if self.flag("xorsign") {
            // The signs are those of the registers, whatever modifiers say, and a NaN takes none. Source: an H100.
            let raw = [self.bits32("a")?, self.bits32("b")?];
            let sign = self.constant(32, 0x8000_0000);
            let signs = self.d.and(&self.d.xor(&raw[0], &raw[1]), &sign);
            let signed = self.d.or(&self.d.and(&result, &self.d.not(&sign)), &signs);
            let nan = self.d.float_relation(FloatRelation::Unordered, format, false, &result, &result);
            result = self.d.ite(&nan, &result, &signed);
        }
        self.set_float("d", &result);
        self.next()
    }

    pub(super) fn compare_floats(
        &self,
        (test, unordered): (Test, bool),
        format: FloatFormat,
        ftz: bool,
        a: &D::V,
        b: &D::V,
    ) -> D::V {
        let relation = |r, a: &D::V, b: &D::V| self.d.float_relation(r, format, ftz, a, b);
        let nan = relation(FloatRelation::Unordered, a, b);
        let holds = match test {
            Test::False => self.d.no(),
            Test::True => self.d.not(&nan),
            Test::Lt => relation(FloatRelation::Lt, a, b),
            Test::Le => relation(FloatRelation::Le, a, b),
            Test::Gt => relation(FloatRelation::Lt, b, a),
            Test::Ge => relation(FloatRelation::Le, b, a),
            Test::Eq => relation(FloatRelation::Eq, a, b),
            Test::Ne => {
                let equal = relation(FloatRelation::Eq, a, b);
                self.d.not(&self.d.or(&equal, &nan))
            }
        };
        if unordered { self.d.or(&holds, &nan) } else { holds }
    }

    fn float_holds(&mut self, format: FloatFormat) -> Result<D::V, Trap> {
        let (a, b) = (self.float("a", format)?, self.float("b", format)?);
        let cmp = self.text("cmp");
        let test = float_test(cmp).ok_or_else(|| self.unsupported(&format!("comparison {cmp}")))?;
        let ftz = self.flag("ftz");
        Ok(self.compare_floats(test, format, ftz, &a, &b))
    }

    /// `DSETP.MIN` and `.MAX`: `d` says that `a` is the extremum, `d2` that both are NaN (ptxas then makes `b` quiet).
    fn extremum_tests(mut self, op: FloatOp, format: FloatFormat) -> Step<D> {
        let (a, b) = (self.float("a", format)?, self.float("b", format)?);
        let nan = |v: &D::V| self.d.float_relation(FloatRelation::Unordered, format, false, v, v);
        let (a_nan, b_nan) = (nan(&a), nan(&b));
        let best = self.d.float(op, format, FloatMode::default(), &[&a, &b]);
        let a_best = self.d.and(&self.d.eq(&best, &a), &self.d.not(&a_nan));
        let both = self.d.and(&a_nan, &b_nan);
        let (q, bop) = (self.pred_or("q", true)?, self.text("bop"));
        let (first, second) = (self.combine(bop, &a_best, &q)?, self.combine(bop, &both, &q)?);
        self.set("d", &first);
        self.set("d2", &second);
        self.next()
    }

    /// `FSETP`, `DSETP`.
    pub(super) fn float_setp(mut self, format: FloatFormat) -> Step<D> {
        match self.text("cmp") {
            ".MIN" => return self.extremum_tests(FloatOp::Min, format),
            ".MAX" => return self.extremum_tests(FloatOp::Max, format),
            _ => {}
        }
        let holds = self.float_holds(format)?;
        self.set_test(&holds)?;
        self.next()
    }

    /// A comparison into a register, as 1.0 or 0.
    pub(super) fn fset(mut self) -> Step<D> {
        let holds = self.float_holds(FloatFormat::F32)?;
        let (q, bop) = (self.pred_or("q", true)?, self.text("bop"));
        let holds = self.combine(bop, &holds, &q)?;
        let yes = self.constant(32, 0x3f80_0000);
        self.set("d", &self.d.ite(&holds, &yes, &self.constant(32, 0)));
        self.next()
    }

    pub(super) fn fsel(mut self) -> Step<D> {
        let (a, b) = (self.float("a", FloatFormat::F32)?, self.float("b", FloatFormat::F32)?);
        let q = self.pred("q")?;
        let mut result = self.d.ite(&q, &a, &b);
        if self.flag("ftz") {
            let exponent = self.d.and(&result, &self.constant(32, 0x7f80_0000));
            let small = self.d.eq(&exponent, &self.constant(32, 0));
            let zero = self.d.and(&result, &self.constant(32, 0x8000_0000));
            result = self.d.ite(&small, &zero, &result);
        }
        self.set("d", &result);
        self.next()
    }

    /// True wherever the short division of `a` by `b` (reciprocal, two corrections) may be wrong, and perhaps elsewhere.
    ///
    /// The short way is exact to rounding if no intermediate leaves the normal range: `b` and its reciprocal normal, the
    /// quotient normal, and the residual `a - b·q`, 24 bits below `a`, normal too.
    pub(super) fn fchk(mut self) -> Step<D> {
        let (a, b) = (self.float("a", FloatFormat::F32)?, self.float("b", FloatFormat::F32)?);
        let d = self.d;
        let exponent = |v: &D::V| d.zext(&d.extract(v, 23, 8), 12);
        let (ea, eb) = (exponent(&a), exponent(&b));
        let c = |n: i64| d.constant(12, n as u128);
        let within = |v: &D::V, low: i64, high: i64| {
            let above = d.compare(CompareOp::SLe, &c(low), v);
            d.and(&above, &d.compare(CompareOp::SLe, v, &c(high)))
        };
        // Biased exponents: 127 is one.
        let difference = d.sub(&ea, &eb);
        // At both ends of the range of `a` an H100 answers false, and the short way serves: the residual of 2^-102 is 2^-126.
        let safe = d.and(&within(&ea, 127 - 102, 127 + 127), &within(&eb, 127 - 125, 127 + 125));
        let safe = d.and(&safe, &within(&difference, -124, 125));
        let anywhere = d.undef(1, "FCHK may answer true anywhere");
        let p = d.or(&d.not(&safe), &anywhere);
        self.set("d", &p);
        self.next()
    }

    /// 16 bits: zero of its sign if a number of bf16 is subnormal.
    fn flushed_bf16(&self, v: &D::V) -> D::V {
        let d = self.d;
        let normal = d.compare(CompareOp::ULe, &d.constant(16, 0x0080), &d.and(v, &d.constant(16, 0x7fff)));
        d.ite(&normal, v, &d.and(v, &d.constant(16, 0x8000)))
    }

    pub(super) fn mufu(mut self) -> Step<D> {
        let id = self.inst.row().id;
        let narrow = match self.text("ty") {
            "" if !self.has("ty") && (id.contains(".f16") || id.contains(".if16") || id.contains(".h1")) => {
                Some(FloatFormat::F16)
            }
            "" => None,
            text => {
                Some(super::float::format(text).ok_or_else(|| self.unsupported(&format!("type {text}")))?)
            }
        };
        let b = self.float("b", narrow.unwrap_or(FloatFormat::F32))?;
        let op = self.text("op");
        // ptxas calls this bare for the power of bf16, which PTX has with .ftz alone.
        let flushes = op == ".EX2" && narrow == Some(FloatFormat::Bf16);
        let b = if flushes { self.flushed_bf16(&b) } else { b };
        // A half is taken to binary32 and back: this stays within the wider bound of the half's function.
        let b = match narrow {
            Some(half) => self.d.float_to_float(half, FloatFormat::F32, FloatMode::default(), &b),
            None => b,
        };
        // All flush subnormals but the hyperbolic tangent and the trigonometric functions, which ptxas calls bare for the
        // forms without .ftz too.
        let (function, ftz) = match op {
            ".COS" => (Approximation::CosTurns, false),
            ".SIN" => (Approximation::SinTurns, false),
            ".EX2" => (Approximation::Ex2, true),
            ".LG2" => (Approximation::Lg2, true),
            ".RCP" => (Approximation::Rcp, true),
            ".RSQ" => (Approximation::Rsqrt, true),
            ".RCP64H" => (Approximation::Rcp64High, true),
            ".RSQ64H" => (Approximation::Rsqrt64High, true),
            ".SQRT" => (Approximation::Sqrt, true),
            ".TANH" => (Approximation::Tanh, false),
            _ => return Err(self.unsupported(&format!("function {op}"))),
        };
        let result = self.d.approximate(function, ftz && narrow.is_none(), &b);
        let result = match narrow {
            Some(half) => {
                let v = self.d.float_to_float(FloatFormat::F32, half, FloatMode::default(), &result);
                let v = if flushes { self.flushed_bf16(&v) } else { v };
                self.d.zext(&v, 32)
            }
            None => result,
        };
        self.set("d", &result);
        self.next()
    }
}
