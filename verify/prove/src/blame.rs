//! Where the target first computes what the source never has.
//!
//! A difference shows at a store, and was made before it. From there the registers that the wrong value is made of are followed back through the
//! target's run to an instruction whose result the source never has although it has, or is given, everything that the instruction reads. Code may
//! compute by other values than its source, so this says where to look first, and nothing rests on it.

use crate::steps::Step;
use crate::verdict::{Cause, Counterexample};
use rustc_hash::FxHashSet;
use sassafras_cubin::Function;
use sassafras_isa::{Access, Chip, ControlFlowKind, Inst, Operand, RegClass, decode};

/// Most instructions that are followed back.
const MOST: usize = 200;

/// Finds the instruction, and takes it for the first that differs.
pub fn point(found: &mut Counterexample, code: &Function, chip: Chip) {
    let Some(seen) = found.instruction else { return };
    // What stops the run is not among its steps.
    let steps = &found.target_steps;
    let last = steps.iter().rposition(|step| step.at == seen).unwrap_or(steps.len());
    let run = Run { steps, code, chip, known: known(found) };
    // Whether this thread of the source stores there; else the target has an address that it never has, or goes another way.
    let stores = found.line.is_some_and(|line| found.source_steps.iter().any(|step| step.at == line));
    let value = stores && !found.address.is_empty();
    let start = if value || found.address.is_empty() { run.start(seen, last, value) } else { None };
    // A thread that stores nothing at all goes another way.
    let writes =
        |step: &Step| ["st", "ST", "atom", "ATOM", "red", "RED"].iter().any(|op| step.text.starts_with(op));
    let idle = !found.address.is_empty() && !found.source_steps.iter().any(writes);
    let address = || if idle { None } else { run.start(seen, last, false) };
    let way = || if found.address.is_empty() { None } else { run.way(seen, last) };
    let pointed = match start {
        Some(at) => run.back(at),
        None if value => None,
        None => address().and_then(|at| run.back(at)).or_else(way),
    };
    let Some((at, why)) = pointed else { return };
    if at != seen {
        found.cause = Some(Cause { seen, seen_text: found.text.clone(), why });
        found.instruction = Some(at);
        found.text = Some(crate::target::text(code, chip, at));
    }
}

/// What the source writes and is given: values, and their halves.
#[derive(Default)]
struct Known {
    whole: FxHashSet<u64>,
    halves: FxHashSet<u64>,
}

fn known(found: &Counterexample) -> Known {
    let mut known = Known::default();
    let mut add = |value: u64| {
        known.whole.insert(value);
        known.halves.extend([value & 0xffff_ffff, value >> 32]);
    };
    add(0);
    for step in &found.source_steps {
        step.writes.iter().filter_map(|(_, bits)| u64::from_str_radix(bits, 16).ok()).for_each(&mut add);
    }
    for argument in &found.arguments {
        let bytes: Vec<u8> = (0..argument.bytes.len() / 2)
            .filter_map(|i| u8::from_str_radix(argument.bytes.get(2 * i..2 * i + 2)?, 16).ok())
            .collect();
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            add(u64::from_le_bytes(word));
        }
    }
    for places in [found.grid, found.block, found.thread] {
        places.into_iter().for_each(|n| add(n.into()));
    }
    known
}

/// The target's thread.
struct Run<'a> {
    steps: &'a [Step],
    code: &'a Function,
    chip: Chip,
    known: Known,
}

impl Run<'_> {
    fn inst(&self, at: u64) -> Option<Inst> {
        decode(*self.code.code.get(at as usize / 16)?, self.chip).ok()
    }

    /// Of what an instruction reads the step before this one that wrote what the source never has; the latest of several. Guards are left out.
    fn strange(&self, at: u64, before: usize, wanted: impl Fn(&Operand) -> bool) -> Option<usize> {
        let inst = self.inst(at)?;
        let reads = inst.operands().filter(|o| o.access == Access::Read && o.field.is_some() && wanted(o));
        reads.filter_map(|o| self.stranger(&o, before)).max()
    }

    /// The step that wrote of an operand what the source never has. Two registers are one value: its halves may each be there, and it not.
    fn stranger(&self, operand: &Operand, before: usize) -> Option<usize> {
        let register = |unit: u32| self.written((operand.class, operand.number + unit), before);
        let units = u32::from(operand.units);
        let pair = units == 2 && operand.class == RegClass::R;
        if let (true, Some((low, l)), Some((high, h))) = (pair, register(0), register(1)) {
            // The low half makes the carry into the high one: it is right if the source has it under another high half.
            let right = self.known.whole.iter().any(|whole| *whole > 0xffff_ffff && whole & 0xffff_ffff == l);
            return (!self.known.whole.contains(&(h << 32 | l))).then_some(if right { high } else { low });
        }
        let made = (0..units).filter_map(register);
        made.filter(|(_, bits)| !self.known.halves.contains(bits)).map(|(at, _)| at).max()
    }

    /// The step before this one that wrote a register, and what it wrote.
    fn written(&self, register: (RegClass, u32), before: usize) -> Option<(usize, u64)> {
        let name = format!("{}{}", register.0.prefix(), register.1);
        (0..before).rev().find_map(|at| {
            let (_, bits) = self.steps[at].writes.iter().find(|(written, _)| *written == name)?;
            Some((at, u64::from_str_radix(bits, 16).ok()?))
        })
    }

    /// Where an access's value, or else its address, was made.
    fn start(&self, access: u64, before: usize, value: bool) -> Option<usize> {
        self.strange(access, before, |o| o.class == RegClass::R && value == (o.name != "a"))
    }

    /// From a step whose result the source never has back to the first such.
    fn back(&self, from: usize) -> Option<(u64, String)> {
        let mut at = from;
        for _ in 0..MOST {
            match self.strange(self.steps[at].at, at, |_| true) {
                Some(before) => at = before,
                None => break,
            }
        }
        let writes = self.steps[at].writes.iter().map(|(name, bits)| format!("{name} = {bits}"));
        let writes: Vec<String> = writes.collect();
        let why = format!("the source never has its result ({}), but all that it reads", writes.join(", "));
        Some((self.steps[at].at, why))
    }

    /// What the way to a step was decided by: the last jump or exit with a guard before it.
    fn way(&self, to: u64, step: usize) -> Option<(u64, String)> {
        let decided = (0..(to / 16) as usize).rev().find_map(|at| {
            let inst = decode(*self.code.code.get(at)?, self.chip).ok()?;
            let jumps = matches!(
                inst.row().control_flow,
                Some(ControlFlowKind::Branch | ControlFlowKind::Exit | ControlFlowKind::Return)
            );
            (jumps && !inst.guard.is_always()).then_some((at, inst))
        });
        let (at, inst) = decided?;
        let guard = inst.guard;
        let class = if guard.uniform { RegClass::UP } else { RegClass::P };
        let (by, value) = self.written((class, guard.pred), step)?;
        let jump = sassafras_isa::print(&inst, &sassafras_isa::Style::default());
        let name = class.prefix();
        let why = format!(
            "it decides {:#06x} `{jump}` ({name}{} = {value}), and the source goes another way",
            16 * at,
            guard.pred
        );
        Some((self.steps[by].at, why))
    }
}
