//! Where a target does what a lemma says.

use super::code::{Code, code};
use super::form::{Lemma, Subject, Yield};
use super::lists::of_terms;
use super::unusable::Unusable;
use crate::inputs::Inputs;
use crate::trace::event::Event;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp, Concrete, Domain, TermId, Terms};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Where lemmas apply.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Their names.
    pub names: BTreeSet<&'static str>,
    /// What the target computes, and what it is.
    pub same: FxHashMap<TermId, TermId>,
}

/// The lemmas' code, read once.
fn codes() -> &'static [Result<Code, Unusable>] {
    static CODES: OnceLock<Vec<Result<Code, Unusable>>> = OnceLock::new();
    CODES.get_or_init(|| of_terms().map(|l| code(l.code)).collect())
}

/// What the target has computed of what lemmas compute from the operands that the source's events are made of. `computed`: what it
/// writes or does something with. What these are made of counts too, as values that paths bring together.
pub fn uses(inputs: &Inputs<'_>, source: &[Event], computed: &[TermId]) -> Uses {
    let d = inputs.terms;
    let mut found = Uses::default();
    let own = |e: &Event| [e.guard, e.address, e.value].into_iter().chain(e.arguments.clone());
    let roots: Vec<TermId> = source.iter().flat_map(own).collect();
    let all = d.topological(&roots);
    let subjects = |t: &TermId| of_terms().any(|l| l.subject.operands(d, *t).is_some());
    if all.iter().any(subjects) {
        let written: FxHashSet<TermId> = d.topological(computed).into_iter().collect();
        find(inputs, &all, (&written, &words(inputs, source)), &|_| true, &mut found);
    }
    found
}

/// The first of some lemmas whose code, on the operands of an operation, gives what the target has written.
pub fn written(
    inputs: &Inputs<'_>,
    operation: TermId,
    written: &FxHashSet<TermId>,
    which: &dyn Fn(&Lemma) -> bool,
) -> Option<&'static str> {
    let mut found = Uses::default();
    find(inputs, &[operation], (written, &FxHashSet::default()), which, &mut found);
    found.names.first().copied()
}

/// The words of what the source's events leave.
fn words(inputs: &Inputs<'_>, source: &[Event]) -> FxHashSet<TermId> {
    let of = |t: TermId| {
        let width = inputs.terms.width_of(t);
        let lows = (0..width).step_by(32);
        lows.map(move |low| inputs.normal.bits(t, low, (width - low).min(32)))
    };
    source.iter().flat_map(|e| of(inputs.normal.of(e.value))).collect()
}

/// What the target has written of what some lemmas compute of operations. What the source leaves as it is (`kept`) stays: a choice between two
/// quotients is the quotient of either way, and the source's own.
fn find(
    inputs: &Inputs<'_>,
    operations: &[TermId],
    (written, kept): (&FxHashSet<TermId>, &FxHashSet<TermId>),
    which: &dyn Fn(&Lemma) -> bool,
    found: &mut Uses,
) {
    let d = inputs.terms;
    let lemmas = || of_terms().enumerate().filter(|(_, l)| which(l));
    let subjects = operations.iter().flat_map(|t| lemmas().map(move |l| (*t, l)));
    let wanted = subjects.filter_map(|(t, (i, l))| Some((t, i, l, l.subject.operands(d, t)?)));
    let open = open(d, written);
    // What each term is by, and whether the target has asked what its lemma asks.
    let mut by: FxHashMap<TermId, (&'static str, bool)> = FxHashMap::default();
    for (subject, i, lemma, operands) in wanted {
        let Some(Ok(code)) = codes().get(i) else { continue };
        let before = count(d);
        let Ok(results) = code.results(lemma, inputs, &operands) else { continue };
        let own: Vec<TermId> = d.free(&results.iter().map(|r| r.2).collect::<Vec<_>>());
        let own: Vec<TermId> =
            own.into_iter().filter(|u| serial(d, *u).is_some_and(|s| s >= before)).collect();
        // What the code may answer freely the target answers in its own way.
        let choices: Vec<Option<TermId>> = match own.len() {
            0 => vec![None],
            1 => open.iter().copied().map(Some).collect(),
            _ => continue,
        };
        // Of a constant a compiler may have asked the unit itself: the nearest answer is one that it may give.
        let answered = answered(d, &results, &|a| d.as_constant(&a));
        let both = [false, true].into_iter().filter(|known| !known || !answered.is_empty());
        for (choice, known) in choices.iter().flat_map(|c| both.clone().map(move |k| (c, k))) {
            let mut as_there: FxHashMap<TermId, TermId> = own.iter().copied().zip(*choice).collect();
            if known {
                as_there.extend(&answered);
            }
            if !as_there.is_empty() {
                inputs.normal.replace(&as_there);
            }
            // Where the lemma says nothing, by the answers that the target has.
            let unless = results.iter().find(|r| r.0 == Yield::Unless).map(|r| inputs.normal.of(r.2));
            let is_there = |t: &TermId| d.as_constant(t).is_some() || written.contains(t);
            if choice.is_some() && !unless.iter().all(is_there) {
                inputs.normal.replace(&FxHashMap::default());
                continue;
            }
            let asked = unless.is_none_or(|u| is_there(&u) || is_there(&inputs.normal.of(d.not(&u))));
            // What the results are where the lemma says something is as good: paths may be known not to come elsewhere.
            let says = unless.map(|u| inputs.normal.of(d.not(&u)));
            let all = results.iter().filter(|r| r.0 != Yield::Unless).flat_map(|(which, word, term)| {
                let term = inputs.normal.of(*term);
                let there = says.map(|s| inputs.normal.given(term, s)).filter(|t| *t != term);
                let whole = [Some(term), there].into_iter().flatten().map(|t| (t, unless));
                let sides = sides(d, term).filter(|_| unless.is_none() && !written.contains(&term));
                let sides = sides.into_iter().flatten().map(|(t, u)| (t, Some(inputs.normal.of(u))));
                whole.chain(sides).map(|(t, u)| (*which, *word, t, u)).collect::<Vec<_>>()
            });
            for (which, word, term, unless) in all.collect::<Vec<_>>() {
                if written.contains(&term)
                    && !(lemma.subject.is_partial() && kept.contains(&term))
                    && d.as_constant(&term).is_none()
                    && by.get(&term).is_none_or(|(_, before)| asked && !before)
                {
                    let word = |whole: TermId| {
                        let low = 32 * word;
                        let part = d.extract(&whole, low, (d.width_of(whole) - low).min(32));
                        inputs.normal.of(d.zext(&part, 32))
                    };
                    let is =
                        word(value(inputs, lemma, lemma.subject.whole(d, subject), &operands, which, unless));
                    // What is the operation already stays.
                    if is != term && term != word(lemma.subject.whole(d, subject)) {
                        found.same.insert(term, is);
                        by.insert(term, (lemma.name, asked));
                    }
                }
            }
            if !as_there.is_empty() {
                inputs.normal.replace(&FxHashMap::default());
            }
        }
    }
    found.names.extend(by.values().map(|(name, _)| *name));
}

/// The results of the two paths of code that ends where they join, each with where the lemma says nothing of it: a target may join them with a third
/// path. Each of them asks the unit: what else is chosen at the end of code, such as the quotient of zero, is a part of one path, and a target that
/// has it has the path as a whole.
fn sides(d: &Terms, term: TermId) -> Option<[(TermId, TermId); 2]> {
    let asks =
        |t: TermId| d.topological(&[t]).into_iter().any(|t| matches!(d.node(t), Node::Approximate { .. }));
    match d.node(term) {
        Node::Ite(condition, yes, no) if asks(yes) && asks(no) => {
            Some([(yes, d.not(&condition)), (no, condition)])
        }
        _ => None,
    }
}

/// The unit's answers for constants, to nearest.
fn answered(
    d: &Terms,
    results: &[(Yield, u32, TermId)],
    value: &dyn Fn(TermId) -> Option<u128>,
) -> FxHashMap<TermId, TermId> {
    let order = d.topological(&results.iter().map(|r| r.2).collect::<Vec<_>>());
    let of = |t: TermId| match d.node(t) {
        Node::Approximate { function, ftz, a } => {
            let home = Concrete::default();
            let operand = home.constant(d.width_of(a), value(a)?);
            Some((t, d.constant(d.width_of(t), home.approximate(function, ftz, &operand).bits())))
        }
        _ => None,
    };
    order.into_iter().filter_map(of).collect()
}

/// A term with other ones in the place of some.
fn replaced(d: &Terms, term: TermId, by: &FxHashMap<TermId, TermId>) -> TermId {
    let mut done = by.clone();
    for t in d.topological(&[term]) {
        if !done.contains_key(&t) {
            let node = d.node(t);
            let new =
                if node.operands().is_empty() { t } else { d.make(node.map(|o| done[&o]), d.width_of(t)) };
            done.insert(t, new);
        }
    }
    done[&term]
}

/// What the target may answer freely.
fn open(d: &Terms, written: &FxHashSet<TermId>) -> Vec<TermId> {
    let roots: Vec<TermId> = written.iter().copied().collect();
    d.free(&roots).into_iter().filter(|t| serial(d, *t).is_some()).collect()
}

/// The number of an undefined value.
fn serial(d: &Terms, t: TermId) -> Option<u32> {
    match d.node(t) {
        Node::Undef { serial, .. } => Some(serial),
        _ => None,
    }
}

/// The number of the next undefined value.
fn count(d: &Terms) -> u32 {
    crate::ptx::choose::count(d)
}

/// How names of what stands for any value begin.
const OPEN: &str = "lemma ";

/// Whether a term is any value, as of a result of which a lemma says nothing, or bits of one.
pub fn is_open(d: &Terms, t: TermId) -> bool {
    match d.node(t) {
        Node::Extract { a, .. } => is_open(d, a),
        Node::Variable(number) => d.name(number).starts_with(OPEN),
        _ => false,
    }
}

/// What a lemma says that a result is. A quotient by zero may be anything, the same for the same operands.
fn value(
    inputs: &Inputs<'_>,
    lemma: &Lemma,
    subject: TermId,
    operands: &[TermId],
    which: Yield,
    unless: Option<TermId>,
) -> TermId {
    let d = inputs.terms;
    let width = d.width_of(subject);
    let value = match which {
        Yield::Result => subject,
        Yield::Remainder => d.binary(BinaryOp::URem, &operands[0], &operands[1]),
        Yield::Unless => return subject,
    };
    // Of what may be anything the operation's own name suffices where there is no condition but a divisor of zero.
    let zero = || d.eq(&operands[1], &d.constant(width, 0));
    let (name, unless) = match (unless, lemma.subject.is_partial()) {
        (None, false) => return value,
        (None, true) => (format!("{OPEN}{} {which:?} {subject}", lemma.name), zero()),
        (Some(unless), false) => (format!("{OPEN}{} {subject}", lemma.name), unless),
        (Some(unless), true) => {
            (format!("{OPEN}{} {which:?} {subject} unless {unless}", lemma.name), d.or(&unless, &zero()))
        }
    };
    if d.as_constant(&inputs.normal.of(unless)) == Some(0) {
        return value;
    }
    d.ite(&unless, &inputs.variable(&name, width, false), &value)
}

/// What a lemma says of the operations that raw terms of the source are made of, one bit each; `open` is what the target may
/// answer freely.
///
/// # Errors
/// Code that cannot be run.
pub fn said(
    inputs: &Inputs<'_>,
    lemma: &Lemma,
    source: &[TermId],
    open: &[TermId],
) -> Result<Vec<TermId>, Unusable> {
    let d = inputs.terms;
    let code = code(lemma.code)?;
    let mut all = Vec::new();
    for subject in d.topological(source) {
        let Some(operands) = lemma.subject.raw(d, subject) else { continue };
        let whole = |which| match (lemma.subject, which) {
            (Subject::Quotient(_), Yield::Result) => d.binary(BinaryOp::UDiv, &operands[0], &operands[1]),
            (_, Yield::Result | Yield::Unless) => lemma.subject.whole(d, subject),
            (_, Yield::Remainder) => d.binary(BinaryOp::URem, &operands[0], &operands[1]),
        };
        let fits = match lemma.subject.is_partial() {
            true => d.not(&d.eq(&operands[1], &d.constant(d.width_of(operands[1]), 0))),
            false => d.yes(),
        };
        // As many times as the target has free answers, each time with another of them.
        for k in 0..open.len().max(1) {
            let before = count(d);
            let mut results = code.results(lemma, inputs, &operands)?;
            // What the lemma says of every answer that the unit may give it says of the nearest too.
            let answered = answered(d, &results, &|a| inputs.settled(a));
            if !answered.is_empty() {
                let there = results.iter().map(|r| (r.0, r.1, replaced(d, r.2, &answered)));
                results.extend(there.collect::<Vec<_>>());
            }
            let own = d.free(&results.iter().map(|r| r.2).collect::<Vec<_>>());
            let own: Vec<TermId> =
                own.into_iter().filter(|u| serial(d, *u).is_some_and(|s| s >= before)).collect();
            for results in results.chunks(lemma.yields.iter().map(|y| y.0.len()).sum()) {
                let unless = results.iter().find(|r| r.0 == Yield::Unless);
                let fits = unless.map_or(fits, |u| d.not(&u.2));
                for (which, word, term) in results.iter().filter(|r| r.0 != Yield::Unless) {
                    let whole = whole(*which);
                    let low = 32 * word;
                    let part = d.zext(&d.extract(&whole, low, (d.width_of(whole) - low).min(32)), 32);
                    all.push(d.or(&d.not(&fits), &d.eq(term, &part)));
                }
            }
            match (own.first(), open.get(k)) {
                (Some(own), Some(open)) if d.width_of(*own) == d.width_of(*open) => all.push(d.eq(own, open)),
                (Some(_), _) => {}
                (None, _) => break,
            }
        }
    }
    Ok(all)
}
