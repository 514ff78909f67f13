//! Faults in words.

use crate::faults::Make;
use sassafras_isa::{FieldKind, Inst, decode, encode};
use sassafras_machine::Function;

pub const FAULTS: &[(&str, &str, Make)] = &[
    ("flipped-immediate", "encoding", Make::Words(flipped_immediate)),
    ("wrong-source", "encoding", Make::Words(wrong_source)),
    ("branch-one-on", "encoding", Make::Words(branch_one_on)),
    ("shorter-stall", "encoding", Make::Words(shorter_stall)),
    ("other-scoreboard", "encoding", Make::Words(other_scoreboard)),
    ("inverted-guard", "encoding", Make::Words(inverted_guard)),
    ("stray-bit", "encoding", Make::Words(stray_bit)),
    ("word-left-out", "encoding", Make::Words(word_left_out)),
    ("padding-runs-on", "encoding", Make::Words(padding_runs_on)),
];

/// Changes the last of the function's own words that can be changed so.
fn change(f: &Function, words: &mut [u128], change: impl Fn(&mut Inst) -> bool) -> bool {
    let own = f.insts().count();
    words[..own].iter_mut().rev().any(|word| {
        let Ok(mut inst) = decode(*word, f.chip) else { return false };
        let changed = change(&mut inst).then(|| encode(&inst, f.chip).ok()).flatten();
        changed.filter(|new| new != word).is_some_and(|new| {
            *word = new;
            true
        })
    })
}

fn field(inst: &mut Inst, wanted: impl Fn(&sassafras_isa::Field) -> bool) -> Option<&mut u64> {
    let place = (0..inst.fields.len()).find(|&i| wanted(&inst.row().fields[i]) && inst.shows(i))?;
    inst.fields.get_mut(place)
}

fn flipped_immediate(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let number = |field: &sassafras_isa::Field| {
            matches!(field.kind, FieldKind::Signed { scale: 1 } | FieldKind::Unsigned { scale: 1 })
        };
        field(inst, number).map(|value| *value ^= 1).is_some()
    })
}

fn wrong_source(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let source = |field: &sassafras_isa::Field| {
            field.read && matches!(field.kind, FieldKind::Register { class: sassafras_isa::RegClass::R, .. })
        };
        field(inst, source).map(|value| *value ^= 8).is_some()
    })
}

fn branch_one_on(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let target = |field: &sassafras_isa::Field| matches!(field.kind, FieldKind::Target { .. });
        field(inst, target).map(|value| *value = value.wrapping_add(16)).is_some()
    })
}

fn shorter_stall(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let long = inst.control.stall > 2;
        inst.control.stall -= u8::from(long);
        long
    })
}

fn other_scoreboard(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let sets = inst.control.write_barrier < 5;
        inst.control.write_barrier += u8::from(sets);
        sets
    })
}

fn inverted_guard(f: &Function, words: &mut [u128]) -> bool {
    change(f, words, |inst| {
        let guarded = inst.guard.pred != 7;
        inst.guard.negate ^= guarded;
        guarded
    })
}

/// A bit that the form does not account for.
fn stray_bit(f: &Function, words: &mut [u128]) -> bool {
    let own = f.insts().count();
    words[..own].iter_mut().any(|word| {
        let Ok(inst) = decode(*word, f.chip) else { return false };
        let free = (0..128).find(|&bit| inst.row().owned >> bit & 1 == 0);
        free.is_some_and(|bit| {
            *word ^= 1 << bit;
            true
        })
    })
}

/// An instruction is missing; the rest moves up.
fn word_left_out(f: &Function, words: &mut [u128]) -> bool {
    let own = f.insts().count();
    let place = (1..own).find(|&i| words[i] != words[i - 1]);
    place.is_some_and(|i| {
        words[i - 1..].rotate_left(1);
        true
    })
}

/// The branch to itself behind the code is missing.
fn padding_runs_on(f: &Function, words: &mut [u128]) -> bool {
    let own = f.insts().count();
    let Some(&nop) = words.last().filter(|_| own + 1 < words.len()) else { return false };
    words[own] = nop;
    true
}
