//! The loop over blocks and warps, generic over the machine that executes a warp.

use crate::barrier::Barriers;
use crate::launch::{Launch, LaunchError};
use crate::memory::{Log, Memory, Who};
use crate::options::Options;
use crate::order::{Draws, WarpPolicy, hash};
use crate::outcome::{Coverage, Failure, Location, Outcome};
use crate::special::{Asker, unfold};

/// Blocks that are resident at a time. A block that waits for one that was never started starves, as on a device.
pub const RESIDENT: usize = 32;
/// Instructions that a warp issues before the next has its turn, where the order interleaves.
const SLICE: u64 = 16;
/// The same where the order runs a warp until it waits: a warp that spins must give way in time.
const LONG_SLICE: u64 = 20_000;

/// What all warps of a launch share.
#[derive(Debug)]
pub struct World<'a> {
    /// The launch.
    pub launch: &'a Launch,
    /// Options of the run.
    pub options: &'a Options,
    /// Global memory, constants and parameters.
    pub memory: Memory,
    /// Instructions issued by groups of lanes so far.
    pub steps: u64,
    /// Instructions executed by lanes so far.
    pub lane_steps: u64,
    /// Issues by instruction; the machine sizes and fills it.
    pub coverage: Vec<Coverage>,
    /// PTX: where a guard, an address or a branch first rested on what the source leaves open.
    pub rests: Option<Location>,
}

impl<'a> World<'a> {
    /// A world in which the launch's buffers and parameters are in memory.
    pub fn new(launch: &'a Launch, options: &'a Options) -> World<'a> {
        let log = options.touches.then(Log::default);
        let mut memory = Memory { params: launch.params.clone(), log, ..Memory::default() };
        for buffer in &launch.buffers {
            memory.global.place(buffer.address, buffer.bytes.clone());
        }
        World { launch, options, memory, steps: 0, lane_steps: 0, coverage: Vec::new(), rests: None }
    }

    /// Says who accesses memory from here on: a lane of a warp of a block, at a line or an offset.
    pub fn serve(&mut self, block: &Block, warp: u32, lane: usize, at: u64) {
        if let Some(log) = &mut self.memory.log {
            let thread = 32 * warp + lane as u32;
            log.who = Who { block: block.linear, thread, epoch: block.barriers.met(), at };
        }
    }

    /// Counts one instruction issued by the lanes of a mask.
    ///
    /// # Errors
    /// [`Failure::StepLimit`].
    pub fn issue(&mut self, lanes: u32) -> Result<(), Failure> {
        self.steps += 1;
        self.lane_steps += u64::from(lanes.count_ones());
        if self.steps > self.options.step_limit {
            Err(Failure::StepLimit(self.options.step_limit))
        } else {
            Ok(())
        }
    }
}

/// A resident block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Block index in x, y, z.
    pub index: [u32; 3],
    /// Block index, linear.
    pub linear: u64,
    /// Shared memory; undefined (seeded) at the start.
    pub shared: Vec<u8>,
    /// PTX: which of its bytes hold what the source leaves open.
    pub shared_open: Vec<bool>,
    /// Block barriers.
    pub barriers: Barriers,
}

impl Block {
    /// Who a lane of this block is, for [`crate::special::value`].
    pub fn asker(&self, world: &World<'_>, warp: u32, lane: u32) -> Asker {
        Asker {
            block: self.index,
            warp,
            lane,
            now: world.steps,
            seed: world.options.seed,
            shared: self.shared.len() as u32,
        }
    }
}

/// Where a warp stands after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It can go on.
    Running,
    /// All lanes that have not exited wait. It is asked again: what they wait for may come.
    Waiting,
    /// All lanes have exited.
    Exited,
}

/// What executes a warp: the PTX executor and the SASS executor.
pub trait Machine {
    /// A warp's registers, positions and waits.
    type Warp;

    /// Local memory of a thread in bytes, at its start.
    fn local_bytes(&self) -> u64;
    /// Shared memory of a block in bytes, dynamic included.
    fn shared_bytes(&self, launch: &Launch) -> u32;
    /// Warp `index` of a block at the entry, with lanes `existing`.
    fn start(&self, world: &World<'_>, block: &Block, index: u32, existing: u32) -> Self::Warp;
    /// Runs at most `steps` instructions; counts each by [`World::issue`].
    ///
    /// # Errors
    /// The failure that ends the launch.
    fn run(
        &self,
        warp: &mut Self::Warp,
        world: &mut World<'_>,
        block: &mut Block,
        steps: u64,
    ) -> Result<Progress, Failure>;
    /// Variables of the module in global memory: name and address.
    fn variables(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
    /// Where the lanes that have not exited stand, for the report of a deadlock.
    fn waiting(&self, warp: &Self::Warp, block: &Block) -> Vec<Location>;
}

/// Seeded bytes: what memory holds before anybody wrote to it.
pub fn undefined_bytes(seed: u64, parts: &[u64], n: usize) -> Vec<u8> {
    let mut draws = Draws::new(hash(seed, parts));
    let mut bytes: Vec<u8> = Vec::with_capacity(n + 8);
    while bytes.len() < n {
        bytes.extend(draws.draw().to_le_bytes());
    }
    bytes.truncate(n);
    bytes
}

/// Most local memory of a thread, in bytes (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
pub const MOST_LOCAL: u64 = 512 << 10;
/// Most shared memory of a block, in bytes: more than any chip gives.
const MOST_SHARED: u64 = 1 << 20;
/// Most bytes of local memory of all threads that are resident here.
const MOST_LOCAL_HERE: u64 = 2 << 30;

/// Whether the memory that a launch needs is there. Looked at before any of it is taken.
fn fits<M: Machine>(machine: &M, launch: &Launch) -> Result<(), Failure> {
    let local = machine.local_bytes();
    let refused = |what: String| Err(Failure::Launch(LaunchError::Program(what)));
    if local > MOST_LOCAL {
        return refused(format!("the entry takes {local} bytes of local memory; a thread has {MOST_LOCAL}"));
    }
    let threads = launch.blocks().min(RESIDENT as u64) * u64::from(launch.threads().next_multiple_of(32));
    if local.saturating_mul(threads) > MOST_LOCAL_HERE {
        return refused(format!(
            "{threads} threads with {local} bytes of local memory each are more than there is here"
        ));
    }
    let shared = u64::from(machine.shared_bytes(launch));
    if shared > MOST_SHARED {
        return refused(format!("a block takes {shared} bytes of shared memory; no chip has as many"));
    }
    Ok(())
}

/// Runs a launch to its end.
///
/// # Errors
/// The first failure.
pub fn run<M: Machine>(machine: &M, mut world: World<'_>) -> Result<Outcome, Failure> {
    world.launch.check()?;
    fits(machine, world.launch)?;
    let mut grid = Grid::new(machine, world.launch, world.options);
    while grid.round(machine, &mut world)? {}
    let global = world.memory.global;
    let contents = |b: &crate::launch::Buffer| global.at(b.address).map_or(Vec::new(), |a| a.bytes.clone());
    let mut calls = world.memory.calls.done;
    calls.sort_unstable();
    let variable = |(name, at): (String, u64)| Some((name, global.at(at)?.bytes.clone()));
    let named = if world.memory.log.is_some() { machine.variables() } else { Vec::new() };
    let variables = named.into_iter().filter_map(variable).collect();
    let log = world.memory.log.unwrap_or_default();
    Ok(Outcome {
        calls,
        drawn: world.memory.surfaces.drawn,
        buffers: world.launch.buffers.iter().map(contents).collect(),
        steps: world.steps,
        lane_steps: world.lane_steps,
        coverage: world.coverage,
        variables,
        touches: log.touches,
        deeds: log.deeds,
        rests: world.rests,
        several: false,
        open: world.memory.open,
    })
}

struct Resident<W> {
    block: Block,
    /// Live warps.
    warps: Vec<W>,
}

struct Grid<W> {
    policy: WarpPolicy,
    draws: Draws,
    blocks: u64,
    started: u64,
    shared: u32,
    resident: Vec<Resident<W>>,
}

impl<W> Grid<W> {
    fn new<M: Machine<Warp = W>>(machine: &M, launch: &Launch, options: &Options) -> Grid<W> {
        let policy = options.interleaving().warps;
        let seed = if let WarpPolicy::Random(seed) = policy { seed } else { 0 };
        Grid {
            policy,
            draws: Draws::new(seed),
            blocks: launch.blocks(),
            started: 0,
            shared: machine.shared_bytes(launch),
            resident: Vec::new(),
        }
    }

    /// Starts blocks where there is room, and gives each live warp a turn. False when all is done.
    fn round<M: Machine<Warp = W>>(&mut self, machine: &M, world: &mut World<'_>) -> Result<bool, Failure> {
        self.fill(machine, world);
        if self.resident.is_empty() {
            return Ok(false);
        }
        let before = world.steps;
        let mut turns: Vec<(usize, usize)> = Vec::new();
        for (b, resident) in self.resident.iter().enumerate() {
            turns.extend((0..resident.warps.len()).map(|w| (b, w)));
        }
        match self.policy {
            WarpPolicy::Ascending | WarpPolicy::RunAscending => {}
            WarpPolicy::Descending | WarpPolicy::RunDescending => turns.reverse(),
            WarpPolicy::Random(_) => {
                for i in (1..turns.len()).rev() {
                    turns.swap(i, self.draws.below(i as u64 + 1) as usize);
                }
            }
        }
        let mut exited = Vec::new();
        for (b, w) in turns {
            let slice = match self.policy {
                WarpPolicy::Ascending | WarpPolicy::Descending => SLICE,
                WarpPolicy::RunAscending | WarpPolicy::RunDescending => LONG_SLICE,
                WarpPolicy::Random(_) => 1 + self.draws.below(64),
            };
            let Resident { block, warps } = &mut self.resident[b];
            if machine.run(&mut warps[w], world, block, slice)? == Progress::Exited {
                exited.push((b, w));
            }
        }
        exited.sort_unstable();
        let moved = world.steps > before || !exited.is_empty();
        for (b, w) in exited.into_iter().rev() {
            self.resident[b].warps.remove(w);
        }
        if !moved {
            let of = |r: &Resident<W>| -> Vec<Location> {
                r.warps.iter().flat_map(|w| machine.waiting(w, &r.block)).collect()
            };
            return Err(Failure::Deadlock(self.resident.iter().flat_map(of).collect()));
        }
        self.resident.retain(|r| !r.warps.is_empty());
        Ok(true)
    }

    fn fill<M: Machine<Warp = W>>(&mut self, machine: &M, world: &World<'_>) {
        while self.resident.len() < RESIDENT && self.started < self.blocks {
            let linear = self.started;
            self.started += 1;
            let threads = world.launch.threads();
            let block = Block {
                index: unfold(linear, world.launch.grid),
                linear,
                shared: undefined_bytes(world.options.seed, &[0x5a, linear], self.shared as usize),
                shared_open: vec![true; self.shared as usize],
                barriers: Barriers::new(threads),
            };
            let existing = |w: u32| match threads - 32 * w {
                n if n >= 32 => u32::MAX,
                n => (1 << n) - 1,
            };
            let warps =
                (0..threads.div_ceil(32)).map(|w| machine.start(world, &block, w, existing(w))).collect();
            self.resident.push(Resident { block, warps });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each warp adds its number to a log, `n` times, and may wait for ever.
    struct Toy {
        n: u64,
        stuck: bool,
    }

    impl Machine for Toy {
        type Warp = (u32, u64);
        fn local_bytes(&self) -> u64 {
            0
        }
        fn shared_bytes(&self, _: &Launch) -> u32 {
            4
        }
        fn start(&self, _: &World<'_>, _: &Block, index: u32, _: u32) -> (u32, u64) {
            (index, 0)
        }
        fn run(
            &self,
            w: &mut (u32, u64),
            world: &mut World<'_>,
            b: &mut Block,
            n: u64,
        ) -> Result<Progress, Failure> {
            for _ in 0..n {
                if w.1 == self.n {
                    return Ok(if self.stuck && w.0 == 1 { Progress::Waiting } else { Progress::Exited });
                }
                w.1 += 1;
                b.shared[0] = b.shared[0].wrapping_add(1);
                world.issue(1)?;
            }
            Ok(Progress::Running)
        }
        fn waiting(&self, w: &(u32, u64), block: &Block) -> Vec<Location> {
            let at = Location {
                block: block.index,
                thread: [32 * w.0, 0, 0],
                function: "toy".into(),
                position: w.1,
                line: None,
                text: String::new(),
            };
            vec![at]
        }
    }

    #[test]
    fn every_warp_of_every_block_runs_to_its_end_in_every_order() {
        let mut launch = Launch::new([5, 9, 1], [70, 1, 1]);
        launch.buffer(vec![1, 2]);
        for order in 0..9 {
            let options = Options { order, ..Options::default() };
            let out = run(&Toy { n: 100, stuck: false }, World::new(&launch, &options)).expect("runs");
            assert_eq!(out.steps, 45 * 3 * 100);
            assert_eq!(out.buffers, vec![vec![1, 2]]);
        }
    }

    #[test]
    fn deadlock_and_step_limit_and_shape() {
        let launch = Launch::new([1, 1, 1], [64, 1, 1]);
        let options = Options { step_limit: 150, ..Options::default() };
        let end = run(&Toy { n: 10, stuck: true }, World::new(&launch, &options));
        assert!(
            matches!(&end, Err(Failure::Deadlock(at)) if at.len() == 1 && at[0].thread == [32, 0, 0]),
            "{end:?}"
        );
        let end = run(&Toy { n: 100, stuck: false }, World::new(&launch, &options));
        assert_eq!(end, Err(Failure::StepLimit(150)));
        let launch = Launch::new([1, 1, 1], [1025, 1, 1]);
        assert!(matches!(
            run(&Toy { n: 1, stuck: false }, World::new(&launch, &options)),
            Err(Failure::Launch(_))
        ));
    }
}
