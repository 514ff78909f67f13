//! z3 in process.

use super::ask::{Answer, Solver, short};
use super::tactics::{BITS, MONOMIALS, NUMBERS, in_turn};
use crate::smt::{Question, Script, application};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, CompareOp, TermId, UnaryOp};
use std::collections::BTreeMap;
use z3::ast::{Ast, BV, Bool};
use z3::{Config, FuncDecl, Params, SatResult, Sort, Tactic, with_z3_config};

/// z3 in process: the question's nodes as its own, without text. Each question has a context of its own, so that answers do
/// not depend on one another, and are those of the executable within the same budget or better.
#[derive(Clone, Copy, Debug)]
pub struct NativeZ3 {
    /// z3's `rlimit`, in millions.
    pub budget: u64,
    /// Seconds after which it gives up; a safety net alone.
    pub timeout: u64,
}

/// The share of the effort that bits alone are tried with at first.
const SHARE: u64 = 4;

/// z3 without the preparation that it gives to questions about bits: some that are easy bit by bit drown in it.
fn blasted(steps: &[&str]) -> z3::Solver {
    told(steps, "", &Params::new())
}

/// The same where one of the steps is told something.
fn told(steps: &[&str], step: &str, what: &Params) -> z3::Solver {
    let tactic = |s: &&str| if *s == step { Tactic::new(s).with(what) } else { Tactic::new(s) };
    steps.iter().map(tactic).fold(Tactic::create_skip(), |all, next| all.and_then(&next)).solver()
}

impl Solver for NativeZ3 {
    fn check(&mut self, script: &Script) -> Answer {
        self.within(script, self.budget.saturating_mul(1_000_000))
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        self.within(script, effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000))
    }

    fn check_bits(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        with_z3_config(&Config::new(), || self.ask(script, limit, &blasted(&BITS)))
    }

    fn check_sums(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        with_z3_config(&Config::new(), || {
            let mut out = Params::new();
            out.set_bool("som", true);
            out.set_u32("som_blowup", MONOMIALS);
            self.ask(script, limit, &told(&BITS, "simplify", &out))
        })
    }

    fn check_numbers(&mut self, script: &Script, effort: u64) -> Answer {
        let limit = effort.min(self.budget.saturating_mul(1000)).saturating_mul(1000);
        in_turn(limit, |way, limit| {
            with_z3_config(&Config::new(), || {
                let mut arithmetic = Params::new();
                arithmetic.set_u32("arith.solver", way.solver);
                arithmetic.set_u32("random_seed", way.seed);
                self.ask(script, limit, &told(&NUMBERS, "smt", &arithmetic))
            })
        })
    }

    fn name(&self) -> String {
        let version =
            z3::full_version().split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        format!("z3 {} in process", version.unwrap_or_default())
    }

    fn limits(&self) -> String {
        format!("rlimit {} million", self.budget)
    }
}

impl NativeZ3 {
    fn within(self, script: &Script, limit: u64) -> Answer {
        let question = &script.question;
        if question.definitions.is_empty() {
            // A question that is text alone.
            return with_z3_config(&Config::new(), || self.ask(script, limit, &z3::Solver::new()));
        }
        if question.products() > limit {
            return short();
        }
        let width_of = |t: TermId| question.definitions[t.0 as usize].1;
        let is_bits = |(node, width): &(Node, u32)| application(node, *width, &width_of).is_none();
        // The bits of a long division are so many that they are not taken twice.
        let divides = |(node, width): &(Node, u32)| {
            use BinaryOp::{SDiv, SRem, UDiv, URem};
            *width >= 64 && matches!(node, Node::Binary(UDiv | URem | SDiv | SRem, ..))
        };
        let few = question.ties.is_empty() && !question.definitions.iter().any(divides);
        if few && question.definitions.iter().all(is_bits) {
            let answer = with_z3_config(&Config::new(), || {
                self.ask(script, limit / SHARE, &blasted(&["simplify", "solve-eqs", "bit-blast", "sat"]))
            });
            if !matches!(answer, Answer::Unknown(_)) {
                return answer;
            }
        }
        with_z3_config(&Config::new(), || self.ask(script, limit, &z3::Solver::new()))
    }

    fn ask(self, script: &Script, limit: u64, solver: &z3::Solver) -> Answer {
        let mut params = Params::new();
        params.set_u32("rlimit", limit.min(u64::from(u32::MAX)) as u32);
        crate::limit::look();
        let most = crate::limit::milliseconds(self.timeout.saturating_mul(1000));
        params.set_u32("timeout", most.min(u64::from(u32::MAX - 1)) as u32);
        solver.set_params(&params);
        let started = std::time::Instant::now();
        let (terms, assertions) = built(&script.question);
        for a in &assertions {
            solver.assert(a);
        }
        if script.question.definitions.is_empty() {
            solver.from_string(script.text.as_str());
            // It does not tell when it cannot read a text.
            let asserted = script.text.lines().filter(|l| l.starts_with("(assert ")).count();
            if solver.get_assertions().len() != asserted {
                return Answer::Unknown("solver: it cannot read the question".into());
            }
        }
        match solver.check() {
            SatResult::Unsat => Answer::Unsat,
            SatResult::Sat => {
                let Some(model) = solver.get_model() else {
                    return Answer::Unknown("solver: it has no model".into());
                };
                let mut values = BTreeMap::new();
                for (i, (node, _)) in script.question.definitions.iter().enumerate() {
                    if !node.is_free() {
                        continue;
                    }
                    let name = format!("t{i}");
                    let value = model.eval(&terms[i], true).and_then(|v| number(&v));
                    match (script.symbols.get(&name), value) {
                        (Some(term), Some(bits)) => values.insert(*term, bits),
                        _ => return Answer::Unknown("solver: its model cannot be read".into()),
                    };
                }
                Answer::Sat(values)
            }
            SatResult::Unknown if started.elapsed().as_secs() >= self.timeout => {
                Answer::Unknown("time".into())
            }
            SatResult::Unknown => short(),
        }
    }
}

/// The bits of a numeral, in halves of at most 64 bits.
fn number(value: &BV) -> Option<u128> {
    let width = value.get_size();
    if width <= 64 {
        return value.as_u64().map(u128::from);
    }
    let part = |high, low| value.extract(high, low).simplify().as_u64().map(u128::from);
    Some(part(width - 1, 64)? << 64 | part(63, 0)?)
}

fn constant(bits: u128, width: u32) -> BV {
    if width <= 64 {
        return BV::from_u64(bits as u64, width);
    }
    BV::from_u64((bits >> 64) as u64, width - 64).concat(BV::from_u64(bits as u64, 64))
}

/// One bit for a condition.
fn bit(condition: &Bool) -> BV {
    condition.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1))
}

fn holds(bit: &BV) -> Bool {
    bit.eq(BV::from_u64(1, 1))
}

/// The terms of a question, and what is asserted.
fn built(question: &Question) -> (Vec<BV>, Vec<Bool>) {
    let mut terms: Vec<BV> = Vec::with_capacity(question.definitions.len());
    let mut functions: BTreeMap<String, FuncDecl> = BTreeMap::new();
    let width_of = |t: TermId| question.definitions[t.0 as usize].1;
    for (i, (node, width)) in question.definitions.iter().enumerate() {
        let made = match application(node, *width, &width_of) {
            Some(function) => {
                let declared = functions.entry(function.name.clone()).or_insert_with(|| {
                    let sorts: Vec<Sort> = function.widths.iter().map(|w| Sort::bitvector(*w)).collect();
                    let sorts: Vec<&Sort> = sorts.iter().collect();
                    FuncDecl::new(function.name.clone(), &sorts, &Sort::bitvector(*width))
                });
                let operands = node.operands();
                let arguments: Vec<&dyn Ast> =
                    operands.iter().map(|o| &terms[o.0 as usize] as &dyn Ast).collect();
                declared.apply(&arguments).as_bv().expect("its range is a bit-vector")
            }
            None => expression(node, *width, i, &terms),
        };
        terms.push(made);
    }
    let mut assertions = Vec::new();
    for tie in &question.ties {
        let memory = functions.entry(tie.memory.clone()).or_insert_with(|| {
            FuncDecl::new(tie.memory.clone(), &[&Sort::bitvector(64)], &Sort::bitvector(8))
        });
        for i in 0..8u32 {
            let at = tie.offset.wrapping_add(i64::from(i)) as u64;
            let address = terms[tie.base.0 as usize].bvadd(BV::from_u64(at, 64));
            let byte = memory.apply(&[&address]).as_bv().expect("its range is a bit-vector");
            assertions.push(terms[tie.variable.0 as usize].extract(8 * i + 7, 8 * i).eq(byte));
        }
    }
    assertions.extend(question.asserted.iter().map(|a| holds(&terms[a.0 as usize])));
    (terms, assertions)
}

fn expression(node: &Node, width: u32, index: usize, terms: &[BV]) -> BV {
    let of = |t: &TermId| &terms[t.0 as usize];
    match node {
        Node::Constant(bits) => constant(*bits, width),
        Node::Unary(UnaryOp::Not, a) => of(a).bvnot(),
        Node::Unary(UnaryOp::Neg, a) => of(a).bvneg(),
        Node::Unary(UnaryOp::Popcount, a) => {
            let one = |i: u32| of(a).extract(i, i).zero_ext(width - 1);
            (1..width).fold(one(0), |sum, i| sum.bvadd(one(i)))
        }
        Node::Unary(UnaryOp::LeadingZeros, a) => (0..width).fold(constant(width.into(), width), |rest, i| {
            holds(&of(a).extract(i, i)).ite(&constant((width - 1 - i).into(), width), &rest)
        }),
        Node::Unary(UnaryOp::Reverse, a) => {
            (1..width).fold(of(a).extract(0, 0), |all, i| all.concat(of(a).extract(i, i)))
        }
        Node::Binary(op, a, b) => binary(*op, of(a), of(b)),
        Node::Compare(op, a, b) => {
            let (a, b) = (of(a), of(b));
            bit(&match op {
                CompareOp::Eq => a.eq(b),
                CompareOp::ULt => a.bvult(b),
                CompareOp::ULe => a.bvule(b),
                CompareOp::SLt => a.bvslt(b),
                CompareOp::SLe => a.bvsle(b),
            })
        }
        Node::Extract { low, a } => of(a).extract(low + width - 1, *low),
        Node::Concat(h, l) => of(h).concat(of(l)),
        Node::Zext(a) => of(a).zero_ext(width - of(a).get_size()),
        Node::Sext(a) => of(a).sign_ext(width - of(a).get_size()),
        Node::Ite(c, a, b) => holds(of(c)).ite(of(a), of(b)),
        // What is free; what is uninterpreted was applied.
        _ => BV::new_const(format!("t{index}"), width),
    }
}

fn binary(op: BinaryOp, a: &BV, b: &BV) -> BV {
    match op {
        BinaryOp::Add => a.bvadd(b),
        BinaryOp::Sub => a.bvsub(b),
        BinaryOp::Mul => a.bvmul(b),
        BinaryOp::UDiv => a.bvudiv(b),
        BinaryOp::URem => a.bvurem(b),
        BinaryOp::SDiv => a.bvsdiv(b),
        BinaryOp::SRem => a.bvsrem(b),
        BinaryOp::And => a.bvand(b),
        BinaryOp::Or => a.bvor(b),
        BinaryOp::Xor => a.bvxor(b),
        BinaryOp::Shl => a.bvshl(b),
        BinaryOp::LShr => a.bvlshr(b),
        BinaryOp::AShr => a.bvashr(b),
    }
}
