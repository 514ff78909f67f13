//! Branches, calls, convergence, exits.
//!
//! Source: `docs/convergence.md`; ptxas's output for calls and returns.

use super::lane::Lane;
use super::outcome::{Outcome, Output, Step};
use super::register::Register;
use sassafras_semantics::state::BarrierMode;
use sassafras_semantics::{BinaryOp, Collective, Domain, State, Trap};
use smallvec::smallvec;

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// The predicate operand of a control instruction; none if it is PT.
    fn condition(&mut self) -> Result<Option<D::V>, Trap> {
        if !self.has("q") {
            return Ok(None);
        }
        let q = self.pred("q")?;
        let known = self.target("q").is_none() && self.d.as_constant(&q) == Some(1);
        Ok(if known { None } else { Some(q) })
    }

    /// Refuses a predicate operand that is not known to be true.
    fn unconditional(&mut self) -> Result<(), Trap> {
        if self.has("q") { self.always("q") } else { Ok(()) }
    }

    pub(super) fn bra(mut self) -> Step<D> {
        let target = self.destination("t")?;
        if !self.text("id").is_empty() {
            return Err(self.unsupported("a counting branch"));
        }
        let mut condition = self.condition()?;
        if self.inst.row().id == "bra.conv.75" {
            // Without a register the mask is of all lanes.
            let (target, mask) = (self.destination("t")?, self.constant(32, 0xffff_ffff));
            if condition.is_some() {
                return Err(self.unsupported("a predicate operand"));
            }
            let converged = self.text("mode") == ".CONV";
            return Ok(Outcome::BranchByConvergence { target, mask, converged });
        }
        if self.has("u") {
            // Whoever runs it decides; a predicate operand besides has not been seen.
            if condition.is_some() {
                return Err(self.unsupported("a predicate operand"));
            }
            let converged = self.text("mode") == ".CONV";
            let mask = self.logic32("u")?;
            return Ok(Outcome::BranchByConvergence { target, mask, converged });
        }
        if self.has("p") {
            let p = self.pred("p")?;
            condition = Some(match condition {
                Some(q) => self.d.and(&q, &p),
                None => p,
            });
        }
        match self.text("mode") {
            "" | ".U" => Ok(Outcome::Branch { target, condition }),
            mode => Err(self.unsupported(&format!("mode {mode}"))),
        }
    }

    /// A register pair, if there is one, plus a displacement; relative forms count from the next instruction.
    pub(super) fn indirect(mut self, relative: bool) -> Step<D> {
        if !self.text("id").is_empty() {
            return Err(self.unsupported("a counting branch"));
        }
        let a = if self.has("a") { self.bits64("a")? } else { self.constant(64, 0) };
        let displacement = self.raw("t");
        let base = if relative { self.address.wrapping_add(16) } else { 0 };
        let target = self.d.add(&a, &self.constant(64, displacement.wrapping_add(base)));
        let condition = self.condition()?;
        Ok(Outcome::IndirectBranch { target, condition })
    }

    /// A call is a jump: the caller has put the return address in registers before.
    pub(super) fn call(mut self) -> Step<D> {
        let relative = !self.inst.row().id.starts_with("call.abs");
        if self.has("a") || !relative {
            return self.indirect(relative);
        }
        let target = self.destination("t")?;
        let condition = self.condition()?;
        Ok(Outcome::Branch { target, condition })
    }

    pub(super) fn ret(self) -> Step<D> {
        let relative = self.inst.row().id != "ret.abs";
        self.indirect(relative)
    }

    pub(super) fn exit(mut self) -> Step<D> {
        if self.text("mode") == ".PREEMPTED" {
            return Err(self.unsupported("a preempted exit"));
        }
        let condition = self.condition()?;
        Ok(Outcome::Exit { condition })
    }

    fn barrier(&mut self) -> u32 {
        self.raw("b") as u32
    }

    pub(super) fn bssy(mut self) -> Step<D> {
        self.unconditional()?;
        // .RELIABLE and .RECONVERGENT stand where the same BSSY stands without them on sm_90.
        self.text("mode");
        let target = self.destination("t")?;
        Ok(Outcome::SetBarrier { barrier: self.barrier(), target })
    }

    pub(super) fn bsync(mut self) -> Step<D> {
        let condition = self.condition()?;
        Ok(Outcome::Sync { barrier: self.barrier(), condition })
    }

    pub(super) fn r#break(mut self) -> Step<D> {
        let condition = self.condition()?;
        Ok(Outcome::Break { barrier: self.barrier(), condition })
    }

    pub(super) fn output(&mut self, name: &str, width: u32) -> Output {
        Output { register: self.target(name), width }
    }

    /// Between a convergence barrier and a register: the form's destination decides the direction.
    pub(super) fn bmov(mut self) -> Step<D> {
        let barrier = self.barrier();
        if self.has("d") {
            let to = self.output("d", 32);
            let clear = self.flag("clear");
            return Ok(Outcome::ReadBarrier { barrier, to, clear });
        }
        if self.flag("pquad") {
            return Err(self.unsupported("a quad's barrier"));
        }
        let mask = self.bits32("a")?;
        Ok(Outcome::WriteBarrier { barrier, mask })
    }

    pub(super) fn warpsync(mut self) -> Step<D> {
        self.unconditional()?;
        // .EXCLUSIVE says who runs behind it, not what is done.
        self.text("mode");
        // The target of .COLLECTIVE is where its ENDCOLLECTIVE is.
        self.raw("t");
        let mask = match (self.has("a"), self.has("m")) {
            (true, _) => self.bits32("a")?,
            (_, true) => self.bits32("m")?,
            _ => self.constant(32, 0xffff_ffff),
        };
        Ok(Outcome::Collective { op: Collective::WarpSync, args: smallvec![mask], results: smallvec![] })
    }

    /// `ENDCOLLECTIVE`: the lanes that `WARPSYNC.COLLECTIVE` brought together stay together.
    pub(super) fn end_collective(mut self) -> Step<D> {
        self.unconditional()?;
        self.next()
    }

    /// Barrier number and thread count; one register holds both in the forms that name it twice.
    fn barrier_operands(&mut self) -> Result<(D::V, D::V), Trap> {
        let b = self.bits32("b")?;
        if self.has("n") {
            return Ok((b, self.bits32("n")?));
        }
        let number = self.d.and(&b, &self.constant(32, 15));
        let count =
            self.d.and(&self.d.binary(BinaryOp::LShr, &b, &self.constant(32, 16)), &self.constant(32, 0xfff));
        Ok((number, count))
    }

    pub(super) fn bar(mut self) -> Step<D> {
        let id = self.inst.row().id;
        let kind = if id.starts_with("bar.sync") {
            BarrierMode::Sync
        } else if id.starts_with("bar.arv") {
            BarrierMode::Arrive
        } else {
            match self.text("op") {
                ".POPC" => BarrierMode::Popc,
                ".AND" => BarrierMode::And,
                ".OR" => BarrierMode::Or,
                other => return Err(self.unsupported(&format!("mode {other}"))),
            }
        };
        let (barrier, threads) = self.barrier_operands()?;
        let q = self.pred_or("q", true)?;
        Ok(Outcome::Collective {
            op: Collective::Barrier(kind),
            args: smallvec![barrier, threads, q],
            results: smallvec![],
        })
    }

    pub(super) fn b2r(mut self) -> Step<D> {
        let (count, decision) = (self.output("d", 32), self.output("p", 1));
        Ok(Outcome::BarrierResult { count, decision })
    }

    /// The address of the instruction itself, or of the place that the form names, 64 bits. Experiment: to come back behind a call ptxas adds
    /// to it how far that place lies behind the `LEPC` (`printf`, sm_75 to sm_89, -O0 to -O3).
    pub(super) fn lepc(mut self) -> Step<D> {
        let place = if self.has("t") { self.destination("t")? } else { self.address };
        let value = self.constant(64, place);
        self.set_wide("d", &value);
        self.next()
    }
}
