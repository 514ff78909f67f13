//! Every path has the instructions that it had: a walk through both functions at once.
//!
//! A state is a place of the function before, one of the function after, and what is known of conditions. Both do the same instruction, or take the same side of
//! the same branch. A branch of the function before may be passed alone: then both its sides must do what the function after does, and the
//! side is known until the predicate is written; so an instruction of both sides may stand in front of the branch, if it does not write
//! what decides. Where paths come to one place with different knowledge, each is a state of its own, up to [`DIFFERENT`]; of more, what they share
//! counts, so each place is walked a bounded number of times. A branch that was not there has nothing to know its condition from, and is objected to.

use super::flow::{At, Condition, Flow, Place, Step};
use super::replay::Classes;
use crate::machine::kind;
use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_isa::{ControlFlowKind as K, RegClass};
use sassafras_machine::{Function, MInst, Op, Reg};
use smallvec::SmallVec;

/// So many objections are enough to find the fault by.
const MOST: usize = 16;

/// So many pieces of knowledge are kept apart at a place. Two branches whose sides all begin alike need three.
const DIFFERENT: usize = 8;

/// A place before, a place after.
type Pair = (Place, Place);

/// Conditions whose value is known.
type Known = Vec<(Condition, bool)>;

/// Instructions that one stands for: nearly always it is one.
pub(super) type Places = SmallVec<[At; 1]>;

/// Which instructions stand for each other.
#[derive(Default)]
pub(super) struct Relation {
    /// By instruction after: those before. Branches of which both take part are in it.
    pub after: FxHashMap<At, Places>,
    /// By instruction before: those after.
    pub before: FxHashMap<At, Places>,
}

impl Relation {
    fn add(&mut self, before: At, after: At) {
        let list = self.after.entry(after).or_default();
        if !list.contains(&before) {
            list.push(before);
            self.before.entry(before).or_default().push(after);
        }
    }

    /// Judges that what became one is recorded as merged.
    pub fn unrecorded(&self, classes: &Classes, report: &mut Report) {
        let mut all: Vec<_> = self.after.iter().filter(|(_, before)| before.len() > 1).collect();
        all.sort_unstable();
        for ((block, index), before) in all {
            let first = classes.of(before[0]);
            if let Some((other, i)) = before.iter().find(|at| classes.of(**at) != first) {
                let (one, at) = before[0];
                let what = format!("it stands for {one}, {at} and {other}, {i}, and no merge is recorded");
                report.add(Rule::FoldingMerge, format!("{block}, instruction {index}"), what);
                return;
            }
        }
    }
}

/// Walks both functions from their entries.
pub(super) fn relate(before: &Function, after: &Function, report: &mut Report) -> Relation {
    let mut walk = Walk {
        before: Flow::new(before),
        after: Flow::new(after),
        known: FxHashMap::default(),
        work: Vec::new(),
        alone: [Vec::new(), Vec::new()],
        relation: Relation::default(),
    };
    walk.come((walk.before.start(before.entry), walk.after.start(after.entry)), Vec::new());
    let enough = report.len() + MOST;
    while let Some((pair, known)) = walk.work.pop() {
        walk.go(pair, known, report);
        if report.len() >= enough {
            break;
        }
    }
    for (steps, which) in walk.alone.iter().zip(["before", "after"]) {
        if let Some((p, q)) = cycle(steps) {
            let what = format!(
                "{p:?} before, {q:?} after: the function {which} may go around without an instruction"
            );
            report.add(Rule::FoldingPath, "a branch", what);
        }
    }
    walk.relation
}

struct Walk<'f> {
    before: Flow<'f>,
    after: Flow<'f>,
    /// What is known on paths to a place; each path knows all of one of these.
    known: FxHashMap<Pair, Vec<Known>>,
    work: Vec<(Pair, Known)>,
    /// Steps that one of the two took alone.
    alone: [Vec<(Pair, Pair)>; 2],
    relation: Relation,
}

impl Walk<'_> {
    /// A path comes to a place.
    fn come(&mut self, pair: Pair, mut known: Known) {
        let there = self.known.entry(pair).or_default();
        // Who knows less finds all that who knows more does.
        if there.iter().any(|less| less.iter().all(|fact| known.contains(fact))) {
            return;
        }
        if there.len() == DIFFERENT {
            known.retain(|fact| there.iter().all(|other| other.contains(fact)));
            there.clear();
        }
        there.push(known.clone());
        self.work.push((pair, known));
    }

    fn go(&mut self, pair: Pair, known: Known, report: &mut Report) {
        let value =
            |of: &Condition| known.iter().find(|(condition, _)| condition == of).map(|&(_, value)| value);
        let (p, q) = pair;
        let differ = |report: &mut Report, what: &str| {
            let message = format!("{} became {}: {what}", say(&self.before, p), say(&self.after, q));
            report.add(Rule::FoldingPath, where_is(q), message);
        };
        match (self.before.step(p), self.after.step(q)) {
            (Step::Branch { condition, yes, no, .. }, other) => {
                if let Some(value) = value(&condition) {
                    return self.step_alone(0, pair, (if value { yes } else { no }, q), known);
                }
                if let Step::Branch { inst, at, condition: same, yes: there, no: elsewhere } = other {
                    if let Some(value) = value(&same) {
                        return self.step_alone(1, pair, (p, if value { there } else { elsewhere }), known);
                    }
                    if same == condition {
                        let Step::Branch { inst: old, at: was, .. } = self.before.step(p) else { return };
                        if inst.uniform && !old.uniform {
                            differ(report, "it is marked uniform now");
                        }
                        self.relation.add(was, at);
                        self.come((yes, there), known.clone());
                        return self.come((no, elsewhere), known);
                    }
                }
                for (place, value) in [(yes, true), (no, false)] {
                    let mut more = known.clone();
                    more.push((condition.clone(), value));
                    self.step_alone(0, pair, (place, q), more);
                }
            }
            (_, Step::Branch { condition, yes, no, .. }) => match value(&condition) {
                Some(value) => self.step_alone(1, pair, (p, if value { yes } else { no }), known),
                None => differ(report, "there was no branch on this condition"),
            },
            (Step::Plain(old, at, next), Step::Plain(new, now, then)) => {
                if let Some(what) = difference(old, new) {
                    return differ(report, what);
                }
                self.relation.add(at, now);
                if let (Some(a), Some(b)) = (old.target, new.target) {
                    self.come((self.before.start(a), self.after.start(b)), Vec::new());
                }
                let kept = known.into_iter().filter(|(condition, _)| !writes(new, condition)).collect();
                self.come((next, then), kept);
            }
            (Step::Exit(old), Step::Exit(new)) => {
                let always = |inst: &MInst| inst.inst().map(|i| (i.row().id, i.fields.clone()));
                if always(old) != always(new) {
                    differ(report, "another end");
                }
            }
            (Step::End, Step::End) | (Step::Spin, Step::Spin) => {}
            _ => differ(report, "one ends or goes on where the other does not"),
        }
    }

    fn step_alone(&mut self, side: usize, from: Pair, to: Pair, known: Known) {
        self.alone[side].push((from, to));
        self.come(to, known);
    }
}

/// What two instructions differ in, if it is anything.
fn difference(old: &MInst, new: &MInst) -> Option<&'static str> {
    if old.op != new.op {
        Some("another instruction")
    } else if old.tied != new.tied {
        Some("other old values")
    } else if old.target.is_some() != new.target.is_some() {
        Some("a target is gone")
    } else if new.uniform && !old.uniform {
        Some("it is marked uniform now")
    } else if old.ordered && !new.ordered {
        Some("its order against other accesses is lost")
    } else {
        None
    }
}

/// Whether an instruction may write what decides a branch.
fn writes(inst: &MInst, condition: &Condition) -> bool {
    if condition.more.is_some() || matches!(inst.op, Op::Pseudo(_)) || kind(inst) == Some(K::Call) {
        return true;
    }
    let (number, uniform) = condition.predicate;
    let class = if uniform { RegClass::UP } else { RegClass::P };
    inst.defs().any(|def| match def.reg {
        Reg::Physical(first) => {
            let all = u32::from(first)..u32::from(first) + u32::from(def.units);
            def.class == class && all.contains(&number)
        }
        Reg::Virtual(..) => true,
    })
}

/// A state of a cycle of steps, if they have one: what has no step into it is taken away until nothing is left.
fn cycle(steps: &[(Pair, Pair)]) -> Option<Pair> {
    let mut next: FxHashMap<Pair, Vec<Pair>> = FxHashMap::default();
    let mut into: FxHashMap<Pair, usize> = FxHashMap::default();
    let distinct: FxHashSet<&(Pair, Pair)> = steps.iter().collect();
    for &&(from, to) in &distinct {
        next.entry(from).or_default().push(to);
        *into.entry(to).or_default() += 1;
        into.entry(from).or_default();
    }
    let mut free: Vec<Pair> = into.iter().filter(|(_, count)| **count == 0).map(|(pair, _)| *pair).collect();
    while let Some(pair) = free.pop() {
        into.remove(&pair);
        for to in next.get(&pair).into_iter().flatten() {
            if let Some(count) = into.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    free.push(*to);
                }
            }
        }
    }
    into.into_keys().next()
}

fn where_is(place: Place) -> String {
    match place {
        Place::At((block, index)) | Place::Exit((block, index)) => format!("{block}, instruction {index}"),
        Place::End => "the end".into(),
        Place::Spin => "an empty loop".into(),
    }
}

fn say(flow: &Flow<'_>, place: Place) -> String {
    match flow.step(place) {
        Step::Plain(inst, ..) | Step::Branch { inst, .. } | Step::Exit(inst) => {
            format!("`{}` ({})", super::text::text(inst), where_is(place))
        }
        Step::End | Step::Spin => where_is(place),
    }
}
