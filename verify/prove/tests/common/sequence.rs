//! The code of lemmas on values.

use sassafras_semantics::concrete::{Bits, admits};
use sassafras_semantics::term::Node;
use sassafras_semantics::*;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::lemma::{Estimate, Lemma, Premise, Subject, Unusable, code};

/// The multi-function unit: one choice within its bound, and within what a lemma takes for granted of it.
pub struct Unit {
    home: Concrete,
    nearest: Concrete,
    premise: Option<Premise>,
    offset: i32,
}

impl Unit {
    /// A choice, moved towards the nearest result as far as the premise asks for.
    pub fn new(chooser: Chooser, premise: Option<Premise>) -> Unit {
        Unit { home: Concrete::new(chooser), nearest: Concrete::default(), premise, offset: 0 }
    }

    /// The answer so many numbers above the nearest, where documented bound and premise admit it; else the nearest.
    pub fn beside(offset: i32, premise: Option<Premise>) -> Unit {
        Unit { offset, ..Unit::new(Chooser::Nearest, premise) }
    }

    /// What it answers.
    pub fn answer(&self, function: Approximation, ftz: bool, operand: u32) -> u32 {
        let of = |home: &Concrete| home.approximate(function, ftz, &home.constant(32, operand.into()));
        let result = of(&self.home).bits() as u32;
        if self.offset != 0 {
            let beside = result.wrapping_add_signed(self.offset);
            let premise = self.premise.is_none_or(|p| p.function != function || (p.holds)(operand, beside));
            return if premise && admits(function, ftz, operand, beside) { beside } else { result };
        }
        let Some(premise) = self.premise.filter(|p| p.function == function) else { return result };
        let nearest = of(&self.nearest).bits() as u32;
        let holds = |r: u32| (premise.holds)(operand, r);
        if holds(result) {
            return result;
        }
        if !holds(nearest) {
            let zero = operand & 0x8000_0000;
            return if holds(zero) { zero } else { nearest };
        }
        // The last that holds, from the nearest on: by halves of the numbers between.
        let (mut inside, mut outside) = (place(nearest), place(result));
        while inside.abs_diff(outside) > 1 {
            let middle = inside + (outside - inside) / 2;
            if holds(number(middle)) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        number(inside)
    }
}

/// The place of a number of binary32 among all of them; negative ones are below zero.
fn place(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

/// The number at a place.
fn number(place: i64) -> u32 {
    place.unsigned_abs() as u32 | if place < 0 { 0x8000_0000 } else { 0 }
}

/// Bits of an operand.
pub fn width(subject: Subject) -> u32 {
    match subject {
        Subject::Quotient(width) => width,
        Subject::Divide(f, ..) | Subject::Reciprocal(f, ..) | Subject::Root(f, ..) => f.width(),
        Subject::Extremum(_) => 64,
        Subject::FlushedQuotient(_) | Subject::FlushedReciprocal(_) | Subject::NthBit => 32,
        Subject::Estimate(Estimate::Half(..), _) => 16,
        Subject::Estimate(Estimate::Narrow, _) => 64,
        Subject::Estimate(..) => 32,
    }
}

/// What code computes, as steps over values.
pub struct Sequence {
    /// Operands, by the step that stands for each.
    pub operands: Vec<usize>,
    /// Node, width, and the steps of its operands.
    steps: Vec<(Node, u32, Vec<usize>)>,
    /// The steps of the results' words.
    results: Vec<usize>,
}

impl Sequence {
    /// Of a lemma, with this text as its code.
    ///
    /// # Errors
    /// Code that cannot be run.
    pub fn of(lemma: &Lemma, text: &str) -> Result<Sequence, Unusable> {
        let terms = Terms::raw();
        let width = width(lemma.subject);
        let count = lemma.given.len() / width.div_ceil(32) as usize;
        let operands: Vec<TermId> =
            (0..count).map(|i| terms.variable(&format!("operand{i}"), width)).collect();
        let results = {
            let inputs = Inputs::raw(&terms);
            code(text)?.results(lemma, &inputs, &operands)?
        };
        let roots: Vec<TermId> = results.iter().map(|r| r.2).chain(operands.iter().copied()).collect();
        let order = terms.topological(&roots);
        let place = |t: &TermId| order.binary_search(t).expect("it is among them");
        let step = |t: &TermId| {
            let node = terms.node(*t);
            let from = node.operands().iter().map(place).collect();
            (node, terms.width_of(*t), from)
        };
        Ok(Sequence {
            operands: operands.iter().map(place).collect(),
            steps: order.iter().map(step).collect(),
            results: results.iter().map(|r| place(&r.2)).collect(),
        })
    }

    /// The results' words on some operands; `open` is what is answered freely.
    pub fn run(&self, unit: &Unit, operands: &[u64], open: u128) -> Vec<u32> {
        let mut values: Vec<Bits> = Vec::with_capacity(self.steps.len());
        for (at, (node, width, from)) in self.steps.iter().enumerate() {
            let value = if node.is_free() {
                let which = self.operands.iter().position(|o| *o == at);
                Bits::new(*width, which.map_or(open, |i| operands[i].into()))
            } else {
                let mut arguments = [Bits::new(1, 0); 3];
                for (to, i) in arguments.iter_mut().zip(from) {
                    *to = values[*i];
                }
                match node {
                    Node::Approximate { function, ftz, .. } => {
                        let answer = unit.answer(*function, *ftz, arguments[0].bits() as u32);
                        Bits::new(*width, answer.into())
                    }
                    _ => Terms::apply(&unit.home, node, *width, &arguments[..from.len()]),
                }
            };
            values.push(value);
        }
        self.results.iter().map(|r| values[*r].bits() as u32).collect()
    }

    /// Whether something is answered freely.
    pub fn is_open(&self) -> bool {
        let mut free = self.steps.iter().enumerate().filter(|(_, (node, ..))| node.is_free());
        free.any(|(at, _)| !self.operands.contains(&at))
    }
}
