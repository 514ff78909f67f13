//! Vectors derived by hand from the PTX ISA's text.

mod convert;
mod float;
mod integer;
mod lanes;
mod memory;

use super::{Outcome, PtxState, guard, step};
use crate::checked::{Module, RegisterId, VariableId};
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::{Access, AtomicOp, Domain, Ordering, Scope, Space, SpecialRegister, State, Trap};
use std::collections::HashMap;

/// A lane with registers by index and bytes of one memory for every space.
pub(super) struct Lane {
    registers: HashMap<RegisterId, Bits>,
    pub memory: Vec<u8>,
    /// Accesses in order.
    pub accesses: Vec<Access>,
}

impl State<Concrete> for Lane {
    type Register = RegisterId;
    fn read(&mut self, _: &Concrete, r: RegisterId) -> Result<Bits, Trap> {
        self.registers.get(&r).copied().ok_or(Trap::Poison(format!("{r:?}")))
    }
    fn write(&mut self, _: &Concrete, r: RegisterId, v: Bits) {
        self.registers.insert(r, v);
    }
    fn load(&mut self, _: &Concrete, access: &Access, at: &Bits) -> Result<Bits, Trap> {
        self.accesses.push(*access);
        let at = at.bits() as usize;
        let mut bytes = [0; 16];
        bytes[..access.bytes as usize].copy_from_slice(&self.memory[at..at + access.bytes as usize]);
        Ok(Bits::new(8 * access.bytes, u128::from_le_bytes(bytes)))
    }
    fn store(&mut self, _: &Concrete, access: &Access, at: &Bits, v: &Bits) -> Result<(), Trap> {
        self.accesses.push(*access);
        assert_eq!(v.width(), 8 * access.bytes);
        let at = at.bits() as usize;
        self.memory[at..at + access.bytes as usize]
            .copy_from_slice(&v.bits().to_le_bytes()[..access.bytes as usize]);
        Ok(())
    }
    fn atomic(
        &mut self,
        d: &Concrete,
        access: &Access,
        op: AtomicOp,
        at: &Bits,
        operands: &[Bits],
    ) -> Result<Bits, Trap> {
        let old = self.load(d, access, at)?;
        let new = match op {
            AtomicOp::Cas if old == operands[0] => operands[1],
            AtomicOp::Cas => old,
            AtomicOp::Exch => operands[0],
            AtomicOp::Add => d.add(&old, &operands[0]),
            _ => return Err(Trap::Unsupported(format!("{op:?}"))),
        };
        self.store(d, access, at, &new)?;
        Ok(old)
    }
    fn fence(&mut self, _: &Concrete, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }
    fn special(&mut self, d: &Concrete, r: SpecialRegister) -> Result<Bits, Trap> {
        Ok(d.constant(r.width(), 7))
    }
    fn cvta(&mut self, d: &Concrete, _: Space, at: &Bits) -> Result<Bits, Trap> {
        Ok(d.add(at, &d.constant(64, 0x1000)))
    }
    fn cvta_to(&mut self, d: &Concrete, _: Space, at: &Bits) -> Result<Bits, Trap> {
        Ok(d.sub(at, &d.constant(64, 0x1000)))
    }
    fn is_space(&mut self, d: &Concrete, _: Space, at: &Bits) -> Result<Bits, Trap> {
        Ok(d.constant(1, u128::from(at.bits() >= 0x1000)))
    }
}

impl PtxState<Concrete> for Lane {
    fn symbol_address(&mut self, d: &Concrete, _: VariableId) -> Result<Bits, Trap> {
        Ok(d.constant(64, 32))
    }
    fn param_address(&mut self, d: &Concrete, index: u32, _: bool) -> Result<Bits, Trap> {
        Ok(d.constant(64, u128::from(8 * index)))
    }
    fn function_address(&mut self, d: &Concrete, f: crate::checked::FunctionId) -> Result<Bits, Trap> {
        Ok(d.constant(64, f.0.into()))
    }
}

/// A module with one entry around a body; `%p`, `%h`, `%r`, `%q`, `%x` are registers of 1, 16, 32, 64 and 128 bits, `%f` and
/// `%d` of `.f32` and `.f64`.
pub(super) fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dyn[];\n\
         .visible .entry k(.param .u64 first, .param .u32 second) {{\n\
         .reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %q<8>;\n.reg .b128 %x<4>;\n\
         .reg .f32 %f<8>;\n.reg .f64 %d<8>;\n.shared .align 16 .b8 tile[64];\n{body}\nret;\n}}\n"
    );
    crate::load(&text, "test.ptx").unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

fn id(module: &Module, name: &str) -> RegisterId {
    if name == "CC.CF" {
        return RegisterId::CARRY;
    }
    let at = module.functions[0].registers.iter().position(|r| r.name == name);
    RegisterId(at.unwrap_or_else(|| panic!("no register {name}")) as u32)
}

fn width(module: &Module, r: RegisterId) -> u32 {
    module.functions[0].registers.get(r.0 as usize).map_or(1, |r| r.ty.width())
}

/// A lane whose named registers hold values.
pub(super) fn lane(module: &Module, inputs: &[(&str, u128)]) -> Lane {
    // A register that the body does not name is not there.
    let there = |name: &str| module.functions[0].registers.iter().any(|r| r.name == name);
    let set = |&(name, value): &(&str, u128)| {
        let r = id(module, name);
        (r, Bits::new(width(module, r), value))
    };
    let named = inputs.iter().filter(|(name, _)| there(name));
    Lane { registers: named.map(set).collect(), memory: (0..128).collect(), accesses: Vec::new() }
}

/// Runs the instructions of a body without branches.
pub(super) fn run(body: &str, inputs: &[(&str, u128)]) -> (Module, Lane) {
    let module = module(body);
    let mut lane = lane(&module, inputs);
    let d = Concrete::default();
    for inst in module.functions[0].insts.as_ref().expect("a body") {
        let wanted = guard(&d, inst, &mut lane).expect("a guard");
        if wanted.is_some_and(|g| !g.is_true()) {
            continue;
        }
        let next = step(&d, &module, &module.functions[0], inst, &mut lane);
        match next.unwrap_or_else(|trap| panic!("{body}: {trap}")) {
            Outcome::Next => {}
            Outcome::Return => break,
            other => panic!("{body}: {other:?}"),
        }
    }
    (module, lane)
}

/// The value of a register after a body.
pub(super) fn value(body: &str, inputs: &[(&str, u128)], output: &str) -> u128 {
    let (module, mut lane) = run(body, inputs);
    let r = id(&module, output);
    lane.read(&Concrete::default(), r).unwrap_or_else(|_| panic!("{body} leaves {output} unset")).bits()
}

/// Checks `OP %r0, %r1, %r2, …` on 32-bit registers.
pub(super) fn words(op: &str, sources: &[u32], expected: u32) {
    let names = ["%r1", "%r2", "%r3", "%r4"];
    let list: Vec<&str> = names[..sources.len()].to_vec();
    let inputs: Vec<(&str, u128)> = list.iter().copied().zip(sources.iter().map(|&v| v.into())).collect();
    let body = format!("{op} %r0, {};", list.join(", "));
    let got = value(&body, &inputs, "%r0");
    assert_eq!(got, u128::from(expected), "{op} of {sources:x?}: {got:#x}, expected {expected:#x}");
}
