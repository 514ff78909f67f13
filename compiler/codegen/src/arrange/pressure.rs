//! How many registers the values of a block need at once.

use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_graph::Entity;
use sassafras_isa::RegClass;
use sassafras_machine::{Block, Function, VReg};
use smallvec::SmallVec;

/// Files that are counted: general registers, predicates, uniform registers.
pub const FILES: usize = 3;

/// Units of each file.
pub type Pressure = [u32; FILES];

fn file(class: RegClass) -> Option<usize> {
    match class {
        RegClass::R => Some(0),
        RegClass::P => Some(1),
        RegClass::UR => Some(2),
        RegClass::UP | RegClass::B => None,
    }
}

/// A value that the block reads or makes.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub file: usize,
    pub units: u32,
    /// Instructions of the block that read it, and one more if it lives on.
    pub readers: u32,
}

/// What the values of a block are, and who reads and makes them.
#[derive(Debug)]
pub struct Problem {
    pub values: Vec<Value>,
    /// Per instruction, each value once.
    pub reads: Vec<SmallVec<[usize; 4]>>,
    pub writes: Vec<SmallVec<[usize; 2]>>,
    /// By value: the instructions of the block that read it.
    pub readers: Vec<SmallVec<[usize; 4]>>,
    /// At the start of the block.
    pub start: Pressure,
}

impl Problem {
    pub fn new(f: &Function, block: Block, live_out: &[VReg]) -> Problem {
        let data = &f.blocks[block];
        let mut problem = Problem {
            values: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            readers: Vec::new(),
            start: [0; FILES],
        };
        let mut number: FxHashMap<VReg, usize> = FxHashMap::default();
        let mut made: FxHashSet<VReg> = FxHashSet::default();
        for (node, inst) in data.insts.iter().enumerate() {
            let (mut reads, mut writes) = (SmallVec::new(), SmallVec::new());
            for operand in inst.operands() {
                let Some(vreg) = operand.reg.vreg() else { continue };
                let Some(file) = file(f.vregs[vreg].class) else { continue };
                let next = problem.values.len();
                let value = *number.entry(vreg).or_insert(next);
                if value == next {
                    problem.values.push(Value { file, units: f.vregs[vreg].units.into(), readers: 0 });
                    problem.readers.push(SmallVec::new());
                }
                match operand.access {
                    sassafras_isa::Access::Read if !reads.contains(&value) => {
                        reads.push(value);
                        problem.values[value].readers += 1;
                        problem.readers[value].push(node);
                    }
                    sassafras_isa::Access::Write if !writes.contains(&value) => {
                        writes.push(value);
                        made.insert(vreg);
                    }
                    _ => {}
                }
            }
            problem.reads.push(reads);
            problem.writes.push(writes);
        }
        for &vreg in live_out {
            let Some(file) = file(f.vregs[vreg].class) else { continue };
            match number.get(&vreg) {
                Some(&value) => problem.values[value].readers += 1,
                // It lives through the block.
                None => problem.start[file] += u32::from(f.vregs[vreg].units),
            }
        }
        let mut given: Vec<(VReg, usize)> = number
            .iter()
            .map(|(&vreg, &value)| (vreg, value))
            .filter(|(vreg, _)| !made.contains(vreg))
            .collect();
        given.sort_unstable_by_key(|(vreg, _)| vreg.index());
        for (_, value) in given {
            let value = problem.values[value];
            problem.start[value.file] += value.units;
        }
        problem
    }

    /// The most registers of each file at once.
    pub fn peak(&self, order: &[usize]) -> Pressure {
        let mut now = Now::new(self);
        let mut peak = self.start;
        for &node in order {
            let during = now.step(self, node);
            (0..FILES).for_each(|file| peak[file] = peak[file].max(during[file]));
        }
        peak
    }
}

/// Where an order has come to.
#[derive(Clone, Debug)]
pub struct Now {
    /// Readers of each value that are still to come.
    left: Vec<u32>,
    pub live: Pressure,
    /// By instruction that is still to come: by how much the values that live would grow, of each file. Empty where nobody asks.
    growth: Vec<[i64; FILES]>,
}

impl Now {
    pub fn new(problem: &Problem) -> Now {
        let left = problem.values.iter().map(|value| value.readers).collect();
        Now { left, live: problem.start, growth: Vec::new() }
    }

    /// With what each instruction would change, for [`Now::growth`].
    pub fn with_growth(problem: &Problem) -> Now {
        let units = |value: usize| i64::from(problem.values[value].units);
        let of = |node: usize| {
            let mut growth = [0; FILES];
            for &value in &problem.writes[node] {
                growth[problem.values[value].file] += units(value);
            }
            for &value in problem.reads[node].iter().filter(|&&value| problem.values[value].readers == 1) {
                growth[problem.values[value].file] -= units(value);
            }
            growth
        };
        Now { growth: (0..problem.reads.len()).map(of).collect(), ..Now::new(problem) }
    }

    /// By how much the values that live would grow, of each file, by an instruction that is still to come.
    pub fn growth(&self, node: usize) -> [i64; FILES] {
        self.growth[node]
    }

    /// Goes over an instruction; what lives just behind it, results that nobody reads included.
    pub fn step(&mut self, problem: &Problem, node: usize) -> Pressure {
        for &value in &problem.reads[node] {
            self.left[value] -= 1;
            if self.left[value] == 1 && !self.growth.is_empty() {
                // Whichever reader is left ends it; what those before it would change is asked no more.
                for &reader in &problem.readers[value] {
                    self.growth[reader][problem.values[value].file] -= i64::from(problem.values[value].units);
                }
            }
            if self.left[value] == 0 {
                self.live[problem.values[value].file] -= problem.values[value].units;
            }
        }
        for &value in &problem.writes[node] {
            self.live[problem.values[value].file] += problem.values[value].units;
        }
        let during = self.live;
        for &value in problem.writes[node].iter().filter(|&&value| self.left[value] == 0) {
            self.live[problem.values[value].file] -= problem.values[value].units;
        }
        during
    }
}
