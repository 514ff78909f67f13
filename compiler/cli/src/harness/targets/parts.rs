//! Checks of single parts: judges and algorithms without the pipeline around them.

use arbitrary::{Result, Unstructured};
use sassafras_check::graph::{Compared, compare};
use sassafras_check::{Verdict, ir};
use sassafras_chip::Chip;
use sassafras_codegen::{End, parallel_moves};
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use sassafras_generate::ptx::{Request, module};
use sassafras_graph::Graph;
use sassafras_isa::{FormId, RegClass, forms};
use sassafras_live as live;
use sassafras_machine::{Place, Pseudo, Reg};
use sassafras_semantics::{BinaryOp, Bits, Chooser, CompareOp, Concrete, Domain, Terms, UnaryOp};
use sassafras_solve::smt;
use sassafras_solve::solver::Answer;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

sassafras_graph::entity!(B, "b", "A block of a drawn graph.");

/// Every analysis of a drawn graph equals its definition: dominators of both directions, frontiers, loops, reducibility, critical edges, regions.
///
/// # Panics
/// When one differs.
pub fn domtree_loops(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let blocks = u.int_in_range(1..=24u32)?;
    let mut edges = Vec::new();
    for from in 0..blocks {
        // The entry is no successor.
        for _ in 0..u.int_in_range(0..=if blocks > 1 { 3u8 } else { 0 })? {
            let edge = (B(from), B(u.int_in_range(1..=blocks - 1)?));
            if !edges.contains(&edge) {
                edges.push(edge);
            }
        }
    }
    let graph = Graph::new(B(0), blocks as usize, edges.iter().copied());
    match compare(&graph) {
        Ok(Compared::Equal) => Ok("equal"),
        Ok(Compared::TooLarge) => panic!("a graph of {blocks} blocks is not compared"),
        Err(what) => panic!("{what}\n{edges:?}"),
    }
}

/// Moves that happen at once, put in sequence: each destination has its source's old value, and nothing else changes but the scratch registers.
///
/// # Panics
/// When something else does.
pub fn parallel_move(u: &mut Unstructured<'_>) -> Result<&'static str> {
    const SCRATCH: [u16; 2] = [40, 41];
    let registers = |class, n: u16| (0..n).map(move |i| End::Register(class, i));
    let mut ends: Vec<End> = registers(RegClass::R, u.int_in_range(1..=8)?).collect();
    // Without slots and predicates nothing needs a scratch register.
    let scratch = match u.arbitrary()? {
        true => {
            ends.extend((0..u.int_in_range(0..=4u32)?).map(|n| End::Slot(4 * n)));
            ends.extend(registers(RegClass::P, u.int_in_range(0..=3)?));
            Some(SCRATCH)
        }
        false => None,
    };
    let mut moves = Vec::new();
    for &dst in &ends {
        if u.ratio(2, 3)? {
            moves.push((dst, *u.choose(&ends)?));
        }
    }
    let scratches = SCRATCH.map(|n| End::Register(RegClass::R, n));
    let before: BTreeMap<End, usize> =
        ends.iter().copied().chain(scratches).enumerate().map(|(n, end)| (end, n)).collect();
    let mut after = before.clone();
    let Some(steps) = parallel_moves(moves.clone(), scratch) else {
        panic!("no sequence for {moves:?} with {scratch:?}")
    };
    steps.iter().for_each(|step| run(step, &mut after));
    for end in &ends {
        let source = moves.iter().find(|(dst, _)| dst == end).map_or(end, |(_, src)| src);
        assert!(after[end] == before[source], "{end:?} of {moves:?} as {steps:?}");
    }
    Ok(if moves.is_empty() { "nothing" } else { "moved" })
}

/// A step of a sequence on what each place holds.
fn run(step: &Pseudo, state: &mut BTreeMap<End, usize>) {
    let at = |place: &Place| match place.reg {
        Reg::Physical(number) => End::Register(place.class, number),
        Reg::Virtual(..) => panic!("a virtual register in a sequence"),
    };
    match step {
        Pseudo::Copy { dst, src } => {
            state.insert(at(dst), state[&at(src)]);
        }
        Pseudo::Swap { a, b } => {
            let (x, y) = (state[&at(a)], state[&at(b)]);
            state.extend([(at(a), y), (at(b), x)]);
        }
        Pseudo::Spill { slot, src } => {
            state.insert(End::Slot(*slot), state[&at(src)]);
        }
        Pseudo::Reload { dst, slot } => {
            state.insert(at(dst), state[&End::Slot(*slot)]);
        }
        other => panic!("{other:?} in a sequence"),
    }
}

/// The IR behind each stage.
#[derive(Default)]
struct Keep(Mutex<Vec<(Stage, sassafras_ir::Module)>>);

impl Observer for Keep {
    fn observe(
        &self,
        stage: Stage,
        _: Option<Form<'_>>,
        after: Form<'_>,
        _: &Notes,
    ) -> std::result::Result<(), Objection> {
        if let Form::Ir(module) = after {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((stage, module.clone()));
        }
        Ok(())
    }
}

/// The judge of the IR takes what each stage made, and objects to it with a fault.
///
/// # Panics
/// When it does not.
pub fn ir_verifier(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let sm = u.choose(&Chip::ALL)?.number();
    let size = u.int_in_range(1..=30)?;
    let (name, plant) = *u.choose(ir::plant::FAULTS)?;
    let made = module(u, &Request { sm, size, ..Request::default() })?;
    let options =
        Options { arch: format!("sm_{sm}").parse().ok().map(Arch::Real), jobs: 1, ..Options::default() };
    let keep = Keep::default();
    let compiled = session::compile(&made.text, "case.ptx", &options, None, &keep);
    let mut fate = if compiled.is_ok() { "no place" } else { "refused" };
    for (stage, mut module) in keep.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let sound = ir::check(&module);
        assert!(sound == Verdict::Passed, "behind {stage}: {sound:?}\n{}", made.text);
        if plant(&mut module) {
            let seen = matches!(ir::check(&module), Verdict::Objected(_));
            assert!(seen, "{name} behind {stage} is not seen\n{}", made.text);
            fate = "caught";
        }
    }
    Ok(fate)
}

/// Instructions of drawn forms: nvdisasm prints their words as we do.
///
/// # Panics
/// When it does not.
pub fn enc_vs_nvdisasm(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let Ok(nvdisasm) = sassafras_oracle::Tools::here().nvdisasm() else { return Ok("skipped") };
    let chip = *u.choose(&Chip::ALL)?;
    let all: Vec<FormId> =
        (0..forms().len() as u16).map(FormId).filter(|id| id.get().chips.contains(chip)).collect();
    let mut some = Vec::new();
    for _ in 0..u.int_in_range(1..=64)? {
        some.push(*u.choose(&all)?);
    }
    // A start takes half a second: many words of each form.
    let report = live::compare(&some, chip, 40, u.arbitrary()?, nvdisasm.path());
    let report = report.unwrap_or_else(|e| panic!("nvdisasm: {e}"));
    assert!(report.differences.is_empty(), "{chip}: {:#?}", report.differences);
    Ok("equal")
}

/// An operation of a small block, on values of 8 bits by number.
#[derive(Clone, Copy, Debug)]
enum Step {
    Constant(u8),
    Unary(UnaryOp, usize),
    Binary(BinaryOp, usize, usize),
    /// The first where the comparison holds of both, else the second.
    Choose(CompareOp, usize, usize),
}

const UNARY: [UnaryOp; 4] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::Popcount, UnaryOp::Reverse];
const COMPARE: [CompareOp; 5] =
    [CompareOp::Eq, CompareOp::ULt, CompareOp::ULe, CompareOp::SLt, CompareOp::SLe];
const BINARY: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::LShr,
    BinaryOp::UDiv,
    BinaryOp::SRem,
];

fn step(u: &mut Unstructured<'_>, values: usize) -> Result<Step> {
    let (a, b) = (u.choose_index(values)?, u.choose_index(values)?);
    Ok(match u.int_in_range(0..=7)? {
        0 => Step::Constant(u.arbitrary()?),
        1 => Step::Unary(*u.choose(&UNARY)?, a),
        2 => Step::Choose(*u.choose(&COMPARE)?, a, b),
        _ => Step::Binary(*u.choose(&BINARY)?, a, b),
    })
}

/// The last value of a block that begins with two inputs.
fn evaluate<D: Domain>(d: &D, block: &[Step], inputs: [D::V; 2]) -> D::V {
    let mut values = inputs.to_vec();
    for step in block {
        let value = match *step {
            Step::Constant(bits) => d.constant(8, bits.into()),
            Step::Unary(op, a) => d.unary(op, &values[a]),
            Step::Binary(op, a, b) => d.binary(op, &values[a], &values[b]),
            Step::Choose(op, a, b) => d.ite(&d.compare(op, &values[a], &values[b]), &values[a], &values[b]),
        };
        values.push(value);
    }
    values.swap_remove(values.len() - 1)
}

/// Two blocks over 8 bits, one with a step exchanged: terms and solver say that they are equal if and only if every input says so.
///
/// # Panics
/// When they say otherwise.
pub fn tv_smt(u: &mut Unstructured<'_>) -> Result<&'static str> {
    let mut solver = crate::command::solvers::first(10, 20);
    if !solver.present() {
        return Ok("skipped");
    }
    let mut source = Vec::new();
    for n in 0..u.int_in_range(1..=6usize)? {
        source.push(step(u, 2 + n)?);
    }
    let mut target = source.clone();
    let at = u.choose_index(target.len())?;
    target[at] = match target[at] {
        Step::Binary(op, a, b) if u.arbitrary()? => Step::Binary(op, b, a),
        Step::Choose(op, a, b) if u.arbitrary()? => Step::Choose(op, b, a),
        _ => step(u, 2 + at)?,
    };
    let terms = Terms::new();
    let of = |block: &[Step]| evaluate(&terms, block, ["x", "y"].map(|name| terms.variable(name, 8)));
    let differ = terms.not(&terms.eq(&of(&source), &of(&target)));
    let answer = match terms.as_constant(&differ) {
        Some(0) => Answer::Unsat,
        _ => solver.check(&smt::script(&terms, &[], &[differ])),
    };
    let concrete = Concrete::new(Chooser::Nearest);
    let differs = |n: &u32| {
        let of = |block: &[Step]| {
            evaluate(&concrete, block, [n & 255, n >> 8].map(|bits| Bits::new(8, bits.into())))
        };
        of(&source) != of(&target)
    };
    let example = (0..1u32 << 16).find(differs);
    match (&answer, example) {
        (Answer::Unsat, None) => Ok("equal"),
        (Answer::Sat(_), Some(_)) => Ok("different"),
        (Answer::Unknown(_), _) => Ok("undecided"),
        _ => panic!("{answer:?}, and by enumeration {example:x?}\n{source:?}\n{target:?}"),
    }
}
