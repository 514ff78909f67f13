//! Programs with guarded definitions that carry an old value, which the compiler does not make of PTX.

use crate::common::Step;
use sassafras_codegen as codegen;
use sassafras_driver::Stage;
use sassafras_isa::{Chip, RegClass};
use sassafras_machine::{BuildError, Builder, Edge, Function, Place, VReg};

/// What is guarded in a program.
#[derive(Clone, Copy, Debug)]
enum Guarded {
    /// A word.
    Word,
    /// A pair.
    Pair,
    /// Four registers.
    Quad,
    /// A predicate.
    Predicate,
}

/// Straight code and a loop for each kind; the old value is read behind the guarded definition, so that it needs a copy.
pub fn steps(chip: Chip) -> Vec<Step> {
    let kinds = [Guarded::Word, Guarded::Pair, Guarded::Quad, Guarded::Predicate];
    let all = kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
    all.map(|(kind, turns)| {
        let mut f = program(chip, kind, turns).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        codegen::prepare(&mut f).expect("it prepares");
        let before = f.clone();
        codegen::allocate(&mut f).expect("it allocates");
        Step { name: format!("{kind:?} {turns}"), stage: Stage::Allocate, before, after: f }
    })
    .collect()
}

/// `k`: two values, a guard, a guarded definition over the first, and a reader of each. With `turns` in a loop.
fn program(chip: Chip, kind: Guarded, turns: bool) -> Result<Function, BuildError> {
    let mut f = Function::new("tied", chip);
    let entry = f.entry;
    let body = f.add_block();
    let end = f.add_block();
    let mut b = Builder::at(&mut f, entry);
    let lane = special(&mut b, 33)?;
    let other = special(&mut b, 37)?;
    let address = b.pack(&[place(lane, 1), place(other, 1)]);
    b.jump(body, Vec::new());
    let mut b = Builder::at(&mut f, body);
    let guard = compare(&mut b, lane, other)?;
    match kind {
        Guarded::Word => {
            let old = special(&mut b, 38)?;
            let d = b.vreg(RegClass::R, 1);
            b.inst("iadd3.rrr")
                .def("d", d)
                .use_("a", lane)
                .use_("b", other)
                .guard(guard, false)
                .tied("d", old)
                .push()?;
            [old, d].into_iter().try_for_each(|v| store(&mut b, address, v, ""))?;
        }
        Guarded::Pair => {
            let old = wide(&mut b, lane, other)?;
            let d = b.vreg(RegClass::R, 2);
            b.inst("dadd.rr")
                .def("d", d)
                .use_("a", address)
                .use_("b", old)
                .guard(guard, true)
                .tied("d", old)
                .push()?;
            [old, d].into_iter().try_for_each(|v| store(&mut b, address, v, ".64"))?;
        }
        Guarded::Quad => {
            let low = wide(&mut b, lane, other)?;
            let old = b.pack(&[place(address, 2), place(low, 2)]);
            let d = b.vreg(RegClass::R, 4);
            let load = b.inst("ldg.plain").enum_("sz", ".128").def("d", d).use_("a", address);
            load.guard(guard, false).tied("d", old).push()?;
            [old, d].into_iter().try_for_each(|v| store(&mut b, address, v, ".128"))?;
        }
        Guarded::Predicate => {
            let old = compare(&mut b, other, lane)?;
            let d = b.vreg(RegClass::P, 1);
            let set = b.inst("isetp.rr").def("d", d).use_("a", other).use_("b", other);
            set.guard(guard, false).tied("d", old).push()?;
            for p in [old, d] {
                let v = b.vreg(RegClass::R, 1);
                b.inst("sel.rr").def("d", v).use_("a", lane).use_("b", other).use_("q", p).push()?;
                store(&mut b, address, v, "")?;
            }
        }
    }
    if turns {
        b.branch(guard, false, Edge::to(end), Edge::to(body))?;
    } else {
        b.jump(end, Vec::new());
    }
    Builder::at(&mut f, end).inst("exit").push()?;
    Ok(f)
}

fn place(v: VReg, units: u8) -> Place {
    Place::of(v, RegClass::R, units)
}

fn special(b: &mut Builder<'_>, number: u64) -> Result<VReg, BuildError> {
    let v = b.vreg(RegClass::R, 1);
    b.inst("s2r").def("d", v).imm("sr", number).push()?;
    Ok(v)
}

fn compare(b: &mut Builder<'_>, x: VReg, y: VReg) -> Result<VReg, BuildError> {
    let p = b.vreg(RegClass::P, 1);
    b.inst("isetp.rr").def("d", p).use_("a", x).use_("b", y).push()?;
    Ok(p)
}

fn wide(b: &mut Builder<'_>, x: VReg, y: VReg) -> Result<VReg, BuildError> {
    let v = b.vreg(RegClass::R, 2);
    b.inst("imad.wide.rrr").def("d", v).use_("a", x).use_("b", y).push()?;
    Ok(v)
}

fn store(b: &mut Builder<'_>, address: VReg, value: VReg, size: &str) -> Result<(), BuildError> {
    b.inst("stg.plain").enum_("sz", size).use_("a", address).use_("b", value).push()
}
