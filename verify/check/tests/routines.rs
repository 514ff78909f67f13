//! Routines behind a kernel: all of them compile on every generation of chips and are judged, and planted faults are caught.

#[allow(dead_code)]
#[path = "forms/collect.rs"]
mod collect;

use collect::Routines;
use sassafras_check::encode;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use sassafras_isa::{Inst, decode, encode as word_of};
use sassafras_machine::Function;
use std::sync::Mutex;

/// A kernel that calls every routine: twice each division, so that none is written out.
fn kernel() -> String {
    let mut body = String::new();
    for (mode, of) in [("rn", "f32"), ("rz", "f32"), ("rm", "f32"), ("rp", "f32")] {
        body += &format!("div.{mode}.{of} f, f, g;\ndiv.{mode}.{of} g, g, f;\n");
        body += &format!("div.{mode}.ftz.{of} f, f, g;\ndiv.{mode}.ftz.{of} g, g, f;\n");
    }
    for mode in ["rn", "rz", "rm", "rp"] {
        body += &format!("div.{mode}.f64 x, x, y;\ndiv.{mode}.f64 y, y, x;\n");
    }
    body += "div.u64 a, a, b;\ndiv.u64 b, c, a;\nrem.u64 a, c, b;\nrem.s64 b, b, a;\n";
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b64 o, a, b, c;\n.reg .f32 f, g;\n.reg .f64 x, y;\nld.param.u64 o, [p];\n\
         ld.global.f32 f, [o];\nld.global.f32 g, [o+4];\nld.global.f64 x, [o+8];\nld.global.f64 y, [o+16];\n\
         ld.global.u64 a, [o+24];\nld.global.u64 b, [o+32];\nld.global.u64 c, [o+40];\n{body}\
         st.global.f32 [o], f;\nst.global.f32 [o+4], g;\nst.global.f64 [o+8], x;\nst.global.f64 [o+16], y;\n\
         st.global.u64 [o+24], a;\nst.global.u64 [o+32], b;\nret;\n}}\n"
    )
}

/// Keeps the words.
#[derive(Default)]
struct Keep(Mutex<Option<(Function, Routines, Vec<u128>)>>);

impl Observer for Keep {
    fn observe(&self, _: Stage, _: Option<Form<'_>>, after: Form<'_>, _: &Notes) -> Result<(), Objection> {
        if let Form::Words(f, routines, words) = after {
            *self.0.lock().expect("nobody panics") = Some((f.clone(), routines.to_vec(), words.to_vec()));
        }
        Ok(())
    }
}

fn compiled(arch: &str) -> (Function, Routines, Vec<u128>) {
    let options = Options { arch: arch.parse().ok().map(Arch::Real), jobs: 1, ..Options::default() };
    let keep = Keep::default();
    session::compile(&kernel(), "k.ptx", &options, None, &keep).unwrap_or_else(|e| panic!("{arch}: {e}"));
    keep.0.into_inner().expect("nobody panics").expect("there are words")
}

#[test]
fn every_routine_keeps_to_the_convention() {
    for arch in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        let (f, routines, words) = compiled(arch);
        assert_eq!(routines.len(), sassafras_semantics::Routine::ALL.len(), "{arch}");
        let verdict = encode::check(&f, &routines, &words, f.chip);
        let said: Vec<String> = verdict.objections().iter().map(ToString::to_string).collect();
        assert!(said.is_empty(), "{arch}:\n{}", said.join("\n"));
    }
}

/// The rules that object.
fn objected(f: &Function, routines: &Routines, words: &[u128]) -> Vec<String> {
    let verdict = encode::check(f, routines, words, f.chip);
    verdict.objections().iter().map(|finding| finding.rule.to_string()).collect()
}

/// Changes the first instruction of a function for which `change` has something to change.
fn change(f: &mut Function, change: impl Fn(&mut Inst) -> bool) {
    for block in f.layout.clone() {
        for inst in &mut f.blocks[block].insts {
            if inst.inst_mut().is_some_and(&change) {
                return;
            }
        }
    }
    panic!("the fault found no place");
}

#[test]
fn faults_are_caught() {
    let (f, routines, words) = compiled("sm_90");

    // A register beyond the convention.
    let mut wrong = routines.clone();
    change(&mut wrong[0].1, |inst| inst.row().mnemonic == "LOP3" && inst.set("d", 60).is_ok());
    assert!(objected(&f, &wrong, &words).contains(&"routine-registers".to_owned()));

    // A return by another register.
    let mut wrong = routines.clone();
    change(&mut wrong[0].1, |inst| inst.row().mnemonic == "RET" && inst.set("a", 4).is_ok());
    assert!(objected(&f, &wrong, &words).contains(&"routine-return".to_owned()));

    // A return address one word on, and a call of the wrong place.
    for (mnemonic, field, rule) in [("MOV", "b", "routine-call"), ("CALL", "t", "words-decode")] {
        let mut wrong = words.clone();
        let own = f.insts().count();
        let called = |at: usize| decode(words[at], f.chip).is_ok_and(|inst| inst.row().mnemonic == "CALL");
        let call = (0..own).find(|&at| called(at)).expect("there is a call");
        let at = (0..=call)
            .rev()
            .find(|&at| {
                decode(words[at], f.chip)
                    .is_ok_and(|i| i.row().mnemonic == mnemonic && i.get("d").is_none_or(|d| d == 2))
            })
            .expect("there is one");
        let mut inst = decode(words[at], f.chip).expect("it decodes");
        let value = inst.get(field).expect("it has the field");
        inst.set(field, value.wrapping_add(16)).expect("it fits");
        wrong[at] = word_of(&inst, f.chip).expect("it encodes");
        assert!(objected(&f, &routines, &wrong).contains(&rule.to_owned()), "{mnemonic}");
    }

    // What the routine's estimate is waited for by.
    let mut wrong = words.clone();
    let behind = f.insts().count();
    let waits = |at: &usize| decode(words[*at], f.chip).is_ok_and(|inst| inst.control.wait_mask != 0);
    let at = (behind..words.len()).find(waits).expect("a routine waits");
    let mut inst = decode(words[at], f.chip).expect("it decodes");
    inst.control.wait_mask = 0;
    wrong[at] = word_of(&inst, f.chip).expect("it encodes");
    assert!(objected(&f, &routines, &wrong).contains(&"routine-hazard".to_owned()));

    // A routine that is not there.
    assert!(!objected(&f, &routines[1..].to_vec(), &words).is_empty());
}

/// Values that live across a call lie above what the routine uses, and fewer registers are tried where more warps fit then.
#[test]
fn kernels_that_ptxas_leaves_all_warps_keep_them() {
    let arch = || "sm_90".parse().ok().map(Arch::Real);
    let options = Options { arch: arch(), jobs: 1, ..Options::default() };
    for name in ["cholesky", "divide", "image"] {
        let file = format!("{}/../../corpus/kernels/{name}/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&file).expect("the corpus has it");
        let made = session::compile(&text, name, &options, None, &sassafras_driver::observe::Nobody);
        let (cubin, _) = made.unwrap_or_else(|e| panic!("{name}: {e}")).cubin.expect("there is a cubin");
        for function in &cubin.functions {
            let registers = function.registers;
            let chip = sassafras_isa::Chip::Sm90;
            let (warps, all) = (chip.warps_by_registers(registers), chip.warps_per_multiprocessor());
            assert_eq!(warps, all, "{name}: {} with {registers} registers", function.name);
        }
    }
}
