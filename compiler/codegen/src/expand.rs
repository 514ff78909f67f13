//! Pseudo-instructions become instructions of the hardware.
//!
//! Does: copies (two of zero at once, [`crate::zero`]), swaps (three exclusive ors), spills and reloads (STL, LDL), frame addresses; drops `undef`; sets up
//! the stack pointer R1 at the entry where there is a frame. Does not: move anything. Needs: `Phase::Allocated`.
//! Preserves: blocks, edges, names; the phase stays, as barriers and branches are still to come.

use crate::Error;
use crate::alloc::{End, parallel_moves};
use sassafras_chip::{Chip, abi};
use sassafras_isa::{ControlFlowKind, FieldKind, Inst, RegClass, form_on};
use sassafras_machine::{Block, BuildError, Function, MInst, Op, Phase, Place, Pseudo, Reg};

/// What [`expand`](expand()) did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExpandStats {
    /// Pseudo-instructions replaced.
    pub expanded: usize,
    /// Bytes of the frame.
    pub frame: u32,
    /// Waits for products of a warpgroup that the program does not have.
    pub serialised: usize,
    /// WARPGROUP.ARRIVE that the program does not have.
    pub fenced: usize,
}

/// Bytes of one instruction.
const WORD: u64 = 16;
/// The bank of addresses.
const ADDRESS_BANK: u64 = 4;

/// The stack pointer.
const STACK_POINTER: u64 = 1;

/// See the head of this file.
pub fn expand(f: &mut Function) -> Result<ExpandStats, Error> {
    Error::unless("expand", Phase::Allocated, f.phase)?;
    let mut stats = ExpandStats { expanded: 0, frame: f.frame.size(), ..ExpandStats::default() };
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        let mut leaves = false;
        if block == f.entry && stats.frame > 0 {
            prologue(f, &mut out)?;
        }
        for (index, inst) in insts.into_iter().enumerate() {
            match &inst.op {
                Op::Inst(exit) if leaves && exit.row().control_flow == Some(ControlFlowKind::Exit) => {
                    let first = out.len();
                    back(f, &mut out)?;
                    for new in &mut out[first..] {
                        new.line = inst.line;
                    }
                    if let Some(last) = out.last_mut() {
                        last.origin = inst.origin;
                    }
                }
                Op::Inst(_) => out.push(inst),
                Op::Pseudo(pseudo) => {
                    stats.expanded += 1;
                    let first = out.len();
                    match pseudo {
                        Pseudo::Invoke { routine, result, arguments } => {
                            invoke(f, (block, index), *routine, result, arguments, &mut out)?;
                        }
                        Pseudo::Enter { arguments, .. } => {
                            let moves = passing(arguments, false);
                            arrange(f, (block, index), moves, &mut out)?;
                        }
                        Pseudo::Leave { result, .. } => {
                            let moves = passing(std::slice::from_ref(result), true);
                            arrange(f, (block, index), moves, &mut out)?;
                            leaves = true;
                        }
                        Pseudo::Call { slot, result, arguments } => {
                            call(f, (block, index), *slot, result.as_ref(), arguments, &mut out)?;
                        }
                        other => one(f, (block, index), other, &mut out)?,
                    }
                    out[first..].iter_mut().for_each(|new| new.line = inst.line);
                }
            }
        }
        crate::zero::pair(f.chip, &mut out)?;
        f.blocks[block].insts = out;
    }
    let groups = crate::warpgroup::keep(f)?;
    (stats.serialised, stats.fenced) = (groups.waits, groups.fences);
    Ok(stats)
}

/// An instruction of this family on a chip, with these fields.
pub(crate) fn make(chip: Chip, family: &str, fields: &[(&str, u64)]) -> Result<Inst, Error> {
    let form = form_on(family, chip).ok_or_else(|| BuildError::UnknownForm(family.into()))?;
    let mut inst = Inst::new(form);
    for &(name, value) in fields {
        inst.set(name, value).map_err(BuildError::from)?;
    }
    Ok(inst)
}

/// A 32-bit immediate as the field holds it: sign-extended where the field is signed.
fn immediate(inst: &mut Inst, name: &str, value: i32) -> Result<(), Error> {
    let signed =
        inst.row().fields.iter().any(|f| f.name == name && matches!(f.kind, FieldKind::Signed { .. }));
    let value = if signed { value as i64 as u64 } else { u64::from(value as u32) };
    Ok(inst.set(name, value).map_err(BuildError::from)?)
}

fn prologue(f: &Function, out: &mut Vec<MInst>) -> Result<(), Error> {
    let top = u64::from(f.chip.bank().stack_top);
    let id = if f.chip.has_constant_operands() { ("mov.c", "b") } else { ("ldc", "o") };
    out.push(MInst::new(make(f.chip, id.0, &[("d", STACK_POINTER), (id.1, top)])?));
    let mut add = make(f.chip, "iadd3.rir", &[("d", STACK_POINTER), ("a", STACK_POINTER)])?;
    immediate(&mut add, "b", -(f.frame.size() as i32))?;
    out.push(MInst::new(add));
    Ok(())
}

/// A call: arguments to their registers, the callee's address from bank 4, the return address, and the result from its register.
fn call(
    f: &Function,
    at: (Block, usize),
    slot: u32,
    result: Option<&Place>,
    arguments: &[Place],
    out: &mut Vec<MInst>,
) -> Result<(), Error> {
    let (mut moves, mut next) = (Vec::new(), abi::FIRST_ARGUMENT);
    for argument in arguments {
        let units = u16::from(argument.units);
        next = next.next_multiple_of(units);
        for unit in 0..units {
            let from = number(&step(argument, unit as u8)) as u16;
            let end = |n| End::Register(RegClass::R, n);
            moves.push((end(next + unit), end(from)));
        }
        next += units;
    }
    let steps = parallel_moves(moves, None);
    let steps = steps.ok_or_else(|| Error::malformed(at.0, at.1, "arguments that cannot be moved"))?;
    for pseudo in &steps {
        one(f, at, pseudo, out)?;
    }
    let pair = |n: u16| u64::from(n);
    let mut load =
        make(f.chip, "ldc", &[("d", pair(abi::TARGET)), ("bank", ADDRESS_BANK), ("o", u64::from(slot))])?;
    load.set_enum("sz", ".64").map_err(BuildError::from)?;
    out.push(MInst::new(load));
    return_address(f, out)?;
    let mut jump = make(f.chip, "call.abs.r", &[("a", pair(abi::TARGET))])?;
    jump.set_enum("noinc", ".NOINC").map_err(BuildError::from)?;
    out.push(MInst::new(jump));
    if let Some(result) = result {
        for unit in 0..result.units {
            let from = Reg::Physical(abi::FIRST_ARGUMENT + u16::from(unit)).place(RegClass::R, 1);
            out.push(MInst::new(copy(f.chip, at, step(result, unit), from)?));
        }
    }
    Ok(())
}

/// Where the call that comes next comes back to. Chips before sm_90 have no `LEPC` of another place than its own: two sums add the four instructions
/// up to the one behind the call. A callee keeps no predicate, so that the carry has any.
fn return_address(f: &Function, out: &mut Vec<MInst>) -> Result<(), Error> {
    let (low, high) = (u64::from(abi::RETURN_ADDRESS), u64::from(abi::RETURN_ADDRESS) + 1);
    if form_on("lepc.t", f.chip).is_some() {
        out.push(MInst::new(make(f.chip, "lepc.t", &[("d", low), ("t", WORD)])?));
        return Ok(());
    }
    out.push(MInst::new(make(f.chip, "lepc", &[("d", low)])?));
    let mut sum = make(f.chip, "iadd3.rir", &[("d", low), ("a", low), ("p0", 0)])?;
    immediate(&mut sum, "b", 4 * WORD as i32)?;
    out.push(MInst::new(sum));
    let carried = [("d", high), ("a", high), ("b", 0), ("x", 1), ("q0", 0), ("q0.not", 0)];
    out.push(MInst::new(make(f.chip, "iadd3.rir", &carried)?));
    Ok(())
}

/// Moves between places and the registers of a routine's convention, the first place in the first of them; `to` them, or from them.
fn passing(places: &[Place], to: bool) -> Vec<(End, End)> {
    let (mut moves, mut next) = (Vec::new(), abi::routine::FIRST_ARGUMENT);
    for place in places {
        for unit in 0..place.units {
            let own = End::Register(RegClass::R, number(&step(place, unit)) as u16);
            let fixed = End::Register(RegClass::R, next);
            moves.push(if to { (fixed, own) } else { (own, fixed) });
            next += 1;
        }
    }
    moves
}

/// Moves that happen at once, as instructions.
fn arrange(
    f: &Function,
    at: (Block, usize),
    moves: Vec<(End, End)>,
    out: &mut Vec<MInst>,
) -> Result<(), Error> {
    let steps = parallel_moves(moves, None);
    let steps = steps.ok_or_else(|| Error::malformed(at.0, at.1, "values that cannot be moved"))?;
    steps.iter().try_for_each(|pseudo| one(f, at, pseudo, out))
}

/// A call of a routine: arguments to their registers, the return address, and the result from its register. Where the routine lies, and
/// where the call, is known at emission: until then the call has the routine's number for its target, and the address is 0.
fn invoke(
    f: &Function,
    at: (Block, usize),
    routine: u8,
    result: &Place,
    arguments: &[Place],
    out: &mut Vec<MInst>,
) -> Result<(), Error> {
    arrange(f, at, passing(arguments, true), out)?;
    out.push(MInst::new(make(f.chip, "mov.i", &[("d", u64::from(abi::routine::RETURN_ADDRESS))])?));
    let mut call = make(f.chip, "call", &[("t", WORD * u64::from(routine))])?;
    call.set_enum("noinc", ".NOINC").map_err(BuildError::from)?;
    out.push(MInst::new(call));
    arrange(f, at, passing(std::slice::from_ref(result), false), out)
}

/// The return of a routine: the upper word of the address, and a jump to it. The distance to the kernel's start is known at emission.
fn back(f: &Function, out: &mut Vec<MInst>) -> Result<(), Error> {
    let address = u64::from(abi::routine::RETURN_ADDRESS);
    out.push(MInst::new(make(f.chip, "mov.i", &[("d", address + 1)])?));
    let mut ret = make(f.chip, "ret", &[("a", address)])?;
    ret.set_enum("nodec", ".NODEC").map_err(BuildError::from)?;
    out.push(MInst::new(ret));
    Ok(())
}

fn one(f: &Function, at: (Block, usize), pseudo: &Pseudo, out: &mut Vec<MInst>) -> Result<(), Error> {
    match pseudo {
        Pseudo::Copy { dst, src } => {
            for unit in 0..dst.units {
                let (dst, src) = (step(dst, unit), step(src, unit));
                out.push(MInst::new(copy(f.chip, at, dst, src)?));
            }
        }
        Pseudo::Swap { a, b } => {
            for unit in 0..a.units {
                let (x, y) = (number(&step(a, unit)), number(&step(b, unit)));
                for d in [x, y, x] {
                    out.push(MInst::new(exclusive_or(f.chip, at, a.class, d, x, y)?));
                }
            }
        }
        Pseudo::Undef { .. } => {}
        Pseudo::FrameAddress { dst, offset } => {
            let mut add = make(f.chip, "iadd3.rir", &[("d", number(dst)), ("a", STACK_POINTER)])?;
            immediate(&mut add, "b", *offset as i32)?;
            out.push(MInst::new(add));
        }
        Pseudo::Spill { slot, src } => {
            for (offset, units) in cut(src, *slot) {
                let from = step(src, offset);
                let mut store = make(f.chip, "stl", &[("a", STACK_POINTER), ("b", number(&from))])?;
                frame_access(f, &mut store, slot + 4 * u32::from(offset), units)?;
                out.push(MInst::new(store));
            }
        }
        Pseudo::Reload { slot, dst } => {
            for (offset, units) in cut(dst, *slot) {
                let to = step(dst, offset);
                let mut load = make(f.chip, "ldl", &[("a", STACK_POINTER), ("d", number(&to))])?;
                frame_access(f, &mut load, slot + 4 * u32::from(offset), units)?;
                out.push(MInst::new(load));
            }
        }
        Pseudo::ParallelCopy(_)
        | Pseudo::Pack { .. }
        | Pseudo::Call { .. }
        | Pseudo::Invoke { .. }
        | Pseudo::Enter { .. }
        | Pseudo::Leave { .. } => {
            return Err(Error::malformed(at.0, at.1, "a pseudo-instruction of SSA behind allocation"));
        }
    }
    Ok(())
}

/// What one access to the frame can move, as the first unit and their number: all of a register that one word reaches, else four at a time where
/// register and slot are aligned, and the rest one by one.
fn cut(place: &Place, slot: u32) -> Vec<(u8, u8)> {
    if matches!(place.units, 1 | 2 | 4) {
        return vec![(0, place.units)];
    }
    let wide = number(place).is_multiple_of(4) && slot.is_multiple_of(16);
    let fours = if wide { place.units / 4 } else { 0 };
    (0..fours).map(|n| (4 * n, 4)).chain((4 * fours..place.units).map(|n| (n, 1))).collect()
}

fn frame_access(f: &Function, inst: &mut Inst, slot: u32, units: u8) -> Result<(), Error> {
    let size = match units {
        2 => ".64",
        4 => ".128",
        _ => "",
    };
    inst.set_enum("sz", size).map_err(BuildError::from)?;
    let offset = f.frame.spill_offset() + slot;
    inst.set("o", u64::from(offset)).map_err(BuildError::from)?;
    Ok(())
}

fn number(place: &Place) -> u64 {
    place.reg.to_field()
}

/// One unit of a place; a constant is the same in every unit.
fn step(place: &Place, unit: u8) -> Place {
    let reg = if place.reg.is_constant(place.class) { place.reg } else { place.reg.offset(unit) };
    Place { class: place.class, reg, units: 1 }
}

fn copy(chip: Chip, at: (Block, usize), dst: Place, src: Place) -> Result<Inst, Error> {
    use RegClass::{P, R, UP, UR};
    let (d, s) = (number(&dst), number(&src));
    // Truth tables over three inputs: the first alone is 0xf0, the third alone 0xaa.
    match (dst.class, src.class) {
        (R, R) => make(chip, "mov.r", &[("d", d), ("b", s)]),
        (R, UR) => make(chip, "mov.u", &[("d", d), ("b", s)]),
        (UR, R) => make(chip, "r2ur", &[("d", d), ("a", s)]),
        (UR, UR) => make(chip, "umov.u", &[("d", d), ("b", s)]),
        (R, P) => make(chip, "sel.ri", &[("d", d), ("b", 1), ("q", s), ("q.not", 1)]),
        (P, R) => {
            let mut compare = make(chip, "isetp.rr", &[("d", d), ("a", s)])?;
            compare.set_enum("cmp", ".NE").map_err(BuildError::from)?;
            Ok(compare)
        }
        (P, P) => make(chip, "plop3", &[("d", d), ("q0", s), ("lut", 0xf0)]),
        (P, UP) => make(chip, "plop3.u", &[("d", d), ("q2", s), ("lut", 0xaa)]),
        (UP, UP) => make(chip, "uplop3", &[("d", d), ("q0", s), ("lut", 0xf0)]),
        (to, from) => Err(Error::NoCopy { block: at.0, index: at.1, from, to }),
    }
}

/// `d = a ^ b`, truth table 0x3c over the first two inputs.
fn exclusive_or(
    chip: Chip,
    at: (Block, usize),
    class: RegClass,
    d: u64,
    a: u64,
    b: u64,
) -> Result<Inst, Error> {
    let lut = ("lut", 0x3c);
    match class {
        RegClass::R => make(chip, "lop3.rrr", &[("d", d), ("a", a), ("b", b), lut]),
        RegClass::UR => make(chip, "ulop3.uuu", &[("d", d), ("a", a), ("b", b), lut]),
        RegClass::P => make(chip, "plop3", &[("d", d), ("q0", a), ("q1", b), lut]),
        RegClass::UP => make(chip, "uplop3", &[("d", d), ("q0", a), ("q1", b), lut]),
        class => Err(Error::NoCopy { block: at.0, index: at.1, from: class, to: class }),
    }
}
