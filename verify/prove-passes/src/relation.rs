//! What holds at a cut: which values of the two functions are one value, and which are known.
//!
//! The first arrival says what may hold, and every other one takes away what it does not bear out, until nothing changes: what
//! is left holds whenever lanes come by, since it does at the first time and is kept from each time to the next. What a class
//! of values is, is forgotten: it is a variable, or where one of its members is a function of others, that.

use super::meaning::{Who, function};
use super::shape::Shape;
use super::side_error::SideError;
use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Value};
use sassafras_semantics::{Domain, TermId};
use sassafras_symbolic::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};

/// A value of one of the functions: whether of the one after.
pub(super) type Member = (bool, Value);

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// These bits.
    Known(u128),
    /// The value that all members of this class have.
    Number(u32),
}

/// Classes of all leaves that are there, and of functions that are in one class with a leaf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Relation(pub BTreeMap<Member, Class>);

/// The name of a value of a side.
pub(super) fn member(who: Who, value: Value) -> Member {
    (who == Who::After, value)
}

/// Values that are there at a cut.
pub(super) fn values(shape: &Shape<'_>, cut: Block) -> impl Iterator<Item = Value> {
    shape.live(cut).iter().chain(&shape.function.blocks[cut].params).copied()
}

impl Relation {
    /// What an arrival leaves of what held; without any, what it suggests. `found` has the value of each member.
    pub fn after(
        old: Option<&Relation>,
        inputs: &Inputs<'_>,
        found: &BTreeMap<Member, TermId>,
        is_leaf: impl Fn(&Member) -> bool,
    ) -> Relation {
        // Members of one class have one value in all arrivals so far, and in this one.
        let mut numbers: BTreeMap<(Option<Class>, u32, TermId), u32> = BTreeMap::new();
        let mut all = BTreeMap::new();
        for (&member, &term) in found {
            let before = old.and_then(|r| r.0.get(&member).copied());
            if old.is_some() && before.is_none() {
                continue;
            }
            let class = match (old.is_some(), before, inputs.known(term)) {
                (false, _, Some(bits)) => Class::Known(bits),
                (true, Some(Class::Known(k)), Some(bits)) if k == bits => Class::Known(k),
                _ => {
                    let next = numbers.len() as u32;
                    let width = inputs.terms.width_of(term);
                    Class::Number(*numbers.entry((before, width, term)).or_insert(next))
                }
            };
            all.insert(member, class);
        }
        // A function whose class has no leaf says nothing. One that is known stays with the leaves that are: when they turn out to
        // change, it may be what they are.
        let leaves: BTreeSet<Class> = all.iter().filter(|(m, _)| is_leaf(m)).map(|(_, c)| *c).collect();
        all.retain(|m, c| is_leaf(m) || leaves.contains(c));
        // Numbers by first occurrence, so that equal relations are equal.
        let mut order: BTreeMap<u32, u32> = BTreeMap::new();
        for class in all.values_mut() {
            if let Class::Number(n) = class {
                let next = order.len() as u32;
                *n = *order.entry(*n).or_insert(next);
            }
        }
        Relation(all)
    }

    /// The values of both sides at a cut.
    ///
    /// # Errors
    /// An operation without a meaning; a value that is not there.
    pub fn start(
        &self,
        inputs: &Inputs<'_>,
        shapes: [&Shape<'_>; 2],
        cut: Block,
    ) -> Result<[FxHashMap<Value, TermId>; 2], SideError> {
        let mut start = Start {
            relation: self,
            inputs,
            shapes,
            classes: FxHashMap::default(),
            open: BTreeSet::new(),
            functions: BTreeMap::new(),
            done: FxHashMap::default(),
        };
        for (&member, &class) in &self.0 {
            if let (false, Class::Number(n)) = (start.is_leaf(member), class) {
                start.functions.entry(n).or_default().push(member);
            }
        }
        let mut sides = [FxHashMap::default(), FxHashMap::default()];
        for (side, shape) in shapes.into_iter().enumerate() {
            let order = shape.in_order(values(shape, cut));
            for v in order {
                let term = start.value((side == 1, v), 0)?.ok_or(SideError::NoValue { value: v, cut })?;
                sides[side].insert(v, term);
            }
        }
        Ok(sides)
    }
}

/// How deep functions of functions are followed.
const DEEPEST: usize = 400;

/// Values at a cut, as they are found.
struct Start<'a> {
    relation: &'a Relation,
    inputs: &'a Inputs<'a>,
    shapes: [&'a Shape<'a>; 2],
    classes: FxHashMap<u32, TermId>,
    /// Classes whose value is being found.
    open: BTreeSet<u32>,
    /// By class its members that are functions.
    functions: BTreeMap<u32, Vec<Member>>,
    /// Functions that were found.
    done: FxHashMap<Member, TermId>,
}

impl Start<'_> {
    fn is_leaf(&self, (after, v): Member) -> bool {
        self.shapes[usize::from(after)].is_leaf(v)
    }

    /// A member's value; none if it is a function of a class whose value is being found.
    fn value(&mut self, member: Member, depth: usize) -> Result<Option<TermId>, SideError> {
        let (after, v) = member;
        let shape = self.shapes[usize::from(after)];
        let f = shape.function;
        if self.is_leaf(member) {
            let class = self.relation.0.get(&member).ok_or(SideError::Unrelated(v))?;
            let width = f.ty(v).bits();
            return match *class {
                Class::Known(bits) => Ok(Some(self.inputs.terms.constant(width, bits))),
                Class::Number(n) => self.class(n, width, depth),
            };
        }
        if let Some(&term) = self.done.get(&member) {
            return Ok(Some(term));
        }
        if depth > DEEPEST {
            return Ok(None);
        }
        let Some(inst) = f.def(v) else { return Ok(None) };
        let mut args = Vec::new();
        for &a in &f.insts[inst].args {
            match self.value((after, a), depth + 1)? {
                Some(term) => args.push(term),
                None => return Ok(None),
            }
        }
        let results = function(self.inputs, f, inst, &args)?.unwrap_or_default();
        for (&result, term) in f.insts[inst].results.iter().zip(results) {
            self.done.insert((after, result), self.inputs.normal.of(term));
        }
        Ok(self.done.get(&member).copied())
    }

    /// The value of a class: one of its functions, if that is a function of other classes, else a variable.
    fn class(&mut self, n: u32, width: u32, depth: usize) -> Result<Option<TermId>, SideError> {
        if let Some(&term) = self.classes.get(&n) {
            return Ok(Some(term));
        }
        if !self.open.insert(n) {
            return Ok(None);
        }
        let mut found = None;
        for member in self.functions.get(&n).cloned().unwrap_or_default() {
            found = self.value(member, depth + 1)?;
            if found.is_some() {
                break;
            }
        }
        self.open.remove(&n);
        let term = found.unwrap_or_else(|| self.inputs.variable(&format!("cut {n}"), width, false));
        self.classes.insert(n, term);
        Ok(Some(term))
    }
}
