//! Barriers and operations across lanes (PTX ISA, "Parallel Synchronization and Communication Instructions").

use crate::context::{Context, Result};
use crate::flow::barrier_has_result;
use crate::operand::{operand, pair};
use crate::refusal::Refusal;
use sassafras_ir::{Op, Type, Value};
use sassafras_ptx::checked::{BoolOp, Inst, Op as P, Type as T};
use sassafras_semantics::AtomicOp;
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};

impl Context<'_, '_> {
    pub(crate) fn warp(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        let word = T::B(32);
        match inst.op {
            P::Bar | P::Barrier => self.barrier(inst),
            P::Nanosleep => {
                let time = self.value(operand(o, 0)?, T::U(32))?;
                self.effect(Op::Nanosleep, &[time]);
                Ok(())
            }
            P::Activemask => {
                let mask = self.b().value(Op::ActiveMask, &[], Type::I32);
                self.write(&o[0], mask, false)
            }
            P::Shfl => {
                let mode = match inst.mods.mode {
                    Some("idx") => ShuffleMode::Idx,
                    Some("up") => ShuffleMode::Up,
                    Some("down") => ShuffleMode::Down,
                    Some("bfly") => ShuffleMode::Bfly,
                    _ => return Err(Refusal::Unknown("the mode")),
                };
                if !inst.mods.sync {
                    return Err(Refusal::Unsupported("a shuffle without `.sync`"));
                }
                let args = (1..5).map(|i| self.value(operand(o, i)?, word)).collect::<Result<Vec<_>>>()?;
                let results = self.b().pair(Op::Shuffle(mode), &args, [Type::I32, Type::I1]);
                self.write_pair(inst, results)
            }
            P::Vote => {
                let mode = match inst.mods.mode {
                    Some("all") => VoteMode::All,
                    Some("any") => VoteMode::Any,
                    Some("uni") => VoteMode::Uniform,
                    Some("ballot") => VoteMode::Ballot,
                    _ => return Err(Refusal::Unknown("the mode")),
                };
                if !inst.mods.sync {
                    return Err(Refusal::Unsupported("a vote without `.sync`"));
                }
                let (predicate, mask) =
                    (self.value(operand(o, 1)?, T::Pred)?, self.value(operand(o, 2)?, word)?);
                let (ballot, decision) =
                    self.b().pair(Op::Vote(mode), &[predicate, mask], [Type::I32, Type::I1]);
                let result = if mode == VoteMode::Ballot { ballot } else { decision };
                self.write(&o[0], result, false)
            }
            P::Match => {
                let all = match inst.mods.mode {
                    Some("all") => true,
                    Some("any") => false,
                    _ => return Err(Refusal::Unknown("the mode")),
                };
                let ty = *inst.types.first().ok_or(Refusal::Missing("the type"))?;
                let (value, mask) = (self.value(operand(o, 1)?, ty)?, self.value(operand(o, 2)?, word)?);
                let results = self.b().pair(Op::Match { all }, &[value, mask], [Type::I32, Type::I1]);
                self.write_pair(inst, results)
            }
            P::Redux => {
                let op = inst.mods.atomic.ok_or(Refusal::Missing("the operation"))?;
                let (abs, nan) = (inst.mods.xorsign_abs, inst.mods.nan);
                let op = match (inst.types.first(), op) {
                    (Some(T::F(_)), AtomicOp::UMin) => AtomicOp::MinF32 { abs, nan },
                    (Some(T::F(_)), AtomicOp::UMax) => AtomicOp::MaxF32 { abs, nan },
                    (Some(T::F(_)), _) => return Err(Refusal::UnsupportedSeveral("reductions of floats")),
                    (_, op) => op,
                };
                let (value, mask) = (self.value(operand(o, 1)?, word)?, self.value(operand(o, 2)?, word)?);
                let result = self.b().value(Op::Redux(op), &[value, mask], Type::I32);
                self.write(&o[0], result, false)
            }
            P::Elect => {
                let mask = self.value(operand(o, 1)?, word)?;
                let results = self.b().pair(Op::Elect, &[mask], [Type::I32, Type::I1]);
                self.write_pair(inst, results)
            }
            _ => Err(Refusal::Unsupported("this instruction")),
        }
    }

    /// Writes `d|p`.
    fn write_pair(&mut self, inst: &Inst, (value, flag): (Value, Value)) -> Result<()> {
        let (d, p) = pair(operand(&inst.operands, 0)?);
        self.write(d, value, false)?;
        match p {
            Some(p) => self.write(p, flag, false),
            None => Ok(()),
        }
    }

    fn barrier(&mut self, inst: &Inst) -> Result<()> {
        let o = &inst.operands;
        if inst.mods.mode == Some("warp") || inst.mods.hints.contains(&"warp") {
            let mask = self.value(operand(o, 0)?, T::B(32))?;
            self.effect(Op::WarpSync, &[mask]);
            return Ok(());
        }
        let has_result = barrier_has_result(inst);
        let mode = match (inst.mods.bool_op, inst.mods.mode) {
            (Some(BoolOp::Popc), _) => BarrierMode::Popc,
            (Some(BoolOp::And), _) => BarrierMode::And,
            (Some(BoolOp::Or), _) => BarrierMode::Or,
            (None, Some("arrive")) => BarrierMode::Arrive,
            (None, Some("sync") | None) => BarrierMode::Sync,
            _ => return Err(Refusal::Unknown("the mode")),
        };
        let sources = &o[usize::from(has_result)..];
        let (sources, predicate) = match sources {
            [rest @ .., p] if has_result => (rest, self.value(p, T::Pred)?),
            rest => (rest, self.b().constant(Type::I1, 1)),
        };
        let number = |c: &mut Self, at: usize| match sources.get(at) {
            Some(operand) => c.value(operand, T::U(32)),
            None => Ok(c.b().i32(0)),
        };
        let barrier = number(self, 0)?;
        let count = number(self, 1)?;
        let args = [barrier, count, predicate];
        let op = Op::Barrier { mode, aligned: inst.op != P::Barrier || inst.mods.aligned };
        match mode {
            BarrierMode::Sync | BarrierMode::Arrive => {
                self.effect(op, &args);
                Ok(())
            }
            BarrierMode::Popc => {
                let value = self.b().value(op, &args, Type::I32);
                self.write(&o[0], value, false)
            }
            BarrierMode::And | BarrierMode::Or => {
                let value = self.b().value(op, &args, Type::I1);
                self.write(&o[0], value, false)
            }
        }
    }
}
