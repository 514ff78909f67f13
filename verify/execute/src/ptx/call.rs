//! Calls, returns and exits.

use super::program::function_at;
use super::state::Frame;
use super::warp::{Status, Turn};
use crate::memory::{Lane as View, number};
use crate::outcome::Failure;
use crate::schedule::undefined_bytes;
use crate::system::{End, perform};
use sassafras_ptx::checked::{Function, FunctionId, Param, VariableId};
use sassafras_ptx::step::Place;
use sassafras_semantics::SystemCall;
use sassafras_semantics::concrete::Bits;
use std::ops::Range;

/// Frames that a lane may stack.
const DEPTH: usize = 512;

/// Where a frame's local variables may begin.
const LOCAL_ALIGN: u64 = 16;

impl Turn<'_, '_, '_> {
    /// Enters a function; the lane's position is already behind the call.
    pub fn call(
        &mut self,
        lane: usize,
        id: FunctionId,
        arguments: &[Place<Bits>],
        results: Vec<Place<Bits>>,
        reads_open: bool,
    ) -> Result<(), Failure> {
        let program = self.program;
        let callee = &program.module.functions[id.0 as usize];
        if callee.insts.is_none()
            && let Some(call) = SystemCall::named(&callee.name)
        {
            return self.system_call(lane, call, callee, arguments, &results);
        }
        if callee.insts.is_none() {
            return Err(self.undefined(lane, format!("a call of `{}`, which has no body", callee.name)));
        }
        if self.warp.threads[lane].frames.len() >= DEPTH {
            return Err(self.undefined(lane, format!("{DEPTH} nested calls")));
        }
        let seed = self.warp.frame_seed(lane, self.world.steps);
        let thread = &mut self.warp.threads[lane];
        let local = (thread.local.len() as u64).next_multiple_of(LOCAL_ALIGN);
        let end = local + program.frames[id.0 as usize].local_bytes;
        thread.local.extend(undefined_bytes(seed, &[2], end as usize - thread.local.len()));
        thread.local_open.resize(thread.local.len(), true);
        let mut frame = Frame::new(program, id, local, seed);
        frame.resume = thread.pc;
        frame.results = results;
        let layout = &program.frames[id.0 as usize];
        for (i, (argument, param)) in arguments.iter().zip(&callee.params).enumerate() {
            let caller = thread.frames.last().expect("a lane is in a function");
            let (bytes, open): (Vec<u8>, Vec<bool>) = match argument {
                Place::Value(value) => {
                    let bytes = value.bits().to_le_bytes()[..(param.size as usize).min(16)].to_vec();
                    let open = vec![reads_open; bytes.len()];
                    (bytes, open)
                }
                Place::Variable(variable) => {
                    // The padding of a structure is open, and not what lies beside it.
                    let at = variable_range(&program.frames[caller.function.0 as usize], *variable, param);
                    (caller.params[at.clone()].to_vec(), caller.open.params[at].to_vec())
                }
                Place::Register(_) => continue,
            };
            put(&mut frame, callee, param, layout.params[i], &bytes, &open);
        }
        thread.frames.push(frame);
        thread.pc = 0;
        self.warp.begin(lane);
        Ok(())
    }

    /// Calls a function that the driver resolves.
    fn system_call(
        &mut self,
        lane: usize,
        call: SystemCall,
        callee: &Function,
        arguments: &[Place<Bits>],
        results: &[Place<Bits>],
    ) -> Result<(), Failure> {
        let program = self.program;
        let bits = |params: &[Param]| params.iter().map(|p| 8 * p.size).collect::<Vec<u32>>();
        if bits(&callee.params) != call.parameters() || !bits(&callee.returns).into_iter().eq(call.result()) {
            return Err(self.undefined(lane, format!("a call of `{}` with other parameters", callee.name)));
        }
        let thread = &mut self.warp.threads[lane];
        let caller = thread.frames.last().expect("a lane is in a function");
        let layout = &program.frames[caller.function.0 as usize];
        let operand = |(argument, param): (&Place<Bits>, &Param)| match argument {
            Place::Value(value) => value.bits() as u64,
            Place::Variable(v) => number(&caller.params[variable_range(layout, *v, param)]) as u64,
            Place::Register(_) => 0,
        };
        let operands: Vec<u64> = arguments.iter().zip(&callee.params).map(operand).collect();
        let mut view =
            View { memory: &mut self.world.memory, shared: &mut self.block.shared, local: &mut thread.local };
        let who = (self.block.linear, 32 * self.warp.index + lane as u32);
        let seed = self.world.options.seed;
        let at = |turn: &Self| {
            let mut at = turn.warp.location(program, turn.block, lane);
            at.position = at.position.saturating_sub(1);
            at.text = format!("call of {}", call.name());
            at
        };
        let result = match perform(&mut view, who, seed, call, &operands) {
            Ok(End::Result(result)) => result,
            Ok(End::Stop(what)) => return Err(Failure::Assertion { what, at: at(self) }),
            Ok(End::Undefined(what)) => return Err(Failure::Undefined { what, at: at(self) }),
            Err(trap) => return Err(Failure::Trap { trap, at: at(self) }),
        };
        let frame = self.warp.threads[lane].frame();
        if let ([to], [param]) = (results, &callee.returns[..]) {
            match to {
                Place::Register(Some(r)) => {
                    let register = &mut frame.registers[r.0 as usize];
                    *register = Bits::new(register.width(), result.into());
                    frame.open.write(*r, false);
                }
                Place::Variable(v) => {
                    let at = variable_range(&program.frames[frame.function.0 as usize], *v, param);
                    let bytes = result.to_le_bytes();
                    frame.open.params[at.clone()].fill(false);
                    frame.params[at].copy_from_slice(&bytes[..(param.size as usize).min(8)]);
                }
                Place::Register(None) | Place::Value(_) => {}
            }
        }
        Ok(())
    }

    /// The function that a call through a register means, if its parameters are those of the call.
    pub fn callee(
        &self,
        caller: FunctionId,
        target: Bits,
        arguments: &[Place<Bits>],
        results: &[Place<Bits>],
    ) -> Option<FunctionId> {
        let id = function_at(self.program, target.bits() as u64)?;
        let functions = &self.program.module.functions;
        let (caller, f) = (&functions[caller.0 as usize], &functions[id.0 as usize]);
        let fits = |places: &[Place<Bits>], params: &[Param]| {
            places.len() == params.len()
                && places.iter().zip(params).all(|(place, param)| match place {
                    Place::Variable(VariableId::Local(i)) => {
                        caller.variables[*i as usize].size == u64::from(param.size)
                    }
                    _ => true,
                })
        };
        (!f.entry && fits(arguments, &f.params) && fits(results, &f.returns)).then_some(id)
    }

    /// Leaves a function: the entry by an exit, another by handing its results over.
    pub fn leave(&mut self, lane: usize) -> Result<(), Failure> {
        if self.warp.threads[lane].frames.len() == 1 {
            self.exit(lane);
            return Ok(());
        }
        let program = self.program;
        let thread = &mut self.warp.threads[lane];
        let callee = thread.frames.pop().expect("more than one frame");
        let f = &program.module.functions[callee.function.0 as usize];
        let layout = &program.frames[callee.function.0 as usize];
        thread.local.truncate(callee.local as usize);
        thread.local_open.truncate(callee.local as usize);
        thread.pc = callee.resume;
        let caller = thread.frame();
        for (i, (result, param)) in callee.results.iter().zip(&f.returns).enumerate() {
            let (bytes, open) = match param.register {
                Some(r) => {
                    let bytes = callee.registers[r.0 as usize].bits().to_le_bytes();
                    let bytes = bytes[..(param.size as usize).min(16)].to_vec();
                    let open = vec![callee.open.is_open(r); bytes.len()];
                    (bytes, open)
                }
                None => {
                    let at = range(layout.returns[i], param);
                    (callee.params[at.clone()].to_vec(), callee.open.params[at].to_vec())
                }
            };
            match result {
                Place::Register(Some(r)) => {
                    let register = &mut caller.registers[r.0 as usize];
                    *register = Bits::new(register.width(), number(&bytes[..bytes.len().min(16)]));
                    caller.open.write(*r, open.contains(&true));
                }
                Place::Variable(variable) => {
                    let at = variable_range(&program.frames[caller.function.0 as usize], *variable, param);
                    caller.open.params[at.clone()].copy_from_slice(&open);
                    caller.params[at].copy_from_slice(&bytes);
                }
                Place::Register(None) | Place::Value(_) => {}
            }
        }
        self.resume(lane);
        Ok(())
    }

    /// The lane ends.
    pub fn exit(&mut self, lane: usize) {
        self.warp.threads[lane].status = Status::Exited;
        self.warp.exited |= 1 << lane;
        self.block.barriers.exit(1);
        self.resolve();
    }
}

fn range(at: u64, param: &Param) -> Range<usize> {
    at as usize..at as usize + param.size as usize
}

/// Where a `.param` variable of the caller lies; the checker has compared its size with the parameter's.
fn variable_range(frame: &super::program::Frame, variable: VariableId, param: &Param) -> Range<usize> {
    match variable {
        VariableId::Local(i) => range(frame.variables[i as usize], param),
        VariableId::Module(_) => 0..0,
    }
}

fn put(frame: &mut Frame, callee: &Function, param: &Param, at: u64, bytes: &[u8], open: &[bool]) {
    match param.register {
        Some(r) => {
            let width = callee.registers[r.0 as usize].ty.width();
            frame.registers[r.0 as usize] = Bits::new(width, number(&bytes[..bytes.len().min(16)]));
            frame.open.write(r, open.contains(&true));
        }
        None => {
            frame.open.params[range(at, param)][..bytes.len()].copy_from_slice(open);
            frame.params[range(at, param)][..bytes.len()].copy_from_slice(bytes);
        }
    }
}
