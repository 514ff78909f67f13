//! One entry of a module against one function of a cubin.

use crate::evaluate::{LEAST, Raw, evaluate};
use crate::inputs::Inputs;
use crate::obligation::{Obligation, assumptions, covered, memory, pairs};
use crate::replay::{Sides, pointers, replay, wishes};
use crate::side::Event;
use crate::smt::script;
use crate::solver::{Answer, Solver};
use crate::verdict::{Assumption, Counts, Record, Verdict};
use crate::{source, target};
use sassafras_cubin::Cubin;
use sassafras_ptx::checked::{Function, Module};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Holds the entry `name` of a cubin against the entry of that name of a module.
pub fn prove(module: &Module, name: &str, cubin: &Cubin, solver: &mut dyn Solver) -> Record {
    let started = Instant::now();
    let mut record = Record {
        entry: name.to_owned(),
        verdict: Verdict::Inapplicable(String::new()),
        assumptions: BTreeSet::new(),
        obligations: Counts::default(),
        seconds: 0.0,
    };
    let function = module.functions.iter().find(|f| f.entry && f.name == name && f.insts.is_some());
    let code = cubin.functions.iter().find(|f| f.entry && f.name == name);
    record.verdict = match (function, code) {
        (Some(function), Some(code)) => {
            let mut task = Task { module, function, cubin, code, solver, record: &mut record };
            task.run().unwrap_or_else(Verdict::Unknown)
        }
        (None, _) => Verdict::Inapplicable(format!("the source has no entry `{name}`")),
        (_, None) => Verdict::Inapplicable(format!("the target has no entry `{name}`")),
    };
    record.seconds = started.elapsed().as_secs_f64();
    record
}

struct Task<'a> {
    module: &'a Module,
    function: &'a Function,
    cubin: &'a Cubin,
    code: &'a sassafras_cubin::Function,
    solver: &'a mut dyn Solver,
    record: &'a mut Record,
}

/// Both sides in one arena.
struct Run<'i> {
    source: Vec<Event>,
    target: target::Target<'i>,
    assumed: BTreeSet<Assumption>,
    assumptions: Vec<TermId>,
}

/// The terms of events.
fn roots(events: &[Event]) -> Vec<TermId> {
    events.iter().flat_map(|e| [e.guard, e.address, e.value]).collect()
}

fn undefined(terms: &Terms, roots: &[TermId]) -> Vec<TermId> {
    terms.free(roots).into_iter().filter(|t| matches!(terms.node(*t), Node::Undef { .. })).collect()
}

impl Task<'_> {
    fn both<'i>(&self, inputs: &'i Inputs<'i>) -> Result<Run<'i>, String> {
        let source = source::run(inputs, self.module, self.function).map_err(|e| format!("source, {e}"))?;
        let target = target::run(inputs, self.cubin, self.code).map_err(|e| format!("target, {e}"))?;
        let mut all = roots(&source.events);
        all.extend(roots(&target.side.events));
        let lanes = inputs.terms.free(&all).contains(&inputs.laneid());
        let assumptions = assumptions(inputs, self.function, &source.events, lanes);
        let mut assumed: BTreeSet<Assumption> = source.assumed.union(&target.side.assumed).copied().collect();
        assumed.extend([Assumption::Launch, Assumption::Ub, Assumption::Drf, Assumption::Solver]);
        if inputs.terms.topological(&all).iter().any(|t| is_float(&inputs.terms.node(*t))) {
            assumed.insert(Assumption::Fp);
        }
        Ok(Run { source: source.events, target, assumed, assumptions })
    }

    fn run(&mut self) -> Result<Verdict, String> {
        let terms = Terms::new();
        let inputs = Inputs::new(&terms);
        let run = self.both(&inputs)?;
        if !self.solver.present() {
            return Err("no solver".into());
        }
        let pointers = pointers(&inputs, self.function, &run.source);
        match self.solver.check(&script(&inputs, &run.assumptions)) {
            Answer::Sat(_) => {}
            Answer::Unsat => return Err("vacuous: the assumptions contradict each other".into()),
            Answer::Unknown(why) => return Err(format!("the assumptions: {why}")),
        }
        let targets = &run.target.side.events;
        let mut open = covered(&terms, &run.source, targets);
        let one_to_one = pairs(&terms, &run.source, targets);
        let mut failed = match one_to_one {
            Some(list) => self.discharge(&inputs, &run.assumptions, &list)?,
            None => Some(None),
        };
        if let Some(first) = failed.take() {
            // Not one to one: perhaps in another order, or in other pieces.
            let whole = memory(&inputs, &run.source, targets);
            if let Some(second) = self.discharge(&inputs, &run.assumptions, &[whole])? {
                return self.refute(&inputs, &run, &pointers, first.or(second));
            }
        }
        open.retain(|o| terms.as_constant(&inputs.normal.of(o.violated)) != Some(0) || self.count_term());
        if let Some(violated) = self.discharge(&inputs, &run.assumptions, &open)? {
            return self.refute(&inputs, &run, &pointers, violated);
        }
        self.evaluated(&pointers)?;
        self.record.assumptions = run.assumed;
        Ok(Verdict::Proved)
    }

    fn count_term(&mut self) -> bool {
        self.record.obligations.total += 1;
        self.record.obligations.by_terms += 1;
        false
    }

    /// Asks about each obligation; the first that can be violated, if any.
    fn discharge(
        &mut self,
        inputs: &Inputs<'_>,
        assumptions: &[TermId],
        list: &[Obligation],
    ) -> Result<Option<Option<Obligation>>, String> {
        for o in list {
            let o = &Obligation { what: o.what.clone(), violated: inputs.normal.of(o.violated) };
            if inputs.terms.as_constant(&o.violated) == Some(0) {
                self.count_term();
                continue;
            }
            self.record.obligations.total += 1;
            let mut asked = assumptions.to_vec();
            asked.push(o.violated);
            match self.solver.check(&script(inputs, &asked)) {
                Answer::Unsat => self.record.obligations.by_solver += 1,
                Answer::Sat(_) => return Ok(Some(Some(o.clone()))),
                Answer::Unknown(why) => return Err(format!("{}: {why}", o.what)),
            }
        }
        Ok(None)
    }

    /// Looks for a model that can be replayed, and replays it.
    fn refute(
        &mut self,
        inputs: &Inputs<'_>,
        run: &Run<'_>,
        pointers: &[u64],
        violated: Option<Obligation>,
    ) -> Result<Verdict, String> {
        let Some(violated) = violated else { return Err("replay: nothing to replay".into()) };
        let d = inputs.terms;
        let undefined_here = undefined(d, &roots(&run.source));
        if d.free(&[violated.violated]).iter().any(|t| undefined_here.contains(t)) {
            return Err(format!("{}: it depends on what the source leaves undefined", violated.what));
        }
        let mut asked = run.assumptions.clone();
        asked.push(violated.violated);
        asked.extend(wishes(inputs, self.function, &run.source, pointers));
        let model: BTreeMap<TermId, u128> = match self.solver.check(&script(inputs, &asked)) {
            Answer::Sat(model) => model,
            Answer::Unsat => {
                return Err(format!("replay: {}: no launch of one warp shows it", violated.what));
            }
            Answer::Unknown(why) => return Err(format!("replay: {}: {why}", violated.what)),
        };
        let sides = Sides {
            inputs,
            module: self.module,
            function: self.function,
            cubin: self.cubin,
            code: self.code,
            source: &run.source,
            target: &run.target.side.events,
            writes: &run.target.writes,
        };
        let found =
            replay(&sides, &model, pointers).map_err(|e| format!("replay: {}: {e}", violated.what))?;
        self.record.assumptions = run.assumed.clone();
        Ok(Verdict::Refuted(Box::new(found)))
    }

    /// Runs both sides once more without simplification, and evaluates them on concrete inputs.
    fn evaluated(&mut self, pointers: &[u64]) -> Result<(), String> {
        let terms = Terms::raw();
        let inputs = Inputs::raw(&terms);
        let run = self.both(&inputs).map_err(|e| format!("evaluation: {e}"))?;
        let raw = Raw {
            inputs: &inputs,
            assumptions: &run.assumptions,
            source: &run.source,
            target: &run.target.side.events,
            pointers,
        };
        let count = evaluate(&raw).map_err(|e| format!("evaluation contradicts the solver: {e}"))?;
        self.record.obligations.evaluated = count;
        if count < LEAST {
            return Err(format!("evaluation: only {count} inputs meet the assumptions"));
        }
        Ok(())
    }
}

fn is_float(node: &Node) -> bool {
    matches!(
        node,
        Node::Float { .. }
            | Node::FloatRelation { .. }
            | Node::FloatToFloat { .. }
            | Node::FloatToInt { .. }
            | Node::IntToFloat { .. }
            | Node::Approximate { .. }
    )
}
