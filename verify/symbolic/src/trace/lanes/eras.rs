//! Eras: which accesses of what lanes have in common may lie between which.
//!
//! Whenever all lanes of a warp that have not ended are together, all of them have passed what they did before and none has done what comes
//! behind. An *era* begins there and lasts until they are together again, so that at any time all lanes of a warp are in the same one. What lanes do
//! elsewhere comes between two accesses of a lane only in eras in which that lane was, from the first of the two to the second
//! (`docs/convergence.md`, "Eras").
//!
//! Within an era a *band* is lanes that issue together: all of them, then those of each side of a branch, for as long as they meet nobody. What a band has
//! done each of its lanes did before, and what some of its lanes do later comes later.

use std::collections::BTreeSet;

/// The eras of a run, by numbers that grow along every way but where lanes come back to the head of a cut loop.
#[derive(Clone, Debug)]
pub(super) struct Eras {
    /// By era: those that may be the one before.
    before: Vec<BTreeSet<u32>>,
    /// Pairs: lanes that come back to a head at which others of the warp may be elsewhere are in the second, and count as in the first from there on.
    same: BTreeSet<(u32, u32)>,
    /// By band: the one that it is a part of.
    bands: Vec<Option<u32>>,
}

impl Default for Eras {
    /// The era that begins at the entry.
    fn default() -> Eras {
        Eras { before: vec![BTreeSet::new()], same: BTreeSet::new(), bands: vec![None] }
    }
}

impl Eras {
    /// An era begins behind others, of which each warp was in one.
    pub(super) fn begin(&mut self, before: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.before.push(before.clone());
        BTreeSet::from([self.before.len() as u32 - 1])
    }

    /// Lanes that issue together: some of a band, or all of the warp.
    pub(super) fn band(&mut self, of: Option<u32>) -> u32 {
        self.bands.push(of);
        self.bands.len() as u32 - 1
    }

    /// Whether a band is a part of another, or that.
    fn is_part(&self, band: u32, of: u32) -> bool {
        std::iter::successors(Some(band), |b| self.bands.get(*b as usize).copied().flatten()).any(|b| b == of)
    }

    /// Lanes come back to the head of a cut loop. `apart`: whether others of the warp may be elsewhere there, so that no era begins.
    pub(super) fn come_back(&mut self, head: &BTreeSet<u32>, own: &BTreeSet<u32>, apart: bool) {
        for h in head {
            let others = || own.iter().filter(|o| *o != h || !apart);
            if let Some(before) = self.before.get_mut(*h as usize) {
                before.extend(others());
            }
            if apart {
                self.same.extend(others().map(|o| (*h, *o)));
            }
        }
    }

    /// The eras before that of a read in which something may come between a write and this.
    fn between(&self, span: &Span) -> BTreeSet<u32> {
        let before = |e: &u32| self.before.get(*e as usize).into_iter().flatten().copied();
        let mut open: Vec<u32> = span.eras.iter().flat_map(before).collect();
        let mut all = BTreeSet::new();
        while let Some(e) = open.pop() {
            if e >= span.from && all.insert(e) {
                open.extend(before(&e));
            }
        }
        all
    }

    /// The eras that lanes may be in that are said to be in some.
    fn all_of(&self, own: &BTreeSet<u32>) -> BTreeSet<u32> {
        let (mut all, mut open) = (BTreeSet::new(), own.iter().copied().collect::<Vec<u32>>());
        while let Some(e) = open.pop() {
            if all.insert(e) {
                open.extend(self.same.iter().filter(|(h, _)| *h == e).map(|(_, o)| *o));
            }
        }
        all
    }

    /// Whether what lanes do elsewhere in some eras may come between a write and a read.
    pub(super) fn interfere(&self, span: &Span, elsewhere: &Elsewhere) -> bool {
        let eras = self.all_of(&elsewhere.eras);
        if !self.between(span).is_disjoint(&eras) {
            return true;
        }
        // Where all lanes are together, what they do apart in this era is yet to come.
        if span.together || span.eras.is_disjoint(&eras) {
            return false;
        }
        let one = |(own, other)| self.is_part(own, other) || self.is_part(other, own);
        !span.band.zip(elsewhere.band).is_some_and(one)
    }
}

/// From a write to a read on one way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first era that the write may lie in.
    pub(super) from: u32,
    /// Those that the read may lie in.
    pub(super) eras: BTreeSet<u32>,
    /// Whether no lane of the warp is elsewhere at the read.
    pub(super) together: bool,
    /// The band that reads, if it is known.
    pub(super) band: Option<u32>,
}

/// When something is done while lanes may be apart, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Elsewhere {
    pub(super) eras: BTreeSet<u32>,
    pub(super) band: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<const N: usize>(all: [u32; N]) -> BTreeSet<u32> {
        BTreeSet::from(all)
    }

    fn span<const N: usize>(from: u32, eras: [u32; N], together: bool) -> Span {
        Span { from, eras: set(eras), together, band: None }
    }

    fn by(eras: &BTreeSet<u32>) -> Elsewhere {
        Elsewhere { eras: eras.clone(), band: None }
    }

    #[test]
    fn a_band_does_not_come_between_what_it_does() {
        let mut eras = Eras::default();
        let (left, right) = (eras.band(Some(0)), eras.band(Some(0)));
        let within = eras.band(Some(left));
        let reads = |band| Span { band: Some(band), ..span(0, [0], false) };
        let writes = |band| Elsewhere { band: Some(band), ..by(&set([0])) };
        assert!(eras.interfere(&reads(left), &writes(right)));
        assert!(!eras.interfere(&reads(left), &writes(left)));
        assert!(
            !eras.interfere(&reads(left), &writes(within)) && !eras.interfere(&reads(within), &writes(left))
        );
        assert!(eras.interfere(&reads(within), &writes(right)));
        assert!(eras.interfere(&reads(left), &by(&set([0]))), "by anybody");
        // In a turn before, other lanes were in these bands.
        eras.come_back(&set([0]), &set([0]), false);
        assert!(eras.interfere(&reads(left), &writes(left)));
    }

    #[test]
    fn what_is_done_in_another_era_does_not_come_between() {
        let mut eras = Eras::default();
        let one = eras.begin(&set([0]));
        let two = eras.begin(&one);
        // Written before the first of both.
        assert!(eras.interfere(&span(0, [1], false), &by(&one)));
        assert!(eras.interfere(&span(0, [2], true), &by(&one)));
        assert!(!eras.interfere(&span(0, [1], true), &by(&one)), "lanes part behind it");
        assert!(!eras.interfere(&span(0, [1], false), &by(&two)), "all have passed it");
        assert!(!eras.interfere(&span(2, [2], false), &by(&one)), "it was written behind");
    }

    #[test]
    fn a_turn_comes_behind_the_one_before() {
        let mut eras = Eras::default();
        let head = eras.begin(&set([0]));
        let body = eras.begin(&head);
        assert!(!eras.interfere(&span(0, [1], true), &by(&body)));
        eras.come_back(&head, &body, false);
        assert!(eras.interfere(&span(0, [1], true), &by(&body)), "in the turn before");
        assert!(eras.interfere(&span(0, [2], true), &by(&body)));
        assert!(!eras.interfere(&span(2, [2], true), &by(&body)), "written in this turn");
        // What is behind the loop comes not before it is over.
        let behind = eras.begin(&body);
        assert!(!eras.interfere(&span(0, [2], true), &by(&behind)));
    }

    #[test]
    fn an_era_goes_on_at_a_head_at_which_lanes_are_apart() {
        let mut eras = Eras::default();
        let body = eras.begin(&set([0]));
        eras.come_back(&set([0]), &body, true);
        assert!(eras.interfere(&span(1, [1], false), &by(&set([0]))), "by lanes that are in the next turn");
        assert!(eras.interfere(&span(0, [0], false), &by(&body)), "by lanes that are in the turn before");
        let mut alone = Eras::default();
        alone.come_back(&set([0]), &set([0]), true);
        assert!(!alone.interfere(&span(0, [0], true), &by(&set([0]))));
    }
}
