//! Hand-derived vectors, one line each; and that no form has a field that its meaning overlooks.

use super::*;
use crate::{Style, forms, parse};
use sassafras_semantics::{Access, AtomicOp, Bits, Concrete, Ordering, Scope, SpecialRegister, State, Trap};
use std::cell::Cell;
use std::collections::HashMap;

/// Registers and bytes by name and address; everything else reads zero.
#[derive(Default)]
struct Bench {
    registers: HashMap<Register, u128>,
    memory: HashMap<(Space, u64), u8>,
}

impl State<Concrete> for Bench {
    type Register = Register;
    fn read(&mut self, d: &Concrete, register: Register) -> Result<Bits, Trap> {
        let width = if matches!(register.class, RegClass::P | RegClass::UP) { 1 } else { 32 };
        Ok(d.constant(width, self.registers.get(&register).copied().unwrap_or(0)))
    }
    fn write(&mut self, _: &Concrete, register: Register, value: Bits) {
        let width = if matches!(register.class, RegClass::P | RegClass::UP) { 1 } else { 32 };
        assert_eq!(value.width(), width, "{register}");
        self.registers.insert(register, value.bits());
    }
    fn load(&mut self, d: &Concrete, access: &Access, address: &Bits) -> Result<Bits, Trap> {
        let at = address.bits() as u64;
        let byte =
            |i: u32| u128::from(self.memory.get(&(access.space, at + u64::from(i))).copied().unwrap_or(0));
        Ok(d.constant(8 * access.bytes, (0..access.bytes).fold(0, |all, i| all | byte(i) << (8 * i))))
    }
    fn store(&mut self, _: &Concrete, access: &Access, address: &Bits, value: &Bits) -> Result<(), Trap> {
        assert_eq!(value.width(), 8 * access.bytes);
        for i in 0..access.bytes {
            let at = address.bits() as u64 + u64::from(i);
            self.memory.insert((access.space, at), (value.bits() >> (8 * i)) as u8);
        }
        Ok(())
    }
    fn atomic(
        &mut self,
        d: &Concrete,
        access: &Access,
        op: AtomicOp,
        address: &Bits,
        operands: &[Bits],
    ) -> Result<Bits, Trap> {
        let old = self.load(d, access, address)?;
        let new = match op {
            AtomicOp::Cas if old == operands[0] => operands[1],
            AtomicOp::Cas => old,
            AtomicOp::Exch => operands[0],
            _ => d.add(&old, &operands[0]),
        };
        self.store(d, access, address, &new)?;
        Ok(old)
    }
    fn fence(&mut self, _: &Concrete, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }
    fn special(&mut self, d: &Concrete, register: SpecialRegister) -> Result<Bits, Trap> {
        Ok(d.constant(register.width(), 0x1234_5678_9abc))
    }
    fn cvta(&mut self, d: &Concrete, _: Space, address: &Bits) -> Result<Bits, Trap> {
        Ok(d.constant(64, 0x7a00_0000_0000 + address.bits()))
    }
    fn cvta_to(&mut self, _: &Concrete, _: Space, address: &Bits) -> Result<Bits, Trap> {
        Ok(*address)
    }
    fn is_space(&mut self, d: &Concrete, _: Space, _: &Bits) -> Result<Bits, Trap> {
        Ok(d.no())
    }
}

fn register(name: &str) -> Register {
    let split = name.find(|c: char| c.is_ascii_digit()).expect("a number");
    let class = match &name[..split] {
        "R" => RegClass::R,
        "UR" => RegClass::UR,
        "P" => RegClass::P,
        "UP" => RegClass::UP,
        other => panic!("{other}"),
    };
    Register { class, number: name[split..].parse().expect("a number") }
}

/// Reads `R1=5 P0=1 global[10]=ff`; numbers are hexadecimal, memory is 32 bits.
fn assignments(text: &str) -> Vec<(&str, u128)> {
    text.split_whitespace()
        .map(|one| {
            let (name, value) = one.split_once('=').expect("name=value");
            (name, u128::from_str_radix(value, 16).expect("hexadecimal"))
        })
        .collect()
}

fn place(name: &str) -> Option<(Space, u64)> {
    let (space, at) = name.strip_suffix(']')?.split_once('[')?;
    let space = match space {
        "global" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "generic" => Space::Generic,
        "c0" => Space::Bank(0),
        _ => panic!("{space}"),
    };
    Some((space, u64::from_str_radix(at, 16).expect("hexadecimal")))
}

/// Runs one instruction on registers and memory, and compares what it leaves.
fn check(text: &str, before: &str, after: &str) {
    let inst = match parse(text, &Style::default()) {
        Ok(inst) => inst,
        Err(error) => panic!("{text}: {error}"),
    };
    let mut bench = Bench::default();
    for (name, value) in assignments(before) {
        match place(name) {
            Some((space, at)) => {
                for i in 0..4 {
                    bench.memory.insert((space, at + i), (value >> (8 * i)) as u8);
                }
            }
            None => _ = bench.registers.insert(register(name), value),
        }
    }
    if let Err(trap) = step(&Concrete::default(), &inst, 0x100, &mut bench) {
        panic!("{text}: {trap}");
    }
    for (name, value) in assignments(after) {
        let got = match place(name) {
            Some((space, at)) => (0..4).fold(0, |all, i| {
                all | u128::from(*bench.memory.get(&(space, at + i)).unwrap_or(&0)) << (8 * i)
            }),
            None => bench.registers.get(&register(name)).copied().unwrap_or(0),
        };
        assert_eq!(got, value, "{text} with {before}: {name} is {got:x}, not {value:x}");
    }
}

#[test]
fn integer_sums() {
    check("IADD3 R0, R1, R2, R3", "R1=5 R2=7 R3=ffffffff", "R0=b");
    check("IADD3 R0, P0, P1, R1, R2, R3", "R1=ffffffff R2=ffffffff R3=2", "R0=0 P0=1 P1=1");
    check("IADD3 R0, P0, R1, R2, RZ", "R1=ffffffff R2=1", "R0=0 P0=1");
    check("IADD3 R0, P0, R1, -R2, RZ", "R1=5 R2=5", "R0=0 P0=1");
    check("IADD3 R0, P0, R1, -R2, RZ", "R1=5 R2=6", "R0=ffffffff P0=0");
    check("IADD3.X R0, R1, R2, RZ, P0, !PT", "R1=1 R2=2 P0=1", "R0=4");
    check("IADD3.X R0, R1, ~R2, RZ, P0, !PT", "R1=9 R2=2 P0=1", "R0=7");
    check("IMAD R0, R1, R2, R3", "R1=ffffffff R2=3 R3=5", "R0=2");
    check("IMAD.WIDE R0, R2, R3, R4", "R2=ffffffff R3=2 R4=1 R5=0", "R0=ffffffff R1=ffffffff");
    check("IMAD.WIDE.U32 R0, R2, R3, R4", "R2=ffffffff R3=2 R4=1 R5=0", "R0=ffffffff R1=1");
    check("IMAD.WIDE.U32 R0, R2, 0x10, R4", "R2=10000000 R4=1 R5=2", "R0=1 R1=3");
}

#[test]
fn comparisons() {
    check("ISETP.GE.AND P0, PT, R1, R2, PT", "R1=ffffffff R2=0", "P0=0");
    check("ISETP.GE.U32.AND P0, P1, R1, R2, PT", "R1=ffffffff R2=0", "P0=1 P1=0");
    check("ISETP.NE.OR P0, P1, R1, R2, P3", "R1=1 R2=1 P3=1", "P0=1 P1=1");
    check("ISETP.LT.AND.EX P0, PT, R1, R2, PT, P4", "R1=1 R2=1 P4=1", "P0=1");
    check("ISETP.LT.AND.EX P0, PT, R1, R2, PT, P4", "R1=1 R2=2 P4=0", "P0=1");
}

#[test]
fn float_sums() {
    check("FADD R0, R1, R2", "R1=3f800000 R2=40000000", "R0=40400000");
    check("FADD R0, -R1, |R2|", "R1=3f800000 R2=c0000000", "R0=3f800000");
    check("FADD.FTZ R0, R1, R2", "R1=1 R2=1", "R0=0");
    check("FFMA R0, R1, R2, R3", "R1=40000000 R2=40400000 R3=3f800000", "R0=40e00000");
    check("FFMA.SAT R0, R1, R2, R3", "R1=40000000 R2=40400000 R3=3f800000", "R0=3f800000");
}

#[test]
fn memory() {
    check("LDG.E R0, desc[UR4][R2.64]", "R2=10 R3=1 global[100000010]=1234abcd", "R0=1234abcd");
    check("LDG.E.64 R0, desc[UR4][R2.64+0x8]", "R2=8 global[10]=1 global[14]=2", "R0=1 R1=2");
    check("LDG.E.S8 R0, desc[UR4][R2.64]", "R2=10 global[10]=80", "R0=ffffff80");
    check("STG.E.64 desc[UR4][R2.64+-0x8], R6", "R2=18 R6=5 R7=6", "global[10]=5 global[14]=6");
    check("STG.E.U8 desc[UR4][R2.64], R6", "R2=10 R6=abcd global[10]=1111", "global[10]=11cd");
}

/// Fields that have no meaning for results: cache hints and what prints only.
const WITHOUT_MEANING: &[&str] = &[
    "ev", "l2", "bypass", "u", // caches, descriptors
    "defer", "nodec", "noinc", "noatexit", // how lanes wait, call and end
    "rand", "warp", "syncs", // how long to sleep
];
/// Forms without an effect here, whose fields need no reading.
const WITHOUT_EFFECT: &[&str] = &["nanosleep", "yield", "pmtrig", "depbar", "cctl", "fence", "bpt"];

#[test]
fn no_field_is_overlooked() {
    let mut overlooked = Vec::new();
    for form in forms() {
        let id = crate::form(form.id).expect("its own name");
        let seen = Cell::new(0u64);
        let mut rng = crate::Rng(7);
        let mut supported = false;
        for _ in 0..200 {
            let inst = crate::generate(id, &mut rng);
            let mut bench = Bench::default();
            let d = Concrete::default();
            let end = dispatch(Lane::new(&d, &inst, 0, &mut bench, Some(&seen)));
            supported |= !matches!(end, Err(Trap::Unsupported(_)));
            if let Err(Trap::Unsupported(why)) = &end {
                assert!(!why.contains("which the form lacks"), "{why}");
            }
        }
        if supported && !WITHOUT_EFFECT.iter().any(|name| form.id.starts_with(name)) {
            for (i, field) in form.fields.iter().enumerate() {
                if seen.get() >> i & 1 == 0 && !WITHOUT_MEANING.contains(&field.name) {
                    overlooked.push(format!("{}: {}", form.id, field.name));
                }
            }
        }
    }
    assert!(overlooked.is_empty(), "overlooked: {overlooked:#?}");
}
