//! Selection rules: from IR operations to SASS forms.
//!
//! # Notation
//! ```text
//! name   (head.suffix[conditions] operands...) => form field=value ... ; form ...
//! ```
//! One row per line; a line that begins with a blank goes on with the row before it; `#` begins a comment.
//! - *head* is the IR operation ([`sassafras_ir::operations`]); *suffix* is the float format, or the width of the first result, for comparisons and
//!   bit counts of the first argument, for stores of the first element, for extensions both: `zext.16.32`. A suffix may be left out: any.
//! - *conditions*, comma-separated: `signed`, `!signed`, `from=f32`, `lanes=2`: [`attribute::attribute`] of the operation.
//! - *operands*, one per argument: a nested pattern, optionally named `n@(…)`, whose result has no other use; an integer, matched by a
//!   constant of that value; `_`, any; or a name with kinds, `b:ric`: `r` register (the default), `i` an immediate of 32 bits
//!   (each half of a 64-bit constant is one), `c` a constant-bank word (a kernel parameter), `m` float negation and absolute value are taken
//!   into the operand, `f` an immediate that is the high half of a binary64 number whose low half is zero, `b` an immediate below 256,
//!   `s` one below 32.
//!   Predicates take their negation along whenever the field has a `.not`.
//!   Operations that commute are tried both ways round.
//! - *form* is the name of a family of `isa` forms, which each chip may write otherwise, in which `{b}` stands for the letter of what `b` was matched by: `r`, `i`, `c`.
//! - *value*: `d` (first result), `d1` (second), an operand's name, `%t` (a temporary of the field's class), each with `.0 .1 …` for a unit
//!   of a wide register; `$x` or `$n.x` (an attribute of the root or of a named node); `.TEXT` (an enum's text); an integer.
//!   A field that is not named keeps the form's default: RZ, PT, nothing.
//!   `@local`, `@shared.1` …: where in constant bank 0 the driver tells of a window ([`window`]), and a unit of it; as an immediate, that place.
//!   `args` is all arguments from the second on as one wide register, `results` all results as one; `desc` is the global-memory descriptor.
//! - `pack d %a %b` makes a wide register of narrow ones, `pack %t %a %b` one for the instructions behind, of the first one's class. `copy d a` copies.
//! - A field name may be `guard` or `!guard`.
//! - A rule counts once it is proved: see [`proved`].
//! - The rule with the largest pattern wins; among equals the one that stands first.

pub mod attribute;
mod available;
mod matrix;
mod parse;
pub mod proved;
mod row;
mod texture;

pub use crate::lines::RowError;
pub use attribute::Attribute;
pub use available::window;
pub use parse::parse;
pub use proved::Proved;
pub use row::{Action, Arg, Condition, Emit, FormPiece, Kinds, Pattern, Row, Value};

use sassafras_chip::Chip;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The rule files, each with its text.
pub const FILES: &[(&str, &str)] = &[
    ("integer", include_str!("../../rows/integer.rules")),
    ("wide", include_str!("../../rows/wide.rules")),
    ("logic", include_str!("../../rows/logic.rules")),
    ("compare", include_str!("../../rows/compare.rules")),
    ("float", include_str!("../../rows/float.rules")),
    ("half", include_str!("../../rows/half.rules")),
    ("convert", include_str!("../../rows/convert.rules")),
    ("memory", include_str!("../../rows/memory.rules")),
    ("atomic", include_str!("../../rows/atomic.rules")),
    ("lanes", include_str!("../../rows/lanes.rules")),
    ("matrix", include_str!("../../rows/matrix.rules")),
    ("async", include_str!("../../rows/async.rules")),
    ("texture", include_str!("../../rows/texture.rules")),
];

/// All rows, grouped by the head of the root and ordered by descending size of the pattern.
pub struct Rules {
    rows: Vec<Row>,
    by_head: HashMap<&'static str, Vec<usize>>,
    /// Which rows are proved on each chip, by its number.
    able: [OnceLock<Vec<bool>>; 128],
}

impl Rules {
    /// The rules of this crate that are proved: the others match nothing.
    ///
    /// # Panics
    /// When a row cannot be read: the rows are part of the program, and a test reads them all.
    pub fn get() -> &'static Rules {
        static RULES: OnceLock<Rules> = OnceLock::new();
        RULES.get_or_init(|| {
            let proved = Proved::get();
            Rules::new(Rules::written().into_iter().filter(|r| proved.standing(r).is_some()).collect())
        })
    }

    /// Every row of this crate, proved or not.
    ///
    /// # Panics
    /// When a row cannot be read.
    pub fn written() -> Vec<Row> {
        FILES.iter().flat_map(|(file, text)| parse(file, text).unwrap_or_else(|e| panic!("{e}"))).collect()
    }

    /// Rules from rows.
    pub fn new(rows: Vec<Row>) -> Rules {
        let mut by_head: HashMap<&'static str, Vec<usize>> = HashMap::new();
        for (i, row) in rows.iter().enumerate() {
            by_head.entry(row.pattern.head).or_default().push(i);
        }
        for list in by_head.values_mut() {
            list.sort_by_key(|&i| (std::cmp::Reverse(rows[i].pattern.size()), i));
        }
        Rules { rows, by_head, able: [const { OnceLock::new() }; 128] }
    }

    /// Rows whose root has this head, the one to try first in front.
    pub fn candidates(&self, head: &str) -> impl Iterator<Item = &Row> {
        self.by_head.get(head).into_iter().flatten().map(|&i| &self.rows[i])
    }

    /// Those of them that are proved on a chip.
    pub fn candidates_on(&self, head: &str, chip: Chip) -> impl Iterator<Item = &Row> {
        let proved = Proved::get();
        let able = self.able[chip.number() as usize & 127]
            .get_or_init(|| self.rows.iter().map(|row| proved.stands_on(row, chip)).collect());
        self.by_head.get(head).into_iter().flatten().filter(|&&i| able[i]).map(|&i| &self.rows[i])
    }

    /// All rows in the order of the files.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}
