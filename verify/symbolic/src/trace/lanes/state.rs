//! What is known of lanes: on one path, and in a run.

use super::eras::{Elsewhere, Eras, Span};
use super::meeting::Meeting;
use super::nesting::{Barriers, Nesting, both, not, under};
use crate::inputs::Inputs;
use crate::obstacle::convergence::Convergence;
use crate::trace::event::{Event, Wait};
use sassafras_semantics::{Domain, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// The mask of all lanes of a warp.
pub(super) const ALL: u128 = 0xffff_ffff;

/// The lanes at one place, as far as it is known who is with them.
#[derive(Clone, Debug)]
pub struct Lanes {
    /// The straight piece of code that they are in: it ends where lanes part, wait or meet.
    pub(super) piece: u32,
    /// The era that they are in: one of these, as their warp came here.
    pub(super) eras: BTreeSet<u32>,
    /// The band that they are, if they issue together.
    pub(super) band: Option<u32>,
    /// The bands that set convergence barriers.
    pub(super) bands: BTreeMap<u32, Option<u32>>,
    /// Whether other lanes of the warp may be elsewhere.
    pub(super) apart: bool,
    /// Whether others may have gone to an `EXIT` that they have yet to execute: nobody waits for them, but a branch on who is here sees them.
    pub(super) ending: bool,
    /// Whether they have all gone the same ways since they were last together: no others have come to them.
    pub(super) same_ways: bool,
    /// Whether that they are together rests on an operation of the whole warp that they are to come to.
    pub(super) to_be_whole: bool,
    /// Convergence barriers that were set by lanes that had all gone the same ways.
    pub(super) set_by_all: Reliable,
    /// Convergence barriers that were set while no lane was elsewhere.
    pub(super) whole: Reliable,
    /// Which lanes have left a barrier by `BREAK`, and neither set nor come to one since, one bit.
    pub(super) broke: Option<TermId>,
    /// Whether, since they diverged, some waited for others of the warp.
    pub(super) waited: bool,
    /// Whether, since they diverged, some waited at a barrier of the block.
    pub(super) stopped: bool,
    /// The convergence barriers that they are in, as groups.
    pub(super) meeting: Meeting,
    /// The same, lane by lane.
    pub(super) nesting: Nesting,
    /// Where lanes here may have waited.
    pub(super) met: BTreeSet<Wait>,
    /// How many events there were behind the last barrier of the whole warp.
    pub(super) synced: Option<usize>,
    /// Whom a wait of the warp brought together, in this straight piece of code.
    pub(super) gathered: Option<Gathered>,
}

/// Lanes that a wait of the warp brought together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathered {
    /// Who waited, 32 bits.
    pub(super) mask: TermId,
    /// Whether lanes with another mask are kept from joining these.
    pub(super) exclusive: bool,
}

/// Convergence barriers of which something held when they were set, each with the number of times that it was lost until then.
pub(super) type Reliable = BTreeMap<u32, u32>;

/// A wait at which lanes may stay for ever, unless all whom it names come to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Debt {
    /// The `WARPSYNC`, as a byte offset.
    pub(super) place: u64,
    /// Whether an event behind it is known to have all of its lanes.
    pub(super) paid: bool,
    /// Whether lanes arrive for themselves behind it (`WARPSYNC.COLLECTIVE`).
    pub(super) collective: bool,
}

/// What is known of the lanes of a warp in a run.
#[derive(Debug, Default)]
pub struct Warp {
    /// Straight pieces of code so far.
    pub(super) pieces: u32,
    pub(super) eras: Eras,
    pub(super) barriers: Barriers,
    /// How often each barrier came not to bring all lanes of the warp together, wherever they are.
    pub(super) lost: BTreeMap<u32, u32>,
    /// Waits of the warp, by the straight piece of code behind each.
    pub(super) owed: BTreeMap<u32, Debt>,
    /// By place, as a byte offset: the mask of the lanes that asked each other something there, where lanes of another mask might have joined them.
    pub(super) asked: BTreeMap<u64, TermId>,
    /// Whether lanes ended that had waited while others were elsewhere: they may be under way still.
    pub(super) ended_waiting: bool,
}

/// Where lanes are, and what holds of them.
#[derive(Clone, Copy, Debug)]
pub struct Here<'h, 'i> {
    /// What the run starts from.
    pub inputs: &'h Inputs<'i>,
    /// All of these hold of the lanes.
    pub conditions: &'h [TermId],
    /// The guard of the current instruction, one bit.
    pub guard: TermId,
    /// The current instruction, as a byte offset.
    pub place: u64,
    /// The calls that the lanes are in, the outermost first.
    pub calls: &'h [(u64, u64)],
}

impl Here<'_, '_> {
    /// Whether the instruction takes effect for all lanes that are here.
    pub(super) fn unguarded(&self) -> bool {
        self.inputs.known(self.guard) == Some(1)
    }

    /// A condition in normal form, where those of the path hold and another besides; none if it never does.
    pub(super) fn possible(&self, wrong: TermId) -> Option<TermId> {
        let d = self.inputs.terms;
        let all = self.conditions.iter().fold(wrong, |all, c| both(d, all, *c));
        let all = self.inputs.normal.of(all);
        (self.inputs.known(all) != Some(0)).then_some(all)
    }
}

impl Warp {
    /// A new piece of straight code.
    pub(super) fn next_piece(&mut self) -> u32 {
        self.pieces += 1;
        self.pieces
    }

    /// A barrier does not bring all lanes of the warp together, wherever they are now.
    pub(super) fn lose(&mut self, barrier: u32) {
        *self.lost.entry(barrier).or_default() += 1;
    }

    /// How often a barrier was lost.
    pub(super) fn losses(&self, barrier: u32) -> u32 {
        self.lost.get(&barrier).copied().unwrap_or_default()
    }

    /// Takes a barrier from a list; whether it was there, and was not lost since.
    pub(super) fn take(&self, from: &mut Reliable, barrier: u32) -> bool {
        from.remove(&barrier) == Some(self.losses(barrier))
    }

    /// Lanes do what must not be, where `wrong` holds: that is left to be shown.
    pub(super) fn forbid(&mut self, here: &Here<'_, '_>, wrong: TermId) {
        let d = here.inputs.terms;
        let wrong = both(d, under(d, here.conditions, wrong), here.guard);
        if let Some(wrong) = here.possible(wrong) {
            self.barriers.wrong.push((wrong, here.place));
        }
    }

    /// What is left to be shown: conditions that must not come about, with places. Nothing if the rule about groups is kept.
    ///
    /// # Errors
    /// Neither rule is kept.
    pub fn open(&self) -> Result<&[(TermId, u64)], Convergence> {
        self.barriers.open()
    }

    /// A barrier for which lanes that wait at it may themselves be what is waited for (O6).
    pub fn circle(&self, events: &[Event], partners: &BTreeMap<usize, u64>) -> Option<u32> {
        self.barriers.circle(events, partners)
    }

    /// Whether lanes wait in a barrier for some of the warp, where the rule about groups is not kept.
    pub fn waits_for_some(&self) -> bool {
        self.barriers.wait_for_some()
    }

    /// Whether what lanes do elsewhere in some eras may come between a write and a read.
    pub fn interfere(&self, span: &Span, elsewhere: &Elsewhere) -> bool {
        self.eras.interfere(span, elsewhere)
    }

    /// The `WARPSYNC` at which lanes may wait for such as do not come, as a byte offset.
    pub fn owes(&self) -> Option<u64> {
        self.owed.values().find(|debt| !debt.paid).map(|debt| debt.place)
    }
}

impl Default for Lanes {
    /// All lanes of a warp at the entry, in one group (C2).
    fn default() -> Lanes {
        Lanes {
            piece: 0,
            eras: BTreeSet::from([0]),
            band: Some(0),
            bands: BTreeMap::new(),
            apart: false,
            ending: false,
            same_ways: true,
            to_be_whole: false,
            set_by_all: Reliable::new(),
            whole: Reliable::new(),
            broke: None,
            waited: false,
            stopped: false,
            meeting: Meeting::default(),
            nesting: Nesting::default(),
            met: BTreeSet::new(),
            synced: None,
            gathered: None,
        }
    }
}

impl Lanes {
    /// The straight piece of code that they are in. Each has a number of its own, from 0.
    pub fn piece(&self) -> u32 {
        self.piece
    }

    /// Whether other lanes of the warp may be elsewhere.
    pub fn are_apart(&self) -> bool {
        self.apart
    }

    /// Whether others may have gone to an `EXIT` that they have yet to execute.
    pub fn may_be_left(&self) -> bool {
        self.ending
    }

    /// Whether nobody knows who is here: some are elsewhere, and no wait has brought these together.
    pub fn are_anyone(&self) -> bool {
        self.apart && self.gathered.is_none()
    }

    /// Where they may have waited.
    pub fn waits(&self) -> &BTreeSet<Wait> {
        &self.met
    }

    /// The first era that what they do now may lie in.
    pub fn era(&self) -> u32 {
        self.eras.first().copied().unwrap_or_default()
    }

    /// That these do something.
    pub fn doing(&self) -> Elsewhere {
        Elsewhere { eras: self.eras.clone(), band: self.band }
    }

    /// From what was written in an era, or behind it, to a read by these.
    pub fn span(&self, from: u32) -> Span {
        Span { from, eras: self.eras.clone(), together: !self.apart, band: self.band }
    }

    /// A new piece of straight code begins.
    pub fn new_piece(&mut self, warp: &mut Warp) {
        if !self.apart {
            self.eras = warp.eras.begin(&self.eras);
        }
        self.piece = warp.next_piece();
        self.gathered = None;
    }

    /// Whether they wait at the `BSYNC` of a barrier for some of other groups, each with the conditions of its path: those that are in it by the same `BSSY`.
    pub fn wait_at<'m>(
        &self,
        d: &Terms,
        barrier: u32,
        others: impl Iterator<Item = (&'m Lanes, &'m [TermId])>,
    ) -> bool {
        self.nesting.waits(d, barrier, others.map(|(lanes, conditions)| (&lanes.nesting, conditions)))
    }

    /// All lanes of the warp that have not ended are here.
    pub(super) fn together(&mut self, warp: &mut Warp) {
        self.eras = warp.eras.begin(&self.eras);
        self.band = Some(warp.eras.band(None));
        (self.apart, self.waited, self.stopped) = (false, false, false);
        self.same_ways = true;
    }

    /// The barriers that they are in, where the conditions of their path hold.
    pub(super) fn nested(&self, here: &Here<'_, '_>) -> Nesting {
        self.nesting.settled(here.inputs, here.conditions)
    }

    /// The same as groups, without the barriers that all of them have left.
    pub(super) fn settled(&self, inputs: &Inputs<'_>, conditions: &[TermId]) -> Meeting {
        let d = inputs.terms;
        let mut meeting = self.meeting.clone();
        meeting.settle(|left| {
            // A condition of the path itself: terms that are not simplified do not show it otherwise.
            if conditions.contains(&left) {
                return true;
            }
            let stays = conditions.iter().fold(d.not(&left), |all, c| d.and(&all, c));
            inputs.known(inputs.normal.of(stays)) == Some(0)
        });
        meeting
    }

    /// They are in no barrier: that is left to be shown where it is not seen (O3, O4).
    pub(super) fn are_in_none(&self, warp: &mut Warp, here: &Here<'_, '_>) {
        for h in self.nested(here).0 {
            warp.forbid(here, h.within);
        }
    }

    /// Whether all lanes of the warp were waited for in this straight piece of code.
    pub(super) fn gathered_all(&self, inputs: &Inputs<'_>) -> bool {
        self.gathered.is_some_and(|g| inputs.known(g.mask) == Some(ALL))
    }
}

/// That a lane is not in a barrier, one bit.
pub(super) fn outside(here: &Here<'_, '_>, held: &Nesting, barrier: u32) -> TermId {
    let d = here.inputs.terms;
    let own = held.0.iter().filter(|h| h.barrier == barrier);
    own.fold(d.yes(), |none, h| both(d, none, not(d, h.within)))
}
