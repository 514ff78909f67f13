//! The table held against itself.

use sassafras_ptx::checked::{Op, Type};
use sassafras_ptx::table::{Row, Since, SlotKind, document, known, roots, rows, rows_of, unmodelled};
use std::collections::HashSet;

/// The rows with a model and those without.
fn all() -> impl Iterator<Item = &'static Row> {
    rows().iter().chain(unmodelled())
}

#[test]
fn variants_fit_their_row_and_no_other() {
    for row in all() {
        for suffixes in row.variants() {
            let found =
                row.matches(&suffixes).unwrap_or_else(|| panic!("{suffixes:?} does not fit {}", row.text));
            let count = found.words.len() + found.types.len();
            assert_eq!(count, suffixes.len(), "{}", row.text);
            // A form may need one version on one target and another on an earlier one.
            let elsewhere = |a: Since, b: Since| a.version < b.version && a.sm > b.sm;
            let same = |other: &&Row| {
                other.slots == row.slots
                    && **other != *row
                    && !elsewhere(other.since, row.since)
                    && !elsewhere(row.since, other.since)
            };
            let twice = rows_of(row.root).filter(same).find(|other| other.matches(&suffixes).is_some());
            assert!(twice.is_none(), "{suffixes:?} fits {} and {:?}", row.text, twice.map(|r| r.text));
        }
    }
}

#[test]
fn words_come_in_any_order_and_types_in_theirs() {
    let forms = |suffixes: &[&str]| rows_of("cvt").filter(|r| r.matches(suffixes).is_some()).count();
    assert_eq!(forms(&["rn", "ftz", "f32", "s32"]), 1);
    assert_eq!(forms(&["f32", "ftz", "s32", "rn"]), 1);
    assert_eq!(forms(&["rn", "s32", "f32"]), 0);
    assert_eq!(forms(&["rn", "rn", "f32", "s32"]), 0);
}

#[test]
fn types_of_operands_exist() {
    for row in all() {
        let types = row.elements.iter().filter(|e| e.is_type()).count();
        for slot in &row.slots {
            if let SlotKind::Value(value) = slot.kind {
                let most = match value.ty {
                    sassafras_ptx::table::TypeRef::Suffix(i) => i + 1,
                    sassafras_ptx::table::TypeRef::Fixed(_) => 0,
                    _ => 1,
                };
                assert!(types >= most, "{}", row.text);
            }
        }
        assert!(row.slots.iter().filter(|s| s.optional).count() <= 1, "{}", row.text);
    }
}

#[test]
fn what_has_no_row_is_not_in_the_table() {
    let with_rows: HashSet<&str> = roots().into_iter().collect();
    for root in with_rows.iter() {
        assert!(!known::root(root), "{root} has rows");
        let modelled = rows_of(root).any(|row| !matches!(row.op, Op::Unmodelled | Op::Video));
        assert!(!modelled || Op::from_root(root).is_some(), "{root}");
    }
    assert!(known::word("ld", "unified") && !known::root("frobnicate"));
    for row in all() {
        for word in row.elements.iter().flat_map(|e| &e.choices).flat_map(|c| &c.words) {
            assert!(!known::word(row.root, word), "{}: {word}", row.text);
        }
    }
}

#[test]
fn names_of_types_and_operations_round_trip() {
    for op in Op::ALL {
        assert_eq!(Op::from_root(op.name()), Some(*op));
    }
    for word in ["pred", "b128", "u8", "s64", "f16", "bf16x2", "s4"] {
        assert_eq!(Type::parse(word).map(Type::name), Some(word));
    }
}

#[test]
fn examples_are_readable() {
    let example = |root, i| rows_of(root).nth(i).map(|r: &'static sassafras_ptx::table::Row| r.example());
    assert_eq!(example("mad", 0).as_deref(), Some("mad.lo.u16 %rs1, %rs2, %rs3, %rs4;"));
    assert_eq!(example("ret", 0).as_deref(), Some("ret;"));
    assert_eq!(example("shfl", 0).as_deref(), Some("shfl.sync.up.b32 %r1, %r2, %r3, %r4, %r5;"));
    assert_eq!(example("mov", 2).as_deref(), Some("mov.b16 {%rb2, %rb1}, %rs2;"));
}

#[test]
fn the_handbook_lists_the_table() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    let pages = [("ptx-forms.md", document::forms()), ("ptx-errors.md", document::codes())];
    for (name, text) in pages {
        let path = format!("{root}{name}");
        if std::env::var("BLESS").is_ok() {
            std::fs::write(&path, &text).expect("the page can be written");
        }
        let page = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(page == text, "docs/{name} is not what the table says; BLESS=1 writes it anew");
    }
}
