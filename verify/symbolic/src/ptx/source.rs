//! The source: PTX over terms.

use crate::choice::Payloads;
use crate::cut::Cutting;
use crate::inputs::Inputs;
use crate::obstacle::source::Source;
use crate::obstacle::{Located, Obstacle};
use crate::ptx::approximate::Estimates;
use crate::ptx::calls::{Program, Step};
use crate::ptx::choose;
use crate::ptx::contract::Sites;
use crate::ptx::cut::cuts;
use crate::ptx::flow;
use crate::ptx::functions;
use crate::ptx::state::{Run, bits};
use crate::trace::collective;
use crate::trace::facts::Reading;
use crate::trace::loops::Loops;
use crate::trace::side::{Side, Start};
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::{Inst, LabelId, Operand, RegisterId};
use sassafras_ptx::step::{Outcome, Place, guard};
use sassafras_semantics::{Collective, Domain, State, TermId, Trap};
use std::collections::BTreeSet;

/// Runs an entry to its end. `payloads`: how those of NaNs are chosen. `sites` says where products and sums become one operation, and
/// `estimates` what approximations are.
///
/// # Errors
/// What is not covered, and at which line.
pub fn run<'i, 's>(
    inputs: &'i Inputs<'i>,
    program: &'s Program<'s>,
    cubin: &'s Cubin,
    bound: u32,
    payloads: Payloads,
    (reading, cutting): (Reading, Cutting<'s>),
    sites: &mut Sites<'_>,
    estimates: &mut Estimates<'_>,
) -> Result<Side<'i, RegisterId>, Located> {
    let loops = Loops::of(&flow::flow(program), &[0]);
    let functions = functions::addresses(program.module, &program.frames[0].function.name, cubin)?;
    let mut side = Side::new(inputs, "source", bound, loops, Start::default());
    side.cuts = cuts(program, cutting)?;
    side.reading = Reading { constants: crate::trace::bank::constants(cubin), ..reading };
    let (frame, stored) = (0, BTreeSet::new());
    let payloads_now = (payloads, 0);
    let mut run =
        Run { side, program, at: 0, frame, cutting, cubin, functions, stored, payloads: payloads_now };
    while let Some(position) = run.side.advance()? {
        let Some(step) = program.steps.get(position as usize) else {
            return Err(no_meaning("a place behind the end").into());
        };
        let policy = step.inst.map_or(payloads, |(inst, _)| choose::policy(payloads, inst));
        run.payloads = (policy, inputs.terms.len());
        (run.at, run.frame) = (position, step.frame);
        match step.inst {
            _ if let Some(choice) = step.choice => run.choose_version(choice),
            // Behind the last instruction is the end.
            None => run.leave_function()?,
            Some((inst, index)) => {
                run.side.place = inst.line.into();
                run.execute(step, inst, index, sites, estimates)
                    .map_err(|why| Located::at_line(inst.line, why))?;
            }
        }
        run.side.proceed(step.next);
    }
    run.side.settled()?;
    Ok(run.side)
}

impl Run<'_, '_> {
    fn execute(
        &mut self,
        step: &Step<'_>,
        inst: &Inst,
        index: u32,
        sites: &mut Sites<'_>,
        estimates: &mut Estimates<'_>,
    ) -> Result<(), Obstacle> {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        let holds = guard(d, inst, self).map_err(|trap| behind(inputs, &trap))?;
        self.side.guard = d.yes();
        if let Some(holds) = holds {
            self.decides(holds);
        }
        self.side.guard = inputs.normal.of(holds.unwrap_or_else(|| d.yes()));
        if inputs.known(self.side.guard) == Some(0) {
            return Ok(());
        }
        if step.frame == 0 && self.replace(inst, index, sites, estimates)? {
            return Ok(());
        }
        self.name_operands(inst)?;
        let function = self.program.frames[step.frame].function;
        match sassafras_ptx::step::step(d, self.program.module, function, inst, self) {
            Ok(outcome) => self.handle(step, outcome),
            Err(Trap::Trapped) => {
                self.side.trap();
                Ok(())
            }
            Err(trap) => Err(behind(inputs, &trap)),
        }
    }

    /// Writes what a fused operation or an approximation gives in place of an instruction, where one is chosen. Whether one is.
    fn replace(
        &mut self,
        inst: &Inst,
        index: u32,
        sites: &mut Sites<'_>,
        estimates: &mut Estimates<'_>,
    ) -> Result<bool, Obstacle> {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        let part = |t: TermId, low: u32, width: u32| bits(inputs, t, low, width);
        let to = |operands: &[Operand]| match operands.first() {
            Some(Operand::Register(to)) => Some(*to),
            _ => None,
        };
        let mut value = |r: RegisterId| self.old(r);
        let fused = sites.fuse(d, index, inst, &mut value, &part, &|t| inputs.normal.of(t));
        if let Some((fused, to)) = fused.zip(to(&inst.operands)) {
            self.write(d, to, fused);
            return Ok(true);
        }
        let mut value = |r: RegisterId| self.old(r);
        let estimate = estimates
            .of(inputs, index, inst, &mut value)
            .map_err(|why| Source::Lemma { said: why.to_string().into() })?;
        let Some((estimate, to)) = estimate.zip(to(&inst.operands)) else { return Ok(false) };
        self.write(d, to, estimate);
        Ok(true)
    }

    /// Names the operands of a division, and of a product of which the upper half is taken.
    fn name_operands(&mut self, inst: &Inst) -> Result<(), Obstacle> {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        let (divides, multiplies) = (crate::abstracted::divides(inst), crate::ptx::upper::multiplies(inst));
        if !inputs.opaque.finds() || !divides && multiplies.is_none() {
            return Ok(());
        }
        for operand in inst.operands.iter().skip(1) {
            let Operand::Register(register) = operand else { continue };
            let operand = self.read(d, *register).map_err(|trap| behind(inputs, &trap))?;
            match multiplies {
                Some(constant) => crate::ptx::upper::named(inputs, operand, constant),
                None => crate::abstracted::divided(inputs, operand),
            }
        }
        Ok(())
    }

    /// What an instruction comes to.
    fn handle(&mut self, step: &Step<'_>, outcome: Outcome<TermId>) -> Result<(), Obstacle> {
        let inputs = self.side.inputs;
        match outcome {
            Outcome::Next => {}
            Outcome::Branch(label) => self.branch(step, label),
            Outcome::Return => self.leave_function()?,
            Outcome::Exit => self.side.leave(None),
            Outcome::Switch { index, targets } => self.switch(step, index, targets),
            Outcome::Call { .. } if step.deeper => self.side.give_up(None),
            Outcome::Call { arguments, results, .. } if let Some(call) = step.system => {
                let room = self.side.reading.facts.room;
                self.system_call(call, &arguments, &results, room).map_err(|trap| behind(inputs, &trap))?;
            }
            Outcome::Call { arguments, .. } => {
                let [(_, callee)] = self.program.callees(step) else {
                    return Err(no_meaning("a call").into());
                };
                self.pass(*callee, &arguments).map_err(|trap| behind(inputs, &trap))?;
                self.side.jump(self.program.lead(self.at, self.program.start(*callee)), None);
            }
            Outcome::CallIndirect { target, arguments, .. } => {
                self.call_indirect(step, target, &arguments)?;
            }
            Outcome::Collective { op, arguments, results } => self.collective(op, &arguments, &results)?,
        }
        Ok(())
    }

    /// The place that a label of the current function names.
    fn target(&self, step: &Step<'_>, label: LabelId) -> u64 {
        let function = self.program.frames[step.frame].function;
        let written = self.program.target(step.frame, function.labels[label.0 as usize].target);
        self.program.lead(self.at, written)
    }

    /// Lanes branch. Edges that are said to be infeasible are not followed: that they are not taken is demanded.
    fn branch(&mut self, step: &Step<'_>, label: LabelId) {
        let d = self.side.inputs.terms;
        let to = self.target(step, label);
        let is_never = |to: u64| self.cutting.never.contains(&(self.at, to));
        let (taken, past) = (is_never(to), is_never(step.next));
        if taken {
            return self.side.demand_not(d.yes());
        }
        if past {
            let guard = self.side.guard;
            self.side.guard = self.side.inputs.normal.of(d.not(&guard));
            self.side.demand_not(d.yes());
            self.side.guard = d.yes();
        }
        self.side.jump(to, None);
    }

    /// Lanes go on with a version of a loop, or with the next one, as those of the target do.
    fn choose_version(&mut self, choice: usize) {
        let (version, to) = self.program.choice(choice);
        let key = (version.target, self.side.walk.returns());
        let inputs = self.side.inputs;
        let follows = match self.cutting.follows {
            Some(known) => known.get(&key).copied().unwrap_or_else(|| inputs.terms.no()),
            None => {
                let follows = inputs.variable(&format!("follows {key:?}"), 1, version.common);
                self.side.cuts.chosen.push((key, follows));
                follows
            }
        };
        self.side.guard = inputs.terms.yes();
        self.decides(follows);
        self.side.jump(to, Some(follows));
    }

    fn switch(&mut self, step: &Step<'_>, index: TermId, targets: &[LabelId]) {
        let d = self.side.inputs.terms;
        self.decides(index);
        for (i, label) in targets.iter().enumerate() {
            let here = d.eq(&index, &d.constant(32, i as u128));
            let to = self.target(step, *label);
            self.side.jump(to, Some(here));
        }
        self.side.undefine();
    }

    fn call_indirect(
        &mut self,
        step: &Step<'_>,
        target: TermId,
        arguments: &[Place<TermId>],
    ) -> Result<(), Obstacle> {
        let (inputs, d) = (self.side.inputs, self.side.inputs.terms);
        self.decides(target);
        for (_, callee) in self.program.callees(step) {
            self.pass(*callee, arguments).map_err(|trap| behind(inputs, &trap))?;
        }
        for (function, callee) in self.program.callees(step) {
            let Some(number) = self.functions.get(function) else { continue };
            let here = d.eq(&target, &d.constant(64, (*number).into()));
            self.side.jump(self.program.lead(self.at, self.program.start(*callee)), Some(here));
        }
        if step.deeper {
            self.side.give_up(None);
        }
        // PTX ISA, "call": an address of no function with the prototype.
        self.side.undefine();
        Ok(())
    }

    fn collective(
        &mut self,
        op: Collective,
        arguments: &[TermId],
        results: &[Option<RegisterId>],
    ) -> Result<(), Obstacle> {
        let d = self.side.inputs.terms;
        let values = collective::collective(&mut self.side, op, arguments)?;
        for (register, value) in results.iter().zip(values) {
            let Some(r) = register else { continue };
            let width = self.program.kept(self.program.register(self.frame, *r)).1;
            let fit = if width > d.width(&value) { d.zext(&value, width) } else { value };
            self.write(d, *r, fit);
        }
        Ok(())
    }

    /// Leaves a function: an entry by ending, another by going on behind the call.
    fn leave_function(&mut self) -> Result<(), Obstacle> {
        let frame = &self.program.frames[self.frame];
        let Some((_, call)) = frame.call else {
            self.side.leave(None);
            return Ok(());
        };
        let Some(Operand::List(results)) = call.operands.first() else {
            return Err(no_meaning("a call without results").into());
        };
        let place = |o: &Operand| match o {
            Operand::Symbol(id, 0) => Some(Place::Variable(*id)),
            Operand::Register(r) => Some(Place::Register(Some(*r))),
            Operand::Sink => Some(Place::Register(None)),
            _ => None,
        };
        let Some(places) = results.iter().map(place).collect::<Option<Vec<Place<TermId>>>>() else {
            return Err(no_meaning("a call with a result that is no place").into());
        };
        self.give(&places).map_err(|trap| behind(self.side.inputs, &trap))?;
        let resume = self.program.lead(self.at, frame.resume);
        self.side.jump(resume, None);
        Ok(())
    }
}

/// Something of which no meaning is known.
fn no_meaning(form: &str) -> Source {
    Source::NoMeaning { form: form.into() }
}

/// The obstacle behind a trap of the source.
fn behind(inputs: &Inputs<'_>, trap: &Trap) -> Obstacle {
    inputs.held.behind(trap, |form| no_meaning(form).into())
}
