//! Copies of tensors and bulk copies out of shared memory: kernels of every form are compiled, judged and proved, and no planted fault passes.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours_for, z3};
use sassafras_check::{Verdict as Judged, hazard};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, decode, encode, parse};
use sassafras_prove::{Limits, Verdict, prove_within};

fn kernel(what: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n\
         .visible .entry k(.param .u64 to, .param .u64 map, .param .u64 policy, .param .u32 n) .reqntid 128\n{{\n\
         .reg .b64 %d<5>;\n.reg .pred %p<3>;\n.reg .b32 %r<12>;\n.reg .b16 %h<5>;\n.shared .align 128 .b8 tile[1024];\n\
         .shared .align 8 .b64 bar;\nld.param.u64 %d0, [to];\nld.param.u64 %d1, [map];\nld.param.u64 %d2, [policy];\nld.param.u32 %r0, [n];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\nmov.u32 %r3, bar;\nadd.u32 %r4, %r0, 1;\nadd.u32 %r5, %r0, 2;\nadd.u32 %r6, %r0, 3;\n\
         add.u32 %r7, %r0, 4;\nadd.u32 %r8, %r0, 5;\ncvt.u16.u32 %h0, %r0;\ncvt.u16.u32 %h1, %r4;\ncvt.u16.u32 %h2, %r5;\ncvt.u16.u32 %h3, %r6;\n\
         setp.ne.u32 %p0, %r1, 0;\n@%p0 bra E;\n{what}\nE: ret;\n}}\n"
    )
}

const COORDINATES: [&str; 5] =
    ["{%r4}", "{%r4, %r5}", "{%r4, %r5, %r6}", "{%r4, %r5, %r6, %r7}", "{%r4, %r5, %r6, %r7, %r8}"];

fn forms() -> Vec<String> {
    let mut all = Vec::new();
    for (n, at) in (1..).zip(COORDINATES) {
        let copy = format!("cp.async.bulk.tensor.{n}d");
        let bar = "mbarrier::complete_tx::bytes";
        all.push(format!("{copy}.shared::cluster.global.tile.{bar} [%r2], [%d1, {at}], [%r3];"));
        all.push(format!("{copy}.global.shared::cta.tile.bulk_group [%d1, {at}], [%r2];"));
        all.push(format!("cp.async.bulk.prefetch.tensor.{n}d.L2.global.tile [%d1, {at}];"));
    }
    let [_, two, three, four, five] = COORDINATES;
    let bar = "mbarrier::complete_tx::bytes";
    for (n, at, offsets) in [(3, three, "{%h1}"), (4, four, "{%h1, %h2}"), (5, five, "{%h1, %h2, %h3}")] {
        let copy = format!("cp.async.bulk.tensor.{n}d");
        all.push(format!("{copy}.shared::cluster.global.im2col.{bar} [%r2], [%d1, {at}], [%r3], {offsets};"));
        all.push(format!("{copy}.global.shared::cta.im2col_no_offs.bulk_group [%d1, {at}], [%r2];"));
        all.push(format!("cp.async.bulk.prefetch.tensor.{n}d.L2.global.im2col [%d1, {at}], {offsets};"));
    }
    all.push(format!(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.{bar}.multicast::cluster.L2::cache_hint [%r2], [%d1, {four}], [%r3], {{%h1, %h2}}, %h0, %d2;"
    ));
    let copy = "cp.async.bulk.tensor.2d";
    all.push(format!(
        "{copy}.shared::cluster.global.{bar}.multicast::cluster [%r2], [%d1, {two}], [%r3], %h0;"
    ));
    all.push(format!("{copy}.shared::cluster.global.{bar}.L2::cache_hint [%r2], [%d1, {two}], [%r3], %d2;"));
    all.push(format!("{copy}.global.shared::cta.bulk_group.L2::cache_hint [%d1, {two}], [%r2], %d2;"));
    all.push(format!("cp.async.bulk.prefetch.tensor.2d.L2.global.L2::cache_hint [%d1, {two}], %d2;"));
    for op in ["add", "min", "max", "inc", "dec", "and", "or", "xor"] {
        let reduce = "cp.reduce.async.bulk.tensor.2d.global.shared::cta";
        all.push(format!("{reduce}.{op}.tile.bulk_group [%d1, {two}], [%r2];"));
    }
    all.push("prefetch.tensormap [%d1];".into());
    let groups = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group";
    all.push(format!("cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r2], %r0;\n{groups} 0;"));
    all.push(format!(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%d0], [%r2], %r0, %d2;\n{groups}.read 3;\n{groups} 0;"
    ));
    let copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    all.push(format!("{copy} [%r2], [%d0], %r0, [%r3], %h0;"));
    all.push(format!("{copy}.L2::cache_hint [%r2], [%d0], %r0, [%r3], %h0, %d2;"));
    all.push("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%d0], %r0, %d2;".into());
    all
}

fn chip() -> Chip {
    Chip::from_number(90).expect("a chip")
}

fn compiled(text: &str) -> Cubin {
    ours_for(text, "sm_90a").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn every_form_is_proved() {
    let Some(mut z3) = z3("every_form_is_proved") else { return };
    for what in forms() {
        let text = kernel(&what);
        let cubin = compiled(&text);
        let judged = hazard::check_words(&cubin.functions[0].code, chip());
        assert_eq!(judged, Judged::Passed, "{what}");
        let record = prove_within(&module(&text), "k", &cubin, &mut z3, Limits::default());
        assert_eq!(record.verdict, Verdict::Proved, "{}\n{what}", line(&record));
    }
}

/// A store from shared memory, its group, a wait, and what is stored to the same place behind it.
const OUT: &str = "st.shared.u32 [%r2], %r0;\nfence.proxy.async.shared::cta;\ncp.async.bulk.global.shared::cta.bulk_group [%d0], [%r2], 1024;\n\
                   cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nst.shared.u32 [%r2], %r4;";

#[test]
fn no_planted_fault_passes() {
    let Some(mut z3) = z3("no_planted_fault_passes") else { return };
    let nop =
        encode(&parse("NOP", &sassafras_isa::Style::default()).expect("a text"), chip()).expect("a word");
    let tensor = format!(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d1, {}], [%r2];\ncp.async.bulk.commit_group;\n\
         cp.async.bulk.wait_group 1;\ncp.async.bulk.wait_group 0;",
        COORDINATES[1]
    );
    let mut caught = std::collections::BTreeMap::<String, usize>::new();
    for what in [OUT, &tensor] {
        let text = kernel(what);
        let (module, cubin) = (module(&text), compiled(&text));
        for (at, &word) in cubin.functions[0].code.iter().enumerate() {
            let inst = decode(word, chip()).expect("a word");
            let name = inst.row().mnemonic;
            let mut faults = Vec::new();
            match name {
                "UBLKCP" | "UTMASTG" | "UTMACMDFLUSH" | "CCTL" => faults.push(("lost", nop)),
                "DEPBAR" => {
                    faults.push(("lost", nop));
                    let mut fewer = inst.clone();
                    fewer.set("n", inst.get("n").unwrap_or(0) + 1).expect("a field");
                    faults.push(("for fewer", encode(&fewer, chip()).expect("a word")));
                }
                _ => {}
            }
            if let "UBLKCP" | "UTMASTG" = name {
                let mut other = inst.clone();
                other.set("b", inst.get("b").unwrap_or(0) ^ 8).expect("a field");
                faults.push(("wrong registers", encode(&other, chip()).expect("a word")));
            }
            for (fault, word) in faults {
                let mut changed = cubin.clone();
                changed.functions[0].code[at] = word;
                let by_hazards =
                    matches!(hazard::check_words(&changed.functions[0].code, chip()), Judged::Objected(_));
                let verdict = prove_within(&module, "k", &changed, &mut z3, Limits::default()).verdict;
                assert!(by_hazards || verdict != Verdict::Proved, "{name}, {fault}, passes:\n{what}");
                sassafras_oracle::fault::planted("prove", &chip(), &format!("{name} {fault}"), 1, 1);
                *caught.entry(format!("{name} {fault}")).or_default() += 1;
            }
        }
    }
    assert_eq!(caught.len(), 8, "{caught:?}");
}

/// Nothing else raises the scoreboard that counts groups.
#[test]
fn groups_have_a_scoreboard_of_their_own() {
    let mut cubin = compiled(&kernel(OUT));
    assert_eq!(hazard::check_words(&cubin.functions[0].code, chip()), Judged::Passed);
    let raised = |word: &u128| decode(*word, chip()).is_ok_and(|i| i.control.write_barrier < 6);
    let at = cubin.functions[0].code.iter().position(raised).expect("a scoreboard");
    let mut inst = decode(cubin.functions[0].code[at], chip()).expect("a word");
    inst.control.write_barrier = 0;
    cubin.functions[0].code[at] = encode(&inst, chip()).expect("a word");
    assert!(matches!(hazard::check_words(&cubin.functions[0].code, chip()), Judged::Objected(_)));
}
