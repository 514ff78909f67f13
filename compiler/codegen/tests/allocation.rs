//! Random functions before and after allocation, run side by side by an interpreter that knows no instruction: each
//! gives a mix of what it reads. What is compared is what every instruction reads, and where branches go.

mod random;

use random::function;
use sassafras_codegen as codegen;
use sassafras_isa::Rng;
use sassafras_machine::*;
use std::collections::HashMap;

/// A unit of any register, or a slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum At {
    Virtual(VReg, u8),
    Physical(RegClass, u16),
    Slot(u32),
}

/// A value; `None` is undefined.
type Value = Option<u64>;

fn mix(seed: u64, values: &[Value]) -> Value {
    let mut hash = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xa5;
    for value in values {
        hash = (hash ^ (*value)?).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    }
    Some(hash ^ hash >> 31)
}

struct Machine {
    values: HashMap<At, u64>,
}

impl Machine {
    fn units(class: RegClass, reg: Reg, units: u8) -> Vec<At> {
        let unit = |u: u8| match reg {
            Reg::Virtual(v, first) => At::Virtual(v, first + u),
            Reg::Physical(first) => At::Physical(class, first + u16::from(u)),
        };
        (0..units).map(unit).collect()
    }

    fn read(&self, class: RegClass, reg: Reg, units: u8) -> Vec<Value> {
        if reg.is_constant(class) {
            return vec![Some(class.constant().unwrap()); units.into()];
        }
        Self::units(class, reg, units).iter().map(|at| self.values.get(at).copied()).collect()
    }

    fn place(&self, place: &Place) -> Vec<Value> {
        self.read(place.class, place.reg, place.units)
    }

    fn set(&mut self, at: At, value: Value) {
        match value {
            Some(value) => self.values.insert(at, value),
            None => self.values.remove(&at),
        };
    }

    fn write(&mut self, class: RegClass, reg: Reg, values: &[Value]) {
        for (at, value) in Self::units(class, reg, values.len() as u8).into_iter().zip(values) {
            self.set(at, *value);
        }
    }

    fn pseudo(&mut self, pseudo: &Pseudo) {
        match pseudo {
            Pseudo::Copy { dst, src } => {
                let values = self.place(src);
                self.write(dst.class, dst.reg, &values);
            }
            Pseudo::ParallelCopy(moves) => {
                let values: Vec<_> = moves.iter().map(|(_, src)| self.place(src)).collect();
                for ((dst, _), values) in moves.iter().zip(values) {
                    self.write(dst.class, dst.reg, &values);
                }
            }
            Pseudo::Swap { a, b } => {
                assert_eq!(a.class, b.class);
                let (x, y) = (self.place(a), self.place(b));
                self.write(a.class, a.reg, &y);
                self.write(b.class, b.reg, &x);
            }
            Pseudo::Pack { dst, parts } => {
                let values: Vec<Value> = parts.iter().flat_map(|part| self.place(part)).collect();
                self.write(RegClass::R, (*dst).into(), &values);
            }
            Pseudo::Undef { dst } => self.write(dst.class, dst.reg, &vec![None; dst.units.into()]),
            Pseudo::FrameAddress { dst, offset } => {
                self.write(dst.class, dst.reg, &[Some(u64::from(*offset))])
            }
            Pseudo::Call { .. } | Pseudo::Invoke { .. } | Pseudo::Enter { .. } | Pseudo::Leave { .. } => {
                panic!("random functions call nothing")
            }
            Pseudo::Spill { slot, src } => {
                for (unit, value) in self.place(src).into_iter().enumerate() {
                    self.set(At::Slot(slot + 4 * unit as u32), value);
                }
            }
            Pseudo::Reload { dst, slot } => {
                let slots = (0..dst.units).map(|unit| At::Slot(slot + 4 * u32::from(unit)));
                let values: Vec<Value> = slots.map(|at| self.values.get(&at).copied()).collect();
                self.write(dst.class, dst.reg, &values);
            }
        }
    }
}

/// What one instruction read, and whether its guard held.
type Event = (u32, Vec<Value>, Option<bool>);

fn run(f: &Function, steps: usize) -> Vec<Event> {
    let mut machine = Machine { values: HashMap::new() };
    let mut trace = Vec::new();
    let mut block = f.entry;
    // Blocks are counted too: a loop may hold no instruction.
    for _ in 0..steps {
        if trace.len() >= steps {
            break;
        }
        let mut taken = false;
        for inst in &f.blocks[block].insts {
            let real = match &inst.op {
                Op::Pseudo(pseudo) => {
                    machine.pseudo(pseudo);
                    continue;
                }
                Op::Inst(real) => real,
            };
            let reads: Vec<Value> = inst
                .uses()
                .filter(|operand| !matches!(operand.position, Position::Tied(_)))
                .flat_map(|operand| machine.read(operand.class, operand.reg, operand.units))
                .collect();
            let guard = match inst.uses().find(|operand| operand.position == Position::Guard) {
                None => Some(true),
                Some(operand) => {
                    let value = machine.read(operand.class, operand.reg, 1)[0];
                    value.map(|value| (value.count_ones() % 2 == 1) != real.guard.negate)
                }
            };
            let id = inst.origin.expect("prepared");
            trace.push((id, reads.clone(), guard));
            if guard.is_none() && inst.target.is_some() {
                return trace;
            }
            taken = inst.target.is_some() && guard == Some(true);
            for def in inst.defs() {
                let Position::Field(field) = def.position else { panic!() };
                let old = match inst.tied.iter().find(|tied| tied.field == field) {
                    Some(tied) => machine.read(def.class, tied.old, def.units),
                    None => vec![None; def.units.into()],
                };
                let new = (0..def.units)
                    .map(|u| mix(u64::from(id) * 4096 + field as u64 * 8 + u64::from(u), &reads));
                let values: Vec<Value> = match guard {
                    Some(true) => new.collect(),
                    Some(false) => old,
                    None => vec![None; def.units.into()],
                };
                machine.write(def.class, def.reg, &values);
            }
        }
        let succs = &f.blocks[block].succs;
        let edge = match succs.len() {
            0 => return trace,
            1 => &succs[0],
            _ => &succs[usize::from(!taken)],
        };
        let args: Vec<Vec<Value>> = edge.args.iter().map(|&arg| machine.place(&f.place(arg))).collect();
        for (&param, values) in f.blocks[edge.block].params.iter().zip(args) {
            machine.write(f.vregs[param].class, param.into(), &values);
        }
        block = edge.block;
    }
    trace
}

/// How a run after allocation is another.
#[derive(Debug, thiserror::Error)]
enum Difference {
    #[error("step {step}: {before} became {after}")]
    Instruction { step: usize, before: u32, after: u32 },
    #[error("step {step}, instruction {instruction}: reads {after}, not {before}")]
    Reads { step: usize, instruction: u32, before: String, after: String },
    #[error("step {step}, instruction {instruction}: guard {guard}")]
    Guard { step: usize, instruction: u32, guard: String },
    #[error("one ends before the other")]
    End,
}

fn same(before: &[Event], after: &[Event]) -> Result<(), Difference> {
    for (index, (a, b)) in before.iter().zip(after).enumerate() {
        if a.0 != b.0 {
            return Err(Difference::Instruction { step: index, before: a.0, after: b.0 });
        }
        let values = a.1.len() == b.1.len() && a.1.iter().zip(&b.1).all(|(a, b)| a.is_none() || a == b);
        if !values {
            let (before, after) = (format!("{:?}", a.1), format!("{:?}", b.1));
            return Err(Difference::Reads { step: index, instruction: a.0, before, after });
        }
        if a.2.is_none() {
            return Ok(());
        }
        if a.2 != b.2 {
            let guard = format!("{:?}", b.2);
            return Err(Difference::Guard { step: index, instruction: a.0, guard });
        }
    }
    if before.len().min(400) != after.len().min(400) { Err(Difference::End) } else { Ok(()) }
}

fn check_registers(f: &Function) {
    for (block, index, inst) in f.insts() {
        for operand in inst.operands() {
            let Reg::Physical(number) = operand.reg else { panic!("{block} {index}: virtual register") };
            let count = match operand.class {
                RegClass::R => f.max_registers,
                RegClass::UR => 63,
                _ => 7,
            };
            assert!(u32::from(number) + u32::from(operand.units) <= count, "{block} {index}: {operand:?}");
            let wide = matches!(inst.op, Op::Inst(_));
            assert!(!wide || number % u16::from(operand.units) == 0, "{block} {index}: {operand:?}");
        }
    }
}

#[test]
fn same_reads_before_and_after() {
    let (mut spilled, mut swaps) = (0, 0);
    for seed in 0..600 {
        let mut rng = Rng(seed);
        let mut f = function(&mut rng);
        f.max_registers = [14, 16, 20, 40, 253][seed as usize % 5];
        codegen::prepare(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", text::print(&f)));
        let before = f.clone();
        let stats = codegen::allocate(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        spilled += stats.spilled;
        swaps += f.insts().filter(|(_, _, i)| matches!(i.as_pseudo(), Some(Pseudo::Swap { .. }))).count();
        check_registers(&f);
        let (x, y) = (run(&before, 400), run(&f, 400));
        if let Err(what) = same(&x, &y) {
            panic!("seed {seed}: {what}\n{}\n{}", text::print(&before), text::print(&f));
        }
        assert_eq!(text::parse(&text::print(&f)), Ok(f.clone()));
    }
    assert!(spilled > 1000 && swaps > 10, "{spilled} spilled, {swaps} swaps");
}

#[test]
fn all_stages_succeed() {
    for seed in 0..200 {
        let mut f = function(&mut Rng(seed));
        f.max_registers = [14, 40, 253][seed as usize % 3];
        codegen::prepare(&mut f).unwrap();
        codegen::allocate(&mut f).unwrap();
        codegen::expand(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        codegen::converge(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        codegen::layout(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        codegen::schedule(&mut f).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let code = codegen::emit(&f, &[]).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(code.words.len() % 8, 0);
        // The same input gives the same words.
        assert_eq!(text::parse(&text::print(&f)), Ok(f));
    }
}
