//! Scalar and SIMD video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").

use super::{Done, PtxState, Step};
use crate::checked::{Operand, Pieces, Type};
use sassafras_semantics::{BinaryOp, CompareOp, Domain};

/// Bits of the intermediate result of a scalar instruction.
const SCALAR: u32 = 34;

/// Why a comparison of an intermediate result that is not of the destination's type has no value: the PTX ISA calls it a signed number of 34
/// bits, and says that its sign depends on the destination's type.
const UNFIT: &str = "a minimum or maximum with an intermediate result that does not fit its type";

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn video(&mut self) -> Done<()> {
        let root = self.inst.mods.words.first().copied().unwrap_or_default();
        if root == "vmad" {
            return self.video_product();
        }
        match root.strip_suffix(['2', '4']) {
            Some(what) => self.video_lanes(what, if root.ends_with('2') { 16 } else { 8 }),
            None => self.video_scalar(root),
        }
    }

    /// The types of the result and of the two sources; what `vset` finds is unsigned.
    fn video_types(&self) -> Done<[Type; 3]> {
        match self.inst.types[..] {
            [a, b] => Ok([Type::U(32), a, b]),
            [d, a, b] => Ok([d, a, b]),
            _ => Err(self.unsupported()),
        }
    }

    /// `partSelectSignExtend`: a source, or the part of it that is named, extended by its type.
    fn part(&mut self, index: usize, ty: Type, width: u32) -> Done<D::V> {
        let d = self.d;
        let mut operand = self.operand(index)?;
        if let Operand::Negated(inner) = operand {
            operand = inner;
        }
        let part = match operand {
            Operand::Pieces(register, pieces) => {
                let [at] = pieces.numbers() else { return Err(self.unsupported()) };
                let bits = u32::from(pieces.width);
                let whole = self.state.read(d, *register)?;
                d.extract(&whole, u32::from(*at) * bits, bits)
            }
            _ => self.value(operand, 32)?,
        };
        Ok(self.extend(&part, width, ty.signed()))
    }

    fn video_scalar(&mut self, root: &str) -> Done<()> {
        let d = self.d;
        let [result, first, second] = self.video_types()?;
        let (a, b) = (self.part(1, first, SCALAR)?, self.part(2, second, SCALAR)?);
        let mut t = match root {
            "vadd" => d.add(&a, &b),
            "vsub" => d.sub(&a, &b),
            "vabsdiff" => self.magnitude(&d.sub(&a, &b)),
            "vmin" => self.extremum(true, &a, &b, true),
            "vmax" => self.extremum(false, &a, &b, true),
            "vset" => d.zext(&self.video_compare(&a, &b)?, SCALAR),
            "vshl" | "vshr" => {
                let n = if self.says("wrap") {
                    d.and(&b, &d.constant(SCALAR, 31))
                } else {
                    self.extremum(true, &b, &d.constant(SCALAR, 32), false)
                };
                d.binary(if root == "vshl" { BinaryOp::Shl } else { BinaryOp::AShr }, &a, &n)
            }
            _ => return Err(self.unsupported()),
        };
        let place = match self.operand(0)? {
            Operand::Pieces(_, pieces) => Some(*pieces),
            _ => None,
        };
        if self.says("sat") {
            t = self.clamp(&t, result.signed(), place.map_or(32, |p| p.width.into()));
        }
        let low = d.extract(&t, 0, 32);
        let value = match place {
            Some(pieces) => {
                let c = self.source(3, Type::B(32))?;
                self.merge(&c, &pieces, &low)?
            }
            None if self.operands() == 3 => low,
            None => {
                let c = self.source(3, Type::B(32))?;
                match self.inst.mods.words.last() {
                    Some(&"add") => d.add(&low, &c),
                    Some(&word @ ("min" | "max")) => {
                        let signed = result.signed();
                        let chosen = self.extremum(word == "min", &low, &c, signed);
                        let fits = d.eq(&self.extend(&low, SCALAR, signed), &t);
                        match d.as_constant(&fits) {
                            Some(1) => chosen,
                            _ => d.ite(&fits, &chosen, &d.undef(32, UNFIT)),
                        }
                    }
                    // Neither merged nor operated with: `optMerge` gives the result as it is.
                    _ => low,
                }
            }
        };
        self.video_result(&value)
    }

    /// `vmad`. Sums have at most 64 bits, signed or not as they are at the end, but for those with a product of unsigned words that is signed
    /// at the end: 72 hold them.
    fn video_product(&mut self) -> Done<()> {
        let d = self.d;
        let [_, first, second] = self.video_types()?;
        let negated = |step: &Self, i: usize| Ok(matches!(step.operand(i)?, Operand::Negated(_)));
        let (product, addend) = (negated(self, 1)? != negated(self, 2)?, negated(self, 3)?);
        let signed = first.signed() || second.signed() || product || addend;
        let width = if signed && !first.signed() && !second.signed() && self.says("sat") { 72 } else { 64 };
        let (a, b) = (self.part(1, first, width)?, self.part(2, second, width)?);
        let mut t = d.mul(&a, &b);
        let mut c = self.part(3, Type::U(32), 32)?;
        let mut carry = self.says("po");
        if !carry && product {
            (t, carry) = (d.not(&t), true);
        } else if !carry && addend {
            (c, carry) = (d.not(&c), true);
        }
        t = d.add(&t, &self.extend(&c, width, signed));
        t = d.add(&t, &d.constant(width, carry.into()));
        let scale = if self.says("shr7") {
            7
        } else if self.says("shr15") {
            15
        } else {
            0
        };
        let value = match (self.says("sat"), signed) {
            (false, _) => d.extract(&t, scale, 32),
            (true, true) => {
                let t = d.binary(BinaryOp::AShr, &t, &d.constant(width, scale.into()));
                d.extract(&self.clamp(&t, true, 32), 0, 32)
            }
            (true, false) => {
                let t = d.binary(BinaryOp::LShr, &t, &d.constant(width, scale.into()));
                d.extract(&self.extremum(true, &t, &d.constant(width, u32::MAX.into()), false), 0, 32)
            }
        };
        self.video_result(&value)
    }

    fn video_lanes(&mut self, what: &str, bits: u32) -> Done<()> {
        let d = self.d;
        let [result, first, second] = self.video_types()?;
        let count = 32 / bits;
        // One bit for the sign of an unsigned lane, and one for a sum.
        let width = bits + 2;
        let (a, b) = (self.lanes_of(1)?, self.lanes_of(2)?);
        let pool = d.concat(&b, &a);
        let chosen = |step: &Self, index: usize, lane: u32| -> Done<u32> {
            Ok(match step.operand(index)? {
                Operand::Pieces(_, pieces) => pieces.numbers()[lane as usize].into(),
                _ => lane + if index == 2 { count } else { 0 },
            })
        };
        let c = self.source(3, Type::B(32))?;
        let written = match self.operand(0)? {
            Operand::Pieces(_, mask) => Some(*mask),
            _ => None,
        };
        let accumulates = self.inst.mods.words.last() == Some(&"add");
        let mut value = c.clone();
        for lane in 0..count {
            let at = |i: u32| d.extract(&pool, i * bits, bits);
            let x = self.extend(&at(chosen(self, 1, lane)?), width, first.signed());
            let y = self.extend(&at(chosen(self, 2, lane)?), width, second.signed());
            let mut t = match what {
                "vadd" => d.add(&x, &y),
                "vsub" => d.sub(&x, &y),
                "vabsdiff" => self.magnitude(&d.sub(&x, &y)),
                "vmin" => self.extremum(true, &x, &y, true),
                "vmax" => self.extremum(false, &x, &y, true),
                "vset" => d.zext(&self.video_compare(&x, &y)?, width),
                "vavrg" => {
                    let sum = d.add(&x, &y);
                    let up = d.add(&sum, &d.constant(width, 1));
                    let rounded = d.ite(&self.is_negative(&sum), &sum, &up);
                    d.binary(BinaryOp::AShr, &rounded, &d.constant(width, 1))
                }
                _ => return Err(self.unsupported()),
            };
            if self.says("sat") {
                t = self.clamp(&t, result.signed(), bits);
            }
            if written.is_some_and(|mask| !mask.numbers().contains(&(lane as u8))) {
                continue;
            }
            value = if accumulates {
                d.add(&value, &d.sext(&t, 32))
            } else {
                self.replaced(&value, lane * bits, &d.extract(&t, 0, bits))
            };
        }
        self.video_result(&value)
    }

    /// The register or constant whose lanes a source names.
    fn lanes_of(&mut self, index: usize) -> Done<D::V> {
        match self.operand(index)? {
            Operand::Pieces(register, _) => self.state.read(self.d, *register),
            other => self.value(other, 32),
        }
    }

    fn video_compare(&self, a: &D::V, b: &D::V) -> Done<D::V> {
        let d = self.d;
        let holds = |word: &str| self.says(word);
        let less = |x: &D::V, y: &D::V| d.compare(CompareOp::SLt, x, y);
        Ok(match () {
            () if holds("eq") => d.eq(a, b),
            () if holds("ne") => d.not(&d.eq(a, b)),
            () if holds("lt") => less(a, b),
            () if holds("ge") => d.not(&less(a, b)),
            () if holds("gt") => less(b, a),
            () if holds("le") => d.not(&less(b, a)),
            () => return Err(self.unsupported()),
        })
    }

    fn magnitude(&self, value: &D::V) -> D::V {
        self.d.ite(&self.is_negative(value), &self.d.neg(value), value)
    }

    /// `CLAMP` to the range of `bits` bits, of a signed value.
    fn clamp(&self, value: &D::V, signed: bool, bits: u32) -> D::V {
        let width = self.d.width(value);
        let (least, most) = match signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let limit = |n: i128| self.d.constant(width, n as u128);
        let value = self.extremum(false, value, &limit(least), true);
        self.extremum(true, &value, &limit(most), true)
    }

    /// `optMerge`: `c` with one part of it replaced by the low bits of `value`.
    fn merge(&self, c: &D::V, place: &Pieces, value: &D::V) -> Done<D::V> {
        let [at] = place.numbers() else { return Err(self.unsupported()) };
        let bits = u32::from(place.width);
        Ok(self.replaced(c, u32::from(*at) * bits, &self.d.extract(value, 0, bits)))
    }

    /// `whole` with the bits from `low` on replaced.
    fn replaced(&self, whole: &D::V, low: u32, part: &D::V) -> D::V {
        let (d, all) = (self.d, self.d.width(whole));
        let end = low + d.width(part);
        let mut value = part.clone();
        if low > 0 {
            value = d.concat(&value, &d.extract(whole, 0, low));
        }
        if end < all {
            value = d.concat(&d.extract(whole, end, all - end), &value);
        }
        value
    }

    /// Sets the destination, of which a part may be named: the other operand has been merged already.
    fn video_result(&mut self, value: &D::V) -> Done<()> {
        match self.operand(0)? {
            Operand::Pieces(register, _) => self.set(*register, value, false),
            _ => self.result(value),
        }
    }
}
