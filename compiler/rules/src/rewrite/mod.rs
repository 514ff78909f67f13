//! Rewrites: from operations of the IR to cheaper ones that compute the same.
//!
//! # Notation
//! ```text
//! name   (op args...) => replacement   [where A == B, C < D ...]
//! ```
//! One row per line; a line that begins with a blank goes on with the row before it; `#` begins a comment.
//! - *op* is an operation in the IR's text form ([`sassafras_ir::text::parse_op`]), such as `shr.u`. Widths follow from the operation's row
//!   in [`sassafras_ir::operations`]; `n` is the width of the row's subject, which is 16, 32 or 64 bits. `op:32` states that of the result,
//!   as operations without widths of their own need: `zext:64`. A row without `n` holds at the widths that it states.
//! - *args*: a name stands for any value, and for the same value wherever it stands again; a name with a capital first letter for a constant; a
//!   number for a constant of that value; a node for an operation, of which other uses may remain, and `@(...)` for one without another
//!   use, where more than one operation takes the place. `a:32` states a width. Operations that commute are tried both ways round.
//! - *replacement*: a name, a node, a number, or `{...}`, a constant computed from constants.
//! - Expressions have names of constants, numbers, `n`, `+ - * & | ^ << >> ~` and brackets, and are computed modulo 2⁶⁴ on constants without
//!   sign; a shift by 64 or more gives 0. Conditions compare two of them by `== != < <=`. What stands in a replacement is cut to its width.
//! - A row counts once it is proved at each width at which it can match: see [`proved`].
//! - The rows of an operation are tried in the order of the files.

mod expression;
mod form;
mod number;
mod parse;
pub mod proved;
mod widths;

pub use crate::lines::{RowError, RowFault};
pub use expression::{Arithmetic, Comparison, Condition, Expression};
pub use form::{Arg, Node, Rewrite};
pub use parse::parse;
pub use widths::{Typed, TypedArg, WIDTHS};

use sassafras_ir::Op;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The files of rows, each with its text.
pub const FILES: &[(&str, &str)] = &[
    ("constants", include_str!("../../rewrites/constants.rules")),
    ("bits", include_str!("../../rewrites/bits.rules")),
    ("arithmetic", include_str!("../../rewrites/arithmetic.rules")),
    ("compare", include_str!("../../rewrites/compare.rules")),
    ("wide", include_str!("../../rewrites/wide.rules")),
];

/// All rewrites, grouped by the operation of the root.
pub struct Rewrites {
    rows: Vec<Rewrite>,
    by_head: HashMap<&'static str, Vec<usize>>,
}

impl Rewrites {
    /// The rewrites of this crate that are proved: the others match nothing.
    ///
    /// # Panics
    /// When a row cannot be read: the rows are part of the program, and a test reads them all.
    pub fn get() -> &'static Rewrites {
        static REWRITES: OnceLock<Rewrites> = OnceLock::new();
        REWRITES.get_or_init(|| {
            let proved = proved::Proved::get();
            Rewrites::new(Rewrites::written().into_iter().filter(|row| proved.stands(row)).collect())
        })
    }

    /// Every row of this crate, read once. Who uses one asks [`proved::Proved::stands`].
    ///
    /// # Panics
    /// As [`Rewrites::get`].
    pub fn unproved() -> &'static [Rewrite] {
        static ROWS: OnceLock<Vec<Rewrite>> = OnceLock::new();
        ROWS.get_or_init(Rewrites::written)
    }

    /// Every row of this crate, proved or not.
    ///
    /// # Panics
    /// When a row cannot be read.
    pub fn written() -> Vec<Rewrite> {
        FILES.iter().flat_map(|(file, text)| parse(file, text).unwrap_or_else(|e| panic!("{e}"))).collect()
    }

    /// Rewrites from rows.
    pub fn new(rows: Vec<Rewrite>) -> Rewrites {
        let mut by_head: HashMap<&'static str, Vec<usize>> = HashMap::new();
        for (i, row) in rows.iter().enumerate() {
            by_head.entry(row.pattern.op.head()).or_default().push(i);
        }
        Rewrites { rows, by_head }
    }

    /// Rows whose root is this operation, in the order of the files.
    pub fn candidates(&self, op: &Op) -> impl Iterator<Item = &Rewrite> {
        let of_head = self.by_head.get(op.head()).into_iter().flatten().map(|&i| &self.rows[i]);
        of_head.filter(move |row| row.pattern.op == *op)
    }

    /// All rows in the order of the files.
    pub fn rows(&self) -> &[Rewrite] {
        &self.rows
    }
}
