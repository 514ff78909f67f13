//! Lanes come to a barrier of the block (C14).

use super::state::{Here, Lanes, Warp};
use crate::obstacle::convergence::Convergence;

impl Lanes {
    /// All lanes of the warp come to an aligned barrier, so also to the wait for all of them before it.
    pub fn meet_wait(&self, warp: &mut Warp, here: &Here<'_, '_>) {
        if here.unguarded()
            && self.gathered_all(here.inputs)
            && let Some(debt) = warp.owed.get_mut(&self.piece)
        {
            debt.paid = true;
        }
    }

    /// Whether lanes arrive at a barrier for themselves: between `WARPSYNC.COLLECTIVE.ALL` and its end. The wait for all lanes of the warp is then one that the source
    /// has too: the barrier is one of the whole block, at which lanes wait, and holds who comes until all that have not ended have come.
    pub fn arrive_for_themselves(&self, warp: &mut Warp, here: &Here<'_, '_>) -> bool {
        let all = self.gathered_all(here.inputs) && self.gathered.is_some_and(|g| g.exclusive);
        let Some(debt) = warp.owed.get_mut(&self.piece).filter(|_| all && here.unguarded()) else {
            return false;
        };
        debt.paid |= debt.collective;
        debt.collective
    }

    /// A barrier is executed by all lanes of the warp that have not ended, in one group. Whether that rests on the source, so that the event stands for the source's on
    /// one way alone: lanes of two ways would come to it one group after another.
    ///
    /// Where the source's barriers are `aligned`, a warp comes to each as a whole, or the source is undefined. Lanes that came by the same branches
    /// are together at it then, and others are behind a `WARPSYNC` of all. Without `.aligned` lanes of one warp may wait at a `WARPSYNC` of all
    /// at another place, and go on from there.
    ///
    /// # Errors
    /// Lanes that may come one group after another.
    pub fn arrive_as_a_whole(&self, here: &Here<'_, '_>, aligned: bool) -> Result<bool, Convergence> {
        if !self.apart && here.inputs.is_uniform(here.guard) {
            return Ok(false);
        }
        if aligned && here.unguarded() && self.gathered_all(here.inputs) {
            return Ok(false);
        }
        if aligned && self.same_ways {
            return Ok(true);
        }
        Err(Convergence::BlockApart {})
    }

    /// A barrier stands between lanes that wait for others of the warp, and what they wait for.
    ///
    /// # Errors
    /// It does.
    pub fn owe_nothing(&self, warp: &Warp) -> Result<(), Convergence> {
        let owed = self.gathered.is_some() && warp.owed.get(&self.piece).is_some_and(|debt| !debt.paid);
        match owed {
            true => Err(Convergence::BlockBetween {}),
            false => Ok(()),
        }
    }

    /// Lanes wait for others of the block, while some of the warp may be elsewhere, who may wait for them (O3).
    pub fn wait_outside(&self, warp: &mut Warp, here: &Here<'_, '_>) {
        if self.apart || !here.inputs.is_uniform(here.guard) {
            if warp.barriers.groups() {
                let said = self.meeting.wait_outside();
                warp.barriers.strictly(here.place, said);
            }
            self.are_in_none(warp, here);
        }
    }
}
