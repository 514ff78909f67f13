//! The rows, by subject. Names and defaults: `ptxas --help` of 13.0.88 and 13.5.37.

mod code;
mod messages;
mod own;
mod target;

use std::sync::LazyLock;

use super::row::Row;
use super::value_error::ValueError;

/// Every option.
pub static ROWS: LazyLock<Vec<&'static Row>> = LazyLock::new(|| {
    let mut rows: Vec<&'static Row> =
        [target::ROWS, code::ROWS, messages::ROWS, own::ROWS].into_iter().flatten().collect();
    rows.sort_by_key(|row| row.long);
    rows
});

/// A row of ptxas 13.0.88.
const fn row(
    long: &'static str,
    short: &'static str,
    argument: super::Argument,
    value: &'static str,
    default: &'static str,
    effect: super::Effect,
    help: &'static str,
) -> Row {
    Row { long, short, argument, value, default, origin: super::Origin::Ptxas, effect, help }
}

/// Sets one value.
fn set<T>(slot: &mut T, value: T) -> Result<(), ValueError> {
    *slot = value;
    Ok(())
}

/// Adds to a list.
fn add<T>(list: &mut Vec<T>, values: impl IntoIterator<Item = T>) -> Result<(), ValueError> {
    list.extend(values);
    Ok(())
}

/// A row of another origin.
const fn from(origin: super::Origin, row: Row) -> Row {
    Row { origin, ..row }
}

#[cfg(test)]
mod tests {
    use super::super::{Argument, Origin, parse};
    use super::*;

    #[test]
    fn the_table_is_whole_and_unambiguous() {
        let count = |origin| ROWS.iter().filter(|r| r.origin == origin).count();
        assert_eq!((count(Origin::Ptxas), count(Origin::PtxasLater)), (54, 7));
        for (i, a) in ROWS.iter().enumerate() {
            assert!(a.help.ends_with('.'), "--{}: the help is no sentence", a.long);
            for b in &ROWS[i + 1..] {
                assert!(a.long != b.long && a.long != b.short && a.short != b.long, "--{} twice", a.long);
                assert!(a.short.is_empty() || a.short != b.short, "-{} twice", a.short);
            }
        }
    }

    #[test]
    fn every_row_is_found_by_both_its_names() {
        for row in ROWS.iter() {
            for name in [format!("--{}", row.long), format!("-{}", row.short)] {
                if name == "-" {
                    continue;
                }
                let mut words = vec![name.clone()];
                if row.argument != Argument::None {
                    words[0].push_str("=?");
                }
                match parse(&words, &|_| Err(std::io::ErrorKind::NotFound.into())) {
                    Err(super::super::Fault::Usage(text)) => {
                        assert!(!text.contains("unknown option"), "{name}: {text}")
                    }
                    Ok(_) | Err(super::super::Fault::Unsupported { .. }) => {}
                }
            }
        }
    }
}
