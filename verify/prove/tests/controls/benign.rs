//! Why a flipped bit changes nothing: one row each, by the fields of the instruction table.

use crate::pairs::{CHIP, written};
use sassafras_isa::{FieldKind, Inst, Meaning, PT, RZ, RegClass, encode};

/// One flipped bit.
pub struct Flip<'a> {
    pub before: &'a Inst,
    pub after: &'a Inst,
    /// Whether the instruction lies behind the last EXIT.
    pub behind: bool,
    /// Whether the code is proved without the instruction too.
    pub dead: bool,
    /// Whether it writes the same in every lane of many runs on drawn inputs.
    pub alike: bool,
}

/// Why some flips are benign.
pub struct Row {
    pub name: &'static str,
    pub holds: fn(&Flip<'_>) -> bool,
}

pub const ROWS: &[Row] = &[
    Row { name: "behind the last EXIT", holds: |f| f.behind },
    Row { name: "the code does without the instruction", holds: |f| f.dead },
    Row {
        name: "a field that takes no part beside the others (`shown`)",
        holds: |f| f.field().is_some_and(|i| !f.after.shows(i) && !f.before.shows(i)),
    },
    Row { name: "a predicate that nothing reads (write)", holds: predicate },
    Row { name: "a carry that is !PT comes in", holds: |f| f.name() == Some("x") },
    Row { name: "the sign of RZ", holds: zero },
    Row { name: "a hint to caches (`ev`, `l2`)", holds: |f| matches!(f.name(), Some("ev" | "l2")) },
    Row {
        name: "the low half of a product has no sign (`sg`)",
        holds: |f| f.name() == Some("sg") && f.before.row().meaning == Meaning::Imad,
    },
    Row { name: "PRMT has four selectors of four bits", holds: selectors },
    Row { name: "bits of a constant that nothing reads", holds: constant },
    Row { name: "an access in order where none is wanted (`sem`)", holds: ordered },
    Row {
        name: "the table of a result that is PT (`lut2`)",
        holds: |f| f.name() == Some("lut2") && f.before.get("d2") == Some(PT),
    },
    Row { name: "`.EX` of a comparison that takes equality, behind a low half that is PT", holds: extended },
    Row {
        name: "what would differ does not come: the instruction writes the same in all runs",
        holds: |f| f.alike,
    },
];

impl Flip<'_> {
    /// The one field that differs, if the form is the same.
    pub fn field(&self) -> Option<usize> {
        if self.before.form != self.after.form || self.before.guard != self.after.guard {
            return None;
        }
        let mut all =
            (0..self.before.fields.len()).filter(|&i| self.before.fields[i] != self.after.fields[i]);
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    pub fn name(&self) -> Option<&'static str> {
        self.field().map(|i| self.before.row().fields[i].name)
    }
}

fn predicate(f: &Flip<'_>) -> bool {
    f.field().is_some_and(|i| {
        let field = &f.before.row().fields[i];
        matches!(field.kind, FieldKind::Register { class: RegClass::P | RegClass::UP, .. }) && field.write
    })
}

fn zero(f: &Flip<'_>) -> bool {
    f.name().and_then(|n| n.strip_suffix(".neg")).and_then(|n| f.before.get(n)) == Some(RZ)
}

fn selectors(f: &Flip<'_>) -> bool {
    let number = |i: &Inst| i.get("b").unwrap_or(0);
    f.before.row().meaning == Meaning::Prmt
        && f.name() == Some("b")
        && number(f.before) & 0xffff == number(f.after) & 0xffff
}

/// A half or byte of an immediate whose register is read in part. That it is so is what was proved; that it runs alike is
/// seen besides.
fn constant(f: &Flip<'_>) -> bool {
    let immediate = |i: usize| {
        matches!(
            f.before.row().fields[i].kind,
            FieldKind::Signed { .. } | FieldKind::Unsigned { .. } | FieldKind::Float16 | FieldKind::Float32
        )
    };
    matches!(f.before.row().meaning, Meaning::Mov | Meaning::Umov | Meaning::Hfma2 | Meaning::Lop3)
        && f.field().is_some_and(immediate)
}

/// The access was weak.
fn ordered(f: &Flip<'_>) -> bool {
    f.field().is_some_and(|i| {
        let field = &f.before.row().fields[i];
        field.name == "sem" && f.before.fields[i] == field.default && f.after.fields[i] != field.default
    })
}

fn extended(f: &Flip<'_>) -> bool {
    let takes_equality = || {
        let text = written(encode(f.after, CHIP).expect("it was decoded"));
        [".GE.", ".LE."].iter().any(|relation| text.contains(relation))
    };
    f.name() == Some("ex") && f.after.get("q1") == Some(PT) && takes_equality()
}
