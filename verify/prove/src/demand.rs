//! What the hardware demands of an instruction beyond its operands' values. What does not meet it faults, which no source
//! allows: it is `Unknown`.

use sassafras_chip::Chip;
use sassafras_isa::step::Register;
use sassafras_isa::{ControlFlowKind, FieldKind, Inst, Meaning, MemoryKind, MemorySpace, RegClass, decode};

/// Several registers as one operand begin at a multiple of their number.
///
/// # Errors
/// An operand that does not.
pub fn aligned(inst: &Inst) -> Result<(), String> {
    let vector = |class| matches!(class, RegClass::R | RegClass::UR);
    for o in inst.operands().filter(|o| vector(o.class) && o.units > 1) {
        let zero = o.class.constant() == Some(u64::from(o.number));
        let units = u32::from(o.units).next_power_of_two().min(4);
        if !zero && !o.number.is_multiple_of(units) {
            return Err(format!("{}{} as the first of {} registers", letters(o.class), o.number, o.units));
        }
    }
    Ok(())
}

fn letters(class: RegClass) -> &'static str {
    if class == RegClass::R { "R" } else { "UR" }
}

/// What an acquire acquires from has come back: the last strong load or atomic operation in the straight code before a `CCTL.IVALL` has been waited for, if a
/// scoreboard tells of its result. `code`: the instructions up to the one in question, which is the last.
///
/// # Errors
/// One that may be under way; what loads behind it find might be older.
pub fn returned(code: &[u128], chip: Chip) -> Result<(), String> {
    let mut waited = 0;
    for (n, word) in code.iter().rev().enumerate() {
        let Ok(inst) = decode(*word, chip) else { return Ok(()) };
        let row = inst.row();
        // A barrier of memory is behind all that came before it.
        let settled = row.control_flow.is_some() || row.meaning == Meaning::Membar;
        if n == 0 && row.meaning != Meaning::Cctl || n > 0 && settled {
            return Ok(());
        }
        let own = inst.control.write_barrier;
        let strong = match row.meaning {
            Meaning::Ldg | Meaning::Ld => inst.get("sem").is_some_and(|sem| sem != 0),
            Meaning::Atomg | Meaning::Atom => true,
            _ => false,
        };
        if strong {
            return match own < 6 && waited & (1 << own) == 0 {
                true => Err("an acquire while what it acquires from may be under way".into()),
                false => Ok(()),
            };
        }
        waited |= inst.control.wait_mask;
    }
    Ok(())
}

/// The uniform pair that has to hold the descriptor of global memory.
pub fn descriptor(inst: &Inst, chip: Chip) -> Option<[Register; 2]> {
    chip.bank().global_descriptor?;
    let row = inst.row();
    let memory = row.memory?;
    if !matches!(memory.space, MemorySpace::Global | MemorySpace::Generic) {
        return None;
    }
    let i = row.field("u")?;
    let FieldKind::Register { class: RegClass::UR, .. } = row.fields[i].kind else { return None };
    let first = inst.fields[i] as u32;
    (inst.units(i) == 2).then(|| [first, first + 1].map(|number| Register { class: RegClass::UR, number }))
}

/// Modifiers that are a mark of nothing that is modelled.
///
/// # Errors
/// An access whose strength no compiler writes; an `EXIT` that does more than end its lanes.
pub fn plain(inst: &Inst) -> Result<(), String> {
    let row = inst.row();
    let other = |text: &str| Err(format!("the modifier `{text}` is not supported"));
    let stores = row.memory.is_some_and(|m| m.kind != MemoryKind::Load);
    if let Some(text) = inst.enum_text("sem") {
        let strong = text.starts_with(".STRONG") || text.starts_with(".MMIO");
        if text.contains("PRIVATE") || !(text.is_empty() || strong || text == ".CONSTANT" && !stores) {
            return other(text);
        }
    }
    if row.meaning == Meaning::Warpsync
        && let Some(text) =
            inst.enum_text("mode").filter(|text| !matches!(*text, "" | ".EXCLUSIVE" | ".COLLECTIVE"))
    {
        return other(text);
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
