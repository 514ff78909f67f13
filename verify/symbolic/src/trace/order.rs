//! The order of events at which lanes wait.

use crate::trace::event::Event;

/// Pairs of events of the target at which lanes wait, and that stand in another order than the source's partners: by C10 what stands at
/// different places may serve as one, so that another order has other lanes meet, if there are lanes that come to both. By places in the lists.
pub fn waits_out_of_order(
    target: &[Event],
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut waits: Vec<(usize, usize)> =
        pairs.filter(|p| target[p.1].waits.is_some()).map(|(i, j)| (j, i)).collect();
    waits.sort_unstable();
    let behind = |n: usize| waits[n + 1..].iter().map(move |w| (n, *w));
    let all = (0..waits.len()).flat_map(behind);
    all.filter(|(n, (j, i))| *i < waits[*n].1 && target[waits[*n].0].waits != target[*j].waits)
        .map(|(n, (j, _))| (waits[n].0, j))
        .collect()
}
