//! The IR that `lower` makes of each feature of the corpus, before and after `opt`, against the PTX it was made from: one thread
//! after another, so that programs whose threads talk to one another are left out.

use sassafras_execute::special::Asker;
use sassafras_execute::{Argument, Launch, Options, Slot};
use sassafras_ir::interpret::{Stop, World, run_in};
use sassafras_ir::{MemoryAccess, Module, VariableId};
use sassafras_reference as reference;
use sassafras_semantics::{AtomicOp, Axis, Chooser, Concrete, Space, SpecialRegister};
use std::collections::HashMap;

/// Where variables of global memory lie; buffers are at the launch's own addresses, far above.
const VARIABLES: u64 = 0x1000;
/// Windows of generic addresses.
const WINDOWS: [(Space, u64); 4] = [
    (Space::Shared, 0x7e00_0000_0000),
    (Space::Local, 0x7d00_0000_0000),
    (Space::Const, 0x7c00_0000_0000),
    (Space::Param, 0x7b00_0000_0000),
];

/// One launch, one thread at a time.
struct Thread<'a> {
    launch: &'a Launch,
    addresses: &'a HashMap<VariableId, u64>,
    /// Bytes of every space, by window and address.
    memory: &'a mut HashMap<(u64, u64), u8>,
    block: [u32; 3],
    thread: [u32; 3],
}

impl Thread<'_> {
    /// The window and the offset in it. Local memory belongs to the thread, shared memory to the block.
    fn place(&self, space: Space, address: u64) -> (u64, u64) {
        let mut window = match space {
            Space::Generic | Space::Global => 0,
            space => WINDOWS.iter().find(|w| w.0 == space).map_or(0, |w| w.1),
        };
        let mut address = address;
        if space == Space::Generic
            && let Some(w) = WINDOWS.iter().find(|w| address >= w.1 && address < w.1 + (1 << 32))
        {
            (window, address) = (w.1, address - w.1);
        }
        if window == WINDOWS[1].1 {
            window += 1 + u64::from(self.thread[0]) + 4096 * u64::from(self.block[0]);
        }
        if window == WINDOWS[0].1 {
            window += 1 + u64::from(self.block[0]);
        }
        (window, address)
    }
    fn bytes(&self, space: Space, address: u64, bytes: u8) -> u128 {
        let (window, at) = self.place(space, address);
        let byte = |i| match window == WINDOWS[3].1 {
            true => u128::from(self.param(at as u32 + u32::from(i))),
            false => u128::from(self.memory.get(&(window, at + u64::from(i))).copied().unwrap_or(0)),
        };
        (0..bytes).rev().fold(0, |all, i| all << 8 | byte(i))
    }
}

impl World for Thread<'_> {
    fn param(&self, offset: u32) -> u8 {
        self.launch.params.get(offset as usize).copied().unwrap_or(0)
    }
    fn special(&self, register: SpecialRegister) -> u64 {
        let at = |v: [u32; 3], axis| {
            u64::from(
                v[match axis {
                    Axis::X => 0,
                    Axis::Y => 1,
                    Axis::Z => 2,
                }],
            )
        };
        let lane = u64::from(self.thread[0] & 31);
        match register {
            SpecialRegister::Tid(a) => at(self.thread, a),
            SpecialRegister::Ntid(a) => at(self.launch.block, a),
            SpecialRegister::Ctaid(a) => at(self.block, a),
            SpecialRegister::Nctaid(a) => at(self.launch.grid, a),
            SpecialRegister::LaneId => lane,
            SpecialRegister::LaneMaskEq => 1 << lane,
            SpecialRegister::LaneMaskLt => (1 << lane) - 1,
            SpecialRegister::LaneMaskLe => (2 << lane) - 1,
            SpecialRegister::LaneMaskGe => 0xffff_ffff & !((1 << lane) - 1),
            SpecialRegister::LaneMaskGt => 0xffff_ffff & !((2 << lane) - 1),
            // Clusters of one block.
            SpecialRegister::ClusterNctaid(_) | SpecialRegister::ClusterNctaRank => 1,
            // What the launch picks, as the PTX's run picks it.
            SpecialRegister::GridId
            | SpecialRegister::EnvReg(_)
            | SpecialRegister::CurrentGraphExec
            | SpecialRegister::ReservedSmemOffset(_)
            | SpecialRegister::ReservedSmemBegin
            | SpecialRegister::ReservedSmemEnd
            | SpecialRegister::ReservedSmemCap => {
                let asker = Asker { block: self.block, warp: 0, lane: 0, now: 0, seed: 0, shared: 0 };
                sassafras_execute::special::value(register, &asker, self.launch)
            }
            _ => 0,
        }
    }
    fn load(&mut self, access: &MemoryAccess, address: u64) -> Option<u128> {
        Some(self.bytes(access.space, address, access.bytes))
    }
    fn store(&mut self, access: &MemoryAccess, address: u64, value: u128) -> Option<()> {
        let (window, at) = self.place(access.space, address);
        for i in 0..access.bytes {
            self.memory.insert((window, at + u64::from(i)), (value >> (8 * i)) as u8);
        }
        Some(())
    }
    fn atomic(
        &mut self,
        op: AtomicOp,
        access: &MemoryAccess,
        address: u64,
        operands: &[u128],
    ) -> Option<u128> {
        let old = self.bytes(access.space, address, access.bytes);
        let new = sassafras_execute::atomic::apply(op, access.bytes.into(), old, operands).ok()?;
        self.store(access, address, new)?;
        Some(old)
    }
    fn address(&self, variable: VariableId) -> Option<u64> {
        self.addresses.get(&variable).copied()
    }
    fn window(&self, space: Space) -> Option<u64> {
        WINDOWS.iter().find(|w| w.0 == space).map(|w| w.1)
    }
}

/// Runs every thread of a launch; gives the buffers.
fn run(module: &Module, entry: &str, launch: &Launch, chooser: Chooser) -> Result<Vec<Vec<u8>>, Stop> {
    let function = module.functions.iter().find(|f| f.name == entry).ok_or(Stop::Terminator("no entry"))?;
    let mut memory = HashMap::new();
    let mut addresses = HashMap::new();
    let mut next: HashMap<Space, u64> = HashMap::new();
    for (id, v) in module.variables.iter() {
        let free = next.entry(v.space).or_insert(if v.space == Space::Const { 0 } else { VARIABLES });
        let address = free.next_multiple_of(v.align.max(1));
        *free = address + v.size;
        addresses.insert(id, address);
    }
    for (id, v) in module.variables.iter() {
        let window = if v.space == Space::Const { WINDOWS[2].1 } else { 0 };
        let mut bytes = v.init.clone().unwrap_or_default();
        for (at, to, addend) in &v.init_addresses {
            // The generic address, where it is not the same.
            let base = if module.variables[*to].space == Space::Const { WINDOWS[2].1 } else { 0 };
            let address = (base + addresses[to]).wrapping_add(*addend as u64);
            let end = *at as usize + 8;
            bytes.resize(bytes.len().max(end), 0);
            bytes[*at as usize..end].copy_from_slice(&address.to_le_bytes());
        }
        for (at, to, addend, count) in &v.init_offsets {
            let count = usize::from(*count);
            let end = *at as usize + count;
            bytes.resize(bytes.len().max(end), 0);
            let offset = addresses[to].wrapping_add_signed(*addend);
            bytes[*at as usize..end].copy_from_slice(&offset.to_le_bytes()[..count]);
        }
        for (i, byte) in bytes.iter().enumerate() {
            memory.insert((window, addresses[&id] + i as u64), *byte);
        }
    }
    for buffer in &launch.buffers {
        for (i, byte) in buffer.bytes.iter().enumerate() {
            memory.insert((0, buffer.address + i as u64), *byte);
        }
    }
    let d = Concrete::new(chooser);
    for block in 0..launch.grid[0] {
        for thread in 0..launch.block[0] {
            let mut world = Thread {
                launch,
                addresses: &addresses,
                memory: &mut memory,
                block: [block, 0, 0],
                thread: [thread, 0, 0],
            };
            match run_in(function, &d, &mut world, 200_000) {
                Ok(()) => {}
                Err(stop) => return Err(stop),
            }
        }
    }
    let read = |b: &sassafras_execute::launch::Buffer| {
        (0..b.bytes.len() as u64).map(|i| memory.get(&(0, b.address + i)).copied().unwrap_or(0)).collect()
    };
    Ok(launch.buffers.iter().map(read).collect())
}

#[test]
fn features_keep_their_meaning() {
    let root = reference::workspace_root();
    let launches = reference::corpus::feature_spec(&root).expect("launch.toml").launches().expect("launches");
    let (mut agreed, mut skipped, mut wrong) = (0, Vec::new(), Vec::new());
    'features: for feature in reference::corpus::features(&root).expect("features") {
        let text = std::fs::read_to_string(&feature.ptx).expect("a file of the corpus");
        let Ok(checked) = sassafras_ptx::load(&text, &feature.name) else { continue };
        let ir = match sassafras_lower::lower(
            &checked,
            &sassafras_lower::Options { fmad: false, ..Default::default() },
        ) {
            Ok(ir) => ir,
            Err(e) => {
                skipped.push(format!("{}: {}", feature.name, e[0]));
                continue;
            }
        };
        let mut optimised = ir.clone();
        for f in &mut optimised.functions {
            if let Err(e) = sassafras_opt::pipeline(f, sassafras_opt::Level::O3, &mut |_, _, _| {}) {
                skipped.push(format!("{}: {}", feature.name, e[0]));
                continue 'features;
            }
        }
        for from in &launches {
            let mut launch = Launch::new(from.grid, from.block);
            launch.dynamic_shared = from.shared;
            let arguments: Vec<Argument> = from
                .params
                .iter()
                .map(|p| match p {
                    reference::Param::Buffer(b) => Argument::Buffer(b.data.to_bytes()),
                    reference::Param::Scalar(s) => Argument::Value(s.bytes.clone()),
                })
                .collect();
            let entry = checked.functions.iter().find(|f| f.name == from.entry).expect("the entry");
            let layout: Vec<Slot> =
                entry.params.iter().map(|p| Slot { offset: p.offset, size: p.size }).collect();
            launch.arguments(&layout, &arguments).expect("the arguments fit");
            let options = Options { step_limit: 400_000, ..Options::default() };
            let expected = match sassafras_execute::ptx::run(&checked, &from.entry, &launch, &options) {
                Ok(out) => out,
                Err(e) => {
                    skipped.push(format!("{}: the PTX: {e}", feature.name));
                    continue 'features;
                }
            };
            for (module, what) in [(&ir, "lowered"), (&optimised, "optimised")] {
                match run(module, &from.entry, &launch, Chooser::Nearest) {
                    Ok(got) if feature.approx.is_empty() && got[0] != expected.buffers[0] => {
                        let words = |b: &[u8]| -> Vec<u32> {
                            b.chunks(4).map(|w| u32::from_le_bytes(w.try_into().expect("words"))).collect()
                        };
                        let (got, want, input) =
                            (words(&got[0]), words(&expected.buffers[0]), words(&launch.buffers[1].bytes));
                        let at = (0..got.len()).find(|&i| got[i] != want[i]).unwrap_or(0);
                        wrong.push(format!(
                            "{} {what}: word {at} is {:#x}, by the PTX {:#x}; inputs {:#x?}",
                            feature.name,
                            got[at],
                            want[at],
                            &input[at / 4 * 4..at / 4 * 4 + 4]
                        ));
                        continue 'features;
                    }
                    Ok(_) => {}
                    Err(stop) => {
                        skipped.push(format!("{}: {what}: {stop}", feature.name));
                        continue 'features;
                    }
                }
            }
        }
        agreed += 1;
    }
    for s in &skipped {
        eprintln!("skipped: {s}");
    }
    eprintln!("{agreed} features agree, {} skipped", skipped.len());
    assert!(wrong.is_empty(), "{agreed} agree, {} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(agreed > 150, "only {agreed} features ran");
}
