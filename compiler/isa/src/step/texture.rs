//! Textures and surfaces: which opaque operation each instruction is.
//!
//! Source: what ptxas 13.0 makes of kernels of one PTX instruction, per geometry and modifier, on sm_75 to sm_90.

use super::lane::Lane;
use super::outcome::Step;
use super::register::Register;
use crate::meaning::Meaning as M;
use sassafras_semantics::{Domain, State, Trap};

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// The registers of an operand, one by one.
    fn each(&mut self, name: &str) -> Result<Vec<D::V>, Trap> {
        let index = self.inst.row().field(name);
        let units = index.map_or(0, |i| u32::from(self.inst.units(i)));
        if units == 0 {
            return Ok(Vec::new());
        }
        let all = self.bits(name, units)?;
        Ok((0..units).map(|unit| self.d.extract(&all, 32 * unit, 32)).collect())
    }

    /// Adds words to arguments: pairs and quadruples as one, others one by one.
    fn group(&self, words: &[D::V], to: &mut Vec<D::V>) {
        match words {
            [x, y] => to.push(self.d.concat(y, x)),
            [x, y, z, w] => {
                let low = self.d.concat(y, x);
                let high = self.d.concat(w, z);
                to.push(self.d.concat(&high, &low));
            }
            words => to.extend(words.iter().cloned()),
        }
    }

    /// The handle, 64 bits: of the uniform pair, of the bank, or else the first of `words`, from which it is taken.
    fn handle(&mut self, words: &mut Vec<D::V>) -> Result<D::V, Trap> {
        if self.has("u") {
            if self.raw("index") != 0 {
                return Err(self.unsupported("an offset of the handle"));
            }
            let pair = self.bits64("u")?;
            if !self.inst.row().family.ends_with(".u") {
                return Ok(pair);
            }
            // Before sm_90: the texture's index, 20 bits, and in the upper word the sampler's. ptxas makes both of one word, by a shift.
            let (texture, sampler) = (self.d.extract(&pair, 0, 20), self.d.extract(&pair, 32, 12));
            return Ok(self.d.zext(&self.d.concat(&sampler, &texture), 64));
        }
        let word = if self.has("bank") {
            let (bank, at) = (self.raw("bank"), 4 * self.raw("index"));
            self.bank(bank, &self.constant(32, at), 4)?
        } else if words.is_empty() {
            return Err(self.unsupported("no handle"));
        } else {
            words.remove(0)
        };
        Ok(self.d.zext(&word, 64))
    }

    /// `TEX`, `TLD`, `TLD4`, `TXD`.
    pub(super) fn texture(mut self) -> Step<D> {
        let meaning = self.inst.row().meaning;
        // Where ptxas 13.0.88 puts the handle among scattered integer coordinates before sm_90 is not understood yet.
        if meaning == M::Tld && self.inst.row().family.starts_with("tld.scr") {
            return Err(self.unsupported("scattered coordinates"));
        }
        if !self.text("f16").is_empty() || self.flag("ndv") || self.flag("lc") {
            return Err(self.unsupported("halves, derivatives off or a least level"));
        }
        // Hints of caches, and whether another texture's results are awaited first.
        let _ = (self.text("ev"), self.text("nodep"));
        let (shape, used) = match self.text("dim") {
            "1D" => ("1d", 1),
            "2D" => ("2d", 2),
            "3D" => ("3d", 3),
            "CUBE" => ("cube", 3),
            "ARRAY_1D" => ("a1d", 2),
            "ARRAY_2D" => ("a2d", 3),
            "ARRAY_CUBE" => ("acube", 4),
            other => return Err(self.unsupported(&format!("dimensions {other}"))),
        };
        let mut b = self.each("b")?;
        let mut a = self.each("a")?;
        // The scattered forms put some coordinates beside the handle.
        let handle = if meaning == M::Txd { self.handle(&mut a)? } else { self.handle(&mut b)? };
        let mut more = a.into_iter().chain(if meaning == M::Txd { Vec::new() } else { b.clone() });
        let mut take = |lane: &Self, n: usize| -> Result<Vec<D::V>, Trap> {
            let some: Vec<D::V> = more.by_ref().take(n).collect();
            if some.len() < n { Err(lane.unsupported("too few registers")) } else { Ok(some) }
        };
        let offset = match meaning {
            M::Tld4 => match self.text("off") {
                "" => false,
                ".AOFFI" => true,
                other => return Err(self.unsupported(&format!("offsets {other}"))),
            },
            _ => self.flag("aoffi"),
        };
        let compare = self.flag("dc");
        let mut name = match meaning {
            M::Txd => return self.slopes(handle, shape, offset, &b, &mut take),
            M::Tex => format!("texture.level.{shape}"),
            M::Tld4 => format!("gather{}.{shape}", self.text("comp").to_lowercase()),
            _ => match (self.text("lod"), self.flag("cl"), self.flag("ms")) {
                (".LZ", false, false) => format!("fetch.base.{shape}"),
                (".LZ", false, true) => format!("fetch.sample.{shape}"),
                (_, true, false) => format!("fetch.level.{shape}"),
                _ => return Err(self.unsupported("such a level")),
            },
        };
        let at = take(&self, used)?;
        let mut extras = Vec::new();
        match (meaning, self.text("lod")) {
            (M::Tld4, _) => {}
            (_, ".LL") => extras = take(&self, 1)?,
            (M::Tex, ".LZ") => extras.push(self.constant(32, 0)),
            (M::Tld, ".LZ") if self.flag("cl") => extras.push(self.constant(32, 0)),
            (M::Tld, ".LZ") => {}
            (_, other) => return Err(self.unsupported(&format!("level {other}"))),
        }
        if self.flag("ms") {
            extras.extend(take(&self, 1)?);
        }
        if offset {
            extras.extend(take(&self, 1)?);
            name += ".offset";
        }
        if compare {
            extras.extend(take(&self, 1)?);
            name += ".compare";
        }
        let mut arguments = vec![handle];
        self.group(&at, &mut arguments);
        self.group(&extras, &mut arguments);
        let results = self.ask(&name, &arguments)?;
        self.texel(&results)
    }

    /// `TXD`: the last of the coordinates is the layer with the offsets above it.
    fn slopes(
        mut self,
        handle: D::V,
        shape: &str,
        offset: bool,
        slopes: &[D::V],
        take: &mut dyn FnMut(&Self, usize) -> Result<Vec<D::V>, Trap>,
    ) -> Step<D> {
        let (dimensions, array) = match shape {
            "2d" => (2, false),
            "a1d" => (1, true),
            "a2d" => (2, true),
            other => return Err(self.unsupported(&format!("dimensions {other}"))),
        };
        let at = take(&self, dimensions + usize::from(array || offset))?;
        let name = format!("texture.slopes.{shape}{}", if offset { ".offset" } else { "" });
        let mut arguments = vec![handle];
        self.group(&at, &mut arguments);
        self.group(&slopes[..2 * dimensions], &mut arguments);
        let results = self.ask(&name, &arguments)?;
        self.texel(&results)
    }

    /// Writes the words that the mask names: the first two to `d` and the one behind it, the others to `e`.
    fn texel(mut self, results: &[D::V]) -> Step<D> {
        let mask = self.raw("mask");
        let wanted: Vec<u32> = (0..4).filter(|i| mask >> i & 1 != 0).collect();
        for (places, name) in
            [(wanted.iter().take(2), "d"), (wanted[wanted.len().min(2)..].iter().take(2), "e")]
        {
            let Some(first) = self.target(name) else { continue };
            for (unit, &word) in (0..).zip(places) {
                let value = self.d.extract(&results[0], 32 * word, 32);
                let register = Register { number: first.number + unit, ..first };
                self.state.write(self.d, register, value);
            }
        }
        if self.has("p")
            && let Some(missing) = results.get(1)
        {
            self.set("p", missing);
        }
        self.next()
    }

    /// `TXQ`.
    pub(super) fn texture_query(mut self) -> Step<D> {
        if self.text("what") != "TEX_HEADER_DIMENSION" {
            return Err(self.unsupported("such a question"));
        }
        let _ = self.text("nodep");
        let mut words = self.each("a")?;
        let handle = self.handle(&mut words)?;
        let level = words.first().cloned().unwrap_or_else(|| self.constant(32, 0));
        let results = self.ask("texquery", &[handle, level])?;
        self.texel(&results)
    }

    /// `SULD`, `SUST`, `SURED`.
    pub(super) fn surface(mut self) -> Step<D> {
        let d = self.d;
        let meaning = self.inst.row().meaning;
        let _ = self.text("ev");
        let shape = match self.text("dim") {
            ".1D" => "1d",
            ".2D" => "2d",
            ".3D" => "3d",
            ".1D_ARRAY" => "a1d",
            ".2D_ARRAY" => "a2d",
            other => return Err(self.unsupported(&format!("dimensions {other}"))),
        };
        let outside = match self.text("clamp") {
            "" => "clamp",
            ".TRAP" => "trap",
            ".IGN" => "zero",
            other => return Err(self.unsupported(&format!("edge {other}"))),
        };
        let handle = if self.has("u") {
            if self.raw("i") != 0 {
                return Err(self.unsupported("an offset of the handle"));
            }
            self.bits32("u")?
        } else if self.has("bank") {
            let (bank, at) = (self.raw("bank"), 4 * self.raw("index"));
            self.bank(bank, &self.constant(32, at), 4)?
        } else {
            self.bits32("c")?
        };
        let at = self.each("a")?;
        let mut arguments = vec![handle];
        self.group(&at, &mut arguments);
        let order = self.text("sem");
        let system = match order {
            ".STRONG.CTA" | ".STRONG.SM" => "",
            ".STRONG.SYS" => ".sys",
            other => return Err(self.unsupported(&format!("order {other}"))),
        };
        let pixels = self.has("comp");
        if meaning == M::Sured {
            let what = self.text("op").trim_start_matches('.').to_lowercase();
            let (ty, bytes) = (self.text("ty"), self.flag("ba"));
            let (sign, bits) = match (&*what, ty) {
                ("add" | "and" | "or", "") | ("add", ".S32") => ("", 32),
                ("add", ".U64" | ".S64") => ("", 64),
                ("min" | "max", "") if bytes => ("u", 32),
                ("min" | "max", ".S32") if bytes => ("s", 32),
                ("min" | "max", ".U64") if bytes => ("u", 64),
                ("min" | "max", ".S64") if bytes => ("s", 64),
                ("min" | "max", ".SD32") if !bytes => ("", 32),
                _ => return Err(self.unsupported(&format!("operation {what}{ty}"))),
            };
            let value = self.bits("b", bits / 32)?;
            let name = match bytes {
                true => format!("surface.reduce.{sign}{what}.{shape}.b{bits}.{outside}"),
                false => format!("surface.reduce.pixel.{what}.{shape}.{outside}"),
            };
            arguments.push(value);
            self.ask(&name, &arguments)?;
            return self.next();
        }
        if pixels && meaning == M::Sust {
            let (name, units) = match self.text("comp") {
                ".R" => ("r", 1),
                ".RG" => ("rg", 2),
                _ => ("rgba", 4),
            };
            let value = self.bits("b", units)?;
            arguments.push(value);
            self.ask(&format!("surface.pixels.{shape}.{name}.{outside}"), &arguments)?;
            return self.next();
        }
        if pixels || !self.flag("ba") {
            return Err(self.unsupported("coordinates in pixels"));
        }
        let bits = match self.text("sz") {
            ".U8" => 8u32,
            ".U16" => 16,
            "" => 32,
            ".64" => 64,
            ".128" => 128,
            other => return Err(self.unsupported(&format!("size {other}"))),
        };
        if meaning == M::Sust {
            let value = self.bits("b", bits.div_ceil(32))?;
            let value = d.extract(&value, 0, bits.max(16));
            arguments.push(value);
            self.ask(&format!("surface.store{system}.{shape}.b{bits}.{outside}"), &arguments)?;
            return self.next();
        }
        if self.target("p").is_some() {
            return Err(self.unsupported("whether it lies inside"));
        }
        let value = self.ask(&format!("surface.load{system}.{shape}.b{bits}.{outside}"), &arguments)?;
        self.set_wide("d", &value[0]);
        self.next()
    }
}
