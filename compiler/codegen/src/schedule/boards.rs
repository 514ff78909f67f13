//! Scoreboards and wait masks.
//!
//! Numbers are chosen block by block: a free one if there is one, else one that the same kind of instruction holds.
//! Any choice is right, as a scoreboard counts: it is zero only when all that raised it are done.
//!
//! Wait masks are a forward dataflow problem. Lattice: per scoreboard, the set of registers whose results it guards
//! and the set whose reading it guards, by union. Transfer: an instruction waits for every scoreboard that guards a
//! result it reads or overwrites, the reading of what it overwrites, or a fence that must be done; waiting empties both sets; then it adds its
//! own. Entry sets only grow and masks are only added to, so that the end, where nothing changes, covers every path.

use super::hazard::{COUNTED, FENCE, Facts};
use rustc_hash::FxHashMap;
use sassafras_graph::dataflow::{Transfer, backward};
use sassafras_graph::{BitSet, Entity, SecondaryMap};
use sassafras_machine::{Block, Function};

const BOARDS: usize = 6;

/// What is under way on each scoreboard.
#[derive(Clone, PartialEq, Debug)]
struct Pending {
    results: [Registers; BOARDS],
    reads: [Registers; BOARDS],
}

/// A set of registers and [`FENCE`]. Every block has twelve of them, so that they are no sets on the heap.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Registers([u64; Registers::WORDS]);

impl Registers {
    const WORDS: usize = (FENCE + 1).div_ceil(64);

    fn contains(&self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 == 1
    }

    fn insert(&mut self, register: usize) {
        self.0[register / 64] |= 1 << (register % 64);
    }

    fn clear(&mut self) {
        self.0 = [0; Registers::WORDS];
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Adds all of `other`; whether anything is new.
    fn union(&mut self, other: &Registers) -> bool {
        let before = *self;
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
        *self != before
    }
}

impl Pending {
    fn new() -> Pending {
        let none = [Registers([0; Registers::WORDS]); BOARDS];
        Pending { results: none, reads: none }
    }

    fn union(&mut self, other: &Pending) -> bool {
        let mut changed = false;
        for board in 0..BOARDS {
            changed |= self.results[board].union(&other.results[board]);
            changed |= self.reads[board].union(&other.reads[board]);
        }
        changed
    }

    /// Scoreboards that the instruction must wait for, as a mask.
    fn needed(&self, facts: &Facts) -> u8 {
        let mut mask = 0;
        for board in 0..BOARDS {
            let read = facts.reads.iter().any(|(register, _)| self.results[board].contains(*register));
            let write = facts.writes.iter().any(|(register, _)| {
                self.results[board].contains(*register) || self.reads[board].contains(*register)
            });
            let fence =
                facts.ordered && (self.reads[board].contains(FENCE) || self.results[board].contains(FENCE));
            // A callee does not know what is on its way.
            let call = facts.calls && !self.is_free(board);
            mask |= u8::from(read || write || fence || call) << board;
        }
        mask
    }

    fn step(&mut self, facts: &Facts, mask: u8, write: u8, read: u8) {
        for board in (0..BOARDS).filter(|board| mask >> board & 1 == 1) {
            self.results[board].clear();
            self.reads[board].clear();
        }
        if let Some(set) = self.results.get_mut(usize::from(write)) {
            if facts.fences_late {
                set.insert(FENCE);
            }
            facts.writes.iter().for_each(|(register, _)| {
                set.insert(*register);
            });
        }
        if let Some(set) = self.reads.get_mut(usize::from(read)) {
            // Where a source is a result too, the results' scoreboard covers it.
            let result =
                |register: usize| facts.late_results && facts.writes.iter().any(|(own, _)| *own == register);
            facts.sources().filter(|&register| !result(register)).for_each(|register| {
                set.insert(register);
            });
            if facts.fences && !facts.fences_late {
                set.insert(FENCE);
            }
        }
    }

    fn is_free(&self, board: usize) -> bool {
        self.results[board].is_empty() && self.reads[board].is_empty()
    }
}

/// Sets scoreboards and wait masks. Returns how many instructions wait.
pub fn set(f: &mut Function) -> usize {
    let facts: SecondaryMap<Block, Vec<Facts>> = {
        let mut map = SecondaryMap::new();
        for &block in &f.layout {
            map[block] = f.blocks[block].insts.iter().map(|inst| Facts::new(f.chip, inst)).collect();
        }
        map
    };
    choose(f, &facts);
    masks(f, &facts);
    f.insts().filter(|(_, _, inst)| inst.inst().is_some_and(|real| real.control.wait_mask != 0)).count()
}

fn choose(f: &mut Function, facts: &SecondaryMap<Block, Vec<Facts>>) {
    // Registers that may be written somewhere behind a block.
    let graph = f.graph();
    let written = backward(&graph, |block: Block| {
        let all = facts[block].iter().flat_map(|facts| facts.writes.iter().map(|(register, _)| *register));
        Transfer { generate: all.collect(), kill: BitSet::default() }
    });
    let counts = f.layout.iter().any(|&block| facts[block].iter().any(|facts| facts.counted));
    let first = usize::from(counts) * (usize::from(COUNTED) + 1);
    for block in f.layout.clone() {
        let facts = &facts[block];
        let mut pending = Pending::new();
        let touches = Touches::new(facts);
        // Per scoreboard: when it was last raised, and by which pipe.
        let mut raised: [(usize, Option<(sassafras_isa::Pipe, bool)>); BOARDS] = [(0, None); BOARDS];
        for (index, me) in facts.iter().enumerate() {
            let mask = pending.needed(me);
            pending.step(me, mask, 7, 7);
            let mut pick = |pending: &Pending, kind: (sassafras_isa::Pipe, bool)| {
                let free = (first..BOARDS).filter(|&board| pending.is_free(board));
                let alike = (first..BOARDS).filter(|&board| raised[board].1 == Some(kind));
                let board = free
                    .min_by_key(|&board| raised[board].0)
                    .or_else(|| alike.max_by_key(|&board| raised[board].0))
                    .or_else(|| (first..BOARDS).max_by_key(|&board| raised[board].0))
                    .unwrap_or(0);
                raised[board] = (index + 1, Some(kind));
                board as u8
            };
            let (mut write, mut read) = (7, 7);
            if me.late_results || me.fences_late {
                write = pick(&pending, (me.class, true));
                pending.step(me, 0, write, 7);
            }
            let overwritten = me.late_reads && touches.needs_read_board(me, index, &written.end[block]);
            if overwritten || me.fences && !me.fences_late {
                read = pick(&pending, (me.class, false));
                pending.step(me, 0, 7, read);
            }
            if me.counted {
                read = COUNTED;
            }
            if let Some(real) = f.blocks[block].insts[index].inst_mut() {
                real.control.write_barrier = write;
                real.control.read_barrier = read;
            }
        }
    }
}

/// Where a block touches each register, and where it writes it: positions in rising order.
#[derive(Default)]
struct Touches {
    all: FxHashMap<usize, Vec<usize>>,
    writes: FxHashMap<usize, Vec<usize>>,
}

impl Touches {
    fn new(facts: &[Facts]) -> Touches {
        let mut touches = Touches::default();
        for (index, one) in facts.iter().enumerate() {
            for (register, _) in one.reads.iter().chain(&one.writes) {
                touches.all.entry(*register).or_default().push(index);
            }
            for (register, _) in &one.writes {
                touches.writes.entry(*register).or_default().push(index);
            }
        }
        touches
    }

    /// The first position of a list behind `index`.
    fn next(list: Option<&Vec<usize>>, index: usize) -> Option<usize> {
        let list = list?;
        list.get(list.partition_point(|&at| at <= index)).copied()
    }

    /// Whether a source of the instruction at `index` may be overwritten before anything has waited for its results.
    fn needs_read_board(&self, me: &Facts, index: usize, written_later: &BitSet) -> bool {
        let result = |register: usize| me.late_results && me.writes.iter().any(|(own, _)| *own == register);
        let sources = || me.sources().filter(|&register| !result(register));
        let own = me.writes.iter().filter(|_| me.late_results).map(|(register, _)| *register);
        let waited = own.filter_map(|register| Self::next(self.all.get(&register), index)).min();
        let overwritten =
            sources().filter_map(|register| Self::next(self.writes.get(&register), index)).min();
        match (waited, overwritten) {
            (Some(waited), Some(overwritten)) => overwritten < waited,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            (None, None) => sources().any(|register| written_later.contains(register)),
        }
    }
}

fn masks(f: &mut Function, facts: &SecondaryMap<Block, Vec<Facts>>) {
    let mut entry: SecondaryMap<Block, Option<Pending>> = SecondaryMap::new();
    entry[f.entry] = Some(Pending::new());
    let mut stale: BitSet = BitSet::new(f.blocks.len());
    stale.insert(f.entry.index());
    let layout = f.layout.clone();
    // In order of the layout, each block again alone when more has come to its entry.
    while !stale.is_empty() {
        for &block in &layout {
            if !stale.remove(block.index()) {
                continue;
            }
            let Some(mut pending) = entry[block].clone() else { continue };
            for (inst, me) in f.blocks[block].insts.iter_mut().zip(&facts[block]) {
                let Some(real) = inst.inst_mut() else { continue };
                real.control.wait_mask |= pending.needed(me);
                let control = real.control;
                pending.step(me, control.wait_mask, control.write_barrier, control.read_barrier);
            }
            for succ in f.blocks[block].succs.iter().map(|edge| edge.block) {
                let changed = match &mut entry[succ] {
                    Some(known) => known.union(&pending),
                    unknown => {
                        *unknown = Some(pending.clone());
                        true
                    }
                };
                if changed {
                    stale.insert(succ.index());
                }
            }
        }
    }
}
