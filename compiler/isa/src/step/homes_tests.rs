//! A step over terms, evaluated, equals the step over bits: for random instructions of every form.

use super::*;
use crate::{Rng, forms, generate};
use sassafras_semantics::{
    Access, AtomicOp, Bits, Concrete, Ordering, Scope, SpecialRegister, State, TermId, Terms, Trap,
};
use std::collections::BTreeMap;

/// A domain that knows named inputs.
trait Leaves: Domain {
    fn leaf(&self, name: &str, width: u32) -> Self::V;
}

/// The bits of a named input: any, but the same everywhere; some are small or extreme.
fn bits_of(name: &str) -> u128 {
    let mut rng = Rng(name.bytes().fold(17, |h: u64, b| h.wrapping_mul(0x100_0000_01b3) ^ u64::from(b)));
    match rng.bits() % 5 {
        0 => u128::from(rng.bits() % 40),
        1 => u128::MAX << (rng.bits() % 64),
        _ => u128::from(rng.bits()) << 64 | u128::from(rng.bits()),
    }
}

impl Leaves for Concrete {
    fn leaf(&self, name: &str, width: u32) -> Bits {
        self.constant(width, bits_of(name))
    }
}
impl Leaves for Terms {
    fn leaf(&self, name: &str, width: u32) -> TermId {
        self.variable(name, width)
    }
}

/// Named inputs, and every effect in order.
struct Script<V> {
    registers: BTreeMap<Register, V>,
    effects: Vec<(String, V)>,
    seed: u64,
    inputs: u32,
}

impl<V: Clone> Script<V> {
    fn input<D: Leaves<V = V>>(&mut self, d: &D, what: &str, width: u32) -> V {
        self.inputs += 1;
        d.leaf(&format!("{what} {} {}", self.inputs, self.seed), width)
    }
    fn effect(&mut self, what: String, values: &[V]) {
        self.effects.extend(values.iter().map(|v| (what.clone(), v.clone())));
    }
}

impl<D: Leaves> State<D> for Script<D::V> {
    type Register = Register;
    fn read(&mut self, d: &D, r: Register) -> Result<D::V, Trap> {
        let width = if matches!(r.class, RegClass::P | RegClass::UP) { 1 } else { 32 };
        let name = format!("{r} {}", self.seed);
        Ok(self.registers.get(&r).cloned().unwrap_or_else(|| d.leaf(&name, width)))
    }
    fn write(&mut self, _: &D, r: Register, value: D::V) {
        self.registers.insert(r, value);
    }
    fn aligned(&mut self, _: &D, space: Space, address: &D::V, bytes: u32) -> Result<(), Trap> {
        self.effect(format!("{bytes} bytes of {space:?}"), std::slice::from_ref(address));
        Ok(())
    }
    fn load(&mut self, d: &D, access: &Access, address: &D::V) -> Result<D::V, Trap> {
        self.effect(format!("load {access:?}"), std::slice::from_ref(address));
        Ok(self.input(d, "memory", 8 * access.bytes))
    }
    fn store(&mut self, _: &D, access: &Access, address: &D::V, value: &D::V) -> Result<(), Trap> {
        self.effect(format!("store {access:?}"), &[address.clone(), value.clone()]);
        Ok(())
    }
    fn atomic(
        &mut self,
        d: &D,
        a: &Access,
        op: AtomicOp,
        at: &D::V,
        operands: &[D::V],
    ) -> Result<D::V, Trap> {
        self.effect(format!("{op:?} {a:?}"), std::slice::from_ref(at));
        self.effect(format!("{op:?} {a:?}"), operands);
        Ok(self.input(d, "memory", 8 * a.bytes))
    }
    fn fence(&mut self, d: &D, ordering: Ordering, scope: Scope) -> Result<(), Trap> {
        self.effect(format!("fence {ordering:?} {scope:?}"), &[d.yes()]);
        Ok(())
    }
    fn special(&mut self, d: &D, register: SpecialRegister) -> Result<D::V, Trap> {
        Ok(self.input(d, &format!("{register:?}"), register.width()))
    }
    fn cvta(&mut self, d: &D, space: Space, _: &D::V) -> Result<D::V, Trap> {
        Ok(self.input(d, &format!("{space:?}"), 64))
    }
    fn cvta_to(&mut self, d: &D, space: Space, _: &D::V) -> Result<D::V, Trap> {
        Ok(self.input(d, &format!("{space:?}"), 64))
    }
    fn is_space(&mut self, d: &D, space: Space, address: &D::V) -> Result<D::V, Trap> {
        self.effect(format!("is {space:?}"), std::slice::from_ref(address));
        Ok(self.input(d, &format!("{space:?}"), 1))
    }
}

/// The values that an outcome carries, and a text of the rest.
fn parts<V: Clone>(outcome: &Outcome<V>) -> (String, Vec<V>) {
    let one = |name: String, v: &Option<V>| (name, v.iter().cloned().collect());
    match outcome {
        Outcome::Next => ("next".into(), vec![]),
        Outcome::Yield => ("yield".into(), vec![]),
        Outcome::Branch { target, condition } => one(format!("branch {target:#x}"), condition),
        Outcome::BranchByConvergence { target, mask, converged } => {
            (format!("{converged} {target:#x}"), vec![mask.clone()])
        }
        Outcome::IndirectBranch { target, condition } => {
            ("jump".into(), std::iter::once(target).chain(condition).cloned().collect())
        }
        Outcome::Exit { condition } => one("exit".into(), condition),
        Outcome::Collective { op, args, results } => (format!("{op:?} {results:?}"), args.to_vec()),
        Outcome::SetBarrier { barrier, target } => (format!("set {barrier} {target:#x}"), vec![]),
        Outcome::Sync { barrier, condition } => one(format!("sync {barrier}"), condition),
        Outcome::Break { barrier, condition } => one(format!("break {barrier}"), condition),
        Outcome::ReadBarrier { barrier, to, clear } => (format!("read {barrier} {to:?} {clear}"), vec![]),
        Outcome::WriteBarrier { barrier, mask } => (format!("write {barrier}"), vec![mask.clone()]),
        Outcome::BarrierResult { count, decision } => (format!("result {count:?} {decision:?}"), vec![]),
    }
}

/// Everything a step leaves, in order: what, and its value.
fn run<D: Leaves>(d: &D, inst: &Inst, seed: u64) -> Result<Vec<(String, D::V)>, Trap> {
    let mut script = Script { registers: BTreeMap::new(), effects: Vec::new(), seed, inputs: 0 };
    let outcome = step(d, inst, 0x230, &mut script)?;
    let (name, values) = parts(&outcome);
    let mut all = script.effects;
    all.extend(script.registers.into_iter().map(|(r, v)| (r.to_string(), v)));
    all.push((name.clone(), d.yes()));
    all.extend(values.into_iter().map(|v| (name.clone(), v)));
    Ok(all)
}

#[test]
fn terms_mean_what_bits_mean() {
    let d = Concrete::default();
    let mut compared = 0;
    for form in forms() {
        let id = crate::form(form.id).expect("its own name");
        let mut rng = Rng(compared);
        for seed in 0..12 {
            let inst = generate(id, &mut rng);
            let Ok(expected) = run(&d, &inst, seed) else { continue };
            for terms in [Terms::new(), Terms::raw()] {
                // A term need not say whether a load is enabled.
                let Ok(got) = run(&terms, &inst, seed) else { continue };
                let names = |all: &[(String, ())]| all.iter().map(|(n, ())| n.clone()).collect::<Vec<_>>();
                let (a, b): (Vec<_>, Vec<_>) = (
                    got.iter().map(|(n, _)| (n.clone(), ())).collect(),
                    expected.iter().map(|(n, _)| (n.clone(), ())).collect(),
                );
                assert_eq!(names(&a), names(&b), "{}", form.id);
                for ((name, term), (_, value)) in got.iter().zip(&expected) {
                    let free = |t| match terms.node(t) {
                        sassafras_semantics::term::Node::Variable(v) => bits_of(&terms.name(v)),
                        _ => 0,
                    };
                    let v = terms.evaluate(&d, *term, free);
                    let text = crate::print(&inst, &crate::Style::default());
                    assert_eq!(v, *value, "{name} of {text}: {}", terms.listing(*term));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}
