//! Values that are abstracted where [`crate::opaque`] says so: what is loaded, and what quotients are made of.

use crate::inputs::Inputs;
use crate::opaque::is_open;
use sassafras_ptx::checked::{Inst, Op, Type};
use sassafras_semantics::{Domain, TermId};

/// Most terms of a value that was loaded and stays what it is.
const MOST_LOADED: usize = 40;
/// The same of what a quotient is made of.
const MOST_DIVIDED: usize = 8;
/// Bits of quotients whose operands are looked at.
const WIDTH: u32 = 64;

/// Whether an instruction is a quotient or a remainder of long integers.
pub fn divides(inst: &Inst) -> bool {
    let long = |t: &Type| matches!(t, Type::U(64) | Type::S(64));
    matches!(inst.op, Op::Div | Op::Rem) && inst.types.first().is_some_and(long)
}

/// What a value that was loaded is taken for.
pub fn loaded(inputs: &Inputs<'_>, value: TermId) -> TermId {
    let d = inputs.terms;
    let large = || d.topological(&[value]).len() > MOST_LOADED;
    if !inputs.opaque.is_active() || inputs.known(value).is_some() || !large() || is_open(d, value) {
        return value;
    }
    inputs.variable(&format!("loaded.{value}"), d.width_of(value), inputs.is_uniform(value))
}

/// What a quotient is made of is abstracted from the next run on, but for a lowest bit that is known: a divisor with one is not
/// zero.
pub fn divided(inputs: &Inputs<'_>, operand: TermId) {
    let d = inputs.terms;
    let value = inputs.normal.of(operand);
    let large = || d.topological(&[value]).len() > MOST_DIVIDED;
    if d.width_of(value) != WIDTH || inputs.known(value).is_some() || !large() || is_open(d, value) {
        return;
    }
    let half = WIDTH / 2;
    let bits = |low, width| inputs.normal.bits(value, low, width);
    let (low, high) = (bits(0, half), bits(half, half));
    // By its words, which are the same however it was put together.
    let anything = |width| {
        let uniform = inputs.is_uniform(high) && inputs.is_uniform(low);
        inputs.variable(&format!("divided.{high}.{low}.{width}"), width, uniform)
    };
    let last = bits(0, 1);
    let whole = match d.as_constant(&last) {
        Some(_) => d.concat(&anything(WIDTH - 1), &last),
        None => anything(WIDTH),
    };
    let part = |low, width| inputs.normal.of(d.extract(&whole, low, width));
    let pairs = [(value, part(0, WIDTH)), (low, part(0, half)), (high, part(half, half))];
    let same = pairs.into_iter().filter(|(own, _)| inputs.known(*own).is_none()).collect();
    inputs.normal.declare(&same);
}
