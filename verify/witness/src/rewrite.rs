//! Steps that a witness gives to its checker: terms that are others, each shown by itself.
//!
//! What two computations have in common a solver often does not see where it looks at the whole: products by halves, quotients, sums in
//! another order. Here each operation is shown to be another term of its operands, whatever these are, so that the questions are small.
//! The checker does not go by what a step says: it asks the solver, and writes the new term for the old one where that is shown.

use super::Entry;
use super::fault::{Fault, Rejection};
use super::guide::Guide;
use super::so_far::{STEP, SoFar};
use sassafras_semantics::term::Node;
use sassafras_semantics::{FloatOp, TermId, Terms};
use sassafras_solve::solver::Solver;
use serde::{Deserialize, Serialize};

/// A term that the checker makes. Operands are numbers: those below [`Rewrites::terms`] are the checker's own, in the order in which it makes them; others
/// count what is made before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The operation.
    pub node: Node,
    /// Bits of its result.
    pub width: u32,
}

/// That a term is another, whatever some terms are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewrite {
    /// Before which question it is taken, by its place in the checker's list.
    pub at: usize,
    /// The term.
    pub from: u32,
    /// What it is.
    pub to: u32,
    /// Terms that may be anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opaque: Vec<u32>,
    /// What it holds by, by the places of what is known; else it always does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<usize>,
    /// Whether that is known from here on, and the term is written as it was.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fact: bool,
}

/// Steps, in the order in which they are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewrites {
    /// How many terms the checker has made before the first.
    pub terms: u32,
    /// Terms that are made besides.
    pub made: Vec<Made>,
    /// The steps.
    pub steps: Vec<Rewrite>,
    /// Questions, by their places, whether two terms are one, which are asked about whole numbers with much effort. Elsewhere that would be for nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<usize>,
}

impl Rewrites {
    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.numbers.is_empty()
    }
}

/// Whether a node is an operation on operands of their widths.
fn fits(d: &Terms, node: &Node, width: u32) -> bool {
    let operands = node.operands();
    let widths: Vec<u32> = operands.iter().map(|o| d.width_of(*o)).collect();
    let all = |w: u32| widths.iter().all(|x| *x == w);
    let right = match node {
        Node::Variable(_) | Node::Undef { .. } => false,
        Node::Constant(bits) => width >= 128 || bits >> width == 0,
        Node::Unary(..) | Node::Binary(..) => all(width),
        Node::Compare(..) => width == 1 && all(widths[0]),
        Node::Extract { low, .. } => low.checked_add(width).is_some_and(|end| end <= widths[0]),
        Node::Concat(..) => width == widths[0] + widths[1],
        Node::Zext(_) | Node::Sext(_) => width >= widths[0],
        Node::Ite(..) => widths[0] == 1 && widths[1..].iter().all(|w| *w == width),
        Node::Float { op, format, args, .. } => {
            let count = match op {
                FloatOp::Fma => 3,
                FloatOp::Sqrt | FloatOp::RoundToIntegral => 1,
                _ => 2,
            };
            args.len() == count && width == format.width() && all(width)
        }
        Node::FloatRelation { format, .. } => width == 1 && all(format.width()),
        Node::FloatToFloat { from, to, .. } => width == to.width() && all(from.width()),
        // One bit holds no number with a sign.
        Node::FloatToInt { from, signed, .. } => width <= 64 && !(*signed && width == 1) && all(from.width()),
        Node::IntToFloat { to, .. } => width == to.width(),
        Node::Approximate { .. } => width == 32 && all(32),
    };
    (1..=128).contains(&width) && right
}

/// The steps of a witness, for the checker.
pub struct Recorded<'e> {
    written: &'e Rewrites,
    made: Vec<TermId>,
    next: usize,
}

impl<'e> Recorded<'e> {
    /// What the witness of an entry says.
    pub fn of(entry: &'e Entry) -> Recorded<'e> {
        Recorded { written: &entry.rewrites, made: Vec::new(), next: 0 }
    }

    fn term(&self, number: u32) -> Result<TermId, Fault> {
        if number < self.written.terms {
            return Ok(TermId(number));
        }
        let made = self.made.get((number - self.written.terms) as usize).copied();
        made.ok_or_else(|| Rejection::NoTerm { number }.into())
    }

    fn all(&self, numbers: &[u32]) -> Result<Vec<TermId>, Fault> {
        numbers.iter().map(|n| self.term(*n)).collect()
    }
}

impl Guide for Recorded<'_> {
    fn begin(&mut self, so_far: &mut SoFar<'_, '_>) -> Result<(), Fault> {
        let d = so_far.inputs.terms;
        if self.written.is_empty() {
            return Ok(());
        }
        if self.written.terms as usize != d.len() {
            let (theirs, ours) = (self.written.terms, d.len());
            return Err(Rejection::Terms { theirs, ours }.into());
        }
        if !self.written.steps.is_sorted_by_key(|s| s.at) {
            return Err(Rejection::Unsorted {}.into());
        }
        for m in &self.written.made {
            for o in m.node.operands() {
                self.term(o.0)?;
            }
            let node = m.node.map(|o| self.term(o.0).unwrap_or(o));
            if !fits(d, &node, m.width) {
                return Err(Rejection::Unmade { node: format!("{node:?}"), width: m.width }.into());
            }
            self.made.push(d.make(node, m.width));
        }
        Ok(())
    }

    fn before(
        &mut self,
        so_far: &mut SoFar<'_, '_>,
        at: usize,
        _: TermId,
        solver: &mut dyn Solver,
    ) -> Result<bool, Fault> {
        let d = so_far.inputs.terms;
        while let Some(step) = self.written.steps.get(self.next).filter(|s| s.at <= at) {
            self.next += 1;
            let (from, to) = (self.term(step.from)?, self.term(step.to)?);
            let known = |i: &usize| so_far.known.get(*i).copied();
            let by: Option<Vec<TermId>> = step.by.iter().map(known).collect();
            let (Some(by), true) = (by, d.width_of(from) == d.width_of(to)) else {
                return Err(Rejection::NoStep { step: self.next - 1 }.into());
            };
            so_far.show((from, to), (&self.all(&step.opaque)?, &by), STEP, solver)?;
            match step.fact {
                true => so_far.state(from, to),
                false => so_far.rewrite(from, to, &by),
            }
        }
        Ok(true)
    }

    fn numbers(&mut self, at: usize) -> bool {
        self.written.numbers.contains(&at)
    }
}
