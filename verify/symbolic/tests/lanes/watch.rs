//! What is seen of a run, held against what was said.

use crate::maker::{MARK, Program, WHOLE};
use crate::run::{Asked, Members, Said};
use sassafras_execute::options::TraceEvent;
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong with what was said, as the executor shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Lanes come to an instruction without others that belong to them, or with others: its byte offset, who came, and who was to.
    Apart(u64, u32, u32),
    /// A lane reads a register of the warp that does not hold what it wrote, or found there: byte offset, lane, and both values.
    Lost(u64, usize, [u32; 2]),
    /// Lanes wait for ever.
    Waits,
}

/// The register that holds masks.
const MASK: &str = "R17";

/// What stands at the end of each turn of a loop: it is counted down.
const TURN: &str = ", -0x1, RZ";

/// Lanes that came to an instruction without others.
struct Part {
    warp: u32,
    at: u64,
    /// How often these had come to it.
    turn: usize,
    here: u32,
    wanted: u32,
}

/// What is seen of a run.
pub struct Watch {
    said: Said,
    /// Barriers of the block to which the lanes of a warp have to come at once, and whether they are aligned.
    barriers: BTreeSet<u64>,
    aligned: bool,
    /// Whether it is up to convergence barriers alone that lanes come to their end.
    waits_for_none: bool,
    /// By warp: who has not ended.
    left: Vec<u32>,
    /// By warp, register and lane: what was last written.
    registers: BTreeMap<(u32, String), [u32; 32]>,
    /// By warp and register of it: what each lane last wrote, or found where nothing else is said of it.
    views: BTreeMap<(u32, String), [u32; 32]>,
    /// By warp and lane: the mask of the last wait, or the one that it is about to wait with.
    masks: Vec<[u32; 32]>,
    /// By warp and lane: the operations across lanes, barriers of the block and ends of turns that it came to.
    history: Vec<[Vec<u64>; 32]>,
    /// By warp and lane: how often it came to a barrier of the block.
    met: Vec<[u32; 32]>,
    /// Where all lanes are said to be, and some were not: these have to end before they do anything else.
    missing: Vec<Part>,
    /// Operations of some of those that they are said to be of.
    parts: Vec<Part>,
    /// What is aligned and was not come to by all lanes of a warp at once: whether it is an operation of the whole warp.
    blocks: Vec<(Part, bool)>,
    /// Warps whose lanes wait for each other for ever in the source: some at one operation for such as are at another that names them (C15).
    stuck: BTreeSet<u32>,
    /// By warp: what was wrong at once.
    wrong: Vec<(u32, Wrong)>,
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

impl Watch {
    /// Of a run with so many threads.
    pub fn new(program: &Program, said: &Said, threads: u32) -> Watch {
        let warps = threads.div_ceil(32);
        let all = |warp: u32| u32::MAX >> (32 - (threads - 32 * warp).min(32));
        Watch {
            said: said.clone(),
            barriers: program.barriers.clone(),
            aligned: program.aligned,
            waits_for_none: program.waits_for_none,
            left: (0..warps).map(all).collect(),
            registers: BTreeMap::new(),
            views: BTreeMap::new(),
            masks: vec![[u32::MAX; 32]; warps as usize],
            history: (0..warps).map(|_| Default::default()).collect(),
            met: vec![[0; 32]; warps as usize],
            missing: Vec::new(),
            parts: Vec::new(),
            blocks: Vec::new(),
            stuck: BTreeSet::new(),
            wrong: Vec::new(),
        }
    }

    /// Lanes issue an instruction.
    pub fn see(&mut self, e: &TraceEvent<'_>) {
        let exits = e.text.contains("EXIT");
        self.go_on(e, exits);
        let all = !e.text.starts_with('@') && self.said.together.contains(&e.position);
        if all {
            self.demand_all(e);
        }
        self.note_mask(e);
        self.see_uniform(e);
        if e.text.ends_with(MARK) {
            self.cross(e, e.lanes, u32::MAX);
            lanes(e.lanes).for_each(|lane| self.met[e.warp as usize][lane] += 1);
        }
        if e.lanes != 0 && self.barriers.contains(&e.position) {
            self.block(e);
        } else if e.text.ends_with(TURN) || e.text.ends_with(MARK) {
            self.pass(e);
        }
        if let Some(asked) = self.said.asked.get(&e.position).copied().filter(|_| e.lanes != 0) {
            self.ask(e, asked);
        }
        for (name, lane, bits) in e.writes {
            let file = self.registers.entry((e.warp, name.clone())).or_default();
            match name.starts_with('U') {
                true => *file = [*bits as u32; 32],
                false => file[*lane as usize & 31] = *bits as u32,
            }
            if name == MASK {
                self.masks[e.warp as usize][*lane as usize & 31] = *bits as u32;
            }
        }
        if exits {
            self.left[e.warp as usize] &= !e.lanes;
        }
    }

    /// Lanes that were not where all are said to be end next, or it was wrong. Who goes to an `EXIT` has ended, for all that others can see.
    fn go_on(&mut self, e: &TraceEvent<'_>, exits: bool) {
        let absent = |part: &Part| part.wanted & !part.here;
        for part in self.missing.iter_mut().filter(|part| part.warp == e.warp) {
            match exits {
                true => part.wanted &= !e.lanes | part.here,
                false if absent(part) & e.lanes != 0 => {
                    self.wrong.push((part.warp, Wrong::Apart(part.at, part.here, part.wanted)));
                }
                false => {}
            }
        }
        self.missing.retain(|part| absent(part) != 0);
    }

    /// No lane of the warp is elsewhere.
    fn demand_all(&mut self, e: &TraceEvent<'_>) {
        let wanted = self.left[e.warp as usize];
        if e.lanes != wanted {
            self.missing.push(Part { warp: e.warp, at: e.position, turn: 0, here: e.lanes, wanted });
        }
    }

    /// Registers of the warp hold what lanes are said to find there.
    fn see_uniform(&mut self, e: &TraceEvent<'_>) {
        let actual = |me: &Watch, name: &str| Some(me.registers.get(&(e.warp, name.to_owned()))?[0]);
        for name in self.said.heads.get(&e.position).cloned().unwrap_or_default() {
            if let (Some(value), Some(view)) = (actual(self, &name), self.views.get_mut(&(e.warp, name))) {
                lanes(e.lanes).for_each(|lane| view[lane] = value);
            }
        }
        if self.said.reads.contains(&e.position) {
            let words = e.text.split([' ', ',']).skip_while(|word| !word.ends_with(char::is_numeric)).skip(1);
            for name in words.filter(|word| word.starts_with("UR")) {
                let view = self.views.get(&(e.warp, name.to_owned()));
                let (Some(value), Some(view)) = (actual(self, name), view) else { continue };
                if let Some(lane) = lanes(e.lanes).find(|lane| view[*lane] != value) {
                    self.wrong.push((e.warp, Wrong::Lost(e.position, lane, [view[lane], value])));
                }
            }
        }
        for (name, _, bits) in e.writes.iter().filter(|w| w.0.starts_with("UR")) {
            let view = self.views.entry((e.warp, name.clone())).or_insert([*bits as u32; 32]);
            lanes(e.lanes).for_each(|lane| view[lane] = *bits as u32);
        }
    }

    /// Lanes come to a wait, or to a branch on whether those of a mask are here.
    fn note_mask(&mut self, e: &TraceEvent<'_>) {
        let operand = if e.text.contains("WARPSYNC.") && e.text.contains(".ALL") || e.text.contains("~URZ") {
            None
        } else if e.text.contains("WARPSYNC") {
            e.text.split([' ', ',']).find(|word| word.starts_with('R'))
        } else if let Some((_, rest)) = e.text.split_once("BRA.DIV ") {
            rest.split(',').next()
        } else {
            return;
        };
        for lane in lanes(e.lanes) {
            let Some(register) = operand else {
                self.masks[e.warp as usize][lane] = u32::MAX;
                continue;
            };
            let file = self.registers.get(&(e.warp, register.to_owned()));
            self.masks[e.warp as usize][lane] = file.map_or(u32::MAX, |file| file[lane]);
        }
    }

    /// C14: lanes come to a barrier of the block, or to an operation of the warp, that all of their warp have to come to at once. Who has ended does not come to
    /// the operation, which is undefined then (PTX ISA, "mma", "movmatrix").
    fn block(&mut self, e: &TraceEvent<'_>) {
        let (alive, turn) = (self.left[e.warp as usize], self.pass(e));
        let operates = e.text.ends_with(WHOLE);
        let wanted = if operates && self.aligned { u32::MAX } else { alive };
        if e.lanes == wanted {
            return;
        }
        let part = Part { warp: e.warp, at: e.position, turn, here: e.lanes, wanted };
        match self.aligned {
            true => self.blocks.push((part, operates)),
            false => self.missing.push(part),
        }
    }

    /// Lanes pass an operation across lanes or a barrier of the block: how many they have passed.
    fn pass(&mut self, e: &TraceEvent<'_>) -> usize {
        let history = &mut self.history[e.warp as usize];
        lanes(e.lanes).for_each(|lane| history[lane].push(e.position));
        lanes(e.lanes).map(|lane| history[lane].len()).max().unwrap_or(0)
    }

    /// How often a lane has come to an operation.
    fn times(&self, warp: u32, lane: usize, at: u64) -> usize {
        self.history[warp as usize][lane].iter().filter(|place| **place == at).count()
    }

    /// Lanes of a mask wait for each other, or all of the block do. If some are missing at another operation, whose lanes are waited for here, none of them goes on in the source.
    fn cross(&mut self, e: &TraceEvent<'_>, here: u32, mask: u32) {
        let crossed = |part: &&Part| {
            let awaited = part.wanted & !part.here & here;
            let missing = |lane: usize| self.times(part.warp, lane, part.at) < part.turn;
            part.warp == e.warp
                && part.at != e.position
                && mask & part.here != 0
                && lanes(awaited).any(missing)
        };
        if self.parts.iter().any(|part| crossed(&part)) {
            self.stuck.insert(e.warp);
        }
    }

    /// C13: lanes ask each other something.
    fn ask(&mut self, e: &TraceEvent<'_>, Asked { members, shuffle }: Asked) {
        let alive = self.left[e.warp as usize];
        let of = |lane: usize| match members {
            Members::These(mask) => mask,
            Members::Own => self.masks[e.warp as usize][lane],
        };
        // Who is not in the mask of its own does what the source leaves undefined (C15).
        let defined = |lane: &usize| of(*lane) >> lane & 1 == 1;
        let all: Vec<(usize, u32)> = lanes(e.lanes).filter(defined).map(|lane| (lane, of(lane))).collect();
        let here = all.iter().fold(0, |here, (lane, _)| here | 1 << lane);
        self.pass(e);
        for mask in all.iter().map(|(_, mask)| *mask).collect::<BTreeSet<u32>>() {
            self.cross(e, here, mask);
            let own = all.iter().filter(|(_, m)| *m == mask).fold(0, |own, (lane, _)| own | 1 << lane);
            let turn = lanes(own).map(|lane| self.times(e.warp, lane, e.position)).max().unwrap_or(0);
            let wanted = mask & alive;
            if !shuffle && here & !mask != 0 {
                self.wrong.push((e.warp, Wrong::Apart(e.position, here, wanted)));
            } else if wanted & !here != 0 {
                // Who has come to one more barrier of the block waits there for these.
                let met = self.met[e.warp as usize];
                let most = lanes(own).map(|lane| met[lane]).max();
                if lanes(wanted & !here).any(|lane| Some(met[lane]) > most) {
                    self.stuck.insert(e.warp);
                }
                self.parts.push(Part { warp: e.warp, at: e.position, turn, here, wanted });
            }
        }
    }

    /// What was wrong. `stuck`: whether lanes wait for ever. If all lanes of an operation come to it, they come at once; that some never come is the source's affair (C15).
    /// So is what is aligned and is not what all come to next; of a warp that comes to an operation so nothing is said.
    pub fn wrong(&self, stuck: bool) -> Option<Wrong> {
        let apart = |part: &Part| (part.warp, Wrong::Apart(part.at, part.here, part.wanted));
        let undefined: BTreeSet<u32> = { self.blocks.iter() }
            .filter(|(part, whole)| *whole && !self.came_alike(part))
            .map(|(part, _)| part.warp)
            .collect();
        let split = self.parts.iter().filter(|part| !self.stuck.contains(&part.warp));
        let split =
            split.filter(|p| lanes(p.wanted).all(|lane| self.times(p.warp, lane, p.at) >= p.turn)).map(apart);
        let block = self.blocks.iter().filter(|(part, _)| self.came_alike(part)).map(|(part, _)| apart(part));
        let gone = self.missing.iter().filter(|_| stuck).map(apart);
        let waits = (stuck && self.said.ends && self.waits_for_none).then_some((u32::MAX, Wrong::Waits));
        let all: Vec<(u32, Wrong)> =
            self.wrong.iter().copied().chain(split).chain(block).chain(gone).collect();
        let first = all.into_iter().find(|(warp, _)| !undefined.contains(warp));
        first.or(waits.filter(|_| undefined.is_empty())).map(|(_, wrong)| wrong)
    }

    /// Whether all lanes that were to come to a barrier of the block came to it, after the same as the others.
    fn came_alike(&self, part: &Part) -> bool {
        let history = &self.history[part.warp as usize];
        let Some(first) = lanes(part.here).next() else { return false };
        let before = history[first].get(..part.turn);
        before.is_some() && lanes(part.wanted).all(|lane| history[lane].get(..part.turn) == before)
    }
}
