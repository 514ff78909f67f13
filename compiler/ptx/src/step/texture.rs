//! Textures and surfaces: which opaque operation each instruction is.
//!
//! Source: the PTX ISA's sections of `tex`, `tld4`, `txq`, `suld`, `sust`, `sured`, `suq`, `istypep`. What the ISA leaves to the machine is as
//! ptxas has it: a texture without levels named is read at level -32, which is clamped to the base; one row stands for one dimension.

use super::{Done, PtxState, Step};
use crate::checked::{Op, Operand, Type};
use sassafras_semantics::{
    Approximation, BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Opaque,
};

/// The level of `tex` without `.level`: -32.
const BASE: u32 = 0xc200_0000;
/// The last layer.
const LAST: u32 = 0xffff;
/// The tags of handles, in their upper words.
const TAGS: [(&str, u32); 3] = [("texref", 29), ("samplerref", 30), ("surfref", 31)];

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    fn named(&self, what: &str) -> bool {
        self.inst.mods.words.contains(&what)
    }

    fn first_of(&self, all: &[&'static str]) -> Done<&'static str> {
        all.iter().copied().find(|w| self.named(w)).ok_or_else(|| self.unsupported())
    }

    fn perform(&mut self, name: &str, arguments: &[D::V]) -> Done<Vec<D::V>> {
        let op = Opaque::named(name).ok_or_else(|| self.unsupported())?;
        self.state.opaque(self.d, op, arguments)
    }

    /// The low word of a handle of 64 bits, which is all that the machine looks at.
    fn handle(&mut self, operand: &Operand) -> Done<D::V> {
        let handle = self.value(operand, 64)?;
        Ok(self.d.extract(&handle, 0, 32))
    }

    /// Words as arguments: two or four side by side, the first lowest, one or three by themselves.
    fn arguments(&self, words: Vec<D::V>) -> Vec<D::V> {
        let pair = |two: &[D::V]| self.d.concat(&two[1], &two[0]);
        match words.len() {
            2 => vec![pair(&words)],
            4 => vec![self.d.concat(&pair(&words[2..]), &pair(&words[..2]))],
            _ => words,
        }
    }

    /// The words of a vector operand.
    fn words(&mut self, operand: &Operand) -> Done<Vec<D::V>> {
        let Operand::Vector(items) = operand else { return Err(self.unsupported()) };
        items.iter().map(|item| self.value(item, 32)).collect()
    }

    fn layer(&self, index: &D::V) -> D::V {
        let last = self.d.constant(32, LAST.into());
        let beyond = self.d.compare(CompareOp::ULt, &last, index);
        self.d.ite(&beyond, &last, index)
    }

    /// The direction into a cube, scaled by about the reciprocal of its greatest component.
    fn direction(&self, at: &[D::V]) -> Vec<D::V> {
        let (d, format, mode) = (self.d, FloatFormat::F32, FloatMode::default());
        let size = |v: &D::V| d.and(v, &d.constant(32, 0x7fff_ffff));
        let sizes: Vec<D::V> = at.iter().map(size).collect();
        let greatest = d.float(FloatOp::Max, format, mode, &[&sizes[0], &sizes[1]]);
        let greatest = d.float(FloatOp::Max, format, mode, &[&sizes[2], &greatest]);
        let scale = d.approximate(Approximation::Rcp, true, &greatest);
        at.iter().map(|v| d.float(FloatOp::Mul, format, mode, &[v, &scale])).collect()
    }

    /// Offsets in fields of so many bits, `apart` bits from one another. The first is the whole word, into which the others are put.
    fn offsets(&self, all: &[D::V], bits: u32, apart: u32) -> Done<D::V> {
        let (first, rest) = all.split_first().ok_or_else(|| self.unsupported())?;
        let put = |word: D::V, (i, v): (u32, &D::V)| self.put(&word, v, i * apart, bits);
        Ok((1..).zip(rest).fold(first.clone(), put))
    }

    /// `word` with the low bits of `v` in a field.
    fn put(&self, word: &D::V, v: &D::V, at: u32, bits: u32) -> D::V {
        let d = self.d;
        let mask = d.constant(32, ((1u128 << bits) - 1) << at);
        let moved = d.and(&d.binary(BinaryOp::Shl, v, &d.constant(32, at.into())), &mask);
        d.or(&moved, &d.and(word, &d.not(&mask)))
    }

    /// `tex` and `tld4`.
    pub(super) fn texture(&mut self) -> Done<()> {
        let d = self.d;
        let geometry = self.first_of(&["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"])?;
        let Operand::Pair(handle, at) = self.operand(1)? else { return Err(self.unsupported()) };
        let handle = d.zext(&self.handle(handle)?, 64);
        let given = self.words(at)?;
        let whole = self.inst.types.get(1) != Some(&Type::F(FloatFormat::F32));
        let (gather, level, slopes) = (self.inst.op == Op::Tld4, self.named("level"), self.named("grad"));
        let used = match geometry {
            "1d" => 1,
            "2d" | "a1d" => 2,
            "3d" | "a2d" | "cube" | "2dms" => 3,
            _ => 4,
        };
        let mut at: Vec<D::V> = given.into_iter().take(used).collect();
        let sample = if geometry.ends_with("dms") { Some(at.remove(0)) } else { None };
        let (array, dimensions) = match geometry.strip_prefix('a') {
            Some(rest) => (true, rest),
            None => (false, geometry),
        };
        let dimensions = dimensions.strip_suffix("ms").unwrap_or(dimensions);
        if array {
            at[0] = self.layer(&at[0]);
        }
        let first = usize::from(array);
        if dimensions == "cube" {
            let scaled = self.direction(&at[first..]);
            at.truncate(first);
            at.extend(scaled);
        }
        // What stands behind the coordinates, by its kind.
        let mut next = 2;
        let mut extras = Vec::new();
        let mut directions = None;
        if slopes {
            directions = Some((self.words_at(next)?, self.words_at(next + 1)?));
            next += 2;
        } else if level {
            extras.push(self.source(next, Type::B(32))?);
            next += 1;
        } else if !gather && !whole {
            extras.push(d.constant(32, BASE.into()));
        }
        let mut name = String::new();
        let mut offset = None;
        if let Some(operand @ Operand::Vector(_)) = self.inst.operands.get(next) {
            let mut all = self.words(operand)?;
            // The fourth of three dimensions is not looked at.
            all.truncate(3);
            let (bits, apart) = if gather { (6, 8) } else { (4, 4) };
            offset = Some(self.offsets(&all, bits, apart)?);
            name += ".offset";
            next += 1;
        }
        if let Some(operand) = self.inst.operands.get(next) {
            let compared = self.value(operand, 32)?;
            extras.extend(offset.take());
            extras.push(compared);
            name += ".compare";
        }
        let one_row = !whole && geometry == "1d";
        if one_row {
            at.push(d.constant(32, 0));
        }
        let shape = match (array, dimensions) {
            (false, "1d") if one_row => "2d".to_owned(),
            (false, other) => other.to_owned(),
            (true, other) => format!("a{other}"),
        };
        let name = if let Some((x, y)) = directions {
            if name.contains("compare") || !matches!(&*shape, "2d" | "a1d" | "a2d") {
                return Err(self.unsupported());
            }
            // The layer comes last, and the offsets stand above it.
            let mut last = if array { Some(at.remove(0)) } else { None };
            if let Some(offset) = offset.take() {
                let layer = last.unwrap_or_else(|| d.constant(32, 0));
                last = Some(self.put(&layer, &offset, 16, 12));
            }
            at.extend(last);
            for (x, y) in x.into_iter().zip(y) {
                extras.extend([x, y]);
            }
            if one_row {
                extras.extend([d.constant(32, 0), d.constant(32, 0)]);
            }
            format!("texture.slopes.{shape}{name}")
        } else if gather {
            format!("gather.{}.{shape}{name}", self.first_of(&["r", "g", "b", "a"])?)
        } else if let Some(sample) = sample {
            extras.push(sample);
            format!("fetch.sample.{shape}{name}")
        } else if whole {
            format!("fetch.{}.{shape}{name}", if level { "level" } else { "base" })
        } else {
            format!("texture.level.{shape}{name}")
        };
        extras.extend(offset);
        let mut arguments = vec![handle];
        arguments.extend(self.arguments(at));
        arguments.extend(self.arguments(extras));
        let results = self.perform(&name, &arguments)?;
        self.result(&results[0])?;
        let resident = d.not(&results[1]);
        self.second_result(&resident)
    }

    fn words_at(&mut self, index: usize) -> Done<Vec<D::V>> {
        let operand = self.operand(index)?;
        self.words(operand)
    }

    /// `txq` and `suq`. All but sizes stands in a table of the driver.
    pub(super) fn texture_query(&mut self) -> Done<()> {
        let d = self.d;
        let place = match self.first_of(&["width", "height", "depth"])? {
            "width" => 0,
            "height" => 32,
            _ => 64,
        };
        let handle = self.address(1)?;
        let handle = d.zext(&d.extract(&handle, 0, 32), 64);
        let level = if self.named("level") { self.source(2, Type::B(32))? } else { d.constant(32, 0) };
        let sizes = self.perform("texquery", &[handle, level])?;
        let size = d.extract(&sizes[0], place, 32);
        self.result(&size)
    }

    /// `suld`, `sust`, `sured`.
    pub(super) fn surface(&mut self) -> Done<()> {
        let d = self.d;
        let geometry = self.first_of(&["1d", "2d", "3d", "a1d", "a2d"])?;
        let outside = self.first_of(&["clamp", "trap", "zero"])?;
        let load = self.inst.op == Op::Suld;
        let Operand::Pair(handle, at) = self.operand(usize::from(load))? else {
            return Err(self.unsupported());
        };
        let handle = self.handle(handle)?;
        let mut at = self.words(at)?;
        at.truncate(match geometry {
            "1d" => 1,
            "2d" | "a1d" => 2,
            _ => 3,
        });
        if geometry.starts_with('a') {
            // The layer comes last.
            at.rotate_left(1);
        }
        let mut arguments = vec![handle];
        arguments.extend(self.arguments(at));
        let system = if self.named("cg") || self.named("cv") || self.named("wt") { ".sys" } else { "" };
        let width = self.ty().width() * self.inst.mods.lanes();
        let pixels = self.named("p");
        if self.inst.op == Op::Sured {
            let value = self.source(1, self.ty())?;
            let what = self.first_of(&["add", "min", "max", "and", "or"])?;
            let name = match (pixels, what, self.ty()) {
                (true, what, Type::B(32)) => format!("pixel.{what}.{geometry}"),
                (false, "min" | "max", Type::S(_)) => format!("s{what}.{geometry}.b{width}"),
                (false, "min" | "max", _) => format!("u{what}.{geometry}.b{width}"),
                (false, what, _) => format!("{what}.{geometry}.b{width}"),
                _ => return Err(self.unsupported()),
            };
            arguments.push(value);
            self.perform(&format!("surface.reduce.{name}.{outside}"), &arguments)?;
            return Ok(());
        }
        if load {
            let name = format!("surface.load{system}.{geometry}.b{width}.{outside}");
            let value = self.perform(&name, &arguments)?;
            let value = d.extract(&value[0], 0, width);
            return self.result(&value);
        }
        let operand = self.operand(1)?;
        let value = self.value(operand, width.max(16))?;
        let name = match (pixels, width) {
            (false, _) => format!("store{system}.{geometry}.b{width}"),
            (true, 32) => format!("pixels.{geometry}.r"),
            (true, 64) => format!("pixels.{geometry}.rg"),
            (true, _) => format!("pixels.{geometry}.rgba"),
        };
        arguments.push(value);
        self.perform(&format!("surface.{name}.{outside}"), &arguments)?;
        Ok(())
    }

    /// What a handle names stands in a bit of its upper word.
    pub(super) fn handle_type(&mut self) -> Done<()> {
        let word = self.first_of(&["texref", "samplerref", "surfref"])?;
        let (_, bit) = TAGS.iter().find(|(name, _)| *name == word).ok_or_else(|| self.unsupported())?;
        let handle = self.source(1, Type::B(64))?;
        let is = self.d.extract(&handle, 32 + bit, 1);
        self.result(&is)
    }
}
