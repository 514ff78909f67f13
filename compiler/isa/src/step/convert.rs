//! Conversions between integers and floats.
//!
//! Source: PTX `cvt` of one instruction through ptxas; PTX ISA, "cvt", for NaN and saturation.

use super::float::format;
use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use crate::form::FieldKind;
use sassafras_semantics::{
    CompareOp, Domain, FloatFormat, FloatMode, FloatOp, FloatRelation, Rounding, State, Trap,
};

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
    /// The integer type of a modifier, 32 bits signed if it says nothing.
    fn integer_type(&mut self, name: &str) -> Result<(u32, bool), Trap> {
        // Forms that differ in the sign alone say so, or both.
        let name = if self.has(name) { name } else { "sg" };
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
        let kind = self.inst.row().field(name).map(|i| self.inst.row().fields[i].kind);
        let id = self.inst.row().id;
        if wide || kind == Some(FieldKind::Float64High) {
            FloatFormat::F64
        } else if id.contains(".f16") {
            FloatFormat::F16
        } else if id.contains(".bf16") {
            FloatFormat::Bf16
        } else {
            FloatFormat::F32
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
        let parts = self.inst.row().id.split('.').skip(1).take(2);
        let named = parts.filter_map(|part| match part {
            "bf16" => Some(FloatFormat::Bf16),
            "f16" => Some(FloatFormat::F16),
            "f64" | "i64" => Some(FloatFormat::F64),
            _ => None,
        });
        let absent = named.last().unwrap_or(FloatFormat::F32);
        let from = self.float_type("src", absent)?;
        let (width, signed) = self.integer_type("dst")?;
        let mode = FloatMode { rounding: self.rounding()?, ftz: self.ftz()?, sat: false };
        // NaN is zero with .NTZ, else the most negative number of the width (PTX ISA, "cvt").
        let nan = if self.flag("ntz") { 0 } else { 1 << (width - 1) };
        let b = self.float("b", from)?;
        let v = self.d.float_to_int(from, signed, width, mode, nan, &b);
        let v = match (width < 32, signed) {
            (false, _) => v,
            (true, true) if nan == 0 => self.d.sext(&v, 32),
            (true, true) => {
                // What NaN gives is not extended by its sign, as an H100 has it.
                let d = self.d;
                let nan = d.float_relation(FloatRelation::Unordered, from, mode.ftz, &b, &b);
                d.ite(&nan, &d.zext(&v, 32), &d.sext(&v, 32))
            }
            (true, false) => self.d.zext(&v, 32),
        };
        self.set_converted(&v);
        self.next()
    }

    pub(super) fn i2f(mut self) -> Step<D> {
        let to = self.by_width("d");
        let to = self.float_type("dst", to)?;
        let (width, signed) = self.integer_type("src")?;
        let mode = FloatMode { rounding: self.rounding()?, ..FloatMode::default() };
        // An immediate is the upper word of 64 bits, as an H100 has it.
        let v = if width == 64 { self.bits64("b")? } else { self.bits32("b")? };
        let part = self.part();
        let v = self.d.extract(&v, part, width);
        let v = self.d.int_to_float(signed, to, mode, &v);
        self.set_converted(&v);
        self.next()
    }

    /// `I2IP`: both sources saturated side by side, below the low bits of the third. Source: PTX `cvt.pack` of one instruction
    /// through ptxas.
    pub(super) fn i2ip(mut self) -> Step<D> {
        let text = self.text("ty");
        let (width, signed) = match text {
            ".U2" | ".S2" => (2, text == ".S2"),
            ".U4" | ".S4" => (4, text == ".S4"),
            _ => integer(text).ok_or_else(|| self.unsupported("the type"))?,
        };
        // Forms without the field saturate.
        if self.has("sat") && self.text("sat") != ".SAT" {
            return Err(self.unsupported("the saturation"));
        }
        let (a, b, c) = (self.bits32("a")?, self.bits32("b")?, self.bits32("c")?);
        let d = self.d;
        let mask = (1u64 << width) - 1;
        let (least, most) = if signed { (!(mask >> 1) & 0xffff_ffff, mask >> 1) } else { (0, mask) };
        let (least, most) = (self.constant(32, least), self.constant(32, most));
        let saturated = |v: &D::V| {
            let v = d.ite(&d.compare(CompareOp::SLt, v, &least), &least, v);
            d.extract(&d.ite(&d.compare(CompareOp::SLt, &most, &v), &most, &v), 0, width)
        };
        let low = d.concat(&saturated(&a), &saturated(&b));
        let room = 32 - 2 * width;
        let value = if room == 0 { low } else { d.concat(&d.extract(&c, 0, room), &low) };
        self.set("d", &value);
        self.next()
    }

    /// `F2IP`: both floats as integers of 8 bits side by side, `a` above `b`, below the low half of the third operand; NaN is zero.
    /// Source: PTX `cvt.rzi.u8.f32`, `cvt.rni.u8.f32`, and `cvt.pack.sat` of two conversions through ptxas (black-box), which makes
    /// the forms with `.NTZ` alone.
    pub(super) fn f2ip(mut self) -> Step<D> {
        let (width, signed) = match self.text("ty") {
            ".U8" => (8, false),
            ".S8" => (8, true),
            other => return Err(self.unsupported(&format!("type {other}"))),
        };
        if !self.flag("ntz") || self.flag("relu") || self.flag("h") {
            return Err(self.unsupported("the conversion"));
        }
        let rounding = if self.flag("trunc") { Rounding::Zero } else { Rounding::NearestEven };
        let mode = FloatMode { rounding, ..FloatMode::default() };
        let (a, b) = (self.float("a", FloatFormat::F32)?, self.float("b", FloatFormat::F32)?);
        let c = self.bits32("c")?;
        let d = self.d;
        let convert = |v: &D::V| d.float_to_int(FloatFormat::F32, signed, width, mode, 0, v);
        let low = d.concat(&convert(&a), &convert(&b));
        let value = d.concat(&d.extract(&c, 0, 16), &low);
        self.set("d", &value);
        self.next()
    }

    pub(super) fn f2f(mut self) -> Step<D> {
        // Forms whose text has both formats are called by them.
        let id = self.inst.row().id.to_uppercase();
        let named: Vec<_> = id.split('.').skip(1).map_while(|part| format(&format!(".{part}"))).collect();
        let (from, to) = match named[..] {
            [to, from] => (from, to),
            _ => (self.by_width("b"), self.by_width("d")),
        };
        let (from, to) = (self.float_type("src", from)?, self.float_type("dst", to)?);
        let mode = self.mode()?;
        let b = self.float("b", from)?;
        let mut v = self.d.float_to_float(from, to, mode, &b);
        if mode.ftz && to == FloatFormat::F16 {
            // An H100 flushes the result too.
            let d = self.d;
            let small = d.eq(&d.extract(&v, 10, 5), &d.constant(5, 0));
            let zero = d.concat(&d.extract(&v, 15, 1), &d.constant(15, 0));
            v = d.ite(&small, &zero, &v);
        }
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

    /// A part of a register: the form names it, and says by its mnemonic which conversion it is.
    pub(super) fn convert_part(self) -> Step<D> {
        match self.inst.row().mnemonic {
            "F2I" => self.f2i(),
            "I2F" => self.i2f(),
            "F2F" => self.f2f(),
            "FRND" => self.frnd(),
            "MUFU" => self.mufu(),
            _ => Err(self.unsupported("the conversion")),
        }
    }

    /// 32 signed bits to fewer, clamped. What is above the result is left undefined: ptxas never relies on it.
    pub(super) fn i2i(mut self) -> Step<D> {
        let text = self.text("ty");
        let (width, signed) = integer(text).ok_or_else(|| self.unsupported(&format!("type {text}")))?;
        let b = self.bits32("b")?;
        let (low, high) = if signed {
            (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1)
        } else {
            (0, (1i64 << width) - 1)
        };
        let (low, high) = (self.constant(32, low as u64), self.constant(32, high as u64));
        let (yes, no) = (self.d.yes(), self.d.no());
        let clamped = self.extremum(true, &yes, &self.extremum(true, &no, &b, &low), &high);
        let above = self.d.undef(32 - width, "above a narrowed integer");
        let v = self.d.concat(&above, &self.d.extract(&clamped, 0, width));
        self.set("d", &v);
        self.next()
    }

    /// Binary32 numbers to halves. Of two, `a` is the high one; of one, the high half is that of `c`.
    pub(super) fn f2fp(mut self) -> Step<D> {
        let to = if self.text("bf") == ".BF16" { FloatFormat::Bf16 } else { FloatFormat::F16 };
        // `.SATFINITE`: an infinity, from whatever source, is the largest finite number of its sign.
        let finite = self.flag("sat");
        // The rounding of these forms is in their fixed text.
        let rounding = if self.inst.row().id.contains(".rz") { Rounding::Zero } else { self.rounding()? };
        let mode = FloatMode { rounding, ..FloatMode::default() };
        let relu = self.flag("relu");
        let b = self.float("b", FloatFormat::F32)?;
        let convert = |d: &D, v: &D::V| {
            let mut v = d.float_to_float(FloatFormat::F32, to, mode, v);
            if finite {
                let infinity = (u128::from(u16::MAX) >> 1) & !((1 << to.fraction_bits()) - 1);
                let infinite = d.eq(&d.extract(&v, 0, 15), &d.constant(15, infinity));
                let largest = d.concat(&d.extract(&v, 15, 1), &d.constant(15, infinity - 1));
                v = d.ite(&infinite, &largest, &v);
            }
            if relu {
                d.float(FloatOp::MaxNan, to, FloatMode::default(), &[&v, &d.constant(16, 0)])
            } else {
                v
            }
        };
        let low = convert(self.d, &b);
        let high = if self.has("a") {
            let a = self.float("a", FloatFormat::F32)?;
            convert(self.d, &a)
        } else {
            // The low half of `c` goes above, as an H100 has it.
            let c = self.bits32("c")?;
            self.d.extract(&c, 0, 16)
        };
        self.set("d", &self.d.concat(&high, &low));
        self.next()
    }

    /// The 8-bit format of a modifier.
    fn fp8(&mut self, name: &str) -> Result<FloatFormat, Trap> {
        match self.text(name) {
            ".E4M3" => Ok(FloatFormat::E4m3),
            ".E5M2" => Ok(FloatFormat::E5m2),
            other => Err(self.unsupported(&format!("type {other}"))),
        }
    }

    /// Two numbers to a pair of 8-bit numbers in the low half, `a` (or the upper half of `b`) above; the low half of `c` goes above both.
    /// ptxas makes it of `cvt.rn.satfinite.e4m3x2` and `.e5m2x2`, with RZ as `c`, or the second pair where a register is packed of two.
    pub(super) fn narrow_fp8(mut self, from: FloatFormat) -> Step<D> {
        let to = self.fp8("ty")?;
        if !self.flag("sat") {
            return Err(self.unsupported("a conversion to 8 bits that does not saturate"));
        }
        if self.flag("rs") {
            return Err(self.unsupported("random rounding"));
        }
        let c = self.bits32("c")?;
        let relu = self.flag("relu");
        let (high, low) = match from {
            FloatFormat::F32 => (self.float("a", from)?, self.float("b", from)?),
            _ => {
                let b = self.bits32("b")?;
                (self.d.extract(&b, 16, 16), self.d.extract(&b, 0, 16))
            }
        };
        let d = self.d;
        let narrow = |v: &D::V| {
            let v = d.float_to_float(from, to, FloatMode::default(), v);
            if relu { d.ite(&d.extract(&v, 7, 1), &d.constant(8, 0), &v) } else { v }
        };
        let pair = d.concat(&narrow(&high), &narrow(&low));
        self.set("d", &d.concat(&d.extract(&c, 0, 16), &pair));
        self.next()
    }

    /// The pair of 8-bit numbers in a half of a register to a pair of binary16. ptxas makes it of `cvt.rn.f16x2.e4m3x2`, `.e5m2x2`.
    pub(super) fn widen_fp8(mut self) -> Step<D> {
        // The forms of sm_100 have more types in a field of another name, and one result alone.
        let alone = self.has("ty");
        let from = self.fp8(if alone { "ty" } else { "src" })?;
        if !alone && self.text("dst") != ".F16" {
            return Err(self.unsupported("the result"));
        }
        let (relu, at) = (self.flag("relu"), if self.flag("h") { 16 } else { 0 });
        let b = self.bits32("b")?;
        let d = self.d;
        let widen = |low: u32| {
            let v = d.float_to_float(from, FloatFormat::F16, FloatMode::default(), &d.extract(&b, low, 8));
            if !relu {
                return v;
            }
            d.float(FloatOp::MaxNan, FloatFormat::F16, FloatMode::default(), &[&v, &d.constant(16, 0)])
        };
        let pair = d.concat(&widen(at + 8), &widen(at));
        self.set("d", &pair);
        self.next()
    }

    /// Binary32 to tf32, whose 10 bits of fraction stand where binary32 has its highest: to nearest, ties to even, or towards
    /// zero (ptxas makes it of `cvt.rn.tf32.f32` and `cvt.rz.relu.tf32.f32`, and integer instructions of `.rna`). What a NaN
    /// becomes is left undefined; with `.RELU` negative numbers become +0.
    pub(super) fn tf32(mut self) -> Step<D> {
        let relu = self.flag("relu");
        let b = self.bits32("b")?;
        let magnitude = self.d.and(&b, &self.constant(32, 0x7fff_ffff));
        let infinity = self.constant(32, 0x7f80_0000);
        let nan = self.d.compare(CompareOp::ULt, &infinity, &magnitude);
        if self.flag("sat") {
            return Err(self.unsupported("a saturating conversion to tf32"));
        }
        let truncates = self.inst.row().id.contains(".rz") || self.rounding()? == Rounding::Zero;
        let more = if truncates {
            self.constant(32, 0)
        } else {
            let even = self.d.zext(&self.d.extract(&b, 13, 1), 32);
            self.d.add(&self.constant(32, 0xfff), &even)
        };
        let rounded = self.d.and(&self.d.add(&b, &more), &self.constant(32, 0xffff_e000));
        let rounded = if relu {
            self.d.ite(&self.d.extract(&b, 31, 1), &self.constant(32, 0), &rounded)
        } else {
            rounded
        };
        let any = self.d.undef(32, "a NaN as tf32");
        self.set("d", &self.d.ite(&nan, &any, &rounded));
        self.next()
    }
}
