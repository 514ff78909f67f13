//! Video instructions: our code for each feature is proved at -O0 and -O3, and code for one that differs in a type, a part, an operation or the
//! clamping is refuted.

#![allow(missing_docs)]

mod common;

use common::{module, text, z3};
use sassafras_cubin::Cubin;
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::Options;
use sassafras_driver::session;
use sassafras_prove::{Verdict, prove};

const FEATURES: [&str; 8] = [
    "video_parts",
    "video_bytes",
    "video_extremum",
    "video_halves",
    "video_product",
    "video_saturate",
    "video_set",
    "video_shift",
];

/// Feature, what stands there, and what is compiled in its place.
const FAULTS: [(&str, &str, &str); 14] = [
    ("video_parts", "vadd.s32.s32.s32 w, a.b1", "vadd.s32.u32.s32 w, a.b1"),
    ("video_parts", "b.h0", "b.h1"),
    ("video_parts", "vsub.s32.u32.s32.sat", "vsub.s32.u32.s32"),
    ("video_extremum", "vmin.s32.s32.u32", "vmin.s32.s32.s32"),
    ("video_extremum", "y.b2", "y.b3"),
    ("video_shift", "vshr.s32.s32.u32.wrap", "vshr.s32.s32.u32.clamp"),
    ("video_shift", "vshr.u32.u32.u32", "vshr.u32.s32.u32"),
    ("video_product", "vmad.u32.u32.u32.po", "vmad.u32.u32.u32"),
    ("video_product", "-b.h1", "b.h1"),
    ("video_set", "vset2.s32.s32.gt", "vset2.s32.s32.ge"),
    ("video_halves", "b.h23", "b.h32"),
    ("video_halves", "vavrg2.s32.s32.s32", "vavrg2.u32.u32.u32"),
    ("video_bytes", "y.b30", "y.b31"),
    ("video_saturate", "vadd4.s32.s32.s32.sat", "vadd4.s32.s32.s32"),
];

fn compiled(text: &str, level: &str) -> Cubin {
    let words = ["-arch=sm_90".to_owned(), level.to_owned()];
    let options = sassafras_driver::options::parse(&words, &|_: &str| Ok(String::new())).expect("options");
    let made = session::compile(text, "test", &Options { jobs: 1, ..options }, None, &Nobody);
    made.unwrap_or_else(|e| panic!("{e:?}\n{text}")).cubin.expect("code").0
}

#[test]
fn features_are_proved() {
    let Some(mut z3) = z3("features_are_proved") else { return };
    for name in FEATURES {
        let text = text(&format!("features/{name}"));
        for level in ["-O0", "-O3"] {
            let record = prove(&module(&text), "k", &compiled(&text, level), &mut z3);
            assert_eq!(record.verdict, Verdict::Proved, "{name} {level}");
        }
    }
}

#[test]
fn code_for_another_instruction_is_refuted() {
    let Some(mut z3) = z3("code_for_another_instruction_is_refuted") else { return };
    for (name, right, wrong) in FAULTS {
        let text = text(&format!("features/{name}"));
        assert!(text.contains(right), "{name}: {right}");
        let record = prove(&module(&text), "k", &compiled(&text.replace(right, wrong), "-O3"), &mut z3);
        assert!(matches!(record.verdict, Verdict::Refuted(_)), "{name}, {wrong}: {:?}", record.verdict);
    }
}
