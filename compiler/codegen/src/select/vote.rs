//! Cross-lane operations whose member mask may differ among the lanes that execute them.
//!
//! WARPSYNC brings the lanes of one mask together, but lanes that name another mask may execute the same instruction with them. A ballot
//! is therefore masked, and the decisions are taken from masked ballots; what cannot be masked afterwards is refused.

use super::Error;
use super::emit::Emitter;
use super::plan;
use sassafras_ir::{Inst, Op, Value, ValueDef};
use sassafras_isa::{RegClass, UnknownField};
use sassafras_machine::{MInst, Reg};
use sassafras_semantics::state::VoteMode;

impl Emitter<'_> {
    /// Emits an operation whose lanes may name different masks; false if the row will do.
    pub(super) fn masked(&mut self, at: Inst) -> Result<bool, Error> {
        let data = &self.source.insts[at];
        let Some(mask) = plan::member_mask(data) else { return Ok(false) };
        if self.same_for_all(mask) {
            return Ok(false);
        }
        let mode = match data.op {
            Op::Vote(mode) => mode,
            Op::Shuffle(_) | Op::WarpSync => return Ok(false),
            _ => {
                let operation = format!("{:?} with a member mask that may differ among lanes", data.op);
                return Err(Error::NoRule { line: data.line, operation });
            }
        };
        self.rule = "vote.masked";
        let (predicate, results) = (data.args[0], data.results.clone());
        let members = self.value(mask, None)?;
        let (reg, negate) = self.predicate(predicate)?;
        let holding = self.ballot(reg, negate, members)?;
        if let Some(&ballot) = results.first() {
            self.places[ballot] = Some(holding);
        }
        let Some(&decision) = results.get(1) else { return Ok(true) };
        let place = match mode {
            VoteMode::Any | VoteMode::Ballot => self.against_zero(holding, ".NE")?,
            VoteMode::All => {
                let failing = self.ballot(reg, !negate, members)?;
                self.against_zero(failing, ".EQ")?
            }
            VoteMode::Uniform => {
                let failing = self.ballot(reg, !negate, members)?;
                let (none, all) = (self.against_zero(holding, ".EQ")?, self.against_zero(failing, ".EQ")?);
                let v = self.out.add_vreg(RegClass::P, 1);
                let fields = [
                    ("d", Reg::from(v).to_field()),
                    ("q0", none.to_field()),
                    ("q1", all.to_field()),
                    ("lut", 0xfc),
                ];
                self.plain("plop3", &fields)?;
                v.into()
            }
        };
        self.places[decision] = Some(place);
        Ok(true)
    }

    /// Whether all lanes that get here together name the same mask, so that WARPSYNC leaves exactly these: a constant, or what lanes
    /// together were told of each other.
    fn same_for_all(&self, mask: Value) -> bool {
        let ValueDef::Result(inst, 0) = self.source.values[mask].def else { return false };
        let data = &self.source.insts[inst];
        match data.op {
            Op::Const(_) | Op::ActiveMask => true,
            Op::Vote(_) => self.constant(data.args[1]).is_some(),
            _ => false,
        }
    }

    /// `VOTE.ANY t, PT, p; t & members`
    fn ballot(&mut self, predicate: Reg, negate: bool, members: Reg) -> Result<Reg, Error> {
        let (all, masked) = (self.out.add_vreg(RegClass::R, 1), self.out.add_vreg(RegClass::R, 1));
        let inst = self.form("vote")?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("mode", ".ANY")?;
            inst.set("q", predicate.to_field())?;
            inst.set("q.not", u64::from(negate))?;
            inst.try_with("d", Reg::from(all).to_field())
        })();
        let inst = inst.map_err(|e: UnknownField| self.fail(e))?;
        self.push(MInst::new(inst));
        let fields = [
            ("d", Reg::from(masked).to_field()),
            ("a", Reg::from(all).to_field()),
            ("b", members.to_field()),
            ("lut", 0xc0),
        ];
        self.plain("lop3.rrr", &fields)?;
        Ok(masked.into())
    }

    fn against_zero(&mut self, a: Reg, compare: &str) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::P, 1);
        let inst = self.form("isetp.rr")?;
        let inst = (|| {
            let mut inst = inst;
            inst.set_enum("cmp", compare)?;
            inst.set_enum("sg", ".U32")?;
            inst.set("a", a.to_field())?;
            inst.try_with("d", Reg::from(v).to_field())
        })();
        let inst = inst.map_err(|e: UnknownField| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(v.into())
    }

    fn plain(&mut self, form: &str, fields: &[(&str, u64)]) -> Result<(), Error> {
        let inst = self.form(form)?;
        let inst = fields.iter().try_fold(inst, |i, (name, value)| i.try_with(name, *value));
        let inst = inst.map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(())
    }
}
