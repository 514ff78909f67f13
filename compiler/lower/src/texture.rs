//! Textures and surfaces, as opaque operations.
//!
//! As ptxas has it: one row of a texture is one of two dimensions with y zero, unless its coordinates are integers; a texture without a level
//! named is read at level -32, which is clamped to the base; the index of a layer is at most 65535; a direction into a cube is scaled by about
//! the reciprocal of its greatest component.

use crate::context::{Context, Result};
use crate::operand::{operand, pair};
use crate::refusal::Refusal;
use sassafras_ir::{Compare, Op, Type, Value};
use sassafras_ptx::checked::{AddressBase, Inst, Op as P, Operand, Type as T};
use sassafras_semantics::{Approximation, FloatFormat, FloatMode, Opaque};

const BASE_LEVEL: u32 = (-32f32).to_bits();
const LAST_LAYER: u32 = 0xffff;

fn has(inst: &Inst, word: &str) -> bool {
    inst.mods.words.contains(&word)
}

/// The word of a list that the instruction has.
fn one_of(inst: &Inst, words: &[&'static str]) -> Result<&'static str> {
    words.iter().copied().find(|w| has(inst, w)).ok_or(Refusal::Unsupported("this form"))
}

fn named(name: &str) -> Result<Opaque> {
    Opaque::named(name).ok_or_else(|| Refusal::UnsupportedName(name.to_owned()))
}

/// Handle and coordinates of an operand.
fn place(operand: &Operand) -> Result<(&Operand, &[Box<Operand>])> {
    match operand {
        Operand::Pair(handle, at) => match &**at {
            Operand::Vector(items) => Ok((handle, items)),
            _ => Err(Refusal::Malformed("the coordinates are no vector")),
        },
        _ => Err(Refusal::Missing("a texture or surface with coordinates")),
    }
}

/// A vector's elements.
fn items(operand: &Operand) -> Result<&[Box<Operand>]> {
    match operand {
        Operand::Vector(items) => Ok(items),
        _ => Err(Refusal::Missing("a vector")),
    }
}

impl Context<'_, '_> {
    fn each(&mut self, items: &[Box<Operand>]) -> Result<Vec<Value>> {
        items.iter().map(|item| self.value(item, T::B(32))).collect()
    }

    /// The low word of a handle.
    fn handle(&mut self, handle: &Operand) -> Result<Value> {
        let value = self.value(handle, T::U(64))?;
        Ok(self.b().low(value))
    }

    /// Words as arguments: two or four are one.
    fn beside(&mut self, words: Vec<Value>, to: &mut Vec<Value>) {
        match words.len() {
            2 | 4 => to.push(self.b().value(Op::Concat, &words, Type(32 * words.len() as u8))),
            _ => to.extend(words),
        }
    }

    fn scaled(&mut self, at: &[Value]) -> Vec<Value> {
        let format = FloatFormat::F32;
        let sizes: Vec<Value> = at.iter().map(|&v| self.b().same(Op::FAbs(format), &[v])).collect();
        let max = Op::FMax { format, ftz: false, nan: false };
        let greatest = self.b().same(max, &[sizes[0], sizes[1]]);
        let greatest = self.b().same(max, &[sizes[2], greatest]);
        let function = Approximation::Rcp;
        let scale = self.b().value(Op::Approximate { function, ftz: true }, &[greatest], Type::I32);
        at.iter().map(|&v| self.b().same(Op::FMul(format, FloatMode::default()), &[v, scale])).collect()
    }

    /// Offsets, each but the first in its field; the first fills the word, as ptxas has it.
    fn offset_word(&mut self, all: &[Value], gather: bool) -> Value {
        let (mask, apart) = if gather { (0x3f, 8) } else { (0xf, 4) };
        let mut word = all[0];
        for (i, &offset) in (1..).zip(&all[1..]) {
            word = self.insert(word, offset, mask << (i * apart), i * apart);
        }
        word
    }

    /// `word` with `value`, moved to the left, under a mask.
    fn insert(&mut self, word: Value, value: Value, mask: u32, left: u32) -> Value {
        let moved = self.b().shl_by(value, left);
        let (mask, rest) = (self.b().i32(mask), self.b().i32(!mask));
        let (moved, word) = (self.b().and(moved, mask), self.b().and(word, rest));
        self.b().or(moved, word)
    }

    /// `tex` and `tld4`.
    pub(crate) fn texture(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let geometry = one_of(inst, &["1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"])?;
        let (handle, coordinates) = place(operand(o, 1)?)?;
        let handle = self.handle(handle)?;
        let handle = self.b().zext(handle, Type::I64);
        let whole = inst.types.get(1) != Some(&T::F(FloatFormat::F32));
        let gather = inst.op == P::Tld4;
        let count = match geometry {
            "1d" => 1,
            "2d" | "a1d" => 2,
            "acube" | "a2dms" => 4,
            _ => 3,
        };
        let mut at = self.each(&coordinates[..count])?;
        let sample = geometry.ends_with("ms").then(|| at.remove(0));
        let array = geometry.starts_with('a');
        if array {
            let last = self.b().i32(LAST_LAYER);
            let beyond = self.b().compare(Compare::ULt, last, at[0]);
            at[0] = self.b().select(beyond, last, at[0]);
        }
        if geometry.ends_with("cube") {
            let scaled = self.scaled(&at[usize::from(array)..]);
            at.splice(usize::from(array).., scaled);
        }
        let one_row = geometry == "1d" && !whole;
        let mut rest = o[2..].iter().peekable();
        let mut behind = Vec::new();
        let mut slopes = None;
        if has(inst, "grad") {
            let (Some(x), Some(y)) = (rest.next(), rest.next()) else {
                return Err(Refusal::MissingSeveral("the slopes"));
            };
            slopes = Some((self.each(items(x)?)?, self.each(items(y)?)?));
        } else if has(inst, "level") {
            let level = rest.next().ok_or(Refusal::Missing("the level"))?;
            behind.push(self.value(level, T::B(32))?);
        } else if !gather && !whole {
            behind.push(self.b().i32(BASE_LEVEL));
        }
        let mut words = String::new();
        let mut offset = None;
        if let Some(all) = rest.next_if(|o| matches!(o, Operand::Vector(_))) {
            let all = items(all)?;
            let all = self.each(&all[..all.len().min(3)])?;
            offset = Some(self.offset_word(&all, gather));
            words += ".offset";
        }
        if let Some(compared) = rest.next() {
            behind.extend(offset.take());
            behind.push(self.value(compared, T::B(32))?);
            words += ".compare";
        }
        if one_row {
            at.push(self.b().i32(0));
        }
        let shape = if one_row { "2d" } else { geometry.trim_end_matches("ms") };
        let name = match (slopes, sample) {
            (Some((x, y)), _) => {
                if !matches!(shape, "2d" | "a1d" | "a2d") {
                    return Err(Refusal::UnsupportedSeveral("slopes in three dimensions"));
                }
                let mut last = array.then(|| at.remove(0));
                if let Some(offset) = offset.take() {
                    let layer = match last {
                        None => self.b().i32(0),
                        Some(layer) => layer,
                    };
                    last = Some(self.insert(layer, offset, 0xfff_0000, 16));
                }
                at.extend(last);
                behind = x.into_iter().zip(y).flat_map(|(x, y)| [x, y]).collect();
                if one_row {
                    let zero = self.b().i32(0);
                    behind.extend([zero, zero]);
                }
                format!("texture.slopes.{shape}{words}")
            }
            (None, Some(sample)) => {
                behind.push(sample);
                format!("fetch.sample.{shape}")
            }
            (None, None) if gather => {
                format!("gather.{}.{shape}{words}", one_of(inst, &["r", "g", "b", "a"])?)
            }
            (None, None) if whole && has(inst, "level") => format!("fetch.level.{shape}{words}"),
            (None, None) if whole => format!("fetch.base.{shape}{words}"),
            (None, None) => format!("texture.level.{shape}{words}"),
        };
        behind.extend(offset);
        let mut args = vec![handle];
        self.beside(at, &mut args);
        self.beside(behind, &mut args);
        let op = named(&format!("{name}.each"))?;
        let (texel, missing) = self.b().pair(Op::Opaque(op), &args, [Type::I128, Type::I1]);
        let (to, resident) = pair(operand(o, 0)?);
        let there = resident.is_some().then(|| self.b().not(missing));
        self.write(to, texel, false)?;
        match (resident, there) {
            (Some(resident), Some(there)) => self.write(resident, there, false),
            _ => Ok(()),
        }
    }

    /// `txq` and `suq`.
    pub(crate) fn texture_query(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let at = match ["width", "height", "depth"].iter().position(|w| has(inst, w)) {
            Some(at) => 32 * at as u8,
            None => return Err(Refusal::Unsupported("what stands in a table of the driver")),
        };
        let handle = match operand(o, 1)? {
            Operand::Address(AddressBase::Register(r), 0) => self.handle(&Operand::Register(*r))?,
            _ => return Err(Refusal::Needed("a handle in a register")),
        };
        let handle = self.b().zext(handle, Type::I64);
        let level = if has(inst, "level") { self.value(operand(o, 2)?, T::B(32))? } else { self.b().i32(0) };
        let op = named("texquery.each")?;
        let sizes = self.b().value(Op::Opaque(op), &[handle, level], Type::I128);
        let size = self.b().value(Op::Extract(at), &[sizes], Type::I32);
        self.write(&o[0], size, false)
    }

    /// `suld`, `sust`, `sured`.
    pub(crate) fn surface(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let geometry = one_of(inst, &["1d", "2d", "3d", "a1d", "a2d"])?;
        let edge = one_of(inst, &["clamp", "trap", "zero"])?;
        let load = inst.op == P::Suld;
        let (handle, coordinates) = place(operand(o, usize::from(load))?)?;
        let handle = self.handle(handle)?;
        let count = match geometry {
            "1d" => 1,
            "2d" | "a1d" => 2,
            _ => 3,
        };
        let mut at = self.each(&coordinates[..count])?;
        if geometry.starts_with('a') {
            at.rotate_left(1);
        }
        let mut args = vec![handle];
        self.beside(at, &mut args);
        let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
        let width = ty.width() * inst.mods.lanes();
        if width > 128 {
            return Err(Refusal::Unsupported("a vector of more than 128 bits"));
        }
        let system = if ["cg", "cv", "wt"].iter().any(|w| has(inst, w)) { ".sys" } else { "" };
        if load {
            let op = named(&format!("surface.load{system}.{geometry}.b{width}.{edge}.each"))?;
            let value = self.b().value(Op::Opaque(op), &args, Type(width.max(32) as u8));
            return match (width, operand(o, 0)?) {
                (8, to) => {
                    let byte = self.low_byte(value, false);
                    let byte = self.resize(byte, Type::I16, false);
                    self.write(to, byte, false)
                }
                (16, to) => {
                    let half = self.resize(value, Type::I16, false);
                    self.write(to, half, false)
                }
                (_, to) => self.write(to, value, false),
            };
        }
        let value = self.value(operand(o, 1)?, T::B(width.max(16) as u8))?;
        let pixels = has(inst, "p");
        let name = match (inst.op, pixels, width) {
            (P::Sured, true, _) => {
                let what = one_of(inst, &["add", "min", "max", "and", "or"])?;
                format!("reduce.pixel.{what}.{geometry}")
            }
            (P::Sured, ..) => {
                let what = one_of(inst, &["add", "min", "max", "and", "or"])?;
                let sign = match (what, ty.signed()) {
                    ("min" | "max", true) => "s",
                    ("min" | "max", false) => "u",
                    _ => "",
                };
                format!("reduce.{sign}{what}.{geometry}.b{width}")
            }
            (_, true, 32) => format!("pixels.{geometry}.r"),
            (_, true, 64) => format!("pixels.{geometry}.rg"),
            (_, true, _) => format!("pixels.{geometry}.rgba"),
            (_, false, _) => format!("store{system}.{geometry}.b{width}"),
        };
        let op = named(&format!("surface.{name}.{edge}.each"))?;
        args.push(value);
        self.effect(Op::Opaque(op), &args);
        Ok(())
    }

    /// The kind of a handle stands in the top bits of its upper word.
    pub(crate) fn handle_type(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let bit = 29 + ["texref", "samplerref", "surfref"].iter().position(|w| has(inst, w)).unwrap_or(0);
        let handle = self.value(operand(o, 1)?, T::B(64))?;
        let high = self.b().high(handle);
        let mask = self.b().i32(1 << bit);
        let tag = self.b().and(high, mask);
        let zero = self.b().i32(0);
        let is = self.b().compare(Compare::Ne, tag, zero);
        self.write(&o[0], is, false)
    }
}
