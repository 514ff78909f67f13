//! Routines: the long sequences of divisions, once in a kernel.
//!
//! An expansion leaves the call of a routine where its short sequence does not hold. What is called once, or may not be called, is
//! written out in place; for the rest [`body`] is the routine as a function of its own.

use super::expansion::Expansion;
use super::parts::{Float, Shape};
use super::quotient;
use sassafras_ir::{Builder, CfgEditor, Function, InstData, Op, Terminator, Type, Value};
use sassafras_semantics::{FloatMode, Routine, RoutinePart};
use smallvec::smallvec;
use std::collections::BTreeMap;

/// What a routine computes, written out.
fn expand(b: &mut Builder, routine: Routine, args: &[Value]) -> Value {
    let (x, y) = (args[0], args[1]);
    match routine {
        Routine::Divide(format, rounding, ftz) => {
            let mut f = Float { b, s: Shape::of(format) };
            f.general(x, y, FloatMode { rounding, ftz, sat: false })
        }
        Routine::Quotient64 => quotient::unsigned(b, x, y).0,
        Routine::Remainder64 => quotient::unsigned(b, x, y).1,
    }
}

/// A call, or what stands in its place if there is no such routine.
pub(super) fn call(b: &mut Builder, routine: Routine, args: &[Value]) -> Value {
    match routine.number() {
        Some(_) => b.same(Op::Routine(RoutinePart::Call, routine), args),
        None => expand(b, routine, args),
    }
}

/// The routine as a function: from its arguments to its result. Its operations are not selectable yet.
pub fn body(routine: Routine) -> Function {
    let mut f = Function::new(format!("$routine${}", routine.name()));
    let entry = f.entry;
    let mut b = Builder::new(&mut f, entry);
    let ty = Type(routine.width() as u8);
    let args = b.pair(Op::Routine(RoutinePart::Enter, routine), &[], [ty, ty]);
    let result = expand(&mut b, routine, &[args.0, args.1]);
    b.emit(Op::Routine(RoutinePart::Leave, routine), &[result], &[]);
    let end = b.block;
    CfgEditor::new(&mut f).set_terminator(end, Terminator::Exit);
    f
}

/// Whether a call is written out: it is the only one of its routine, and stands in no loop, or there are no routines. In a loop what is seldom run
/// would stand among what is run often.
pub(super) fn rewritten(editor: &mut CfgEditor, keep: bool) -> impl Fn(&InstData) -> bool + use<> {
    let mut kept: BTreeMap<Routine, bool> = BTreeMap::new();
    let blocks: Vec<_> = editor.function().blocks.keys().collect();
    for block in blocks {
        let in_loop = editor.loops().innermost(block).is_some();
        for &inst in &editor.function().blocks[block].insts {
            if let Op::Routine(RoutinePart::Call, routine) = editor.function().insts[inst].op {
                let again = kept.contains_key(&routine);
                kept.insert(routine, in_loop || again);
            }
        }
    }
    move |data: &InstData| match data.op {
        Op::Routine(RoutinePart::Call, routine) => !keep || !kept.get(&routine).is_some_and(|&kept| kept),
        _ => false,
    }
}

/// A call, written out.
pub(super) fn in_place(b: &mut Builder, data: &InstData) -> Expansion {
    match data.op {
        Op::Routine(RoutinePart::Call, routine) => Some(smallvec![expand(b, routine, &data.args)]),
        _ => None,
    }
}
