//! Units of variable latency that work in the order of issue, so that one scoreboard serves several instructions.

use super::Class;
use super::lines::{Fault, LineError, rows};
use std::sync::OnceLock;

/// One fact about order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InOrder {
    /// The results of these mnemonics come in the order of issue.
    Results(Vec<&'static str>),
    /// Instructions of this class read their sources in the order of issue.
    Sources(Class),
    /// The predicates that these mnemonics write are there when their sources have been read, before their other results.
    Predicates(Vec<&'static str>),
}

/// A fact with its source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderRow {
    /// What is in order.
    pub order: InOrder,
    /// Where it comes from.
    pub source: &'static str,
}

const ORDER: &str = include_str!("../../latency/order.csv");

/// Every fact about order. They hold on every chip that the recorded code was looked at for.
pub fn order_rows() -> &'static [OrderRow] {
    static ROWS: OnceLock<Vec<OrderRow>> = OnceLock::new();
    ROWS.get_or_init(|| read(ORDER).expect("the data file is part of the program and tested"))
}

/// The unit whose results come in the order of issue that instructions of this mnemonic run on; `None` where results come in any order.
pub fn results_unit(mnemonic: &str) -> Option<usize> {
    let mut rows = order_rows().iter();
    rows.position(|row| matches!(&row.order, InOrder::Results(list) if list.contains(&mnemonic)))
}

/// Whether the result of `later` comes after that of `earlier`, both of variable latency, by mnemonic.
pub fn results_in_order(earlier: &str, later: &str) -> bool {
    results_unit(earlier).is_some_and(|unit| results_unit(later) == Some(unit))
}

/// Whether an instruction, by class and mnemonic, reads its sources, and so writes its result, after an earlier one has read its own. Those of a class
/// that are spread over several units keep no order but within one, as their results.
pub fn sources_in_order(earlier: (Class, &str), later: (Class, &str)) -> bool {
    let class = earlier.0.whole();
    let one_unit = class != Class::Xu || results_in_order(earlier.1, later.1);
    class == later.0.whole()
        && one_unit
        && order_rows().iter().any(|row| row.order == InOrder::Sources(class))
}

/// Whether the predicate that an instruction of this mnemonic writes is there when its sources have been read: either of its scoreboards
/// stands for it then.
pub fn predicate_with_sources(mnemonic: &str) -> bool {
    let holds = |row: &OrderRow| matches!(&row.order, InOrder::Predicates(list) if list.contains(&mnemonic));
    order_rows().iter().any(holds)
}

/// Lines `what,members,source`; members are separated by blanks, `#` starts a comment.
fn read(text: &'static str) -> Result<Vec<OrderRow>, LineError> {
    rows(text, |line| match line.splitn(3, ',').collect::<Vec<_>>()[..] {
        ["results", members, source] => {
            Ok(vec![OrderRow { order: InOrder::Results(members.split(' ').collect()), source }])
        }
        ["sources", members, source] => {
            let row = |class: &str| Ok(OrderRow { order: InOrder::Sources(class.parse()?), source });
            members.split(' ').map(row).collect()
        }
        ["predicates", members, source] => {
            Ok(vec![OrderRow { order: InOrder::Predicates(members.split(' ').collect()), source }])
        }
        _ => Err(Fault::Cells("three cells are needed, the first `results`, `sources` or `predicates`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_well_formed() {
        let rows = read(ORDER).unwrap();
        assert!(rows.iter().all(|row| !row.source.is_empty()), "{rows:?}");
        assert!(results_in_order("MUFU", "I2F") && !results_in_order("MUFU", "LDS"));
        assert!(!results_in_order("LDG", "LDG"));
        assert!(sources_in_order((Class::Xu, "MUFU"), (Class::Xu, "I2F")));
        assert!(!sources_in_order((Class::Xu, "MUFU"), (Class::Xu, "S2R")));
        assert!(sources_in_order((Class::Memory, "STG"), (Class::Memory, "LDS")));
        assert!(!sources_in_order((Class::Memory, "STG"), (Class::Xu, "MUFU")));
        assert!(sources_in_order((Class::Double, "DFMA"), (Class::Double, "DMUL")));
        assert!(!sources_in_order((Class::Double, "DFMA"), (Class::Alu, "SHF")));
        assert!(predicate_with_sources("ATOM") && !predicate_with_sources("ATOMG"));
        let units = rows.iter().filter_map(|row| match &row.order {
            InOrder::Results(list) => Some(list),
            InOrder::Sources(_) | InOrder::Predicates(_) => None,
        });
        let mut members: Vec<&str> = units.flatten().copied().collect();
        let all = members.len();
        members.sort_unstable();
        members.dedup();
        assert_eq!(members.len(), all, "an instruction runs on one unit");
    }
}
