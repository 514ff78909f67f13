//! Branches, calls, convergence, exits.
//!
//! Source: `docs/convergence.md`; ptxas's output for calls and returns.

use super::{Lane, Outcome, Output, Register, Step};
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{BinaryOp, Collective, Domain, State, Trap};
use smallvec::smallvec;

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// The predicate operand of a control instruction; none if it is true.
    fn condition(&mut self) -> Result<Option<D::V>, Trap> {
        if !self.has("q") {
            return Ok(None);
        }
        let q = self.pred("q")?;
        Ok(if self.d.as_constant(&q) == Some(1) { None } else { Some(q) })
    }

    pub(super) fn bra(mut self) -> Step<D> {
        let target = self.destination("t")?;
        self.text("id");
        let condition = self.condition()?;
        match self.text("mode") {
            "" | ".U" => Ok(Outcome::Branch { target, condition }),
            mode @ (".DIV" | ".CONV") => {
                let mask = self.bits32("u")?;
                Ok(Outcome::BranchByConvergence { target, mask, converged: mode == ".CONV" })
            }
            mode => Err(self.unsupported(&format!("mode {mode}"))),
        }
    }

    /// A register pair plus a displacement; relative forms count from the next instruction.
    pub(super) fn indirect(mut self, relative: bool) -> Step<D> {
        let a = self.bits64("a")?;
        let displacement = self.raw("t");
        let base = if relative { self.address.wrapping_add(16) } else { 0 };
        let target = self.d.add(&a, &self.constant(64, displacement.wrapping_add(base)));
        let condition = self.condition()?;
        Ok(Outcome::IndirectBranch { target, condition })
    }

    pub(super) fn call(mut self) -> Step<D> {
        if self.has("t") {
            let target = self.destination("t")?;
            let condition = self.condition()?;
            return Ok(Outcome::Branch { target, condition });
        }
        self.indirect(false)
    }

    pub(super) fn exit(mut self) -> Step<D> {
        let condition = self.condition()?;
        Ok(Outcome::Exit { condition })
    }

    pub(super) fn bssy(mut self) -> Step<D> {
        let target = self.destination("t")?;
        Ok(Outcome::SetBarrier { barrier: self.raw("bar") as u32, target })
    }

    pub(super) fn bsync(mut self) -> Step<D> {
        let condition = self.condition()?;
        Ok(Outcome::Sync { barrier: self.raw("bar") as u32, condition })
    }

    pub(super) fn r#break(mut self) -> Step<D> {
        let condition = self.condition()?;
        Ok(Outcome::Break { barrier: self.raw("bar") as u32, condition })
    }

    pub(super) fn output(&mut self, name: &str, width: u32) -> Output {
        Output { register: self.target(name), width }
    }

    /// Between a convergence barrier and a register: the form's destination decides the direction.
    pub(super) fn bmov(mut self) -> Step<D> {
        if self.has("d") {
            let to = self.output("d", 32);
            let clear = self.flag("clear");
            return Ok(Outcome::ReadBarrier { barrier: self.raw("bar") as u32, to, clear });
        }
        let mask = self.bits32("b")?;
        Ok(Outcome::WriteBarrier { barrier: self.raw("bar") as u32, mask })
    }

    pub(super) fn warpsync(mut self) -> Step<D> {
        let mode = self.text("mode");
        let mask = match mode {
            ".ALL" => self.constant(32, 0xffff_ffff),
            "" | ".COLLECTIVE" => self.bits32("a")?,
            _ => return Err(self.unsupported(&format!("mode {mode}"))),
        };
        Ok(Outcome::Collective { op: Collective::WarpSync, args: smallvec![mask], results: smallvec![] })
    }

    pub(super) fn bar(mut self) -> Step<D> {
        let mode = self.text("mode");
        let kind = match mode {
            ".SYNC" => BarrierMode::Sync,
            ".ARV" => BarrierMode::Arrive,
            ".RED" => match self.text("red") {
                ".POPC" => BarrierMode::Popc,
                ".AND" => BarrierMode::And,
                ".OR" => BarrierMode::Or,
                other => return Err(self.unsupported(other)),
            },
            other => return Err(self.unsupported(&format!("mode {other}"))),
        };
        let barrier = self.bits32("a")?;
        let threads = if self.has("b") { self.bits32("b")? } else { self.constant(32, 0) };
        let q = self.pred_or("q", true)?;
        Ok(Outcome::Collective {
            op: Collective::Barrier(kind),
            args: smallvec![barrier, threads, q],
            results: smallvec![],
        })
    }

    pub(super) fn b2r(mut self) -> Step<D> {
        match self.text("mode") {
            ".RESULT" => {
                let (count, decision) = (self.output("d", 32), self.output("p", 1));
                Ok(Outcome::BarrierResult { count, decision })
            }
            other => Err(self.unsupported(&format!("mode {other}"))),
        }
    }

    /// The address of an instruction, 64 bits.
    pub(super) fn lepc(mut self) -> Step<D> {
        let here = self.constant(64, self.address);
        let value = if self.has("t") {
            let target = self.destination("t")?;
            self.constant(64, target)
        } else {
            self.d.binary(BinaryOp::Add, &here, &self.constant(64, 16))
        };
        self.set_wide("d", &value);
        self.next()
    }
}
