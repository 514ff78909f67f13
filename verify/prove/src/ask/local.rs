//! A question in an arena of its own.

use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp, Domain, TermId, Terms, UnaryOp};
use sassafras_solve::floats;
use sassafras_solve::read::Read;
use sassafras_solve::smt::{Script, closure, script};
use sassafras_solve::solver::Answer;
use sassafras_symbolic::inputs::Inputs;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most parts that a violation is taken apart into.
const MOST: usize = 64;
/// Bits of the parts of what stands side by side.
const WORD: u32 = 32;

/// Most terms of a condition that is taken as known where others are asked about.
const SMALL: usize = 64;

/// An obligation and its assumptions, rebuilt.
pub(super) struct Local {
    /// The arena.
    pub terms: Rc<Terms>,
    /// What is assumed, one bit each.
    pub assumptions: Vec<TermId>,
    /// What must not hold besides.
    pub violated: TermId,
    /// Reads of memory.
    reads: Vec<Read>,
    /// The inputs' variables, by those of this arena.
    back: FxHashMap<TermId, TermId>,
}

impl Local {
    pub fn new(inputs: &Inputs<'_>, assumptions: &[TermId], violated: TermId) -> Local {
        let mut roots = assumptions.to_vec();
        roots.push(violated);
        let (order, reads) = closure(inputs.terms, &inputs.reads(), &roots);
        let terms = Terms::new();
        let mut back = FxHashMap::default();
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in order {
            let (node, width) = (inputs.terms.node(id), inputs.terms.width_of(id));
            let made = if node.is_free() {
                let own = terms.variable(&id.to_string(), width);
                back.insert(own, id);
                own
            } else {
                rebuilt(&terms, node.map(|o| map[&o]), width)
            };
            map.insert(id, made);
        }
        let of = |t: &TermId| map[t];
        // States of memory only tell memories apart: they need no terms here.
        let reads =
            reads.iter().map(|r| Read { variable: of(&r.variable), base: of(&r.base), ..*r }).collect();
        Local {
            assumptions: assumptions.iter().map(of).collect(),
            violated: of(&violated),
            terms: Rc::new(terms),
            reads,
            back,
        }
    }

    /// The bits of a constant.
    pub fn terms_known(&self, t: TermId) -> Option<u128> {
        self.terms.as_constant(&t)
    }

    /// Terms of one bit of which one holds where `t` does, and the other way round.
    pub fn parts(&self, t: TermId) -> Vec<TermId> {
        let d = &self.terms;
        let mut parts = Vec::new();
        let mut stack = vec![(t, true)];
        while let Some((t, positive)) = stack.pop() {
            let whole = if positive { t } else { d.not(&t) };
            if parts.len() + stack.len() >= MOST {
                parts.push(whole);
                continue;
            }
            let known = |t: TermId| d.as_constant(&t);
            if let Some(cut) = self.cut(t, positive) {
                parts.extend(cut);
                continue;
            }
            match (d.node(t), positive) {
                (Node::Constant(c), _) if (c == 0) == positive => {}
                (Node::Unary(UnaryOp::Not, a), _) => stack.push((a, !positive)),
                (Node::Binary(B::Or, a, b), true) => stack.extend([(a, true), (b, true)]),
                (Node::Binary(B::And, a, b), false) => stack.extend([(a, false), (b, false)]),
                (Node::Ite(c, a, b), true) if known(b) == Some(1) => stack.extend([(c, false), (a, true)]),
                (Node::Ite(c, a, b), true) if known(a) == Some(1) => stack.extend([(c, true), (b, true)]),
                (Node::Ite(c, a, b), false) if known(b) == Some(0) => stack.extend([(c, false), (a, false)]),
                (Node::Ite(c, a, b), false) if known(a) == Some(0) => stack.extend([(c, true), (b, false)]),
                _ => parts.push(whole),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The parts of what holds under another condition, and of words side by side that differ.
    fn cut(&self, t: TermId, positive: bool) -> Option<Vec<TermId>> {
        let d = &self.terms;
        match (d.node(t), positive) {
            (Node::Binary(B::And, a, b), true) => {
                let by = |guard: TermId, t: TermId| {
                    let parts = self.parts(t);
                    (parts.len() > 1).then(|| parts.iter().map(|p| d.and(&guard, p)).collect())
                };
                by(a, b).or_else(|| by(b, a))
            }
            (Node::Compare(CompareOp::Eq, a, b), false) => {
                let width = d.width_of(a);
                let (x, y) = (side_by_side(d, a), side_by_side(d, b));
                let starts = |all: &[(u32, TermId)], low: u32| all.iter().any(|(at, _)| *at == low);
                let words = x.len() > 1 || y.len() > 1;
                let is_cut = |low: &u32| {
                    *low == 0 || words && low.is_multiple_of(WORD) || starts(&x, *low) && starts(&y, *low)
                };
                let mut lows: Vec<u32> = (0..width).filter(is_cut).collect();
                if lows.len() < 2 {
                    return None;
                }
                lows.push(width);
                let part = |all: &[(u32, TermId)], low, high| bits_of(d, all, low, high - low);
                let differ = |w: &[u32]| d.not(&d.eq(&part(&x, w[0], w[1]), &part(&y, w[0], w[1])));
                Some(lows.windows(2).map(differ).collect())
            }
            _ => None,
        }
    }

    /// The same where other parts must not hold, of which one holds where what is violated here does. What memory holds is left open.
    pub fn instead(&self, parts: &[TermId]) -> Local {
        let d = &self.terms;
        Local {
            assumptions: self.assumptions.clone(),
            violated: parts.iter().fold(d.no(), |any, p| d.or(&any, p)),
            terms: self.terms.clone(),
            reads: Vec::new(),
            back: FxHashMap::default(),
        }
    }

    /// Reads of memory that the question is about.
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// The same assumptions, and the conditions under which something is violated that do not rest on what memory holds.
    pub fn under(&self) -> Local {
        let d = &*self.terms;
        let mut known = self.assumptions.clone();
        let mut stack = vec![self.violated];
        while let Some(t) = stack.pop() {
            match d.node(t) {
                Node::Binary(B::And, a, b) => stack.extend([a, b]),
                Node::Ite(c, a, b) if d.as_constant(&b) == Some(0) => stack.extend([c, a]),
                _ if d.topological(&[t]).len() > SMALL => {}
                _ if d.free(&[t]).iter().any(|v| self.reads.iter().any(|r| r.variable == *v)) => {}
                _ => known.push(t),
            }
        }
        Local {
            assumptions: known,
            violated: self.violated,
            terms: self.terms.clone(),
            reads: self.reads.clone(),
            back: FxHashMap::default(),
        }
    }

    /// The same where some conditions do not hold, for a question of which only `unsat` counts.
    pub fn settled(&self, never: &BTreeSet<TermId>) -> Local {
        let d = &*self.terms;
        let roots: Vec<TermId> = self.reads.iter().map(|r| r.base).chain([self.violated]).collect();
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in d.topological(&roots) {
            let node = d.node(id);
            let new = match node {
                _ if never.contains(&id) => d.no(),
                _ if node.is_free() => id,
                _ => d.make(node.map(|o| map[&o]), d.width_of(id)),
            };
            map.insert(id, new);
        }
        Local {
            assumptions: self.assumptions.clone(),
            violated: map[&self.violated],
            terms: self.terms.clone(),
            reads: self.reads.iter().map(|r| Read { base: map[&r.base], ..*r }).collect(),
            back: FxHashMap::default(),
        }
    }

    /// The same with terms in the place of variables, for a question of which only `unsat` counts.
    pub fn replaced(&self, variables: &FxHashMap<TermId, TermId>) -> Local {
        let d = &*self.terms;
        let mut roots = self.assumptions.clone();
        roots.push(self.violated);
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in d.topological(&roots) {
            let node = d.node(id);
            let new = match node.is_free() {
                true => variables.get(&id).copied().unwrap_or(id),
                false => d.make(node.map(|o| map[&o]), d.width_of(id)),
            };
            map.insert(id, new);
        }
        Local {
            assumptions: self.assumptions.iter().map(|a| map[a]).collect(),
            violated: map[&self.violated],
            terms: self.terms.clone(),
            reads: Vec::new(),
            back: FxHashMap::default(),
        }
    }

    /// The assumptions that share an input with a term, or with one that does.
    pub fn near(&self, part: TermId) -> Vec<TermId> {
        let free = |t: TermId| -> BTreeSet<TermId> { self.terms.free(&[t]).into_iter().collect() };
        let mut known = free(part);
        let mut assumptions: Vec<(TermId, BTreeSet<TermId>)> =
            self.assumptions.iter().map(|a| (*a, free(*a))).collect();
        let mut near = Vec::new();
        loop {
            let before = (near.len(), known.len());
            // What is read depends on where.
            for r in self.reads.iter().filter(|r| known.contains(&r.variable)).collect::<Vec<_>>() {
                known.extend(free(r.base));
            }
            assumptions.retain(|(a, f)| {
                let here = !f.is_disjoint(&known);
                if here {
                    near.push(*a);
                    known.extend(f);
                }
                !here
            });
            if before == (near.len(), known.len()) {
                near.sort_unstable();
                return near;
            }
        }
    }

    /// Whether some assumptions and a part can hold.
    pub fn script(&self, assumptions: &[TermId], part: TermId) -> Script {
        let mut asked = assumptions.to_vec();
        asked.push(part);
        script(&self.terms, &self.reads, &asked)
    }

    /// The same for terms of which it does not matter what memory holds.
    pub fn bare(&self, asked: &[TermId]) -> Script {
        script(&self.terms, &[], asked)
    }

    /// A model of this arena as one of the inputs.
    pub fn model(&self, model: &BTreeMap<TermId, u128>) -> Answer {
        let values = model.iter().filter_map(|(t, bits)| Some((*self.back.get(t)?, *bits)));
        Answer::Sat(values.collect())
    }

    /// The same with products and quotients of unknown numbers as unknown numbers; none if there are none. What cannot be there cannot
    /// be here. Two numbers have one product, whatever part of it is asked for: the others are its low bits.
    pub fn weakened(&self) -> Option<Local> {
        let mut roots = self.assumptions.clone();
        roots.push(self.violated);
        let d = &*self.terms;
        let order = d.topological(&roots);
        let mut widest: FxHashMap<(TermId, u32), TermId> = FxHashMap::default();
        for id in &order {
            let Node::Binary(B::Mul, a, b) = d.node(*id) else { continue };
            for t in [a, b].map(|t| narrow(d, t)) {
                if let Node::Extract { low, a } = d.node(t) {
                    let known = widest.entry((a, low)).or_insert(t);
                    if d.width_of(*known) < d.width_of(t) {
                        *known = t;
                    }
                }
            }
        }
        let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut bounds = Vec::new();
        let mut any = false;
        for id in order {
            let (old, width) = (d.node(id), d.width_of(id));
            // Low bits of a product are those of the product of wider numbers.
            let factor = |t: TermId| match d.node(t) {
                Node::Extract { low, a } if d.width_of(t) == width => {
                    widest.get(&(a, low)).copied().unwrap_or(t)
                }
                _ => narrow(d, t),
            };
            let unknown = |a: &TermId, b: &TermId| d.as_constant(a).is_none() && d.as_constant(b).is_none();
            let new = match &old {
                Node::Binary(B::Mul, a, b) if unknown(a, b) => {
                    any = true;
                    let of = |t: TermId| map.get(&t).copied().unwrap_or(t);
                    self.product(of(factor(*a)), of(factor(*b)), width, &mut bounds)
                }
                Node::Binary(op @ (B::UDiv | B::URem | B::SDiv | B::SRem), a, b) if unknown(a, b) => {
                    any = true;
                    d.variable(&format!("{op:?} {} {}", map[a], map[b]), width)
                }
                _ if old.is_free() => id,
                _ => d.make(old.map(|o| map[&o]), width),
            };
            map.insert(id, new);
        }
        any.then(|| Local {
            assumptions: self.assumptions.iter().map(|a| map[a]).chain(bounds).collect(),
            violated: map[&self.violated],
            terms: self.terms.clone(),
            reads: Vec::new(),
            back: FxHashMap::default(),
        })
    }

    /// Bits of the product of two numbers, as those of a variable that is not above the greatest product; that of two sign extensions
    /// as the extension of a variable.
    fn product(&self, a: TermId, b: TermId, width: u32, bounds: &mut Vec<TermId>) -> TermId {
        let d = &*self.terms;
        if let (Node::Sext(x), Node::Sext(y)) = (d.node(a), d.node(b)) {
            let (x, y) = (x.min(y), x.max(y));
            let whole = d.width_of(x) + d.width_of(y);
            if whole <= 128 {
                let product = d.variable(&format!("Mul signed {x} {y}"), whole);
                return if whole < width { d.sext(&product, width) } else { d.extract(&product, 0, width) };
            }
        }
        let (a, b) = (narrow(d, a), narrow(d, b));
        let (x, y) = (a.min(b), a.max(b));
        let (m, n) = (d.width_of(x), d.width_of(y));
        let part = |t: TermId| match d.width_of(t) {
            n if n < width => d.zext(&t, width),
            _ => d.extract(&t, 0, width),
        };
        let zero = d.constant(width, 0);
        match (m, n) {
            (1, _) => return d.ite(&x, &part(y), &zero),
            (_, 1) => return d.ite(&y, &part(x), &zero),
            _ if m + n > 128 => return d.variable(&format!("Mul {width} {x} {y}"), width),
            _ => {}
        }
        let whole = d.variable(&format!("Mul {x} {y}"), m + n);
        let most = ((1u128 << m) - 1).wrapping_mul((1 << n) - 1);
        bounds.push(d.compare(CompareOp::ULe, &whole, &d.constant(m + n, most)));
        part(whole)
    }
}

/// A number as numbers that stand side by side, each with its lowest bit, from the lowest; itself if it is not made of such. Between
/// them is zero.
fn side_by_side(d: &Terms, t: TermId) -> Vec<(u32, TermId)> {
    let whole = d.width_of(t);
    let (mut all, mut stack) = (Vec::new(), vec![(0, t)]);
    while let Some((low, t)) = stack.pop() {
        let power = |c: TermId| d.as_constant(&c).filter(|c| c.is_power_of_two()).map(u128::trailing_zeros);
        let below = d.width_of(t) + low <= whole;
        match d.node(t) {
            Node::Constant(0) => {}
            Node::Zext(a) => stack.push((low, a)),
            Node::Concat(h, l) if below => stack.extend([(low, l), (low + d.width_of(l), h)]),
            // Summands of the whole alone: those of what stands in it may have a carry that it loses.
            Node::Binary(B::Add, a, b) if low == 0 && d.width_of(t) == whole => {
                stack.extend([(low, a), (low, b)]);
            }
            Node::Binary(B::Mul, a, c) if low == 0 && d.width_of(t) == whole && power(c).is_some() => {
                match d.node(a) {
                    Node::Zext(x) => stack.push((power(c).unwrap_or(0), x)),
                    _ => return vec![(0, t)],
                }
            }
            _ => all.push((low, t)),
        }
    }
    all.sort_unstable_by_key(|(low, _)| *low);
    let end = |(low, t): &(u32, TermId)| low + d.width_of(*t);
    let apart = all.windows(2).all(|pair| end(&pair[0]) <= pair[1].0);
    if apart && all.last().is_some_and(|last| end(last) <= whole) { all } else { vec![(0, t)] }
}

/// Bits of numbers that stand side by side.
fn bits_of(d: &Terms, all: &[(u32, TermId)], low: u32, width: u32) -> TermId {
    let zeros = |n: u32, below: Option<TermId>| match (n, below) {
        (0, below) => below,
        (n, None) => Some(d.constant(n, 0)),
        (n, Some(t)) => Some(d.zext(&t, d.width_of(t) + n)),
    };
    let (mut made, mut at) = (None, low);
    for (start, t) in all {
        let (from, to) = ((*start).max(low), (start + d.width_of(*t)).min(low + width));
        if from < to {
            made = zeros(from - at, made);
            let part = d.extract(t, from - start, to - from);
            made = Some(made.map_or(part, |below| d.concat(&part, &below)));
            at = to;
        }
    }
    zeros(low + width - at, made).unwrap_or_else(|| d.constant(width, 0))
}

/// What a number is the zero extension of.
fn narrow(d: &Terms, mut t: TermId) -> TermId {
    while let Node::Zext(x) = d.node(t) {
        t = x;
    }
    t
}

/// A node over operands of the arena.
fn rebuilt(terms: &Terms, node: Node, width: u32) -> TermId {
    match &node {
        Node::FloatRelation { relation, format, ftz, args } => {
            floats::relation(terms, *relation, *format, *ftz, &args[0], &args[1])
        }
        Node::Float { op, format, mode, args } if args.len() == 2 => {
            let extremum = floats::extremum(terms, *op, *format, *mode, [&args[0], &args[1]]);
            extremum.unwrap_or_else(|| terms.make(node, width))
        }
        Node::Compare(CompareOp::Eq, a, b) if terms.width_of(*a) > 1 => equation(terms, *a, *b),
        Node::Binary(B::URem, a, b) if terms.as_constant(b).is_none() => remainder(terms, *a, *b),
        Node::Binary(op @ (B::SDiv | B::SRem), a, b) if terms.as_constant(b).is_none() => {
            by_magnitudes(terms, *op, *a, *b)
        }
        _ => terms.make(node, width),
    }
}

/// A signed quotient or remainder by that of the magnitudes: row `signed-quotient` of the normal form.
fn by_magnitudes(terms: &Terms, op: B, a: TermId, b: TermId) -> TermId {
    let width = terms.width_of(a);
    let sign = |x: &TermId| terms.compare(CompareOp::SLt, x, &terms.constant(width, 0));
    let magnitude = |x: &TermId| terms.ite(&sign(x), &terms.neg(x), x);
    let (x, y) = (magnitude(&a), magnitude(&b));
    let (negative, value) = match op {
        B::SDiv => (terms.xor(&sign(&a), &sign(&b)), terms.binary(B::UDiv, &x, &y)),
        _ => (sign(&a), remainder(terms, x, y)),
    };
    terms.ite(&negative, &terms.neg(&value), &value)
}

/// What is left of a quotient: row `remainder` of the normal form.
fn remainder(terms: &Terms, a: TermId, b: TermId) -> TermId {
    terms.sub(&a, &terms.mul(&terms.binary(B::UDiv, &a, &b), &b))
}

/// `a = b` with each summand on the side on which it is positive: solvers see equal sides, not a difference that is zero.
fn equation(terms: &Terms, a: TermId, b: TermId) -> TermId {
    let width = terms.width_of(a);
    let zero = terms.constant(width, 0);
    let mut sides = [zero, zero];
    let mut constant = zero;
    let mut stack = vec![(a, 0usize), (b, 1)];
    while let Some((t, side)) = stack.pop() {
        match terms.node(t) {
            Node::Binary(B::Add, x, y) => stack.extend([(x, side), (y, side)]),
            Node::Binary(B::Sub, x, y) => stack.extend([(x, side), (y, 1 - side)]),
            Node::Unary(UnaryOp::Neg, x) => stack.push((x, 1 - side)),
            Node::Constant(_) if side == 0 => constant = terms.sub(&constant, &t),
            Node::Constant(_) => constant = terms.add(&constant, &t),
            Node::Binary(B::Mul, x, c) if terms.as_constant(&c).is_some_and(|c| c >> (width - 1) == 1) => {
                sides[1 - side] = terms.add(&sides[1 - side], &terms.mul(&x, &terms.neg(&c)));
            }
            _ => sides[side] = terms.add(&sides[side], &t),
        }
    }
    let negative = terms.as_constant(&constant).is_some_and(|c| c >> (width - 1) == 1);
    if negative {
        sides[0] = terms.sub(&sides[0], &constant);
    } else {
        sides[1] = terms.add(&sides[1], &constant);
    }
    terms.eq(&sides[0], &sides[1])
}
