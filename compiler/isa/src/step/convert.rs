//! Conversions between integers and floats.
//!
//! Source: PTX `cvt` of one instruction through ptxas; PTX ISA, "cvt", for NaN and saturation.

use super::float::{format, rounding};
use super::{Lane, Register, Step};
use sassafras_semantics::{Domain, FloatFormat, FloatMode, FloatOp, State, Trap};

/// Width and sign of an integer modifier.
pub(super) fn integer(text: &str) -> Option<(u32, bool)> {
    let (signed, width) = match text.split_at_checked(2)? {
        (".U", width) => (false, width),
        (".S", width) => (true, width),
        _ => return None,
    };
    match width {
        "8" | "16" | "32" | "64" => Some((width.parse().ok()?, signed)),
        _ => None,
    }
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    fn integer_type(&mut self, name: &str, default: &'static str) -> Result<(u32, bool), Trap> {
        let text = self.text(name);
        let text = if text.is_empty() { default } else { text };
        integer(text).ok_or_else(|| self.unsupported(&format!("type {text}")))
    }

    fn float_type(&mut self, name: &str) -> Result<FloatFormat, Trap> {
        let text = self.text(name);
        if text.is_empty() {
            return Ok(FloatFormat::F32);
        }
        format(text).ok_or_else(|| self.unsupported(&format!("type {text}")))
    }

    /// A float source of a format, at half 0 or 1 for 16 bits.
    fn float_source(&mut self, from: FloatFormat) -> Result<D::V, Trap> {
        let (absolute, negate) = (self.absolute("b"), self.negated("b"));
        let v = if from == FloatFormat::F64 { self.bits64("b")? } else { self.bits32("b")? };
        let v = if from.width() == 16 {
            let half = if self.text("b.half") == ".H1" { 16 } else { 0 };
            self.d.extract(&v, half, 16)
        } else {
            v
        };
        Ok(self.signs(&v, absolute, negate))
    }

    fn set_converted(&mut self, v: &D::V) {
        match self.d.width(v) {
            64 => self.set_wide("d", v),
            32 => self.set("d", v),
            _ => self.set("d", &self.d.zext(v, 32)),
        }
    }

    pub(super) fn f2i(mut self) -> Step<D> {
        let from = self.float_type("from")?;
        let (width, signed) = self.integer_type("to", ".S32")?;
        let text = self.text("rnd");
        let rounding = rounding(text).ok_or_else(|| self.unsupported(&format!("rounding {text}")))?;
        let mode = FloatMode { rounding, ftz: self.flag("ftz"), sat: false };
        let zero = self.flag("ntz");
        // NaN is zero with .NTZ, else the most negative number of the width (PTX ISA, "cvt").
        let nan = if zero { 0 } else { 1 << (width - 1) };
        let b = self.float_source(from)?;
        let v = self.d.float_to_int(from, signed, width, mode, nan, &b);
        let v = if width < 32 { if signed { self.d.sext(&v, 32) } else { self.d.zext(&v, 32) } } else { v };
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn i2f(mut self) -> Step<D> {
        let to = self.float_type("to")?;
        let (width, signed) = self.integer_type("from", ".S32")?;
        let mode = FloatMode { rounding: self.rounding()?, ..FloatMode::default() };
        let v = if width == 64 { self.bits64("b")? } else { self.bits32("b")? };
        let v = if width < 32 {
            let at = match self.text("b.byte") {
                "" | ".B0" | ".H0" => 0,
                ".B1" => 8,
                ".B2" | ".H1" => 16,
                ".B3" => 24,
                other => return Err(self.unsupported(other)),
            };
            self.d.extract(&v, at, width)
        } else {
            v
        };
        let v = if self.negated("b") { self.d.neg(&v) } else { v };
        let v = self.d.int_to_float(signed, to, mode, &v);
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn f2f(mut self) -> Step<D> {
        let (from, to) = (self.float_type("from")?, self.float_type("to")?);
        let mode = self.mode()?;
        let b = self.float_source(from)?;
        let v = self.d.float_to_float(from, to, mode, &b);
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn frnd(mut self) -> Step<D> {
        let format = self.float_type("ty")?;
        let mode = self.mode()?;
        let b = self.float_source(format)?;
        let v = self.d.float(FloatOp::RoundToIntegral, format, mode, &[&b]);
        self.set_converted(&v);
        self.next()
    }

    /// Two binary32 numbers to halves: `a` is the high one.
    pub(super) fn f2fp(mut self) -> Step<D> {
        let to = match self.text("to") {
            ".BF16" => FloatFormat::Bf16,
            ".F16" | "" => FloatFormat::F16,
            other => return Err(self.unsupported(other)),
        };
        let mode = self.mode()?;
        let (a, b) = (self.float("a", FloatFormat::F32)?, self.float("b", FloatFormat::F32)?);
        let relu = self.flag("relu");
        let convert = |v: &D::V| {
            let v = self.d.float_to_float(FloatFormat::F32, to, mode, v);
            if relu {
                let zero = self.constant(16, 0);
                self.d.float(FloatOp::MaxNan, to, FloatMode::default(), &[&v, &zero])
            } else {
                v
            }
        };
        let both = self.d.concat(&convert(&a), &convert(&b));
        self.set("d", &both);
        self.next()
    }
}
