//! Rules about words: each says what its instruction said, and no bit of it is lost.

use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::{Chip, abi};
use sassafras_hazards::Verdict;
use sassafras_isa::{
    Access, ControlFlowKind, FieldKind, Inst, Meaning, MemorySpace, RegClass, Style, decode, encode, parse,
    print,
};
use sassafras_machine::{Block, Function, MInst, Reg};

/// Bytes of a word.
const WORD: u64 = 16;
/// Words to which a function is padded: 128 bytes.
const PAD: usize = 8;

/// The bits of a word that its control text alone shows: the stall, scoreboards and the wait mask.
const CONTROL: u128 = (0x1_ffff << 105) ^ YIELD;
/// Bit 109, without which the text shows no `.reuse`.
const YIELD: u128 = 1 << 109;

/// What has been read back of the texts of words. The text of a word is that of its control bits and that of the rest, `.reuse` included, so that each
/// of either is read once.
#[derive(Default)]
struct Texts {
    controls: FxHashSet<u32>,
    rests: FxHashSet<u128>,
}

impl Texts {
    /// Whether something of the word's text has not been read yet.
    fn is_new(&mut self, word: u128) -> bool {
        let control = self.controls.insert((word >> 105 & (CONTROL | YIELD) >> 105) as u32);
        self.rests.insert(word & !CONTROL) | control
    }
}

/// Where a word stands; its text is made for what is objected to.
#[derive(Clone, Copy)]
enum At {
    /// The word of an instruction of a block, and its address.
    Instruction(Block, usize, u64),
    /// A word behind the last instruction.
    Padding(usize),
}

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            At::Instruction(block, index, address) => {
                write!(f, "{block}, instruction {index} at {address:#06x}")
            }
            At::Padding(word) => write!(f, "padding, word {word}"),
        }
    }
}

/// Judges the words of a scheduled function, its routines and padding included. `routines` stand behind the function in their order.
pub fn check(f: &Function, routines: &[(u8, Function)], words: &[u128], chip: Chip) -> Verdict {
    let mut report = Report::of(&f.name);
    let count = |f: &Function| f.insts().count() as u64;
    let mut end = count(f);
    let mut places = FxHashMap::default();
    for (number, routine) in routines {
        places.insert(u64::from(*number), end);
        end += count(routine);
    }
    if end > words.len() as u64 {
        report.add(Rule::WordsCount, "code", format!("{end} instructions became {} words", words.len()));
        return report.verdict();
    }
    let mut texts = Texts::default();
    function(f, 0, &places, words, chip, &mut texts, &mut report);
    for (number, routine) in routines {
        keeps_convention(*number, routine, &mut report);
        function(
            routine,
            places[&u64::from(*number)],
            &FxHashMap::default(),
            words,
            chip,
            &mut texts,
            &mut report,
        );
    }
    pads(&words[end as usize..], words.len(), chip, &mut texts, &mut report);
    if !routines.is_empty() {
        // Only here it is known where calls go, and what is on its way there.
        let hazards = crate::hazard::check_own_words(words, chip);
        let (Verdict::Objected(found) | Verdict::Unknown(found)) = &hazards else { return report.verdict() };
        for finding in found {
            match &hazards {
                Verdict::Objected(_) => report.add(Rule::RoutineHazard, &finding.place, &finding.message),
                _ => report.unknown(Rule::RoutineHazard, &finding.place, finding.message.clone()),
            }
        }
    }
    report.verdict()
}

/// The words of one function, from the one of this number on.
fn function(
    f: &Function,
    first: u64,
    routines: &FxHashMap<u64, u64>,
    words: &[u128],
    chip: Chip,
    texts: &mut Texts,
    report: &mut Report,
) {
    let mut starts = FxHashMap::default();
    let mut count = first;
    for &block in &f.layout {
        starts.insert(block, count);
        count += f.blocks[block].insts.len() as u64;
    }
    let own = &words[first as usize..count as usize];
    for (n, ((block, index, inst), &word)) in f.insts().zip(own).enumerate() {
        let at = first + n as u64;
        let place = At::Instruction(block, index, WORD * at);
        let Some(said) = inst.inst() else {
            report.add(Rule::WordsDecode, place, "a pseudo-instruction was encoded");
            continue;
        };
        let Some(found) = one(word, chip, place, texts, report) else { continue };
        let mut said = said.clone();
        let target =
            said.row().fields.iter().position(|field| matches!(field.kind, FieldKind::Target { .. }));
        if let (Some(field), Some(target)) = (target, inst.target) {
            let Some(&start) = starts.get(&target) else {
                report.add(Rule::WordsDecode, place, format!("{target} has no place"));
                continue;
            };
            said.fields[field] = (WORD * start).wrapping_sub(WORD * (at + 1));
        }
        if let Some(field) = target.filter(|_| said.row().id.starts_with("warpsync.collective")) {
            // Behind what ends it, in the same block.
            let behind = f.blocks[block].insts[index..].iter();
            let ends = |inst: &MInst| inst.inst().is_some_and(|inst| inst.ends_collective());
            let Some(distance) = behind.clone().position(ends) else {
                report.add(Rule::WordsDecode, place, "a collective that does not end");
                continue;
            };
            said.fields[field] = WORD * distance as u64;
        }
        if let Some(field) = target.filter(|_| sassafras_hazards::is_routine(&said)) {
            let Some(start) = routines.get(&(said.fields[field] / WORD)) else {
                report.add(Rule::RoutineCall, place, "it calls a routine that is not there");
                continue;
            };
            said.fields[field] = (WORD * start).wrapping_sub(WORD * (at + 1));
            returns_here(words, first as usize, at as usize, place, chip, report);
        }
        if said.row().control_flow == Some(ControlFlowKind::Return) {
            // The distance to the kernel's start, from which return addresses count.
            target.into_iter().for_each(|field| said.fields[field] = (WORD * (at + 1)).wrapping_neg());
        }
        if let Some(b) = said.row().field("b").filter(|_| sets_return_address(&said) && !routines.is_empty())
        {
            // Held against the call by `returns_here`, where it belongs to one.
            said.fields[b] = found.fields[b];
        }
        if found != said {
            let style = Style { control: true, exact: true, ..Style::default() };
            let what = format!("`{}` became `{}`", print(&said, &style), print(&found, &style));
            report.add(Rule::WordsDecode, place, what);
        }
    }
}

/// Whether an instruction writes the lower word of a return address as a number.
fn sets_return_address(inst: &Inst) -> bool {
    inst.row().id == "mov.i" && inst.get("d") == Some(abi::routine::RETURN_ADDRESS.into())
}

/// In front of a call the last write to the return address is the place behind the call, as a number, and nothing leads in between.
fn returns_here(words: &[u128], first: usize, at: usize, place: At, chip: Chip, report: &mut Report) {
    let mut wrong = |what: String| report.add(Rule::RoutineCall, place, what);
    for &word in words[first..at].iter().rev() {
        let Ok(inst) = decode(word, chip) else { return };
        if inst.row().control_flow.is_some_and(|kind| kind != ControlFlowKind::Push) {
            return wrong("its return address is not set in the segment in front of it".to_owned());
        }
        let address = u32::from(abi::routine::RETURN_ADDRESS);
        let writes = |o: &sassafras_isa::Operand| {
            o.class == RegClass::R
                && o.access == Access::Write
                && (o.number..o.number + u32::from(o.units)).contains(&address)
        };
        if inst.operands().any(|o| writes(&o)) {
            let behind = WORD * (at as u64 + 1);
            let right = sets_return_address(&inst) && inst.guard.is_always() && inst.get("b") == Some(behind);
            if !right {
                wrong(format!("it returns to {:#x}, not {behind:#x}", inst.get("b").unwrap_or(0)));
            }
            return;
        }
    }
    wrong("its return address is never set".to_owned());
}

/// A routine writes no more than the convention gives it, touches no memory, and returns by the address that it was given.
fn keeps_convention(number: u8, routine: &Function, report: &mut Report) {
    let address = abi::routine::RETURN_ADDRESS;
    let mut upper = false;
    let count = routine.insts().count();
    for (n, (block, index, inst)) in routine.insts().enumerate() {
        let place = format!("`{}`, {block}, instruction {index}", routine.name);
        for operand in inst.defs() {
            for unit in 0..operand.units {
                let free = match (operand.class, operand.reg.offset(unit)) {
                    (RegClass::R, Reg::Physical(n)) => abi::routine::clobbers(number, n) && n != address,
                    (RegClass::P, Reg::Physical(n)) => abi::routine::clobbers_predicate(n),
                    _ => false,
                };
                if !free {
                    let name = operand.reg.offset(unit).display(operand.class).to_string();
                    report.add(Rule::RoutineRegisters, place.clone(), format!("it writes {name}"));
                }
                if (operand.class, operand.reg.offset(unit)) == (RegClass::R, Reg::Physical(address + 1)) {
                    let zero = inst.inst().is_some_and(|i| i.row().id == "mov.i" && i.get("b") == Some(0));
                    upper = zero && inst.inst().is_some_and(|i| i.guard.is_always());
                }
            }
        }
        let Some(real) = inst.inst() else { continue };
        let last = n + 1 == count;
        let returns = real.row().control_flow == Some(ControlFlowKind::Return);
        let by = real.get("a") == Some(address.into()) && real.guard.is_always() && upper;
        if last && !(returns && by) {
            report.add(Rule::RoutineReturn, place.clone(), "it does not end by a return to its address");
        }
        if !last && real.row().control_flow.is_some() {
            report.add(Rule::RoutineReturn, place.clone(), "control leaves it before its end");
        }
        if real.row().memory.is_some_and(|memory| memory.space != MemorySpace::Constant) {
            report.add(Rule::RoutineRegisters, place, "it touches memory");
        }
    }
}

/// What holds of a word by itself. Its instruction, if it has one.
fn one(word: u128, chip: Chip, place: At, texts: &mut Texts, report: &mut Report) -> Option<Inst> {
    let found = match decode(word, chip) {
        Ok(found) => found,
        Err(error) => {
            report.add(Rule::WordsDecode, place, format!("{word:#034x} does not decode: {error}"));
            return None;
        }
    };
    match encode(&found, chip) {
        Ok(again) if again == word => {}
        Ok(again) => report.add(Rule::WordsBits, place, format!("{word:#034x} encodes as {again:#034x}")),
        Err(error) => report.add(Rule::WordsBits, place, format!("{word:#034x} does not encode: {error}")),
    }
    if texts.is_new(word) {
        let style = Style { control: true, exact: true, ..Style::default() };
        let text = print(&found, &style);
        match parse(&text, &style) {
            Ok(again) if again == found => {}
            Ok(_) => report.add(Rule::WordsText, place, format!("`{text}` reads as another instruction")),
            Err(error) => report.add(Rule::WordsText, place, format!("`{text}` does not read: {error}")),
        }
    }
    if let Some(fault) = found.control.fault() {
        report.add(Rule::WordsControl, place, fault);
    }
    Some(found)
}

/// Behind the last instruction: a branch to itself, then NOPs, up to a full line.
fn pads(padding: &[u128], all: usize, chip: Chip, texts: &mut Texts, report: &mut Report) {
    if padding.is_empty() || !all.is_multiple_of(PAD) {
        report.add(Rule::WordsCount, "padding", format!("{} words, {all} in all", padding.len()));
    }
    for (i, &word) in padding.iter().enumerate() {
        let place = At::Padding(i);
        let Some(inst) = one(word, chip, place, texts, report) else { continue };
        let own = inst.row().fields.iter().zip(&inst.fields).any(|(field, &value)| {
            matches!(field.kind, FieldKind::Target { .. }) && value == WORD.wrapping_neg()
        });
        let fine = match i {
            0 => inst.row().meaning == Meaning::Bra && own && inst.guard.is_always(),
            _ => inst.row().meaning == Meaning::Nop,
        };
        if !fine {
            report.add(Rule::WordsCount, place, format!("`{}`", print(&inst, &Style::default())));
        }
    }
}
