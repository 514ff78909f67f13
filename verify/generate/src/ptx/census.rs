//! What a module has, read off its text: so that a generator that stops making something is noticed.

use super::Feature;

/// Everything that modules are made to have: a name, the switch that it belongs to, and parts of a line that show it.
pub const ALL: &[(&str, Option<Feature>, &[&str])] = &[
    ("a guard", None, &["@"]),
    ("a branch", Some(Feature::Branches), &["bra $THEN"]),
    ("both sides of a branch", Some(Feature::Branches), &["bra $JOIN"]),
    ("a loop", Some(Feature::Loops), &["bra $LOOP"]),
    ("a branch out of a loop", Some(Feature::Loops), &["bra $LEFT"]),
    ("a switch", Some(Feature::Switches), &["brx.idx"]),
    ("an arbitrary graph", Some(Feature::Graphs), &["bra $B"]),
    ("a thread that ends early", Some(Feature::Exits), &["%p0 exit;", "%p1 exit;", "%p2 ret;", "%p3 ret;"]),
    ("a load of the record", Some(Feature::Memory), &["ld.global.u32 %r0, [%to", "ld.global.u32 %r1, [%to"]),
    ("a store at an alias", Some(Feature::Aliases), &["[%al"]),
    ("a generic address", Some(Feature::Memory), &["[%gen"]),
    ("a computed address", Some(Feature::Memory), &["[%at]"]),
    ("vectors", Some(Feature::Memory), &["ld.global.v2", "ld.global.v4"]),
    ("local memory", Some(Feature::Local), &[".local .align"]),
    ("constant memory", Some(Feature::Constant), &["ld.const"]),
    ("a barrier", Some(Feature::Shared), &["bar.sync"]),
    ("a shuffle", Some(Feature::Warp), &["shfl.sync"]),
    ("a vote", Some(Feature::Warp), &["vote.sync.a"]),
    ("some lanes of a warp", Some(Feature::Warp), &["bra $SOME"]),
    ("a reduction in memory", Some(Feature::Atomics), &["red.global"]),
    ("an atomic", Some(Feature::Atomics), &["atom.global"]),
    ("an atomic in shared memory", Some(Feature::Atomics), &["atom.shared"]),
    ("a call", Some(Feature::Calls), &["call (r)"]),
    ("a carry", Some(Feature::Carries), &["addc", "subc", "madc"]),
    ("integers of 64 bits", Some(Feature::Wide), &["mul.lo.s64 %rd", "add.s64 %rd"]),
    ("integers of 16 bits", Some(Feature::Narrow), &["%rs"]),
    ("f32", Some(Feature::F32), &["fma.rn.f32"]),
    ("f64", Some(Feature::F64), &["fma.rn.f64"]),
    ("f16", Some(Feature::F16), &["fma.rn.f16 "]),
    ("bf16", Some(Feature::Bf16), &["fma.rn.bf16"]),
    ("packed halves", Some(Feature::Packed), &["f16x2 %y"]),
    ("a quotient", Some(Feature::Division), &["div.s32", "div.u32"]),
    ("a rotate by hand", Some(Feature::Idioms), &["or.b32 %r0, %t1, %t2", "or.b32 %r1, %t1, %t2"]),
    ("what ptxas errs about", Some(Feature::Known), &["bfe.u64", "bfi.b64", "vmad"]),
];

/// Names of [`ALL`] that a text has.
pub fn of(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    ALL.iter().filter(|(_, _, parts)| parts.iter().any(|p| text.contains(p))).map(|(name, ..)| *name)
}
