//! The left side of a rule: what the matched operations of the IR mean.

use super::instance::{How, Instance, Node, Operand};
use super::symbols::Symbols;
use super::world::{Event, given, inside, product, value, window};
use sassafras_ir::{Op, Type};
use sassafras_semantics::state::{BarrierMode, VoteMode};
use sassafras_semantics::{Access, Collective, CompareOp, Domain, Space, TermId, Terms};

/// What a side computes and does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effect {
    /// Results in order; none for one that the side does not give.
    pub results: Vec<Option<TermId>>,
    /// Events in order.
    pub events: Vec<Event>,
    /// What may be taken for granted, one bit each.
    pub assumed: Vec<TermId>,
}

/// The effect of the matched operations; `None` for one that has no meaning here.
pub fn effect(terms: &Terms, instance: &Instance) -> Option<Effect> {
    let mut effect = Effect::default();
    for (name, (width, how)) in &instance.operands {
        if *how == How::Byte {
            let value = value(terms, instance, name)?;
            effect.assumed.push(terms.compare(CompareOp::ULt, &value, &terms.constant(*width, 256)));
        }
    }
    effect.results = node(terms, instance, &instance.root, &mut effect)?.into_iter().map(Some).collect();
    Some(effect)
}

fn node(terms: &Terms, instance: &Instance, node_: &Node, effect: &mut Effect) -> Option<Vec<TermId>> {
    let mut args = Vec::new();
    for (i, (arg, &width)) in node_.args.iter().zip(&node_.shape.args).enumerate() {
        args.push(match arg {
            Operand::Free(Some(name)) => value(terms, instance, name)?,
            Operand::Free(None) => terms.variable(&format!("arg{i}"), width),
            Operand::Integer(n) => terms.constant(width, *n as u128),
            Operand::Node(inner) => *node(terms, instance, inner, effect)?.first()?,
        });
    }
    let shape = &node_.shape;
    let types: Vec<Type> = shape.results.iter().map(|&w| Type(w as u8)).collect();
    let d = Symbols { terms, marks: Vec::new(), undefined: Default::default() };
    if let Some(results) = sassafras_ir::evaluate(&d, &shape.op, &args, &types) {
        return Some(results);
    }
    memory(terms, &shape.op, &args, &shape.results, effect)
        .or_else(|| lanes(terms, &shape.op, &args, &shape.results, effect))
}

/// An address with its offset.
fn place(terms: &Terms, address: TermId, offset: i32) -> TermId {
    let width = terms.width(&address);
    terms.add(&address, &terms.constant(width, offset as i128 as u128))
}

fn memory(
    terms: &Terms,
    op: &Op,
    args: &[TermId],
    results: &[u32],
    effect: &mut Effect,
) -> Option<Vec<TermId>> {
    let index = effect.events.len();
    Some(match op {
        Op::Load(a) => {
            let bytes = u32::from(a.bytes) * u32::from(a.lanes);
            let access = Access { space: a.space, bytes, ordering: a.ordering, scope: a.scope };
            effect.events.push(Event::Load(access, place(terms, args[0], a.offset)));
            let all = given(terms, index, "loaded", 8 * bytes);
            let each = 8 * u32::from(a.bytes);
            let element = |(i, &w): (usize, &u32)| {
                let part = terms.extract(&all, i as u32 * each, each);
                if a.signed { terms.sext(&part, w) } else { terms.zext(&part, w) }
            };
            results.iter().enumerate().map(element).collect()
        }
        Op::Store(a) => {
            let bytes = u32::from(a.bytes) * u32::from(a.lanes);
            let access = Access { space: a.space, bytes, ordering: a.ordering, scope: a.scope };
            let stored = elements(terms, &args[1..], 8 * u32::from(a.bytes))?;
            effect.events.push(Event::Store(access, place(terms, args[0], a.offset), stored));
            Vec::new()
        }
        Op::Atomic { op, access: a } => {
            let bytes = u32::from(a.bytes);
            let access = Access { space: a.space, bytes, ordering: a.ordering, scope: a.scope };
            let operands = args[1..].iter().map(|v| terms.extract(v, 0, 8 * bytes)).collect();
            effect.events.push(Event::Atomic(access, *op, place(terms, args[0], a.offset), operands));
            let old = given(terms, index, "old", 8 * bytes);
            results.iter().map(|&w| terms.zext(&old, w)).collect()
        }
        Op::Fence(ordering, scope) => {
            effect.events.push(Event::Fence(*ordering, *scope));
            Vec::new()
        }
        Op::ToGeneric(space) => {
            // An address in a window of 32 bits is one (A-ADDR).
            if *space != Space::Global {
                let high = terms.extract(&args[0], 32, 32);
                effect.assumed.push(terms.eq(&high, &terms.constant(32, 0)));
            }
            vec![terms.add(&args[0], &window(terms, *space))]
        }
        Op::FromGeneric(space) => {
            // A generic address that is converted lies in the window (PTX ISA, cvta): 2³² bytes at most.
            let offset = terms.sub(&args[0], &window(terms, *space));
            if *space != Space::Global {
                let end = terms.constant(64, 1 << 32);
                effect.assumed.push(terms.compare(CompareOp::ULt, &offset, &end));
            }
            vec![offset]
        }
        Op::IsSpace(space) => vec![inside(terms, *space, args[0])],
        Op::Opaque(op) => {
            effect.events.push(Event::Opaque(*op, args.to_vec()));
            let result = |(i, &w): (usize, &u32)| given(terms, index, &format!("result{i}"), w);
            results.iter().enumerate().map(result).collect()
        }
        Op::Nanosleep => {
            effect.events.push(Event::Pause);
            Vec::new()
        }
        _ => return None,
    })
}

/// The low `each` bits of every value, the first lowest.
pub fn elements(terms: &Terms, values: &[TermId], each: u32) -> Option<TermId> {
    let low = |v: &TermId| terms.extract(v, 0, each);
    values.iter().map(low).reduce(|all, next| terms.concat(&next, &all))
}

fn lanes(
    terms: &Terms,
    op: &Op,
    args: &[TermId],
    results: &[u32],
    effect: &mut Effect,
) -> Option<Vec<TermId>> {
    let index = effect.events.len();
    // How many arguments come before the member mask.
    if *op == Op::ActiveMask {
        // The ballot of a vote is the mask of the lanes that take part and whose predicate holds.
        effect.events.push(Event::Collective(Collective::Vote(VoteMode::Any), vec![terms.yes()]));
        return Some(vec![given(terms, index, "result0", 32)]);
    }
    if let Some(results) = matrices(terms, op, args, results, effect) {
        return Some(results);
    }
    let (collective, own) = match op {
        Op::Shuffle(mode) => (Collective::Shuffle(*mode), 3),
        // The ballot comes with every mode.
        Op::Vote(VoteMode::Ballot) => (Collective::Vote(VoteMode::Any), 1),
        Op::Vote(mode) => (Collective::Vote(*mode), 1),
        Op::Match { all } => (Collective::Match { all: *all }, 1),
        Op::Redux(op) => (Collective::Redux(*op), 1),
        Op::Elect => (Collective::Elect, 0),
        Op::WarpSync => (Collective::WarpSync, 1),
        Op::Barrier { mode, .. } => {
            // Of other numbers and counts the source is undefined (PTX ISA, "bar"; the prover's `undefined_barrier`).
            for (&operand, end) in args.iter().zip([16, 1025]) {
                effect.assumed.push(terms.compare(CompareOp::ULt, &operand, &terms.constant(32, end)));
            }
            // Without a reduction the predicate means nothing.
            (Collective::Barrier(*mode), if results.is_empty() { 2 } else { 3 })
        }
        _ => return None,
    };
    effect.events.push(Event::Collective(collective, args[..own].to_vec()));
    let name = |i: usize| match (op, i) {
        (Op::Barrier { mode: BarrierMode::Popc, .. }, _) => "count".to_owned(),
        (Op::Barrier { .. }, _) => "decision".to_owned(),
        _ => format!("result{i}"),
    };
    Some(results.iter().enumerate().map(|(i, &w)| given(terms, index, &name(i), w)).collect())
}

/// Matrix operations: every register of an operand is an argument, every register of the result a result.
fn matrices(
    terms: &Terms,
    op: &Op,
    args: &[TermId],
    results: &[u32],
    effect: &mut Effect,
) -> Option<Vec<TermId>> {
    let index = effect.events.len();
    let split = |v: TermId, each: u32| {
        (0..terms.width(&v) / each).map(move |n| terms.extract(&v, n * each, each)).collect::<Vec<_>>()
    };
    let (collective, arguments, each) = match op {
        Op::Mma(m) => {
            let widths = [m.a, m.b, m.c].map(|e| e.register());
            let all = args.iter().zip(widths).flat_map(|(&v, w)| split(v, w)).collect();
            (Collective::Mma(*m), all, m.d.register())
        }
        Op::MatrixLoad(m) => (Collective::MatrixLoad(*m), args.to_vec(), 32),
        Op::MatrixStore(m) => {
            let words = args.iter().flat_map(|&v| split(v, 32)).collect();
            (Collective::MatrixStore(*m), words, 32)
        }
        Op::MatrixTranspose => (Collective::MatrixTranspose, args.to_vec(), 32),
        _ => return None,
    };
    let values = match collective {
        Collective::Mma(m) => product(terms, &m, &arguments, &mut effect.events),
        _ => None,
    };
    if let Some(values) = values {
        return Some(values.into_iter().reduce(|low, high| terms.concat(&high, &low)).into_iter().collect());
    }
    effect.events.push(Event::Collective(collective, arguments));
    Some(
        results
            .iter()
            .filter_map(|&w| {
                (0..w / each)
                    .map(|n| given(terms, index, &format!("result{n}"), each))
                    .reduce(|low, high| terms.concat(&high, &low))
            })
            .collect(),
    )
}
