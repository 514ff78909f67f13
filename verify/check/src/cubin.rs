//! Rules about a cubin: what it says of a function is what its code does.

use crate::report::Report;
use crate::rules::Rule;
use sassafras_chip::limits::THREADS_PER_BLOCK;
use sassafras_chip::{Chip, PARTS};
use sassafras_cubin::{Cubin, Function};
use sassafras_hazards::Verdict;
use sassafras_hazards::astray::lost;
use sassafras_isa::{ControlFlowKind, FieldKind, Inst, Meaning, RegClass, decode};
use sassafras_machine as machine;
use std::collections::BTreeMap;

/// ptxas gives no kernel fewer registers than this (black-box comparison with 13.0.88).
const FEWEST_REGISTERS: u32 = 4;
/// Bytes of a word, and of a line to which functions are padded.
const WORD: u32 = 16;
const PAD: usize = 8;

/// What was made for a function before it went into the container.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Its symbol.
    pub name: String,
    /// Its words, padding included.
    pub words: Vec<u128>,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Bytes of parameters.
    pub param_bytes: u32,
    /// Bytes of local memory.
    pub frame_bytes: u32,
}

impl Made {
    /// From the scheduled function and its words.
    pub fn of(f: &machine::Function, words: &[u128]) -> Made {
        Made {
            name: f.name.clone(),
            words: words.to_vec(),
            shared_bytes: f.shared_bytes,
            param_bytes: f.param_bytes,
            frame_bytes: f.frame.size(),
        }
    }
}

/// Judges a cubin that we made, each function that is in `made` against that too.
pub fn check(cubin: &Cubin, made: &[Made]) -> Verdict {
    judge(cubin, made, true)
}

/// Judges a cubin that anybody made. Which operations across lanes ptxas declares is not known: not all of them. Nothing looks at addresses
/// where no slot is named, as in linked files.
pub fn check_foreign(cubin: &Cubin) -> Verdict {
    judge(cubin, &[], false)
}

fn judge(cubin: &Cubin, made: &[Made], own: bool) -> Verdict {
    let mut report = Report::default();
    let Some(chip) = Chip::ALL.iter().copied().find(|chip| chip.number() == cubin.sm) else {
        report.unknown(Rule::CubinCode, "chip", format!("sm_{} is not known", cubin.sm));
        return report.verdict();
    };
    for f in &cubin.functions {
        report.function.clone_from(&f.name);
        if let Some(made) = made.iter().find(|made| made.name == f.name) {
            as_made(f, made, &mut report);
        }
        let mut code = Vec::new();
        for (i, &word) in f.code.iter().enumerate() {
            match decode(word, chip) {
                Ok(inst) => code.push((WORD * i as u32, inst)),
                Err(error) => {
                    let place = format!("{:#x}", WORD * i as u32);
                    match own {
                        true => report.add(Rule::CubinCode, place, error.to_string()),
                        false => report.unknown(Rule::CubinCode, place, error.to_string()),
                    }
                }
            }
        }
        if f.code.is_empty() || !f.code.len().is_multiple_of(PAD) {
            report.add(Rule::CubinCode, "code", format!("{} words", f.code.len()));
        }
        registers(f, &code, chip, own, &mut report);
        launch(f, chip, own, &mut report);
        exits(f, &code, &mut report);
        if own {
            collectives(f, &code, &mut report);
        }
        barriers(f, &code, own, &mut report);
        parameters(f, &mut report);
        memory(cubin, own || !cubin.addresses.is_empty(), f, &code, &mut report);
        branches(f, &code, &mut report);
        stack(cubin, f, &mut report);
    }
    report.verdict()
}

fn as_made(f: &Function, made: &Made, report: &mut Report) {
    let shared = f.shared.map_or(0, |shared| shared.size);
    if shared != made.shared_bytes {
        report.add(Rule::CubinShared, "shared", format!("{shared} bytes, not {}", made.shared_bytes));
    }
    if f.code != made.words {
        report.add(Rule::CubinFunction, "code", "these are not the words that were made");
    }
    if f.frame_size != made.frame_bytes {
        report.add(Rule::CubinFunction, "frame", format!("{} bytes, not {}", f.frame_size, made.frame_bytes));
    }
    if f.param_size != made.param_bytes {
        let what = format!("{} bytes, not {}", f.param_size, made.param_bytes);
        report.add(Rule::CubinFunction, "parameters", what);
    }
}

/// Of others' functions what they call may need more.
fn registers(f: &Function, code: &[(u32, Inst)], chip: Chip, own: bool, report: &mut Report) {
    let operands = code.iter().flat_map(|(_, inst)| inst.operands());
    let ends = operands.filter(|o| o.class == RegClass::R).map(|o| o.number + u32::from(o.units));
    let wanted = (ends.max().unwrap_or(0) + chip.limits().reserved_registers).max(FEWEST_REGISTERS);
    // What asks for more while it runs may use as many behind that (USETMAXREG); how far that reaches is not looked at.
    let asked = code.iter().filter(|(_, inst)| inst.row().family == "usetmaxreg.try");
    let asked = asked.filter_map(|(_, inst)| inst.get("n")).max().unwrap_or(0);
    let enough = u64::from(f.registers).max(asked) >= u64::from(wanted);
    let wrong = if own && asked == 0 { f.registers != wanted } else { !enough };
    if wrong {
        report.add(Rule::CubinRegisters, "registers", format!("{} declared, {wanted} used", f.registers));
    }
}

/// Each part of a multiprocessor has registers of its own: the one with most warps of a block has a quarter of them, rounded up. Of others' entries
/// only the exact size counts: where a size is the largest (`.maxntid`), smaller blocks can be launched.
fn launch(f: &Function, chip: Chip, own: bool, report: &mut Report) {
    let limits = chip.limits();
    let of_warp =
        u64::from(f.registers.next_multiple_of(limits.register_allocation_unit) * limits.warp_lanes);
    let there = u64::from(limits.registers_per_multiprocessor / PARTS);
    for shape in [f.required_threads, f.max_threads.filter(|_| own)].into_iter().flatten() {
        // A block of more threads than any may have is not launched, whatever its registers.
        let threads =
            shape.iter().fold(1u64, |all, &n| all.saturating_mul(n.into())).min(THREADS_PER_BLOCK.into());
        let warps = threads.div_ceil(limits.warp_lanes.into()).div_ceil(PARTS.into());
        if f.entry && warps.saturating_mul(of_warp) > there {
            let what = format!("{threads} threads with {} registers each fit no multiprocessor", f.registers);
            report.add(Rule::CubinLaunch, "block", what);
        }
    }
}

fn exits(f: &Function, code: &[(u32, Inst)], report: &mut Report) {
    let exits: Vec<u32> = positions(code, |inst| inst.row().control_flow == Some(ControlFlowKind::Exit));
    if f.exit_offsets != exits {
        report.add(Rule::CubinExits, "exits", format!("{:x?} declared, {exits:x?} found", f.exit_offsets));
    }
}

fn collectives(f: &Function, code: &[(u32, Inst)], report: &mut Report) {
    let across = |inst: &Inst| {
        matches!(inst.row().meaning, Meaning::Shfl | Meaning::Vote | Meaning::Match | Meaning::Redux)
            || matches!(inst.row().meaning, Meaning::Voteu | Meaning::Elect | Meaning::Warpsync)
    };
    let found = positions(code, across);
    if f.coop_group_offsets != found {
        let what = format!("{:x?} declared, {found:x?} found", f.coop_group_offsets);
        report.add(Rule::CubinCollectives, "collectives", what);
    }
    if f.coop_group_masks.len() != f.coop_group_offsets.len() {
        report.add(Rule::CubinCollectives, "collectives", "there is not one mask for each");
    }
}

fn positions(code: &[(u32, Inst)], wanted: impl Fn(&Inst) -> bool) -> Vec<u32> {
    code.iter().filter(|(_, inst)| wanted(inst)).map(|&(at, _)| at).collect()
}

/// Where a register names the barrier any may be meant, unless its maker knows better.
fn barriers(f: &Function, code: &[(u32, Inst)], own: bool, report: &mut Report) {
    let mut wanted = 0;
    for (_, inst) in code.iter().filter(|(_, inst)| inst.row().meaning == Meaning::Bar) {
        let register = inst.row().field("b").map(|i| inst.row().fields[i].kind);
        wanted = wanted.max(match register {
            Some(FieldKind::Register { .. }) if own => 16,
            Some(FieldKind::Register { .. }) => u64::from(f.barriers),
            _ => inst.get("b").unwrap_or(0) + 1,
        });
    }
    if u64::from(f.barriers) != wanted {
        report.add(Rule::CubinBarriers, "barriers", format!("{} declared, {wanted} used", f.barriers));
    }
}

fn parameters(f: &Function, report: &mut Report) {
    let mut end = 0;
    let mut params: Vec<_> = f.params.iter().collect();
    params.sort_by_key(|p| p.offset);
    for p in params {
        if u32::from(p.offset) < end {
            report.add(Rule::CubinParameters, format!("parameter {}", p.ordinal), "it lies on another");
        }
        end = u32::from(p.offset) + p.size;
    }
    if end > f.param_size {
        report.add(Rule::CubinParameters, "parameters", format!("they end at {end}, size {}", f.param_size));
    }
}

/// Constant banks 0 and 4, and shared memory.
fn memory(cubin: &Cubin, slots: bool, f: &Function, code: &[(u32, Inst)], report: &mut Report) {
    for (at, inst) in code {
        let row = inst.row();
        for (i, field) in row.fields.iter().enumerate() {
            if !matches!(field.kind, FieldKind::ConstantOffset { .. }) || !inst.shows(i) {
                continue;
            }
            let indexed = row.memory.is_some() && inst.get("a").is_some_and(|a| a != 255);
            let bank = inst.get(&format!("{}.bank", field.name));
            let (offset, place) = (inst.fields[i], format!("{at:#x}"));
            let end = u64::from(f.param_base + f.param_size);
            match bank {
                Some(0) if offset >= end && !indexed => {
                    let what = format!("c[0][{offset:#x}], parameters end at {end:#x}");
                    report.add(Rule::CubinParameters, place, what);
                }
                Some(4) if slots && offset / 8 >= cubin.addresses.len() as u64 => {
                    let what = format!("slot {} of {}", offset / 8, cubin.addresses.len());
                    report.add(Rule::CubinAddress, place, what);
                }
                _ => {}
            }
        }
    }
}

/// The stack of an entry holds its frame and those of what it calls, as far as the call graph is without a circle.
fn stack(cubin: &Cubin, f: &Function, report: &mut Report) {
    let Some(declared) = f.min_stack else { return };
    let needed = u64::from(f.frame_size) + deepest(cubin, &f.name, &mut BTreeMap::new());
    if u64::from(declared) < needed {
        let what = format!("{declared} bytes of stack, and frames of {needed} bytes");
        report.add(Rule::CubinStack, "stack", what);
    }
}

/// Bytes of the frames below a function, on the deepest way of plain calls; a call back to a caller counts nothing.
fn deepest<'a>(cubin: &'a Cubin, name: &'a str, known: &mut BTreeMap<&'a str, u64>) -> u64 {
    if let Some(&bytes) = known.get(name) {
        return bytes;
    }
    known.insert(name, 0);
    let callees = cubin.calls[0].iter().filter(|(caller, _)| caller == name);
    let deep = callees.map(|(_, callee)| frame(cubin, callee) + deepest(cubin, callee, known)).max();
    known.insert(name, deep.unwrap_or(0));
    deep.unwrap_or(0)
}

fn frame(cubin: &Cubin, name: &str) -> u64 {
    let own = cubin.functions.iter().find(|f| f.name == name).map(|f| f.frame_size);
    let inner = || cubin.functions.iter().flat_map(|f| &f.subroutines).find(|s| s.name == name)?.frame_size;
    own.or_else(inner).unwrap_or(0).into()
}

fn branches(f: &Function, code: &[(u32, Inst)], report: &mut Report) {
    for (at, target) in lost(f, code) {
        report.add(Rule::CubinBranch, format!("{at:#x}"), format!("it leads to {target:#x}"));
    }
}
