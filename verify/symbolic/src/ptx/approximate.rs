//! Approximations of the source that are what the target computes.
//!
//! PTX bounds the result of `ex2.approx`, `div.full` and their like, and does not fix it: whatever is within the bound is right. So
//! each such instruction is a *site*: where the target has computed one of the results that a lemma says are within the bound
//! ([`crate::lemma::ESTIMATES`]), the source's result is this one. The witness says by which lemma.
//!
//! `fns` is such a site too: its result is fixed, and what lemmas ([`crate::lemma::BITS`]) compute is that.

use crate::inputs::Inputs;
use crate::lemma::{self, Code, Estimate, Lemma, Subject, Unusable, of_sites};
use rustc_hash::FxHashSet;
use sassafras_ptx::checked::{Inst, Op, Operand, RegisterId, Type};
use sassafras_semantics::{Domain, FloatFormat, Rounding, TermId};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// By instruction of the source: the lemma by which it is done.
pub type Estimated = BTreeMap<u32, String>;

/// The lemmas' code, read once.
fn codes() -> &'static [Result<Code, Unusable>] {
    static CODES: OnceLock<Vec<Result<Code, Unusable>>> = OnceLock::new();
    CODES.get_or_init(|| of_sites().map(|l| lemma::code(l.code)).collect())
}

/// What an instruction approximates, and in how many lanes, or that it looks for a bit; none if lemmas are not about it.
pub fn subject(inst: &Inst) -> Option<(Subject, u32)> {
    if inst.op == Op::Fns {
        return Some((Subject::NthBit, 1));
    }
    if crate::ptx::flush::narrows(inst) {
        return Some((Subject::Estimate(Estimate::Narrow, true), 1));
    }
    if !(inst.mods.approx || inst.mods.full) || inst.mods.sat {
        return None;
    }
    let (format, lanes) = crate::ptx::contract::lanes(inst)?;
    if inst.op == Op::Div && format == FloatFormat::F32 {
        let what = if inst.mods.full { Estimate::DivideFull } else { Estimate::Divide };
        return Some((Subject::Estimate(what, inst.mods.ftz), 1));
    }
    let function = inst.op.approximation()?;
    let what = match format {
        FloatFormat::F32 => Estimate::Single(function),
        FloatFormat::F16 | FloatFormat::Bf16 => Estimate::Half(function, format),
        _ => return None,
    };
    Some((Subject::Estimate(what, inst.mods.ftz), lanes))
}

/// What is done at the sites of a function.
pub struct Estimates<'a> {
    /// Terms of the target: what is among them is taken. None: as [`Estimates::done`] says.
    like: Option<&'a FxHashSet<TermId>>,
    /// What was done.
    pub done: Estimated,
}

impl<'a> Estimates<'a> {
    /// `like`: terms of the target; else what is done was said before.
    pub fn new(like: Option<&'a FxHashSet<TermId>>, done: Estimated) -> Estimates<'a> {
        Estimates { like, done }
    }

    /// What the instruction at `index` computes where a lemma says so: `value` tells what a register holds.
    ///
    /// # Errors
    /// A lemma that was said before, and is not about this instruction.
    pub fn of(
        &mut self,
        inputs: &Inputs<'_>,
        index: u32,
        inst: &Inst,
        value: &mut dyn FnMut(RegisterId) -> TermId,
    ) -> Result<Option<TermId>, Unusable> {
        let said = self.done.get(&index);
        let found = subject(inst);
        if self.like.is_none() && said.is_none() {
            return Ok(None);
        }
        if let Some(rounding) = crate::ptx::flush::divides(inst) {
            return self.flushed(inputs, index, inst, rounding, value);
        }
        let Some((about, lanes)) = found else {
            return said.map_or(Ok(None), |l| Err(Unusable::NoSuch(l.clone())));
        };
        let Some(operands) = operands(inputs, inst, lanes, value) else { return Ok(None) };
        for (lemma, code) in of_sites().zip(codes()) {
            if lemma.subject != about || said.is_some_and(|l| l != lemma.name) {
                continue;
            }
            let code = code.as_ref().map_err(Clone::clone)?;
            let made: Vec<TermId> =
                operands.iter().map(|o| result(inputs, lemma, code, o)).collect::<Result<_, _>>()?;
            if said.is_none() && !self.like.is_some_and(|like| made.iter().all(|t| has(inputs, like, *t))) {
                continue;
            }
            self.done.insert(index, lemma.name.to_owned());
            let width = match about {
                Subject::Estimate(Estimate::Half(..), _) => 16,
                _ => 32,
            };
            let d = inputs.terms;
            let parts = made.iter().map(|t| d.extract(t, 0, width));
            return Ok(parts.reduce(|low, high| d.concat(&high, &low)));
        }
        match said {
            Some(l) if self.like.is_none() => Err(Unusable::Other(l.clone())),
            _ => Ok(None),
        }
    }
}

impl Estimates<'_> {
    /// A quotient that is flushed where the exact one is below 2⁻¹²⁶, where a lemma says so.
    fn flushed(
        &mut self,
        inputs: &Inputs<'_>,
        index: u32,
        inst: &Inst,
        rounding: Rounding,
        value: &mut dyn FnMut(RegisterId) -> TermId,
    ) -> Result<Option<TermId>, Unusable> {
        let (d, all) =
            (inputs.terms, [Subject::FlushedQuotient(rounding), Subject::FlushedReciprocal(rounding)]);
        let Some(operands) = operands(inputs, inst, 1, value) else { return Ok(None) };
        let (a, b) = match operands.concat().as_slice() {
            [a, b] => (*a, *b),
            [b] => (d.constant(32, 1f32.to_bits().into()), *b),
            _ => return Ok(None),
        };
        let is_of = |lemma: &Lemma| all.contains(&lemma.subject);
        let found = match self.done.get(&index) {
            Some(l) if lemma::named(l).is_none_or(|l| !is_of(l)) => {
                return Err(Unusable::Other(l.clone()));
            }
            Some(l) => Some(l.clone()),
            None => self.like.and_then(|like| {
                let late = inputs.normal.of(crate::ptx::flush::behind(d, rounding, &a, &b));
                lemma::written(inputs, late, like, &is_of).map(str::to_owned)
            }),
        };
        let Some(name) = found else { return Ok(None) };
        self.done.insert(index, name);
        Ok(Some(crate::ptx::flush::quotient(d, rounding, &a, &b)))
    }
}

/// Whether the target has computed a word, or a half in its low bits.
fn has(inputs: &Inputs<'_>, like: &FxHashSet<TermId>, word: TermId) -> bool {
    let d = inputs.terms;
    like.contains(&inputs.normal.of(word)) || like.contains(&inputs.normal.of(d.extract(&word, 0, 16)))
}

/// The operands by lane.
fn operands(
    inputs: &Inputs<'_>,
    inst: &Inst,
    lanes: u32,
    value: &mut dyn FnMut(RegisterId) -> TermId,
) -> Option<Vec<Vec<TermId>>> {
    let d = inputs.terms;
    // A conversion's operand has the last of its types.
    let width = match inst.types.last()? {
        Type::F(format) => format.width(),
        _ if inst.op == Op::Fns => 32,
        _ => 16,
    };
    let mut all = vec![Vec::new(); lanes as usize];
    for operand in inst.operands.get(1..)? {
        let whole = match operand {
            Operand::Register(r) => value(*r),
            Operand::Immediate(bits) => d.constant(width * lanes, (*bits).into()),
            _ => return None,
        };
        for (lane, own) in all.iter_mut().enumerate() {
            own.push(d.extract(&whole, width * lane as u32, width));
        }
    }
    Some(all)
}

/// The word that a lemma's code leaves.
fn result(inputs: &Inputs<'_>, lemma: &Lemma, code: &Code, operands: &[TermId]) -> Result<TermId, Unusable> {
    match code.results(lemma, inputs, operands)?.as_slice() {
        [(_, _, word)] => Ok(*word),
        _ => Err(Unusable::Results(lemma.name)),
    }
}
