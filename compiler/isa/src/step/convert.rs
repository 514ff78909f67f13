//! Conversions between integers and floats.
//!
//! Source: PTX `cvt` of one instruction through ptxas; PTX ISA, "cvt", for NaN and saturation.

use super::float::format;
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
    /// The integer type of a modifier, 32 bits signed if it says nothing; `sg` alone means 32 bits.
    fn integer_type(&mut self, name: &str) -> Result<(u32, bool), Trap> {
        if !self.has(name) {
            return Ok((32, self.text("sg") != ".U32"));
        }
        match self.text(name) {
            "" => Ok((32, true)),
            text => integer(text).ok_or_else(|| self.unsupported(&format!("type {text}"))),
        }
    }

    /// The float type of a modifier, binary32 if it says nothing; `absent` if the form has none.
    fn float_type(&mut self, name: &str, absent: FloatFormat) -> Result<FloatFormat, Trap> {
        if !self.has(name) {
            return Ok(absent);
        }
        match self.text(name) {
            "" => Ok(FloatFormat::F32),
            text => format(text).ok_or_else(|| self.unsupported(&format!("type {text}"))),
        }
    }

    /// The format of an operand whose form has no modifier for it: by its width.
    fn by_width(&self, name: &str) -> FloatFormat {
        let wide = self.inst.row().field(name).is_some_and(|i| self.inst.units(i) == 2);
        match (wide, self.inst.row().id.contains(".f16")) {
            (true, _) => FloatFormat::F64,
            (_, true) => FloatFormat::F16,
            _ => FloatFormat::F32,
        }
    }

    /// Results narrower than a register are extended by zeros.
    fn set_converted(&mut self, v: &D::V) {
        match self.d.width(v) {
            64 => self.set_wide("d", v),
            32 => self.set("d", v),
            _ => self.set("d", &self.d.zext(v, 32)),
        }
    }

    pub(super) fn f2i(mut self) -> Step<D> {
        let from = self.float_type("src", FloatFormat::F32)?;
        let (width, signed) = self.integer_type("dst")?;
        let mode = FloatMode { rounding: self.rounding()?, ftz: self.ftz()?, sat: false };
        // NaN is zero with .NTZ, else the most negative number of the width (PTX ISA, "cvt").
        let nan = if self.flag("ntz") { 0 } else { 1 << (width - 1) };
        let b = self.float("b", from)?;
        let v = self.d.float_to_int(from, signed, width, mode, nan, &b);
        let v = match (width < 32, signed) {
            (false, _) => v,
            (true, true) => self.d.sext(&v, 32),
            (true, false) => self.d.zext(&v, 32),
        };
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn i2f(mut self) -> Step<D> {
        let to = self.float_type("dst", FloatFormat::F32)?;
        let (width, signed) = self.integer_type("src")?;
        let mode = FloatMode { rounding: self.rounding()?, ..FloatMode::default() };
        let v = if width == 64 { self.bits64("b")? } else { self.bits32("b")? };
        let v = self.d.extract(&v, 0, width);
        let v = self.d.int_to_float(signed, to, mode, &v);
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn f2f(mut self) -> Step<D> {
        let (from, to) = (self.by_width("b"), self.by_width("d"));
        let (from, to) = (self.float_type("src", from)?, self.float_type("dst", to)?);
        let mode = self.mode()?;
        let b = self.float("b", from)?;
        let v = self.d.float_to_float(from, to, mode, &b);
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn frnd(mut self) -> Step<D> {
        let format = self.by_width("b");
        let mode = self.mode()?;
        let b = self.float("b", format)?;
        let v = self.d.float(FloatOp::RoundToIntegral, format, mode, &[&b]);
        self.set_converted(&v);
        self.next()
    }

    /// Two binary32 numbers to halves: `a` is the high one.
    pub(super) fn f2fp(mut self) -> Step<D> {
        let to = if self.text("bf") == ".BF16" { FloatFormat::Bf16 } else { FloatFormat::F16 };
        let (a, b) = (self.float("a", FloatFormat::F32)?, self.float("b", FloatFormat::F32)?);
        if self.flag("sat") {
            return Err(self.unsupported("saturation to finite numbers"));
        }
        let relu = self.flag("relu");
        let convert = |v: &D::V| {
            let v = self.d.float_to_float(FloatFormat::F32, to, FloatMode::default(), v);
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
