//! What there is to count in a kernel's code.

mod inner;

pub use inner::{Inner, busiest};

use sassafras_chip::Chip;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{ControlFlowKind, DecodeError, Inst, MemoryKind, MemorySpace, decode};

/// What one compiler made of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Instructions, without NOPs and the branch to itself at the end.
    pub instructions: u64,
    /// Sum of the stall counts of those.
    pub stalls: u64,
    /// Cycles of a warp alone that executes the static code from the first word to the last, waits for scoreboards included, by rough latencies.
    pub cycles: u64,
    /// Of the entry that takes most, those that the hardware keeps included.
    pub registers: u64,
    /// Bytes of a thread that loads and stores of local memory move, counted over the static code.
    pub local_bytes: u64,
    /// Warps of a multiprocessor that the registers leave.
    pub warps: u64,
}

/// Counts over all functions of a cubin.
///
/// # Errors
/// A word that no row of the table owns.
pub fn measure(cubin: &Cubin, chip: Chip) -> Result<Side, DecodeError> {
    let mut side = Side::default();
    for function in &cubin.functions {
        let one = measure_function(function, chip)?;
        side.instructions += one.instructions;
        side.stalls += one.stalls;
        side.cycles += one.cycles;
        side.local_bytes += one.local_bytes;
        side.registers = side.registers.max(one.registers);
    }
    side.warps = chip.warps_by_registers(side.registers as u32).into();
    Ok(side)
}

/// Counts over one function.
///
/// # Errors
/// A word that no row of the table owns.
pub fn measure_function(function: &Function, chip: Chip) -> Result<Side, DecodeError> {
    let registers = u64::from(function.registers);
    let warps = chip.warps_by_registers(function.registers).into();
    let mut side = Side { registers, warps, ..Side::default() };
    let (mut now, mut ready) = (0, [0; 6]);
    for &word in &function.code {
        let inst = decode(word, chip)?;
        if !is_padding(&inst) {
            side.instructions += 1;
            side.stalls += u64::from(inst.control.stall);
            let control = inst.control;
            let waits = (0..ready.len()).filter(|board| control.wait_mask >> board & 1 == 1);
            now = waits.map(|board| ready[board]).fold(now, u64::max);
            for (barrier, cycles) in
                [(control.write_barrier, latency(&inst)), (control.read_barrier, latency(&inst).min(24))]
            {
                if let Some(ready) = ready.get_mut(usize::from(barrier)) {
                    *ready = (*ready).max(now + cycles);
                }
            }
            now += u64::from(control.stall.max(1));
        }
        side.local_bytes += local_bytes(&inst);
    }
    side.cycles = now;
    Ok(side)
}

/// NOPs, and the branch to itself.
fn is_padding(inst: &Inst) -> bool {
    let row = inst.row();
    let jump = row.control_flow == Some(ControlFlowKind::Branch);
    let target = row.fields.iter().position(|f| matches!(f.kind, sassafras_isa::FieldKind::Target { .. }));
    let to_itself = target.is_some_and(|field| inst.fields[field] as i64 == -16);
    row.mnemonic == "NOP" || (jump && to_itself)
}

/// Cycles until a result of variable latency is there. Rough figures from public microbenchmarks (Luo et al., "Benchmarking and Dissecting the Nvidia Hopper
/// GPU Architecture", 2024), the same for both sides.
fn latency(inst: &Inst) -> u64 {
    match inst.row().memory.map(|memory| memory.space) {
        Some(MemorySpace::Global | MemorySpace::Generic | MemorySpace::Local) => 250,
        Some(MemorySpace::Shared) => 30,
        Some(MemorySpace::Constant) => 40,
        None => 24,
    }
}

fn local_bytes(inst: &Inst) -> u64 {
    let row = inst.row();
    let Some(memory) = row.memory.filter(|memory| memory.space == MemorySpace::Local) else { return 0 };
    let data = if memory.kind == MemoryKind::Load { "d" } else { "b" };
    row.field(data).map_or(4, |field| 4 * u64::from(inst.units(field)))
}
