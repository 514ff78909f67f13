//! The four gates, and the registers of the third.

use crate::{ONE, THREE, TWO, diamond, folded, folded_with, machine, tail};
use sassafras_codegen::fold::Gate;
use sassafras_codegen::fold::reserved::{Place, live_ins, read, reserved};
use sassafras_machine::{Block, RegClass};

#[test]
fn bf_11_gate_1_the_length() {
    let two: String = THREE.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let (_, stats) = folded(&diamond("", ONE, TWO, &two));
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Length]));
}

/// An end that is not understood: a return.
#[test]
fn bf_11_gate_2_the_branch() {
    let body = format!(
        "b0():\n  @P0 bra ; target b2\n  -> b2(), b1()\n\
         b1():\n{ONE}{THREE}  ret a=R20\n\
         b2():\n{TWO}{THREE}  ret a=R20\n"
    );
    let (_, stats) = folded(&body);
    assert_eq!(stats.merges, []);
    // The return ends the tail before the gate is asked; an end without one is asked.
    let body = body.replace("  ret a=R20\n", "  @P3 exit\n");
    let (_, stats) = folded(&body);
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Branch]));
}

#[test]
fn bf_11_gate_3_reserved_registers() {
    let shared = format!("  s2r d=R9 sr=0x21\n{THREE}");
    let (_, stats) = folded(&diamond("", ONE, TWO, &shared));
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Reserved]));
}

/// One instruction and a branch to it are no fewer than two; where one block is the tail alone, two are fewer.
#[test]
fn bf_11_gate_4_the_profit() {
    let two: String = THREE.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let small = [("tail-merge-size", "1")];
    let (_, stats) = folded_with(&diamond("", ONE, TWO, &two), &small);
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Profit]));
    let (_, stats) = folded_with(&diamond("", "", TWO, &two), &small);
    assert_eq!(stats.merges, [tail(1, &[1, 2], 2)]);
    let one: String = THREE.lines().skip(2).map(|line| format!("{line}\n")).collect();
    let (_, stats) = folded_with(&diamond("", "", TWO, &one), &small);
    assert_eq!((stats.merges, stats.rejected), (vec![], vec![Gate::Profit]));
}

/// The gates are asked in their order: what fails several fails the first.
#[test]
fn bf_11_the_order_of_the_gates() {
    let (_, stats) = folded(&diamond("", ONE, TWO, "  s2r d=R9 sr=0x21\n  iadd3.rrr d=R8 a=R9 b=R7 c=R6\n"));
    assert_eq!(stats.rejected, [Gate::Length]);
}

/// One reserved register rejects the whole tail: not even the part behind it, which would be long enough, is merged.
#[test]
fn bf_12_any_hit_rejects_all() {
    let shared = format!("  s2r d=R9 sr=0x25\n{THREE}  mov.i d=R10 b=0x7\n");
    assert_eq!(folded(&diamond("", ONE, TWO, &shared)).1.merges, []);
    // Without it the part alone is merged.
    let (_, stats) = folded(&diamond(
        "",
        &format!("{ONE}  s2r d=R9 sr=0x25\n"),
        &format!("{TWO}  s2r d=R9 sr=0x26\n"),
        &format!("{THREE}  mov.i d=R10 b=0x7\n"),
    ));
    assert_eq!(stats.merges, [tail(4, &[1, 2], 4)]);
}

#[test]
fn bf_13_the_63_registers() {
    let count = |group: &str| reserved().iter().filter(|row| row.group == group).count();
    assert_eq!(reserved().len(), 63);
    let groups = ["thread", "block size", "block", "grid size", "warp", "cluster", "stack", "environment"];
    assert_eq!(groups.map(count), [3, 3, 3, 3, 2, 15, 2, 32]);
    // Those that an instruction reads by itself are found in it: special registers, and words of the constant bank.
    let mut found = 0;
    let bank = sassafras_isa::Chip::Sm90.bank();
    for row in reserved() {
        let text = match row.place {
            Place::Special(number) => format!("  s2r d=R9 sr={number:#x}\n"),
            Place::Word("environment", index) => {
                format!("  mov.c d=R9 b={:#x}\n", bank.environment_word(index as u8))
            }
            Place::Word("block_size", index) => format!("  mov.c d=R9 b={:#x}\n", bank.block_size[index]),
            Place::Word("grid_size", index) => format!("  uldc d=UR9 o={:#x}\n", bank.grid_size[index]),
            Place::Word(..) | Place::Stack | Place::Computed => continue,
        };
        let f = machine(&format!("b0():\n{text}  exit\n"));
        let names: Vec<&str> =
            read(&f, &f.blocks[Block(0)].insts[0]).iter().map(|found| found.name).collect();
        assert!(names.contains(&row.name), "{}: {text} reads {names:?}", row.name);
        found += 1;
    }
    assert_eq!(found, 3 + 3 + 3 + 3 + 2 + 1 + 32);
    // A special register that is none of them, and a parameter.
    let f = machine("b0():\n  s2r d=R9 sr=0x38\n  mov.c d=R9 b=0x210\n  exit\n");
    assert!(f.blocks[Block(0)].insts.iter().all(|inst| read(&f, inst).is_empty()));
}

/// R1 is the stack pointer where there is a frame, and a register like others where there is none.
#[test]
fn bf_13_the_stack_pointer() {
    let body = "b0():\n  iadd3.rir d=R9 a=R1 b=0x8\n  exit\n";
    let mut f = machine(body);
    assert!(read(&f, &f.blocks[Block(0)].insts[0]).is_empty());
    f.frame.spill_bytes = 16;
    let names: Vec<&str> = read(&f, &f.blocks[Block(0)].insts[0]).iter().map(|row| row.name).collect();
    assert_eq!(names, ["%SP", "%SPL"]);
}

/// What is read before it is written, without what is reserved.
#[test]
fn bf_14_live_ins_of_a_tail() {
    let mut f = machine(&format!("b0():\n{THREE}  @P0 mov.r d=R12 b=R1\n  mov.r d=R13 b=R12\n  exit\n"));
    let live = |f: &sassafras_machine::Function| live_ins(f, &f.blocks[Block(0)].insts);
    use RegClass::{P, R};
    // R12 is live: where the guard is false it is not written.
    assert_eq!(live(&f), [(R, 1), (R, 4), (R, 5), (R, 6), (R, 12), (P, 0)]);
    f.frame.local_bytes = 16;
    assert_eq!(live(&f), [(R, 4), (R, 5), (R, 6), (R, 12), (P, 0)]);
}
