//! Code as text, and changes of code.

use sassafras_cubin::{Cubin, Variable};
use sassafras_isa::{Access, Chip, Inst, Meaning, Scoreboard, Style, decode, encode, parse, print};

/// Registers of what is written here.
const REGISTERS: u32 = 64;

/// The word of an instruction for sm_90.
pub fn word(text: &str) -> u128 {
    word_for(text, Chip::Sm90)
}

/// The word of an instruction for a chip.
fn word_for(text: &str, chip: Chip) -> u128 {
    encode(&slow(text), chip).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// An instruction that waits for all that came before it.
fn slow(text: &str) -> Inst {
    let mut inst = parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let row = inst.row();
    let (writes, reads) = match row.scoreboard {
        Scoreboard::None => (false, false),
        Scoreboard::Write => (true, false),
        Scoreboard::Read => (false, true),
        Scoreboard::ReadWrite => (true, true),
    };
    let mut control = row.control.safe();
    if writes && row.control.write_barrier && inst.operands().any(|o| o.access == Access::Write) {
        control.write_barrier = 0;
    }
    if reads && row.control.read_barrier {
        control.read_barrier = 1;
    }
    inst.control = control;
    inst
}

/// A line without its label, and the label.
fn split(line: &str) -> (&str, &str) {
    match line.split_once(": ") {
        Some((label, rest)) if label.chars().all(char::is_alphanumeric) => (rest, label),
        _ => (line, ""),
    }
}

/// The words of a text: an instruction a line, perhaps behind a label (`a: MOV …`), which others name (`BRA ->a`). Comments begin with `//`.
fn words(text: &str, cubin: &Cubin) -> Vec<u128> {
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && !l.starts_with("//")).collect();
    let place = |label: &str| {
        let found = lines.iter().position(|line| split(line).1 == label);
        found.unwrap_or_else(|| panic!("no label {label}")) as i64
    };
    let one = |(i, line): (usize, &&str)| {
        let own = split(line).0;
        let Some((before, label)) = own.split_once("->") else { return word_for(own, chip) };
        let distance = 16 * (place(label) - i as i64 - 1);
        let sign = if distance < 0 { "-" } else { "" };
        word_for(&format!("{before}pc({sign}{:#x})", distance.abs()), chip)
    };
    lines.iter().enumerate().map(one).collect()
}

/// Puts a text in the place of the code of the entry.
pub fn put(cubin: &mut Cubin, text: &str) {
    let code = words(text, cubin);
    let entry = &mut cubin.functions[0];
    entry.code = code;
    entry.registers = REGISTERS;
    entry.relocations.clear();
    if text.contains("BAR") {
        entry.barriers = 1;
    }
}

/// Puts a text in front of the code of the entry.
pub fn prepend(cubin: &mut Cubin, text: &str) {
    let front = words(text, cubin);
    let entry = &mut cubin.functions[0];
    entry.code = [front, std::mem::take(&mut entry.code)].concat();
    entry.registers = REGISTERS;
}

/// Replaces the instructions of some meaning.
pub fn replace(cubin: &mut Cubin, meaning: Meaning, text: &str) {
    let mut found = false;
    for own in &mut cubin.functions[0].code {
        if decode(*own, Chip::Sm90).is_ok_and(|inst| inst.row().meaning == meaning) {
            (*own, found) = (word(text), true);
        }
    }
    assert!(found, "no instruction is replaced by {text}");
}

/// The first instruction whose text has this in it.
fn find<'c>(cubin: &'c mut Cubin, text: &str) -> (&'c mut u128, Inst) {
    let chip = Chip::from_number(cubin.sm).expect("a chip");
    let all = cubin.functions[0].code.iter_mut();
    let mut all = all.filter_map(|word| decode(*word, chip).ok().map(|inst| (word, inst)));
    let found = all.find(|(_, inst)| print(inst, &Style::default()).contains(text));
    found.unwrap_or_else(|| panic!("no {text}"))
}

/// Replaces the first instruction whose text has this in it.
pub fn swap(cubin: &mut Cubin, old: &str, new: &str) {
    *find(cubin, old).0 = word(new);
}

/// Sets a field of the first instruction whose text has this in it.
pub fn set(cubin: &mut Cubin, text: &str, field: &str, value: u64) {
    let (own, mut inst) = find(cubin, text);
    let at = inst.row().field(field).unwrap_or_else(|| panic!("no {field}"));
    inst.fields[at] = value;
    *own = encode(&inst, Chip::Sm90).unwrap_or_else(|e| panic!("{text}: {e}"));
}

/// A variable by its name.
pub fn variable<'c>(cubin: &'c mut Cubin, name: &str) -> &'c mut Variable {
    cubin.variables.iter_mut().find(|v| v.name == name).expect("it is there")
}
