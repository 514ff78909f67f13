use super::local::Local;
use super::*;
use crate::normal::rows::ROWS;
use crate::smt::Script;
use sassafras_execute::order::hash;
use sassafras_semantics::{Concrete, Domain, Terms};

/// Decides by trying all inputs of at most 16 bits, and knows nothing otherwise: `ask` has to give the same answers.
struct Trying {
    most: u32,
}

impl Solver for Trying {
    fn check(&mut self, script: &Script) -> Answer {
        let q = &script.question;
        let free: Vec<usize> = (0..q.definitions.len()).filter(|i| q.definitions[*i].0.is_free()).collect();
        let bits: u32 = free.iter().map(|i| q.definitions[*i].1).sum();
        if bits > self.most || !q.ties.is_empty() {
            return Answer::Unknown("it is too large".into());
        }
        let home = Concrete::default();
        for input in 0..1u128 << bits {
            let (mut at, mut values) = (0, Vec::new());
            let mut model = std::collections::BTreeMap::new();
            for (i, (node, width)) in q.definitions.iter().enumerate() {
                let value = if node.is_free() {
                    let value = sassafras_semantics::Bits::new(*width, input >> at);
                    at += width;
                    model.insert(script.symbols[&format!("t{i}")], value.bits());
                    value
                } else {
                    let operands: Vec<_> = node.operands().iter().map(|o| values[o.0 as usize]).collect();
                    Terms::apply(&home, node, *width, &operands)
                };
                values.push(value);
            }
            if q.asserted.iter().all(|a| values[a.0 as usize].is_true()) {
                return Answer::Sat(model);
            }
        }
        Answer::Unsat
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        match hash(effort, &[script.text.len() as u64]) % 2 {
            0 => Answer::Unknown("it is tired".into()),
            _ => self.check(script),
        }
    }
}

#[test]
fn answers_are_those_of_the_whole_question() {
    let (mut sat, mut unsat) = (0, 0);
    for row in ROWS {
        for wrong in 0..3 {
            let terms = Terms::raw();
            let inputs = Inputs::raw(&terms);
            for law in (row.laws)(&terms, row.widths[0]) {
                let width = terms.width_of(law.right);
                let right = match wrong {
                    0 => law.right,
                    1 => terms.add(&law.right, &terms.constant(width, 1)),
                    _ => terms.ite(
                        &terms.eq(&law.left, &terms.constant(width, 1)),
                        &terms.not(&law.right),
                        &law.right,
                    ),
                };
                let differ = terms.not(&terms.eq(&law.left, &right));
                let other = terms.eq(&terms.variable("aside", 2), &terms.constant(2, 3));
                let mut assumptions: Vec<TermId> = law.given.into_iter().collect();
                assumptions.push(other);
                let mut solver = Trying { most: 16 };
                let answer =
                    ask(&inputs, &assumptions, Violated { normal: differ, executed: differ }, &mut solver);
                let mut all = assumptions.clone();
                all.push(differ);
                let whole = solver.check(&crate::smt::script(&inputs, &all));
                match (answer, whole) {
                    (Answer::Unsat, Answer::Unsat) => unsat += 1,
                    (Answer::Sat(model), Answer::Sat(_)) => {
                        sat += 1;
                        let value = |t: TermId| model.get(&t).copied().unwrap_or(0);
                        let holds = |t: &TermId| terms.evaluate(&Concrete::default(), *t, value).is_true();
                        assert!(all.iter().all(holds), "{} {wrong}", row.name);
                    }
                    (a, b) => panic!("{} {wrong}: {a:?}, not {b:?}", row.name),
                }
            }
        }
    }
    assert!(sat > 80 && unsat > 80, "{sat} {unsat}");
}

#[test]
fn a_rebuilt_question_has_the_same_values() {
    for row in ROWS {
        let terms = Terms::raw();
        let inputs = Inputs::raw(&terms);
        for law in (row.laws)(&terms, row.widths[row.widths.len() - 1]) {
            let differ = terms.not(&terms.eq(&law.left, &law.right));
            let sum =
                terms.eq(&terms.sub(&law.left, &law.right), &terms.constant(terms.width_of(law.left), 1));
            for violated in [differ, sum, terms.and(&sum, &terms.not(&differ))] {
                let local = Local::new(&inputs, &[], violated);
                let parts = local.parts(local.violated);
                for seed in 0..16 {
                    let home = Concrete::default();
                    let of = |name: String| {
                        let text: Vec<u64> = name.bytes().map(u64::from).collect();
                        u128::from(hash(seed, &text)) % [2, 5, u128::MAX][seed as usize % 3]
                    };
                    let left = terms.evaluate(&home, violated, |v| of(v.to_string())).is_true();
                    let name = |v| match local.terms.node(v) {
                        sassafras_semantics::term::Node::Variable(n) => local.terms.name(n),
                        other => panic!("{other:?} is free"),
                    };
                    let value = |t: TermId| local.terms.evaluate(&home, t, |v| of(name(v))).is_true();
                    assert_eq!(left, value(local.violated), "{}", row.name);
                    assert_eq!(left, parts.iter().any(|p| value(*p)), "{}", row.name);
                }
            }
        }
    }
}
