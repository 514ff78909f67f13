//! Reduced ordered decision diagrams: the form of bitwise functions and conditions.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::{BinaryOp, TermId};

/// A node of a [`Diagrams`]; [`FALSE`] and [`TRUE`] are the leaves.
pub type Diagram = u32;

/// The leaf that is zero.
pub const FALSE: Diagram = 0;
/// The leaf that is one.
pub const TRUE: Diagram = 1;

/// All diagrams, shared. Variables are terms, ordered by id.
#[derive(Debug)]
pub struct Diagrams {
    nodes: Vec<(TermId, Diagram, Diagram)>,
    ids: FxHashMap<(TermId, Diagram, Diagram), Diagram>,
    memo: FxHashMap<(Diagram, Diagram, Diagram), Diagram>,
}

impl Default for Diagrams {
    fn default() -> Diagrams {
        let leaf = (TermId(u32::MAX), 0, 0);
        Diagrams { nodes: vec![leaf, leaf], ids: FxHashMap::default(), memo: FxHashMap::default() }
    }
}

impl Diagrams {
    /// Variable, diagram if it is one, diagram if it is zero. Not for leaves.
    pub fn node(&self, d: Diagram) -> (TermId, Diagram, Diagram) {
        self.nodes[d as usize]
    }

    /// A decision.
    pub fn make(&mut self, variable: TermId, high: Diagram, low: Diagram) -> Diagram {
        sassafras_solve::limit::spend(1);
        if high == low {
            return high;
        }
        let next = self.nodes.len() as Diagram;
        let key = (variable, high, low);
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.nodes.push(key);
        }
        id
    }

    /// A variable.
    pub fn variable(&mut self, variable: TermId) -> Diagram {
        self.make(variable, TRUE, FALSE)
    }

    /// `c ? a : b`.
    pub fn ite(&mut self, c: Diagram, a: Diagram, b: Diagram) -> Diagram {
        match (c, a, b) {
            (TRUE, ..) => return a,
            (FALSE, ..) => return b,
            (_, TRUE, FALSE) => return c,
            _ if a == b => return a,
            _ => {}
        }
        if let Some(&known) = self.memo.get(&(c, a, b)) {
            return known;
        }
        let first = [c, a, b].iter().map(|d| self.nodes[*d as usize].0).min().unwrap_or(TermId(0));
        let part = |s: &Self, d: Diagram, high: bool| {
            let n = s.nodes[d as usize];
            if d <= TRUE || n.0 != first {
                d
            } else if high {
                n.1
            } else {
                n.2
            }
        };
        let (c1, a1, b1) = (part(self, c, true), part(self, a, true), part(self, b, true));
        let (c0, a0, b0) = (part(self, c, false), part(self, a, false), part(self, b, false));
        let high = self.ite(c1, a1, b1);
        let low = self.ite(c0, a0, b0);
        let made = self.make(first, high, low);
        self.memo.insert((c, a, b), made);
        made
    }

    /// `f` where `care`, which is not zero, holds: the generalised cofactor (O. Coudert, J. C. Madre, 1990). It depends on what `f` is there alone.
    pub fn constrained(&mut self, f: Diagram, care: Diagram) -> Diagram {
        self.cofactor(f, care, &mut FxHashMap::default())
    }

    fn cofactor(
        &mut self,
        f: Diagram,
        care: Diagram,
        memo: &mut FxHashMap<(Diagram, Diagram), Diagram>,
    ) -> Diagram {
        if care == TRUE || f <= TRUE {
            return f;
        }
        if let Some(&known) = memo.get(&(f, care)) {
            return known;
        }
        let (a, b) = (self.nodes[f as usize], self.nodes[care as usize]);
        let first = a.0.min(b.0);
        let parts =
            |d: Diagram, n: (TermId, Diagram, Diagram)| if n.0 == first { (n.1, n.2) } else { (d, d) };
        let ((f1, f0), (care1, care0)) = (parts(f, a), parts(care, b));
        let made = match (care1, care0) {
            (FALSE, _) => self.cofactor(f0, care0, memo),
            (_, FALSE) => self.cofactor(f1, care1, memo),
            _ => {
                let high = self.cofactor(f1, care1, memo);
                let low = self.cofactor(f0, care0, memo);
                self.make(first, high, low)
            }
        };
        memo.insert((f, care), made);
        made
    }

    /// And, or, exclusive or; of other operations the last.
    pub fn combine(&mut self, op: BinaryOp, f: Diagram, g: Diagram) -> Diagram {
        match op {
            BinaryOp::And => self.ite(f, g, FALSE),
            BinaryOp::Or => self.ite(f, TRUE, g),
            _ => {
                let not = self.not(g);
                self.ite(f, not, g)
            }
        }
    }

    /// The complement.
    pub fn not(&mut self, a: Diagram) -> Diagram {
        self.ite(a, FALSE, TRUE)
    }

    /// Whether it is one when all variables are: such functions are written as they are, others as complements.
    pub fn positive(&self, mut d: Diagram) -> bool {
        while d > TRUE {
            d = self.nodes[d as usize].1;
        }
        d == TRUE
    }

    /// The bits of a function of words.
    pub fn value(&self, d: Diagram, of: &dyn Fn(TermId) -> u128) -> u128 {
        match d {
            FALSE => 0,
            TRUE => u128::MAX,
            _ => {
                let (variable, high, low) = self.node(d);
                let bits = of(variable);
                bits & self.value(high, of) | !bits & self.value(low, of)
            }
        }
    }

    /// The variables of a function, in order.
    pub fn leaves(&self, d: Diagram) -> Vec<TermId> {
        let (mut leaves, mut stack, mut seen) = (Vec::new(), vec![d], FxHashSet::default());
        while let Some(d) = stack.pop() {
            if d > TRUE && seen.insert(d) {
                let (variable, high, low) = self.node(d);
                leaves.push(variable);
                stack.extend([high, low]);
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Decisions in a diagram, counted up to `most`.
    pub fn size(&self, d: Diagram, most: usize) -> usize {
        let (mut seen, mut stack) = (rustc_hash::FxHashSet::default(), vec![d]);
        while let Some(d) = stack.pop() {
            if d > TRUE && seen.insert(d) {
                if seen.len() >= most {
                    break;
                }
                let n = self.nodes[d as usize];
                stack.extend([n.1, n.2]);
            }
        }
        seen.len()
    }
}
