//! Which copies to shared memory may be under way.

use std::collections::BTreeMap;

/// Copies that may be under way, by the event of what they store: the scoreboard that tells of each, if one does.
pub type Copies = BTreeMap<usize, Option<u8>>;

/// The copies under way where two groups of lanes become one: those of either. A scoreboard tells of what it tells both.
pub fn join(a: &Copies, b: &Copies) -> Copies {
    let mut all = a.clone();
    for (event, board) in b {
        all.entry(*event).and_modify(|own| *own = own.filter(|own| Some(*own) == *board)).or_insert(*board);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scoreboard_tells_of_a_copy_on_both_ways() {
        let (a, b) = (
            Copies::from([(1, Some(0)), (2, Some(1))]),
            Copies::from([(1, Some(0)), (2, None), (3, Some(2))]),
        );
        assert_eq!(join(&a, &b), Copies::from([(1, Some(0)), (2, None), (3, Some(2))]));
        assert_eq!(join(&b, &a), join(&a, &b));
    }
}
