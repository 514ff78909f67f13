//! Calls of functions that the driver resolves, in code: where they go, what they are given in which registers, and what is left behind them
//! ([`sassafras_chip::abi`]).

use super::state::Run;
use crate::input::Input;
use crate::inputs::Inputs;
use crate::obstacle::convergence::Convergence;
use crate::trace::side::WORD;
use crate::trace::system;
use sassafras_chip::{Chip, abi};
use sassafras_cubin::Cubin;
use sassafras_isa::{RegClass, Register};
use sassafras_semantics::{CompareOp, Domain, Space, State, SystemCall, TermId, Terms, Trap};

/// General registers, uniform registers, and predicates of either kind, without the constant ones.
const FILES: [(RegClass, u32); 4] =
    [(RegClass::R, 255), (RegClass::UR, 63), (RegClass::P, 7), (RegClass::UP, 7)];

/// The function that the driver resolves whose address a term is made of.
pub(super) fn callee(inputs: &Inputs<'_>, cubin: &Cubin, target: TermId) -> Option<(TermId, SystemCall)> {
    let mut found = inputs.terms.free(&[target]).into_iter().filter_map(|t| {
        let Input::Symbol(symbol) = inputs.input_of(t)? else { return None };
        let function = cubin.externs.iter().find(|e| e.function && e.name == symbol)?;
        Some((t, SystemCall::named(&function.name)?))
    });
    found.next().filter(|_| found.next().is_none())
}

fn register(number: u16) -> Register {
    Register { class: RegClass::R, number: number.into() }
}

/// Whether a callee keeps a register.
fn keeps(chip: Chip, r: Register) -> bool {
    match r.class {
        RegClass::R => u16::try_from(r.number).is_ok_and(|n| abi::keeps(chip, n)),
        RegClass::UR => u16::try_from(r.number).is_ok_and(|n| abi::keeps_uniform(chip, n)),
        _ => false,
    }
}

impl Run<'_, '_> {
    /// A call that comes back to the instruction at `back`; `bytes` of stack lie below the top of it.
    ///
    /// # Errors
    /// Convergence barriers that it may set while lanes are in them.
    pub(super) fn system_call(
        &mut self,
        d: &Terms,
        (target, call): (TermId, SystemCall),
        jump: TermId,
        back: u64,
        bytes: u32,
    ) -> Result<(), Trap> {
        let (lanes, _, here) = self.side.lanes();
        if let Some(barrier) = lanes.held_below(&here, abi::FIRST_KEPT_BARRIER.into()) {
            return Err(here.inputs.held.trap(Convergence::CalleeSets { barrier }));
        }
        self.demand(d, d.eq(&jump, &target));
        if call.returns() {
            let to = self.wide(d, abi::RETURN_ADDRESS)?;
            self.demand(d, d.eq(&to, &d.constant(64, (back * WORD).into())));
        }
        self.stack(d, bytes)?;
        let mut operands = Vec::new();
        let mut at = abi::FIRST_ARGUMENT;
        for width in call.parameters() {
            operands.push(if *width == 64 {
                at = at.next_multiple_of(2);
                self.wide(d, at)?
            } else {
                self.read(d, register(at))?
            });
            at += (*width / 32) as u16;
        }
        let room = self.side.reading.facts.room;
        let result = system::perform(&mut self.side, call, &operands, room)?;
        if call.returns() {
            self.forget();
            for (i, r) in (0..call.result().unwrap_or(0) / 32).zip(abi::FIRST_ARGUMENT..) {
                let Some(value) = result else { break };
                self.write(d, register(r), d.extract(&value, 32 * i, 32));
            }
            // Nobody says how lanes come back: ptxas 13.0.88 brings them together before it looks across lanes.
            self.side.scatter();
        }
        Ok(())
    }

    fn wide(&mut self, d: &Terms, first: u16) -> Result<TermId, Trap> {
        let low = self.read(d, register(first))?;
        let high = self.read(d, register(first + 1))?;
        Ok(d.concat(&high, &low))
    }

    /// What has to hold where the current instruction takes effect.
    fn demand(&mut self, d: &Terms, holds: TermId) {
        self.side.demand_not(d.not(&holds));
    }

    /// The callee's stack lies below R1: that is in the stack, and nothing that was stored lies below it.
    fn stack(&mut self, d: &Terms, bytes: u32) -> Result<(), Trap> {
        let pointer = self.read(d, register(abi::STACK_POINTER))?;
        let top = self.side.inputs.stack_top(self.chip);
        let below = |t: &TermId, most: &TermId| d.compare(CompareOp::ULe, t, most);
        self.demand(d, below(&d.sub(&top, &pointer), &d.constant(32, bytes.into())));
        let stores = self.side.path.stores.clone();
        for (condition, index) in stores {
            let store = &self.side.log.events[index];
            if store.space != Space::Local {
                continue;
            }
            let above = below(&d.sub(&top, &d.extract(&store.address, 0, 32)), &d.sub(&top, &pointer));
            self.demand(d, d.or(&d.not(&condition), &above));
        }
        Ok(())
    }

    /// What the callee does not keep may be anything.
    fn forget(&mut self) {
        for (class, count) in FILES {
            let count = if class == RegClass::R { count.min(self.function.registers) } else { count };
            for number in 0..count {
                let r = Register { class, number };
                if !keeps(self.chip, r) {
                    self.lose(r);
                }
            }
        }
    }
}
