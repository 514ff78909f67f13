//! Rewrites, proved one by one at each width: both sides mean the same for all values of their names, where the conditions hold.

use super::decide::{Verdict, decide};
use sassafras_ir::{Type, evaluate};
use sassafras_rules::rewrite::{Arithmetic, Comparison, Condition, Expression, Rewrite, Typed, TypedArg};
use sassafras_semantics::{BinaryOp, CompareOp, Domain, TermId, Terms};
use sassafras_solve::solver::Solver;
use std::collections::BTreeMap;

/// Decides a row where its subject has `n` bits: `Inapplicable` where it has no such subject. What is open for all shifts at once is decided
/// for one after the other.
pub fn prove_rewrite(row: &Rewrite, n: u32, solver: &mut dyn Solver) -> Verdict {
    let all = instance(row, n, &BTreeMap::new(), solver);
    let shifts: Vec<&str> = row.conditions.iter().filter_map(shift).collect();
    if !matches!(all, Verdict::Unknown(_)) || shifts.is_empty() {
        return all;
    }
    // First with one of them fixed, then with all.
    let one = each(row, n, &shifts[..1], solver);
    if matches!(one, Verdict::Unknown(_)) && shifts.len() > 1 { each(row, n, &shifts, solver) } else { one }
}

/// The worst verdict over all values of these shifts below `n`.
fn each(row: &Rewrite, n: u32, shifts: &[&str], solver: &mut dyn Solver) -> Verdict {
    let mut worst = Verdict::Identical;
    for i in 0..u64::from(n).pow(shifts.len() as u32) {
        let value = |place: usize| i / u64::from(n).pow(place as u32) % u64::from(n);
        let fixed = shifts.iter().enumerate().map(|(place, name)| (*name, value(place))).collect();
        let one = instance(row, n, &fixed, solver);
        if one.rank() > worst.rank() {
            worst = one;
        }
        if matches!(worst, Verdict::Unknown(_) | Verdict::Refuted(_)) {
            break;
        }
    }
    worst
}

/// The constant of a condition `C < n`.
fn shift(c: &Condition) -> Option<&str> {
    match (c.comparison, &c.left, &c.right) {
        (Comparison::Lt, Expression::Constant(name), Expression::Width) => Some(name),
        _ => None,
    }
}

/// The constant of a condition `C < 2^k` or `C + 2^(k-1) < 2^k` with this `k`, and whether it has a sign: the extensions of `k` bits, and
/// nothing else.
fn extended(c: &Condition) -> Option<(&str, u32, bool)> {
    let (Comparison::Lt, Expression::Number(end)) = (c.comparison, &c.right) else { return None };
    let bits = end.is_power_of_two().then_some(end.trailing_zeros()).filter(|bits| *bits > 0)?;
    match &c.left {
        Expression::Constant(name) => Some((name, bits, false)),
        Expression::Of(Arithmetic::Add, name, half) => match (&**name, &**half) {
            (Expression::Constant(name), Expression::Number(half)) if *half == end / 2 => {
                Some((name, bits, true))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Decides a row with these values for some of its constants.
fn instance(row: &Rewrite, n: u32, fixed: &BTreeMap<&str, u64>, solver: &mut dyn Solver) -> Verdict {
    let Some((pattern, replacement)) = row.typed(n) else {
        return Verdict::Inapplicable(format!("it has no subject of {n} bits"));
    };
    let terms = Terms::new();
    let mut side = Side { terms: &terms, n, row, fixed, names: BTreeMap::new() };
    let (Some(left), Some(right)) = (side.node(&pattern), side.arg(&replacement, pattern.width)) else {
        return Verdict::Unknown("an operation has no meaning here".into());
    };
    let assumed: Option<Vec<TermId>> = row.conditions.iter().map(|c| side.condition(c)).collect();
    match assumed {
        Some(assumed) => decide(&terms, &[(left, right)], &assumed, solver),
        None => Verdict::Unknown("a condition names no constant".into()),
    }
}

struct Side<'t> {
    terms: &'t Terms,
    n: u32,
    row: &'t Rewrite,
    fixed: &'t BTreeMap<&'t str, u64>,
    names: BTreeMap<String, TermId>,
}

impl Side<'_> {
    fn node(&mut self, node: &Typed) -> Option<TermId> {
        let args = node.args.iter().map(|(arg, w)| self.arg(arg, *w)).collect::<Option<Vec<_>>>()?;
        let made = evaluate(self.terms, &node.op, &args, &[Type(node.width as u8)])?;
        match made[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    fn arg(&mut self, arg: &TypedArg, width: u32) -> Option<TermId> {
        let terms = self.terms;
        Some(match arg {
            TypedArg::Name(name) | TypedArg::Constant(name) => {
                if let Some(known) = self.names.get(name) {
                    return Some(*known);
                }
                let made = self.free(name, width);
                self.names.insert(name.clone(), made);
                made
            }
            TypedArg::Number(n) => terms.constant(width, u128::from(*n)),
            TypedArg::Computed(e) => {
                let value = self.expression(e)?;
                if width == 64 { value } else { terms.extract(&value, 0, width) }
            }
            TypedArg::Node(node) => self.node(node)?,
        })
    }

    /// Any value of a name, or any that its conditions leave.
    fn free(&self, name: &str, width: u32) -> TermId {
        if let Some(value) = self.fixed.get(name) {
            return self.terms.constant(width, u128::from(*value));
        }
        let extended = self.row.conditions.iter().filter_map(extended);
        match extended.into_iter().find(|(n, bits, _)| *n == name && *bits < width) {
            Some((_, bits, true)) if width == 64 => self.terms.sext(&self.terms.variable(name, bits), width),
            Some((_, bits, false)) => self.terms.zext(&self.terms.variable(name, bits), width),
            _ => self.terms.variable(name, width),
        }
    }

    /// What an expression means: 64 bits.
    fn expression(&self, e: &Expression) -> Option<TermId> {
        let terms = self.terms;
        Some(match e {
            Expression::Number(v) => terms.constant(64, u128::from(*v)),
            Expression::Width => terms.constant(64, u128::from(self.n)),
            Expression::Constant(name) => {
                let value = self.names.get(name)?;
                if terms.width(value) == 64 { *value } else { terms.zext(value, 64) }
            }
            Expression::Not(a) => terms.not(&self.expression(a)?),
            Expression::Of(op, a, b) => {
                let (a, b) = (self.expression(a)?, self.expression(b)?);
                match op {
                    Arithmetic::Add => terms.add(&a, &b),
                    Arithmetic::Sub => terms.sub(&a, &b),
                    Arithmetic::Mul => terms.mul(&a, &b),
                    Arithmetic::And => terms.and(&a, &b),
                    Arithmetic::Or => terms.or(&a, &b),
                    Arithmetic::Xor => terms.xor(&a, &b),
                    Arithmetic::Shl => terms.binary(BinaryOp::Shl, &a, &b),
                    Arithmetic::Shr => terms.binary(BinaryOp::LShr, &a, &b),
                }
            }
        })
    }

    fn condition(&self, c: &Condition) -> Option<TermId> {
        let terms = self.terms;
        let (a, b) = (self.expression(&c.left)?, self.expression(&c.right)?);
        Some(match c.comparison {
            Comparison::Eq => terms.eq(&a, &b),
            Comparison::Ne => terms.not(&terms.eq(&a, &b)),
            Comparison::Lt => terms.compare(CompareOp::ULt, &a, &b),
            Comparison::Le => terms.not(&terms.compare(CompareOp::ULt, &b, &a)),
        })
    }
}
