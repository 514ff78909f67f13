//! List scheduling of one block.
//!
//! Does: builds the graph of what must stay in order (registers, memory, control) and takes, cycle by cycle, the ready
//! instruction with the longest way to the block's end. Memory accesses stay in order where one writes and they may
//! touch the same bytes; what orders memory or control keeps its place against everything.

use super::hazard::{Facts, Names, distance};
use sassafras_chip::Chip;
use sassafras_chip::latency::{Class, Hazard, OperandKind};
use sassafras_isa::{Meaning, MemoryKind, MemorySpace, RegClass};
use sassafras_machine::{MInst, Op, Pseudo, Reg};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Accesses to memory that are held against each later one.
const ACCESSES: usize = 256;

/// The register that is always zero.
const RZ: u64 = 255;

/// For each node the later ones that depend on it, with the least distance in cycles.
pub type Edges = Vec<Vec<(usize, u32)>>;

/// The new order, as old indices.
pub fn order(chip: Chip, insts: &[MInst]) -> Vec<usize> {
    let count = insts.len();
    let facts: Vec<Facts> = insts.iter().map(|inst| Facts::new(chip, inst)).collect();
    let edges = dependences(chip, insts, &facts, &Names::default());
    let priority = longest_ways(&edges);
    let mut missing = vec![0usize; count];
    for (later, _) in edges.iter().flatten() {
        missing[*later] += 1;
    }
    let mut earliest = vec![0u32; count];
    // Ready instructions: those that could issue now, the longest way first, and those that must wait, the shortest wait first.
    let mut ready: BinaryHeap<(u32, Reverse<usize>)> =
        (0..count).filter(|&node| missing[node] == 0).map(|node| (priority[node], Reverse(node))).collect();
    let mut waiting: BinaryHeap<(Reverse<u32>, u32, Reverse<usize>)> = BinaryHeap::new();
    let mut now = 0;
    let mut result = Vec::with_capacity(count);
    loop {
        while let Some(&(Reverse(when), way, node)) = waiting.peek()
            && when <= now
        {
            waiting.pop();
            ready.push((way, node));
        }
        let next = ready.pop().map(|(_, node)| node).or_else(|| waiting.pop().map(|(.., node)| node));
        let Some(Reverse(node)) = next else { return result };
        now = now.max(earliest[node]) + 1;
        result.push(node);
        for &(later, cycles) in &edges[node] {
            earliest[later] = earliest[later].max(now - 1 + cycles);
            missing[later] -= 1;
            if missing[later] == 0 {
                waiting.push((Reverse(earliest[later]), priority[later], Reverse(later)));
            }
        }
    }
}

/// Cycles from each node to the end of the block.
pub fn longest_ways(edges: &Edges) -> Vec<u32> {
    // Edges go forward, so one walk backwards finds the longest ways.
    let mut ways = vec![0u32; edges.len()];
    for node in (0..edges.len()).rev() {
        ways[node] = edges[node].iter().map(|&(later, cycles)| ways[later] + cycles).max().unwrap_or(0);
    }
    ways
}

/// What must stay in order: registers, memory, control.
pub fn dependences(chip: Chip, insts: &[MInst], facts: &[Facts], names: &Names) -> Edges {
    let mut edges: Edges = vec![Vec::new(); insts.len()];
    let mut writer: Vec<Option<usize>> = vec![None; names.count()];
    let mut readers: Vec<Vec<(usize, OperandKind)>> = vec![Vec::new(); names.count()];
    let mut fence: Option<usize> = None;
    // Those behind the last strong one, and it: whatever comes later is ordered behind those before it by way of that.
    let mut accesses: Vec<(usize, Touch)> = Vec::new();
    // How many there have been since all of them were in order.
    let mut count = 0;
    let mut since_fence: Vec<usize> = Vec::new();
    for (node, inst) in insts.iter().enumerate() {
        let me = &facts[node];
        let add = |edges: &mut Edges, from: usize, cycles: u32| {
            if from != node {
                edges[from].push((node, cycles.max(1)));
            }
        };
        for &(register, kind) in &me.reads {
            if let Some(from) = writer[register] {
                add(&mut edges, from, raw(chip, insts, facts, from, me.class, kind));
            }
        }
        for &(register, kind) in &me.writes {
            if let Some(from) = writer[register] {
                let fixed = u32::from(distance(chip, facts[from].class, me.class, Hazard::Waw, kind));
                let late = if facts[from].late_results { estimate(&insts[from]) } else { 0 };
                add(&mut edges, from, fixed.max(late));
            }
            for &(from, kind) in &readers[register] {
                let plain = plain(kind);
                add(
                    &mut edges,
                    from,
                    u32::from(distance(chip, facts[from].class, me.class, Hazard::War, plain)),
                );
            }
        }
        if is_fence(inst) {
            for &from in &since_fence {
                add(&mut edges, from, 1);
            }
            if let Some(from) = fence {
                add(&mut edges, from, 1);
            }
            since_fence.clear();
            accesses.clear();
            count = 0;
            fence = Some(node);
        } else {
            if let Some(from) = fence {
                add(&mut edges, from, 1);
            }
            since_fence.push(node);
            if let Some(touch) = Touch::new(inst, &writer, names) {
                // So that long blocks do not take quadratic time, now and then one access comes behind all before it.
                let all = count >= ACCESSES;
                for (from, earlier) in &accesses {
                    if all || touch.conflicts(earlier) {
                        add(&mut edges, *from, 1);
                    }
                }
                let strong = touch.strong || all;
                if strong {
                    accesses.clear();
                }
                count = if all { 1 } else { count + 1 };
                accesses.push((node, Touch { strong, ..touch }));
            }
        }
        for &(register, _) in &me.writes {
            writer[register] = Some(node);
            readers[register].clear();
        }
        for &(register, kind) in &me.reads {
            if writer[register] != Some(node) {
                readers[register].push((node, kind));
            }
        }
    }
    edges
}

/// Roles of a reader count for RAW only; the tables list WAR by file.
pub fn plain(kind: OperandKind) -> OperandKind {
    match kind {
        OperandKind::Guard => OperandKind::Predicate,
        OperandKind::UniformGuard => OperandKind::UniformPredicate,
        kind => kind,
    }
}

fn raw(chip: Chip, insts: &[MInst], facts: &[Facts], from: usize, to: Class, kind: OperandKind) -> u32 {
    if facts[from].late_results || insts[from].as_pseudo().is_some() {
        return estimate(&insts[from]);
    }
    u32::from(distance(chip, facts[from].class, to, Hazard::Raw, kind))
}

/// Cycles until a result of variable latency is there, for the order only: nothing relies on it. Rough figures from
/// public microbenchmarks (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024).
fn estimate(inst: &MInst) -> u32 {
    let Some(row) = inst.inst().map(|real| real.row()) else { return 1 };
    match row.memory.map(|memory| memory.space) {
        Some(MemorySpace::Global | MemorySpace::Generic | MemorySpace::Local) => 250,
        Some(MemorySpace::Shared) => 30,
        Some(MemorySpace::Constant) => 40,
        None => 24,
    }
}

/// What keeps its place against everything.
fn is_fence(inst: &MInst) -> bool {
    let row = match &inst.op {
        Op::Inst(real) => real.row(),
        Op::Pseudo(pseudo) => {
            return {
                matches!(
                    pseudo,
                    Pseudo::Call { .. } | Pseudo::Invoke { .. } | Pseudo::Enter { .. } | Pseudo::Leave { .. }
                )
            };
        }
    };
    let fence = row.memory.is_some_and(|memory| matches!(memory.kind, MemoryKind::Fence | MemoryKind::Copy));
    let orders = matches!(
        row.meaning,
        Meaning::Membar
            | Meaning::Fence
            | Meaning::Cctl
            | Meaning::Errbar
            | Meaning::Depbar
            | Meaning::Ldgdepbar
            | Meaning::Arrives
            | Meaning::AtomsArrive
            | Meaning::AtomArrive
            | Meaning::Syncs
            | Meaning::Nanosleep
            | Meaning::Preexit
            | Meaning::Acqbulk
            | Meaning::ClusterBarrier
            | Meaning::Bulk
            // Products are numbered by their order, and their groups by marks on them.
            | Meaning::Gmma
            | Meaning::GmmaFence
            | Meaning::GmmaWait
            | Meaning::Suld
            | Meaning::Sust
            | Meaning::Sured
            | Meaning::Bpt
            | Meaning::Nop
            // It names the place behind the call that follows.
            | Meaning::Lepc
    );
    row.control_flow.is_some() || fence || orders || is_clock(inst)
}

/// What says the time: what stands before it is to be measured.
fn is_clock(inst: &MInst) -> bool {
    let special =
        inst.inst().filter(|i| matches!(i.row().meaning, Meaning::S2r | Meaning::Cs2r | Meaning::S2ur));
    let name = special.and_then(|i| i.get("sr")).map(sassafras_isa::special::name);
    name.is_some_and(|name| name.contains("CLOCK") || name.contains("TIMER"))
}

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Touch {
    space: MemorySpace,
    writes: bool,
    /// Not weak: keeps its order against every other access.
    strong: bool,
    /// Address register and the instruction that wrote it, with offset and bytes; known where the form is plain.
    at: Option<((u64, u64), Option<usize>, i64, i64)>,
}

impl Touch {
    fn new(inst: &MInst, writer: &[Option<usize>], names: &Names) -> Option<Touch> {
        let real = inst.inst()?;
        let memory = real.row().memory?;
        if memory.space == MemorySpace::Constant {
            return None;
        }
        let writes = memory.kind != MemoryKind::Load;
        let weak = real.enum_text("sem").is_none_or(|text| text.is_empty() || text == ".CONSTANT");
        let strong =
            inst.ordered || !weak || matches!(memory.kind, MemoryKind::Atomic | MemoryKind::Reduction);
        let at = real.get("a").filter(|&base| base != RZ && !strong).map(|base| {
            let bytes = match real.enum_text("sz") {
                Some(".64") => 8,
                Some(".128") => 16,
                _ => 4,
            };
            let uniform = real.get("u");
            // Another uniform base would be another address; a descriptor is the same everywhere or changes nothing.
            let base_number = names.number(RegClass::R, Reg::from_field(base));
            let version = base_number.and_then(|number| writer[number]);
            let offset = real.get("o").unwrap_or(0) as i64;
            ((base, uniform.unwrap_or(0)), version, offset, bytes)
        });
        Some(Touch { space: memory.space, writes, strong, at })
    }

    fn conflicts(&self, other: &Touch) -> bool {
        if self.strong || other.strong {
            return true;
        }
        if !self.writes && !other.writes {
            return false;
        }
        let generic = |touch: &Touch| touch.space == MemorySpace::Generic;
        if self.space != other.space && !generic(self) && !generic(other) {
            return false;
        }
        if let (Some((a, v, o, n)), Some((b, w, p, m))) = (self.at, other.at)
            && (a, v) == (b, w)
            && self.space == other.space
        {
            return o < p + m && p < o + n;
        }
        true
    }
}
