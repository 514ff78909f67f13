//! Merging: terms that are equal as exact numbers; and sweeping: terms that are equal on many inputs, proved equal from the bottom up.

use super::local::Local;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_normal::integer::Integers;
use sassafras_normal::signature::{Signature, Signatures};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId, Terms, UnaryOp};
use sassafras_solve::solver::{Answer, Solver};
use smallvec::SmallVec;

/// Inputs that meet the assumptions, if others are to be left out.
const ENOUGH: usize = 24;
/// Most questions.
const MOST: u32 = 120;
/// Effort of each, in thousands of z3's `rlimit`.
const EFFORT: u64 = 400;
/// Most terms that are looked at.
const LARGEST: usize = 20_000;
/// Operations within one another whose bits are taken apart.
const DEPTH: u32 = 8;

/// Terms by their forms as exact numbers: the first of each form stands for the others.
struct Equals<'a> {
    integers: Integers<'a>,
    first: FxHashMap<(u32, u32), TermId>,
}

impl<'a> Equals<'a> {
    fn new(d: &'a Terms) -> Equals<'a> {
        Equals { integers: Integers::new(d), first: FxHashMap::default() }
    }

    /// Bits of a bitwise function or a selection as those of its operands: row `slice-select` of the normal form.
    fn cut(&mut self, d: &Terms, t: TermId, low: u32, width: u32, depth: u32) -> TermId {
        let whole = d.extract(&t, low, width);
        if depth == 0 {
            return whole;
        }
        let mut part = |t: TermId| self.cut(d, t, low, width, depth - 1);
        let made = match d.node(t) {
            Node::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), a, b) => {
                d.binary(op, &part(a), &part(b))
            }
            Node::Unary(UnaryOp::Not, a) => d.not(&part(a)),
            Node::Ite(c, a, b) => d.ite(&c, &part(a), &part(b)),
            _ => whole,
        };
        self.standing(d, made)
    }

    /// What stands for a term: a constant, an equal one met before, or itself.
    fn standing(&mut self, d: &Terms, t: TermId) -> TermId {
        let (form, width) = (self.integers.form(t), d.width_of(t));
        match self.integers.constant(form) {
            Some(bits) => d.constant(width, bits),
            None => *self.first.entry((form, width)).or_insert(t),
        }
    }
}

/// A sign as a bit, and the extension of one from within a word as an extension: rows `sign-bit` and `sign-shift`.
fn tidy(d: &Terms, t: TermId) -> TermId {
    let zero = |t: TermId| d.as_constant(&t) == Some(0);
    let sign = |x: TermId| d.extract(&x, d.width_of(x) - 1, 1);
    match d.node(t) {
        Node::Compare(CompareOp::SLt, a, b) if zero(b) => sign(a),
        Node::Compare(CompareOp::SLe, a, b) if zero(a) => d.not(&sign(b)),
        Node::Binary(BinaryOp::AShr, a, count) => {
            let (Node::Binary(BinaryOp::Shl, x, other), Some(by)) = (d.node(a), d.as_constant(&count)) else {
                return t;
            };
            let width = d.width_of(t);
            if other != count || by == 0 || by >= u128::from(width) {
                return t;
            }
            d.sext(&d.extract(&x, 0, width - by as u32), width)
        }
        _ => t,
    }
}

/// A shift of a bitwise function by a number as the function of the shifts: row `shift-function`. Words side by side are one function where the
/// parts of an operand are.
fn distributed(d: &Terms, t: TermId) -> Option<TermId> {
    use BinaryOp as B;
    let Node::Binary(shift @ (B::Shl | B::LShr | B::AShr), a, count) = d.node(t) else { return None };
    if d.as_constant(&count).is_some() {
        return None;
    }
    let bitwise = |t: TermId| match d.node(t) {
        Node::Binary(op @ (B::And | B::Or | B::Xor), x, y) => Some((op, x, y)),
        _ => None,
    };
    let (op, x, y) = bitwise(a).or_else(|| {
        let Node::Concat(h, l) = d.node(a) else { return None };
        let ((op, x, y), (other, v, w)) = (bitwise(h)?, bitwise(l)?);
        let joined = |h: TermId, l: TermId| {
            let both = d.concat(&h, &l);
            (!matches!(d.node(both), Node::Concat(..))).then_some(both)
        };
        let paired = |v: TermId, w: TermId| {
            if joined(x, v).is_none() && joined(y, w).is_none() {
                return None;
            }
            Some((op, d.concat(&x, &v), d.concat(&y, &w)))
        };
        if op == other { paired(v, w).or_else(|| paired(w, v)) } else { None }
    })?;
    Some(d.binary(op, &d.binary(shift, &x, &count), &d.binary(shift, &y, &count)))
}

/// Parts after terms within them were merged that are equal as exact numbers.
pub(super) fn merge(local: &Local, parts: &[TermId]) -> Vec<TermId> {
    let d = &*local.terms;
    let order = d.topological(parts);
    if order.len() > LARGEST {
        return parts.to_vec();
    }
    let mut equals = Equals::new(d);
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in order {
        let node = d.node(id).map(|o| map[&o]);
        let new = if node.is_free() { id } else { tidy(d, d.make(node, d.width_of(id))) };
        let new = distributed(d, new).unwrap_or(new);
        let new = if let Node::Extract { low, a } = d.node(new) {
            equals.cut(d, a, low, d.width_of(id), DEPTH)
        } else {
            new
        };
        map.insert(id, equals.standing(d, new));
    }
    parts.iter().map(|p| map[p]).collect()
}

/// Signatures of terms: on inputs that meet the assumptions, if enough of those that are drawn do.
fn drawn<'a>(local: &'a Local, terms: &[TermId]) -> Signatures<'a> {
    let roots: Vec<TermId> = local.assumptions.iter().chain(terms).copied().collect();
    let mut all = Signatures::drawn(&local.terms, &local.terms.free(&roots));
    let met: Vec<bool> =
        (0..all.inputs.len()).map(|i| local.assumptions.iter().all(|a| all.of(*a)[i] == 1)).collect();
    if met.iter().filter(|m| **m).count() >= ENOUGH {
        let mut met = met.iter();
        all.keep(|| met.next() == Some(&true));
    }
    all
}

struct Sweep<'a> {
    local: &'a Local,
    /// On inputs that are drawn, and on models that told terms apart.
    signatures: Signatures<'a>,
    /// Inputs that assumptions depend on.
    free: Vec<(TermId, Vec<TermId>)>,
}

/// The values of terms on many inputs: on those that meet the assumptions, if there are enough.
pub(super) fn rows(local: &Local, terms: &[TermId]) -> Vec<Signature> {
    let mut signatures = drawn(local, terms);
    terms.iter().map(|t| signatures.of(*t)).collect()
}

/// Parts after terms within them were merged that are equal under the assumptions. The assumptions stay as they are: where
/// they hold, each part is what it was.
pub(super) fn sweep(local: &Local, parts: &[TermId], solver: &mut dyn Solver) -> Vec<TermId> {
    let d = &local.terms;
    let order = d.topological(parts);
    if order.len() > LARGEST {
        return parts.to_vec();
    }
    let free = local.assumptions.iter().map(|a| (*a, d.free(&[*a]))).collect();
    let mut sweep = Sweep { local, signatures: drawn(local, parts), free };
    let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
    // By width and values: the terms that stand for all equal ones met so far.
    let mut classes: FxHashMap<(u32, Signature), SmallVec<[TermId; 2]>> = FxHashMap::default();
    let mut apart: FxHashSet<(TermId, TermId)> = FxHashSet::default();
    let mut questions = 0;
    let mut equals = Equals::new(d);
    for id in order {
        let (node, width) = (d.node(id), d.width_of(id));
        let node = node.map(|o| map[&o]);
        let new = if node.is_free() { id } else { d.make(node, width) };
        let new = equals.standing(d, new);
        map.insert(id, new);
        if d.as_constant(&new).is_some() {
            continue;
        }
        loop {
            let row = sweep.signatures.of(new);
            let first = row.first().copied().unwrap_or(0);
            let constant = row.iter().all(|v| *v == first).then(|| d.constant(width, first));
            let same = classes.entry((width, row)).or_default();
            if same.contains(&new) {
                break;
            }
            let mut candidates = constant.into_iter().chain(same.iter().copied());
            let found = candidates.find(|other| !apart.contains(&(*other, new)));
            let Some(other) = found.filter(|_| questions < MOST) else {
                same.push(new);
                break;
            };
            questions += 1;
            match solver.check_short(&sweep.differ(new, other), EFFORT) {
                Answer::Unsat => {
                    map.insert(id, other);
                    break;
                }
                Answer::Sat(model) => {
                    apart.insert((other, new));
                    sweep.signatures.inputs.push(model);
                    // All rows have grown by this input.
                    for t in classes.drain().flat_map(|(_, t)| t).collect::<Vec<_>>() {
                        let key = (d.width_of(t), sweep.signatures.of(t));
                        classes.entry(key).or_default().push(t);
                    }
                }
                Answer::Unknown(_) => {
                    apart.insert((other, new));
                }
            }
        }
    }
    parts.iter().map(|p| map[p]).collect()
}

impl Sweep<'_> {
    /// Whether two terms can differ under the assumptions that speak of their inputs alone.
    fn differ(&self, a: TermId, b: TermId) -> sassafras_solve::smt::Script {
        let d = &self.local.terms;
        let inputs = d.free(&[a, b]);
        let within = |f: &[TermId]| f.iter().all(|v| inputs.binary_search(v).is_ok());
        let mut asked: Vec<TermId> = self.free.iter().filter(|(_, f)| within(f)).map(|(a, _)| *a).collect();
        asked.push(d.not(&d.eq(&a, &b)));
        self.local.bare(&asked)
    }
}
