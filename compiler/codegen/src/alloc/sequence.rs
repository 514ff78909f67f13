//! Parallel moves as a sequence, over real registers and slots.
//!
//! Does: emits first each move whose destination no other move still reads; what is then left are cycles, which become
//! swaps, or go through a scratch register where they cross classes or the frame. (Boissinot et al., "Revisiting
//! Out-of-SSA Translation", 2009, has the argument that this loses nothing.)

use super::work::{Item, Loc, Move};
use crate::Error;
use rustc_hash::FxHashMap;
use sassafras_graph::Entity;
use sassafras_isa::RegClass;
use sassafras_machine::{Block, Function, MInst, Place, Pseudo, Reg};
use std::collections::BTreeSet;

/// An end of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// A real register, or a constant as a source.
    Register(RegClass, u16),
    /// An offset in the spill area.
    Slot(u32),
}

impl End {
    fn place(self) -> Option<Place> {
        match self {
            End::Register(class, number) => Some(Reg::Physical(number).place(class, 1)),
            End::Slot(_) => None,
        }
    }
}

/// The instructions of one block.
pub fn instructions(
    f: &Function,
    block: Block,
    items: Vec<Item>,
    places: &[u16],
    scratch: Option<[u16; 2]>,
) -> Result<Vec<MInst>, Error> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Inst(mut inst) => {
                inst.map_registers(|operand| match operand.reg {
                    Reg::Virtual(vreg, unit) => Reg::Physical(places[vreg.index()] + u16::from(unit)),
                    reg => reg,
                });
                out.push(inst);
            }
            Item::Held(_) => {}
            Item::Moves(moves) => {
                let end = |loc: Loc| match loc {
                    Loc::Unit(vreg, unit) => {
                        End::Register(f.vregs[vreg].class, places[vreg.index()] + u16::from(unit))
                    }
                    Loc::Slot(offset) => End::Slot(offset),
                    Loc::Constant(class) => End::Register(class, class.constant().unwrap_or(0) as u16),
                };
                let moves = moves.iter().map(|Move { dst, src }| (end(*dst), end(*src))).collect();
                let steps = sequence(moves, scratch).ok_or_else(|| {
                    Error::malformed(
                        block,
                        out.len(),
                        "a move that needs a scratch register, and none is reserved",
                    )
                })?;
                out.extend(steps.into_iter().map(MInst::pseudo));
            }
        }
    }
    Ok(out)
}

/// A sequence with the effect of the parallel moves; `None` when it needs a scratch register and has none. Near-linear in
/// the number of moves, whose destinations differ.
pub fn sequence(mut moves: Vec<(End, End)>, scratch: Option<[u16; 2]>) -> Option<Vec<Pseudo>> {
    let scratch = scratch.map(|pair| pair.map(|number| End::Register(RegClass::R, number)));
    let mut out = Vec::new();
    moves.retain(|(dst, src)| dst != src);
    let writer: FxHashMap<End, usize> =
        moves.iter().zip(0..).map(|(&(dst, _), index)| (dst, index)).collect();
    let mut readers: FxHashMap<End, u32> = FxHashMap::default();
    moves.iter().for_each(|(_, src)| *readers.entry(*src).or_default() += 1);
    let mut left = vec![true; moves.len()];
    let is_ready = |index: &usize| !readers.contains_key(&moves[*index].0);
    let mut ready: BTreeSet<usize> = (0..moves.len()).filter(is_ready).collect();
    let mut cycles: Option<Cycles> = None;
    let mut first = 0;
    loop {
        while let Some(index) = ready.pop_first() {
            let (dst, src) = moves[index];
            step(dst, src, scratch.map(|pair| pair[0]), &mut out)?;
            left[index] = false;
            if let Some(count) = readers.get_mut(&src) {
                *count -= 1;
                if *count == 0 {
                    ready.extend(writer.get(&src).filter(|&&index| left[index]));
                }
            }
        }
        let Some(index) = (first..moves.len()).find(|&index| left[index]) else { return Some(out) };
        first = index;
        // Only cycles are left: every destination is read exactly once.
        let cycles = cycles.get_or_insert_with(|| Cycles::new(&moves, &left, &writer));
        let (dst, src) = moves[index];
        let next = cycles.reader[&dst];
        if cycles.swappable[index] {
            let (Some(a), Some(b)) = (dst.place(), src.place()) else { return None };
            out.push(Pseudo::Swap { a, b });
            // `dst` is done; what it held is now in `src`.
            left[index] = false;
            moves[next].1 = src;
            cycles.reader.insert(src, next);
            left[next] = moves[next].0 != src;
        } else {
            let [through, keep] = scratch?;
            step(keep, dst, Some(through), &mut out)?;
            moves[next].1 = keep;
            ready.insert(index);
        }
    }
}

/// Moves that are left when each destination is read by another.
struct Cycles {
    /// The move that reads a place.
    reader: FxHashMap<End, usize>,
    /// By move: all on its cycle are between registers of one class.
    swappable: Vec<bool>,
}

impl Cycles {
    fn new(moves: &[(End, End)], left: &[bool], writer: &FxHashMap<End, usize>) -> Cycles {
        let here = || (0..moves.len()).filter(|&index| left[index]);
        let reader = here().map(|index| (moves[index].1, index)).collect();
        let class = |index: usize| moves[index].0.place().map(|place| place.class);
        let (mut swappable, mut seen) = (vec![false; moves.len()], vec![false; moves.len()]);
        for start in here() {
            let mut cycle = Vec::new();
            let mut at = start;
            while !std::mem::replace(&mut seen[at], true) {
                cycle.push(at);
                at = writer[&moves[at].1];
            }
            let alike = class(start).is_some() && cycle.iter().all(|&index| class(index) == class(start));
            cycle.into_iter().for_each(|index| swappable[index] = alike);
        }
        Cycles { reader, swappable }
    }
}

/// One move; between slots, or between a slot and another class than R, through a general register.
fn step(dst: End, src: End, scratch: Option<End>, out: &mut Vec<Pseudo>) -> Option<()> {
    match (dst, src) {
        (End::Register(..), End::Register(..)) => {
            out.push(Pseudo::Copy { dst: dst.place()?, src: src.place()? })
        }
        (End::Register(RegClass::R, _), End::Slot(slot)) => {
            out.push(Pseudo::Reload { dst: dst.place()?, slot })
        }
        (End::Slot(slot), End::Register(RegClass::R, _)) => {
            out.push(Pseudo::Spill { slot, src: src.place()? })
        }
        (_, End::Slot(slot)) => {
            let through = scratch?;
            out.push(Pseudo::Reload { dst: through.place()?, slot });
            step(dst, through, None, out)?;
        }
        (End::Slot(slot), _) => {
            let through = scratch?.place()?;
            out.push(Pseudo::Copy { dst: through, src: src.place()? });
            out.push(Pseudo::Spill { slot, src: through });
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sassafras_isa::{Draw, Rng};
    use std::collections::BTreeMap;

    fn key(end: End) -> (u8, u32) {
        match end {
            End::Register(class, number) => (class as u8, number.into()),
            End::Slot(offset) => (99, offset),
        }
    }

    fn run(steps: &[Pseudo], state: &mut BTreeMap<(u8, u32), u64>) {
        let at = |place: &Place| match place.reg {
            Reg::Physical(number) => (place.class as u8, u32::from(number)),
            Reg::Virtual(..) => unreachable!(),
        };
        for step in steps {
            match step {
                Pseudo::Copy { dst, src } => {
                    let value = state[&at(src)];
                    state.insert(at(dst), value);
                }
                Pseudo::Swap { a, b } => {
                    let (x, y) = (state[&at(a)], state[&at(b)]);
                    state.insert(at(a), y);
                    state.insert(at(b), x);
                }
                Pseudo::Spill { slot, src } => {
                    let value = state[&at(src)];
                    state.insert((99, *slot), value);
                }
                Pseudo::Reload { dst, slot } => {
                    let value = state[&(99, *slot)];
                    state.insert(at(dst), value);
                }
                other => unreachable!("{other:?}"),
            }
        }
    }

    /// Any parallel moves among a few registers, predicates and slots: every destination has its source's old value,
    /// and nothing else changes but the scratch registers.
    #[test]
    fn as_if_at_once() {
        let scratch = [40, 41];
        for seed in 0..20_000 {
            let mut rng = Rng(seed);
            let files = 1 + rng.draw(3);
            let ends: Vec<End> = (0..5)
                .map(|n| End::Register(RegClass::R, n))
                .chain((0..4).filter(|_| files > 1).map(|n| End::Slot(4 * n)))
                .chain((0..3).filter(|_| files > 2).map(|n| End::Register(RegClass::P, n)))
                .collect();
            let moved: Vec<End> = ends.iter().copied().filter(|_| rng.draw(3) > 0).collect();
            let moves: Vec<(End, End)> =
                moved.iter().map(|&dst| (dst, ends[rng.draw(ends.len() as u64) as usize])).collect();
            let all = ends.iter().copied().chain(scratch.map(|n| End::Register(RegClass::R, n)));
            let before: BTreeMap<_, _> = all.enumerate().map(|(n, end)| (key(end), n as u64)).collect();
            let mut after = before.clone();
            let one_file = files == 1;
            let steps =
                sequence(moves.clone(), (!one_file).then_some(scratch)).expect("enough scratch registers");
            run(&steps, &mut after);
            for &end in &ends {
                let source = moves.iter().find(|(dst, _)| *dst == end).map_or(end, |(_, src)| *src);
                assert_eq!(after[&key(end)], before[&key(source)], "seed {seed}: {moves:?} as {steps:?}");
            }
        }
    }

    /// A cycle of spill slots as long as it likes.
    #[test]
    fn a_long_cycle_takes_no_longer_than_its_length() {
        const LENGTH: u32 = 200_000;
        let moves = (0..LENGTH).map(|n| (End::Slot(4 * n), End::Slot(4 * ((n + 1) % LENGTH)))).collect();
        let steps = sequence(moves, Some([40, 41])).expect("enough scratch registers");
        // Each slot is read and written once; one goes through the second scratch register.
        assert_eq!(steps.len() as u32, 2 * LENGTH);
    }
}
