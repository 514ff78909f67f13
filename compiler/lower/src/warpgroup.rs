//! `wgmma`: products of a warpgroup as opaque operations, accumulators as arguments and results.

use crate::context::{Context, Result};
use crate::operand::operand;
use crate::refusal::Refusal;
use sassafras_ir::{Op, Type, Value};
use sassafras_ptx::checked::{Inst, Operand, Type as T};
use sassafras_ptx::table::columns;
use sassafras_semantics::Opaque;
use sassafras_semantics::opaque::product_flags;

/// Groups that a wait tells apart: what leaves more under way waits for none.
const GROUPS: u64 = 7;

fn named(name: &str) -> Result<Opaque> {
    Opaque::named(name).ok_or_else(|| Refusal::UnsupportedName(name.to_owned()))
}

fn constant(inst: &Inst, index: usize) -> Result<u64> {
    match operand(&inst.operands, index)? {
        Operand::Immediate(bits) => Ok(*bits),
        _ => Err(Refusal::Needed("a constant")),
    }
}

impl Context<'_, '_> {
    pub(crate) fn warpgroup(&mut self, inst: &Inst) -> Result<()> {
        match inst.mods.words.first().copied().unwrap_or_default() {
            "fence" => self.group_effect("wgmma.fence", &[]),
            "commit_group" => self.group_effect("wgmma.commit", &[]),
            "wait_group" => {
                let n = self.b().i32(constant(inst, 0)?.min(GROUPS) as u32);
                self.group_effect("wgmma.wait", &[n])
            }
            _ => self.warpgroup_product(inst),
        }
    }

    fn group_effect(&mut self, name: &str, args: &[Value]) -> Result<()> {
        let op = named(name)?;
        self.effect(Op::Opaque(op), args);
        Ok(())
    }

    fn fragment_words(&mut self, parts: &[Box<Operand>]) -> Result<Vec<Value>> {
        parts.iter().map(|part| self.value(part, T::B(32))).collect()
    }

    fn warpgroup_product(&mut self, inst: &Inst) -> Result<()> {
        let (o, words) = (&inst.operands, &inst.mods.words);
        let (Operand::Vector(sums), Some(n)) = (operand(o, 0)?, columns(words)) else {
            return Err(Refusal::Unsupported("this product"));
        };
        let sparse = words.contains(&"sp");
        let registers = matches!(operand(o, 1)?, Operand::Vector(_));
        let types: String = inst.types.iter().map(|ty| format!(".{}", ty.name())).collect();
        let kind = if registers { "rs" } else { "ss" };
        let op = named(&format!("wgmma.{kind}{}.n{n}{types}", if sparse { ".sp" } else { "" }))?;

        let keeps = self.value(operand(o, if sparse { 5 } else { 3 })?, T::Pred)?;
        let mut args = match self.function.constant(keeps) {
            // Nothing is kept: the old values are not read.
            Some(0) => vec![self.b().i32(0); sums.len()],
            _ => self.fragment_words(sums)?,
        };
        match operand(o, 1)? {
            Operand::Vector(parts) => args.extend(self.fragment_words(parts)?),
            descriptor => args.push(self.value(descriptor, T::B(64))?),
        }
        args.push(self.value(operand(o, 2)?, T::B(64))?);
        args.push(keeps);
        let (mut selector, mut next) = (0, 4);
        if sparse {
            args.push(self.value(operand(o, 3)?, T::B(32))?);
            selector = constant(inst, 4)?;
            next = 6;
        }
        let rest = (next..o.len()).map(|i| constant(inst, i)).collect::<Result<Vec<_>>>()?;
        let flags = product_flags(&rest, registers, words.contains(&"satfinite"), selector);
        args.push({
            let flags = flags.ok_or(Refusal::UnsupportedSeveral("these signs and transposes"))?;
            self.b().i32(flags)
        });
        let made = self.b().emit(Op::Opaque(op), &args, &vec![Type::I32; sums.len()]);
        let results = self.function.insts[made].results.to_vec();
        sums.iter().zip(results).try_for_each(|(sum, result)| self.write(sum, result, false))
    }
}
