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
    let way = || run.way(seen, last);
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

/// Every value that the source writes, whole and in halves, and what it is given.
fn known(found: &Counterexample) -> FxHashSet<u64> {
    let mut known: FxHashSet<u64> = [0].into_iter().collect();
    let mut add = |value: u64| known.extend([value, value & 0xffff_ffff, value >> 32]);
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
    known: FxHashSet<u64>,
}

impl Run<'_> {
    fn inst(&self, at: u64) -> Option<Inst> {
        decode(*self.code.code.get(at as usize / 16)?, self.chip).ok()
    }

    /// The registers that an instruction reads, but for its guard and RZ.
    fn reads(&self, at: u64) -> Vec<(RegClass, u32)> {
        let Some(inst) = self.inst(at) else { return Vec::new() };
        let all = inst.operands().filter(|o| o.access == Access::Read && o.field.is_some());
        all.flat_map(|o| (0..u32::from(o.units)).map(move |unit| (o.class, o.number + unit))).collect()
    }

    /// Of registers the step before this one that wrote what the source never has; the latest of several.
    fn new(&self, registers: impl IntoIterator<Item = (RegClass, u32)>, before: usize) -> Option<usize> {
        let made = registers.into_iter().filter_map(|register| self.written(register, before));
        made.filter(|(_, bits)| !self.known.contains(bits)).map(|(at, _)| at).max()
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
        let inst = self.inst(access)?;
        let asked = |o: &Operand| value == (o.name != "a");
        let operands =
            inst.operands().filter(|o| o.access == Access::Read && o.class == RegClass::R && asked(o));
        self.new(
            operands.flat_map(|o| (0..u32::from(o.units)).map(move |unit| (o.class, o.number + unit))),
            before,
        )
    }

    /// From a step whose result the source never has back to the first such.
    fn back(&self, from: usize) -> Option<(u64, String)> {
        let mut at = from;
        for _ in 0..MOST {
            match self.new(self.reads(self.steps[at].at), at) {
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
