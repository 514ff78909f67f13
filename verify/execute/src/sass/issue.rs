//! One instruction of one group.

use super::across::{self, End, Gathered};
use super::group::{Group, Wait};
use super::program::{Instruction, Program, WORD};
use super::together;
use super::warp::{Lane, Warp, Write};
use crate::collective::lanes;
use crate::options::TraceEvent;
use crate::outcome::Failure;
use crate::schedule::{Block, World};
use sassafras_isa::{ControlFlowKind, Outcome, Output, PT, Register, guard, step};
use sassafras_semantics::{Bits, Domain, State, SystemCall, Trap};
use smallvec::SmallVec;

/// Splits the machine into one lane's view and the domain.
macro_rules! view {
    ($warp:expr, $world:expr, $block:expr, $lane:expr, $writes:expr) => {
        Lane {
            lane: $lane,
            warp: $warp.index,
            registers: &mut $warp.registers,
            local: &mut $warp.local[$lane],
            world: $world,
            block: $block,
            writes: $writes,
        }
    };
}

/// Issues the next instruction of group `i`.
pub(super) fn issue(
    program: &Program,
    warp: &mut Warp,
    i: usize,
    world: &mut World<'_>,
    block: &mut Block,
) -> Result<(), Failure> {
    let Group { pc, lanes: group, .. } = warp.groups[i];
    let lowest = group.trailing_zeros();
    let at = |block: &Block, warp: u32, lane: u32| program.location(block, warp, lane, pc);
    let Instruction { inst, once, apart, ends_collective, beyond } = match program.code.get(pc as usize) {
        Some(Ok(instruction)) => instruction,
        Some(Err(why)) => {
            let trap = Trap::Unsupported(format!("the word ({why})"));
            return Err(Failure::Trap { trap, at: at(block, warp.index, lowest) });
        }
        None if let Some(name) = program.called(pc) => {
            let Some(call) = SystemCall::named(name) else {
                let trap = Trap::Unsupported(format!("a call of `{name}`, of which nothing is known,"));
                return Err(Failure::Trap { trap, at: at(block, warp.index, lowest) });
            };
            return super::system::call(program, warp, i, world, block, call);
        }
        None => {
            let what = "control leaves the code".to_owned();
            return Err(Failure::Undefined { what, at: at(block, warp.index, lowest) });
        }
    };
    let number = warp.index;
    let fail =
        |block: &Block, lane: usize, trap: Trap| Failure::Trap { trap, at: at(block, number, lane as u32) };

    if let Some(n) = beyond {
        let trap = Trap::Poison(format!("R{n}, beyond the function's register count,"));
        return Err(fail(block, lowest as usize, trap));
    }

    // The guard decides who takes part.
    let mut executing = 0u32;
    let always = u64::from(inst.guard.pred) == PT && !inst.guard.negate;
    if always {
        executing = group;
    }
    for lane in lanes(if always { 0 } else { group }) {
        let mut view = view!(warp, world, block, lane, None);
        match guard(&warp.domain, inst, &mut view) {
            Ok(holds) => executing |= u32::from(holds.is_true()) << lane,
            Err(trap) => return Err(fail(block, lane, trap)),
        }
    }
    world.issue(executing)?;
    if let Some(count) = world.coverage.first_mut().and_then(|c| c.counts.get_mut(pc as usize)) {
        *count += 1;
    }
    if let Some(timing) = &mut warp.timing
        && let Err((lane, trap)) = timing.issue(inst, pc, group, executing)
    {
        return Err(fail(block, lane as usize, trap));
    }

    let address = WORD * pc;
    let tracing = world.options.trace.is_some();
    let mut writes: Vec<Write> = Vec::new();
    // What lanes come to, each once.
    let mut outcomes: SmallVec<[(u32, Outcome<Bits>); 4]> = SmallVec::new();
    let mut served: SmallVec<[usize; 32]> = SmallVec::new();
    match together::perform(warp, inst, apart, address, executing, world, block) {
        Some((_, Outcome::Next)) => {}
        Some(decided) => outcomes.push(decided),
        None => {
            served = warp.served(executing);
            if *once {
                // Where lanes disagree, which one counts is open (C6): it depends on the order of the run.
                served.truncate(1);
            }
        }
    }
    for &lane in &served {
        world.serve(block, warp.index, lane, address);
        let mut view = view!(warp, world, block, lane, tracing.then_some(&mut writes));
        match step(&warp.domain, inst, address, &mut view) {
            Ok(Outcome::Next) => {}
            Ok(outcome) => outcomes.push((1 << lane, outcome)),
            Err(trap) => return Err(fail(block, lane, trap)),
        }
    }

    let mut give =
        |warp: &mut Warp, world: &mut World<'_>, block: &mut Block, lane: usize, to: Output, value: Bits| {
            if let Some(register) = to.register {
                let mut view = view!(warp, world, block, lane, tracing.then_some(&mut writes));
                // What is wider than a register goes to consecutive ones.
                for unit in 0..value.width().div_ceil(32) {
                    let part =
                        if value.width() > 32 { warp.domain.extract(&value, 32 * unit, 32) } else { value };
                    view.write(&warp.domain, Register { number: register.number + unit, ..register }, part);
                }
            }
        };
    if *ends_collective {
        warp.groups[i].alone = None;
    }
    let (mut gives_way, mut leaves) = (0, None);
    let parts: SmallVec<[Group; 4]> = match outcomes.first().map(|(_, o)| o.clone()) {
        None | Some(Outcome::Next) => {
            warp.groups[i].pc += 1;
            SmallVec::new()
        }
        Some(Outcome::Yield) => {
            warp.groups[i].pc += 1;
            gives_way = executing;
            SmallVec::new()
        }
        Some(Outcome::Branch { .. } | Outcome::IndirectBranch { .. }) => jump(&outcomes, pc, group),
        Some(Outcome::BranchByConvergence { target, mask, converged }) => {
            let together = mask.bits() as u32 & !warp.exited & !executing == 0;
            let taken = if together == converged { executing } else { 0 };
            [running(pc + 1, group & !taken), running(target / WORD, taken)].into_iter().collect()
        }
        Some(Outcome::Exit { .. }) => {
            let leaving = chosen(&outcomes, |o| match o {
                Outcome::Exit { condition } => condition.is_none_or(Bits::is_true),
                _ => false,
            });
            warp.exit(leaving);
            block.barriers.exit(leaving.count_ones());
            [running(pc + 1, group & !leaving)].into_iter().collect()
        }
        Some(Outcome::SetBarrier { barrier, .. }) => {
            warp.broke &= !executing;
            let kept = if warp.order.loses { 0 } else { warp.barriers[barrier as usize & 15] };
            warp.barriers[barrier as usize & 15] = kept | executing;
            warp.groups[i].pc += 1;
            SmallVec::new()
        }
        Some(Outcome::Sync { barrier, .. }) => {
            let arriving = chosen(&outcomes, |o| match o {
                Outcome::Sync { condition, .. } => condition.is_none_or(Bits::is_true),
                _ => false,
            });
            let blocked = arriving & warp.barriers[barrier as usize & 15];
            warp.broke &= !arriving;
            let wait = Some(Wait::Sync(barrier & 15));
            let waiting = Group { wait, ..running(pc, blocked) };
            [running(pc + 1, group & !blocked), waiting].into_iter().collect()
        }
        Some(Outcome::Break { barrier, .. }) => {
            let leaving = chosen(&outcomes, |o| match o {
                Outcome::Break { condition, .. } => condition.is_none_or(Bits::is_true),
                _ => false,
            });
            warp.groups[i].pc += 1;
            leaves = Some((barrier & 15, leaving));
            SmallVec::new()
        }
        Some(Outcome::ReadBarrier { barrier, to, clear }) => {
            let mask = warp.domain.constant(32, warp.barriers[barrier as usize & 15].into());
            for lane in lanes(executing) {
                give(warp, world, block, lane, to, mask);
            }
            // C11: each lane's membership is its own.
            if clear {
                warp.barriers[barrier as usize & 15] &= !executing;
            }
            warp.groups[i].pc += 1;
            SmallVec::new()
        }
        Some(Outcome::WriteBarrier { barrier, mask }) => {
            let set = &mut warp.barriers[barrier as usize & 15];
            *set = *set & !executing | mask.bits() as u32 & executing;
            warp.groups[i].pc += 1;
            SmallVec::new()
        }
        Some(Outcome::BarrierResult { count, decision }) => {
            for lane in lanes(executing) {
                let (n, yes) = warp.reduced[lane];
                let (n, yes) = (warp.domain.constant(32, n.into()), warp.domain.constant(1, yes.into()));
                give(warp, world, block, lane, count, n);
                give(warp, world, block, lane, decision, yes);
            }
            warp.groups[i].pc += 1;
            SmallVec::new()
        }
        Some(Outcome::Collective { op, .. }) => {
            let mut gathered = Gathered {
                op,
                args: Default::default(),
                lanes: executing,
                alone: warp.groups[i].alone.is_some(),
            };
            let mut outputs: [SmallVec<[Output; 2]>; 32] = Default::default();
            for (lane, outcome) in outcomes {
                let lane = lane.trailing_zeros() as usize;
                if let Outcome::Collective { args, results, .. } = outcome {
                    gathered.args[lane] = args;
                    outputs[lane] = results;
                }
            }
            let d = warp.domain.clone();
            match across::perform(&d, warp, block, &gathered, pc) {
                Err(trap) => return Err(fail(block, lowest as usize, trap)),
                Ok(Err(what)) => return Err(Failure::Undefined { what, at: at(block, number, lowest) }),
                Ok(Ok(End::Results(results))) => {
                    for (lane, values) in results {
                        for (&to, value) in outputs[lane].iter().zip(values) {
                            give(warp, world, block, lane, to, value);
                        }
                    }
                    warp.groups[i].pc += 1;
                    SmallVec::new()
                }
                Ok(Ok(End::Parts(mut parts))) => {
                    if inst.keeps_others_away() {
                        for part in &mut parts {
                            part.alone = match part.wait {
                                Some(Wait::Warp(mask)) => Some(mask),
                                _ => None,
                            };
                        }
                    }
                    let rest = running(pc + 1, group & !executing);
                    parts.into_iter().chain([rest]).collect()
                }
            }
        }
    };
    let chooses = matches!(
        inst.row().control_flow,
        Some(ControlFlowKind::Branch | ControlFlowKind::IndirectBranch | ControlFlowKind::Exit)
    );
    if chooses && let Some(coverage) = world.coverage.first_mut() {
        let mut goes_on = |to| *coverage.edges.entry((pc, to)).or_default() += 1;
        if parts.is_empty() {
            // Its guard holds for no lane.
            goes_on(pc + 1);
        }
        parts.iter().filter(|part| part.lanes != 0).for_each(|part| goes_on(part.pc));
    }
    if let Some(tracer) = &world.options.trace {
        (tracer.0)(&TraceEvent {
            unwritten: &[],
            block: block.index,
            warp: warp.index,
            lanes: executing,
            function: &program.name,
            position: address,
            line: None,
            text: &program.text(pc),
            writes: &writes,
        });
    }
    if warp.groups[i].pc == pc {
        // Straight-line instructions have moved the group already; a jump to itself comes here too.
        warp.split(i, &parts);
    }
    if gives_way != 0 {
        warp.give_way(gives_way);
    }
    if let Some((barrier, leaving)) = leaves {
        warp.break_off(barrier, leaving);
    }
    Ok(())
}

fn running(pc: u64, lanes: u32) -> Group {
    Group { pc, lanes, wait: None, alone: None }
}

/// Lanes whose outcome satisfies a test.
fn chosen(outcomes: &[(u32, Outcome<Bits>)], test: impl Fn(&Outcome<Bits>) -> bool) -> u32 {
    outcomes.iter().filter(|(_, o)| test(o)).fold(0, |mask, (lanes, _)| mask | lanes)
}

/// Where the lanes of a group go: those that do not jump to the next instruction, the others by target.
fn jump(outcomes: &[(u32, Outcome<Bits>)], pc: u64, group: u32) -> SmallVec<[Group; 4]> {
    let mut parts: SmallVec<[Group; 4]> = SmallVec::new();
    let mut left = group;
    for (lanes, outcome) in outcomes {
        let (target, condition) = match outcome {
            Outcome::Branch { target, condition } => (*target, condition),
            Outcome::IndirectBranch { target, condition } => (target.bits() as u64, condition),
            _ => continue,
        };
        if !condition.is_none_or(Bits::is_true) {
            continue;
        }
        left &= !lanes;
        match parts.iter_mut().find(|p| p.pc == target / WORD) {
            Some(part) => part.lanes |= lanes,
            None => parts.push(running(target / WORD, *lanes)),
        }
    }
    match parts.iter_mut().find(|p| p.pc == pc + 1) {
        Some(part) => part.lanes |= left,
        None => parts.push(running(pc + 1, left)),
    }
    parts
}
