//! What may be taken as so behind what was shown, and the questions that are asked under it.

use super::fault::{Fault, Rejection, Undecided};
use super::numbers;
use super::script::{How, names_functions, script};
use super::words::{by_words, cases};
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::{Domain, TermId};
use sassafras_solve::read::Read;
use sassafras_solve::smt::Script;
use sassafras_solve::solver::{Answer, Solver};
use sassafras_symbolic::inputs::Inputs;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Effort for a question that only saves work, in thousands of z3's `rlimit`.
const EFFORT: u64 = 1000;

/// Effort for what has to hold, taken bit by bit without what is known, in the same unit.
const BITS: u64 = 20_000;

/// Effort for what has to hold, taken as whole numbers, in the same unit. The products of 64 by 64 bits take 5141.
const NUMBERS: u64 = 16_000;

/// The same of a word by itself that whole numbers do not show, taken bit by bit.
const WORDS: u64 = 8000;

/// The same of a question of many lines, where the numbers grow so long that they are most of the work, which this unit does not count.
const MANY_NUMBERS: u64 = 6000;

/// Most lines of a question about whole numbers that has the greater effort.
const LINES: usize = 4000;

/// Most lines of one that is asked.
const MOST_LINES: usize = 10_000;

/// Effort for a step, in the same unit: several times what a step was found with, since the same question in other names may cost more.
pub(super) const STEP: u64 = 24_000;

/// Why a question has no answer so far.
enum Open {
    /// The example rests on what operations on floats give.
    Floats,
    /// The example leaves out of account what steps hold by.
    Conditional,
    /// The solver gave up, and says so.
    Solver(String),
}

/// What may be taken as so, behind what was shown.
pub struct SoFar<'t, 'i> {
    /// Both sides.
    pub inputs: &'i Inputs<'t>,
    /// Bits that are one.
    pub known: Vec<TermId>,
    /// Which of them lemmas say.
    pub lemmas: Range<usize>,
    /// Terms that are others, of lower numbers.
    same: FxHashMap<TermId, TermId>,
    /// Terms that were shown to be others, which stand for them as they are.
    rewritten: FxHashMap<TermId, TermId>,
    /// Whether some hold by what is known alone, which a question may not say any more where one is written for the other.
    conditional: bool,
    /// Which of what is known was said by steps.
    stated: FxHashSet<TermId>,
    /// What is written for terms now.
    current: RefCell<FxHashMap<TermId, TermId>>,
}

/// How a question is asked: whether with all that is known, and in which words. What cannot hold by less cannot hold at all; what can
/// is asked again with more.
const WAYS: [(bool, Way); 7] = [
    (false, Way::Bits(How { memory: false, signs: false, laws: false, halves: false })),
    (false, Way::Bits(How { memory: false, signs: false, laws: true, halves: true })),
    (false, Way::Numbers),
    (true, Way::Bits(How::PLAIN)),
    (true, Way::Numbers),
    (true, Way::Bits(How { memory: true, signs: false, laws: true, halves: false })),
    (true, Way::Bits(How { memory: true, signs: false, laws: true, halves: true })),
];

/// In which words a step is asked about: about bits, without memory.
const STEPS: [How; 3] = [
    How { memory: false, signs: false, laws: false, halves: false },
    How { memory: false, signs: true, laws: false, halves: false },
    How { memory: false, signs: false, laws: true, halves: true },
];

/// In which words a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// About bits.
    Bits(How),
    /// About whole numbers, of which less is known: it refutes nothing.
    Numbers,
}

impl<'t, 'i> SoFar<'t, 'i> {
    /// Where nothing was shown yet.
    pub fn new(inputs: &'i Inputs<'t>, known: Vec<TermId>) -> SoFar<'t, 'i> {
        let (same, rewritten, stated, current, conditional) = Default::default();
        let mut all = SoFar { inputs, known, lemmas: 0..0, same, rewritten, conditional, stated, current };
        all.join_reads();
        all
    }

    /// What a term was shown to be has a lower number, so that no term is made of itself.
    pub fn ordered(&self, a: TermId, b: TermId) -> bool {
        a < b && !self.same.contains_key(&b)
    }

    /// The second is the first.
    pub fn learn(&mut self, a: TermId, b: TermId) {
        self.same.insert(b, a);
        self.join_reads();
    }

    /// What is written for a term: operands for which something else is written are replaced in it.
    pub fn current(&self, term: TermId) -> TermId {
        let d = self.inputs.terms;
        let mut done = self.current.borrow_mut();
        let mut stack = vec![(term, false)];
        while let Some((t, ready)) = stack.pop() {
            if done.contains_key(&t) {
                continue;
            }
            let other = self.same.get(&t).copied();
            let node = d.node(t);
            if !ready {
                stack.push((t, true));
                match other {
                    Some(other) => stack.push((other, false)),
                    None => stack.extend(node.operands().into_iter().map(|o| (o, false))),
                }
                continue;
            }
            let new = match other {
                Some(other) => done[&other],
                None if node.operands().is_empty() => t,
                None => d.make(node.map(|o| done[&o]), d.width_of(t)),
            };
            done.insert(t, self.rewritten.get(&new).copied().unwrap_or(new));
        }
        done[&term]
    }

    /// What terms are made of, operands before users; where one was shown to be another, with that one, and without operands.
    pub fn order(&self, roots: &[TermId]) -> Vec<(TermId, Option<TermId>)> {
        let d = self.inputs.terms;
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack: Vec<(TermId, bool)> = roots.iter().map(|t| (*t, false)).collect();
        while let Some((t, ready)) = stack.pop() {
            let other = self.same.get(&t).copied();
            if ready {
                order.push((t, other));
            } else if seen.insert(t) {
                stack.push((t, true));
                match other {
                    Some(other) => stack.push((other, false)),
                    None => stack.extend(d.node(t).operands().into_iter().map(|o| (o, false))),
                }
            }
        }
        order
    }

    /// What a term was shown to be is written for it from here on.
    pub fn rewrite(&mut self, from: TermId, to: TermId, by: &[TermId]) {
        self.conditional |= !by.is_empty();
        // What is written for what is written for it: one look is enough then, and nothing goes in circles.
        let to = self.current(to);
        if from != to {
            self.rewritten.values_mut().filter(|t| **t == from).for_each(|t| *t = to);
            self.rewritten.insert(from, to);
        }
        self.current.borrow_mut().clear();
    }

    /// That two terms are equal is known from here on.
    pub fn state(&mut self, a: TermId, b: TermId) {
        let equal = self.inputs.terms.eq(&a, &b);
        self.stated.insert(equal);
        self.known.push(equal);
    }

    /// Reads with what is written for their places.
    fn reads(&self) -> Vec<Read> {
        let now = |r: Read| Read { version: self.current(r.version), base: self.current(r.base), ..r };
        self.inputs.reads().into_iter().map(now).collect()
    }

    /// Reads of one place in one state of memory are one.
    fn join_reads(&mut self) {
        loop {
            self.current.borrow_mut().clear();
            let mut reads = self.reads();
            reads.sort_by_key(|r| r.variable);
            let mut there = BTreeMap::new();
            let mut changed = false;
            for r in &reads {
                let one = *there.entry((r.memory, r.version, r.base, r.offset)).or_insert(r.variable);
                if self.ordered(one, r.variable) {
                    self.same.insert(r.variable, one);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        self.current.borrow_mut().clear();
    }

    /// The question whether some bits can be one together.
    pub(super) fn script(&self, asserted: &[TermId], way: Way) -> Script {
        let asserted: Vec<TermId> = asserted.iter().map(|t| self.current(*t)).collect();
        match way {
            Way::Bits(how) => {
                let reads = if how.memory { self.reads() } else { Vec::new() };
                script(self.inputs, &reads, &asserted, &[], how)
            }
            Way::Numbers => numbers::script(self.inputs, &asserted),
        }
    }

    /// The questions whether a bit can be one, the least first, each once.
    fn questions(&self, t: TermId) -> impl Iterator<Item = (bool, Way, Script)> {
        let mut texts = BTreeSet::new();
        WAYS.into_iter().filter_map(move |(whole, way)| {
            let mut all = if whole { self.known.clone() } else { Vec::new() };
            all.push(t);
            let question = self.script(&all, way);
            if way == Way::Numbers && question.text.lines().nth(MOST_LINES).is_some() {
                return None;
            }
            texts.insert((whole, question.text.clone())).then_some((whole, way, question))
        })
    }

    /// Whether a bit is shown to be never one with little effort; `whole`: with what is known too.
    pub fn is_never(&self, t: TermId, whole: bool, solver: &mut dyn Solver) -> bool {
        if self.inputs.terms.as_constant(&self.current(t)) == Some(0) {
            return true;
        }
        self.questions(t).filter(|q| whole || !q.0).any(|(whole, way, question)| {
            let answer = match (way, whole) {
                (Way::Numbers, _) => solver.check_numbers(&question, EFFORT),
                (Way::Bits(_), false) => solver.check_bits(&question, EFFORT),
                (Way::Bits(_), true) => solver.check_short(&question, EFFORT),
            };
            answer == Answer::Unsat
        })
    }

    /// Whether a bit is shown to be never one, taken as whole numbers, with half the effort of what has to hold: in other names it may take more.
    pub fn is_never_as_numbers(&self, t: TermId, solver: &mut dyn Solver) -> bool {
        let mut numbers = self.questions(t).filter(|q| q.1 == Way::Numbers);
        numbers.any(|q| self.numbers(t, &q, 2, solver) == Answer::Unsat)
    }

    /// The answer of whole numbers to one of the questions whether a bit can be one: to all for its parts (`words.rs`), case by case, or to itself.
    /// A part that they do not show is asked about bit by bit as well: what moves bits of some words may stand beside sums of others. `share`: of
    /// the effort, which part.
    fn numbers(
        &self,
        t: TermId,
        (whole, way, question): &(bool, Way, Script),
        share: u64,
        solver: &mut dyn Solver,
    ) -> Answer {
        let ask = |question: &Script, solver: &mut dyn Solver| {
            let most = if question.text.lines().nth(LINES).is_some() { MANY_NUMBERS } else { NUMBERS };
            solver.check_numbers(question, most / share)
        };
        let d = self.inputs.terms;
        let words = by_words(d, self.current(t));
        let all = |word: TermId, case: Vec<TermId>| {
            let known = if *whole { &self.known[..] } else { &[] };
            [known, &[word], &case].concat()
        };
        let mut never = |word: &TermId| {
            let mut cases = cases(d, *word).into_iter();
            cases.all(|case| ask(&self.script(&all(*word, case), *way), solver) == Answer::Unsat) || {
                let bits = self.script(&all(*word, Vec::new()), Way::Bits(How::PLAIN));
                solver.check_bits(&bits, WORDS / share) == Answer::Unsat
            }
        };
        if !words.is_empty() && words.iter().all(&mut never) {
            return Answer::Unsat;
        }
        ask(question, solver)
    }

    /// Whether two terms are shown to be one with little effort.
    pub fn is_same(&self, a: TermId, b: TermId, solver: &mut dyn Solver) -> bool {
        let d = self.inputs.terms;
        self.current(a) == self.current(b) || self.is_never(d.not(&d.eq(&a, &b)), true, solver)
    }

    /// Shows that a bit is never one.
    ///
    /// # Errors
    /// It may be one, or that was not decided.
    pub fn never(&self, what: &str, t: TermId, solver: &mut dyn Solver) -> Result<(), Fault> {
        if self.inputs.terms.as_constant(&self.current(t)) == Some(0) {
            return Ok(());
        }
        let mut open = None;
        for (whole, way, question) in self.questions(t) {
            let answer = match (way, whole) {
                (Way::Numbers, _) => self.numbers(t, &(whole, way, question.clone()), 1, solver),
                (_, true) => solver.check(&question),
                (_, false) => solver.check_bits(&question, BITS),
            };
            match answer {
                Answer::Unsat => return Ok(()),
                Answer::Sat(_) if !whole || way == Way::Numbers => {}
                // That operations on floats might be others than they are refutes nothing.
                Answer::Sat(_) if names_functions(&question.text) => {
                    open.get_or_insert(Open::Floats);
                }
                Answer::Sat(_) if self.conditional => open = Some(Open::Conditional),
                Answer::Sat(_) => {
                    return Err(Rejection::Wrong { what: what.to_owned() }.into());
                }
                Answer::Unknown(said) => open = Some(Open::Solver(said)),
            }
        }
        let what = what.to_owned();
        Err(Fault::Undecided(match open {
            None => Undecided::Unasked { what },
            Some(Open::Floats) => Undecided::Floats { what },
            Some(Open::Conditional) => Undecided::Conditional { what },
            Some(Open::Solver(said)) => Undecided::Open { what, said },
        }))
    }

    /// Shows that a term is another, by some of what is known and whatever the terms are that are opaque.
    ///
    /// # Errors
    /// It is not shown.
    pub fn show(
        &self,
        (from, to): (TermId, TermId),
        (opaque, by): (&[TermId], &[TermId]),
        effort: u64,
        solver: &mut dyn Solver,
    ) -> Result<(), Fault> {
        let d = self.inputs.terms;
        // What a step said is about terms as they were.
        let now = |t: &TermId| if self.stated.contains(t) { *t } else { self.current(*t) };
        let mut all: Vec<TermId> = by.iter().map(now).collect();
        all.push(d.not(&d.eq(&from, &to)));
        let mut open = None;
        let mut last = String::new();
        for how in STEPS {
            let question = script(self.inputs, &[], &all, opaque, how);
            if question.text == last {
                continue;
            }
            match solver.check_sums(&question, effort) {
                Answer::Unsat => return Ok(()),
                Answer::Sat(_) => {}
                Answer::Unknown(why) => open = Some(why),
            }
            last = question.text;
        }
        match open {
            Some(said) => Err(Fault::Undecided(Undecided::Step { from, to, said })),
            None => Err(Rejection::WrongStep { from, to }.into()),
        }
    }
}
