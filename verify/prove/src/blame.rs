//! Where the target first computes what the source never has.
//!
//! A difference shows at a store, and was made before it. From there the registers that the wrong value is made of are followed back through the
//! target's run to an instruction whose result the source never has although it has, or is given, everything that the instruction reads. Code may
//! compute by other values than its source, so this says where to look first, and nothing rests on it.
//!
//! Variables of shared memory lie behind what the system reserves there, so a number of the source counts as known that much higher too. A word of
//! shared memory may be another thread's: it is followed to what this thread stores, as the others do by the same code.

use crate::steps::Step;
use crate::verdict::{Cause, Counterexample};
use rustc_hash::FxHashSet;
use sassafras_cubin::Function;
use sassafras_isa::{
    Access, Chip, ControlFlowKind, Inst, MemoryKind, MemorySpace, Operand, RegClass, decode,
};

/// Most instructions that are followed back.
const MOST: usize = 200;

/// Finds the instruction, and takes it for the first that differs. `accessed`: where the thread accesses memory in the source.
pub fn point(found: &mut Counterexample, code: &Function, chip: Chip, accessed: &FxHashSet<u64>) {
    let steps = &found.target_steps;
    // A thread that does not come to the place of the source's store has a store elsewhere, or ends before.
    let Some(seen) = found.instruction.or_else(|| own_end(steps)) else { return };
    // What stops the run is not among its steps.
    let come = steps.iter().rposition(|step| step.at == seen);
    let last = come.unwrap_or(steps.len());
    let reserved = u64::from(chip.limits().reserved_shared_bytes);
    let run = Run { steps, code, chip, known: known(found, reserved), accessed, reserved };
    let differs = u64::from_str_radix(found.address.trim_start_matches("0x"), 16).ok();
    let way = || run.way(seen, last);
    let pointed = match differs {
        // It does something that the source does not.
        None => {
            run.start(seen, last, false).or_else(|| run.made(seen, last, 0, true)).and_then(|at| run.back(at))
        }
        Some(_) if come.is_none() => way(),
        Some(at) => match run.place(seen, last) {
            Some(place) if at.wrapping_sub(place) < 16 => {
                let unit = (at.wrapping_sub(place) / 4) as u32;
                let start = run.start(seen, last, true).or_else(|| run.made(seen, last, unit, false));
                // The store may be all that is wrong, or that it happens.
                start.and_then(|start| run.back(start))
            }
            Some(place) => {
                let half = u32::from(place >> 32 != at >> 32);
                let start = run.start(seen, last, false).or_else(|| run.made(seen, last, half, true));
                start.and_then(|start| run.back(start)).or_else(way)
            }
            None => way(),
        },
    };
    let Some((at, why)) = pointed else {
        if found.instruction.is_none() {
            found.text = Some(sassafras_symbolic::sass::target::text(code, chip, seen));
            found.instruction = Some(seen);
        }
        return;
    };
    if at != seen {
        let seen_text =
            found.text.clone().unwrap_or_else(|| sassafras_symbolic::sass::target::text(code, chip, seen));
        found.cause = Some(Cause { seen, seen_text: Some(seen_text), why });
    }
    found.instruction = Some(at);
    found.text = Some(sassafras_symbolic::sass::target::text(code, chip, at));
}

/// Takes an instruction that was found elsewhere for the first that differs, if the thread comes to it.
pub fn point_at(found: &mut Counterexample, at: u64, code: &Function, sm: u32) {
    let Some(chip) = Chip::from_number(sm) else { return };
    let Some(step) = found.target_steps.iter().rev().find(|step| step.at == at) else { return };
    let seen = found.cause.as_ref().map(|c| c.seen).or(found.instruction);
    let Some(seen) = seen.filter(|seen| *seen != at && found.instruction != Some(at)) else { return };
    let writes: Vec<String> = step.writes.iter().map(|(name, bits)| format!("{name} = {bits}")).collect();
    let gives = if writes.is_empty() { String::new() } else { format!(" ({} here)", writes.join(", ")) };
    let why = format!("with other numbers the source never has its result{gives}, but all that it reads");
    found.cause =
        Some(Cause { seen, seen_text: Some(sassafras_symbolic::sass::target::text(code, chip, seen)), why });
    (found.instruction, found.text) =
        (Some(at), Some(sassafras_symbolic::sass::target::text(code, chip, at)));
}

/// The last store of a thread, else its last branch or end under a guard.
fn own_end(steps: &[Step]) -> Option<u64> {
    let mnemonic = |step: &Step| {
        let words = step.text.split_whitespace().skip_while(|w| w.starts_with('@'));
        words.map(str::to_owned).next().unwrap_or_default()
    };
    let stores = |step: &&Step| ["ST", "ATOM", "RED"].iter().any(|op| mnemonic(step).starts_with(op));
    let leaves =
        |step: &&Step| step.text.starts_with('@') && ["BRA", "EXIT"].contains(&mnemonic(step).as_str());
    steps.iter().rev().find(stores).or_else(|| steps.iter().rev().find(leaves)).map(|step| step.at)
}

/// What the source writes and is given: values, and their halves.
#[derive(Default)]
struct Known {
    whole: FxHashSet<u64>,
    halves: FxHashSet<u64>,
}

/// Above all addresses of shared memory, in bytes.
const SHARED: u64 = 1 << 18;

fn known(found: &Counterexample, reserved: u64) -> Known {
    let mut known = Known::default();
    let mut add = |value: u64| {
        known.whole.insert(value);
        known.halves.insert(value & 0xffff_ffff);
        // The upper half of a small number would make every zero look right.
        known.halves.extend((value >> 32 > 0).then_some(value >> 32));
    };
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
        places.into_iter().filter(|n| *n > 0).for_each(|n| add(n.into()));
    }
    let shared: Vec<u64> = known.halves.iter().copied().filter(|half| *half < SHARED).collect();
    known.halves.extend(shared.into_iter().map(|half| half + reserved));
    known
}

/// The target's thread.
struct Run<'a> {
    steps: &'a [Step],
    code: &'a Function,
    chip: Chip,
    known: Known,
    /// Where the source's thread accesses memory.
    accessed: &'a FxHashSet<u64>,
    /// Bytes of shared memory before the target's variables.
    reserved: u64,
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
            let right = self
                .known
                .whole
                .iter()
                .any(|whole| (whole >> 32).abs_diff(h) == 1 && whole & 0xffff_ffff == l);
            return (!self.known.whole.contains(&(h << 32 | l))).then_some(if right { high } else { low });
        }
        let made = (0..units).filter_map(register);
        let strange = |at: usize, bits: u64| !self.known.halves.contains(&bits) && !self.knows_pair(at);
        made.filter(|(at, bits)| strange(*at, *bits)).map(|(at, _)| at).max()
    }

    /// Whether the two registers that a step wrote are a number that the source has.
    fn knows_pair(&self, at: usize) -> bool {
        let bits = |i: usize| u64::from_str_radix(&self.steps[at].writes.get(i)?.1, 16).ok();
        let two = self.steps[at].writes.len() == 2;
        two && bits(0).zip(bits(1)).is_some_and(|(low, high)| self.known.whole.contains(&(high << 32 | low)))
    }

    /// The step before this one that wrote a register, and what it wrote.
    fn written(&self, register: (RegClass, u32), before: usize) -> Option<(usize, u64)> {
        let name = format!("{}{}", register.0.prefix(), register.1);
        (0..before).rev().find_map(|at| {
            let (_, bits) = self.steps[at].writes.iter().find(|(written, _)| *written == name)?;
            Some((at, u64::from_str_radix(bits, 16).ok()?))
        })
    }

    /// The address of an access: its register, or two, and what the text adds.
    fn place(&self, access: u64, before: usize) -> Option<u64> {
        let inst = self.inst(access)?;
        let mut reads = inst.operands();
        let base = reads.find(|o| o.access == Access::Read && o.class == RegClass::R && o.name == "a")?;
        let half = |unit: u32| self.written((base.class, base.number + unit), before).map(|(_, bits)| bits);
        let mut place = half(0)?;
        if base.units == 2 {
            place |= half(1)? << 32;
        }
        let text = sassafras_isa::print(&inst, &sassafras_isa::Style::default());
        // `[R2.64+0x10]`, `[R2.64+-0x10]`
        let within = text.rsplit_once(']')?.0;
        let added = within.rsplit_once('[')?.1.split_once('+').map_or("", |(_, added)| added);
        let (minus, digits) = added.strip_prefix('-').map_or((false, added), |digits| (true, digits));
        let added = u64::from_str_radix(digits.trim_start_matches("0x"), 16).unwrap_or(0);
        Some(if minus { place.wrapping_sub(added) } else { place.wrapping_add(added) })
    }

    /// The step that wrote a unit of an access's address, or of its value, whatever it wrote.
    fn made(&self, access: u64, before: usize, unit: u32, address: bool) -> Option<usize> {
        let inst = self.inst(access)?;
        let mut reads = inst.operands().filter(|o| o.access == Access::Read && o.class == RegClass::R);
        let operand = reads.find(|o| o.field.is_some() && address == (o.name == "a"))?;
        let unit = unit.min(u32::from(operand.units).saturating_sub(1));
        self.written((operand.class, operand.number + unit), before).map(|(at, _)| at)
    }

    /// Whether the source has all that a step wrote.
    fn knows(&self, step: &Step) -> bool {
        let all = || step.writes.iter().filter_map(|(_, bits)| u64::from_str_radix(bits, 16).ok());
        all().all(|bits| self.known.halves.contains(&bits) || self.known.whole.contains(&bits))
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
                None => match self.misread(at).or_else(|| self.stored(at)) {
                    Some(before) => at = before,
                    None => break,
                },
            }
        }
        if self.shares(at, MemoryKind::Store) {
            let why = "it stores to shared memory where the source's thread does not".to_owned();
            return Some((self.steps[at].at, why));
        }
        let writes = self.steps[at].writes.iter().map(|(name, bits)| format!("{name} = {bits}"));
        let writes: Vec<String> = writes.collect();
        let why = match at == from && self.knows(&self.steps[at]) {
            true => format!("what it gives ({}) is not what the source has in this place", writes.join(", ")),
            false => {
                format!("the source never has its result ({}), but all that it reads", writes.join(", "))
            }
        };
        Some((self.steps[at].at, why))
    }

    /// Where the address of a load was made at which the source's thread accesses nothing: it may be a number that the source has for something else.
    fn misread(&self, at: usize) -> Option<usize> {
        let step = &self.steps[at];
        let loads = self.inst(step.at)?.row().memory.is_some() && !step.writes.is_empty();
        let place = self.place(step.at, at).filter(|_| loads && !self.accessed.is_empty())?;
        let place = if self.shares(at, MemoryKind::Load) { place.wrapping_sub(self.reserved) } else { place };
        // A wider load may begin before what the source loads.
        if self.accessed.iter().any(|there| there.wrapping_sub(place) < 16) {
            return None;
        }
        let half = u32::from(!self.accessed.iter().any(|there| there >> 32 == place >> 32));
        self.made(step.at, at, half, true)
    }

    /// Whether a step accesses shared memory in this way.
    fn shares(&self, at: usize, kind: MemoryKind) -> bool {
        let memory = self.inst(self.steps[at].at).and_then(|inst| inst.row().memory);
        memory.is_some_and(|memory| memory.space == MemorySpace::Shared && memory.kind == kind)
    }

    /// Where what is loaded from shared memory comes from, as far as this thread tells: the last store before with a value that the source never
    /// has, or at a place where its thread accesses nothing.
    fn stored(&self, at: usize) -> Option<usize> {
        if !self.shares(at, MemoryKind::Load) {
            return None;
        }
        (0..at).rev().filter(|&store| self.shares(store, MemoryKind::Store)).find_map(|store| {
            let code = self.steps[store].at;
            let value = self.strange(code, store, |o| o.class == RegClass::R && o.name != "a");
            value.or_else(|| {
                let place = self.place(code, store)?.wrapping_sub(self.reserved);
                let there = self.accessed.iter().any(|there| there.wrapping_sub(place) < 16);
                let elsewhere = !there && !self.accessed.is_empty();
                elsewhere.then(|| self.start(code, store, false).unwrap_or(store))
            })
        })
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
