//! Copies of boxes of tensors, as opaque operations.

use crate::context::{Context, Result};
use crate::opaque::says;
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::Value;
use sassafras_ptx::checked::{Inst, Op as P, Operand, Type as T};
use sassafras_ptx::table::dimensions;
use sassafras_semantics::Space;

const OPERATIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

impl Context<'_, '_> {
    pub(crate) fn tensor(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let words = &inst.mods.words;
        let what = match inst.op {
            P::Tensor if says(inst, "mbarrier::complete_tx::bytes") => "in",
            P::Tensor => "out",
            P::TensorReduce => "reduce",
            _ => "prefetch",
        };
        let (Operand::Pair(map, coordinates), Some(n)) =
            (operand(o, usize::from(what == "in"))?, dimensions(words))
        else {
            return Err(Refusal::Unsupported("this copy of a tensor"));
        };
        let map = self.value(map, T::B(64))?;
        let mut name = format!("tensor.{what}.{n}");
        let (mut args, mut next) = match what {
            "in" => (vec![self.shared_at(inst, 0)?, self.shared_at(inst, 2)?, map], 3),
            "prefetch" => (vec![map], 1),
            _ => (vec![map, self.shared_at(inst, 1)?], 2),
        };
        if let Some(op) = words.iter().find(|w| what == "reduce" && OPERATIONS.contains(*w)) {
            name += &format!(".{op}");
        }
        let im2col = says(inst, "im2col");
        if im2col || says(inst, "im2col_no_offs") {
            name += ".im2col";
        }
        if matches!(what, "in" | "prefetch") {
            let mut word = self.b().i32(0);
            if im2col {
                let Operand::Vector(offsets) = operand(o, next)? else {
                    return Err(Refusal::MissingSeveral("the offsets"));
                };
                word = self.im2col_offsets(offsets)?;
                next += 1;
            }
            if says(inst, "multicast::cluster") {
                name += ".multi";
                let blocks = self.int(operand(o, next)?, T::U(16))?;
                let blocks = self.b().shl_by(blocks, 16);
                word = self.b().or(word, blocks);
                next += 1;
            }
            args.push(word);
        }
        let Operand::Vector(coordinates) = &**coordinates else {
            return Err(Refusal::MissingSeveral("the coordinates"));
        };
        for coordinate in coordinates {
            args.push(self.value(coordinate, T::S(32))?);
        }
        if says(inst, "L2::cache_hint") {
            name += ".hint";
            args.push(self.value(operand(o, next)?, T::B(64))?);
        }
        self.ask(&format!("{name}.each"), &args)
    }

    fn shared_at(&mut self, inst: &Inst, index: usize) -> Result<Value> {
        let address = operand(&inst.operands, index)?;
        let (value, access) = self.access_in(Space::Shared, inst, address, T::B(64), 1)?;
        Ok(self.with_offset(value, access))
    }

    /// As `sassafras_semantics::opaque::im2col_offsets` has them.
    fn im2col_offsets(&mut self, offsets: &[Box<Operand>]) -> Result<Value> {
        let words = offsets.iter().map(|o| self.int(o, T::U(16))).collect::<Result<Vec<_>>>()?;
        match words[..] {
            [only] => Ok(only),
            [a, b] => {
                let mask = self.b().i32(0xff);
                let (low, high) = (self.b().and(a, mask), self.b().and(b, mask));
                let high = self.b().shl_by(high, 8);
                Ok(self.b().or(low, high))
            }
            [a, b, c] => {
                let (b, c) = (self.b().shl_by(b, 5), self.b().shl_by(c, 10));
                let two = self.b().add(b, a);
                let all = self.b().add(two, c);
                let mask = self.b().i32(0xffff);
                Ok(self.b().and(all, mask))
            }
            _ => Err(Refusal::UnsupportedSeveral("so many offsets")),
        }
    }
}
