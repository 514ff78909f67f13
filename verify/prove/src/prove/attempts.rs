//! What is tried, one after the other, until something is proved: drawn launches, higher bounds, and what else the source may be taken for.

use super::{FEW, Task, VACUOUS};
use crate::search::search;
use crate::verdict::{Counts, Verdict};
use sassafras_chip::Chip;
use sassafras_solve::limit;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::trace::retry;

/// Most iterations that the bound is raised to.
const MOST_ROUNDS: u32 = 256;

impl Task<'_> {
    /// Where nothing is known of the sides, they are run.
    pub(super) fn searched(&mut self, verdict: Verdict) -> Verdict {
        // What the prover says against itself is what has to be told.
        if self.record.contradiction.is_some() || !matches!(verdict, Verdict::Unknown(_)) {
            return verdict;
        }
        self.drawn((self.limits.launches, crate::search::EFFORT)).unwrap_or(verdict)
    }

    /// What so many drawn launches, with so much effort, show.
    pub(super) fn drawn(&mut self, most: (u64, u64)) -> Option<Verdict> {
        if !self.solver.present() {
            return None;
        }
        let all = || search(self.origin, self.cubin, self.code, &self.pointers, most);
        let found = limit::within(u64::MAX, self.limits.deadline, all).ok().flatten()?;
        use Assumption::{Addr, Bank, Conv, Drf, Isa, Launch, Ub};
        self.record.assumptions = [Addr, Bank, Conv, Drf, Isa, Launch, Ub].into();
        Some(Verdict::Refuted(Box::new(found)))
    }

    /// Where nothing is proved of a source with long quotients, values may be abstracted: what is proved then holds, and nothing else that
    /// is found.
    pub(super) fn run_with_opaque(&mut self) -> Verdict {
        let unroll = self.limits.unroll;
        let first = self.run_with_updates();
        let open = matches!(first, Verdict::Unknown(_)) && self.record.contradiction.is_none();
        if !open || !self.origin.divides() || !self.solver.present() {
            return first;
        }
        (self.updates, self.opaque) = (false, true);
        self.solver.renew();
        self.run_otherwise(first, unroll)
    }

    /// Runs once more, from the bound of the start on: what is proved then stands, else the first verdict.
    fn run_otherwise(&mut self, first: Verdict, unroll: u32) -> Verdict {
        let before = (self.record.obligations, self.limits.unroll);
        self.record.obligations = Counts::default();
        (self.limits.unroll, self.record.unroll) = (unroll, unroll);
        self.own_first = false;
        self.weakened.clear();
        self.placed.clear();
        let second = self.run_deep_enough();
        if matches!(second, Verdict::Proved | Verdict::ProvedWithin(_)) || self.record.contradiction.is_some()
        {
            return second;
        }
        self.record.obligations = before.0;
        (self.limits.unroll, self.record.unroll) = (before.1, before.1);
        first
    }

    /// Where nothing is proved of events as they stand, and the target has loops around a compare-and-swap, these may be atomic operations.
    fn run_with_updates(&mut self) -> Verdict {
        let unroll = self.limits.unroll;
        let first = self.run_deep_enough();
        let ptx = matches!(self.origin, Origin::Ptx { .. });
        let open = matches!(first, Verdict::Unknown(_)) && self.record.contradiction.is_none();
        let chip = Chip::from_number(self.cubin.sm).filter(|_| ptx && open && self.solver.present());
        if chip.is_none_or(|chip| retry::loops(&self.code.code, chip).is_empty()) {
            return first;
        }
        self.updates = true;
        self.run_otherwise(first, unroll)
    }

    /// Where no input is found that ends within the bound, as of a loop that always takes more rounds, there is little to prove: the bound is
    /// raised.
    fn run_deep_enough(&mut self) -> Verdict {
        loop {
            let (work, deadline) = (self.limits.work, self.limits.deadline);
            let verdict = limit::within(work, deadline, || self.run_all_ways())
                .unwrap_or_else(|reached| Verdict::Unknown(reached.reason().into()));
            let none = |why: &str| why.starts_with(VACUOUS) || why.starts_with(FEW);
            let empty = matches!(&verdict, Verdict::Unknown(why) if none(why));
            // More rounds of calls are more than can be written out.
            let deepest = self.limits.unroll >= MOST_ROUNDS || self.origin.recurses();
            if !empty || !self.unfinished || deepest {
                return verdict;
            }
            self.limits.unroll = (4 * self.limits.unroll).clamp(1, MOST_ROUNDS);
            self.record.unroll = self.limits.unroll;
            self.record.obligations = Counts::default();
            self.own_first = false;
            self.weakened.clear();
            self.placed.clear();
        }
    }

    /// Where shared variables of the module and of functions may lie in two orders, either is as good: compilers differ.
    fn run_all_ways(&mut self) -> Verdict {
        let proved = |v: &Verdict| matches!(v, Verdict::Proved | Verdict::ProvedWithin(_));
        let first = self.run_both_ways();
        if proved(&first) || self.record.contradiction.is_some() || !self.origin.shares_in_two_ways() {
            return first;
        }
        let before = self.record.obligations;
        self.record.obligations = Counts::default();
        self.own_first = true;
        self.weakened.clear();
        self.placed.clear();
        let second = self.run_both_ways();
        if proved(&second) || self.record.contradiction.is_some() {
            return second;
        }
        self.record.obligations = before;
        // What stands in the way of the order in which both have the same addresses tells more.
        if matches!(&second, Verdict::Unknown(why) if !why.starts_with("replay")) { second } else { first }
    }

    /// Where the source leaves payloads of NaNs open, they are chosen in three ways: as its operations would give them, as sums with -0
    /// do, and as the target stores them.
    fn run_both_ways(&mut self) -> Verdict {
        if self.origin.leaves_payloads() {
            for payloads in [Payloads::Natural, Payloads::Sum] {
                self.payloads = payloads;
                match self.run() {
                    Ok(proved @ (Verdict::Proved | Verdict::ProvedWithin(_))) => return proved,
                    _ => self.record.obligations = Counts::default(),
                }
            }
            self.payloads = Payloads::Open;
        }
        self.run().unwrap_or_else(Verdict::Unknown)
    }
}
