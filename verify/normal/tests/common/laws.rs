//! The two judges of rows of the normal form: every input at the least width, and a solver at each.

use sassafras_normal::normal::rows::{Law, Row};
use sassafras_semantics::*;
use sassafras_solve::smt::script;
use sassafras_solve::{Answer, Solver};

/// A law that does not hold, or was not shown to.
#[derive(Debug)]
pub enum Broken {
    /// An input on which its sides differ.
    Input { row: &'static str, input: u128, left: u128, right: u128 },
    /// The solver has an input at a width.
    Refuted { row: &'static str, width: u32 },
    /// It does not know, and why.
    Open { row: &'static str, width: u32, why: String },
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Input { row, input, left, right } => {
                write!(f, "{row} on {input:#x}: {left:#x}, {right:#x}")
            }
            Broken::Refuted { row, width } => write!(f, "{row} at width {width}: refuted"),
            Broken::Open { row, width, why } => write!(f, "{row} at width {width}: {why}"),
        }
    }
}

fn laws(row: &Row, width: u32) -> (Terms, Vec<Law>) {
    let terms = Terms::raw();
    let laws = (row.laws)(&terms, width);
    assert!(!laws.is_empty(), "{} says nothing at width {width}", row.name);
    (terms, laws)
}

/// On how many inputs the laws of the least width apply and hold.
///
/// # Errors
/// An input on which one does not.
pub fn on_small_inputs(row: &Row) -> Result<u32, Broken> {
    let folder = Concrete::default();
    let (terms, laws) = laws(row, row.widths[0]);
    let mut held = 0;
    for law in laws {
        let roots: Vec<TermId> = [Some(law.left), Some(law.right), law.given].into_iter().flatten().collect();
        let free = terms.free(&roots);
        let bits: u32 = free.iter().map(|v| terms.width_of(*v)).sum();
        assert!(bits <= 16, "{} has {bits} bits of input", row.name);
        for input in 0..1u128 << bits {
            let mut at = 0;
            let values: Vec<(TermId, u128)> = free
                .iter()
                .map(|v| {
                    let value = input >> at;
                    at += terms.width_of(*v);
                    (*v, value)
                })
                .collect();
            let value = |t| values.iter().find(|(v, _)| *v == t).map_or(0, |(_, x)| *x);
            let of = |t| terms.evaluate(&folder, t, value).bits();
            if law.given.is_none_or(|g| of(g) == 1) {
                let (left, right) = (of(law.left), of(law.right));
                if left != right {
                    return Err(Broken::Input { row: row.name, input, left, right });
                }
                held += 1;
            }
        }
    }
    Ok(held)
}

/// How many laws a solver proved, at all widths.
///
/// # Errors
/// One that it did not, with its answer in a word.
pub fn at_their_widths(row: &Row, solver: &mut dyn Solver) -> Result<u32, Broken> {
    let mut count = 0;
    for &width in row.widths {
        let (terms, laws) = laws(row, width);
        for law in laws {
            let differ = terms.not(&terms.eq(&law.left, &law.right));
            let asked: Vec<TermId> = [Some(differ), law.given].into_iter().flatten().collect();
            match solver.check(&script(&terms, &[], &asked)) {
                Answer::Unsat => count += 1,
                Answer::Sat(_) => return Err(Broken::Refuted { row: row.name, width }),
                Answer::Unknown(why) => return Err(Broken::Open { row: row.name, width, why }),
            }
        }
    }
    Ok(count)
}
