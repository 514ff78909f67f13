//! Solvers give the same answers; answers that are kept are the answers that were given.

#![allow(missing_docs)]

mod common;

use common::z3;
use sassafras_normal::normal::rows::ROWS;
use sassafras_semantics::*;
use sassafras_solve::smt::{Script, script};
use sassafras_solve::{Answer, Solver};
use sassafras_solvers::{Bitwuzla, Both, Cache, Kept};
use std::collections::BTreeMap;

/// Laws of the normal form, asked as they are and with another right side; and questions about uninterpreted functions.
fn questions() -> Vec<(String, Terms, Vec<TermId>)> {
    let mut all = Vec::new();
    for row in ROWS {
        let width = row.widths[row.widths.len() / 2].min(16);
        for wrong in [false, true] {
            let terms = Terms::raw();
            let law = (row.laws)(&terms, width)[0];
            let right = if wrong { terms.not(&law.right) } else { law.right };
            let differ = terms.not(&terms.eq(&law.left, &right));
            let asked = [Some(differ), law.given].into_iter().flatten().collect();
            all.push((format!("{} {wrong}", row.name), terms, asked));
        }
    }
    for wrong in [false, true] {
        let t = Terms::raw();
        let (x, y) = (t.variable("x", 32), t.variable("y", 32));
        let sum =
            |a: &TermId, b: &TermId| t.float(FloatOp::Add, FloatFormat::F32, FloatMode::default(), &[a, b]);
        let same = if wrong { t.yes() } else { t.eq(&x, &y) };
        let differ = t.not(&t.eq(&sum(&x, &y), &sum(&y, &x)));
        all.push((format!("float {wrong}"), t, vec![same, differ]));
    }
    let t = Terms::raw();
    let x = t.variable("x", 128);
    let low = t.extract(&x, 0, 8);
    let (count, zeros) = (t.unary(UnaryOp::Popcount, &low), t.unary(UnaryOp::LeadingZeros, &x));
    let is = |a: &TermId, n| t.eq(a, &t.constant(t.width_of(*a), n));
    let turned = t.extract(&t.unary(UnaryOp::Reverse, &x), 0, 64);
    let asked = vec![is(&count, 5), is(&zeros, 0), is(&turned, 0x8000_0000_0000_0001)];
    all.push(("wide".into(), t, asked));
    all
}

/// Whether a model makes all assertions true; floats are functions that only the solver knows.
fn holds(terms: &Terms, asked: &[TermId], model: &BTreeMap<TermId, u128>) -> bool {
    let value = |t: TermId| model.get(&t).copied().unwrap_or(0);
    asked.iter().all(|a| terms.evaluate(&Concrete::default(), *a, value).is_true())
}

fn agree(first: &mut dyn Solver, second: &mut dyn Solver) {
    let (mut sat, mut unsat) = (0, 0);
    for (name, terms, asked) in questions() {
        let script = script(&terms, &[], &asked);
        let answers = [first.check(&script), second.check(&script)];
        match &answers {
            [Answer::Unsat, Answer::Unsat] => unsat += 1,
            [Answer::Sat(a), Answer::Sat(b)] => {
                sat += 1;
                let exact = !name.starts_with("float");
                assert!(!exact || holds(&terms, &asked, a) && holds(&terms, &asked, b), "{name}");
            }
            _ => panic!("{name}: {answers:?}"),
        }
    }
    eprintln!("{} and {}: {sat} sat, {unsat} unsat", first.name(), second.name());
    assert!(sat > 20 && unsat > 20, "{sat} {unsat}");
}

#[test]
fn bitwuzla_agrees_with_z3() {
    let test = "bitwuzla_agrees_with_z3";
    let Some(mut z3) = z3(test) else { return };
    let Some(mut bitwuzla) = Bitwuzla::find(&[&sassafras_oracle::workspace_root()], 20) else {
        sassafras_oracle::skip(test, &"bitwuzla is not installed");
        return;
    };
    assert!(bitwuzla.name().starts_with("bitwuzla 0."), "{}", bitwuzla.name());
    assert!(z3.name().starts_with("z3 5."), "{}", z3.name());
    agree(&mut z3, &mut bitwuzla);
}

#[cfg(feature = "z3")]
#[test]
fn z3_in_process_agrees_with_z3() {
    let Some(mut z3) = z3("z3_in_process_agrees_with_z3") else { return };
    let mut native = sassafras_solve::solver::NativeZ3 { budget: 30, timeout: 20 };
    assert!(native.name().starts_with("z3 5."), "{}", native.name());
    agree(&mut z3, &mut native);
}

/// Answers by a list.
struct Listed(Vec<Answer>);
impl Solver for Listed {
    fn check(&mut self, _: &Script) -> Answer {
        self.0.remove(0)
    }
    fn name(&self) -> String {
        "a list".into()
    }
}

fn question() -> (Terms, TermId) {
    let terms = Terms::raw();
    let x = terms.variable("x", 8);
    let is = terms.eq(&x, &terms.constant(8, 7));
    (terms, is)
}

#[test]
fn kept_answers_are_the_answers_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let (terms, is) = question();
    let x = terms.variable("x", 8);
    let script = script(&terms, &[], &[is]);
    let cache = |list: Vec<Answer>| Cache::new(Box::new(Listed(list)), folder.path().to_owned());
    // What is not known is not kept.
    let mut first = cache(vec![Answer::Unknown("time".into()), Answer::Sat(BTreeMap::from([(x, 7)]))]);
    assert_eq!(first.check(&script), Answer::Unknown("time".into()));
    let answer = first.check(&script);
    assert_eq!(answer, Answer::Sat(BTreeMap::from([(x, 7)])));
    assert_eq!((first.hits, first.misses), (0, 2));
    // Another run finds it, and asks nobody.
    let mut second = cache(Vec::new());
    assert_eq!(second.check(&script), answer);
    assert_eq!((second.hits, second.misses), (1, 0));
    // Every change of an entry makes it a miss.
    let entry = std::fs::read_dir(folder.path()).expect("entries").next().expect("one").expect("one").path();
    let entry = std::fs::read_dir(entry).expect("entries").next().expect("one").expect("one").path();
    let right = std::fs::read(&entry).expect("the entry");
    for at in 0..right.len() {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        std::fs::write(&entry, &wrong).expect("written");
        let mut third = cache(vec![Answer::Unsat]);
        assert_eq!(third.check(&script), Answer::Unsat, "byte {at}");
        assert_eq!(third.misses, 1);
    }
    for text in ["", "unsat", "unsat\n", "sat\n"] {
        std::fs::write(&entry, text).expect("written");
        assert_eq!(
            cache(vec![Answer::Unknown(String::new())]).check(&script),
            Answer::Unknown(String::new())
        );
    }
    // The entry of one question says nothing about another, even under its name.
    let other = sassafras_solve::smt::script(&terms, &[], &[terms.not(&is)]);
    assert_eq!(cache(vec![Answer::Unsat]).check(&other), Answer::Unsat);
    let text = std::fs::read(&entry).expect("the entry");
    let files = || {
        let folders = std::fs::read_dir(folder.path()).expect("folders").flatten();
        folders.flat_map(|f| std::fs::read_dir(f.path()).expect("a folder").flatten()).map(|f| f.path())
    };
    let theirs = files().find(|p| *p != entry).expect("the other entry");
    std::fs::write(&theirs, if text.is_empty() { right } else { text }).expect("written");
    assert_eq!(cache(vec![Answer::Unknown(String::new())]).check(&other), Answer::Unknown(String::new()));
}

#[test]
fn solvers_that_contradict_each_other_are_named() {
    let (terms, is) = question();
    let script = script(&terms, &[], &[is]);
    let model = Answer::Sat(BTreeMap::from([(terms.variable("x", 8), 7)]));
    let both = |a: &Answer, b: &Answer| {
        let list = |a: &Answer| Box::new(Listed(vec![a.clone()]));
        let mut both = Both::new(list(a), list(b));
        (both.check(&script), both.contradiction())
    };
    let tired = Answer::Unknown("tired".into());
    assert_eq!(both(&Answer::Unsat, &Answer::Unsat), (Answer::Unsat, None));
    assert_eq!(both(&model, &model), (model.clone(), None));
    assert_eq!(both(&model, &tired), (tired.clone(), None));
    assert_eq!(both(&tired, &Answer::Unsat), (tired.clone(), None));
    for (a, b) in [(&Answer::Unsat, &model), (&model, &Answer::Unsat)] {
        let (answer, contradiction) = both(a, b);
        assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
        assert!(contradiction.is_some_and(|c| c.contains("unsat")), "it is named");
    }
}

#[test]
fn questions_are_written_down() {
    let folder = tempfile::tempdir().expect("a folder");
    let (terms, is) = question();
    let mut kept = Kept::new(Box::new(Listed(vec![Answer::Unsat])), folder.path().to_owned());
    assert_eq!(kept.check(&script(&terms, &[], &[is])), Answer::Unsat);
    let text = std::fs::read_to_string(folder.path().join("question-0001.smt2")).expect("it is there");
    assert!(text.starts_with("; unsat") && text.ends_with("(check-sat)\n"), "{text}");
}
