//! And, or, exclusive or, complement, conditions and selections.

use super::Normal;
use super::boolean::{Diagram, FALSE, TRUE};
use super::poly::{Poly, ones};
use super::segment::Segment;
use rustc_hash::FxHashMap;
use sassafras_semantics::{BinaryOp as B, Domain, TermId};
use std::collections::BTreeMap;

/// A constant of more runs of equal bits than this is not cut up.
const RUNS: u32 = 8;
/// A function of more decisions than this keeps its operation.
pub(super) const DECISIONS: usize = 48;
/// So many are too many where each operand of a function is itself one: the whole grows with each.
const MAPPED: usize = 4 * DECISIONS;
/// A function of more constants than this is left as it is.
const MASKS: usize = 6;

impl Normal<'_> {
    /// −1 − a, or ¬c.
    pub(super) fn complement(&self, t: TermId) -> TermId {
        if self.width(t) == 1 {
            let f = self.diagram(t);
            let not = self.diagrams.borrow_mut().not(f);
            let made = self.function(not, 1);
            self.note(|| (self.terms.not(&t), made));
            return made;
        }
        self.other_side(t)
    }

    /// −1 − a: of two numbers that are so each other's, each is the other's, whatever form either got by other rows.
    fn other_side(&self, t: TermId) -> TermId {
        let d = self.terms;
        let known = self.complements.borrow().get(&t).copied();
        if known.is_some() && !self.is_traced() {
            return known.unwrap_or(t);
        }
        let (mark, p) = (self.mark(), self.poly(t).complement());
        if self.is_traced() {
            let less = d.sub(&d.constant(self.width(t), u128::MAX), &t);
            self.note_sums(|| (d.not(&t), less), vec![t]);
            self.note_sums(|| (less, self.plain(&p)), self.numbers(&[&p]));
        }
        if let Some(other) = known {
            self.note(|| (self.plain(&p), other));
            self.note_since(mark, || (d.not(&t), other));
            return other;
        }
        let other = self.number(p);
        self.note_since(mark, || (d.not(&t), other));
        let mut all = self.complements.borrow_mut();
        all.insert(t, other);
        all.entry(other).or_insert(t);
        other
    }

    /// Notes which operands of functions are complements of what.
    fn note_complements(&self, functions: &[Diagram]) {
        if !self.is_traced() {
            return;
        }
        for f in functions {
            let leaves = self.diagrams.borrow().leaves(*f);
            for t in leaves {
                if self.width(t) > 1 && self.complements.borrow().contains_key(&t) {
                    self.other_side(t);
                }
            }
        }
    }

    /// The diagram of a normal form: its function, the complement of one, or a variable.
    pub(super) fn diagram(&self, t: TermId) -> Diagram {
        let width = self.width(t);
        match self.known(t) {
            Some(0) => return FALSE,
            Some(c) if c == ones(width) => return TRUE,
            _ => {}
        }
        if let Some(f) = self.functions.borrow().get(&t) {
            return *f;
        }
        // Row `bitwise-complement`: of two complements one is the variable.
        let negative = width > 1 && self.poly(t).negative();
        if negative || self.complements.borrow().contains_key(&t) {
            let inner = self.other_side(t);
            if (self.poly(inner).negative(), inner) < (negative, t) {
                let f = match self.functions.borrow().get(&inner) {
                    Some(f) => *f,
                    None => self.diagrams.borrow_mut().variable(inner),
                };
                return self.diagrams.borrow_mut().not(f);
            }
        }
        self.diagrams.borrow_mut().variable(t)
    }

    /// The term of a diagram over operands of a width. Rows `decision-one`, `decision-zero`, `decision-xor`.
    pub(super) fn function(&self, f: Diagram, width: u32) -> TermId {
        self.term(self.by_masks(f, width), width, &mut FxHashMap::default())
    }

    /// Row `bitwise-masks`: bit by bit the constants are known, so a function of numbers and constants is one of a few functions of
    /// the numbers. Which one is said by constants that depend on nothing but where each of them stands.
    fn by_masks(&self, f: Diagram, width: u32) -> Diagram {
        if width == 1 || f <= TRUE {
            return f;
        }
        let mut all = self.diagrams.borrow_mut();
        if all.size(f, DECISIONS) >= DECISIONS {
            return f;
        }
        let constants: Vec<(TermId, u128)> =
            all.leaves(f).into_iter().filter_map(|t| Some((t, self.known(t)?))).collect();
        if constants.is_empty() || constants.len() > MASKS {
            return f;
        }
        let mut parts = vec![(f, ones(width))];
        for (t, bits) in constants {
            let yes = all.variable(t);
            let no = all.not(yes);
            let mut cut = Vec::new();
            for (g, mask) in parts {
                for (where_, care) in [(mask & bits, yes), (mask & !bits, no)] {
                    if where_ != 0 {
                        cut.push((all.constrained(g, care), where_));
                    }
                }
            }
            parts = cut;
        }
        let mut masks: BTreeMap<Diagram, u128> = BTreeMap::new();
        for (g, mask) in parts {
            *masks.entry(g).or_default() |= mask;
        }
        let mut list: Vec<Diagram> = masks.keys().copied().collect();
        for bit in 0.. {
            if list.len() == 1 {
                break;
            }
            let chosen = masks.values().enumerate().filter(|(i, _)| i >> bit & 1 == 1);
            let mask = chosen.fold(0, |all, (_, mask)| all | mask);
            let which = all.variable(self.terms.constant(width, mask));
            list = list.chunks(2).map(|c| all.ite(which, c[c.len() - 1], c[0])).collect();
        }
        if all.size(list[0], DECISIONS) < DECISIONS { list[0] } else { f }
    }

    /// The same; what has been made is kept, since a diagram's parts are shared and there are far more ways through it than parts.
    fn term(&self, f: Diagram, width: u32, made: &mut FxHashMap<Diagram, TermId>) -> TermId {
        let d = self.terms;
        match f {
            FALSE => return d.constant(width, 0),
            TRUE => return d.constant(width, u128::MAX),
            _ => {}
        }
        if let Some(t) = made.get(&f) {
            return *t;
        }
        let (leaf, high, low) = self.diagrams.borrow().node(f);
        if (high, low) == (TRUE, FALSE) {
            return leaf;
        }
        let t = if width == 1 {
            let (h, l) = (self.term(high, 1, made), self.term(low, 1, made));
            d.ite(&leaf, &h, &l)
        } else if (high, low) == (FALSE, TRUE) {
            return self.complement(leaf);
        } else {
            let other = self.diagrams.borrow_mut().not(low);
            let mut term = |f| self.term(f, width, made);
            match (high, low) {
                (TRUE, _) => d.or(&leaf, &term(low)),
                (FALSE, _) => d.and(&self.complement(leaf), &term(low)),
                (_, FALSE) => d.and(&leaf, &term(high)),
                (_, TRUE) => d.or(&self.complement(leaf), &term(high)),
                _ if high == other => d.xor(&leaf, &term(low)),
                _ => d.or(&d.and(&leaf, &term(high)), &d.and(&self.complement(leaf), &term(low))),
            }
        };
        made.insert(f, t);
        if d.as_constant(&t).is_none() {
            self.functions.borrow_mut().entry(t).or_insert(f);
            self.memo.borrow_mut().insert(t, t);
        }
        t
    }

    /// The function with other operands, of another width; none if it needs far more decisions than a function may have.
    pub(super) fn mapped(&self, f: Diagram, width: u32, leaf: &dyn Fn(TermId) -> TermId) -> Option<TermId> {
        let g = self.mapped_diagram(f, leaf, &mut FxHashMap::default())?;
        Some(self.function(g, width))
    }

    fn mapped_diagram(
        &self,
        f: Diagram,
        leaf: &dyn Fn(TermId) -> TermId,
        made: &mut FxHashMap<Diagram, Diagram>,
    ) -> Option<Diagram> {
        if f <= TRUE {
            return Some(f);
        }
        if let Some(g) = made.get(&f) {
            return Some(*g);
        }
        let (v, high, low) = self.diagrams.borrow().node(f);
        let (h, l) = (self.mapped_diagram(high, leaf, made)?, self.mapped_diagram(low, leaf, made)?);
        let c = self.diagram(leaf(v));
        let g = self.diagrams.borrow_mut().ite(c, h, l);
        if self.diagrams.borrow().size(g, MAPPED) >= MAPPED {
            return None;
        }
        made.insert(f, g);
        Some(g)
    }

    /// And, or, exclusive or of normal forms.
    pub(super) fn bitwise(&self, op: B, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if width == 1 {
            return self.combine(op, a, b);
        }
        let runs = |t: TermId| self.known(t).map_or(0, |c| ((c ^ c << 1) & ones(width)).count_ones());
        if runs(a) > RUNS || runs(b) > RUNS {
            return self.combine(op, a, b);
        }
        let (x, y) = (self.runs_of(a), self.runs_of(b));
        let mut cuts: Vec<u32> = x.iter().chain(&y).map(|s| s.low).collect();
        cuts.sort_unstable();
        cuts.dedup();
        if cuts.len() == 1 {
            return self.combine(op, a, b);
        }
        cuts.push(width);
        // Row `bitwise-pieces`.
        let piece = |pair: &[u32]| {
            let (low, width) = (pair[0], pair[1] - pair[0]);
            let bits = self.combine(op, self.gather(&x, low, width), self.gather(&y, low, width));
            Segment { low, width, bits }
        };
        let pieces = self.side_by_side(cuts.windows(2).map(piece).collect());
        let all = self.gather(&pieces, 0, width);
        if self.known(all).is_none() {
            self.pieces.borrow_mut().entry(all).or_insert_with(|| pieces.into());
        }
        all
    }

    /// A number as runs of bits: itself if it is a sum with carries.
    pub(super) fn runs_of(&self, t: TermId) -> Vec<Segment> {
        let width = self.width(t);
        if let Some(c) = self.known(t) {
            let (mut all, mut at) = (Vec::new(), 0);
            while at < width {
                let rest = c >> at;
                let run = if rest & 1 == 1 { rest.trailing_ones() } else { rest.trailing_zeros() };
                let n = run.min(width - at);
                all.push(Segment { low: at, width: n, bits: self.terms.constant(n, rest) });
                at += n;
            }
            return all;
        }
        let p = self.poly(t);
        if let Some(all) = self.segments(&p) {
            return all;
        }
        if let Some(pieces) = self.pieces.borrow().get(&t) {
            return pieces.to_vec();
        }
        if p.negative()
            && let Some(mut all) = self.segments(&self.poly(self.number(p.complement())))
        {
            for s in &mut all {
                s.bits = self.complement(s.bits);
            }
            return all;
        }
        vec![Segment { low: 0, width, bits: t }]
    }

    fn combine(&self, op: B, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        let (f, g) = (self.diagram(a), self.diagram(b));
        let made = self.diagrams.borrow_mut().combine(op, f, g);
        let made = if self.width(a) == 1 { self.relation(made) } else { made };
        self.note_complements(&[f, g, made]);
        if self.diagrams.borrow().size(made, DECISIONS) >= DECISIONS {
            let t = d.binary(op, &a.min(b), &a.max(b));
            self.memo.borrow_mut().insert(t, t);
            return t;
        }
        self.function(made, self.width(a))
    }

    /// Row `select-magnitude`: 2^n - x where the sign of x is set, else x, is the magnitude of x, extended.
    fn magnitude(&self, c: TermId, a: TermId, b: TermId) -> Option<TermId> {
        let (x, width) = (self.extended(b)?, self.width(b));
        let n = self.width(x);
        let mut less = Poly::constant(width, 1 << n);
        less.plus_scaled(&self.poly(b), u128::MAX);
        (*self.poly(a) == less && self.slice(x, n - 1, 1) == c)
            .then(|| self.zext(self.select(c, self.negative(x), x), width))
    }

    /// Whether a condition is known to hold wherever another does.
    fn implies(&self, c: TermId, e: TermId) -> bool {
        let (f, g) = (self.diagram(c), self.diagram(e));
        let mut all = self.diagrams.borrow_mut();
        all.size(f, DECISIONS) + all.size(g, DECISIONS) < DECISIONS && all.ite(f, g, FALSE) == f
    }

    /// `c ? a : b`.
    pub(super) fn select(&self, c: TermId, a: TermId, b: TermId) -> TermId {
        let d = self.terms;
        if a == b {
            return a;
        }
        let f = self.diagram(c);
        match f {
            TRUE => return a,
            FALSE => return b,
            _ => {}
        }
        let width = self.width(a);
        if width == 1 {
            let (g, h) = (self.diagram(a), self.diagram(b));
            let made = self.diagrams.borrow_mut().ite(f, g, h);
            let made = self.relation(made);
            if self.diagrams.borrow().size(made, DECISIONS) >= DECISIONS {
                let t = d.ite(&c, &a, &b);
                self.memo.borrow_mut().insert(t, t);
                return t;
            }
            return self.function(made, 1);
        }
        // Row `select-sign`.
        if !self.diagrams.borrow().positive(f) {
            return self.select(self.complement(c), b, a);
        }
        // Row `select`, of words that are one apart. Other steps are those of pointers, whose upper word would be chosen still.
        let mut apart = (*self.poly(a)).clone();
        apart.plus_scaled(&self.poly(b), u128::MAX);
        if let Some(more) = apart.known().filter(|more| width <= 32 && [1, ones(width)].contains(more)) {
            let mut p = self.lifted(c, width).scaled(more);
            p.plus_scaled(&self.poly(b), 1);
            return self.number(p);
        }
        // Row `select-inside`: each side knows the condition.
        let (a, b) = (self.knowing(a, c, 1), self.knowing(b, c, 0));
        if a == b {
            return a;
        }
        if let Some(magnitude) = self.magnitude(c, a, b) {
            return magnitude;
        }
        // Row `select-nested`.
        use sassafras_semantics::term::Node;
        if let Node::Ite(e, x, _) = d.node(a)
            && e == c
        {
            return self.select(c, x, b);
        }
        if let Node::Ite(e, _, y) = d.node(b)
            && e == c
        {
            return self.select(c, a, y);
        }
        // Row `select-same`.
        if let Node::Ite(e, x, y) = d.node(b)
            && x == a
        {
            if self.implies(c, e) {
                return b;
            }
            if self.implies(e, c) {
                return self.select(c, a, y);
            }
        }
        if let Node::Ite(e, x, y) = d.node(a)
            && y == b
        {
            if self.implies(e, c) {
                return a;
            }
            if self.implies(c, e) {
                return self.select(c, x, b);
            }
        }
        // Row `select-constants`.
        if let (Some(x), Some(y)) = (self.known(a), self.known(b)) {
            let mut p = self.lifted(c, width).scaled(x.wrapping_sub(y));
            p.plus(Default::default(), y);
            return self.number(p);
        }
        let t = d.make(Node::Ite(c, a, b), width);
        self.memo.borrow_mut().insert(t, t);
        t
    }
}
