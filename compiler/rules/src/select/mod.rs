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
//!   into the operand, `h` so is which half of a register it is: the upper one of a value of 16 bits, or one half twice of a value of 32 (the form's
//!   field for it has the operand's name and an `s`), `f` an immediate that is the high half of a binary64 number whose low half is zero, `b` an immediate below 256,
//!   `s` one below 32, `t` one from 1 to 31.
//!   Predicates take their negation along whenever the field has a `.not`.
//!   Operations that commute are tried both ways round.
//! - *form* is the name of a family of `isa` forms, which each chip may write otherwise, in which `{b}` stands for the letter of what `b` was matched by: `r`, `i`, `c`.
//! - *value*: `d` (first result), `d1` (second), an operand's name, `%t` (a temporary of the field's class), each with `.0 .1 …` for a unit
//!   of a wide register; `$x` or `$n.x` (an attribute of the root or of a named node); `.TEXT` (an enum's text); an integer; `32-n`, 32 less the immediate `n`.
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
mod value;

pub use crate::lines::{RowError, RowFault};
pub use attribute::Attribute;
pub use available::{Lack, window};
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

/// The lines of one head, and for each chip the rows that they are once one was asked for: to read all takes longer than to compile most modules.
#[derive(Default)]
struct Head {
    /// File, 1-based line, text.
    lines: Vec<(&'static str, usize, String)>,
    /// In the order of [`Chip::ALL`].
    on: [OnceLock<Vec<Row>>; Chip::ALL.len()],
}

/// The rules of this crate.
pub struct Rules {
    by_head: HashMap<String, Head>,
}

impl Rules {
    /// The rules that are proved: the others match nothing.
    pub fn get() -> &'static Rules {
        static RULES: OnceLock<Rules> = OnceLock::new();
        RULES.get_or_init(|| {
            let mut by_head: HashMap<String, Head> = HashMap::new();
            for (file, text) in FILES {
                for (line, text) in crate::lines::joined(text) {
                    let head = parse::head_of(&text).to_owned();
                    by_head.entry(head).or_default().lines.push((file, line, text));
                }
            }
            Rules { by_head }
        })
    }

    /// Every row of this crate, proved or not.
    ///
    /// # Panics
    /// When a row cannot be read.
    pub fn written() -> Vec<Row> {
        FILES.iter().flat_map(|(file, text)| parse(file, text).unwrap_or_else(|e| panic!("{e}"))).collect()
    }

    /// Every row that is proved on some chip, in the order of the files.
    ///
    /// # Panics
    /// When a row cannot be read.
    pub fn proved() -> Vec<Row> {
        let proved = Proved::get();
        Rules::written().into_iter().filter(|row| proved.standing(row).is_some()).collect()
    }

    /// Rows that are proved on a chip and whose root has this head, the one to try first in front.
    ///
    /// # Panics
    /// When a row cannot be read: the rows are part of the program, and a test reads them all.
    pub fn candidates_on(&'static self, head: &str, chip: Chip) -> &'static [Row] {
        let Some(head) = self.by_head.get(head) else { return &[] };
        let Some(at) = Chip::ALL.iter().position(|&other| other == chip) else { return &[] };
        head.on[at].get_or_init(|| {
            let proved = Proved::get();
            let read = |(file, line, text): &(&'static str, usize, String)| {
                parse::row(text, (file, *line)).unwrap_or_else(|e| panic!("{e}"))
            };
            let rows = head.lines.iter().map(read).filter(|row| proved.stands_on(row, chip));
            let mut rows: Vec<Row> = rows.collect();
            // Of equal size the one that stands first stays in front.
            rows.sort_by_key(|row| std::cmp::Reverse(row.pattern.size()));
            rows
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The head by which lines are kept is that of the row, and all proved rows of a chip are found by their heads.
    #[test]
    fn rows_are_found_by_their_heads() {
        let written = Rules::written();
        for row in &written {
            assert_eq!(parse::head_of(&row.text), row.pattern.head, "{}", row.name);
        }
        let proved = Proved::get();
        for chip in Chip::ALL {
            let mut wanted: Vec<&Row> = written.iter().filter(|row| proved.stands_on(row, chip)).collect();
            wanted.sort_by_key(|row| (row.pattern.head, std::cmp::Reverse(row.pattern.size())));
            let mut heads: Vec<&str> = wanted.iter().map(|row| row.pattern.head).collect();
            heads.dedup();
            let found: Vec<&Row> =
                heads.iter().flat_map(|head| Rules::get().candidates_on(head, chip)).collect();
            assert_eq!(found, wanted, "{chip}");
        }
    }
}
