//! Atomic operations as changes of a word: what is there becomes a function of what was there.
//!
//! An operation that the hardware does by a loop around a compare-and-swap ([`crate::trace::retry`]) and the one of the source are the same if they
//! make the same of every word that they may find. So the event that others see has two operands: the address, and the new word
//! made of the old one, which is a variable that stands for the answer. One of two bytes is a change of the word around them that leaves
//! the others as they are: a compare-and-swap of the word lets nobody come in between, and what it writes beside is what is there.

use crate::assumption::Assumption;
use crate::obstacle::Obstacle;
use crate::obstacle::target::{Swap, Target};
use crate::trace::action::{Action, Word};
use crate::trace::path::Name;
use crate::trace::retry::Guess;
use crate::trace::retry::Retry;
use crate::trace::side::Side;
use crate::trace::window::with;
use sassafras_isa::{RegClass, Register};
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    AtomicOp, BinaryOp, CompareOp, Domain, FloatFormat, FloatMode, FloatOp, Rounding, Scope, Space, TermId,
    Terms,
};
use std::collections::BTreeSet;

/// Bytes of a word around smaller operands.
const WORD: u32 = 4;

/// What an operation makes of what it finds; none if that is not known here.
fn made(d: &Terms, op: AtomicOp, old: TermId, operands: &[TermId]) -> Option<TermId> {
    let width = d.width(&old);
    if operands.is_empty() || operands.iter().any(|o| d.width(o) != width) {
        return None;
    }
    let b = operands[0];
    let add = |format: FloatFormat, bits: u32| {
        let mode = FloatMode { rounding: Rounding::NearestEven, ftz: false, sat: false };
        (bits == width).then(|| d.float(FloatOp::Add, format, mode, &[&old, &b]))
    };
    let choose = |relation: CompareOp| {
        let keeps = d.compare(relation, &old, &b);
        Some(d.ite(&keeps, &old, &b))
    };
    match op {
        AtomicOp::Add => Some(d.add(&old, &b)),
        AtomicOp::SMin => choose(CompareOp::SLe),
        AtomicOp::SMax => {
            let below = d.compare(CompareOp::SLt, &old, &b);
            Some(d.ite(&below, &b, &old))
        }
        AtomicOp::UMin => choose(CompareOp::ULe),
        AtomicOp::UMax => {
            let below = d.compare(CompareOp::ULt, &old, &b);
            Some(d.ite(&below, &b, &old))
        }
        AtomicOp::And => Some(d.binary(BinaryOp::And, &old, &b)),
        AtomicOp::Or => Some(d.binary(BinaryOp::Or, &old, &b)),
        AtomicOp::Xor => Some(d.binary(BinaryOp::Xor, &old, &b)),
        AtomicOp::Exch => Some(b),
        AtomicOp::Cas => {
            let new = operands.get(1)?;
            Some(d.ite(&d.eq(&old, &b), new, &old))
        }
        AtomicOp::AddF32 { ftz: false } => add(FloatFormat::F32, 32),
        AtomicOp::AddF64 => add(FloatFormat::F64, 64),
        AtomicOp::AddF16 => add(FloatFormat::F16, 16),
        AtomicOp::AddBf16 => add(FloatFormat::Bf16, 16),
        AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::AddF32 { ftz: true }
        | AtomicOp::AddF16x2
        | AtomicOp::AddBf16x2
        | AtomicOp::MinF32 { .. }
        | AtomicOp::MaxF32 { .. } => None,
    }
}

/// A change of a word of some bytes.
pub fn what((space, scope): (Space, Scope), bytes: u32) -> Action {
    Action::Update(Word { space, bytes, scope })
}

/// An atomic operation as a change of a word, and what it finds; none if it stays what it is. `address` has the width of its space.
pub fn atomic<R: Name>(
    side: &mut Side<'_, R>,
    op: AtomicOp,
    kind: (Space, Scope),
    address: TermId,
    bytes: u32,
    operands: &[TermId],
) -> Option<TermId> {
    let (d, inputs) = (side.inputs.terms, side.inputs);
    let width = 8 * bytes;
    if !matches!(bytes, 2 | 4 | 8) || operands.iter().any(|o| d.width(o) != width) {
        return None;
    }
    if bytes >= WORD {
        made(d, op, d.constant(width, 0), operands)?;
        let old = side.expected.take().filter(|t| d.width(t) == width);
        let old = old.unwrap_or_else(|| side.foretell(&what(kind, bytes), width));
        let new = made(d, op, old, operands)?;
        side.update(what(kind, bytes), address, old, new);
        return Some(old);
    }
    // An operation at an odd address is undefined (PTX ISA, "atom"); SASS has none of two bytes.
    if side.machine {
        return None;
    }
    made(d, op, d.constant(width, 0), operands)?;
    let low = d.extract(&address, 0, 1);
    let odd = inputs.normal.of(d.and(&side.happens(), &low));
    if inputs.known(odd) != Some(0) {
        side.log.undefined.push(odd);
    }
    let whole = d.width(&address);
    let word = d.binary(BinaryOp::And, &address, &d.constant(whole, !3));
    let second = d.binary(BinaryOp::And, &d.extract(&address, 0, 32), &d.constant(32, 2));
    let count = d.binary(BinaryOp::Shl, &second, &d.constant(32, 3));
    let found = side.foretell(&what(kind, WORD), 32);
    let old = d.extract(&d.binary(BinaryOp::LShr, &found, &count), 0, width);
    let new = made(d, op, old, operands)?;
    let here = d.binary(BinaryOp::Shl, &d.constant(32, 0xffff), &count);
    let others = d.binary(BinaryOp::And, &found, &d.xor(&here, &d.constant(32, 0xffff_ffff)));
    let changed = d.binary(BinaryOp::Or, &others, &d.binary(BinaryOp::Shl, &d.zext(&new, 32), &count));
    side.update(what(kind, WORD), word, found, changed);
    Some(old)
}

/// Lanes begin the one round that a loop around a compare-and-swap is taken for.
pub fn begin(side: &mut Side<'_, Register>, retry: &Retry) {
    // Lanes elsewhere may go on between two rounds.
    if side.path.lanes.are_apart() {
        side.new_piece();
    }
    let width = 32 * retry.expected.len() as u32;
    match &retry.guess {
        Some(guess) => {
            let name = format!("{}.guess {:#x} {}", side.who, side.place, side.walk.visit());
            let any = side.inputs.variable(&name, width, false);
            side.path.registers.insert(guess.guess, any);
        }
        None => {
            let found = side.foretell(&what(retry.kind, width / 8), width);
            side.path.registers.insert(retry.found, found);
        }
    }
    side.log.assumed.insert(Assumption::Retry);
}

/// The compare-and-swap of a loop was done: it changed a word, which lies where the load of what was expected first looked.
///
/// # Errors
/// One that is no change of a word.
pub fn end(side: &mut Side<'_, Register>, retry: &Retry) -> Result<(), Target> {
    let d = side.inputs.terms;
    let wrong = |fault: Swap| Err(Target::CompareAndSwap { fault });
    if side.expected.take().is_some() {
        return wrong(Swap::NoChange);
    }
    let Some(event) = side.log.events.iter().rev().find(|e| e.place == side.place) else {
        return wrong(Swap::NoEvent);
    };
    let place = event.arguments[0];
    let own = what(retry.kind, 4 * retry.expected.len() as u32);
    if event.action() != Some(&own) {
        return wrong(Swap::OtherMemory);
    }
    if let Some(guess) = &retry.guess
        && side.path.registers.get(&guess.guess).is_none_or(|g| d.free(&[place]).contains(g))
    {
        return wrong(Swap::Guessed);
    }
    if retry.load.is_some() {
        let Some(loaded) = side.path.registers.get(&retry.address).copied() else {
            return wrong(Swap::NotLoaded);
        };
        let width = d.width_of(place).min(d.width_of(loaded));
        let [a, b] = [place, loaded].map(|t| d.extract(&t, 0, width));
        let elsewhere = side.inputs.normal.of(d.and(&side.happens(), &d.not(&d.eq(&a, &b))));
        if side.inputs.known(elsewhere) != Some(0) {
            side.log.demands.push((elsewhere, side.place));
        }
    }
    Ok(())
}

/// Two variables: the guess that a round began with, and the word found.
fn words(side: &Side<'_, Register>, retry: &Retry, guess: &Guess) -> Result<[TermId; 2], Target> {
    let variable = |r: Register| {
        let own = side.path.registers.get(&r).copied();
        own.filter(|t| matches!(side.inputs.terms.node(*t), Node::Variable(_)))
    };
    match (variable(guess.guess), variable(retry.found)) {
        (Some(g), Some(f)) => Ok([g, f]),
        _ => Err(Target::CompareAndSwap { fault: Swap::NoBeginning }),
    }
}

/// A word in registers, the low one first.
fn word(side: &Side<'_, Register>, numbers: &[u32]) -> Result<TermId, Target> {
    let (d, class) = (side.inputs.terms, RegClass::R);
    let parts = numbers.iter().map(|n| side.path.registers.get(&Register { class, number: *n }).copied());
    let parts: Option<Vec<TermId>> = parts.collect();
    let whole = parts.and_then(|all| all.into_iter().reduce(|low, high| d.concat(&high, &low)));
    whole.ok_or(Target::CompareAndSwap { fault: Swap::NotWritten })
}

/// The compare-and-swap of what is made of a guess is about to be done: it is the one of a guess that was right. What the registers of its operands hold
/// else, for [`after_guess`].
///
/// # Errors
/// A round that has no beginning.
pub fn before_guess(
    side: &mut Side<'_, Register>,
    retry: &Retry,
    guess: &Guess,
) -> Result<Vec<(Register, TermId)>, Obstacle> {
    let width = 32 * retry.expected.len() as u32;
    let found = side.foretell(&what(retry.kind, width / 8), width);
    side.path.registers.insert(retry.found, found);
    let [any, found] = words(side, retry, guess)?;
    let (expected, made) = (word(side, &guess.expects)?, word(side, &guess.makes)?);
    side.path.registers.extend([(guess.expected, expected), (guess.made, made)]);
    let of = |n: &u32| Register { class: RegClass::R, number: *n };
    let operands: BTreeSet<Register> = guess.expects.iter().chain(&guess.makes).map(of).collect();
    let mut kept = Vec::new();
    for r in operands {
        if let Some(value) = side.path.registers.get_mut(&r) {
            kept.push((r, *value));
            *value = with(side.inputs, *value, any, found);
        }
    }
    Ok(kept)
}

/// It was done: registers that it did not write hold what they held.
pub fn after_guess(side: &mut Side<'_, Register>, held: Vec<(Register, TermId)>, guess: &Guess) {
    side.path.registers.extend(held.into_iter().filter(|(r, _)| !guess.finds.contains(&r.number)));
}

/// The loop is left where `leaves` holds: what makes it one change of the word is demanded, and what depends on the guess is forgotten.
///
/// # Errors
/// A round that has no beginning.
pub fn leave_guess(
    side: &mut Side<'_, Register>,
    retry: &Retry,
    guess: &Guess,
    leaves: TermId,
) -> Result<(), Target> {
    let (d, inputs) = (side.inputs.terms, side.inputs);
    let [any, found] = words(side, retry, guess)?;
    let own = |r: Register| side.path.registers.get(&r).copied();
    let (Some(expected), Some(made)) = (own(guess.expected), own(guess.made)) else {
        return Err(Target::CompareAndSwap { fault: Swap::LeftEarly });
    };
    let right = |t: TermId| with(inputs, t, any, found);
    let goes_on = d.not(&leaves);
    let other = |t: TermId| d.and(&leaves, &d.not(&d.eq(&t, &right(t))));
    let wrong = [
        // A guess that was right goes on.
        right(goes_on),
        // So does a round that changed the word.
        d.and(&d.eq(&found, &expected), &goes_on),
        // The last round is another than that of a guess that was right.
        other(expected),
        other(made),
    ];
    let happens = side.happens();
    for wrong in wrong {
        let wrong = inputs.normal.of(d.and(&happens, &wrong));
        if inputs.known(wrong) != Some(0) {
            side.log.demands.push((wrong, side.place));
        }
    }
    for r in &guess.written {
        let Some(value) = side.path.registers.get(r).copied() else { continue };
        if d.free(&[value]).contains(&any) {
            let name = format!("{}.left {r} {:#x} {}", side.who, side.place, side.walk.visit());
            let left = inputs.variable(&name, d.width_of(value), false);
            side.path.registers.insert(*r, left);
        }
    }
    Ok(())
}
