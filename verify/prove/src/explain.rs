//! Steps for a witness: why terms of both sides are equal, in pieces that a solver sees one by one.
//!
//! What the checker is not shown with little effort is brought to normal form here: each operation over operands in normal form is another term, and
//! that is a step. A term that is part of both, however large, is abstracted. What is said by lemmas turns the code that computes an
//! operation into the operation. Nothing rests on what is found: the checker shows each step once more.
//!
//! - `choices`: what is left out of choices. `pairs`: terms taken apart side by side. `parts`: what may be anything in a question.
//!   `sweep`: terms that have equal values on many inputs. `lemmas`: code that is an operation. `walk`: normal forms from the bottom up.
//!   `forms`: their arena. `steps`: how a step is found to go, and written down.

mod choices;
mod forms;
mod lemmas;
mod pairs;
mod parts;
mod steps;
mod sweep;
mod walk;

use forms::Forms;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_cubin::Cubin;
use sassafras_normal::Normal;
use sassafras_normal::normal::trace::{Equal, Noted};
use sassafras_ptx::checked::Module;
use sassafras_semantics::term::Node;
use sassafras_semantics::{CompareOp, TermId, Terms};
use sassafras_solve::solver::Solver;
use sassafras_solvers::Remembered;
use sassafras_symbolic::origin::Origin;
use sassafras_witness::check::{Fault, Guide, against};
use sassafras_witness::rewrite::{Recorded, Rewrites};
use sassafras_witness::words::WORD;
use sassafras_witness::{Entry, SoFar};

/// Most terms of a question that is explained.
const MOST: usize = 60_000;
/// Levels below what two terms share that are looked at.
const LEVELS: [usize; 6] = [0, 1, 2, 4, 8, 64];

/// Effort for a step, in thousands of z3's `rlimit`: less than the checker has.
const EFFORT: u64 = 1000;
/// The same where nothing is known that it may hold by: what is shown then takes little, and most is not.
const PLAIN: u64 = 300;
/// The same where laws of floats are needed.
const FLOATS: u64 = 6000;
/// The same for a first try.
const QUICK: u64 = 100;

/// What a lemma says that is not taken by itself, in normal forms: where this does not hold, the code is the value.
struct Said {
    unless: TermId,
    code: TermId,
    value: TermId,
    /// Its place among what is known.
    index: usize,
}

/// Adds steps to what is written of an entry of a module.
pub fn explain(module: &Module, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    explained(Origin::of_module(module, &entry.entry), cubin, entry, solver);
}

/// The same where the source is a cubin too.
pub fn explain_code(source: &Cubin, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    explained(Origin::of_cubin(source, &entry.entry), cubin, entry, solver);
}

fn explained(origin: Option<Origin<'_>>, cubin: &Cubin, entry: &mut Entry, solver: &mut dyn Solver) {
    // Each way begins with the first question, and asks much that others asked.
    let solver = &mut Remembered::new(solver);
    let (mut least, mut deep, mut more) = (None, true, true);
    for way in [Way::Sweep, Way::Quick, Way::Forms, Way::Deep, Way::Both] {
        if way == Way::Deep && !deep || way == Way::Forms && !more {
            continue;
        }
        // What is left open with little effort may go with the checker's, which is much: asking it comes before the last way alone.
        if way == Way::Both && against(origin, cubin, entry, solver, &mut Recorded::of(entry)).is_ok() {
            break;
        }
        let terms = Terms::new();
        let forms = Forms {
            terms: &terms,
            normal: Normal::new(&terms),
            to: FxHashMap::default(),
            back: FxHashMap::default(),
        };
        let (found, numbers, open, facts, rewritten, noted, chosen, ends, stuck) = Default::default();
        let (halved, chooses, spent, as_numbers, unshown) = Default::default();
        let mut all = Explainer {
            forms,
            found,
            numbers,
            open,
            stuck,
            facts,
            rewritten,
            noted,
            chosen,
            ends,
            halved,
            way,
            chooses,
            spent,
            as_numbers,
            unshown,
        };
        // An entry that the checker does not take has steps as far as they were found.
        let _ = against(origin, cubin, entry, solver, &mut all);
        // What little effort does not show may go with the checker's: steps of normal forms are given up for those alone that leave less open.
        let bound = all.spent >= way.most_open();
        // Where its limit did not bind, the quick way found what normal forms find without it, and counts as they do.
        let rank = if way == Way::Quick && !bound { Way::Forms } else { way };
        let open = (all.unshown.len(), rank);
        if least.is_none_or(|least| open < least) {
            least = Some(open);
            entry.rewrites = all.found;
        }
        if open.0 == 0 {
            break;
        }
        match way {
            Way::Quick => (more, deep) = (bound, !all.chosen.is_empty()),
            Way::Forms => deep = !all.chosen.is_empty(),
            _ => {}
        }
    }
}

/// How steps are looked for; of ways that leave as much open the first counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// By normal forms.
    Forms,
    /// The same, with what is left out of what words are chosen by too: only where something was left out at all, since it is much.
    Deep,
    /// By normal forms, until some questions stay open.
    Quick,
    /// Among terms that have equal values on many inputs, until some questions stay open.
    Sweep,
    /// The same, and then by normal forms, from which that may hide what terms are made of.
    Both,
}

impl Way {
    /// Whether terms are swept before.
    fn sweeps(self) -> bool {
        matches!(self, Way::Sweep | Way::Both)
    }

    /// Most questions of an entry that the solver does not answer: then no more steps are looked for.
    fn most_open(self) -> u32 {
        if self == Way::Quick { 200 } else { 2000 }
    }

    /// The same of two terms: what stays open in few words stays so in more.
    fn most_open_of_two(self) -> u32 {
        if self == Way::Sweep { 2 } else { u32::MAX }
    }
}

/// Finds steps where the checker would come without.
struct Explainer<'f> {
    forms: Forms<'f>,
    found: Rewrites,
    /// Terms that the checker makes besides, and their numbers.
    numbers: FxHashMap<TermId, u32>,
    /// Pairs that were asked about.
    open: FxHashSet<(TermId, TermId)>,
    /// Terms that were not shown to be the constants that they may be.
    stuck: FxHashSet<TermId>,
    /// Pairs that were shown, and what is known of them by its place.
    facts: FxHashMap<(TermId, TermId), usize>,
    /// What terms were rewritten to, what may be anything then, and by what.
    rewritten: FxHashMap<Equal, (Vec<TermId>, Vec<usize>)>,
    /// What equalities rest on, as far as it was ever found.
    noted: FxHashMap<Equal, Noted>,
    /// Normal forms, in their arena, of which something was left out: what they are then there, and in the checker's.
    chosen: FxHashMap<TermId, (TermId, TermId)>,
    /// By what the last choice of lemmas' code is made.
    ends: FxHashSet<TermId>,
    /// Normal forms, in their arena, whose upper half was looked at.
    halved: FxHashSet<TermId>,
    way: Way,
    /// Whether what is left after something was left out is walked through.
    chooses: bool,
    /// Questions that the solver did not answer.
    spent: u32,
    /// The last question that whole numbers answered, by its place.
    as_numbers: Option<usize>,
    /// Questions that stay open, by their places.
    unshown: FxHashSet<usize>,
}

impl Guide for Explainer<'_> {
    fn begin(&mut self, so_far: &mut SoFar<'_, '_>) -> Result<(), Fault> {
        self.found.terms = so_far.inputs.terms.len() as u32;
        Ok(())
    }

    fn before(
        &mut self,
        so_far: &mut SoFar<'_, '_>,
        at: usize,
        t: TermId,
        solver: &mut dyn Solver,
    ) -> Result<bool, Fault> {
        // What needs no steps gets none: another term in the place of one may hide what whole numbers show.
        if so_far.is_never(t, true, solver) {
            return Ok(false);
        }
        if so_far.is_never_as_numbers(t, solver) {
            self.as_numbers = Some(at);
            return Ok(false);
        }
        self.forms.to.clear();
        Explanation { all: self, so_far, at, solver }.of(t);
        if !so_far.is_never(t, true, solver) {
            self.unshown.insert(at);
        }
        Ok(false)
    }

    fn numbers(&mut self, at: usize) -> bool {
        // What only saves work need not be shown.
        self.unshown.remove(&at);
        let shown = self.as_numbers == Some(at);
        if shown {
            self.found.numbers.push(at);
        }
        shown
    }
}

/// One question that is explained.
struct Explanation<'e, 'f, 't, 'i, 's> {
    all: &'e mut Explainer<'f>,
    so_far: &'e mut SoFar<'t, 'i>,
    at: usize,
    solver: &'s mut dyn Solver,
}

impl Explanation<'_, '_, '_, '_, '_> {
    /// Looks for steps after which a bit is seen to be zero.
    fn of(&mut self, t: TermId) {
        if self.all.way.sweeps() {
            self.sweep(t);
            if self.all.way == Way::Sweep || self.so_far.is_never(t, true, self.solver) {
                return;
            }
        }
        let mut partial: Vec<Said> = Vec::new();
        for i in self.so_far.lemmas.clone() {
            let Some(said) = self.lemma(i) else { continue };
            for other in &partial {
                self.either(other, &said);
            }
            partial.push(said);
        }
        for e in self.comparisons(t, WORD + 1) {
            self.words(e);
        }
        if !self.so_far.is_never(t, true, self.solver)
            && self.walk(&[t])
            && !self.so_far.is_never(t, true, self.solver)
        {
            self.sides(t);
        }
    }

    /// The comparisons of words of at least so many bits that a condition is made of.
    fn comparisons(&self, t: TermId, bits: u32) -> Vec<TermId> {
        let d = self.so_far.inputs.terms;
        let (mut all, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![t]);
        while let Some(t) = stack.pop() {
            if !seen.insert(t) || d.width_of(t) > 1 {
                continue;
            }
            match d.node(t) {
                Node::Compare(CompareOp::Eq, a, _) if d.width_of(a) >= bits => all.push(t),
                Node::Compare(..) => {}
                node => stack.extend(node.operands()),
            }
        }
        all
    }
}
