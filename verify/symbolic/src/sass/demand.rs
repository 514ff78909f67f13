//! What the hardware demands of an instruction beyond its operands' values. What does not meet it faults, which no source
//! allows: it is `Unknown`.

use crate::obstacle::container::Container;
use crate::obstacle::target::Target;
use rustc_hash::FxHashSet;
use sassafras_chip::Chip;
use sassafras_hazards::Program;
use sassafras_isa::step::Register;
use sassafras_isa::{ControlFlowKind, FieldKind, Inst, Meaning, MemoryKind, MemorySpace, RegClass};
use std::collections::BTreeSet;

/// Several registers as one operand begin at a multiple of their number.
///
/// # Errors
/// An operand that does not.
pub fn aligned(inst: &Inst) -> Result<(), Target> {
    let vector = |class| matches!(class, RegClass::R | RegClass::UR);
    for o in inst.operands().filter(|o| vector(o.class) && o.units > 1) {
        let zero = o.class.constant() == Some(u64::from(o.number));
        let units = u32::from(o.units).next_power_of_two().min(4);
        if !zero && !o.number.is_multiple_of(units) {
            let register = format!("{}{}", letters(o.class), o.number).into();
            return Err(Target::Misaligned { register, units: o.units.into() });
        }
    }
    Ok(())
}

fn letters(class: RegClass) -> &'static str {
    if class == RegClass::R { "R" } else { "UR" }
}

/// The ways through some code, backwards.
struct Flow {
    insts: Vec<Option<Inst>>,
    before: Vec<Vec<usize>>,
}

impl Flow {
    /// The ways through the words of a function; `jumps`: where those go that name no place, from word to word.
    fn of(code: &[u128], chip: Chip, jumps: &BTreeSet<(usize, usize)>) -> Flow {
        let program = Program::of_words_with(code, chip, jumps);
        let mut before = vec![Vec::new(); code.len()];
        for (from, succs) in program.succs.iter().enumerate() {
            succs.iter().for_each(|&to| before[to].push(from));
        }
        Flow { insts: program.insts, before }
    }
}

/// What each acquire of some code acquires from has come back (`returned`).
///
/// # Errors
/// The first of which that is not so.
pub fn all_returned(code: &[u128], chip: Chip, jumps: &BTreeSet<(usize, usize)>) -> Result<(), Container> {
    let flow = Flow::of(code, chip, jumps);
    match (0..code.len()).find(|at| !returned(&flow, *at)) {
        Some(at) => Err(Container::Acquire { at: 16 * at }),
        None => Ok(()),
    }
}

/// What an acquire acquires from has come back: on every way to the `CCTL.IVALL` at `at`, the last strong load or atomic operation has been
/// waited for, if a scoreboard tells of its result. So has a barrier of memory. While one may be under way, what loads behind it find might be older.
fn returned(flow: &Flow, at: usize) -> bool {
    let own = |at: usize| flow.insts[at].as_ref();
    let Some(inst) = own(at).filter(|inst| inst.row().id == "cctl.ivall") else { return true };
    let mut seen = FxHashSet::default();
    let mut work: Vec<(usize, u8)> =
        flow.before[at].iter().map(|&before| (before, inst.control.wait_mask)).collect();
    while let Some((at, waited)) = work.pop() {
        let Some(inst) = own(at).filter(|_| seen.insert((at, waited))) else { continue };
        let row = inst.row();
        let board = inst.control.write_barrier;
        let strong = match row.meaning {
            Meaning::Ldg | Meaning::LdgWide | Meaning::Ld => inst.get("sem").is_some_and(|sem| sem != 0),
            Meaning::Atomg | Meaning::Atom | Meaning::AtomArrive | Meaning::Membar => true,
            _ => false,
        };
        if strong && board < 6 && waited & (1 << board) == 0 {
            return false;
        }
        // Where its guard does not hold it says nothing of what came before it.
        if !strong || !inst.guard.is_always() {
            work.extend(flow.before[at].iter().map(|&before| (before, waited | inst.control.wait_mask)));
        }
    }
    true
}

/// The uniform pair that has to hold the descriptor of global memory.
pub fn descriptor(inst: &Inst, chip: Chip) -> Option<[Register; 2]> {
    chip.bank().global_descriptor?;
    let row = inst.row();
    let memory = row.memory?;
    // A copy to shared memory reads global memory.
    let copies = row.meaning == Meaning::Ldgsts;
    if !copies && !matches!(memory.space, MemorySpace::Global | MemorySpace::Generic) {
        return None;
    }
    // Uniform registers are part of the address where they stand inside the brackets: no descriptor is asked for then.
    let i = row.field("u").filter(|_| row.has_descriptor())?;
    let FieldKind::Register { class: RegClass::UR, .. } = row.fields[i].kind else { return None };
    let first = inst.fields[i] as u32;
    (inst.units(i) == 2).then(|| [first, first + 1].map(|number| Register { class: RegClass::UR, number }))
}

/// Modifiers that are a mark of nothing that is modelled.
///
/// # Errors
/// An access whose strength no compiler writes; an `EXIT` that does more than end its lanes.
pub fn plain(inst: &Inst) -> Result<(), Target> {
    let row = inst.row();
    let other = |text: &str| Err(Target::Modifier { text: text.into() });
    let stores = row.memory.is_some_and(|m| m.kind != MemoryKind::Load);
    if let Some(text) = inst.enum_text("sem") {
        let strong = text.starts_with(".STRONG") || text.starts_with(".MMIO");
        // What has no strength says `.SYS` on sm_75 (experiment: each weak access of ptxas 12.0 to 13.5 there).
        let weak = text.is_empty() || text == ".SYS";
        let constant = matches!(text, ".CONSTANT" | ".CONSTANT.SYS") && !stores;
        if text.contains("PRIVATE") || !(weak || strong || constant) {
            return other(text);
        }
    }
    if row.meaning == Meaning::Warpsync
        && let Some(text) =
            inst.enum_text("mode").filter(|text| !matches!(*text, "" | ".EXCLUSIVE" | ".COLLECTIVE"))
    {
        return other(text);
    }
    // A call or return that counts how deep calls are, and a copy past the first cache of less than 16 bytes (PTX ISA, "cp.async": `.cg` has 16): what they do
    // is not known.
    for field in ["noinc", "nodec"] {
        if inst.enum_text(field) == Some("") {
            return Err(Target::CountsCalls { mnemonic: row.mnemonic.into() });
        }
    }
    if row.meaning == Meaning::Ldgsts {
        let text = |field| inst.enum_text(field).unwrap_or_default();
        if text("bypass") == ".BYPASS" && text("sz") != ".128" {
            return other(text("bypass"));
        }
        if text("sem").starts_with(".MMIO") {
            return other(text("sem"));
        }
    }
    if row.control_flow == Some(ControlFlowKind::Exit) {
        for field in ["mode", "noatexit"] {
            match inst.enum_text(field) {
                None | Some("") => {}
                Some(text) => return other(text),
            }
        }
    }
    Ok(())
}
