//! A loop in a loop and a loop with a `continue`: their graphs differ by one empty block, and they are different programs.

use super::graphs::EVENTS;
use super::run::{self, Together, code, compare, compile, source, through_tree};
use super::{APART, LOSING};

/// Inner work, then outer work. `again` is where the inner branch leads: to itself, or to the empty block in front.
fn text(again: &str, marks: bool) -> String {
    let mark = |number: u32| match marks {
        true => format!("activemask.b32 m;\nst.global.v2.u32 [at], {{{number}, m}};\nadd.s64 at, at, 8;\n"),
        false => {
            format!("mov.u32 m, {number};\nst.global.v2.u32 [at], {{{number}, m}};\nadd.s64 at, at, 8;\n")
        }
    };
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 seed)\n{{\n\
         .reg .pred p, q;\n.reg .b32 x, n, m, t, s;\n.reg .b64 at, w;\n\
         ld.param.u64 at, [out];\ncvta.to.global.u64 at, at;\nmov.u32 t, %tid.x;\nmul.wide.u32 w, t, {};\n\
         add.s64 at, at, w;\nld.param.u32 s, [seed];\nmad.lo.u32 x, t, 0x9e3779b1, s;\nmov.u32 n, 0;\n\
         OUTER:\nbra INNER;\n\
         INNER:\nmad.lo.u32 x, x, 1664525, 1013904223;\nadd.u32 n, n, 1;\nsetp.gt.u32 q, n, 20;\n@q bra OUT;\n{}\
         shr.u32 t, x, 20;\nand.b32 t, t, 3;\nsetp.ne.u32 p, t, 0;\n@p bra {again};\n\
         {}shr.u32 t, x, 25;\nand.b32 t, t, 7;\nsetp.ne.u32 p, t, 0;\n@p bra OUTER;\n\
         OUT:\nexit;\n}}\n",
        EVENTS * 8,
        mark(1),
        mark(2)
    )
}

#[test]
fn a_loop_in_a_loop_is_no_continue() {
    let mut logs = Vec::new();
    for again in ["INNER", "OUTER"] {
        let text = text(again, true);
        let module = sassafras_ptx::load(&text, "loops").expect("it reads");
        let wanted = source(&module, 7).expect("the source runs");
        for cubin in [compile(&text), through_tree(&text).expect("a tree").0] {
            for order in APART {
                let found = code(&cubin, 7, order).expect("the code runs");
                let verdict = compare(&wanted, &found);
                assert_eq!(verdict, Ok(Together::Equal), "{again}, order {order}\n{text}");
            }
            for order in LOSING {
                let found = code(&cubin, 7, order).expect("the code runs");
                assert_eq!(run::same_ways(&wanted, &found), Ok(()), "{again}, order {order}");
            }
        }
        logs.push(wanted);
    }
    // Lanes go the same ways in both, and are together in the outer work only where the inner loop has an end.
    assert_eq!(run::same_ways(&logs[0], &logs[1]), Ok(()));
    let outer = |log: &run::Log| log[0].iter().find(|event| event.0 == 2).expect("lane 0 comes there").1;
    assert_eq!(outer(&logs[0]), u32::MAX, "all that entered the inner loop left it together");
    assert_ne!(outer(&logs[1]), u32::MAX);
}

/// The same where nothing in the programs looks at other lanes: how long lanes wait for each other differs all the same.
#[test]
fn nor_without_anything_that_looks_at_other_lanes() {
    let [nested, again] = ["INNER", "OUTER"].map(|again| {
        let text = text(again, false);
        [compile(&text), through_tree(&text).expect("a tree").0].map(|cubin| cubin.functions[0].code.clone())
    });
    for (nested, again) in nested.iter().zip(&again) {
        assert_ne!(nested, again, "the two loops have become one");
    }
}
