//! Products of a warpgroup: kernels of every type of factor are compiled, judged and proved, and no planted fault of registers, waits or descriptors
//! passes both the hazard judge and the prover.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours_for, z3};
use sassafras_check::{Verdict as Judged, hazard};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Inst, Meaning, RegClass, Style, decode, encode, parse};
use sassafras_prove::{Limits, Solver, Verdict, prove_within};
use std::fmt::Write;

/// A kernel of products: registers are loaded, multiplied into, and stored.
struct Kernel {
    /// Columns.
    n: usize,
    /// The words behind the shape, such as `f32.f16.f16`.
    types: &'static str,
    k: usize,
    /// A stands in registers.
    registers: bool,
    sparse: bool,
    /// What follows the descriptors, the metadata aside.
    rest: &'static str,
}

const KERNELS: &[Kernel] = &[
    Kernel { n: 8, types: "f32.f16.f16", k: 16, registers: false, sparse: false, rest: "1, 1, 1, 0, 0" },
    Kernel {
        n: 40,
        types: "f32.bf16.bf16",
        k: 16,
        registers: false,
        sparse: false,
        rest: "%p0, -1, 1, 1, 0",
    },
    Kernel {
        n: 256,
        types: "f32.f16.f16",
        k: 16,
        registers: false,
        sparse: false,
        rest: "!%p0, 1, -1, 0, 1",
    },
    Kernel { n: 24, types: "f16.f16.f16", k: 16, registers: false, sparse: false, rest: "0, -1, -1, 1, 1" },
    Kernel { n: 16, types: "f32.tf32.tf32", k: 8, registers: false, sparse: false, rest: "%p0, 1, -1" },
    Kernel { n: 16, types: "f32.f16.f16", k: 16, registers: true, sparse: false, rest: "%p0, -1, 1, 1" },
    Kernel { n: 8, types: "f16.f16.f16", k: 16, registers: true, sparse: false, rest: "1, -1, -1, 1" },
    Kernel { n: 32, types: "f32.e4m3.e5m2", k: 32, registers: false, sparse: false, rest: "1, 1, 1" },
    Kernel { n: 16, types: "f16.e5m2.e4m3", k: 32, registers: true, sparse: false, rest: "1, -1, 1" },
    Kernel { n: 48, types: "s32.s8.u8.satfinite", k: 32, registers: false, sparse: false, rest: "%p0" },
    Kernel { n: 8, types: "s32.u8.u8", k: 32, registers: true, sparse: false, rest: "1" },
    Kernel { n: 8, types: "s32.b1.b1.and.popc", k: 256, registers: false, sparse: false, rest: "1" },
    Kernel { n: 16, types: "f32.f16.f16", k: 32, registers: false, sparse: true, rest: "1, 1, 1, 1, 0, 0" },
    Kernel { n: 16, types: "f32.tf32.tf32", k: 16, registers: true, sparse: true, rest: "0, %p0, 1, 1" },
    Kernel { n: 8, types: "f32.e4m3.e4m3", k: 64, registers: false, sparse: true, rest: "0, 1, 1, 1" },
    Kernel { n: 8, types: "s32.s8.s8", k: 64, registers: true, sparse: true, rest: "0, %p0" },
];

fn vector(prefix: &str, registers: std::ops::Range<usize>) -> String {
    let all: Vec<String> = registers.map(|i| format!("{prefix}{i}")).collect();
    format!("{{{}}}", all.join(", "))
}

impl Kernel {
    fn sums(&self) -> usize {
        if self.types.starts_with("f16") { self.n / 4 } else { self.n / 2 }
    }

    fn product(&self) -> String {
        let a = if self.registers { vector("%a", 0..4) } else { "%d1".to_owned() };
        let (sp, metadata) = if self.sparse { (".sp", " %m,") } else { ("", "") };
        let Kernel { n, k, types, rest, .. } = self;
        let sums = vector("%s", 0..self.sums());
        format!("wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}.{types} {sums}, {a}, %d2,{metadata} {rest};\n")
    }

    fn text(&self) -> String {
        let second = self.product();
        let next = "add.u64 %d1, %d1, 2;\nadd.u64 %d2, %d2, 4;\n";
        around(
            self,
            &format!(
                "{second}{next}{second}wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
            ),
        )
    }
}

/// Loads, a fence, this, and stores.
fn around(kernel: &Kernel, what: &str) -> String {
    let float = kernel.types.starts_with("f32");
    let ty = if float { "f32" } else { "b32" };
    let mut text = format!(
        ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 to, .param .u64 da, .param .u64 db, .param .u32 n)\n{{\n\
         .reg .{ty} %s<{}>;\n.reg .b32 %a<5>;\n.reg .b32 %m;\n.reg .b64 %d<5>;\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n\
         ld.param.u64 %d0, [to];\nld.param.u64 %d1, [da];\nld.param.u64 %d2, [db];\nld.param.u32 %r0, [n];\n\
         setp.ne.u32 %p0, %r0, 0;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d3, %r1, 1024;\nadd.u64 %d0, %d0, %d3;\n",
        kernel.sums().max(8)
    );
    let place = |i: usize| 4 * i;
    for i in 0..kernel.sums() {
        writeln!(text, "ld.global.{ty} %s{i}, [%d0+{}];", place(i)).expect("a string");
    }
    for i in 0..4 {
        writeln!(text, "ld.global.b32 %a{i}, [%d0+{}];", 512 + place(i)).expect("a string");
    }
    text += "ld.global.b32 %m, [%d0+544];\nwgmma.fence.sync.aligned;\n";
    text += what;
    for i in 0..kernel.sums() {
        writeln!(text, "st.global.{ty} [%d0+{}], %s{i};", place(i)).expect("a string");
    }
    text + "ret;\n}\n"
}

fn compiled(text: &str) -> Cubin {
    ours_for(text, "sm_90a").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[test]
fn products_of_every_type_are_proved() {
    let Some(mut z3) = z3("products_of_every_type_are_proved") else { return };
    for kernel in KERNELS {
        let text = kernel.text();
        let cubin = compiled(&text);
        let judged = hazard::check_words(&cubin.functions[0].code, chip());
        assert_eq!(judged, Judged::Passed, "{text}");
        let record = prove_within(&module(&text), "k", &cubin, &mut z3, Limits::default());
        assert_eq!(record.verdict, Verdict::Proved, "{}\n{text}", line(&record));
    }
}

fn chip() -> Chip {
    Chip::from_number(90).expect("a chip")
}

/// Accumulators under way around a loop, two at once, the older waited for, and one product that nobody reads the result of.
const FLOWS: [&str; 3] = [
    "L:\nwgmma.fence.sync.aligned;\n{0}add.u64 %d1, %d1, 2;\n{0}wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\n\
     add.u32 %r0, %r0, -1;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra L;\nwgmma.wait_group.sync.aligned 0;\n",
    "{0}wgmma.commit_group.sync.aligned;\n{1}wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;\nadd.f32 %s0, %s0, %s1;\n\
     wgmma.wait_group.sync.aligned 0;\n",
    "{0}wgmma.commit_group.sync.aligned;\nmul.f32 %s0, %s4, %s5;\nmul.f32 %s1, %s4, %s6;\nmul.f32 %s2, %s4, %s7;\nmul.f32 %s3, %s4, %s4;\n\
     wgmma.wait_group.sync.aligned 0;\n",
];

fn flow(text: &str) -> String {
    let product = |first: usize| {
        let sums = vector("%s", first..first + 4);
        format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {sums}, %d1, %d2, 1, 1, 1, 0, 0;\n")
    };
    let kernel = Kernel { n: 16, types: "f32.f16.f16", k: 16, registers: false, sparse: false, rest: "" };
    around(&kernel, &text.replace("{0}", &product(0)).replace("{1}", &product(4)))
}

fn count(cubin: &Cubin, meaning: Meaning) -> usize {
    insts(cubin).iter().filter(|inst| inst.row().meaning == meaning).count()
}

fn insts(cubin: &Cubin) -> Vec<Inst> {
    cubin.functions[0].code.iter().map(|&word| decode(word, chip()).expect("a word")).collect()
}

#[test]
fn accumulators_stay_where_they_are() {
    for (text, waits) in FLOWS.iter().zip([2, 2, 1]) {
        let text = flow(text);
        let cubin = compiled(&text);
        assert_eq!(hazard::check_words(&cubin.functions[0].code, chip()), Judged::Passed, "{text}");
        // No wait is added: what is under way is neither moved nor overwritten.
        assert_eq!(count(&cubin, Meaning::GmmaWait), waits, "{text}");
    }
}

/// What a program reads too early is waited for.
#[test]
fn what_is_read_too_early_is_waited_for() {
    let text = flow(
        "{0}wgmma.commit_group.sync.aligned;\nadd.f32 %s4, %s0, %s1;\nst.volatile.global.f32 [%d0], %s4;\nwgmma.wait_group.sync.aligned 0;\n",
    );
    let cubin = compiled(&text);
    assert_eq!(hazard::check_words(&cubin.functions[0].code, chip()), Judged::Passed);
    assert_eq!(count(&cubin, Meaning::GmmaWait), 2);
}

/// Descriptors that are not seen to be the same in all lanes, as PTX wants them, are made so.
#[test]
fn descriptors_by_thread_compile() {
    let by_thread = "mul.wide.u32 %d3, %r1, 2;\nadd.u64 %d1, %d1, %d3;\nsetp.ne.u32 %p1, %r1, 5;\n";
    let product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%s0, %s1, %s2, %s3}, %d1, %d2, %p1, 1, 1, 0, 0;\n";
    let end = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    let cubin = compiled(&flow(&format!("{by_thread}{product}{end}")));
    let named = |name: &str| insts(&cubin).iter().filter(|inst| inst.row().mnemonic == name).count();
    assert_eq!((named("REDUX"), named("VOTE") + named("VOTEU")), (2, 1));
    assert_eq!(hazard::check_words(&cubin.functions[0].code, chip()), Judged::Passed);
}

/// A fault at each instruction where it can be made.
fn faults(code: &[u128]) -> Vec<(&'static str, usize, Vec<u128>)> {
    let nop = encode(&parse("NOP", &Style::default()).expect("a text"), chip()).expect("a word");
    let mut all = Vec::new();
    for (at, &word) in code.iter().enumerate() {
        let inst = decode(word, chip()).expect("a word");
        let mut with = |name, word: u128| {
            let mut changed = code.to_vec();
            changed[at] = word;
            all.push((name, at, changed));
        };
        let mut changed = inst.clone();
        match inst.row().meaning {
            Meaning::GmmaFence => with("lost-group-fence", nop),
            Meaning::GmmaWait => {
                with("lost-group-wait", nop);
                changed.set("n", inst.get("n").unwrap_or(0) + 1).expect("a field");
                with("wait-for-fewer", encode(&changed, chip()).expect("a word"));
            }
            Meaning::Gmma => {
                with("lost-product", nop);
                let ur = if inst.row().id.ends_with(".rs") { "b" } else { "a" };
                let descriptors = inst.get(ur).expect("descriptors");
                changed.set(ur, descriptors ^ 8).expect("a field");
                with("wrong-descriptors", encode(&changed, chip()).expect("a word"));
                if inst.enum_text("gsb") == Some("gsb0") {
                    let mut changed = inst.clone();
                    changed.set_enum("gsb", "none").expect("a text");
                    with("lost-group-end", encode(&changed, chip()).expect("a word"));
                }
                // The instruction behind the next wait comes before it.
                let wait = (at..code.len())
                    .find(|&i| decode(code[i], chip()).expect("a word").row().meaning == Meaning::GmmaWait);
                if let Some(wait) = wait {
                    let sum = inst
                        .operands()
                        .find(|o| o.class == RegClass::R && o.access == sassafras_isa::Access::Write);
                    let touches = |i: usize| {
                        let other = decode(code[i], chip()).expect("a word");
                        sum.is_some_and(|s| {
                            other.operands().any(|o| {
                                o.class == RegClass::R
                                    && (s.number..s.number + u32::from(s.units)).contains(&o.number)
                            })
                        })
                    };
                    if wait + 1 < code.len() && touches(wait + 1) {
                        let mut changed = code.to_vec();
                        changed.swap(wait, wait + 1);
                        all.push(("touched-in-flight", wait, changed));
                    }
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn no_planted_fault_passes() {
    let Some(mut z3) = z3("no_planted_fault_passes") else { return };
    let mut texts: Vec<String> = [0, 4, 5, 9].iter().map(|&i: &usize| KERNELS[i].text()).collect();
    texts.extend(FLOWS[1..].iter().map(|text| flow(text)));
    let mut tally = std::collections::BTreeMap::<&str, [usize; 2]>::new();
    for text in &texts {
        let (module, cubin) = (module(text), compiled(text));
        for (name, at, code) in faults(&cubin.functions[0].code) {
            let by_hazards = matches!(hazard::check_words(&code, chip()), Judged::Objected(_));
            let mut changed = cubin.clone();
            changed.functions[0].code = code;
            let held = by_hazards || {
                let solver: &mut dyn Solver = &mut z3;
                prove_within(&module, "k", &changed, solver, Limits::default()).verdict != Verdict::Proved
            };
            assert!(held, "{name} at {at} passes:\n{text}");
            let judge = if by_hazards { "hazards" } else { "prove" };
            sassafras_oracle::fault::planted(judge, &chip(), name, 1, 1);
            tally.entry(name).or_default()[usize::from(!by_hazards)] += 1;
        }
    }
    eprintln!("by hazards, by the prover: {tally:?}");
    for name in [
        "lost-group-fence",
        "lost-group-wait",
        "wait-for-fewer",
        "lost-product",
        "wrong-descriptors",
        "lost-group-end",
        "touched-in-flight",
    ] {
        assert!(tally.contains_key(name), "{name} finds no place");
    }
    assert!(tally["touched-in-flight"][0] > 0 && tally["lost-group-fence"][0] > 0, "{tally:?}");
}
