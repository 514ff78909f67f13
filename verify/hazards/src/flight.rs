//! Accesses to registers that may still be under way.

use crate::register::Register;
use crate::reuse::Kept;
use sassafras_chip::latency::{Class, LONGEST, results_in_order, sources_in_order};
use sassafras_isa::{Guard, Inst, RegClass};

/// Ages of accesses of variable latency are counted so far: as far as `settled` needs them.
const OLDEST: u8 = 64;

/// Instructions behind an access are counted so far: DEPBAR has six bits for the number that it leaves.
const MOST_BEHIND: u8 = 63;

impl Flight {
    /// Whether no thread does both: their guards are complements, and the predicate was not written between. A guard of lanes says
    /// nothing of what a warp has once.
    pub(crate) fn excludes(&self, guard: Guard, class: RegClass) -> bool {
        let complement = Guard { negate: !guard.negate, ..guard };
        let lanes = matches!(class, RegClass::R | RegClass::P);
        self.under == Some(complement) && (lanes || guard.uniform)
    }

    /// Whether others of its unit end after it for certain, so that a count says when it is over.
    pub(crate) fn ends_in_turn(&self) -> bool {
        match self.access {
            Access::Write => results_in_order(self.mnemonic, self.mnemonic),
            Access::Read => sources_in_order((self.class, self.mnemonic), (self.class, self.mnemonic)),
        }
    }

    /// Whether a later instruction keeps its distance to this access of variable latency by itself: a result of the
    /// same queue is written later, and an instruction of the memory pipe writes after those before it have read.
    pub(crate) fn precedes(&self, mnemonic: &str, pipe: Class, write: bool) -> bool {
        write
            && match self.access {
                Access::Write => results_in_order(self.mnemonic, mnemonic),
                // What has its result has read its sources.
                Access::Read => {
                    results_in_order(self.mnemonic, mnemonic)
                        || sources_in_order((self.class, self.mnemonic), (pipe, mnemonic))
                }
            }
    }
}

/// Direction of an access in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Read,
    Write,
}

/// One access in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flight {
    /// Its instruction.
    pub(crate) at: usize,
    pub(crate) access: Access,
    /// Latency class of the instruction's part.
    pub(crate) class: Class,
    /// Fewest cycles since its issue.
    pub(crate) age: u8,
    /// Whether only a scoreboard says when it is over.
    pub(crate) variable: bool,
    /// Scoreboards of which any covers it, by bit.
    pub(crate) boards: u8,
    /// For each of these scoreboards, how many later instructions that end after this access have raised it, at the least.
    pub(crate) behind: [u8; 6],
    /// Of the instruction: what is covered with it.
    pub(crate) mnemonic: &'static str,
    /// The guard under which it happens, while the predicate has the value that it had then.
    pub(crate) under: Option<Guard>,
}

/// Accesses in flight by register, and when each scoreboard was last set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct State {
    /// In the order of registers, those of one in the order in which they came. There are few: what is of fixed latency leaves soon, and what
    /// is not is waited for.
    flights: Vec<(Register, Flight)>,
    /// Fewest cycles since an instruction set each scoreboard.
    pub(crate) set_at: [Option<u8>; 6],
    /// Operands that are kept for reuse.
    pub(crate) kept: Kept,
}

impl State {
    /// Where the accesses to a register stand.
    fn of(&self, register: Register) -> std::ops::Range<usize> {
        let start = self.flights.partition_point(|(other, _)| *other < register);
        let count = self.flights[start..].iter().take_while(|(other, _)| *other == register).count();
        start..start + count
    }

    pub(crate) fn at(&self, register: Register) -> impl Iterator<Item = &Flight> {
        self.flights[self.of(register)].iter().map(|(_, flight)| flight)
    }

    /// Results that only a scoreboard says are there.
    pub(crate) fn late_results(&self) -> Vec<(Register, Flight)> {
        let each = self.flights.iter().copied();
        let mut all: Vec<_> = each.filter(|(_, f)| f.variable && f.access == Access::Write).collect();
        all.sort_by_key(|(register, f)| (f.at, *register));
        all
    }

    /// Notes an access. A write that surely happens comes after all before it: they are over, or were objected to.
    pub(crate) fn add(&mut self, register: Register, flight: Flight, always: bool) {
        let over = always && flight.access == Access::Write;
        let stays = |old: &Flight| {
            let same = old.at == flight.at && old.age == 0;
            let own =
                old.at == flight.at && old.access == flight.access && (!same || old.class == flight.class);
            !own && (same || !over)
        };
        let mut range = self.of(register);
        while let Some(gone) = range.clone().find(|&at| !stays(&self.flights[at].1)) {
            self.flights.remove(gone);
            range = gone..range.end - 1;
        }
        self.flights.insert(range.end, (register, flight));
    }

    /// An instruction sets scoreboards: its result stands for earlier ones of its unit, and what it waits with for its sources
    /// for the sources of those before it in its pipe, whatever its guard.
    pub(crate) fn cover(&mut self, inst: &Inst, result: u8, sources: u8) {
        if result | sources == 0 {
            return;
        }
        let (mnemonic, pipe) = (inst.row().mnemonic, inst.row().pipe);
        for (_, f) in self.flights.iter_mut().filter(|(_, f)| f.variable) {
            let results = results_in_order(f.mnemonic, mnemonic);
            let raised = match f.access {
                Access::Write if results => result,
                Access::Read if sources_in_order((f.class, f.mnemonic), (pipe, mnemonic)) => result | sources,
                // What has its result has read its sources.
                Access::Read if results => result,
                Access::Write | Access::Read => 0,
            };
            for board in (0..6).filter(|board| (raised & f.boards) >> board & 1 == 1) {
                f.behind[board] = f.behind[board].saturating_add(1).min(MOST_BEHIND);
            }
            f.boards |= raised;
        }
    }

    /// A predicate is written: what happened under it may happen under its complement now.
    pub(crate) fn rewritten(&mut self, (class, number): Register) {
        let uniform = match class {
            RegClass::P => false,
            RegClass::UP => true,
            RegClass::R | RegClass::UR | RegClass::B => return,
        };
        for (_, f) in &mut self.flights {
            f.under = f.under.filter(|guard| (guard.pred, guard.uniform) != (number, uniform));
        }
    }

    /// The memory instructions under way have read their sources.
    pub(crate) fn read(&mut self) {
        self.flights
            .retain(|(_, f)| !f.variable || f.access != Access::Read || f.class.whole() != Class::Memory);
    }

    /// What a scoreboard covers is over.
    pub(crate) fn waited(&mut self, barrier: u8) {
        self.flights.retain(|(_, f)| f.boards >> barrier & 1 == 0);
    }

    /// At most so many that raised a scoreboard are under way. What has as many behind it that end later is over: else it would be one more.
    pub(crate) fn counted(&mut self, barrier: u8, left: u8) {
        let at = usize::from(barrier);
        self.flights.retain(|(_, f)| f.boards >> barrier & 1 == 0 || f.behind[at] < left);
    }

    /// Time passes.
    pub(crate) fn pass(&mut self, cycles: u8) {
        self.flights.retain_mut(|(_, f)| {
            f.age = f.age.saturating_add(cycles).min(if f.variable { OLDEST } else { LONGEST });
            f.variable || f.age < LONGEST
        });
        self.set_at.iter_mut().flatten().for_each(|age| *age = age.saturating_add(cycles).min(LONGEST));
    }

    /// Joins another path. Returns whether anything new is possible.
    pub(crate) fn meet(&mut self, other: &State) -> bool {
        let mut changed = self.kept.meet(&other.kept);
        // Both are in the order of registers: what is new of one is put behind what is there.
        let mut at = 0;
        for (register, flight) in &other.flights {
            while self.flights.get(at).is_some_and(|(mine, _)| mine < register) {
                at += 1;
            }
            let same = |f: &Flight| {
                (f.at, f.access, f.class, f.boards) == (flight.at, flight.access, flight.class, flight.boards)
            };
            let mut end = at;
            let mut found = false;
            while let Some((_, old)) = self.flights.get_mut(end).filter(|(mine, _)| mine == register) {
                if same(old) {
                    found = true;
                    changed |= flight.age < old.age;
                    old.age = old.age.min(flight.age);
                    for (mine, &theirs) in old.behind.iter_mut().zip(&flight.behind) {
                        changed |= theirs < *mine;
                        *mine = (*mine).min(theirs);
                    }
                    if old.under.is_some() && old.under != flight.under {
                        changed = true;
                        old.under = None;
                    }
                    break;
                }
                end += 1;
            }
            if !found {
                self.flights.insert(end, (*register, *flight));
                changed = true;
            }
        }
        for (mine, &theirs) in self.set_at.iter_mut().zip(&other.set_at) {
            let least = match (*mine, theirs) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            changed |= *mine != least;
            *mine = least;
        }
        changed
    }
}
