//! What is tried, one after the other, until something is proved: drawn launches, and lists of attempts that one loop goes through.

use super::Task;
use crate::reason::Kind;
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

/// What both sides are run with. What is proved with any of them is proved.
struct Attempt {
    /// Whether it may show more than those before it.
    applies: fn(&Task<'_>) -> bool,
    /// What is changed for it.
    change: fn(&mut Task<'_>),
}

/// How the sides are seen, from what is closest to them on.
const VIEWS: [Attempt; 3] = [
    // As they stand.
    Attempt { applies: |_| true, change: |_| {} },
    // Loops of the target around a compare-and-swap as atomic operations.
    Attempt {
        applies: |task| {
            let chip = Chip::from_number(task.cubin.sm).filter(|_| matches!(task.origin, Origin::Ptx { .. }));
            task.solver.present() && chip.is_some_and(|chip| !retry::loops(&task.code.code, chip).is_empty())
        },
        change: |task| task.updates = true,
    },
    // Values abstracted, where the source has long quotients: what is proved then holds, and nothing else that is found.
    Attempt {
        applies: |task| task.origin.divides() && task.solver.present(),
        change: |task| {
            (task.updates, task.opaque) = (false, true);
            task.solver.renew();
        },
    },
];

/// In which order shared variables of the module and of functions lie: either is as good, compilers differ.
const ORDERS: [Attempt; 2] = [
    Attempt { applies: |_| true, change: |_| {} },
    Attempt {
        applies: |task| task.origin.shares_in_two_ways(),
        change: |task| {
            task.own_first = true;
            task.forget();
        },
    },
];

/// What NaNs are whose payload the source leaves open: as its operations would give them, as sums with -0 do, and as the target stores
/// them.
const PAYLOADS: [Attempt; 3] = [
    Attempt {
        applies: |task| task.origin.leaves_payloads(),
        change: |task| task.payloads = Payloads::Natural,
    },
    Attempt { applies: |task| task.origin.leaves_payloads(), change: |task| task.payloads = Payloads::Sum },
    Attempt { applies: |_| true, change: |task| task.payloads = Payloads::Open },
];

/// When a list of attempts goes on, and the verdict if none proves anything.
struct Rule {
    /// Whether the next is tried after this verdict, which proves nothing.
    goes_on: fn(&Verdict) -> bool,
    /// Whether a later verdict tells more than that which is told so far.
    tells_more: fn(&Verdict) -> bool,
}

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

    /// The verdict of all attempts: each view, within as many iterations as it takes, in each order of shared variables, with each payload of
    /// NaNs.
    pub(super) fn attempts(&mut self) -> Verdict {
        let unroll = self.limits.unroll;
        // What is refuted as the sides stand is refuted.
        let rule = Rule { goes_on: |verdict| matches!(verdict, Verdict::Unknown(_)), tells_more: |_| false };
        self.each(&VIEWS, rule, |task| {
            (task.limits.unroll, task.record.unroll) = (unroll, unroll);
            task.own_first = false;
            task.forget();
            task.deep_enough()
        })
    }

    /// Goes through a list of attempts until one proves something or contradicts the prover. What is counted is that of the verdict that is
    /// told.
    fn each(&mut self, list: &[Attempt], rule: Rule, mut run: impl FnMut(&mut Self) -> Verdict) -> Verdict {
        let mut told: Option<(Verdict, Counts, u32)> = None;
        for attempt in list {
            if told.as_ref().is_some_and(|(verdict, ..)| !(rule.goes_on)(verdict)) || !(attempt.applies)(self)
            {
                continue;
            }
            self.record.obligations = Counts::default();
            (attempt.change)(self);
            let verdict = run(self);
            let proved = matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_));
            if proved || self.record.contradiction.is_some() {
                return verdict;
            }
            if told.is_none() || (rule.tells_more)(&verdict) {
                told = Some((verdict, self.record.obligations, self.limits.unroll));
            }
        }
        let Some((verdict, counts, unroll)) = told else {
            return Verdict::Unknown("no attempt applies".into());
        };
        self.record.obligations = counts;
        (self.limits.unroll, self.record.unroll) = (unroll, unroll);
        verdict
    }

    /// Where no input is found that ends within the bound, as of a loop that always takes more iterations, there is little to prove: the bound is
    /// raised.
    fn deep_enough(&mut self) -> Verdict {
        loop {
            let (work, deadline) = (self.limits.work, self.limits.deadline);
            let verdict = limit::within(work, deadline, || self.in_each_order())
                .unwrap_or_else(|reached| Verdict::Unknown(reached.reason().into()));
            let empty = matches!(&verdict, Verdict::Unknown(why) if why.is_empty_within_bound());
            // More iterations of calls are more than can be written out.
            let deepest = self.limits.unroll >= MOST_ROUNDS || self.origin.recurses();
            if !empty || !self.unfinished || deepest {
                return verdict;
            }
            self.limits.unroll = (4 * self.limits.unroll).clamp(1, MOST_ROUNDS);
            self.record.unroll = self.limits.unroll;
            self.own_first = false;
            self.forget();
        }
    }

    /// In each order of shared variables, with each payload of NaNs.
    fn in_each_order(&mut self) -> Verdict {
        // What stands in the way of the order in which both have the same addresses tells more.
        let tells_more =
            |verdict: &Verdict| matches!(verdict, Verdict::Unknown(why) if why.kind != Kind::Replay);
        self.each(&ORDERS, Rule { goes_on: |_| true, tells_more }, Task::with_each_payload)
    }

    fn with_each_payload(&mut self) -> Verdict {
        // With the last, payloads are as the target stores them: what is open then is what stands in the way.
        let rule = Rule { goes_on: |_| true, tells_more: |_| true };
        self.each(&PAYLOADS, rule, |task| task.run().unwrap_or_else(Verdict::Unknown))
    }

    /// What was found out about the sides in another attempt.
    fn forget(&mut self) {
        self.weakened.clear();
        self.placed.clear();
    }
}
