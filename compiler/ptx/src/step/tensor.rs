//! Copies of boxes of tensors, by name.
//!
//! Source: PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor". How offsets and masks stand in a word is
//! [`im2col_offsets`].

use super::{Done, PtxState, Step};
use crate::checked::{Op, Operand, Type};
use crate::table::dimensions;
use sassafras_semantics::Domain;
use sassafras_semantics::opaque::im2col_offsets;

impl<D: Domain, S: PtxState<D>> Step<'_, '_, D, S> {
    pub(super) fn tensor(&mut self) -> Done<()> {
        let d = self.d;
        let words = self.inst.mods.words.clone();
        let reads = self.inst.op == Op::Tensor && self.says("mbarrier::complete_tx::bytes");
        let at = usize::from(reads);
        let (Operand::Pair(map, coordinates), Some(n)) = (self.operand(at)?, dimensions(&words)) else {
            return Err(self.unsupported());
        };
        let Operand::Vector(coordinates) = &**coordinates else { return Err(self.unsupported()) };
        let map = self.value(map, 64)?;
        let mut place = Vec::new();
        for coordinate in coordinates {
            place.push(self.value(coordinate, 32)?);
        }
        let mut next = at + 1;
        let what = match self.inst.op {
            Op::Tensor if reads => "in",
            Op::Tensor => "out",
            Op::TensorReduce => "reduce",
            _ => "prefetch",
        };
        let shared = |v: D::V| d.extract(&v, 0, 32);
        let mut name = format!("tensor.{what}.{n}");
        let mut arguments = Vec::new();
        match what {
            "in" => {
                arguments.push(shared(self.address(0)?));
                arguments.push(shared(self.address(2)?));
                arguments.push(map);
                next = 3;
            }
            "prefetch" => arguments.push(map),
            _ => {
                arguments.push(map);
                arguments.push(shared(self.address(1)?));
                next = 2;
            }
        }
        if what == "reduce" {
            let ops = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
            let op = words.iter().find(|w| ops.contains(*w)).ok_or_else(|| self.unsupported())?;
            name += &format!(".{op}");
        }
        let im2col = self.says("im2col");
        if im2col || self.says("im2col_no_offs") {
            name += ".im2col";
        }
        if matches!(what, "in" | "prefetch") {
            let mut offsets = Vec::new();
            if im2col {
                let Operand::Vector(parts) = self.operand(next)? else { return Err(self.unsupported()) };
                for part in parts {
                    offsets.push(self.value(part, 16)?);
                }
                next += 1;
            }
            let mut word = im2col_offsets(d, &offsets).ok_or_else(|| self.unsupported())?;
            if self.says("multicast::cluster") {
                name += ".multi";
                let mask = self.source(next, Type::B(16))?;
                word = d.concat(&mask, &d.extract(&word, 0, 16));
                next += 1;
            }
            arguments.push(word);
        }
        arguments.extend(place);
        if self.says("L2::cache_hint") {
            name += ".hint";
            arguments.push(self.source(next, Type::B(64))?);
        }
        self.ask(&name, &arguments)?;
        Ok(())
    }
}
