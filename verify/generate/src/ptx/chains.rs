//! Two or three instructions of which one takes the others in: what peepholes of compilers are made for, each producer before each consumer.

use super::features::Feature;
use super::maker::Maker;
use super::rows::{GROUPS, needed};
use arbitrary::Result;

/// What a peephole of another instruction takes in, by class of the temporary that it writes.
#[rustfmt::skip]
const PRODUCERS: &[(char, &[&str])] = &[
    ('r', &[
        "neg.s32 %t1, <r>;", "abs.s32 %t1, <r>;", "not.b32 %t1, <r>;", "cnot.b32 %t1, <r>;", "shr.u32 %t1, <r>, <k>;", "shr.s32 %t1, <r>, <k>;",
        "shr.u32 %t1, <r>, 16;", "shr.u32 %t1, <r>, 24;", "shr.s32 %t1, <r>, 31;", "shl.b32 %t1, <r>, <k>;", "and.b32 %t1, <r>, 255;",
        "and.b32 %t1, <r>, 0xffff;", "and.b32 %t1, <r>, 31;", "and.b32 %t1, <r>, 63;", "and.b32 %t1, <r>, 0x80000000;", "or.b32 %t1, <r>, 0x80000000;",
        "xor.b32 %t1, <r>, 0x80000000;", "bfe.u32 %t1, <r>, 8, 8;", "bfe.s32 %t1, <r>, 16, 8;", "bfe.u32 %t1, <r>, 16, 16;", "bfe.s32 %t1, <r>, 0, 16;",
        "prmt.b32 %t1, <r>, 0, 0x4441;", "prmt.b32 %t1, <r>, <r>, 0x1032;", "cvt.s32.s8 %t1, <r>;", "cvt.u32.u8 %t1, <r>;", "cvt.s32.s16 %t1, <r>;",
        "cvt.u32.u16 %t1, <r>;", "cvt.u32.u64 %t1, <d>;", "cvt.u32.u16 %t1, <h>;", "cvt.s32.s16 %t1, <h>;", "add.s32 %t1, <r>, <i>;",
        "sub.s32 %t1, <i>, <r>;", "sub.s32 %t1, <r>, <r>;", "mul.lo.s32 %t1, <r>, <i>;", "min.s32 %t1, <r>, <ri>;", "max.s32 %t1, <r>, <ri>;",
        "min.u32 %t1, <r>, <ri>;", "max.u32 %t1, <r>, <ri>;", "selp.b32 %t1, <i>, <i>, <p>;", "selp.b32 %t1, <r>, 0, <p>;", "clz.b32 %t1, <r>;",
        "popc.b32 %t1, <r>;", "bfind.s32 %t1, <r>;", "brev.b32 %t1, <r>;", "mov.b32 %t1, <i>;", "cvt.rni.s32.f32 %t1, <f>;", "cvt.rzi.u32.f32 %t1, <f>;",
        "cvt.rzi.s8.f32 %t1, <f>;", "cvt.sat.u8.s32 %t1, <r>;", "cvt.sat.s16.s32 %t1, <r>;", "mul.hi.u32 %t1, <r>, <i>;", "lop3.b32 %t1, <r>, <r>, <r>, 0xe8;",
        "set.lt.u32.s32 %t1, <r>, <ri>;", "shf.l.wrap.b32 %t1, <r>, <r>, <k>;", "szext.wrap.s32 %t1, <r>, 8;", "bmsk.clamp.b32 %t1, <o>, <k>;",
        "mov.b64 {%t1, %t2}, <d>;", "mov.b32 %t1, {<h>, <h>};", "mad.lo.s32 %t1, <r>, <i>, <r>;",
    ]),
    ('d', &[
        "neg.s64 %u1, <d>;", "abs.s64 %u1, <d>;", "not.b64 %u1, <d>;", "cvt.u64.u32 %u1, <r>;", "cvt.s64.s32 %u1, <r>;", "shl.b64 %u1, <d>, <K>;",
        "shr.u64 %u1, <d>, <K>;", "shr.s64 %u1, <d>, 32;", "shr.s64 %u1, <d>, 63;", "and.b64 %u1, <d>, 0xffffffff;", "and.b64 %u1, <d>, 0xffff;",
        "mul.wide.u32 %u1, <r>, <ri>;", "mul.wide.s32 %u1, <r>, <r>;", "mov.b64 %u1, {<r>, <r>};", "mov.b64 %u1, {<r>, 0};", "mov.b64 %u1, {0, <r>};",
        "add.s64 %u1, <d>, <di>;", "sub.s64 %u1, <di>, <d>;", "min.s64 %u1, <d>, <d>;", "selp.b64 %u1, <d>, 0, <p>;", "mov.b64 %u1, <i>;",
        "cvt.s64.s8 %u1, <d>;", "cvt.s64.s16 %u1, <h>;", "mul.lo.s64 %u1, <d>, <i>;",
    ]),
    ('h', &[
        "neg.s16 %ts1, <h>;", "abs.s16 %ts1, <h>;", "not.b16 %ts1, <h>;", "cvt.u16.u32 %ts1, <r>;", "cvt.s16.s8 %ts1, <h>;", "cvt.u16.u8 %ts1, <r>;",
        "cvt.sat.s16.s32 %ts1, <r>;", "cvt.sat.u8.s16 %ts1, <h>;", "shl.b16 %ts1, <h>, <o>;", "shr.u16 %ts1, <h>, 8;", "shr.s16 %ts1, <h>, <o>;",
        "and.b16 %ts1, <h>, 255;", "add.s16 %ts1, <h>, <hi>;", "sub.s16 %ts1, <hi>, <h>;", "mul.lo.s16 %ts1, <h>, <h>;", "min.s16 %ts1, <h>, <hi>;",
        "max.u16 %ts1, <h>, <hi>;", "mov.b32 {%ts2, %ts1}, <r>;", "selp.b16 %ts1, <h>, 0, <p>;", "cvt.rni.s16.f32 %ts1, <f>;",
    ]),
    ('f', &[
        "neg.f32 %tf1, <f>;", "abs.f32 %tf1, <f>;", "neg.ftz.f32 %tf1, <f>;", "abs.ftz.f32 %tf1, <f>;", "abs.f32 %tf1, <f>; neg.f32 %tf1, %tf1;",
        "neg.f32 %tf1, <f>; abs.f32 %tf1, %tf1;", "cvt.sat.f32.f32 %tf1, <f>;", "cvt.rni.f32.f32 %tf1, <F>;", "cvt.rzi.f32.f32 %tf1, <F>;",
        "mul.rn.f32 %tf1, <f>, 0f3F800000;", "mul.rn.ftz.f32 %tf1, <f>, 0f3F800000;", "mul.rn.f32 %tf1, <f>, 0fBF800000;", "mul.rn.f32 %tf1, <f>, 0f40000000;",
        "add.rn.f32 %tf1, <f>, 0f00000000;", "add.rn.f32 %tf1, <f>, 0f80000000;", "add.rn.sat.f32 %tf1, <f>, <f>;", "mul.rn.f32 %tf1, <f>, <f>;",
        "mul.rz.f32 %tf1, <f>, <f>;", "sub.rn.f32 %tf1, 0f80000000, <f>;", "cvt.rn.f32.s32 %tf1, <r>;", "cvt.rn.f32.u8 %tf1, <r>;", "cvt.rn.f32.u16 %tf1, <h>;",
        "max.f32 %tf1, <f>, 0f3F800000;", "min.f32 %tf1, <f>, 0f3F800000;", "max.f32 %tf1, <f>, <f>;", "selp.f32 %tf1, <f>, 0f00000000, <p>;",
        "selp.f32 %tf1, 0f3F800000, 0f00000000, <p>;", "mov.b32 %tf1, <r>;", "mov.f32 %tf1, 0f7F800000;", "copysign.f32 %tf1, <F>, <f>;",
        "cvt.f32.f16 %tf1, <X>;", "set.lt.f32.f32 %tf1, <f>, <f>;", "fma.rn.f32 %tf1, <f>, <f>, <f>;",
    ]),
    ('g', &[
        "neg.f64 %tg1, <g>;", "abs.f64 %tg1, <g>;", "cvt.f64.f32 %tg1, <F>;", "cvt.rn.f64.s32 %tg1, <r>;", "mul.rn.f64 %tg1, <g>, <gi>;",
        "add.rn.f64 %tg1, <g>, 0d8000000000000000;", "sub.rn.f64 %tg1, 0d8000000000000000, <g>;", "mov.b64 %tg1, <d>;", "cvt.rni.f64.f64 %tg1, <G>;",
        "max.f64 %tg1, <g>, <g>;", "selp.f64 %tg1, <g>, 0d0000000000000000, <p>;", "mul.rm.f64 %tg1, <g>, <g>;",
    ]),
    ('x', &[
        "neg.f16 %ts1, <x>;", "abs.f16 %ts1, <x>;", "cvt.rn.f16.f32 %ts1, <F>;", "cvt.rn.f16.s32 %ts1, <r>;", "mul.rn.f16 %ts1, <x>, <x>;",
        "add.rn.sat.f16 %ts1, <x>, <x>;", "mov.b32 {%ts1, %ts2}, <y>;", "selp.b16 %ts1, <x>, <x>, <p>;", "set.lt.f16.f16 %ts1, <x>, <x>;",
        "neg.ftz.f16 %ts1, <x>;",
    ]),
    ('y', &[
        "neg.f16x2 %t1, <y>;", "abs.f16x2 %t1, <y>;", "mul.rn.f16x2 %t1, <y>, <y>;", "mov.b32 %t1, {<x>, <x>};", "prmt.b32 %t1, <y>, <y>, 0x1032;",
        "prmt.b32 %t1, <y>, <y>, 0x1010;", "prmt.b32 %t1, <y>, <y>, 0x5432;", "set.gt.f16x2.f16x2 %t1, <y>, <y>;", "xor.b32 %t1, <y>, 0x80008000;",
        "xor.b32 %t1, <y>, 0x80000000;", "and.b32 %t1, <y>, 0x7fff7fff;", "mov.b32 {%ts1, %ts2}, <y>; mov.b32 %t1, {%ts1, %ts1};",
    ]),
    ('p', &[
        "setp.lt.s32 %q1, <r>, <ri>;", "setp.geu.f32 %q1, <f>, <fi>;", "not.pred %q1, <p>;", "and.pred %q1, <p>, <p>;", "xor.pred %q1, <p>, <p>;",
        "setp.eq.s32 %q1, <r>, 0;", "setp.gt.u64 %q1, <d>, <d>;", "setp.nan.f32 %q1, <f>, <f>;", "testp.subnormal.f32 %q1, <f>;",
        "setp.lt.f16 %q1, <x>, <x>;", "setp.ne.u16 %q1, <h>, <hi>;",
    ]),
];

/// The temporary of a class in [`PRODUCERS`].
fn temporary(letter: char) -> &'static str {
    match letter {
        'd' => "%u1",
        'h' | 'x' => "%ts1",
        'f' => "%tf1",
        'g' => "%tg1",
        'p' => "%q1",
        _ => "%t1",
    }
}

/// The template with one of its blanks for a register of a class, as a choice says, replaced; none if it has no such blank.
fn taking(template: &str, letter: char, with: &str, choice: usize) -> Option<String> {
    let mut places = Vec::new();
    for form in [format!("<{letter}>"), format!("<{letter}i>")] {
        places.extend(template.match_indices(&form).map(|(at, form)| (at, form.len())));
    }
    let &(at, length) = places.get(choice % places.len().max(1))?;
    Some(format!("{}{with}{}", &template[..at], &template[at + length..]))
}

/// What ptxas is known to err about (`crate::ptxas`): an instruction behind one that it takes in.
fn errs(first: &str, second: &str) -> bool {
    let second_is = |start: &str| second.starts_with(start);
    match first {
        _ if first.starts_with("neg.s32") => second_is("slct") || second_is("cvt.sat"),
        _ if first.starts_with("cnot") => second_is("cvt.sat.s") || second_is("shl.b16") || second_is("shr."),
        _ if first.starts_with("bfe.s32") => {
            second_is("cvt.") && second.contains("u32 ") || second_is("shl.b16")
        }
        _ if first.starts_with("and.b32") => second_is("bfi.b32"),
        _ if first.starts_with("abs.s32") => {
            second_is("cvt.") && second.contains("u32 ") || second_is("cvt.sat")
        }
        _ if first.contains("abs.f32") && second_is("setp") => true,
        _ if first.starts_with("neg.f16") => second_is("cvt.rzi.u64"),
        _ if first.starts_with("cvt.") && second_is("cvt.sat.s16.u32") => true,
        _ if first.starts_with("abs.s64") => second_is("sub.cc"),
        _ if first.contains(".ftz.f16") => second_is("cvt."),
        _ if first.contains("abs") => second_is("slct"),
        _ if first.starts_with("cvt.") => second_is("shr.") && second.contains("16 ") || second_is("shl.b16"),
        _ => false,
    }
}

/// An instruction, or two, that another one of any group may take in, and that other one.
pub(super) fn chain(m: &mut Maker<'_, '_>) -> Result<bool> {
    let (letter, producers) = m.pick(PRODUCERS)?;
    let usable = |m: &Maker<'_, '_>, row: &str| needed(row).all(|f| m.has(f));
    let first = m.pick(producers)?;
    let temporary = temporary(letter);
    let mut text = first.to_owned();
    if m.one_in(3)? {
        let (second, choice) = (m.pick(producers)?, m.below(4)?);
        if let Some(second) = taking(second, letter, temporary, choice).filter(|s| usable(m, s)) {
            text = format!("{text} {second}");
        }
    }
    for _ in 0..6 {
        let group = m.below(GROUPS.len())?;
        let group = &GROUPS[group];
        if group.feature.is_some_and(|f| !m.has(f)) || m.sm() < group.sm {
            continue;
        }
        let (row, choice) = (m.pick(group.rows)?, m.below(4)?);
        let last = text.rsplit("; ").next().unwrap_or_default();
        let known = !m.has(Feature::Known) && (errs(&text, row) || errs(last, row));
        // A row of several instructions has temporaries of its own.
        if known || row.matches(';').count() > 1 || !usable(m, row) || !usable(m, &text) {
            continue;
        }
        if let Some(mut row) = taking(row, letter, temporary, choice) {
            if m.one_in(4)?
                && let Some(twice) = taking(&row, letter, temporary, choice)
            {
                row = twice;
            }
            m.fill(&format!("{text} {row}"))?;
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_is_taken_and_no_destination() {
        let row = "slct.s32.s32 <=r>, <r>, <ri>, <r>;";
        assert_eq!(taking(row, 'r', "%t1", 0).as_deref(), Some("slct.s32.s32 <=r>, %t1, <ri>, <r>;"));
        assert_eq!(taking(row, 'r', "%t1", 2).as_deref(), Some("slct.s32.s32 <=r>, <r>, %t1, <r>;"));
        assert_eq!(taking(row, 'f', "%tf1", 0), None);
    }

    #[test]
    fn what_is_known_is_left_out() {
        assert!(errs("neg.s32 %t1, <r>;", "cvt.sat.u8.s32 <=r>, <r>;"));
        assert!(errs("cvt.rzi.u32.f32 %t1, <f>;", "shl.b16 <=h>, <h>, <r>;"));
        assert!(!errs("neg.s32 %t1, <r>;", "cvt.rn.f32.s32 <=f>, <r>;"));
    }
}
