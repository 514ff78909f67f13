//! Words.
//!
//! Does: gives every instruction its place, sets the distances of branches, encodes; puts routines behind the function and says
//! where they lie and where they return to; ends with `BRA .` and NOPs up to a multiple of 128 bytes; gathers what the container must
//! know. Needs: `Phase::Scheduled`.

use crate::{Error, expand::make};
use sassafras_chip::abi;
use sassafras_graph::SecondaryMap;
use sassafras_graph::nest::Nest;
use sassafras_isa::{Control, ControlFlowKind, FieldKind, Inst, Meaning, RegClass, encode};
use sassafras_machine::{Block, BuildError, Function, MInst, Phase, Place, Reg};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of one instruction.
const WORD: u64 = 16;
/// Text is padded to a multiple of this, in bytes.
const ALIGN: u64 = 128;

/// The code of a function. Offsets are in bytes from its start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Instructions, 16 bytes each, little-endian.
    pub words: Vec<u128>,
    /// One more than the highest general register named.
    pub registers: u32,
    /// One more than the highest `BAR` number named; 16 when a register names it.
    pub barriers: u32,
    /// Bytes of local memory per thread.
    pub frame_bytes: u32,
    /// Every EXIT.
    pub exits: Vec<u32>,
    /// Instructions that work across the lanes of a group (SHFL, VOTE, MATCH, REDUX, WARPSYNC): ptxas's
    /// `COOP_GROUP_INSTR_OFFSETS`.
    pub collectives: Vec<u32>,
    /// Calls of functions that the driver resolves (ptxas's `SYSCALL_OFFSETS`).
    pub calls: Vec<u32>,
    /// Whether convergence barriers or calls occur (ptxas's `CRS_STACK_SIZE`).
    pub diverges: bool,
    /// For each word the instruction's name before scheduling ([`sassafras_machine::MInst::origin`]).
    pub origins: Vec<Option<u32>>,
    /// For each word the 1-based line of the PTX source that it comes from; 0 for padding and where none is known.
    pub lines: Vec<u32>,
    /// Heads of loops in which registers of the source lie that were followed, in the order of the code.
    pub heads: Vec<Head>,
}

/// The head of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// Where its code begins, in bytes from the function's start.
    pub offset: u64,
    /// 1-based line of the first instruction of the block in the source; 0 if none is known.
    pub line: u32,
    /// Numbers of registers of the source's function, and where they lie when lanes come to the head.
    pub registers: Vec<(u32, Place)>,
}

/// The numbers of the routines that a function calls, in rising order.
pub fn routines(f: &Function) -> Vec<u8> {
    let called: BTreeSet<u8> = f.insts().filter_map(|(_, _, inst)| inst.inst().and_then(called)).collect();
    called.into_iter().collect()
}

/// The routine that an instruction calls: until emission its number stands where its place will be.
pub(crate) fn called(inst: &Inst) -> Option<u8> {
    let row = inst.row();
    let relative = row.control_flow == Some(ControlFlowKind::Call) && !row.id.starts_with("call.abs");
    let field = row.fields.iter().position(|field| matches!(field.kind, FieldKind::Target { .. }));
    field.filter(|_| relative).and_then(|field| u8::try_from(inst.fields[field] / WORD).ok())
}

/// See the head of this file. `routines` are those that the function calls, by number, scheduled.
pub fn emit(f: &Function, routines: &[(u8, Function)]) -> Result<Code, Error> {
    Error::unless("emit", Phase::Scheduled, f.phase)?;
    let mut code = Code { frame_bytes: f.frame.size(), ..Code::default() };
    let mut at = WORD * f.insts().count() as u64;
    let mut places = BTreeMap::new();
    for (number, routine) in routines {
        places.insert(*number, at);
        at += WORD * routine.insts().count() as u64;
    }
    body(f, &places, &mut code)?;
    code.heads = heads(f);
    for (_, routine) in routines {
        Error::unless("emit", Phase::Scheduled, routine.phase)?;
        body(routine, &BTreeMap::new(), &mut code)?;
    }
    tail(f, &mut code)?;
    Ok(code)
}

/// What is known of heads of loops.
fn heads(f: &Function) -> Vec<Head> {
    let nest = Nest::new(&f.graph());
    let (mut at, mut found) = (0, Vec::new());
    for &block in &f.layout {
        let head = nest.innermost(block).is_some_and(|own| {
            std::iter::successors(Some(own), |&cycle| nest.cycles[cycle].parent)
                .any(|cycle| nest.cycles[cycle].entries.contains(&block))
        });
        let held = || f.held.0.iter().filter(|held| held.block == block);
        if let (true, Some(first)) = (head, held().next()) {
            let registers = held().map(|held| (held.register, held.place)).collect();
            found.push(Head { offset: at, line: first.line, registers });
        }
        at += WORD * f.blocks[block].insts.len() as u64;
    }
    found
}

/// The words of one function, behind those that are there.
fn body(f: &Function, routines: &BTreeMap<u8, u64>, code: &mut Code) -> Result<(), Error> {
    let mut start = SecondaryMap::<Block, u64>::new();
    let first = WORD * code.words.len() as u64;
    let mut at = first;
    for &block in &f.layout {
        start[block] = at;
        at += WORD * f.blocks[block].insts.len() as u64;
    }
    let mut returns = Returns::No;
    let own = routines.is_empty() && first > 0;
    for (block, index, inst) in f.insts() {
        let real =
            inst.inst().ok_or_else(|| Error::malformed(block, index, "a pseudo-instruction at emission"))?;
        let here = WORD * code.words.len() as u64;
        // A return address is that behind the next instruction, or, where it's a sum, that behind the one after two sums.
        returns = match (returns, real.row().meaning) {
            (_, Meaning::Lepc) => {
                if real.row().family == "lepc.t" {
                    Returns::Call
                } else {
                    Returns::Sums(2)
                }
            }
            (Returns::Sums(n), Meaning::Iadd3) => {
                if n > 1 {
                    Returns::Sums(n - 1)
                } else {
                    Returns::Call
                }
            }
            (Returns::Call, _) if real.row().family == "call.abs.r" => Returns::No,
            (Returns::No, _) => Returns::No,
            _ => return Err(Error::malformed(block, index, "a return address without its call")),
        };
        let mut real = real.clone();
        if let Some(target) = inst.target {
            aim(&mut real, start[target].wrapping_sub(here + WORD));
        }
        if real.row().id.starts_with("warpsync.collective") {
            let ends = |inst: &MInst| inst.inst().is_some_and(Inst::ends_collective);
            let more = f.blocks[block].insts[index + 1..].iter().position(ends);
            let more = more.ok_or_else(|| Error::malformed(block, index, "a collective without an end"))?;
            aim(&mut real, WORD * (more as u64 + 1));
        }
        if let Some(number) = called(&real) {
            let place = routines.get(&number);
            let place = place.ok_or_else(|| Error::malformed(block, index, "a call of no routine"))?;
            aim(&mut real, place.wrapping_sub(here + WORD));
        } else if let Some(call) = returned_from(&f.blocks[block].insts, index) {
            real.set("b", start[block] + WORD * (call as u64 + 1)).map_err(BuildError::from)?;
        } else if real.row().control_flow == Some(ControlFlowKind::Return) {
            // From the kernel's start, where return addresses count from.
            aim(&mut real, (here + WORD).wrapping_neg());
        }
        facts(code, here as u32, &real);
        code.words.push(encode(&real, f.chip).map_err(|error| Error::Encode { block, index, error })?);
        code.origins.push(inst.origin.filter(|_| !own));
        code.lines.push(inst.line);
    }
    Ok(())
}

/// The call whose return address an instruction sets: the next one of a routine, if nothing writes the address in between.
fn returned_from(insts: &[MInst], index: usize) -> Option<usize> {
    let sets = |inst: &MInst| {
        let mut defs = inst.defs();
        defs.any(|d| d.class == RegClass::R && d.reg == Reg::Physical(abi::routine::RETURN_ADDRESS))
    };
    if insts[index].inst().is_none_or(|real| real.row().id != "mov.i") || !sets(&insts[index]) {
        return None;
    }
    let behind = insts[index + 1..].iter();
    let next =
        behind.enumerate().find(|(_, inst)| sets(inst) || inst.inst().is_some_and(|i| called(i).is_some()));
    next.filter(|(_, inst)| !sets(inst)).map(|(n, _)| index + 1 + n)
}

/// What has to come next, behind a `LEPC`.
#[derive(Clone, Copy)]
enum Returns {
    /// Anything.
    No,
    /// So many sums, and the call.
    Sums(u8),
    Call,
}

fn aim(inst: &mut Inst, distance: u64) {
    let fields = &inst.row().fields;
    if let Some(index) = fields.iter().position(|field| matches!(field.kind, FieldKind::Target { .. })) {
        inst.fields[index] = distance;
    }
}

fn facts(code: &mut Code, here: u32, inst: &Inst) {
    for operand in inst.operands() {
        if let (RegClass::R, Reg::Physical(first)) = (operand.class, Reg::from_field(operand.number.into())) {
            code.registers = code.registers.max(u32::from(first) + u32::from(operand.units));
        }
    }
    match inst.row().control_flow {
        Some(ControlFlowKind::Exit) => code.exits.push(here),
        Some(ControlFlowKind::Call) if inst.row().id.starts_with("call.abs") => code.calls.push(here),
        Some(ControlFlowKind::Push | ControlFlowKind::Call) => code.diverges = true,
        Some(ControlFlowKind::Block) => code.barriers = code.barriers.max(barrier_count(inst)),
        _ => {}
    }
    use Meaning::{Elect, Match, Redux, Shfl, Vote, Voteu, Warpsync};
    if matches!(inst.row().meaning, Shfl | Vote | Voteu | Match | Redux | Warpsync | Elect) {
        code.collectives.push(here);
    }
}

/// How many block barriers the instruction may name.
fn barrier_count(inst: &Inst) -> u32 {
    let number =
        inst.row().fields.iter().zip(&inst.fields).find(|(field, _)| field.name == "b" || field.name == "a");
    match number {
        Some((field, &value)) if matches!(field.kind, FieldKind::Unsigned { .. }) && value < 16 => {
            value as u32 + 1
        }
        Some((field, _)) if matches!(field.kind, FieldKind::Register { .. }) => 16,
        _ => 1,
    }
}

fn tail(f: &Function, code: &mut Code) -> Result<(), Error> {
    let at_end = |error| Error::Encode { block: f.entry, index: code.words.len(), error };
    let control =
        Control { stall: 0, yield_: false, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };
    let mut spin = make(f.chip, "bra", &[])?;
    aim(&mut spin, WORD.wrapping_neg());
    spin.control = control;
    let spin = encode(&spin, f.chip).map_err(at_end)?;
    let mut nop = make(f.chip, "nop", &[])?;
    nop.control = control;
    let nop = encode(&nop, f.chip).map_err(at_end)?;
    code.words.push(spin);
    while !(WORD * code.words.len() as u64).is_multiple_of(ALIGN) {
        code.words.push(nop);
    }
    code.origins.resize(code.words.len(), None);
    code.lines.resize(code.words.len(), 0);
    Ok(())
}
