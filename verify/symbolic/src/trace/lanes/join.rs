//! Two groups of lanes come to one place: they may go on as one (C4).

use super::meeting::Meeting;
use super::nesting::Nesting;
use super::state::{Lanes, Reliable, Warp};
use crate::inputs::Inputs;
use sassafras_semantics::{Domain, TermId};

/// Barriers of which the same holds in both groups.
fn common(a: &Reliable, b: &Reliable) -> Reliable {
    a.iter().filter(|(barrier, losses)| b.get(barrier) == Some(losses)).map(|(b, l)| (*b, *l)).collect()
}

impl Lanes {
    /// Of two groups, each with the conditions of its path. `first` says that a lane is of the first; `pick` chooses a value by the group.
    pub fn join(
        warp: &mut Warp,
        inputs: &Inputs<'_>,
        (a, of_a): (&Lanes, &[TermId]),
        (b, of_b): (&Lanes, &[TermId]),
        first: TermId,
        pick: impl Fn(TermId, TermId) -> TermId,
    ) -> Lanes {
        let d = inputs.terms;
        let broke = match (a.broke, b.broke) {
            (None, None) => None,
            (x, y) => Some(pick(x.unwrap_or_else(|| d.no()), y.unwrap_or_else(|| d.no()))),
        };
        let apart = a.apart || b.apart;
        let nested = |lanes: &Lanes, conditions| lanes.nesting.settled(inputs, conditions);
        let nesting = Nesting::join(inputs, &nested(a, of_a), &nested(b, of_b), first);
        let meeting = match warp.barriers.groups() {
            true => {
                let groups = (a.settled(inputs, of_a), b.settled(inputs, of_b));
                let of_one_warp = apart && !inputs.is_uniform(first);
                Meeting::join(groups.0, groups.1, of_one_warp, d.no(), pick)
            }
            false => Meeting::default(),
        };
        let mut eras = a.eras.union(&b.eras).copied().collect();
        if !apart {
            eras = warp.eras.begin(&eras);
        }
        // Of two ways that no lanes of one warp go, those of one are a band.
        let band = match (apart, a.band == b.band && inputs.is_uniform(first)) {
            (false, _) => Some(warp.eras.band(None)),
            (true, true) => a.band,
            (true, false) => None,
        };
        let bands = a.bands.iter().filter(|(barrier, band)| b.bands.get(barrier) == Some(band));
        let bands = bands.map(|(barrier, band)| (*barrier, *band)).collect();
        Lanes {
            piece: warp.next_piece(),
            eras,
            band,
            bands,
            apart,
            ending: a.ending || b.ending,
            same_ways: a.same_ways && b.same_ways && !apart,
            to_be_whole: a.to_be_whole || b.to_be_whole,
            set_by_all: common(&a.set_by_all, &b.set_by_all),
            whole: common(&a.whole, &b.whole),
            broke,
            waited: a.waited || b.waited,
            stopped: a.stopped || b.stopped,
            meeting,
            nesting,
            met: a.met.union(&b.met).copied().collect(),
            synced: None,
            gathered: None,
        }
    }
}
