//! Which values and branches are uniform: all lanes of a warp that execute them together agree; and why the others are not.
//!
//! A value is uniform until shown to be divergent: made from a divergent one, from what differs between lanes, or a parameter
//! of a block on a way from a divergent branch to its immediate post-dominator, that one included. The last takes in values
//! that lanes carry out of a loop in different turns, as the loop's header lies on such a way. (Coutinho et al., "Divergence
//! Analysis and Optimizations", 2011, has the finer rule.) Where lanes wait for the whole warp before that block they do not meet there (P1 of
//! `docs/convergence.md`), and may come together in different turns of a loop: then it is a parameter of any block behind the branch.
//!
//! And which blocks all lanes of a warp execute together that have not exited: those to which no divergent branch leads but past
//! the place where its lanes meet (P1 of `docs/convergence.md`), if they meet: lanes that wait for the whole warp before do not.

mod apart;
mod spins;

pub use spins::spins;

use crate::{Block, Function, Inst, InstData, Op, Terminator, Value};
use apart::Apart;
use rustc_hash::FxHashSet;
use sassafras_graph::{Dominators, Influence, SecondaryMap};
use sassafras_semantics::{Ordering, RoutinePart, Space, SpecialRegister};
use std::fmt;

/// Why a value or a branch is divergent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The instruction gives each lane its own.
    Source(Inst),
    /// It is made from a divergent value.
    From(Value),
    /// Lanes that parted at the end of this block bring it.
    Parted(Block),
}

/// What the analysis found.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: SecondaryMap<Value, Option<Reason>>,
    branches: SecondaryMap<Block, Option<Value>>,
    apart: SecondaryMap<Block, bool>,
    diverged: SecondaryMap<Block, bool>,
    scattered: SecondaryMap<Block, bool>,
    /// Blocks with a barrier of the block from which lanes may be kept that end without one.
    deserted: SecondaryMap<Block, bool>,
    several_barriers: bool,
}

impl Uniformity {
    /// Analyses a function.
    pub fn new(f: &Function) -> Uniformity {
        let mut waits = apart::waiting(f);
        // In front of some barriers of the block lanes of a warp are brought together: they wait there too.
        loop {
            let found = Uniformity::with(f, &waits);
            let before = waits.len();
            let gathers = f.blocks.keys().filter(|&block| found.gathers(f, block));
            waits.extend(gathers.collect::<Vec<_>>());
            if waits.len() == before {
                return found;
            }
        }
    }

    /// Analyses a function in which lanes wait for all of the warp in these blocks.
    fn with(f: &Function, waits: &FxHashSet<Block>) -> Uniformity {
        let graph = f.graph();
        let (post, exit) = Dominators::post(&graph);
        let mut influence = Influence::new(&post, exit);
        let mut found = Uniformity {
            values: SecondaryMap::new(),
            branches: SecondaryMap::new(),
            apart: SecondaryMap::new(),
            diverged: SecondaryMap::new(),
            scattered: SecondaryMap::new(),
            deserted: SecondaryMap::new(),
            several_barriers: false,
        };
        let order = f.reverse_post_order();
        loop {
            let mut changed = false;
            for &block in &order {
                for &inst in &f.blocks[block].insts {
                    let data = &f.insts[inst];
                    let mut reason = differs(&data.op).then_some(Reason::Source(inst));
                    data.for_each_use(|v| reason = reason.or(found.values[v].map(|_| Reason::From(v))));
                    for &result in &data.results {
                        changed |= found.mark(result, reason);
                    }
                }
                let terminator = &f.blocks[block].terminator;
                for edge in terminator.edges() {
                    for (&arg, &param) in edge.args.iter().zip(&f.blocks[edge.block].params) {
                        let reason = found.values[arg].map(|_| Reason::From(arg));
                        changed |= found.mark(param, reason);
                    }
                }
                let (Terminator::Branch { condition: by, .. } | Terminator::Switch { index: by, .. }) =
                    terminator
                else {
                    continue;
                };
                if found.values[*by].is_some() && found.branches[block].is_none() {
                    found.branches[block] = Some(*by);
                    changed = true;
                    let mut part = |met: Block| {
                        for &param in &f.blocks[met].params {
                            found.mark(param, Some(Reason::Parted(block)));
                        }
                    };
                    if apart::waits_within(f, &post, exit, block, waits) {
                        apart::behind(f, block, part);
                        continue;
                    }
                    influence.add(&graph, block, &mut part);
                    post.immediate(block).filter(|&meeting| meeting != exit).into_iter().for_each(part);
                }
            }
            if !changed {
                break;
            }
        }
        let mut lanes = Apart::new(f, &post, exit);
        let parting: Vec<Block> =
            order.iter().copied().filter(|&block| found.branches[block].is_some()).collect();
        for block in parting {
            let meet = post.immediate(block).filter(|&meeting| meeting != exit);
            lanes.add(f, block, meet, |at| found.diverged[at] = true);
            if apart::waits_within(f, &post, exit, block, waits) {
                // They do not meet there either, but all of them come.
                apart::behind(f, block, |at| found.scattered[at] = true);
            }
        }
        let parts = |block: Block| found.branches[block].is_some();
        for block in apart::deserted(f, &graph, &post, exit, &parts) {
            found.deserted[block] = true;
        }
        found.several_barriers = apart::several_barriers(f, &found.diverged);
        for &block in &order {
            if f.blocks[block].insts.iter().any(|&inst| found.scatters(&f.insts[inst])) {
                apart::behind(f, block, |at| found.scattered[at] = true);
            }
        }
        let parts = |block: Block| found.branches[block].is_some();
        for block in apart::never_together(f, &graph, &post, exit, &parts) {
            found.scattered[block] = true;
            // Lanes that wait there for others are in no barrier that would bring them together further on.
            let some = f.blocks[block].insts.iter().any(|&inst| apart::names_some(f, &f.insts[inst]));
            if some || waits.contains(&block) {
                apart::behind(f, block, |at| found.scattered[at] = true);
            }
        }
        for &block in &order {
            found.apart[block] = found.diverged[block] || found.scattered[block];
        }
        found
    }

    fn mark(&mut self, value: Value, reason: Option<Reason>) -> bool {
        let new = reason.is_some() && self.values[value].is_none();
        if new {
            self.values[value] = reason;
        }
        new
    }

    /// Whether all lanes agree on a value.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.values[value].is_none()
    }
    /// Why they do not.
    pub fn reason(&self, value: Value) -> Option<Reason> {
        self.values[value]
    }
    /// The divergent value by which lanes part at the end of a block.
    pub fn parts(&self, block: Block) -> Option<Value> {
        self.branches[block]
    }

    /// Whether lanes that execute an operation together name different masks: those of one mask wait for each other there, and go on
    /// whenever they are all there (C10), so that behind it lanes may be apart until something brings all of them together. Nor does anything say
    /// how they come back from a function that the driver resolves. At a barrier of the block to which lanes come for themselves they leave so too.
    pub fn scatters(&self, data: &InstData) -> bool {
        match data.op {
            Op::SystemCall(call) => return call.returns(),
            Op::Barrier { aligned: false, .. } => return self.several_barriers,
            _ => {}
        }
        data.member_mask().is_some_and(|mask| !self.is_uniform(mask))
    }

    /// Whether lanes of a warp may come to different barriers that are not `.aligned`: a branch leads to one of several.
    pub fn several_barriers(&self) -> bool {
        self.several_barriers
    }

    /// Whether a branch may keep lanes from a barrier of the block in this block, and those end without one. Until they have ended the warp is not whole.
    pub fn deserted(&self, block: Block) -> bool {
        self.deserted[block]
    }

    /// Whether all lanes of the warp that have not exited execute a block together.
    pub fn together(&self, block: Block) -> bool {
        !self.apart[block]
    }

    /// Whether a branch may keep some lanes of the warp from executing a block with the others: then no wait brings all of them there.
    pub fn diverged(&self, block: Block) -> bool {
        self.diverged[block]
    }

    /// Whether lanes may come to a block one by one though no branch keeps them from it: what has let them go their own way lies before it.
    pub fn scattered(&self, block: Block) -> bool {
        self.scattered[block]
    }

    /// Whether lanes of the warp are brought together in front of a barrier of the block in this block. Where a branch alone keeps lanes away, `.aligned`
    /// says that the others come as one group, unless those may be on their way to an end.
    fn gathers(&self, f: &Function, block: Block) -> bool {
        let barrier = |&inst: &Inst| matches!(f.insts[inst].op, Op::Barrier { .. });
        let insts = &f.blocks[block].insts;
        let Some(last) = insts.iter().rposition(barrier) else { return false };
        self.scattered[block]
            || self.deserted[block]
            || insts[..last].iter().any(|&inst| self.scatters(&f.insts[inst]))
    }

    /// The reasons of one value, back to where lanes begin to differ.
    pub fn chain(&self, value: Value) -> Vec<(Value, Reason)> {
        let mut all: Vec<(Value, Reason)> = Vec::new();
        let mut at = Some(value);
        while let Some((value, reason)) = at.and_then(|value| Some((value, self.values[value]?))) {
            if all.iter().any(|&(seen, _)| seen == value) {
                break;
            }
            all.push((value, reason));
            at = match reason {
                Reason::From(from) => Some(from),
                Reason::Parted(block) => self.branches[block],
                Reason::Source(_) => None,
            };
        }
        all
    }

    /// A line for each branch: uniform, or why not.
    pub fn explain<'a>(&'a self, f: &'a Function) -> impl fmt::Display + 'a {
        Explained(self, f)
    }
}

struct Explained<'a>(&'a Uniformity, &'a Function);

impl fmt::Display for Explained<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explained(found, f) = *self;
        for block in f.reverse_post_order() {
            let (Terminator::Branch { condition: by, .. } | Terminator::Switch { index: by, .. }) =
                &f.blocks[block].terminator
            else {
                continue;
            };
            let chain = found.chain(*by);
            if chain.is_empty() {
                writeln!(out, "{block}: uniform")?;
                continue;
            }
            write!(out, "{block}: divergent")?;
            for (value, reason) in chain {
                match reason {
                    Reason::From(from) => write!(out, ", {value} is made from {from}")?,
                    Reason::Parted(at) => write!(out, ", {value} is brought by lanes that part at {at}")?,
                    Reason::Source(inst) => {
                        let op = crate::text::print_op(&f.insts[inst].op);
                        write!(out, ", {value} is `{op}` of line {}", f.insts[inst].line)?;
                    }
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Whether the results may differ between lanes whose arguments agree.
fn differs(op: &Op) -> bool {
    match op {
        Op::Special(register) => {
            use SpecialRegister as S;
            let of_launch = matches!(
                register,
                S::Nctaid(_) | S::Ntid(_) | S::DynamicSmemSize | S::TotalSmemSize | S::GridId
            ) || matches!(register, S::CurrentGraphExec | S::EnvReg(_) | S::BankCopy);
            let of_cluster = matches!(
                register,
                S::ClusterNctaid(_) | S::ClusterNctaRank | S::NClusterId(_) | S::IsExplicitCluster
            );
            let of_block =
                matches!(register, S::Ctaid(_) | S::ClusterId(_) | S::ClusterCtaid(_) | S::ClusterCtaRank);
            !(of_launch || of_cluster || of_block)
        }
        // A load may be executed by groups at different times; only memory that nobody writes is the same for all.
        Op::Load(access) => {
            !matches!(access.space, Space::Const | Space::Param) && access.ordering != Ordering::NonCoherent
        }
        // A variable of a thread has one address in all of them, but generic addresses of local memory are each lane's own.
        Op::ToGeneric(space) => *space == Space::Local,
        // Each lane calls for itself: `malloc` gives each a pointer of its own.
        Op::Undef | Op::Atomic { .. } | Op::SystemCall(_) => true,
        Op::Opaque(op) => !op.family().pure,
        // Of a routine's arguments nothing is known.
        Op::Routine(part, _) => *part == RoutinePart::Enter,
        // What a barrier reduces is one value for the block.
        Op::Barrier { .. } => false,
        op => op.convergent(),
    }
}
