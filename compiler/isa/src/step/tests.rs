//! Hand-derived vectors, one line each; and that no form has a field that its meaning overlooks.

use super::vectors::VECTORS;
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

fn bench(before: &str) -> Bench {
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
    bench
}

/// Runs one instruction on registers and memory, and compares what it leaves.
fn check(text: &str, before: &str, after: &str) -> Result<Meaning, Box<dyn std::error::Error>> {
    let inst = parse(text, &Style::default()).map_err(|e| format!("{text}: {e}"))?;
    let mut bench = bench(before);
    step(&Concrete::default(), &inst, 0x100, &mut bench).map_err(|trap| format!("{text}: {trap}"))?;
    for (name, value) in assignments(after) {
        let got = match place(name) {
            Some((space, at)) => (0..4).fold(0, |all, i| {
                all | u128::from(*bench.memory.get(&(space, at + i)).unwrap_or(&0)) << (8 * i)
            }),
            None => bench.registers.get(&register(name)).copied().unwrap_or(0),
        };
        if got != value {
            return Err(format!("{text} with {before}: {name} is {got:x}, not {value:x}").into());
        }
    }
    Ok(inst.row().meaning)
}

#[test]
fn vectors() {
    let mut seen = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for (text, before, after) in VECTORS {
        match check(text, before, after) {
            Ok(meaning) => _ = seen.insert(meaning),
            Err(e) => wrong.push(e.to_string()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What gives an outcome rather than a value is tested below, or does nothing.
    let elsewhere = [
        Meaning::Bra,
        Meaning::Bssy,
        Meaning::Bsync,
        Meaning::Break,
        Meaning::Bmov,
        Meaning::Warpsync,
        Meaning::WarpsyncAll,
        Meaning::Collective,
        Meaning::Yield,
        Meaning::Nanosleep,
        Meaning::Exit,
        Meaning::Ret,
        Meaning::Call,
        Meaning::Brx,
        Meaning::Jmx,
        Meaning::Bpt,
        Meaning::Bar,
        Meaning::B2r,
        Meaning::Shfl,
        Meaning::Vote,
        Meaning::Voteu,
        Meaning::Match,
        Meaning::Redux,
        Meaning::Elect,
        Meaning::Membar,
        Meaning::Cctl,
        Meaning::Errbar,
        Meaning::Fence,
        Meaning::Ldgdepbar,
        Meaning::Depbar,
        Meaning::Nop,
        Meaning::Pmtrig,
        Meaning::Preexit,
        Meaning::Acqbulk,
        Meaning::Syncs,
        Meaning::Gmma,
        Meaning::GmmaFence,
        Meaning::GmmaWait,
        Meaning::Arrives,
        Meaning::Bulk,
        Meaning::ClusterBarrier,
        Meaning::Qspc,
        Meaning::Hmma,
        Meaning::Imma,
        Meaning::Bmma,
        Meaning::Dmma,
        Meaning::Ldsm,
        Meaning::Stsm,
        Meaning::Movm,
    ];
    let missing: std::collections::BTreeSet<_> = forms()
        .iter()
        .filter(|f| f.chips.contains(crate::Chip::Sm90))
        .map(|f| f.meaning)
        .filter(|m| !seen.contains(m) && !elsewhere.contains(m) && supported(*m))
        .collect();
    assert!(missing.is_empty(), "without a vector: {missing:?}");
}

/// Whether some instruction of the meaning is executed.
fn supported(meaning: Meaning) -> bool {
    let mut rng = crate::Rng(3);
    let of = |f: &&crate::Form| f.meaning == meaning;
    forms().iter().filter(of).any(|f| {
        let id = crate::form(f.id).expect("its own name");
        (0..20).any(|_| {
            let inst = crate::generate(id, &mut rng);
            step(&Concrete::default(), &inst, 0, &mut Bench::default()).is_ok()
        })
    })
}

/// The outcome of one instruction at 0x100, as text.
fn outcome(text: &str, before: &str) -> String {
    let inst = parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let mut bench = bench(before);
    match step(&Concrete::default(), &inst, 0x100, &mut bench) {
        Ok(outcome) => format!("{outcome:?}"),
        Err(trap) => trap.to_string(),
    }
}

#[test]
fn outcomes() {
    let is = |text, before, expected: &str| assert_eq!(outcome(text, before), expected, "{text}");
    is("BRA pc(0x20)", "", "Branch { target: 304, condition: None }");
    is("BRA P0, pc(-0x20)", "P0=1", "Branch { target: 240, condition: Some(0x1:1) }");
    is(
        "BRA.DIV UR4, pc(0x20)",
        "UR4=ff",
        "BranchByConvergence { target: 304, mask: 0xff:32, converged: false }",
    );
    is("BSSY B1, pc(0x10)", "", "SetBarrier { barrier: 1, target: 288 }");
    is("BSYNC B2", "", "Sync { barrier: 2, condition: None }");
    is("BREAK !P0, B2", "P0=1", "Break { barrier: 2, condition: Some(0x0:1) }");
    is("EXIT", "", "Exit { condition: None }");
    is("CALL.REL.NOINC pc(0x30)", "", "Branch { target: 320, condition: None }");
    is("RET.REL.NODEC R4 pc(-0x110)", "R4=50", "IndirectBranch { target: 0x50:64, condition: None }");
    is("BRX R4 -0x110", "R4=50", "IndirectBranch { target: 0x50:64, condition: None }");
    is("BPT.TRAP", "", "trap");
    is("NOP", "", "Next");
    is("MEMBAR.SC.GPU", "", "Next");
    is("YIELD", "", "Yield");
    is("BMOV.32 B1, R4", "R4=f", "WriteBarrier { barrier: 1, mask: 0xf:32 }");
    is("WARPSYNC R4", "R4=f", "Collective { op: WarpSync, args: [0xf:32], results: [] }");
    is(
        "BAR.SYNC.DEFER_BLOCKING 0x1",
        "",
        "Collective { op: Barrier(Sync), args: [0x1:32, 0x0:32, 0x1:1], results: [] }",
    );
    is(
        "BAR.SYNC.DEFER_BLOCKING R4, R4",
        "R4=400003",
        "Collective { op: Barrier(Sync), args: [0x3:32, 0x40:32, 0x1:1], results: [] }",
    );
    is(
        "SHFL.BFLY PT, R0, R4, 0x1, 0x1f",
        "R4=7",
        "Collective { op: Shuffle(Bfly), args: [0x7:32, 0x1:32, 0x1f:32, 0xffffffff:32], results: [Output { register: \
         Some(Register { class: R, number: 0 }), width: 32 }, Output { register: None, width: 1 }] }",
    );
}

#[test]
fn matrix_operations_ask_for_their_registers() {
    let is = |text, before, expected: &str| {
        let found = outcome(text, before);
        assert!(found.starts_with(expected), "{text}: {found}");
    };
    is(
        "HMMA.1688.F32.BF16 R0, -R4, R8, R12",
        "R4=3f80 R8=2 R12=3",
        "Collective { op: Mma(Mma { m: 16, n: 8, k: 8, a: Bf16, b: Bf16, c: F32, d: F32, product: Multiply, saturate: false, \
         rounding: NearestEven }), args: [0x8000bf80:32, 0x80008000:32, 0x2:32, 0x3:32, 0x0:32, 0x0:32, 0x0:32], \
         results: [Output { register: Some(Register { class: R, number: 0 }), width: 32 }, ",
    );
    is(
        "DMMA.8x8x4 R0, R4, R8, R12",
        "R5=3ff00000 R14=7",
        "Collective { op: Mma(Mma { m: 8, n: 8, k: 4, a: F64, b: F64, c: F64, d: F64, product: Multiply, saturate: false, \
         rounding: NearestEven }), args: [0x3ff0000000000000:64, 0x0:64, 0x0:64, 0x7:64], results: [Output { register: \
         Some(Register { class: R, number: 0 }), width: 64 }, Output { register: Some(Register { class: R, number: 2 })",
    );
    is(
        "IMMA.16832.U8.S8.SAT R0, R4.ROW, R8.COL, R12",
        "R4=1",
        "Collective { op: Mma(Mma { m: 16, n: 8, k: 32, a: U8, b: S8, c: S32, d: S32, product: Multiply, saturate: true, \
         rounding: NearestEven }), args: [0x1:32, 0x0:32, 0x0:32, 0x0:32, 0x0:32",
    );
    is(
        "LDSM.16.MT88.2 R0, [R4+0x10]",
        "R4=20",
        "Collective { op: MatrixLoad(Matrices { count: 2, transpose: true }), args: [0x30:32], results: [Output",
    );
    is(
        "STSM.16.M88.2 [R4], R8",
        "R4=20 R8=1 R9=2",
        "Collective { op: MatrixStore(Matrices { count: 2, transpose: false }), args: [0x20:32, 0x1:32, 0x2:32], results: []",
    );
    is("MOVM.16.MT88 R0, R4", "R4=5", "Collective { op: MatrixTranspose, args: [0x5:32], results: [Output");
}

/// Fields that have no meaning for results: cache hints and what prints only.
const WITHOUT_MEANING: &[&str] = &[
    "ev", "l2", "ltc", "bypass", "u", // caches, descriptors
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
