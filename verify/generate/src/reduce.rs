//! Reduction of PTX on its structure: functions, statements, guards, operands, suffixes, parameters, declarations.
//!
//! Every step leaves a module that checks, in which no register is read that nobody wrote, unless the input did so: what a step leaves
//! without a value gets a constant at the start. The first step in order that keeps what is wanted is taken, however many are tried at
//! once, so that the result is the same for every number of threads. Steps lower a cost, so that there is an end.
//!
//! - `step`: what can be done to a module. `walk`: statements and operands by number. `assigned`: registers that are read before they are written.
//! - `names`: which names are used, and what declares them.

mod assigned;
mod names;
mod step;
mod walk;

use sassafras_ptx::ast::{Item, Module, OperandKind, Statement};
use sassafras_ptx::{Diagnostics, check, parse, print};
use std::collections::BTreeSet;
use std::fmt;
use step::{Phase, Step};

/// What a reduction took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Steps that were valid, and asked about.
    pub tests: usize,
    /// Steps that were taken.
    pub taken: usize,
}

/// A reduced module.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// Its text.
    pub text: String,
    /// What it took.
    pub effort: Effort,
}

/// Tries of steps at once.
const AT_ONCE: usize = 16;

/// The smallest module that steps lead to and of which `keep` holds, given that it holds of `text`. `jobs` steps are tried at
/// once; `taken` sees each text that is taken.
///
/// # Errors
/// The text does not check, and why.
pub fn reduce(
    text: &str,
    keep: &(dyn Fn(&str) -> bool + Sync),
    jobs: usize,
    taken: &mut dyn FnMut(&str, Effort),
) -> Result<Reduced, ReduceError> {
    let (module, found) = parse(text, "in.ptx");
    if found.has_errors() {
        return Err(ReduceError::Syntax(found));
    }
    let open = unassigned(&module).map_err(ReduceError::Check)?;
    let mut all = Reduction { open, current: module, effort: Effort::default() };
    loop {
        let before = cost(&all.current);
        for phase in Phase::ALL {
            all.run(phase, keep, jobs.max(1), taken);
        }
        if cost(&all.current) >= before {
            return Ok(Reduced { text: print(&all.current), effort: all.effort });
        }
    }
}

/// Why a text is not reduced.
#[derive(Clone, Debug)]
pub enum ReduceError {
    /// It is no PTX.
    Syntax(Diagnostics),
    /// It does not check.
    Check(Diagnostics),
}

impl fmt::Display for ReduceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReduceError::Syntax(found) => f.write_str(&found.render()),
            ReduceError::Check(found) => {
                f.write_str("the input does not check: ")?;
                found.records().first().map_or(Ok(()), |r| write!(f, "line {}: {}", r.line, r.message))
            }
        }
    }
}

impl std::error::Error for ReduceError {}

struct Reduction {
    /// Registers that the input itself reads without a value.
    open: BTreeSet<String>,
    current: Module,
    effort: Effort,
}

impl Reduction {
    fn run(
        &mut self,
        phase: Phase,
        keep: &(dyn Fn(&str) -> bool + Sync),
        jobs: usize,
        taken: &mut dyn FnMut(&str, Effort),
    ) {
        let mut size = step::largest(phase, &self.current);
        loop {
            let mut at = 0;
            loop {
                let steps = step::steps(phase, size, &self.current);
                let batch = &steps[at.min(steps.len())..(at + AT_ONCE).min(steps.len())];
                if batch.is_empty() {
                    break;
                }
                let tried = self.try_all(batch, keep, jobs);
                let first = tried.iter().position(|t| matches!(t, Some((_, true))));
                self.effort.tests +=
                    tried.iter().take(first.map_or(tried.len(), |f| f + 1)).filter(|t| t.is_some()).count();
                match first {
                    None => at += batch.len(),
                    Some(first) => {
                        at += first;
                        if let Some(Some((module, _))) = tried.into_iter().nth(first) {
                            self.current = module;
                        }
                        self.effort.taken += 1;
                        taken(&print(&self.current), self.effort);
                    }
                }
            }
            if size <= 1 {
                return;
            }
            size /= 2;
        }
    }

    /// Each step: the module that it leads to, if that is valid and smaller, and whether it is kept. Behind the first that is kept some are not tried.
    fn try_all(
        &self,
        batch: &[Step],
        keep: &(dyn Fn(&str) -> bool + Sync),
        jobs: usize,
    ) -> Vec<Option<(Module, bool)>> {
        let one = |step: &Step| {
            let module = self.after(step)?;
            let kept = keep(&print(&module));
            Some((module, kept))
        };
        let mut all = Vec::new();
        for group in batch.chunks(jobs) {
            let one = &one;
            let some: Vec<Option<(Module, bool)>> = std::thread::scope(|scope| {
                let handles: Vec<_> = group.iter().map(|step| scope.spawn(move || one(step))).collect();
                handles.into_iter().map(|h| h.join().unwrap_or(None)).collect()
            });
            let done = some.iter().any(|t| matches!(t, Some((_, true))));
            all.extend(some);
            if done {
                break;
            }
        }
        all
    }

    /// The module behind a step, mended, if it is valid and costs less.
    fn after(&self, step: &Step) -> Option<Module> {
        let mut module = step::apply(step, &self.current)?;
        // Spans and what the checker sees come from the text.
        let again = |module: &Module| {
            let (module, found) = parse(&print(module), "step.ptx");
            (!found.has_errors()).then_some(module)
        };
        module = again(&module)?;
        let lacking: Vec<String> = unassigned(&module).ok()?.difference(&self.open).cloned().collect();
        if !lacking.is_empty() {
            for name in lacking {
                names::give_value(&mut module, &name)?;
            }
            module = again(&module)?;
            if unassigned(&module).ok()?.difference(&self.open).next().is_some() {
                return None;
            }
        }
        (cost(&module) < cost(&self.current)).then_some(module)
    }
}

/// Whether some function of a module does more than compute registers and end. What does not is not worth reducing to: it agrees with whatever is as empty.
pub fn acts(text: &str) -> bool {
    sassafras_ptx::load(text, "acts").is_ok_and(|module| module.functions.iter().any(assigned::acts))
}

/// Registers, as `function:name`, that some path reads before it writes them.
fn unassigned(module: &Module) -> Result<BTreeSet<String>, Diagnostics> {
    let checked = check(module)?;
    Ok(checked.functions.iter().flat_map(assigned::unassigned).collect())
}

/// What a module costs: instructions above all, then what they name.
fn cost(module: &Module) -> usize {
    let mut all = 0;
    for item in &module.items {
        all += match item {
            Item::Function(f) => {
                let declared = |v: &Option<Vec<_>>| v.as_ref().map_or(0, Vec::len);
                20 + 4 * (declared(&f.params) + declared(&f.returns)) + 2 * f.directives.len()
            }
            Item::Variable(v) => 4 * v.declarators.len(),
            _ => 2,
        };
    }
    walk::visit(module, &mut |s| {
        all += match s {
            Statement::Instruction(i) if names::is_constant(i) => 3,
            Statement::Instruction(i) => {
                let mut named = 0;
                i.operands.iter().for_each(|o| named += operand_cost(&o.kind));
                20 + 4 * usize::from(i.guard.is_some()) + named + i.suffixes.len()
            }
            Statement::Variable(v) => {
                v.declarators.iter().map(|d| 1 + usize::from(d.range.is_some())).sum::<usize>()
            }
            Statement::Label(_) => 1,
            _ => 2,
        };
    });
    all
}

fn operand_cost(kind: &OperandKind) -> usize {
    use sassafras_ptx::ast::Expr;
    let list = |all: &[sassafras_ptx::ast::Operand]| all.iter().map(|o| operand_cost(&o.kind)).sum::<usize>();
    match kind {
        OperandKind::Value(Expr::Number(n)) => match n.text.as_str() {
            "0" => 0,
            "1" => 1,
            _ => 2,
        },
        OperandKind::Value(Expr::Binary(..)) => 5,
        OperandKind::Value(_) => 4,
        OperandKind::Not(_) => 5,
        OperandKind::Negated(o) => 1 + operand_cost(&o.kind),
        OperandKind::Pair(a, b) => operand_cost(&a.kind) + operand_cost(&b.kind),
        OperandKind::Vector(all) | OperandKind::Address(all) | OperandKind::List(all) => 1 + list(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::{Request, seeded};

    #[test]
    fn modules_become_small_and_stay_valid() {
        for seed in [3, 8] {
            let text = seeded(seed, &Request { size: 40, ..Request::default() }).text;
            let keep = |text: &str| {
                let module = sassafras_ptx::load(text, "kept");
                assert!(module.is_ok(), "a step is not valid:\n{text}");
                text.contains("xor.b32") && text.contains("st.global")
            };
            if !keep(&text) {
                continue;
            }
            let mut last = usize::MAX;
            let one = reduce(&text, &keep, 1, &mut |t, _| {
                let (module, _) = parse(t, "taken");
                assert!(cost(&module) < last);
                last = cost(&module);
            });
            let one = one.expect("it checks");
            // The two may stand in two functions.
            assert!(one.text.lines().count() < 20, "{}", one.text);
            let four = reduce(&text, &keep, 4, &mut |_, _| {}).expect("it checks");
            assert_eq!(one, four, "the number of threads changes the result");
        }
    }

    #[test]
    fn a_kernel_that_only_computes_does_not_act() {
        let kernel = |body: &str| {
            format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %a<3>;\n.reg .b64 %d;\n\
                 ld.param.u64 %d, [p];\nmov.u32 %a1, %tid.x;\n{body}\nret;\n}}\n"
            )
        };
        assert!(!acts(&kernel("add.u32 %a2, %a1, 1; bra L; L:")));
        for body in ["st.global.u32 [%d], %a1;", "bar.sync 0;", "atom.global.add.u32 %a2, [%d], 1;", "trap;"]
        {
            assert!(acts(&kernel(body)), "{body}");
        }
    }

    #[test]
    fn what_is_read_has_a_value() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %a<3>;\n.reg .pred %p;\n\
                    .reg .b64 %d;\nld.param.u64 %d, [p];\nmov.u32 %a1, %tid.x;\nsetp.gt.u32 %p, %a1, 4;\n@%p bra L;\nadd.u32 %a2, %a1, 3;\nbra M;\n\
                    L:\nsub.u32 %a2, %a1, 9;\nM:\nst.global.u32 [%d], %a2;\nret;\n}\n";
        let small = reduce(text, &|t| t.contains("st.global"), 1, &mut |_, _| {}).expect("it checks");
        let (module, _) = parse(&small.text, "small");
        assert_eq!(unassigned(&module).expect("it checks"), BTreeSet::new(), "{}", small.text);
        assert!(!small.text.contains("setp"), "{}", small.text);
    }
}
