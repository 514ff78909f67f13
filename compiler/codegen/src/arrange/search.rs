//! The orders of a function's blocks that are looked for, by limits of registers.

use super::list::{self, Fallback, Order};
use super::live::live_out;
use super::pressure::{FILES, Pressure, Problem};
use crate::schedule::hazard::{Facts, Names};
use crate::schedule::order::{Edges, dependences, longest_ways};
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_machine::{Block, Edge, Function, MInst, Op, Pseudo, VReg};

/// Registers that a function may use for a better order, however few it needs.
const FREE: Pressure = [18, 5, 8];
/// General registers that it may use beyond those that it needs, and up to which number.
const MORE: u32 = 3;
const MORE_UP_TO: u32 = 24;

/// Registers that are left to what allocation adds.
const KEPT: u32 = 4;
/// More registers must save so many cycles that less than this many of a hundred are left.
const WORTH: u64 = 92;

/// By how many registers less a list may try to do.
const LESS: [u32; 6] = [0, 2, 4, 6, 10, 14];

/// How hard a better order is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Lists with fewer and with more registers are made too, and the best is taken; else one list for each block.
    pub search: bool,
    /// How many registers an order may cost (`-regUsageLevel`), 0 to 10: at 0 no more than the function needs anyway, at 10 as many as save a cycle.
    pub usage: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { search: true, usage: USUAL }
    }
}

/// The usage of registers that the numbers below are for.
const USUAL: u32 = 5;

impl Effort {
    /// A number of registers that may be used at the usual level, at this one.
    fn registers(self, usual: u32) -> u32 {
        usual * self.usage.min(USUAL) / USUAL
    }

    /// Registers beyond those that a function needs.
    fn more(self) -> u32 {
        self.registers(MORE) + 2 * self.usage.saturating_sub(USUAL)
    }

    /// Up to which number it may.
    fn more_up_to(self) -> u32 {
        MORE_UP_TO + 4 * self.usage.saturating_sub(USUAL)
    }

    /// Of a hundred cycles, how many may be left where an order takes more registers; none below the usual level.
    fn worth(self) -> Option<u64> {
        let above = u64::from(self.usage.checked_sub(USUAL)?);
        Some(WORTH + above * (100 - WORTH) / u64::from(USUAL))
    }
}

/// A block, and what its order must keep to.
pub(super) struct Piece {
    pub block: Block,
    pub problem: Problem,
    edges: Edges,
    ways: Vec<u32>,
    /// The source's order, or one in which fewer registers live at once.
    least: (Pressure, Vec<usize>),
}

/// The orders of a function's blocks that are looked for.
pub(super) struct Search {
    chip: Chip,
    max_registers: u32,
    effort: Effort,
    pub pieces: Vec<Piece>,
    /// General registers that live at once, at most, in the source's order.
    pub before: usize,
}

/// An order of each block.
pub(super) struct Orders {
    pub nodes: Vec<Vec<usize>>,
    /// What they take by estimate, where a list made them.
    pub cycles: u64,
}

impl Search {
    pub fn new(f: &Function, effort: Effort) -> Search {
        let live = live_out(f);
        let mut before = 0;
        let piece = |&block: &Block| {
            let problem = Problem::new(f, block, &live[block]);
            let source: Vec<usize> = (0..f.blocks[block].insts.len()).collect();
            let mut edges = graph(f, block);
            hand_over(f, block, &mut edges);
            let ways = longest_ways(&edges);
            let own = (problem.peak(&source), source);
            before = before.max(own.0[0] as usize);
            let order = list::order(&problem, &edges, &ways, [0; FILES], Fallback::Growth).nodes;
            let least = (problem.peak(&order), order);
            let fewer =
                least.0[0] < own.0[0] && (1..FILES).all(|file| least.0[file] <= own.0[file].max(FREE[file]));
            Piece { block, problem, edges, ways, least: if fewer { least } else { own } }
        };
        let pieces = f.layout.iter().map(piece).collect();
        Search { chip: f.chip, max_registers: f.max_registers, effort, pieces, before }
    }

    /// Orders that fit the registers that the function needs anyway, or a few more; with at most so many general registers, where blocks can do with them.
    pub fn orders(&self, most: Option<u32>) -> Orders {
        let effort = self.effort;
        // What the function needs in any case.
        let needs = |file: usize| self.pieces.iter().map(|piece| piece.least.0[file]).max().unwrap_or(0);
        let mut limits: Pressure = std::array::from_fn(|file| needs(file).max(FREE[file]));
        limits[0] = needs(0).max(effort.registers(FREE[0]));
        limits[0] = limits[0].max((needs(0) + effort.more()).min(effort.more_up_to()));
        limits[0] = limits[0].min(most.unwrap_or(u32::MAX));
        let mut orders = self.within(limits, &[]);
        // More registers, as long as no warp less fits and the cycles that they save are worth it.
        let same = self
            .chip
            .registers_of_same_occupancy(limits[0] + self.chip.limits().reserved_registers)
            .saturating_sub(KEPT);
        let left = self.max_registers.saturating_sub(KEPT).min(same).min(most.unwrap_or(u32::MAX));
        let further = [limits[0] + 4, limits[0] + 8, left];
        let worth = effort.worth().filter(|_| effort.search);
        for (limit, worth) in further.into_iter().flat_map(|limit| Some((limit, worth?))) {
            if !(limits[0]..=left).contains(&limit) {
                continue;
            }
            let more = self.within([limit, limits[1], limits[2]], &orders);
            let complete = more.iter().zip(&orders).all(|(a, b)| a.is_some() || b.is_none());
            if complete && cycles(&more) * 100 < cycles(&orders) * worth {
                orders = more;
            }
        }
        let cycles = cycles(&orders);
        let least = |(order, piece): (Option<Order>, &Piece)| {
            order.map_or_else(|| piece.least.1.clone(), |order| order.nodes)
        };
        Orders { nodes: orders.into_iter().zip(&self.pieces).map(least).collect(), cycles }
    }

    /// An order of each block under these limits, none where there is none. Where a lower limit changed nothing, a higher one gives the `known` order.
    fn within(&self, limits: Pressure, known: &[Option<Order>]) -> Vec<Option<Order>> {
        let less = if self.effort.search { &LESS[..] } else { &LESS[..1] };
        let order = |(at, piece): (usize, &Piece)| match known.get(at).and_then(Option::as_ref) {
            Some(order) if order.free => Some(order.clone()),
            _ => quick(&piece.problem, &piece.edges, &piece.ways, limits, less),
        };
        self.pieces.iter().enumerate().map(order).collect()
    }

    /// Puts the instructions in this order.
    pub fn apply(&self, f: &mut Function, orders: &Orders) {
        for (piece, order) in self.pieces.iter().zip(&orders.nodes) {
            let insts = std::mem::take(&mut f.blocks[piece.block].insts);
            let mut insts: Vec<_> = insts.into_iter().map(Some).collect();
            f.blocks[piece.block].insts = order.iter().filter_map(|&index| insts[index].take()).collect();
        }
    }
}

/// What the orders take by estimate.
fn cycles(orders: &[Option<Order>]) -> u64 {
    orders.iter().flatten().map(|order| u64::from(order.cycles)).sum()
}

/// An order that fits the limits and takes few cycles. A list that hoists as much as fits may be left with more than fits, so that lower limits are tried too:
/// by so many registers less.
fn quick(problem: &Problem, edges: &Edges, ways: &[u32], limits: Pressure, less: &[u32]) -> Option<Order> {
    let mut best: Option<Order> = None;
    for less in less {
        let mut lower = limits;
        lower[0] = lower[0].saturating_sub(*less);
        for fallback in [Fallback::Growth, Fallback::Source] {
            let order = list::order(problem, edges, ways, lower, fallback);
            let peak = problem.peak(&order.nodes);
            let fits = peak.iter().zip(&limits).all(|(peak, limit)| peak <= limit);
            let other = !order.fits;
            if fits && best.as_ref().is_none_or(|fewest| order.cycles < fewest.cycles) {
                // Under lower limits than these it says nothing of higher ones.
                best = Some(Order { free: order.free && *less == 0, ..order });
            }
            if !other {
                break;
            }
        }
        if best.is_some() {
            break;
        }
    }
    best
}

/// What must stay in order.
fn graph(f: &Function, block: Block) -> Edges {
    let insts = &f.blocks[block].insts;
    let names = Names::of(f, insts);
    let facts: Vec<Facts> = insts.iter().map(|inst| Facts::named(f.chip, inst, &names)).collect();
    dependences(f.chip, insts, &facts, &names)
}

/// Adds that what reads a value stays in front of what is to take over its register.
fn hand_over(f: &Function, block: Block, edges: &mut Edges) {
    let data = &f.blocks[block];
    let mut parameters: FxHashMap<VReg, VReg> = FxHashMap::default();
    for edge in data.succs.iter().flat_map(|edge| [Some(edge), past_split(f, edge)]).flatten() {
        parameters.extend(edge.args.iter().copied().zip(f.blocks[edge.block].params.iter().copied()));
    }
    // The parts of a pack are made in its place.
    for inst in data.insts.iter().rev() {
        let Some(Pseudo::Pack { dst, parts }) = inst.as_pseudo() else { continue };
        let Some(&param) = parameters.get(dst) else { continue };
        for vreg in parts.iter().filter_map(|part| part.reg.vreg()) {
            parameters.entry(vreg).or_insert(param);
        }
    }
    let mut readers: FxHashMap<VReg, Vec<usize>> = FxHashMap::default();
    for (node, inst) in data.insts.iter().enumerate() {
        let defined = inst.defs().filter_map(|operand| parameters.get(&operand.reg.vreg()?).copied());
        let mut taken = taken_over(inst);
        taken.extend(defined);
        taken.sort_unstable();
        taken.dedup();
        for &vreg in &taken {
            // The last that takes over stands for those before it.
            let before = readers.insert(vreg, vec![node]).unwrap_or_default();
            before.into_iter().for_each(|from| edges[from].push((node, 1)));
        }
        for vreg in inst.uses().filter_map(|operand| operand.reg.vreg()) {
            if !taken.contains(&vreg) {
                readers.entry(vreg).or_default().push(node);
            }
        }
    }
}

/// The other half of a critical edge that was split: at a loop's end it passes on what the next turn begins with.
fn past_split<'f>(f: &'f Function, edge: &Edge) -> Option<&'f Edge> {
    let middle = &f.blocks[edge.block];
    match &middle.succs[..] {
        [only] if middle.insts.is_empty() && middle.params.is_empty() => Some(only),
        _ => None,
    }
}

/// The registers that a result is to have, if it can be.
fn taken_over(inst: &MInst) -> Vec<VReg> {
    match &inst.op {
        Op::Pseudo(Pseudo::Copy { src, .. }) => src.reg.vreg().into_iter().collect(),
        Op::Pseudo(Pseudo::Pack { parts, .. }) => parts.iter().filter_map(|part| part.reg.vreg()).collect(),
        Op::Pseudo(_) => Vec::new(),
        Op::Inst(_) => inst.tied.iter().filter_map(|tied| tied.old.vreg()).collect(),
    }
}
