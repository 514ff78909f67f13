//! A call that has come to a function that the driver resolves: arguments, results and what is kept are those of
//! [`sassafras_chip::abi`].

use super::group::Group;
use super::program::{Program, WORD};
use super::warp::Warp;
use crate::memory::Lane as View;
use crate::order::hash;
use crate::outcome::{Failure, Location};
use crate::schedule::{Block, World};
use crate::system::{End, perform};
use sassafras_chip::abi;
use sassafras_semantics::SystemCall;
use smallvec::SmallVec;

/// A 32-bit register of a lane; zero beyond what the function declares.
fn register(warp: &Warp, number: u16, lane: usize) -> u64 {
    warp.registers.r.get(usize::from(number)).map_or(0, |all| all[lane].into())
}

fn pair(warp: &Warp, first: u16, lane: usize) -> u64 {
    register(warp, first, lane) | register(warp, first + 1, lane) << 32
}

/// Performs a call for each lane of group `i`, which then go on where their return addresses say.
pub(super) fn call(
    program: &Program,
    warp: &mut Warp,
    i: usize,
    world: &mut World<'_>,
    block: &mut Block,
    call: SystemCall,
) -> Result<(), Failure> {
    let Group { pc, lanes: group, .. } = warp.groups[i];
    world.issue(group)?;
    let seed = world.options.seed;
    let mut parts: SmallVec<[Group; 4]> = SmallVec::new();
    for lane in warp.served(group) {
        let at = |block: &Block, back: u64| Location {
            text: format!("call of {}", call.name()),
            ..program.location(block, warp.index, lane as u32, (back / WORD).saturating_sub(1))
        };
        let back = pair(warp, abi::RETURN_ADDRESS, lane);
        let mut operands = Vec::new();
        let mut first = abi::FIRST_ARGUMENT;
        for width in call.parameters() {
            if *width == 64 {
                first = first.next_multiple_of(2);
                operands.push(pair(warp, first, lane));
            } else {
                operands.push(register(warp, first, lane));
            }
            first += (*width / 32) as u16;
        }
        world.serve(block, warp.index, lane, WORD * pc);
        let stack = register(warp, abi::STACK_POINTER, lane) as usize;
        // The callee's own stack lies below the caller's.
        let free = stack.min(warp.local[lane].len());
        for (n, byte) in warp.local[lane][..free].iter_mut().enumerate() {
            *byte = hash(seed, &[0xca11, world.steps, lane as u64, n as u64]) as u8;
        }
        let mut view =
            View { memory: &mut world.memory, shared: &mut block.shared, local: &mut warp.local[lane] };
        let who = (block.linear, 32 * warp.index + lane as u32);
        let done = perform(&mut view, who, seed, call, &operands);
        let result = match done {
            Ok(End::Result(result)) => result,
            Ok(End::Stop(what)) => return Err(Failure::Assertion { what, at: at(block, back) }),
            Ok(End::Undefined(what)) => return Err(Failure::Undefined { what, at: at(block, back) }),
            Err(trap) => return Err(Failure::Trap { trap, at: at(block, back) }),
        };
        let lost = |file: u64, n: u64| hash(seed, &[0xca11, world.steps, file, n, lane as u64]);
        for (n, all) in warp.registers.r.iter_mut().enumerate() {
            if !abi::keeps(program.chip, n as u16) {
                all[lane] = lost(0, n as u64) as u32;
            }
        }
        warp.registers.p[lane] = lost(1, 0) as u8;
        for (word, n) in (0..call.result().unwrap_or(0) / 32).zip(abi::FIRST_ARGUMENT..) {
            if let Some(all) = warp.registers.r.get_mut(usize::from(n)) {
                all[lane] = (result >> (32 * word)) as u32;
            }
        }
        match parts.iter_mut().find(|p| p.pc == back / WORD) {
            Some(part) => part.lanes |= 1 << lane,
            None => parts.push(Group { pc: back / WORD, lanes: 1 << lane, wait: None, alone: None }),
        }
    }
    // What is the warp's, and which lanes were in the barriers that a callee may set.
    let lost = |file: u64, n: u64| hash(seed, &[0xca11, world.steps, file, n]);
    for (n, value) in warp.registers.ur.iter_mut().enumerate() {
        if !abi::keeps_uniform(program.chip, n as u16) {
            *value = lost(2, n as u64) as u32;
        }
    }
    warp.registers.up = lost(3, 0) as u8;
    for set in warp.barriers.iter_mut().take(abi::FIRST_KEPT_BARRIER.into()) {
        *set &= !group;
    }
    warp.split(i, &parts);
    Ok(())
}
