//! What the compiler makes of the corpus breaks no rule.

use crate::collect::{Kept, corpus, forms};
use sassafras_check::{Finding, cubin, encode, ir, machine};
use sassafras_driver::Stage;

/// What is said about each function before and after its blocks were placed.
fn placements(forms: &[(Stage, Kept)]) -> impl Iterator<Item = Finding> {
    let at = |wanted: Stage| {
        forms.iter().filter_map(move |(stage, form)| match form {
            Kept::Machine(f) if *stage == wanted => Some(f),
            _ => None,
        })
    };
    at(Stage::Converge).flat_map(move |before| {
        let after = at(Stage::Layout).find(|after| after.name == before.name);
        let verdict = after.map(|after| machine::check_placement(before, after));
        verdict.map_or_else(Vec::new, |verdict| verdict.objections().to_vec())
    })
}

#[test]
fn nothing_to_say_about_the_corpus() {
    let (mut judged, mut refused, mut said) = (0, Vec::new(), Vec::new());
    for (name, text) in corpus() {
        let forms = match forms(&text, &name) {
            Ok(forms) => forms,
            Err(error) => {
                refused.push(format!("{name}: {}", error.to_string().lines().next().unwrap_or_default()));
                continue;
            }
        };
        let mut made = Vec::new();
        said.extend(placements(&forms).map(|f| format!("{name}: {f}")));
        for (stage, form) in forms {
            let verdict = match &form {
                Kept::Ir(module) => ir::check(module),
                Kept::Machine(f) => machine::check(f),
                Kept::Words(f, routines, words) => {
                    made.push(cubin::Made::of(f, words));
                    encode::check(f, routines, words, f.chip)
                }
                Kept::Cubin(all) => cubin::check(all, &made),
            };
            judged += 1;
            verdict.unknown().iter().for_each(|f| eprintln!("unknown: {name} after {stage}: {f}"));
            said.extend(verdict.objections().iter().take(3).map(|f| format!("{name} after {stage}: {f}")));
        }
    }
    refused.iter().for_each(|line| eprintln!("does not compile: {line}"));
    eprintln!("{judged} forms judged");
    assert!(judged > 1000, "only {judged} forms were judged");
    assert!(said.is_empty(), "{} findings:\n{}", said.len(), said.join("\n"));
}

/// One side reduces over its lanes, the other needs the descriptor that was fetched before: both are of the warp. And a mask that is
/// the active lanes is made where `match` waits for them.
const SIDES: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry sides(.param .u64 p)
{
    .reg .pred q;
    .reg .b32 t, a, s;
    .reg .b64 d;
    .shared .align 4 .b8 sh[4];
    ld.param.u64 d, [p];
    mov.u32 t, %tid.x;
    setp.lt.u32 q, t, 16;
    @q bra A;
    redux.sync.add.u32 a, t, 0xffff0000;
    st.shared.u32 [sh], a;
    ret;
A:
    ld.global.u32 s, [d+4];
    st.global.u32 [d], s;
    ret;
}
.visible .entry active(.param .u64 p, .param .u32 n)
{
    .reg .pred q;
    .reg .b32 t, k, a, m;
    .reg .b64 d;
    ld.param.u64 d, [p];
    ld.param.u32 k, [n];
    mov.u32 t, %tid.x;
    setp.lt.u32 q, t, k;
    @q bra A;
    st.global.u32 [d+4], t;
    bar.warp.sync 0xffffffff;
A:
    activemask.b32 m;
    match.any.sync.b32 a, t, m;
    st.global.u32 [d], a;
    ret;
}
";

#[test]
fn what_the_warp_shares_on_both_sides() {
    let forms = forms(SIDES, "sides").expect("it compiles");
    let mut judged = 0;
    for (stage, form) in &forms {
        if let Kept::Machine(f) = form {
            assert_eq!(machine::check(f).objections(), [], "{} after {stage}", f.name);
            judged += 1;
        }
    }
    assert_eq!(judged, 18);
}
