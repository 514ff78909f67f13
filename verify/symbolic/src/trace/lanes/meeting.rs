//! Convergence barriers: whether the lanes that wait at a `BSYNC` are all waited for, by `docs/convergence.md` C7 to C9.
//!
//! The rule is one of nesting: a `BSYNC` names the barrier that was set last of those its lanes are still in; lanes that
//! come together anywhere else are in the same ones; a barrier is not set again while lanes may be in it, nor by lanes
//! that may come one group after another. Then the lanes that wait deepest wait only for lanes on their way, so that nobody
//! waits for ever. What does not keep the rule is `Unknown(convergence)`, not wrong.

use crate::obstacle::convergence::{Convergence, Disorder};
use sassafras_semantics::TermId;
use std::collections::BTreeSet;

/// A barrier that lanes are in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    barrier: u32,
    /// Which execution of `BSSY` set it.
    instance: u32,
    /// The lanes that have left it by `BREAK`.
    left: Left,
    /// Whether the lanes that set it were one group for certain.
    together: bool,
}

/// Which lanes have left a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    None,
    /// Where the bit is one.
    Some(TermId),
    All,
}

/// A `BSSY` that was executed.
#[derive(Clone, Copy, Debug)]
struct Instance {
    barrier: u32,
    /// The one set last before among those its lanes were in.
    parent: Option<u32>,
    /// Whether lanes that wait at the `BSYNC` may be let go before the others have come (C9, C11).
    early: bool,
}

/// Every `BSSY` that was executed.
#[derive(Clone, Debug, Default)]
pub struct Instances(Vec<Instance>);

/// The barriers that the lanes of a path are in.
#[derive(Clone, Debug, Default)]
pub struct Meeting {
    /// From the first that was set.
    held: Vec<Held>,
    /// Lanes with different barriers came together.
    tangled: bool,
    /// The lanes may come here one group after another.
    scattered: bool,
    /// Instances that all lanes here have behind them.
    passed: BTreeSet<u32>,
}

impl Instances {
    /// For each whether lanes that wait at the `BSYNC` may be let go before the others have come.
    pub fn early(&self) -> Vec<bool> {
        self.0.iter().map(|one| one.early).collect()
    }
}

impl Meeting {
    /// Whether lanes that come back to the head of a loop are in the barriers that those who came to it were in, and have behind them all that were set since:
    /// instances from one number up to another.
    pub fn holds_again(&self, head: &Meeting, from: usize, to: usize) -> bool {
        let stays =
            |m: &Meeting| -> Vec<Held> { m.held.iter().filter(|h| h.left != Left::All).cloned().collect() };
        !self.tangled
            && !head.tangled
            && stays(self) == stays(head)
            && (head.scattered || !self.scattered)
            && (from..to).all(|i| self.passed.contains(&(i as u32)))
    }

    /// `BSSY`. `apart`: whether lanes of the warp may be elsewhere.
    ///
    /// # Errors
    /// A barrier that other lanes may be in.
    pub fn set(&mut self, barrier: u32, apart: bool, all: &mut Instances) -> Result<(), Disorder> {
        if self.tangled {
            return Err(Disorder::SetAmong { barrier });
        }
        if apart && self.scattered {
            return Err(Disorder::SetInTurns { barrier });
        }
        self.held.retain(|h| h.barrier != barrier || h.left != Left::All);
        let elsewhere =
            |(i, one): (usize, &Instance)| one.barrier == barrier && !self.passed.contains(&(i as u32));
        if self.held.iter().any(|h| h.barrier == barrier) || apart && all.0.iter().enumerate().any(elsewhere)
        {
            return Err(Disorder::SetTwice { barrier });
        }
        let instance = all.0.len() as u32;
        let parent = self.held.iter().rev().find(|h| h.left != Left::All).map(|h| h.instance);
        all.0.push(Instance { barrier, parent, early: false });
        self.passed.insert(instance);
        self.held.push(Held { barrier, instance, left: Left::None, together: !self.scattered });
        Ok(())
    }

    /// `BREAK`, for the lanes where `gone` is one; `or` joins two conditions.
    pub fn leave(
        &mut self,
        barrier: u32,
        gone: TermId,
        all: &mut Instances,
        or: impl Fn(TermId, TermId) -> TermId,
    ) {
        for h in self.held.iter_mut().filter(|h| h.barrier == barrier) {
            all.0[h.instance as usize].early = true;
            h.left = match h.left {
                Left::None => Left::Some(gone),
                Left::Some(before) => Left::Some(or(before, gone)),
                Left::All => Left::All,
            };
        }
    }

    /// Lanes that wait for these at barriers may be let go before they come.
    pub fn let_go(&self, all: &mut Instances) {
        for h in self.held.iter().filter(|h| h.left != Left::All) {
            all.0[h.instance as usize].early = true;
        }
    }

    /// Sees which barriers all lanes have left; `all` says whether a condition holds for all of them.
    pub fn settle(&mut self, all: impl Fn(TermId) -> bool) {
        for h in &mut self.held {
            if let Left::Some(gone) = h.left
                && all(gone)
            {
                h.left = Left::All;
            }
        }
    }

    /// `BSYNC`.
    ///
    /// # Errors
    /// A barrier that was not set, or not last.
    pub fn sync(&mut self, barrier: u32, all: &Instances) -> Result<(), Disorder> {
        if self.tangled {
            return Err(Disorder::SyncAmong { barrier });
        }
        let Some(at) = self.held.iter().rposition(|h| h.barrier == barrier) else {
            return Err(Disorder::SyncUnset { barrier });
        };
        if self.held[at + 1..].iter().any(|h| h.left != Left::All) {
            return Err(Disorder::SyncNotLast { barrier });
        }
        let h = self.held[at].clone();
        if h.left == Left::All {
            // Who is not in it goes on.
            return Ok(());
        }
        self.held.truncate(at);
        let early = all.0[h.instance as usize].early;
        self.scattered = !h.together || h.left != Left::None || early;
        if early {
            // Others may be in it, and in what was set within.
            self.passed.remove(&h.instance);
            return Ok(());
        }
        // What was set within is behind all of its lanes.
        for i in h.instance as usize + 1..all.0.len() {
            if all.0[i].parent.is_some_and(|parent| parent == h.instance || self.passed.contains(&parent)) {
                let within = std::iter::successors(Some(i as u32), |&j| all.0[j as usize].parent);
                if within.into_iter().any(|j| j == h.instance) {
                    self.passed.insert(i as u32);
                }
            }
        }
        Ok(())
    }

    /// All lanes of the warp are together, by a `WARPSYNC`.
    pub fn gather(&mut self) {
        self.scattered = false;
    }

    /// The lanes here may go on one group after another.
    pub fn scatter(&mut self) {
        self.scattered = true;
    }

    /// A barrier's lanes are kept in a register or taken from one.
    pub fn tangle(&mut self) {
        self.tangled = true;
    }

    /// Lanes wait for others of the block while some of the warp are elsewhere.
    ///
    /// # Errors
    /// Those elsewhere may wait for the lanes here.
    pub fn wait_outside(&self) -> Result<(), Disorder> {
        if self.tangled || self.held.iter().any(|h| h.left != Left::All) {
            return Err(Disorder::BlockWhileAwaited);
        }
        Ok(())
    }

    /// Lanes wait for all of the warp while some are elsewhere.
    ///
    /// # Errors
    /// Those elsewhere may wait for the lanes here.
    pub fn wait_for_all(&self) -> Result<(), Convergence> {
        if self.tangled || self.held.iter().any(|h| h.left != Left::All) {
            return Err(Convergence::WarpWhileAwaited {});
        }
        Ok(())
    }

    /// Two groups come to one place. `apart`: whether they are of one warp. `pick` chooses by the group.
    pub fn join(
        a: Meeting,
        b: Meeting,
        apart: bool,
        no: TermId,
        pick: impl Fn(TermId, TermId) -> TermId,
    ) -> Meeting {
        let mut tangled = a.tangled || b.tangled;
        let mut held = Vec::new();
        let in_both = |h: &&Held, other: &[Held]| other.iter().any(|o| o.instance == h.instance);
        for (x, other) in [(&a.held, &b.held), (&b.held, &a.held)] {
            tangled |= x.iter().any(|h| !in_both(&h, other) && h.left != Left::All);
        }
        let term = |l: Left| match l {
            Left::Some(t) => Some(t),
            Left::None => Some(no),
            Left::All => None,
        };
        for h in a.held.iter().filter(|h| in_both(h, &b.held)) {
            let Some(o) = b.held.iter().find(|o| o.instance == h.instance) else { continue };
            let left = match (h.left, o.left) {
                (x, y) if x == y => x,
                (x, y) => match (term(x), term(y)) {
                    (Some(x), Some(y)) => Left::Some(pick(x, y)),
                    // Some lanes are in it and some are not: who they are is not kept.
                    _ => {
                        tangled = true;
                        x
                    }
                },
            };
            held.push(Held { left, ..h.clone() });
        }
        Meeting {
            held,
            tangled,
            scattered: a.scattered || b.scattered || apart,
            passed: a.passed.intersection(&b.passed).copied().collect(),
        }
    }
}
