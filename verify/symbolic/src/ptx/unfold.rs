//! Loops that are unfolded: versions of a loop stand before it, for loops of a target that does several iterations in one ([`Unfold`]).
//!
//! A version is a number of copies of the loop's places. A way from the last copy to the head leads to a *choice*, as do ways into the loop from outside: lanes go
//! on with the version, or to the next one, at last to the loop itself. Each copy of a place does what the place does, and each way leads to a
//! copy of where it led, so that the program is the same whatever is chosen.

use crate::cut::Unfold;
use crate::obstacle::coverage::Coverage;
use crate::obstacle::place::Place;
use crate::ptx::calls::{Program, Step};
use crate::ptx::flow::flow;
use crate::ptx::unfolded::Unfolded;
use crate::trace::loops::Loops;
use sassafras_ptx::checked::Op;
use sassafras_semantics::Space;
use std::collections::{BTreeMap, BTreeSet};

/// Most places of a program whose loops are unfolded.
const MOST: u64 = 20_000;

/// What a place becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// A choice of a version.
    Choice { version: usize },
    /// A copy of a place in a version.
    Copy { version: usize, copy: u32, of: u64 },
    /// The place itself.
    Own { of: u64 },
}

/// A loop that is unfolded.
struct Loop<'u> {
    unfold: &'u Unfold,
    /// Its places, in order.
    places: Vec<u64>,
}

impl Loop<'_> {
    /// What stands before the loop.
    fn made(&self) -> Vec<Made> {
        let mut all = Vec::new();
        for (version, of) in self.unfold.versions.iter().enumerate() {
            all.push(Made::Choice { version });
            for copy in 0..of.times {
                all.extend(self.places.iter().map(|of| Made::Copy { version, copy, of: *of }));
            }
        }
        all
    }

    /// How many places each version has.
    fn sizes(&self) -> impl Iterator<Item = u64> {
        let places = self.places.len() as u64;
        self.unfold.versions.iter().map(move |v| u64::from(v.times).saturating_mul(places).saturating_add(1))
    }

    fn has(&self, place: u64) -> bool {
        self.places.binary_search(&place).is_ok()
    }

    /// Where a way from one place leads, that led to `to` as the program is written.
    fn lead(&self, from: Made, to: u64) -> Made {
        let own = Made::Own { of: to };
        let inside = |of: u64| self.has(of) && self.has(to);
        match from {
            Made::Copy { version, copy, of } if inside(of) => match to == self.unfold.head {
                false => Made::Copy { version, copy, of: to },
                true if copy + 1 < self.unfold.versions[version].times => {
                    Made::Copy { version, copy: copy + 1, of: to }
                }
                true => Made::Choice { version },
            },
            Made::Own { of } if inside(of) => own,
            _ if to == self.unfold.head && !self.unfold.versions.is_empty() => Made::Choice { version: 0 },
            _ => own,
        }
    }
}

/// That a loop is not there, or is none that may be unfolded.
fn not_there(program: &Program<'_>, unfold: &Unfold) -> Coverage {
    let step = program.steps.get(unfold.head as usize).and_then(|step| step.inst);
    Coverage::CutWrong { at: Place::Line(step.map_or(0, |(inst, _)| inst.line.into())) }
}

impl<'a> Program<'a> {
    /// The same with loops unfolded.
    ///
    /// # Errors
    /// There is no such loop, it can be entered elsewhere, it is within another one that is unfolded, it has calls, or the program becomes too long.
    pub fn unfold(mut self, unfolds: &[Unfold]) -> Result<Program<'a>, Coverage> {
        if unfolds.is_empty() {
            return Ok(self);
        }
        let flow = flow(&self);
        let loops = Loops::of(&flow, &[0]);
        let all: Vec<Loop<'_>> =
            unfolds.iter().map(|unfold| self.found(unfold, &flow, &loops)).collect::<Result<_, _>>()?;
        let twice =
            all.iter().enumerate().any(|(i, l)| all[..i].iter().any(|o| o.places.iter().any(|p| l.has(*p))));
        let copies: u64 = all.iter().flat_map(Loop::sizes).fold(0, u64::saturating_add);
        if twice || copies.saturating_add(self.steps.len() as u64) > MOST {
            return Err(not_there(&self, &unfolds[0]));
        }
        let mut made: Vec<(Option<usize>, Made)> = Vec::new();
        for of in 0..self.steps.len() as u64 {
            let first = all.iter().position(|l| l.places.first() == Some(&of));
            made.extend(first.into_iter().flat_map(|i| all[i].made().into_iter().map(move |m| (Some(i), m))));
            made.push((None, Made::Own { of }));
        }
        self.lay_out(&all, &made, &flow);
        Ok(self)
    }

    /// The loop that is to be unfolded.
    fn found<'u>(
        &self,
        unfold: &'u Unfold,
        flow: &crate::trace::loops::Flow,
        loops: &Loops,
    ) -> Result<Loop<'u>, Coverage> {
        let wrong = || not_there(self, unfold);
        let own = loops.around(unfold.head).last().copied().filter(|l| loops.get(*l).head == unfold.head);
        let own = own.ok_or_else(wrong)?;
        let inside = |p: &u64| loops.around(*p).contains(&own);
        let places: Vec<u64> = flow.keys().copied().filter(|p| inside(p)).collect();
        let enters = |from: &u64, to: &u64| !inside(from) && inside(to) && *to != unfold.head;
        let elsewhere = flow.iter().any(|(from, to)| to.iter().any(|to| enters(from, to)));
        let calls = |p: &u64| {
            let step = &self.steps[*p as usize];
            step.inst.is_none() || step.deeper || !self.callees(step).is_empty()
        };
        let none = unfold.versions.is_empty() || unfold.versions.iter().any(|v| v.times == 0);
        match elsewhere || none || places.iter().any(calls) {
            true => Err(wrong()),
            false => Ok(Loop { unfold, places }),
        }
    }

    /// Gives each place its number.
    fn lay_out(
        &mut self,
        all: &[Loop<'_>],
        made: &[(Option<usize>, Made)],
        flow: &crate::trace::loops::Flow,
    ) {
        // Copies of different loops are told apart by their places, choices are not.
        let number = |of: Option<usize>, what: Made| -> u64 {
            let at = made
                .iter()
                .position(|(l, m)| *m == what && (*l == of || !matches!(what, Made::Choice { .. })));
            at.map_or(u64::MAX, |at| at as u64)
        };
        let mut own: BTreeMap<u64, u64> = BTreeMap::new();
        for (at, (_, m)) in made.iter().enumerate() {
            if let Made::Own { of } = m {
                own.insert(*of, at as u64);
            }
        }
        let own = |of: u64| own.get(&of).copied().unwrap_or(of + (made.len() - self.steps.len()) as u64);
        let (mut steps, mut unfolded) = (Vec::with_capacity(made.len()), Unfolded::default());
        for (at, (of_loop, what)) in made.iter().enumerate() {
            let at = at as u64;
            match *what {
                Made::Choice { version } => {
                    let (Some(i), Some(l)) = (*of_loop, of_loop.map(|i| &all[i])) else { continue };
                    let head = l.unfold.head;
                    let first = number(Some(i), Made::Copy { version, copy: 0, of: head });
                    let other = match version + 1 < l.unfold.versions.len() {
                        true => number(Some(i), Made::Choice { version: version + 1 }),
                        false => own(head),
                    };
                    let choice = Some(unfolded.choices.len());
                    unfolded.choices.push((l.unfold.versions[version], first));
                    steps.push(Step { next: other, choice, ..self.steps[head as usize] });
                }
                Made::Copy { of, .. } | Made::Own { of } => {
                    let lead = |to: u64| -> u64 {
                        let by = |(i, l): (usize, &Loop<'_>)| {
                            let leads = l.lead(*what, to);
                            (leads != Made::Own { of: to }).then(|| number(Some(i), leads))
                        };
                        all.iter().enumerate().find_map(by).unwrap_or_else(|| own(to))
                    };
                    for to in flow.get(&of).into_iter().flatten() {
                        let (written, led) = (own(*to), lead(*to));
                        if written != led {
                            unfolded.detours.insert((at, written), led);
                        }
                    }
                    let step = self.steps[of as usize];
                    if matches!(what, Made::Copy { .. }) {
                        unfolded.copies.push(at);
                    }
                    steps.push(Step { next: lead(step.next), ..step });
                }
            }
        }
        for frame in &mut self.frames {
            frame.positions.iter_mut().for_each(|at| *at = own(u64::from(*at)) as u32);
            frame.resume = own(frame.resume);
        }
        (self.steps, self.unfolded) = (steps, unfolded);
    }

    /// Places in versions of loops.
    pub fn copies(&self) -> BTreeSet<u64> {
        self.unfolded.copies.iter().copied().collect()
    }

    /// Places that read or write memory other than parameters.
    pub fn accesses(&self) -> Vec<u64> {
        let is_access = |step: &Step<'_>| {
            step.inst.is_some_and(|(inst, _)| {
                matches!(inst.op, Op::Ld | Op::St | Op::Atom | Op::Red)
                    && inst.mods.space != Some(Space::Param)
            })
        };
        let all = self.steps.iter().enumerate();
        all.filter(|(_, step)| is_access(step)).map(|(at, _)| at as u64).collect()
    }
}
