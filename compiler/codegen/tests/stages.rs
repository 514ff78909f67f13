//! Small functions through all stages.

use sassafras_codegen as codegen;
use sassafras_machine::{Function, Phase, text};

fn parse(body: &str) -> Function {
    let head = "sassafras machine 1 ssa sm_90\nfunction \"k\"\n";
    text::parse(&format!("{head}{body}")).unwrap_or_else(|error| panic!("{error}"))
}

fn through(f: &mut Function) -> codegen::Code {
    codegen::prepare(f).unwrap();
    codegen::arrange(f, codegen::Effort::default()).unwrap();
    codegen::allocate(f).unwrap();
    codegen::expand(f).unwrap();
    codegen::converge(f).unwrap();
    codegen::layout(f).unwrap();
    codegen::schedule(f).unwrap();
    assert_eq!(f.phase, Phase::Scheduled);
    assert_eq!(text::parse(&text::print(f)).as_ref(), Ok(&*f));
    codegen::emit(f, &[]).unwrap()
}

const VADD: &str = "entry b0
layout b0 b1 b2
frame local 0 spill 0
shared 0
params 28
registers 253
v0 R 1
v1 R 1
v2 R 1
v3 P 1
v4 R 1
v5 R 2
v6 R 2
v7 R 1
v8 R 1
v9 R 1
v10 R 1
v11 UR 2
b0():
  s2r d=v0 sr=0x25
  s2r d=v1 sr=0x21
  mov.c d=v4 b=0x0
  imad.rrr d=v2 a=v0 b=v4 c=v1
  isetp.rc d=v3 cmp=.GE a=v2 b=0x228
  @v3 bra ; target b2
  -> b2(), b1()
b1():
  uldc d=v11 sz=.64 o=0x208
  mov.i d=v9 b=0x4
  mov.c d=v7 b=0x210
  mov.c d=v8 b=0x214
  pack v5, v7:R:1, v8:R:1
  imad.wide.rrr d=v6 a=v2 b=v9 c=v5
  ldg d=v10 u=v11 a=v6
  stg u=v11 a=v6 b=v10
  -> b2()
b2():
  exit
";

#[test]
fn vadd() {
    let mut f = parse(VADD);
    let code = through(&mut f);
    // The bounds test became a guarded exit, and lanes that only meet at the exit need no barrier.
    let ids: Vec<&str> = f.insts().filter_map(|(_, _, inst)| inst.inst()).map(|real| real.row().id).collect();
    assert_eq!(ids.iter().filter(|id| **id == "exit").count(), 2);
    assert!(!ids.contains(&"bssy") && !ids.contains(&"bra"));
    assert_eq!(code.exits.len(), 2);
    assert_eq!(code.words.len() % 8, 0);
    // The same text gives the same words.
    assert_eq!(through(&mut parse(VADD)), code);
}

/// Two words of shared memory, each written and read.
const WORDS: &str = "entry b0
layout b0
frame local 0 spill 0
shared 16
params 0
registers 253
v0 R 1
v1 R 1
v2 R 1
v3 R 1
v4 R 1
b0():
  s2r d=v0 sr=0x21
  mov.i d=v1 b=0x4
  sts a=v0 b=v1
  lds d=v2 a=v0
  sts a=v0 o=0x4 b=v1
  lds d=v3 a=v0 o=0x4
  iadd3.rrr d=v4 a=v2 b=v3 c=0xff
  sts a=v0 o=0x8 b=v4
  exit
";

#[test]
fn accesses_that_are_not_weak_keep_their_order() {
    let order = |text: &str| {
        let mut f = parse(text);
        through(&mut f);
        let ids = f.insts().filter_map(|(_, _, inst)| inst.inst()).map(|real| real.row().id);
        ids.filter(|id| ["lds", "sts"].contains(id)).collect::<Vec<_>>()
    };
    let ordered: String = WORDS
        .lines()
        .map(|line| match line.trim_start().starts_with("sts") || line.trim_start().starts_with("lds") {
            true => format!("{line} ; ordered\n"),
            false => format!("{line}\n"),
        })
        .collect();
    assert_eq!(order(&ordered), ["sts", "lds", "sts", "lds", "sts"]);
    assert_eq!(order(WORDS), ["sts", "sts", "lds", "lds", "sts"]);
}

mod random;

/// Every fault finds a place in some random function, and what it leaves is still a function with a text.
#[test]
fn faults_find_places() {
    use codegen::plant::{Fault, Stage, plant};
    for &fault in Fault::ALL {
        assert_eq!(Fault::named(fault.name()), Some(fault));
        let made = (0..60).any(|seed| {
            let mut f = random::function(&mut sassafras_isa::Rng(seed));
            f.max_registers = 16;
            codegen::prepare(&mut f).unwrap();
            codegen::arrange(&mut f, codegen::Effort::default()).unwrap();
            if fault.stage() > Stage::Arrange {
                codegen::allocate(&mut f).unwrap();
            }
            if fault.stage() > Stage::Allocate {
                codegen::expand(&mut f).unwrap();
            }
            if fault.stage() > Stage::Expand {
                codegen::converge(&mut f).unwrap();
            }
            if fault.stage() > Stage::Converge {
                codegen::layout(&mut f).unwrap();
            }
            if fault.stage() > Stage::Layout {
                codegen::schedule(&mut f).unwrap();
            }
            let before = f.clone();
            let made = plant(fault, &mut f, seed);
            assert_eq!(made, f != before, "{}", fault.name());
            assert_eq!(text::parse(&text::print(&f)).as_ref(), Ok(&f));
            if fault.stage() == Stage::Schedule {
                codegen::emit(&f, &[]).unwrap();
            }
            made
        });
        assert!(made, "no place for {}", fault.name());
    }
}
