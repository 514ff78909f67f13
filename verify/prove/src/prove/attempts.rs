//! Which plans are tried, in which order, until one proves something. From the innermost choice to the outermost:
//!
//! 1. fences and places as the last run of both sides shows them ([`super::compare`]);
//! 2. payloads of NaNs that the source leaves open: as its operations give them, as sums with -0 do, as the target stores them;
//! 3. the order of shared variables of the module and of functions: either is as good, compilers differ;
//! 4. the bound of loops, where no input ends within the present one;
//! 5. how the sides are seen, from what is closest to them on.
//!
//! Before all of these, loops are gone through once, for any number of turns ([`super::cuts`]), with each choice of payloads.
//!
//! Drawn launches, which may only refute, come before and after all of these.

use super::compare::{Outcome, compare};
use super::cuts;
use super::plan::{Plan, View};
use super::task::Task;
use crate::hints;
use crate::reason::{Kind, Reason};
use crate::search::{search, search_held_back};
use crate::verdict::{Counterexample, Counts, Verdict};
use sassafras_chip::Chip;
use sassafras_solve::limit;
use sassafras_symbolic::assumption::Assumption;
use sassafras_symbolic::choice::Payloads;
use sassafras_symbolic::obstacle::Obstacle;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::origin::Origin;
use sassafras_symbolic::trace::retry;

/// Most iterations that the bound is raised to.
const MOST_ROUNDS: u32 = 256;

/// Most times that less is said of loops that are gone through once.
const MOST_WEAKER: u32 = 32;

/// What the source leaves to choose within one view and one bound.
#[derive(Clone, Copy, Debug)]
struct Choices {
    /// What NaNs may be whose payload it leaves open, in the order in which that is tried; the first where there is no choice.
    payloads: &'static [Payloads],
    /// Whether shared variables of functions lie first, likewise.
    orders: &'static [bool],
}

/// The item behind another.
fn behind<T: Copy + PartialEq>(list: &[T], item: T) -> Option<T> {
    list.iter().copied().skip_while(|other| *other != item).nth(1)
}

impl Choices {
    fn of(origin: Origin<'_>) -> Choices {
        Choices {
            payloads: match origin.leaves_payloads() {
                true => &[Payloads::Natural, Payloads::Sum, Payloads::Open],
                false => &[Payloads::Open],
            },
            orders: if origin.shares_in_two_ways() { &[false, true] } else { &[false] },
        }
    }

    /// The first plan of a view within a bound, or of another order in it: what was found of the sides before is forgotten.
    fn first(self, view: View, unroll: u32, own_first: bool) -> Plan {
        let payloads = self.payloads.first().copied().unwrap_or_default();
        Plan { view, unroll, own_first, payloads, ..Plan::default() }
    }

    /// The plan behind one that gave a verdict, with the same view and the same bound.
    fn after(self, plan: &Plan) -> Option<Plan> {
        if let Some(payloads) = behind(self.payloads, plan.payloads) {
            return Some(Plan { payloads, ..plan.clone() });
        }
        behind(self.orders, plan.own_first).map(|own_first| self.first(plan.view, plan.unroll, own_first))
    }
}

/// A verdict that may be told, with what the record says beside it.
struct Told {
    verdict: Verdict,
    counts: Counts,
    unroll: u32,
}

/// Whether an obstacle is one of what a side does, whatever the values are.
fn is_of_runs(why: &Reason) -> bool {
    match &why.located().obstacle {
        Obstacle::Uniform(_) | Obstacle::Convergence(_) => true,
        Obstacle::Coverage(why) => !matches!(**why, Coverage::OneTurn { .. }),
        _ => false,
    }
}

/// That a limit was reached.
fn over(reached: limit::Reached) -> Effort {
    match reached {
        limit::Reached::Work => Effort::Work {},
        limit::Reached::Time => Effort::Time {},
    }
}

impl Task<'_> {
    /// Where nothing is known of the sides, they are run.
    pub fn searched(&mut self, verdict: Verdict) -> Verdict {
        // What the prover says against itself is what has to be told.
        if self.record.contradiction.is_some() || !matches!(verdict, Verdict::Unknown(_)) {
            return verdict;
        }
        let found = self.drawn((self.limits.launches, crate::search::EFFORT));
        let shared = |why: &Reason| matches!(why.located().obstacle, Obstacle::Uniform(_));
        let ahead = self.solver.present() && matches!(&verdict, Verdict::Unknown(why) if shared(why));
        found.or_else(|| if ahead { self.held_back() } else { None }).unwrap_or(verdict)
    }

    /// What drawn launches show where lanes are held back, if registers that they have in common may be written meanwhile.
    fn held_back(&mut self) -> Option<Verdict> {
        let (entries, pointers) = (self.entries, self.met.pointers.clone());
        let most = (self.limits.launches, 4 * crate::search::EFFORT);
        let all = || search_held_back(entries.origin, entries.cubin, entries.code, &pointers, most);
        let found = limit::within(u64::MAX, self.limits.deadline, all).ok().flatten()?;
        self.found(found)
    }

    /// What so many drawn launches, with so much effort, show.
    pub fn drawn(&mut self, most: (u64, u64)) -> Option<Verdict> {
        if !self.solver.present() {
            return None;
        }
        let entries = self.entries;
        let all = || search(entries.origin, entries.cubin, entries.code, &self.met.pointers, most);
        let found = limit::within(u64::MAX, self.limits.deadline, all).ok().flatten()?;
        self.found(found)
    }

    fn found(&mut self, found: Counterexample) -> Option<Verdict> {
        use Assumption::{Addr, Bank, Conv, Drf, Isa, Launch, Ub};
        self.record.assumptions = [Addr, Bank, Conv, Drf, Isa, Launch, Ub].into();
        Some(Verdict::Refuted(Box::new(found)))
    }

    /// The verdict of all plans: that of the first view, if none proves anything.
    pub fn attempts(&mut self) -> Verdict {
        // A file that says something wrong keeps nothing from being proved as without it.
        let told = self.by_turns().or_else(|| self.hints.take().and_then(|_| self.by_turns()));
        if let Some(told) = told {
            self.record.turns = None;
            return self.tell(told);
        }
        let first = self.in_view(View::Plain);
        // What is refuted as the sides stand is refuted.
        if self.ends(&first.verdict) || !matches!(first.verdict, Verdict::Unknown(_)) {
            return self.tell(first);
        }
        for view in [View::Updates, View::Opaque] {
            if !self.may_show_more(view) {
                continue;
            }
            if view == View::Opaque {
                self.solver.renew();
            }
            let told = self.in_view(view);
            if self.ends(&told.verdict) {
                return self.tell(told);
            }
        }
        self.tell(first)
    }

    /// A proof in which loops are gone through once, for any number of turns; none if that shows nothing.
    fn by_turns(&mut self) -> Option<Told> {
        let origin = self.entries.origin;
        if !self.limits.turns || !self.solver.present() || !origin.may_be_cut() || origin.recurses() {
            return None;
        }
        let unroll = self.limits.unroll;
        let (work, deadline) = (self.limits.work, self.limits.deadline);
        let proof = || {
            let choices = Choices::of(origin);
            let first = choices.first(View::Plain, unroll, false);
            // What both sides hold alike at heads is a guess, and the same whatever payloads are.
            let guessed = self.guessed(&first).map_err(Some)?;
            let mut last = None;
            for payloads in choices.payloads {
                match self.by_turns_with(Plan { payloads: *payloads, ..guessed.clone() }) {
                    Ok(told) => return Ok(told),
                    Err(why) => {
                        let over = is_of_runs(&why);
                        last = Some(why);
                        if over {
                            break;
                        }
                    }
                }
            }
            Err(last)
        };
        match limit::within(work, deadline, proof) {
            Ok(Ok(told)) => return Some(told),
            Ok(Err(why)) => self.record.turns = why,
            Err(reached) => self.record.turns = Some(over(reached).into()),
        }
        None
    }

    /// A plan with the loops of both sides that seem to go together.
    fn guessed(&self, first: &Plan) -> Result<Plan, Reason> {
        let mut plan = cuts::guess(self.entries, first)?;
        if let (Some(hints), Origin::Ptx { function, .. }) = (self.hints, self.entries.origin) {
            hints::prefer(hints, function, &mut plan.cuts, &mut plan.spare);
        }
        Ok(plan)
    }

    /// A proof from one plan on, with less and less said of its loops.
    fn by_turns_with(&mut self, mut plan: Plan) -> Result<Told, Reason> {
        let unroll = plan.unroll;
        for _ in 0..MOST_WEAKER {
            self.record.obligations = Counts::default();
            match compare(self, &plan) {
                Outcome::Refined(refined) => plan = refined,
                Outcome::Told(Verdict::Proved) => return Ok(self.told(Verdict::Proved, unroll)),
                Outcome::Told(Verdict::Unknown(why)) => return Err(why),
                Outcome::Told(_) => return Err(Coverage::NoHeads {}.into()),
            }
        }
        Err(Effort::Work {}.into())
    }

    /// Whether a view may show more than the plain one.
    fn may_show_more(&self, view: View) -> bool {
        let origin = self.entries.origin;
        match view {
            View::Plain => false,
            View::Updates => {
                let chip =
                    Chip::from_number(self.entries.cubin.sm).filter(|_| matches!(origin, Origin::Ptx { .. }));
                let loops = |chip| !retry::loops(&self.entries.code.code, chip).is_empty();
                self.solver.present() && chip.is_some_and(loops)
            }
            View::Opaque => origin.divides() && self.solver.present(),
        }
    }

    /// The verdict of a view, within as many iterations as it takes.
    fn in_view(&mut self, view: View) -> Told {
        let mut unroll = self.limits.unroll;
        self.record.obligations = Counts::default();
        loop {
            self.record.unroll = unroll;
            let (work, deadline) = (self.limits.work, self.limits.deadline);
            let told = limit::within(work, deadline, || self.within_bound(view, unroll));
            let told =
                told.unwrap_or_else(|reached| self.told(Verdict::Unknown(over(reached).into()), unroll));
            match self.deeper(&told.verdict, unroll) {
                Some(more) => unroll = more,
                None => return told,
            }
        }
    }

    /// The bound to try behind one. Where no input is found that ends within it, as of a loop that always takes more iterations, there is
    /// little to prove.
    fn deeper(&self, verdict: &Verdict, unroll: u32) -> Option<u32> {
        let empty = matches!(verdict, Verdict::Unknown(why) if why.is_empty_within_bound());
        // More iterations of calls are more than can be written out.
        let deepest = unroll >= MOST_ROUNDS || self.entries.origin.recurses();
        let raised = empty && self.met.unfinished && !deepest;
        raised.then(|| unroll.saturating_mul(4).clamp(1, MOST_ROUNDS))
    }

    /// The verdict of a view within a bound: in each order of shared variables that with the last payloads, since what is open then is what
    /// stands in the way.
    fn within_bound(&mut self, view: View, unroll: u32) -> Told {
        let choices = Choices::of(self.entries.origin);
        let mut plan = choices.first(view, unroll, false);
        let mut told: Option<Told> = None;
        loop {
            self.record.obligations = Counts::default();
            let verdict = match compare(self, &plan) {
                Outcome::Refined(refined) => {
                    plan = refined;
                    continue;
                }
                Outcome::Told(verdict) => verdict,
            };
            let now = self.told(verdict, unroll);
            if self.ends(&now.verdict) {
                return now;
            }
            // What stands in the way of the order in which both have the same addresses tells more.
            let tells_more = matches!(&now.verdict, Verdict::Unknown(why) if why.kind != Kind::Replay);
            let Some(next) = choices.after(&plan) else {
                return told.filter(|_| !tells_more).unwrap_or(now);
            };
            let last_of_order = next.own_first != plan.own_first;
            if last_of_order && (told.is_none() || tells_more) {
                told = Some(now);
            }
            plan = next;
        }
    }

    /// Whether nothing is tried behind a verdict: it proves something, or the prover contradicts itself.
    fn ends(&self, verdict: &Verdict) -> bool {
        let proved = matches!(verdict, Verdict::Proved | Verdict::ProvedWithin(_));
        proved || self.record.contradiction.is_some()
    }

    /// A verdict with what was counted for it.
    fn told(&self, verdict: Verdict, unroll: u32) -> Told {
        Told { verdict, counts: self.record.obligations, unroll }
    }

    /// Says a verdict. What is counted is that of the verdict that is told.
    fn tell(&mut self, told: Told) -> Verdict {
        (self.record.obligations, self.record.unroll) = (told.counts, told.unroll);
        told.verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_symbolic::places::Placed;

    /// All plans of a view within a bound, if each but the first shows that a local variable lies at its number below the top.
    fn plans(choices: Choices) -> Vec<Plan> {
        let mut plan = Some(choices.first(View::Plain, 4, false));
        let mut all = Vec::new();
        while let Some(mut now) = plan {
            now.placed.push(Placed { frame: 0, index: 0, below: all.len() as u32 });
            plan = choices.after(&now);
            all.push(now);
        }
        all
    }

    #[test]
    fn plans_vary_payloads_within_each_order_and_forget_what_another_order_showed() {
        let choices =
            Choices { payloads: &[Payloads::Natural, Payloads::Sum, Payloads::Open], orders: &[false, true] };
        let all: Vec<_> =
            plans(choices).into_iter().map(|p| (p.own_first, p.payloads, p.placed.len())).collect();
        let expected = [
            (false, Payloads::Natural, 1),
            (false, Payloads::Sum, 2),
            (false, Payloads::Open, 3),
            (true, Payloads::Natural, 1),
            (true, Payloads::Sum, 2),
            (true, Payloads::Open, 3),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_source_that_leaves_nothing_open_has_the_default_plan_alone() {
        let all = plans(Choices { payloads: &[Payloads::Open], orders: &[false] });
        let placed = vec![Placed { frame: 0, index: 0, below: 0 }];
        assert_eq!(all, [Plan { placed, ..Plan::default() }]);
    }
}
