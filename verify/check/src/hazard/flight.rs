//! Accesses to registers that may still be under way.

use super::reuse::Kept;
use sassafras_chip::latency::{Class, LONGEST, results_in_order, sources_in_order};
use sassafras_isa::{Inst, RegClass};

/// Ages of accesses of variable latency are counted so far: as far as `settled` needs them.
const OLDEST: u8 = 64;

/// A register by file and number.
pub(super) type Register = (RegClass, u32);

impl Flight {
    /// Whether a later instruction keeps its distance to this access of variable latency by itself: a result of the
    /// same queue is written later, and an instruction of the memory pipe writes after those before it have read.
    pub(super) fn precedes(&self, mnemonic: &str, pipe: Class, write: bool) -> bool {
        write
            && match self.access {
                Access::Write => results_in_order(self.mnemonic, mnemonic),
                Access::Read => sources_in_order((self.class, self.mnemonic), (pipe, mnemonic)),
            }
    }
}

/// Direction of an access in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

/// One access in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flight {
    /// Its instruction.
    pub(super) at: usize,
    pub(super) access: Access,
    /// Latency class of the instruction's part.
    pub(super) class: Class,
    /// Fewest cycles since its issue.
    pub(super) age: u8,
    /// Whether only a scoreboard says when it is over.
    pub(super) variable: bool,
    /// Scoreboards of which any covers it, by bit.
    pub(super) boards: u8,
    /// Of the instruction: what is covered with it.
    pub(super) mnemonic: &'static str,
}

/// Accesses in flight by register, and when each scoreboard was last set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// In the order of registers, those of one in the order in which they came. There are few: what is of fixed latency leaves soon, and what
    /// is not is waited for.
    flights: Vec<(Register, Flight)>,
    /// Fewest cycles since an instruction set each scoreboard.
    pub(super) set_at: [Option<u8>; 6],
    /// Operands that are kept for reuse.
    pub(super) kept: Kept,
}

impl State {
    /// Where the accesses to a register stand.
    fn of(&self, register: Register) -> std::ops::Range<usize> {
        let start = self.flights.partition_point(|(other, _)| *other < register);
        let count = self.flights[start..].iter().take_while(|(other, _)| *other == register).count();
        start..start + count
    }

    pub(super) fn at(&self, register: Register) -> impl Iterator<Item = &Flight> {
        self.flights[self.of(register)].iter().map(|(_, flight)| flight)
    }

    /// Results that only a scoreboard says are there.
    pub(super) fn late_results(&self) -> Vec<(Register, Flight)> {
        let each = self.flights.iter().copied();
        let mut all: Vec<_> = each.filter(|(_, f)| f.variable && f.access == Access::Write).collect();
        all.sort_by_key(|(register, f)| (f.at, *register));
        all
    }

    /// Notes an access. A write that surely happens comes after all before it: they are over, or were objected to.
    pub(super) fn add(&mut self, register: Register, flight: Flight, always: bool) {
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
    pub(super) fn cover(&mut self, inst: &Inst, result: u8, sources: u8) {
        if result | sources == 0 {
            return;
        }
        let (mnemonic, pipe) = (inst.row().mnemonic, inst.row().pipe);
        for (_, f) in self.flights.iter_mut().filter(|(_, f)| f.variable) {
            f.boards |= match f.access {
                Access::Write if results_in_order(f.mnemonic, mnemonic) => result,
                Access::Read if sources_in_order((f.class, f.mnemonic), (pipe, mnemonic)) => result | sources,
                Access::Write | Access::Read => 0,
            };
        }
    }

    /// The memory instructions under way have read their sources.
    pub(super) fn read(&mut self) {
        self.flights
            .retain(|(_, f)| !f.variable || f.access != Access::Read || f.class.whole() != Class::Memory);
    }

    /// What a scoreboard covers is over.
    pub(super) fn waited(&mut self, barrier: u8) {
        self.flights.retain(|(_, f)| !f.variable || f.boards >> barrier & 1 == 0);
    }

    /// Time passes.
    pub(super) fn pass(&mut self, cycles: u8) {
        self.flights.retain_mut(|(_, f)| {
            f.age = f.age.saturating_add(cycles).min(if f.variable { OLDEST } else { LONGEST });
            f.variable || f.age < LONGEST
        });
        self.set_at.iter_mut().flatten().for_each(|age| *age = age.saturating_add(cycles).min(LONGEST));
    }

    /// Joins another path. Returns whether anything new is possible.
    pub(super) fn meet(&mut self, other: &State) -> bool {
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
