//! Operations across the lanes of a warp: gathered as [`Collective`]s, with the executing lanes as members (C13 of
//! `docs/convergence.md`).

use super::lane::Lane;
use super::outcome::{Outcome, Step};
use super::register::Register;
use sassafras_semantics::state::{ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, Collective, Domain, State};
use smallvec::smallvec;

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// All lanes that execute: SASS names no members.
    fn members(&self) -> D::V {
        self.constant(32, 0xffff_ffff)
    }

    pub(super) fn shfl(mut self) -> Step<D> {
        let mode = match self.text("mode") {
            ".IDX" => ShuffleMode::Idx,
            ".UP" => ShuffleMode::Up,
            ".DOWN" => ShuffleMode::Down,
            ".BFLY" => ShuffleMode::Bfly,
            other => return Err(self.unsupported(&format!("mode {other}"))),
        };
        let args = smallvec![self.bits32("a")?, self.bits32("b")?, self.bits32("c")?, self.members()];
        let results = smallvec![self.output("d", 32), self.output("p", 1)];
        Ok(Outcome::Collective { op: Collective::Shuffle(mode), args, results })
    }

    pub(super) fn vote(mut self) -> Step<D> {
        let mode = match self.text("mode") {
            ".ALL" => VoteMode::All,
            ".ANY" => VoteMode::Any,
            ".EQ" => VoteMode::Uniform,
            other => return Err(self.unsupported(&format!("mode {other}"))),
        };
        let args = smallvec![self.pred("q")?, self.members()];
        let results = smallvec![self.output("d", 32), self.output("p", 1)];
        Ok(Outcome::Collective { op: Collective::Vote(mode), args, results })
    }

    pub(super) fn r#match(mut self) -> Step<D> {
        let all = self.has("p");
        let value = if self.flag("w") { self.bits64("a")? } else { self.bits32("a")? };
        let args = smallvec![value, self.members()];
        let results = smallvec![self.output("d", 32), self.output("p", 1)];
        Ok(Outcome::Collective { op: Collective::Match { all }, args, results })
    }

    pub(super) fn redux(mut self) -> Step<D> {
        // `CREDUX` of sm_100 holds the type in another field, and can do more.
        let ty = self.text("ty");
        // Source: each `redux.sync` of `.f32` through ptxas 13.0.88 for sm_100a (black-box).
        let (float, nan) = (ty == ".F32", self.flag("nan"));
        let signed = [self.text("sg"), ty].contains(&".S32");
        let op = match (self.text("op"), signed) {
            (".MIN", _) if float => AtomicOp::MinF32 { abs: false, nan },
            (".MAX", _) if float => AtomicOp::MaxF32 { abs: false, nan },
            (".MINABS", _) if float => AtomicOp::MinF32 { abs: true, nan },
            (".MAXABS", _) if float => AtomicOp::MaxF32 { abs: true, nan },
            (other, _) if float || nan => return Err(self.unsupported(&format!("reduction {other}"))),
            ("" | ".AND", _) => AtomicOp::And,
            (".OR", _) => AtomicOp::Or,
            (".XOR", _) => AtomicOp::Xor,
            (".SUM", _) => AtomicOp::Add,
            (".MIN", true) => AtomicOp::SMin,
            (".MIN", false) => AtomicOp::UMin,
            (".MAX", true) => AtomicOp::SMax,
            (".MAX", false) => AtomicOp::UMax,
            (other, _) => return Err(self.unsupported(&format!("reduction {other}"))),
        };
        let args = smallvec![self.bits32("a")?, self.members()];
        let results = smallvec![self.output("d", 32)];
        Ok(Outcome::Collective { op: Collective::Redux(op), args, results })
    }

    pub(super) fn elect(mut self) -> Step<D> {
        let q = self.pred("q")?;
        if self.d.as_constant(&q) != Some(1) {
            return Err(self.unsupported("a predicate operand"));
        }
        let members = self.members();
        let results = smallvec![self.output("d", 32), self.output("p", 1)];
        Ok(Outcome::Collective { op: Collective::Elect, args: smallvec![members], results })
    }
}
