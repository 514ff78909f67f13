//! Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions") as arithmetic of 32 and 64 bits.

use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, Type, Value};
use sassafras_ptx::checked::{Inst, Operand, Pieces, Type as T};

const WORD: T = T::B(32);

/// A source of an operation on integers: 32 bits, and whether they are signed.
#[derive(Clone, Copy)]
struct Source {
    value: Value,
    signed: bool,
}

impl Context<'_, '_> {
    pub(crate) fn video(&mut self, inst: &Inst) -> Result<()> {
        let words = &inst.mods.words;
        let root = *words.first().ok_or(Refusal::Missing("the name"))?;
        let types = match inst.types[..] {
            [a, b] => [T::U(32), a, b],
            [d, a, b] => [d, a, b],
            _ => return Err(Refusal::Missing("a type")),
        };
        let value = match root.strip_suffix(['2', '4']) {
            Some(what) => self.video_lanes(inst, what, types, if root.ends_with('2') { 16 } else { 8 })?,
            None if root == "vmad" => self.video_product(inst, types)?,
            None => self.video_scalar(inst, root, types)?,
        };
        match &inst.operands[0] {
            Operand::Pieces(register, _) => self.write(&Operand::Register(*register), value, false),
            other => self.write(other, value, false),
        }
    }

    /// A part of a word, extended to 32 bits.
    fn piece(&mut self, word: Value, bits: u32, at: u32, signed: bool) -> Value {
        // A byte selector with 8 added repeats the sign of its byte; byte 4 is the lowest of zero.
        let first = at * bits / 8;
        let bytes = bits / 8;
        let top = first + bytes - 1;
        let fill = if signed { top | 8 } else { 4 };
        let selector = (0..4).map(|i| (if i < bytes { first + i } else { fill }) << (4 * i)).sum();
        let (zero, selector) = (self.b().i32(0), self.b().i32(selector));
        self.b().same(Op::Permute, &[word, zero, selector])
    }

    /// A source that may be a part of a register or negated; a sign in front is the caller's.
    fn source_part(&mut self, inst: &Inst, index: usize, ty: T) -> Result<Source> {
        let mut source = operand(&inst.operands, index)?;
        if let Operand::Negated(inner) = source {
            source = inner;
        }
        let Operand::Pieces(register, pieces) = source else {
            return Ok(Source { value: self.value(source, WORD)?, signed: ty.signed() });
        };
        let word = self.register(*register);
        let at = u32::from(pieces.numbers()[0]);
        let value = self.piece(word, pieces.width.into(), at, ty.signed());
        // What was extended by zeros is a signed number as well.
        Ok(Source { value, signed: true })
    }

    fn wide(&mut self, source: Source) -> Value {
        if source.signed {
            self.b().sext(source.value, Type::I64)
        } else {
            self.b().zext(source.value, Type::I64)
        }
    }

    fn video_scalar(&mut self, inst: &Inst, root: &str, types: [T; 3]) -> Result<Value> {
        let says = |word: &str| inst.mods.words[1..].contains(&word);
        let [result, first, second] = types;
        let (a, b) = (self.source_part(inst, 1, first)?, self.source_part(inst, 2, second)?);
        let place = match &inst.operands[0] {
            Operand::Pieces(_, pieces) => Some(*pieces),
            _ => None,
        };
        let shift = matches!(root, "vshl" | "vshr");
        let mut low = if says("sat") {
            let exact =
                if shift { self.wide_shift(inst, root, a, b)? } else { self.wide_result(root, a, b)? };
            let clamped = self.clamp(exact, result.signed(), place.map_or(32, |p| p.width.into()));
            self.b().low(clamped)
        } else if shift {
            let count = self.count(says("wrap"), b.value);
            let op = if root == "vshl" { Op::Shl } else { Op::Shr { signed: first.signed() } };
            self.b().same(op, &[a.value, count])
        } else {
            self.narrow_result(inst, root, a, b)?
        };
        if let Some(pieces) = place {
            let c = self.value(operand(&inst.operands, 3)?, WORD)?;
            return Ok(self.merge(c, low, &pieces));
        }
        if inst.operands.len() > 3 {
            let c = self.value(operand(&inst.operands, 3)?, WORD)?;
            let signed = result.signed();
            low = match inst.mods.words.last() {
                Some(&"add") => self.b().add(low, c),
                Some(&"min") => self.b().same(Op::Min { signed }, &[low, c]),
                Some(&"max") => self.b().same(Op::Max { signed }, &[low, c]),
                // A register of which no part is named is all replaced.
                _ => low,
            };
        }
        Ok(low)
    }

    fn count(&mut self, wraps: bool, count: Value) -> Value {
        if !wraps {
            return count;
        }
        let low = self.b().i32(31);
        self.b().and(count, low)
    }

    /// The low 32 bits of what an operation gives.
    fn narrow_result(&mut self, inst: &Inst, root: &str, a: Source, b: Source) -> Result<Value> {
        Ok(match root {
            "vadd" => self.b().add(a.value, b.value),
            "vsub" => self.b().sub(a.value, b.value),
            "vset" => {
                let holds = self.holds(inst, a, b)?;
                self.b().zext(holds, Type::I32)
            }
            _ if a.signed == b.signed => {
                let signed = a.signed;
                let args = [a.value, b.value];
                match root {
                    "vmin" => self.b().same(Op::Min { signed }, &args),
                    "vmax" => self.b().same(Op::Max { signed }, &args),
                    "vabsdiff" => {
                        let high = self.b().same(Op::Max { signed }, &args);
                        let low = self.b().same(Op::Min { signed }, &args);
                        self.b().sub(high, low)
                    }
                    _ => return Err(Refusal::Unknown("this operation")),
                }
            }
            _ => {
                let exact = self.wide_result(root, a, b)?;
                self.b().low(exact)
            }
        })
    }

    /// What an operation gives, in 64 bits.
    fn wide_result(&mut self, root: &str, a: Source, b: Source) -> Result<Value> {
        let (a, b) = (self.wide(a), self.wide(b));
        let mut x = self.b();
        Ok(match root {
            "vadd" => x.add(a, b),
            "vsub" => x.sub(a, b),
            "vmin" | "vmax" | "vabsdiff" => {
                let less = x.compare(Compare::SLt, a, b);
                match root {
                    "vmin" => x.select(less, a, b),
                    "vmax" => x.select(less, b, a),
                    _ => {
                        let (up, down) = (x.sub(a, b), x.sub(b, a));
                        x.select(less, down, up)
                    }
                }
            }
            _ => return Err(Refusal::Malformed("this operation does not saturate")),
        })
    }

    /// A shift, of which 34 bits are kept.
    fn wide_shift(&mut self, inst: &Inst, root: &str, a: Source, b: Source) -> Result<Value> {
        let count = self.count(inst.mods.words[1..].contains(&"wrap"), b.value);
        let most = self.b().i32(32);
        let count = self.b().same(Op::Min { signed: false }, &[count, most]);
        let a = self.wide(a);
        if root == "vshr" {
            return Ok(self.b().same(Op::Shr { signed: true }, &[a, count]));
        }
        let shifted = self.b().shl(a, count);
        let top = self.b().shl_by(shifted, 30);
        Ok(self.b().ashr_by(top, 30))
    }

    /// A signed value of 64 bits brought into the range of fewer.
    fn clamp(&mut self, value: Value, signed: bool, bits: u32) -> Value {
        let (least, most) = match signed {
            true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
            false => (0, (1i64 << bits) - 1),
        };
        let mut x = self.b();
        let (least, most) = (x.i64(least as u64), x.i64(most as u64));
        let below = x.compare(Compare::SLt, value, least);
        let value = x.select(below, least, value);
        let above = x.compare(Compare::SLt, most, value);
        x.select(above, most, value)
    }

    fn holds(&mut self, inst: &Inst, a: Source, b: Source) -> Result<Value> {
        let word = inst.mods.words[1..].iter().find_map(|w| {
            let compare = match *w {
                "eq" => Compare::Eq,
                "ne" => Compare::Ne,
                "lt" => Compare::SLt,
                "le" => Compare::SLe,
                "gt" => Compare::SGt,
                "ge" => Compare::SGe,
                _ => return None,
            };
            Some(compare)
        });
        let compare = word.ok_or(Refusal::Missing("the comparison"))?;
        if a.signed != b.signed {
            let (a, b) = (self.wide(a), self.wide(b));
            return Ok(self.b().compare(compare, a, b));
        }
        let compare = match (a.signed, compare) {
            (true, compare) => compare,
            (false, Compare::SLt) => Compare::ULt,
            (false, Compare::SLe) => Compare::ULe,
            (false, Compare::SGt) => Compare::UGt,
            (false, Compare::SGe) => Compare::UGe,
            (false, compare) => compare,
        };
        Ok(self.b().compare(compare, a.value, b.value))
    }

    /// `c` with one part of it replaced by the low bits of a value.
    fn merge(&mut self, c: Value, value: Value, place: &Pieces) -> Value {
        let bytes = u32::from(place.width) / 8;
        let first = u32::from(place.numbers()[0]) * bytes;
        let inside = |i: u32| (first..first + bytes).contains(&i);
        let selector = (0..4).map(|i| (if inside(i) { 4 + i - first } else { i }) << (4 * i)).sum();
        let selector = self.b().i32(selector);
        self.b().same(Op::Permute, &[c, value, selector])
    }

    fn video_product(&mut self, inst: &Inst, types: [T; 3]) -> Result<Value> {
        let says = |word: &str| inst.mods.words[1..].contains(&word);
        let negated = |i: usize| matches!(inst.operands.get(i), Some(Operand::Negated(_)));
        let [_, first, second] = types;
        let (product, addend) = (negated(1) != negated(2), negated(3));
        let signed = first.signed() || second.signed() || product || addend;
        let scale = if says("shr7") {
            7
        } else if says("shr15") {
            15
        } else {
            0
        };
        let (a, b) = (self.source_part(inst, 1, first)?, self.source_part(inst, 2, second)?);
        let c = self.source_part(inst, 3, T::U(32))?.value;
        if scale == 0 && !says("sat") {
            let mut x = self.b();
            let value = x.mul(a.value, b.value);
            let value = if product {
                x.sub(c, value)
            } else if addend {
                x.sub(value, c)
            } else {
                x.add(value, c)
            };
            if !says("po") {
                return Ok(value);
            }
            let one = x.i32(1);
            return Ok(x.add(value, one));
        }
        let unsigned = !a.signed && !b.signed;
        if says("sat") && unsigned && signed {
            return Err(Refusal::Unsupported("a product of unsigned words that is negated and saturates"));
        }
        // The sum has at most 64 bits, signed or not as it is at the end.
        let mut value = if a.signed == b.signed {
            self.b().value(Op::MulWide { signed: a.signed }, &[a.value, b.value], Type::I64)
        } else {
            let (a, b) = (self.wide(a), self.wide(b));
            self.b().mul(a, b)
        };
        let mut x = self.b();
        let mut carry = says("po");
        let mut c = c;
        if !carry && product {
            (value, carry) = (x.not(value), true);
        } else if !carry && addend {
            (c, carry) = (x.not(c), true);
        }
        let c = if signed { x.sext(c, Type::I64) } else { x.zext(c, Type::I64) };
        value = x.add(value, c);
        if carry {
            let one = x.i64(1);
            value = x.add(value, one);
        }
        if !says("sat") {
            let shifted = x.lshr_by(value, scale);
            return Ok(x.low(shifted));
        }
        if signed {
            let shifted = x.ashr_by(value, scale);
            let clamped = self.clamp(shifted, true, 32);
            return Ok(self.b().low(clamped));
        }
        let shifted = x.lshr_by(value, scale);
        let most = x.i64(u32::MAX.into());
        let above = x.compare(Compare::ULt, most, shifted);
        let clamped = x.select(above, most, shifted);
        Ok(x.low(clamped))
    }

    fn video_lanes(&mut self, inst: &Inst, what: &str, types: [T; 3], bits: u32) -> Result<Value> {
        let [result, first, second] = types;
        let count = 32 / bits;
        let o = &inst.operands;
        let (a, a_lanes) = self.lanes_of(operand(o, 1)?, 0, count)?;
        let (b, b_lanes) = self.lanes_of(operand(o, 2)?, count, count)?;
        let c = self.value(operand(o, 3)?, WORD)?;
        let mask: Vec<u32> = match &o[0] {
            Operand::Pieces(_, mask) => mask.numbers().iter().map(|n| u32::from(*n)).collect(),
            _ => (0..count).collect(),
        };
        let accumulates = inst.mods.words.last() == Some(&"add");
        let mut sum = c;
        let mut lanes = Vec::new();
        for &lane in &mask {
            let x = self.lane(&[a, b], a_lanes[lane as usize], bits, first.signed());
            let y = self.lane(&[a, b], b_lanes[lane as usize], bits, second.signed());
            let mut value = self.lane_result(inst, what, x, y)?;
            if inst.mods.words.contains(&"sat") {
                let (least, most) = match result.signed() {
                    true => (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1),
                    false => (0, (1i32 << bits) - 1),
                };
                let (least, most) = (self.b().i32(least as u32), self.b().i32(most as u32));
                value = self.b().same(Op::Max { signed: true }, &[value, least]);
                value = self.b().same(Op::Min { signed: true }, &[value, most]);
            }
            if accumulates {
                sum = self.b().add(sum, value);
            }
            lanes.push((lane, value));
        }
        Ok(if accumulates { sum } else { self.lanes_together(c, &lanes, bits) })
    }

    /// A source of lanes as a word, and which of the lanes of both words its selector names.
    fn lanes_of(&mut self, operand: &Operand, first: u32, count: u32) -> Result<(Value, Vec<u32>)> {
        Ok(match operand {
            Operand::Pieces(register, pieces) => {
                (self.register(*register), pieces.numbers().iter().map(|n| u32::from(*n)).collect())
            }
            other => (self.value(other, WORD)?, (first..first + count).collect()),
        })
    }

    /// A lane of two words side by side, extended.
    fn lane(&mut self, words: &[Value; 2], at: u32, bits: u32, signed: bool) -> Value {
        let count = 32 / bits;
        self.piece(words[(at / count) as usize], bits, at % count, signed)
    }

    fn lane_result(&mut self, inst: &Inst, what: &str, a: Value, b: Value) -> Result<Value> {
        if what == "vset" {
            // Lanes are small enough to be signed numbers, whatever they were extended by.
            let holds =
                self.holds(inst, Source { value: a, signed: true }, Source { value: b, signed: true })?;
            return Ok(self.b().zext(holds, Type::I32));
        }
        let mut x = self.b();
        Ok(match what {
            "vadd" => x.add(a, b),
            "vsub" => x.sub(a, b),
            "vabsdiff" => {
                let difference = x.sub(a, b);
                x.same(Op::Abs, &[difference])
            }
            "vmin" => x.same(Op::Min { signed: true }, &[a, b]),
            "vmax" => x.same(Op::Max { signed: true }, &[a, b]),
            "vavrg" => {
                // Half a sum, away from zero where it is none: one more unless it is negative.
                let sum = x.add(a, b);
                let sign = x.ashr_by(sum, 31);
                let one = x.i32(1);
                let up = x.add(sum, one);
                let rounded = x.add(up, sign);
                x.ashr_by(rounded, 1)
            }
            _ => return Err(Refusal::Unknown("this operation")),
        })
    }

    /// `c` with the low bits of values in the place of some of its lanes.
    fn lanes_together(&mut self, c: Value, lanes: &[(u32, Value)], bits: u32) -> Value {
        let bytes = bits / 8;
        let mut value = c;
        for &(lane, part) in lanes {
            let first = lane * bytes;
            let inside = |i: u32| (first..first + bytes).contains(&i);
            let selector = (0..4).map(|i| (if inside(i) { 4 + i - first } else { i }) << (4 * i)).sum();
            let selector = self.b().i32(selector);
            value = self.b().same(Op::Permute, &[value, part, selector]);
        }
        value
    }
}
