//! What is asked of several lanes at once: shuffles, votes, matches, reductions, barriers (PTX ISA, "Parallel
//! Synchronization and Communication Instructions").

use super::{Done, Outcome, PtxState, Step};
use crate::checked::{BoolOp, Op, Operand, RegisterId, Type};
use sassafras_semantics::state::{BarrierMode, ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, Collective, Domain, FloatFormat, SpecialRegister};
use smallvec::{SmallVec, smallvec};

const WORD: Type = Type::B(32);

impl<'a, D: Domain, S: PtxState<D>> Step<'_, 'a, D, S> {
    pub(super) fn lanes(&mut self) -> Done<Outcome<'a, D::V>> {
        let mut arguments: SmallVec<[D::V; 4]> = SmallVec::new();
        let (op, results): (_, SmallVec<[_; 2]>) = match self.inst.op {
            Op::Activemask => (Collective::ActiveMask, smallvec![self.destination(0)?]),
            Op::Bar | Op::Barrier => return self.barrier(),
            Op::ClusterBarrier => return self.cluster_barrier(),
            Op::Elect => {
                arguments.push(self.source(1, WORD)?);
                (Collective::Elect, self.destinations()?)
            }
            Op::Match => {
                arguments.push(self.source(1, self.ty())?);
                arguments.push(self.source(2, WORD)?);
                let all = match self.inst.mods.mode {
                    Some("all") => true,
                    Some("any") => false,
                    _ => return Err(self.unsupported()),
                };
                (Collective::Match { all }, self.destinations()?)
            }
            Op::Redux => {
                arguments.push(self.source(1, WORD)?);
                arguments.push(self.source(2, WORD)?);
                let op = self.inst.mods.atomic.ok_or_else(|| self.unsupported())?;
                let (abs, nan) = (self.inst.mods.xorsign_abs, self.inst.mods.nan);
                let op = match (self.ty(), op) {
                    (Type::F(FloatFormat::F32), AtomicOp::UMin) => AtomicOp::MinF32 { abs, nan },
                    (Type::F(FloatFormat::F32), AtomicOp::UMax) => AtomicOp::MaxF32 { abs, nan },
                    (Type::F(_), _) => return Err(self.unsupported()),
                    (_, op) => op,
                };
                (Collective::Redux(op), self.destinations()?)
            }
            Op::Shfl => {
                let mode = match self.inst.mods.mode {
                    Some("up") => ShuffleMode::Up,
                    Some("down") => ShuffleMode::Down,
                    Some("bfly") => ShuffleMode::Bfly,
                    Some("idx") => ShuffleMode::Idx,
                    _ => return Err(self.unsupported()),
                };
                for index in 1..self.operands() {
                    arguments.push(self.source(index, WORD)?);
                }
                (Collective::Shuffle(mode), self.destinations()?)
            }
            _ => {
                arguments.push(self.source(1, Type::Pred)?);
                if self.operands() > 2 {
                    arguments.push(self.source(2, WORD)?);
                }
                let d = self.destination(0)?;
                match self.inst.mods.mode {
                    Some("ballot") => (Collective::Vote(VoteMode::Ballot), smallvec![d]),
                    Some("all") => (Collective::Vote(VoteMode::All), smallvec![None, d]),
                    Some("any") => (Collective::Vote(VoteMode::Any), smallvec![None, d]),
                    Some("uni") => (Collective::Vote(VoteMode::Uniform), smallvec![None, d]),
                    _ => return Err(self.unsupported()),
                }
            }
        };
        Ok(Outcome::Collective { op, arguments, results })
    }

    fn destination(&self, index: usize) -> Done<Option<RegisterId>> {
        self.register(self.operand(index)?)
    }

    fn register(&self, operand: &Operand) -> Done<Option<RegisterId>> {
        match operand {
            Operand::Register(r) => Ok(Some(*r)),
            Operand::Sink => Ok(None),
            _ => Err(self.unsupported()),
        }
    }

    /// `d` or `d|p`.
    fn destinations(&self) -> Done<SmallVec<[Option<RegisterId>; 2]>> {
        match self.operand(0)? {
            Operand::Pair(a, b) => Ok(smallvec![self.register(a)?, self.register(b)?]),
            one => Ok(smallvec![self.register(one)?]),
        }
    }

    /// Where the launch has no clusters one is a block: its wait is for all of its threads (PTX ISA, "barrier.cluster": all that have not ended).
    fn cluster_barrier(&mut self) -> Done<Outcome<'a, D::V>> {
        let d = self.d;
        let explicit = self.state.special(d, SpecialRegister::IsExplicitCluster)?;
        if d.as_constant(&explicit) != Some(0) {
            return Err(self.unsupported());
        }
        if !self.inst.mods.words.contains(&"wait") {
            return Ok(Outcome::Next);
        }
        let arguments = smallvec![d.constant(32, 0), d.constant(32, 0), d.no()];
        Ok(Outcome::Collective {
            op: Collective::Barrier(BarrierMode::Sync),
            arguments,
            results: smallvec![None],
        })
    }

    fn barrier(&mut self) -> Done<Outcome<'a, D::V>> {
        let d = self.d;
        let mut arguments: SmallVec<[D::V; 4]> = SmallVec::new();
        let mode = match (self.inst.mods.mode, self.inst.mods.bool_op) {
            (Some(warp), _) if warp.contains("warp") => {
                arguments.push(self.source(0, WORD)?);
                let results = SmallVec::new();
                return Ok(Outcome::Collective { op: Collective::WarpSync, arguments, results });
            }
            (Some("arrive"), _) => BarrierMode::Arrive,
            (_, Some(BoolOp::Popc)) => BarrierMode::Popc,
            (_, Some(BoolOp::And)) => BarrierMode::And,
            (_, Some(BoolOp::Or)) => BarrierMode::Or,
            (Some("sync") | None, None) => BarrierMode::Sync,
            _ => return Err(self.unsupported()),
        };
        let reduces = matches!(mode, BarrierMode::Popc | BarrierMode::And | BarrierMode::Or);
        // d, a{, b}, c for reductions, else a{, b}.
        let (first, last) = if reduces { (1, self.operands() - 1) } else { (0, self.operands()) };
        arguments.push(self.source(first, WORD)?);
        arguments.push(if first + 1 < last { self.source(first + 1, WORD)? } else { d.constant(32, 0) });
        arguments.push(if reduces { self.source(last, Type::Pred)? } else { d.no() });
        let result = if reduces { self.destination(0)? } else { None };
        Ok(Outcome::Collective { op: Collective::Barrier(mode), arguments, results: smallvec![result] })
    }
}
