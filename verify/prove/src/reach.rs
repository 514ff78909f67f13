//! What an evaluation has to reach before something is said within a bound: each branch of the source, and each loop left after each number of
//! returns, among the inputs that the bound leaves.

use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{Concrete, Domain, TermId, Terms};
use sassafras_symbolic::input::Input;
use sassafras_symbolic::inputs::Inputs;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::place::Place;
use sassafras_symbolic::trace::course::Course;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Something that lanes of a source may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Goal {
    /// They go from a branch to a place, or end there.
    Edge(u64, Option<u64>),
    /// They leave the loop with this head after so many returns to it.
    Left(u64, u32),
}

/// Goals, each with conditions any of which reaches it.
pub type Goals = BTreeMap<Goal, Vec<TermId>>;

/// The goals of a source.
pub fn goals(course: &Course) -> Goals {
    let mut goals = Goals::new();
    for t in &course.taken {
        let left = t.left.iter().map(|(head, returns)| Goal::Left(*head, *returns));
        for goal in left.chain(t.branches.then_some(Goal::Edge(t.from, t.to))) {
            goals.entry(goal).or_default().push(t.condition);
        }
    }
    goals
}

/// Constants that terms are compared with.
pub fn numbers(terms: &Terms, goals: &Goals) -> Vec<u32> {
    let roots: Vec<TermId> = goals.values().flatten().copied().collect();
    let constant = |t: TermId| match terms.node(t) {
        Node::Compare(_, a, b) => terms.as_constant(&a).or_else(|| terms.as_constant(&b)),
        _ => None,
    };
    let all: BTreeSet<u32> =
        terms.topological(&roots).into_iter().filter_map(constant).map(|n| n as u32).collect();
    all.into_iter().collect()
}

/// A number of 32 bits near those that decide how often loops are gone round; `other` where it is to be anything.
pub fn near(h: u64, most: u32, numbers: &[u32], other: u32) -> u32 {
    let value = (h >> 32) as u32;
    match h % 8 {
        0..=4 => value % most.saturating_add(4),
        5 => 0u32.wrapping_sub(value % most.saturating_add(2)),
        6 if !numbers.is_empty() => {
            numbers[(h >> 8) as usize % numbers.len()].wrapping_add(value % 3).wrapping_sub(1)
        }
        _ => other,
    }
}

/// Part of an input: what a solver says of it.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Free inputs of the launch.
    pub inputs: FxHashMap<Input, u128>,
    /// Bytes of memory before the launch: by memory and address.
    pub bytes: FxHashMap<(u64, u64), u8>,
}

/// A number for a memory.
pub fn tag(memory: &str) -> u64 {
    memory.bytes().map(u64::from).sum()
}

impl Given {
    /// What a model says. Of what it says nothing, one thread of one block is taken, buffers apart, and zeros.
    pub fn of(inputs: &Inputs<'_>, model: &BTreeMap<TermId, u128>, pointers: &[u64]) -> Given {
        let known = |v: TermId| match (model.get(&v), inputs.input_of(v)) {
            (Some(value), _) => Some(*value),
            (None, Some(Input::Parameter(at))) if pointers.contains(&at) => Some(u128::from(0x40 + at) << 32),
            (None, Some(Input::Ntid(_) | Input::Nctaid(_))) => Some(1),
            (None, Some(Input::Local { .. } | Input::Symbol(_) | Input::Bank(_))) | (None, None) => None,
            (None, Some(_)) => Some(0),
        };
        let terms = inputs.terms;
        let value = |t: TermId| terms.evaluate(&Concrete::default(), t, |v| known(v).unwrap_or(0)).bits();
        let mut given = Given::default();
        for (variable, input) in inputs.all() {
            given.inputs.extend(known(variable).map(|value| (input, value)));
        }
        for read in inputs.reads() {
            let Some(bits) =
                model.get(&read.variable).filter(|_| terms.as_constant(&read.version) == Some(0))
            else {
                continue;
            };
            let at = (value(read.base) as u64).wrapping_add(read.offset as u64);
            for (i, byte) in (0..).zip(&bits.to_le_bytes()[..8]) {
                given.bytes.insert((tag(read.memory), at.wrapping_add(i)), *byte);
            }
        }
        given
    }
}

/// How far the evaluation of a loop went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The line of its head, or the byte offset.
    pub at: u64,
    /// After how many returns to its head it was left on an evaluated input.
    pub after: Vec<u32>,
    /// After how many no input leaves it, by the solver.
    pub never: Vec<u32>,
    /// After how many it was not left, and may be.
    pub open: Vec<u32>,
}

/// How far the evaluation before a bounded proof went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Evaluation {
    /// Ways out of branches of the source that were gone on an evaluated input.
    pub edges: u32,
    /// Such that no input goes, by the solver.
    pub never: u32,
    /// Such that none of the evaluated inputs goes and some other may: from which line to which; 0 for the end.
    pub open: Vec<(u64, u64)>,
    /// Its loops.
    pub loops: Vec<Left>,
}

impl Evaluation {
    /// Of goals: those that were reached, and those that no input reaches.
    pub fn of(
        course: &Course,
        goals: &Goals,
        reached: &BTreeSet<Goal>,
        never: &BTreeSet<Goal>,
    ) -> Evaluation {
        let mut all = Evaluation::default();
        let mut loops: BTreeMap<u64, Left> = BTreeMap::new();
        for goal in goals.keys() {
            let (reached, never) = (reached.contains(goal), never.contains(goal));
            match goal {
                Goal::Edge(..) if reached => all.edges += 1,
                Goal::Edge(..) if never => all.never += 1,
                Goal::Edge(from, to) => {
                    all.open.push((course.line(*from), to.map_or(0, |to| course.line(to))));
                }
                Goal::Left(head, returns) => {
                    let at = course.line(*head);
                    let (after, none, open) = (Vec::new(), Vec::new(), Vec::new());
                    let own = loops.entry(*head).or_insert(Left { at, after, never: none, open });
                    let list = match (reached, never) {
                        (true, _) => &mut own.after,
                        (_, true) => &mut own.never,
                        _ => &mut own.open,
                    };
                    list.push(*returns);
                }
            }
        }
        all.loops = loops.into_values().collect();
        all
    }

    /// What is decisive that was not reached: a way that inputs may go, or a loop that they may go round. `place`: of a line, or a byte offset.
    pub fn lacks(&self, place: impl Fn(u64) -> Place) -> Option<Coverage> {
        let edge = self.open.first().map(|&(from, to)| match to {
            0 => Coverage::NoEnd { from: place(from) },
            to => Coverage::NoWay { from: place(from), to: place(to) },
        });
        let unentered = self.loops.iter().find(|l| l.after.is_empty() && !l.open.is_empty());
        edge.or_else(|| unentered.map(|l| Coverage::NoLoop { at: place(l.at) }))
    }

    /// For people, without the evaluated inputs' number.
    pub fn text(&self) -> String {
        let list = |all: &[u32]| all.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let mut text = format!("{} ways out of branches gone, {} that no input goes", self.edges, self.never);
        if !self.open.is_empty() {
            text += &format!(", {} open", self.open.len());
        }
        for l in &self.loops {
            text += &format!("; the loop at {} left after {} returns", l.at, list(&l.after));
            if !l.open.is_empty() {
                text += &format!(", not after {}", list(&l.open));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_symbolic::trace::course::Taken;

    #[test]
    fn what_is_not_reached_is_open_or_never() {
        let t = |n: u32| TermId(n);
        let taken = |to, left: &[(u64, u32)], condition| Taken {
            from: 3,
            to,
            branches: true,
            left: left.to_vec(),
            condition: t(condition),
        };
        let course =
            Course { taken: vec![taken(Some(1), &[], 0), taken(Some(4), &[(1, 0)], 1)], ..Course::default() };
        let goals = goals(&course);
        assert_eq!(goals.len(), 3);
        let edge = BTreeSet::from([Goal::Edge(3, Some(1))]);
        let of = |reached: &BTreeSet<Goal>, never: &BTreeSet<Goal>| {
            Evaluation::of(&course, &goals, reached, never)
        };
        let none = BTreeSet::new();
        let [from, to] = [3, 4].map(Place::Line);
        assert_eq!(of(&edge, &none).lacks(Place::Line), Some(Coverage::NoWay { from, to }));
        let both = BTreeSet::from([Goal::Edge(3, Some(1)), Goal::Edge(3, Some(4))]);
        assert_eq!(of(&both, &none).lacks(Place::Line), Some(Coverage::NoLoop { at: Place::Line(1) }));
        let all = BTreeSet::from([Goal::Left(1, 0)]);
        assert_eq!(of(&both, &all).lacks(Place::Line), None);
    }
}
