//! Products and sums of the source that may become one operation.
//!
//! PTX ISA, "mul", "add", "sub" (floating point): without a rounding modifier they round to the nearest, and "may be optimized
//! aggressively by the code optimizer. In particular, mul/add sequences with no rounding modifiers may be optimized to use
//! fused-multiply-add instructions". So each such sum is a *site*: it may add what a register holds that nothing but such products
//! write, or be the fused operation of its factors. The prover does at each site what the target does; the witness says what.

use crate::trace::event::Event;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_ptx::checked::{Function, Inst, Op, Operand, RegisterId, Type};
use sassafras_semantics::term::Node;
use sassafras_semantics::{Domain, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms};
use std::collections::BTreeMap;

/// By instruction of the source: which of its two operands is a product that it is fused with.
pub type Fused = BTreeMap<u32, u8>;

/// What is done at the sites of a function.
pub struct Sites<'a> {
    /// Terms of the target: what is among them is fused. None: as [`Sites::fused`] says.
    like: Option<&'a FxHashSet<TermId>>,
    /// What was fused.
    pub fused: Fused,
    /// Registers that nothing but products without a rounding write.
    products: FxHashSet<RegisterId>,
}

/// The terms of a side's events.
pub fn terms(d: &Terms, events: &[Event]) -> FxHashSet<TermId> {
    let own = |e: &Event| [e.guard, e.address, e.value].into_iter().chain(e.arguments.clone());
    let roots: Vec<TermId> = events.iter().flat_map(own).collect();
    d.topological(&roots).into_iter().collect()
}

/// PTX ISA: `mul`, `add` and `sub` without a rounding modifier may become `fma`.
pub fn contractible(inst: &Inst) -> bool {
    let float = matches!(inst.types.first(), Some(Type::F(_) | Type::F16x2 | Type::Bf16x2 | Type::F32x2));
    float && matches!(inst.op, Op::Add | Op::Sub | Op::Mul) && inst.mods.rounding.is_none()
}

/// The format of the floats that an instruction is about, and how many lie in a register.
pub fn lanes(inst: &Inst) -> Option<(FloatFormat, u32)> {
    match inst.types.first()? {
        Type::F(format) => Some((*format, 1)),
        Type::F16x2 => Some((FloatFormat::F16, 2)),
        Type::Bf16x2 => Some((FloatFormat::Bf16, 2)),
        Type::F32x2 => Some((FloatFormat::F32, 2)),
        _ => None,
    }
}

impl<'a> Sites<'a> {
    /// Of a function. `like`: terms of the target; else what is fused was said before.
    pub fn new(function: &Function, like: Option<&'a FxHashSet<TermId>>, fused: Fused) -> Sites<'a> {
        let mut writers: FxHashMap<RegisterId, bool> = FxHashMap::default();
        for inst in function.insts.iter().flatten() {
            let product = inst.op == Op::Mul && contractible(inst) && !inst.mods.sat && inst.guard.is_none();
            // The first operand takes the results.
            for r in inst.operands.first().map(registers).unwrap_or_default() {
                *writers.entry(r).or_insert(true) &= product;
            }
        }
        let products = writers.into_iter().filter(|(_, all)| *all).map(|(r, _)| r).collect();
        Sites { like, fused, products }
    }

    /// What the instruction at `index` computes where it is fused: `value` tells what a register holds, `bits` takes a term apart,
    /// `normal` brings one to normal form.
    pub fn fuse(
        &mut self,
        d: &Terms,
        index: u32,
        inst: &Inst,
        value: &mut dyn FnMut(RegisterId) -> TermId,
        bits: &dyn Fn(TermId, u32, u32) -> TermId,
        normal: &dyn Fn(TermId) -> TermId,
    ) -> Option<TermId> {
        if !contractible(inst) || inst.op == Op::Mul {
            return None;
        }
        let (format, lanes) = lanes(inst)?;
        let [_, a, b] = &inst.operands[..] else { return None };
        for (which, product, other) in [(1u8, a, b), (2, b, a)] {
            let Operand::Register(register) = product else { continue };
            let said = self.fused.get(&index).copied();
            if !self.products.contains(register) || self.like.is_none() && said != Some(which) {
                continue;
            }
            let whole = value(*register);
            let other = match other {
                Operand::Register(r) => value(*r),
                Operand::Immediate(bits) => d.constant(format.width() * lanes, (*bits).into()),
                _ => continue,
            };
            let part = |v: TermId, lane: u32| match lanes {
                1 => v,
                _ => bits(v, format.width() * lane, format.width()),
            };
            let made: Option<Vec<TermId>> = (0..lanes)
                .map(|lane| one(d, inst, format, which, part(whole, lane), part(other, lane)))
                .collect();
            let Some(made) = made else { continue };
            if let Some(like) = self.like {
                if !made.iter().all(|t| like.contains(&normal(*t))) {
                    continue;
                }
                self.fused.insert(index, which);
            }
            return made.into_iter().reduce(|low, high| d.concat(&high, &low));
        }
        None
    }
}

/// The fused operation of one lane: of the product's factors and the other summand.
fn one(
    d: &Terms,
    inst: &Inst,
    format: FloatFormat,
    which: u8,
    product: TermId,
    other: TermId,
) -> Option<TermId> {
    let plain = FloatMode { rounding: Rounding::NearestEven, ftz: inst.mods.ftz, sat: false };
    let Node::Float { op: FloatOp::Mul, format: of, mode, args } = d.node(product) else { return None };
    if of != format || mode != plain {
        return None;
    }
    let sign = d.constant(format.width(), 1 << (format.width() - 1));
    let (mut first, mut other) = (args[0], other);
    match (inst.op, which) {
        // a·b − c, and c − a·b.
        (Op::Sub, 1) => other = d.xor(&other, &sign),
        (Op::Sub, _) => first = d.xor(&first, &sign),
        _ => {}
    }
    let mode = FloatMode { sat: inst.mods.sat, ..plain };
    Some(d.float(FloatOp::Fma, format, mode, &[&first, &args[1], &other]))
}

/// Registers that an operand names.
fn registers(operand: &Operand) -> Vec<RegisterId> {
    match operand {
        Operand::Register(r) | Operand::NotRegister(r) | Operand::Pieces(r, _) => vec![*r],
        Operand::Negated(inner) => registers(inner),
        Operand::Vector(all) => all.iter().flat_map(|o| registers(o)).collect(),
        Operand::Pair(a, b) => [registers(a), registers(b)].concat(),
        Operand::List(all) => all.iter().flat_map(registers).collect(),
        _ => Vec::new(),
    }
}
