//! Kinds of edit of a loop: each changes one tagged line of a kernel.

use Change::{Behind, Drop, InFront, Replace};

/// What becomes of the tagged line.
#[derive(Clone, Copy)]
pub enum Change {
    /// A part of it reads otherwise.
    Replace(&'static str, &'static str),
    /// It is missing.
    Drop,
    /// Lines stand behind it. `{}` is its first register; `{counter}`, `{bound}` are what its tag names.
    Behind(&'static str),
    /// Lines stand in front of it.
    InFront(&'static str),
}

/// A kind of edit.
pub struct Kind {
    /// What it does.
    pub name: &'static str,
    /// The line that it changes.
    pub tag: &'static str,
    /// How.
    pub change: Change,
}

const fn kind(name: &'static str, tag: &'static str, change: Change) -> Kind {
    Kind { name, tag, change }
}

/// Only iterations in which the counter is not this execute the line.
const SKIP_3: &str = "setp.ne.s32 %q1, {counter}, 3; @%q1 ";
const FIRST_ONLY: &str = "setp.eq.s32 %q1, {counter}, 0; @%q1 ";
const NOT_FIRST: &str = "setp.ne.s32 %q1, {counter}, 0; @%q1 ";
const NOT_LAST: &str = "add.s32 %z1, {counter}, 1; setp.ne.s32 %q1, %z1, {bound}; @%q1 ";
const LAST_TWICE: &str =
    "add.s32 %z1, {counter}, 1; setp.eq.s32 %q1, %z1, {bound}; @%q1 add.s32 %r5, %r5, 1;";

/// Every kind.
pub const KINDS: &[Kind] = &[
    kind("bound: one less, outer", "bound:outer", Behind("sub.s32 {}, {}, 1;")),
    kind("bound: one less, inner", "bound:inner", Behind("sub.s32 {}, {}, 1;")),
    kind("bound: one more, outer", "bound:outer", Behind("add.s32 {}, {}, 1;")),
    kind("bound: one more, inner", "bound:inner", Behind("add.s32 {}, {}, 1;")),
    kind("bound: half, outer", "bound:outer", Behind("shr.s32 {}, {}, 1;")),
    kind("bound: half, inner", "bound:inner", Behind("shr.s32 {}, {}, 1;")),
    kind("bound: at most three, outer", "bound:outer", Behind("min.s32 {}, {}, 3;")),
    kind("bound: at most three, inner", "bound:inner", Behind("min.s32 {}, {}, 3;")),
    kind("bound: at least one, outer", "bound:outer", Behind("max.s32 {}, {}, 1;")),
    kind("bound: at least one, inner", "bound:inner", Behind("max.s32 {}, {}, 1;")),
    kind("bound: even, outer", "bound:outer", Behind("and.b32 {}, {}, -2;")),
    kind("bound: even, inner", "bound:inner", Behind("and.b32 {}, {}, -2;")),
    kind("bound: the other parameter", "bound:outer", Replace("%r1", "%r2")),
    kind("bound: the other parameter, inner", "bound:inner", Replace("%r2", "%r1")),
    kind("start: one more, outer", "start:outer", Behind("add.s32 {}, {}, 1;")),
    kind("start: one more, inner", "start:inner", Behind("add.s32 {}, {}, 1;")),
    kind("start: one less, outer", "start:outer", Behind("sub.s32 {}, {}, 1;")),
    kind("start: one less, inner", "start:inner", Behind("sub.s32 {}, {}, 1;")),
    kind("start: one more, third", "start:third", Behind("add.s32 {}, {}, 1;")),
    kind("start: one more, triangle", "start:triangle", Behind("add.s32 {}, {}, 1;")),
    kind("start: zero, triangle", "start:triangle", Replace("%r6", "0")),
    kind("start: not again, inner", "start:inner", Drop),
    kind("step: two, outer", "step:outer", Replace(", 1;", ", 2;")),
    kind("step: two, inner", "step:inner", Replace(", 1;", ", 2;")),
    kind("step: two, third", "step:third", Replace(", 1;", ", 2;")),
    kind("step: none, outer", "step:outer", Drop),
    kind("step: none, inner", "step:inner", Drop),
    kind(
        "step: with a jump at two, outer",
        "step:outer",
        Behind("setp.eq.s32 %q1, {}, 2; @%q1 mov.u32 {}, 3;"),
    ),
    kind(
        "step: with a jump at two, inner",
        "step:inner",
        Behind("setp.eq.s32 %q1, {}, 2; @%q1 mov.u32 {}, 3;"),
    ),
    kind("comparison: without a sign, outer", "compare:outer", Replace(".s32", ".u32")),
    kind("comparison: without a sign, inner", "compare:inner", Replace(".s32", ".u32")),
    kind("comparison: one more, outer", "compare:outer", Replace("setp.ge", "setp.gt")),
    kind("comparison: one more, inner", "compare:inner", Replace("setp.ge", "setp.gt")),
    kind("comparison: one more at the bottom, outer", "compare:outer", Replace("setp.lt", "setp.le")),
    kind("comparison: one more at the bottom, inner", "compare:inner", Replace("setp.lt", "setp.le")),
    kind("comparison: one more, third", "compare:third", Replace("setp.lt", "setp.le")),
    kind("comparison: equality, outer", "compare:outer", Replace("setp.ge", "setp.eq")),
    kind("comparison: equality, inner", "compare:inner", Replace("setp.ge", "setp.eq")),
    kind("comparison: equality at the bottom", "compare:inner", Replace("setp.lt", "setp.ne")),
    kind("guard: negated, outer", "guard:outer", Replace("@%", "@!%")),
    kind("guard: negated, inner", "guard:inner", Replace("@%", "@!%")),
    kind("guard: negated, third", "guard:third", Replace("@%", "@!%")),
    kind("guard: missing, inner", "guard:inner", Drop),
    kind("pointer: steps by eight, outer", "pointer:outer", Replace(", 4;", ", 8;")),
    kind("pointer: steps by eight, inner", "pointer:inner", Replace(", 4;", ", 8;")),
    kind("pointer: stays, outer", "pointer:outer", Drop),
    kind("pointer: stays, inner", "pointer:inner", Drop),
    kind("row: one element further", "row:step", Replace("16", "20")),
    kind("row: stays", "row:step", Drop),
    kind("load: the next element", "load", Replace("+0]", "+4]")),
    kind("load: the element before", "load", Replace("+0]", "+-4]")),
    kind("sum: subtracts", "sum", Replace("add.s32", "sub.s32")),
    kind("sum: without the fourth iteration", "sum", InFront(SKIP_3)),
    kind("sum: the first iteration alone", "sum", InFront(FIRST_ONLY)),
    kind("sum: without the first iteration", "sum", InFront(NOT_FIRST)),
    kind("sum: without the last iteration", "sum", InFront(NOT_LAST)),
    kind("sum: one more in the last iteration", "sum", Behind(LAST_TWICE)),
    kind("sum: starts at one", "init", Behind("add.s32 {}, {}, 1;")),
    kind("sum: starts again in each row", "start:inner", Behind("mov.u32 %r5, 0;")),
    kind("scale: missing", "scale", Drop),
    kind("second counter: steps by two", "second:step", Replace(", 1;", ", 2;")),
    kind("second counter: stays", "second:step", Drop),
    kind("second counter: starts one higher", "second:start", Behind("add.s32 {}, {}, 1;")),
    kind("second pointer: steps by eight", "second:pointer", Replace(", 4;", ", 8;")),
    kind("break: missing", "break", Drop),
    kind("break: negated", "break", Replace("@%", "@!%")),
    kind("break: another comparison", "break:test", Replace("setp.", "setp.n")),
    kind("break: at most", "break:test", Replace("setp.gt", "setp.ge")),
    kind("break: in the first iteration", "break", InFront("setp.eq.s32 %q1, %r6, 0; @%q1 bra DONE;")),
    kind("break: at the third iteration", "break", InFront("setp.eq.s32 %q1, %r6, 2; @%q1 bra DONE;")),
    kind("continue: missing", "continue", Drop),
    kind("continue: negated", "continue", Replace("@%", "@!%")),
    kind("continue: leaves the loop", "continue", Replace("NEXT", "DONE")),
    kind(
        "store: one more",
        "store",
        InFront("add.s32 %r9, %r9, 1; add.s32 %r5, %r5, 1; add.s32 %r8, %r8, 2;"),
    ),
    kind("store: one place further", "store", Replace("+0]", "+4]")),
    kind("store: missing", "store", Drop),
    kind("store: not in the third iteration", "store", InFront("setp.ne.s32 %q1, %r6, 2; @%q1 ")),
    kind("result: one more", "last", InFront("add.s32 %r5, %r5, 1;")),
    kind("result: missing", "last", Drop),
    kind("count: one less", "count", InFront("sub.s32 %r6, %r6, 1;")),
];

/// A kernel's text with this edit; none where it has no such line, or the line no such part.
pub fn edited(kernel: &str, kind: &Kind) -> Option<String> {
    let mut found = false;
    let lines: Vec<String> = kernel
        .lines()
        .map(|line| match changed(line, kind) {
            Some(new) => {
                found = true;
                new
            }
            None => line.to_owned(),
        })
        .collect();
    found.then(|| lines.join("\n"))
}

fn changed(line: &str, kind: &Kind) -> Option<String> {
    let (code, tag) = line.split_once("//@ ")?;
    let mut words = tag.split_whitespace();
    if words.next() != Some(kind.tag) {
        return None;
    }
    let named =
        |key: &str| tag.split_whitespace().find_map(|w| w.strip_prefix(key)).unwrap_or("%r6").to_owned();
    let first = code.split([' ', ',']).find(|w| w.starts_with("%r")).unwrap_or("");
    let fill = |text: &str| {
        text.replace("{counter}", &named("counter="))
            .replace("{bound}", &named("bound="))
            .replace("{}", first)
    };
    match kind.change {
        Replace(from, to) => {
            // `setp.` with another letter makes `neq` and `ngt` of `eq` and `gt`: the comparisons that PTX has are `ne` and `le`.
            let new =
                code.replacen(from, to, 1).replace("setp.neq", "setp.ne").replace("setp.nne", "setp.eq");
            let new = new.replace("setp.ngt", "setp.le");
            (new != code).then_some(new)
        }
        Drop => Some(String::new()),
        Behind(text) => Some(format!("{code} {}", fill(text))),
        InFront(text) => Some(format!("{} {code}", fill(text))),
    }
}
