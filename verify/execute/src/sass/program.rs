//! A cubin loaded for one entry.

use crate::launch::{Launch, LaunchError};
use crate::memory::Memory;
use crate::outcome::{Coverage, Location};
use crate::schedule::{Block, World};
use crate::special::{self, Asker, unfold};
use rustc_hash::FxHashMap;
use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function, Relocation, Space};
use sassafras_isa::{Access, ControlFlowKind, DecodeError, Inst, Meaning, RegClass, Style, decode, print};
use sassafras_link::ELSEWHERE;
use sassafras_semantics::SpecialRegister;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// Bytes per instruction.
pub(super) const WORD: u64 = 16;

/// An instruction, and what is asked about it at every issue.
#[derive(Debug)]
pub(super) struct Instruction {
    pub inst: Inst,
    /// It executes once for the group: it writes uniform registers from uniform sources or from one lane.
    pub once: bool,
    /// It is stepped for one lane after the other: that is what it does, or a step of all has come to nothing.
    pub apart: AtomicBool,
    /// It ends what `WARPSYNC.COLLECTIVE` began.
    pub ends_collective: bool,
    /// A general register that it names beyond the function's count.
    pub beyond: Option<u32>,
}

impl Instruction {
    fn new(inst: Inst, registers: u32) -> Instruction {
        let row = inst.row();
        let gathers = matches!(
            row.meaning,
            Meaning::Voteu | Meaning::Vote | Meaning::Redux | Meaning::Match | Meaning::Elect
        );
        let writes_uniform = inst
            .operands()
            .any(|o| o.access == Access::Write && matches!(o.class, RegClass::UR | RegClass::UP));
        let highest = inst
            .operands()
            .filter(|o| o.class == RegClass::R)
            .map(|o| o.number + u32::from(o.units) - 1)
            .max();
        let once = !gathers && (row.uniform || writes_uniform);
        Instruction {
            once,
            apart: AtomicBool::new(once || gathers),
            ends_collective: inst.ends_collective(),
            beyond: highest.filter(|&n| n >= registers),
            inst,
        }
    }
}

/// The entry, its code and what the driver provides.
#[derive(Debug)]
pub struct Program {
    pub(super) chip: Chip,
    pub(super) name: String,
    /// One per word; the error of those that are no instruction.
    pub(super) code: Vec<Result<Instruction, DecodeError>>,
    /// Shared memory in bytes, those the system keeps included, dynamic memory not.
    pub(super) shared: u32,
    /// Local memory of a thread in bytes; also the first value of the stack pointer.
    pub(super) local: u32,
    /// General registers of a thread.
    pub(super) registers: u32,
    /// The functions that the driver resolves, by the slot of bank 4 that has their address.
    externs: Vec<Option<String>>,
    /// Threads of a block in x, y, z.
    threads: [u32; 3],
}

pub(super) fn entry<'a>(cubin: &'a Cubin, name: &str) -> Result<&'a Function, LaunchError> {
    let entries = || cubin.functions.iter().filter(|f| f.entry);
    entries().find(|f| f.name == name).ok_or_else(|| LaunchError::NoEntry {
        name: name.to_owned(),
        has: entries().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", "),
    })
}

fn refuse(what: impl Into<String>) -> LaunchError {
    LaunchError::Program(what.into())
}

/// A symbol, if it is a function that the driver resolves.
fn external(cubin: &Cubin, symbol: &str) -> Option<String> {
    cubin.externs.iter().find(|e| e.function && e.name == symbol).map(|e| e.name.clone())
}

/// Bytes of the widest load of a constant bank.
const WIDEST: u32 = 16;

impl Program {
    /// Decodes the code of an entry and checks the launch against it.
    pub(super) fn load(cubin: &Cubin, name: &str, launch: &Launch) -> Result<Program, LaunchError> {
        let function = entry(cubin, name)?;
        let chip =
            Chip::from_number(cubin.sm).ok_or_else(|| refuse(format!("sm_{} is not known", cubin.sm)))?;
        let given = launch.params.len() as u32;
        if given != function.param_size {
            return Err(LaunchError::ParamBytes { wants: function.param_size, given });
        }
        if function.required_threads.is_some_and(|n| n != launch.block) {
            return Err(LaunchError::Shape(format!(
                "`{name}` must be launched with {:?} threads",
                function.required_threads
            )));
        }
        if let Some(n) = function.max_threads {
            let most = n.iter().fold(1, |all: u32, &n| all.saturating_mul(n));
            if launch.threads() > most {
                return Err(LaunchError::Shape(format!("`{name}` takes at most {most} threads per block")));
            }
        }
        // Of the registers that a function declares, the hardware keeps two.
        let registers = function.registers.saturating_sub(2).max(1);
        let read = |&word: &u128| decode(word, chip).map(|inst| Instruction::new(inst, registers));
        let code = function.code.iter().map(read).collect();
        let system = chip.limits().reserved_shared_bytes;
        Ok(Program {
            chip,
            name: name.to_owned(),
            code,
            shared: system + function.shared.map_or(0, |s| s.size),
            local: function.stack().max(function.frame_size).next_multiple_of(16),
            registers,
            externs: cubin.addresses.iter().map(|slot| external(cubin, &slot.symbol)).collect(),
            threads: launch.block,
        })
    }

    /// A thread with a frame, or that calls, has at least so many bytes of stack.
    pub(super) fn provide_stack(&mut self, bytes: u32) {
        let calls = |i: &Instruction| i.inst.row().control_flow == Some(ControlFlowKind::Call);
        if self.local > 0 || self.code.iter().flatten().any(calls) {
            self.local = self.local.max(bytes.next_multiple_of(16));
        }
    }

    /// The function that the driver resolves at an index of an instruction.
    pub(super) fn called(&self, pc: u64) -> Option<&str> {
        let slot = pc.checked_sub(ELSEWHERE / WORD)?;
        self.externs.get(usize::try_from(slot).ok()?)?.as_deref()
    }

    /// Fills constant banks and global variables.
    pub(super) fn fill(&self, cubin: &Cubin, world: &mut World<'_>) -> Result<(), LaunchError> {
        let function = entry(cubin, &self.name)?;
        let addresses = globals(cubin, &mut world.memory)?;
        // A generic address may name what the kernel was given.
        world.memory.params.clone_from(&world.launch.params);
        let launch = world.launch;
        let banks = &mut world.memory.banks;
        let (bank, unknown) = self.bank(function, launch, world.options.seed);
        world.memory.unknown = unknown;
        banks.insert(0, bank);
        for bank in &function.banks {
            banks.insert(bank.number, bank.data.clone());
        }
        let constants: Vec<_> = cubin.variables.iter().filter(|v| v.space == Space::Constant).collect();
        let end = constants.iter().map(|v| v.offset + v.size).max().unwrap_or(0);
        // Symbols that the model has no variable for (weak ones) leave their section as it is.
        let raw = cubin.sections.iter().find(|s| s.name == ".nv.constant3").and_then(|s| s.data.clone());
        let mut bytes = raw.unwrap_or_default();
        bytes.resize(bytes.len().max(end as usize), 0);
        for v in constants {
            if let Some(init) = &v.init {
                bytes[v.offset as usize..][..init.len()].copy_from_slice(init);
            }
            for r in &v.relocations {
                let relocated = Relocation { offset: v.offset + r.offset, ..r.clone() };
                patch(&mut bytes, &relocated, &addresses)?;
            }
        }
        if !bytes.is_empty() {
            world.memory.constant.clone_from(&bytes);
            banks.insert(3, bytes);
        }
        let mut slots = vec![0; 8 * cubin.addresses.len()];
        for (i, slot) in cubin.addresses.iter().enumerate() {
            if external(cubin, &slot.symbol).is_some() {
                slots[8 * i..8 * i + 8].copy_from_slice(&(ELSEWHERE + 16 * i as u64).to_le_bytes());
                continue;
            }
            let whole = Relocation {
                offset: 8 * i as u64,
                kind: sassafras_cubin::relocation::ADDRESS_64,
                symbol: slot.symbol.clone(),
                addend: slot.addend,
            };
            patch(&mut slots, &whole, &addresses)?;
        }
        if !slots.is_empty() {
            banks.insert(4, slots);
        }
        let counts = vec![0; self.code.len()];
        world.coverage = vec![Coverage { function: self.name.clone(), counts, ..Coverage::default() }];
        Ok(())
    }

    /// Constant bank 0, as the driver fills it, and the bytes below the parameters of which that is not known.
    fn bank(&self, function: &Function, launch: &Launch, seed: u64) -> (Vec<u8>, Vec<Range<u64>>) {
        let layout = self.chip.bank();
        let base = function.param_base.max(layout.parameters);
        let mut bytes = vec![0; (base + function.param_size) as usize];
        // An aligned read that begins at the last parameter may go on behind it (`LDC.64` for a `.u32` and a `.u16`, ptxas 13.0.88): what is there
        // is the driver's, and no zero by chance.
        let padding = (0..function.param_size.next_multiple_of(WIDEST) - function.param_size)
            .map(|i| 0xa5 ^ (seed >> (8 * (i % 8))) as u8);
        bytes.extend(padding);
        let mut known = BTreeSet::new();
        // Free inputs of the launch, one value for all threads.
        let asker = Asker { block: [0; 3], warp: 0, lane: 0, now: 0, seed, shared: 0 };
        let free = |register| special::value(register, &asker, launch);
        let copy = free(SpecialRegister::BankCopy) as u32;
        let mut word = |at: u32, value: u32| {
            let at = at - layout.stride(at).map_or(0, |stride| stride * copy);
            bytes[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
            known.insert(at);
        };
        for axis in 0..3 {
            word(layout.block_size[axis], launch.block[axis]);
            word(layout.grid_size[axis], launch.grid[axis]);
        }
        if let Some(cluster) = layout.cluster {
            // No clusters: each is of one block.
            word(cluster.explicit, 0);
            word(cluster.blocks, 1);
            for axis in 0..3 {
                word(cluster.size[axis], 1);
                word(cluster.reciprocal[axis], 1f32.to_bits());
                word(cluster.count[axis], launch.grid[axis]);
            }
        }
        word(layout.stack_top, self.local);
        word(layout.dynamic_shared_size, launch.dynamic_shared);
        if let Some((_, last)) = layout.bank_window {
            word(last, layout.parameters + function.param_size.max(1) - 1);
        }
        (0..32).for_each(|n| word(layout.environment_word(n), free(SpecialRegister::EnvReg(n)) as u32));
        let graph = free(SpecialRegister::CurrentGraphExec);
        let mut wide = |at: u32, value: u64| {
            word(at, value as u32);
            word(at + 4, (value >> 32) as u32);
        };
        wide(layout.grid_id, crate::special::GRID_ID);
        wide(layout.graph, graph);
        wide(layout.local_window, crate::memory::LOCAL_WINDOW);
        if let Some(at) = layout.constant_window {
            wide(at, crate::memory::CONST_WINDOW);
        }
        if let Some((first, last)) = layout.parameter_window {
            wide(first, crate::memory::PARAM_WINDOW);
            wide(last, crate::memory::PARAM_WINDOW + u64::from(function.param_size.max(1)) - 1);
        }
        if let Some((first, _)) = layout.bank_window {
            wide(first, crate::memory::PARAM_WINDOW - u64::from(layout.parameters));
        }
        if let Some(at) = layout.shared_window {
            wide(at, crate::memory::SHARED_WINDOW);
        }
        if let Some(at) = layout.global_descriptor {
            wide(at, 0);
        }
        bytes[base as usize..][..launch.params.len()].copy_from_slice(&launch.params);
        let mut unknown = Vec::new();
        let mut from = 0;
        for at in known.into_iter().chain([base]).map(u64::from) {
            if from < at {
                unknown.push(from..at);
            }
            from = at + 4;
        }
        (bytes, unknown)
    }

    /// Where a lane stands.
    pub(super) fn location(&self, block: &Block, warp: u32, lane: u32, pc: u64) -> Location {
        Location {
            block: block.index,
            thread: unfold(u64::from(32 * warp + lane), self.threads),
            function: self.name.clone(),
            position: WORD * pc,
            line: None,
            text: self.text(pc),
        }
    }

    /// The text of an instruction.
    pub(super) fn text(&self, pc: u64) -> String {
        match self.code.get(pc as usize) {
            Some(Ok(i)) => print(&i.inst, &Style::default()),
            Some(Err(why)) => why.to_string(),
            None => "outside the code".to_owned(),
        }
    }
}

/// Allocates and fills the global variables; their addresses by name, and the generic ones of constants.
fn globals(cubin: &Cubin, memory: &mut Memory) -> Result<FxHashMap<String, u64>, LaunchError> {
    let mut addresses = FxHashMap::default();
    for v in cubin.variables.iter().filter(|v| v.space == Space::Global) {
        let mut bytes = v.init.clone().unwrap_or_default();
        bytes.resize(v.size as usize, 0);
        addresses.insert(v.name.clone(), memory.global.allocate(bytes, v.align.max(1), false));
    }
    for v in cubin.variables.iter().filter(|v| v.space == Space::Constant) {
        addresses.insert(v.name.clone(), crate::memory::CONST_WINDOW + v.offset);
    }
    for v in cubin.variables.iter().filter(|v| v.space == Space::Global) {
        for r in &v.relocations {
            let Some(allocation) = memory.global.at_mut(addresses[&v.name]) else { continue };
            patch(&mut allocation.bytes, r, &addresses)?;
        }
    }
    Ok(addresses)
}

/// Writes the address of a symbol, or the part of it that the relocation names.
fn patch(bytes: &mut [u8], r: &Relocation, addresses: &FxHashMap<String, u64>) -> Result<(), LaunchError> {
    let symbol = &r.symbol;
    let address =
        addresses.get(symbol).ok_or_else(|| refuse(format!("the address of `{symbol}` is not known")))?;
    let (width, dropped) =
        r.part().ok_or_else(|| refuse(format!("a relocation of kind {} for `{symbol}`", r.kind)))?;
    let place = bytes.get_mut(r.offset as usize..).and_then(|rest| rest.get_mut(..width));
    let place = place.ok_or_else(|| refuse(format!("the address of `{symbol}` does not fit its place")))?;
    let value = address.wrapping_add_signed(r.addend) >> dropped;
    place.copy_from_slice(&value.to_le_bytes()[..width]);
    Ok(())
}
