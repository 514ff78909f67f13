//! Integer arithmetic, logic, bit fields, comparisons.

use super::{value, words};

const MIN: u32 = 0x8000_0000;
const MAX: u32 = 0x7fff_ffff;
const ONES: u32 = u32::MAX;

#[test]
fn sums_wrap_or_saturate() {
    words("add.u32", &[ONES, 2], 1);
    words("add.s32", &[MAX, 1], MIN);
    words("add.sat.s32", &[MAX, 1], MAX);
    words("add.sat.s32", &[MIN, ONES], MIN);
    words("sub.sat.s32", &[MIN, 1], MIN);
    words("sub.sat.s32", &[0, MIN], MAX);
    words("sub.u32", &[0, 1], ONES);
    words("add.u16x2", &[0x0001_ffff, 0x0001_0001], 0x0002_0000);
}

#[test]
fn products() {
    words("mul.lo.u32", &[0x1_0001, 0x1_0001], 0x2_0001);
    words("mul.hi.u32", &[ONES, ONES], 0xffff_fffe);
    words("mul.hi.s32", &[ONES, ONES], 0);
    words("mad.lo.s32", &[3, 5, ONES], 14);
    words("mad.hi.u32", &[ONES, ONES, 3], 1);
    words("mad.hi.sat.s32", &[MAX, MAX, MAX], MAX);
    assert_eq!(
        value("mul.wide.s32 %q0, %r1, %r2;", &[("%r1", 0xffff_fffe), ("%r2", 3)], "%q0"),
        (-6i64) as u64 as u128
    );
    assert_eq!(
        value("mul.wide.u32 %q0, %r1, %r2;", &[("%r1", 0xffff_fffe), ("%r2", 3)], "%q0"),
        0x2_ffff_fffa
    );
    assert_eq!(value("mul.wide.s16 %r0, %h1, %h2;", &[("%h1", 0xffff), ("%h2", 3)], "%r0"), 0xffff_fffd);
    let wide = [("%r1", 7), ("%r2", 9), ("%q3", 1)];
    assert_eq!(value("mad.wide.u32 %q0, %r1, %r2, %q3;", &wide, "%q0"), 64);
    // 24-bit factors: the top byte does not count, bit 23 is the sign of .s32.
    words("mul24.lo.u32", &[0xff00_0003, 5], 15);
    words("mul24.lo.s32", &[0x00ff_ffff, 5], 0xffff_fffb);
    words("mul24.hi.u32", &[0x00ff_ffff, 0x00ff_ffff], 0xffff_fe00);
    words("mad24.lo.u32", &[0x0100_0002, 3, 1], 7);
}

#[test]
fn quotients_truncate() {
    words("div.s32", &[(-7i32) as u32, 2], (-3i32) as u32);
    words("rem.s32", &[(-7i32) as u32, 2], ONES);
    words("div.u32", &[(-7i32) as u32, 2], 0x7fff_fffc);
    words("rem.u32", &[7, 4], 3);
}

#[test]
fn signs_and_extremes() {
    words("abs.s32", &[MIN], MIN);
    words("abs.s32", &[(-5i32) as u32], 5);
    words("neg.s32", &[5], (-5i32) as u32);
    words("min.s32", &[ONES, 1], ONES);
    words("min.u32", &[ONES, 1], 1);
    words("max.s32", &[ONES, 1], 1);
    words("max.u32", &[ONES, 1], ONES);
    words("min.relu.s32", &[ONES, 1], 0);
    words("max.s16x2", &[0xffff_0001, 0x0000_ffff], 0x0000_0001);
    words("min.u16x2", &[0xffff_0001, 0x0000_ffff], 0x0000_0001);
    words("max.relu.s16x2", &[0xffff_0003, 0xfffe_ffff], 0x0000_0003);
    words("sad.s32", &[(-2i32) as u32, 3, 10], 15);
    words("sad.u32", &[(-2i32) as u32, 3, 0], (-5i32) as u32);
}

#[test]
fn dot_products() {
    words("dp4a.u32.u32", &[0x0102_03ff, 0x0101_0101, 5], 1 + 2 + 3 + 255 + 5);
    words("dp4a.s32.s32", &[0x0102_03ff, 0x0101_0101, 5], 1 + 2 + 3 - 1 + 5);
    words("dp4a.s32.u32", &[0x0000_00ff, 0x0000_00ff, 0], (-255i32) as u32);
    words("dp2a.lo.s32.s32", &[0xffff_0002, 0x0907_0503, 0], 2 * 3 - 5);
    words("dp2a.hi.s32.s32", &[0xffff_0002, 0x0907_0503, 0], 2 * 7 - 9);
    words("dp2a.lo.u32.u32", &[0xffff_0002, 0x0907_0503, 1], 2 * 3 + 0xffff * 5 + 1);
}

#[test]
fn carries_chain() {
    let body = "add.cc.u32 %r0, %r1, %r2;\naddc.cc.u32 %r3, %r4, %r5;\naddc.u32 %r6, 0, 0;";
    let inputs = [("%r1", 0xffff_ffff), ("%r2", 1), ("%r4", 0xffff_ffff), ("%r5", 0)];
    assert_eq!(["%r0", "%r3", "%r6"].map(|r| value(body, &inputs, r)), [0, 0, 1]);
    let body = "sub.cc.u32 %r0, %r1, %r2;\nsubc.cc.u32 %r3, %r4, %r5;\nsubc.u32 %r6, 0, 0;";
    let inputs = [("%r1", 0), ("%r2", 1), ("%r4", 5), ("%r5", 5)];
    assert_eq!(
        ["%r0", "%r3", "%r6"].map(|r| value(body, &inputs, r)),
        [0xffff_ffff, 0xffff_ffff, 0xffff_ffff]
    );
    // The borrow is added to b without wrapping, and is the absence of a carry.
    let body = "sub.cc.u32 %r0, 0, 1;\nsubc.cc.u32 %r3, %r4, %r5;";
    let inputs = [("%r4", 0), ("%r5", 0xffff_ffff)];
    assert_eq!(["%r3", "CC.CF"].map(|r| value(body, &inputs, r)), [0, 0]);
    let body = "sub.cc.u32 %r0, %r1, %r2;\naddc.u32 %r3, 0, 0;";
    assert_eq!(value(body, &[("%r1", 5), ("%r2", 4)], "%r3"), 1);
    assert_eq!(value(body, &[("%r1", 4), ("%r2", 5)], "%r3"), 0);
    let body = "mad.lo.cc.u32 %r0, %r1, %r2, %r3;\nmadc.hi.u32 %r4, %r1, %r2, 0;";
    let inputs = [("%r1", 0xffff_ffff), ("%r2", 2), ("%r3", 2)];
    assert_eq!(["%r0", "%r4"].map(|r| value(body, &inputs, r)), [0, 2]);
    assert_eq!(value("add.cc.u64 %q0, %q1, %q2;", &[("%q1", u64::MAX.into()), ("%q2", 1)], "CC.CF"), 1);
}

#[test]
fn logic() {
    words("and.b32", &[0b1100, 0b1010], 0b1000);
    words("or.b32", &[0b1100, 0b1010], 0b1110);
    words("xor.b32", &[0b1100, 0b1010], 0b0110);
    words("not.b32", &[0], ONES);
    words("cnot.b32", &[0], 1);
    words("cnot.b32", &[7], 0);
    let lop = |table: u32| {
        let body = format!("lop3.b32 %r0, %r1, %r2, %r3, {table};");
        value(&body, &[("%r1", 0b1111_0000), ("%r2", 0b1100_1100), ("%r3", 0b1010_1010)], "%r0")
    };
    for table in [0u32, 0x80, 0x96, 0xe8, 0x1a, 0xca, 0xff] {
        // On these sources the result's low byte is the table itself.
        assert_eq!(lop(table) & 0xff, table.into(), "{table:#x}");
    }
    let body = "lop3.or.b32 %r0|%p0, %r1, %r2, %r3, 128, %p1;";
    let with = |q: u128| value(body, &[("%r1", 0), ("%r2", 1), ("%r3", 1), ("%p1", q)], "%p0");
    assert_eq!([with(0), with(1)], [0, 1]);
}

#[test]
fn shifts_clamp() {
    words("shl.b32", &[1, 31], MIN);
    words("shl.b32", &[1, 32], 0);
    words("shl.b32", &[1, ONES], 0);
    words("shr.u32", &[MIN, 31], 1);
    words("shr.u32", &[MIN, 33], 0);
    words("shr.s32", &[MIN, 40], ONES);
    assert_eq!(value("shr.s16 %h0, %h1, %r2;", &[("%h1", 0x8000), ("%r2", 0x1_0001)], "%h0"), 0xffff);
    assert_eq!(value("shl.b16 %h0, %h1, %r2;", &[("%h1", 0x8001), ("%r2", 1)], "%h0"), 2);
    assert_eq!(value("shl.b64 %q0, %q1, %r2;", &[("%q1", 1), ("%r2", 64)], "%q0"), 0);
    assert_eq!(value("shr.s64 %q0, %q1, %r2;", &[("%q1", 1 << 63), ("%r2", 63)], "%q0"), u64::MAX.into());
}

#[test]
fn funnels() {
    let (a, b) = (0x8765_4321, 0x0fed_cba9);
    words("shf.l.wrap.b32", &[a, b, 4], 0xfedc_ba98);
    words("shf.l.wrap.b32", &[a, b, 36], 0xfedc_ba98);
    words("shf.l.clamp.b32", &[a, b, 36], a);
    words("shf.l.clamp.b32", &[a, b, 0], b);
    words("shf.r.wrap.b32", &[a, b, 4], 0x9876_5432);
    words("shf.r.wrap.b32", &[a, b, 32], a);
    words("shf.r.clamp.b32", &[a, b, 99], b);
}

/// The PTX ISA's pseudo-code of `bfe`, bit by bit.
fn bfe(a: u64, b: u32, c: u32, msb: u32, signed: bool) -> u64 {
    let (pos, len) = (b & 0xff, c & 0xff);
    let sbit = if !signed || len == 0 { 0 } else { a >> (pos + len - 1).min(msb) & 1 };
    (0..=msb).fold(0, |d, i| d | (if i < len && pos + i <= msb { a >> (pos + i) & 1 } else { sbit }) << i)
}

fn bfi(a: u64, b: u64, c: u32, d: u32, msb: u32) -> u64 {
    let (pos, len) = (c & 0xff, d & 0xff);
    (0..len).take_while(|i| pos + i <= msb).fold(b, |f, i| f & !(1 << (pos + i)) | (a >> i & 1) << (pos + i))
}

#[test]
fn bit_fields_follow_the_pseudo_code_at_every_corner() {
    let corners = [0u32, 1, 5, 16, 31, 32, 33, 63, 64, 100, 255, 256, 0x1_0003];
    let (lo, hi) = (0x8f31_c0a5_u64, 0x8f31_c0a5_7e02_11d9_u64);
    let m = super::module(
        "bfe.u32 %r0, %r1, %r2, %r3;\nbfe.s32 %r4, %r1, %r2, %r3;\nbfe.u64 %q0, %q1, %r2, %r3;\n\
         bfe.s64 %q2, %q1, %r2, %r3;\nbfi.b32 %r5, %r1, %r6, %r2, %r3;\nbfi.b64 %q3, %q1, %q4, %r2, %r3;",
    );
    let d = sassafras_semantics::concrete::Concrete::default();
    for pos in corners {
        for len in corners {
            let inputs = [
                ("%r1", u128::from(lo)),
                ("%r2", pos.into()),
                ("%r3", len.into()),
                ("%q1", hi.into()),
                ("%r6", 0x5a5a_5a5a),
                ("%q4", 0x1234_5678_9abc_def0),
            ];
            let mut lane = super::lane(&m, &inputs);
            for inst in &m.functions[0].insts.as_ref().expect("a body")[..6] {
                super::step(&d, &m, &m.functions[0], inst, &mut lane).expect("a meaning");
            }
            let mut get = |name| {
                use sassafras_semantics::State;
                lane.read(&d, super::id(&m, name)).expect("set").bits() as u64
            };
            let at = format!("pos {pos} len {len}");
            assert_eq!(get("%r0"), bfe(lo, pos, len, 31, false), "bfe.u32 {at}");
            assert_eq!(get("%r4"), bfe(lo, pos, len, 31, true), "bfe.s32 {at}");
            assert_eq!(get("%q0"), bfe(hi, pos, len, 63, false), "bfe.u64 {at}");
            assert_eq!(get("%q2"), bfe(hi, pos, len, 63, true), "bfe.s64 {at}");
            assert_eq!(get("%r5"), bfi(lo, 0x5a5a_5a5a, pos, len, 31), "bfi.b32 {at}");
            assert_eq!(get("%q3"), bfi(hi, 0x1234_5678_9abc_def0, pos, len, 63), "bfi.b64 {at}");
        }
    }
}

#[test]
fn counting_and_finding() {
    words("popc.b32", &[0xf0f0_0001], 9);
    words("clz.b32", &[0], 32);
    words("clz.b32", &[1], 31);
    words("brev.b32", &[1], MIN);
    words("bfind.u32", &[0], ONES);
    words("bfind.u32", &[0x10], 4);
    words("bfind.shiftamt.u32", &[0x10], 27);
    words("bfind.s32", &[ONES], ONES);
    words("bfind.s32", &[0xffff_fff0], 3);
    assert_eq!(value("bfind.u64 %r0, %q1;", &[("%q1", 1 << 40)], "%r0"), 40);
    assert_eq!(value("clz.b64 %r0, %q1;", &[("%q1", 1 << 40)], "%r0"), 23);
    assert_eq!(value("popc.b64 %r0, %q1;", &[("%q1", u64::MAX.into())], "%r0"), 64);
    words("fns.b32", &[0b1011_0100, 2, 0], 2);
    words("fns.b32", &[0b1011_0100, 3, 0], ONES);
    words("fns.b32", &[0b1011_0100, 0, 1], 2);
    words("fns.b32", &[0b1011_0100, 0, 3], 5);
    words("fns.b32", &[0b1011_0100, 31, ONES], 7);
    words("fns.b32", &[0b1011_0100, 7, (-3i32) as u32], 4);
    words("fns.b32", &[0b1011_0100, 7, 2], ONES);
}

#[test]
fn masks_and_extensions() {
    words("bmsk.wrap.b32", &[1, 2], 6);
    words("bmsk.wrap.b32", &[33, 34], 6);
    words("bmsk.clamp.b32", &[33, 2], 0);
    words("bmsk.clamp.b32", &[4, 32], 0xffff_fff0);
    words("bmsk.clamp.b32", &[4, 30], 0xffff_fff0);
    words("bmsk.clamp.b32", &[4, 0], 0);
    words("szext.wrap.s32", &[0xff, 8], ONES);
    words("szext.wrap.u32", &[0x1ff, 8], 0xff);
    words("szext.wrap.s32", &[0xff, 40], ONES);
    words("szext.clamp.s32", &[0xff, 40], 0xff);
    words("szext.clamp.s32", &[0xff, 0], 0);
    words("szext.wrap.s32", &[0x7f, 8], 0x7f);
}

#[test]
fn permutes() {
    let (a, b) = (0x3322_1180, 0x7766_5544);
    words("prmt.b32", &[a, b, 0x7531], 0x7755_3311);
    // The selector's top bit takes the byte's sign.
    words("prmt.b32", &[a, b, 0x8899], 0xffff_0000);
    words("prmt.b32.f4e", &[a, b, 1], 0x4433_2211);
    words("prmt.b32.b4e", &[a, b, 1], 0x6677_8011);
    words("prmt.b32.rc8", &[a, b, 2], 0x2222_2222);
    words("prmt.b32.ecl", &[a, b, 2], 0x3322_2222);
    words("prmt.b32.ecr", &[a, b, 2], 0x2222_1180);
    words("prmt.b32.rc16", &[a, b, 3], 0x3322_3322);
    words("prmt.b32.rc16", &[a, b, 4], 0x1180_1180);
}

#[test]
fn comparisons_and_selections() {
    let setp = |op: &str, a: u32, b: u32| {
        value(&format!("setp.{op} %p0|%p1, %r1, %r2;"), &[("%r1", a.into()), ("%r2", b.into())], "%p0")
    };
    assert_eq!([setp("lt.s32", ONES, 0), setp("lt.u32", ONES, 0), setp("lo.u32", 0, ONES)], [1, 0, 1]);
    assert_eq!(
        [setp("ge.s32", 0, ONES), setp("hs.u32", 0, 0), setp("hi.u32", 0, 0), setp("ls.u32", 1, 0)],
        [1, 1, 0, 0]
    );
    assert_eq!([setp("ne.b32", 1, 0), setp("eq.s32", 1, 1)], [1, 1]);
    let body = "setp.lt.and.s32 %p0|%p1, %r1, %r2, !%p2;";
    let inputs = [("%r1", 1), ("%r2", 2), ("%p2", 0)];
    assert_eq!(["%p0", "%p1"].map(|p| value(body, &inputs, p)), [1, 0]);
    let inputs = [("%r1", 2), ("%r2", 1), ("%p2", 0)];
    assert_eq!(["%p0", "%p1"].map(|p| value(body, &inputs, p)), [0, 1]);
    words("set.lt.u32.s32", &[ONES, 0], ONES);
    words("set.lt.f32.s32", &[ONES, 0], 0x3f80_0000);
    words("set.gt.s32.s32", &[ONES, 0], 0);
    words("slct.u32.s32", &[5, 6, 0], 5);
    words("slct.u32.s32", &[5, 6, ONES], 6);
    words("slct.b32.f32", &[5, 6, 0x8000_0000], 5);
    words("slct.b32.f32", &[5, 6, 0x7fc0_0000], 6);
    words("slct.b32.f32", &[5, 6, 0x8000_0001], 6);
    words("slct.ftz.b32.f32", &[5, 6, 0x8000_0001], 5);
    assert_eq!(value("selp.b32 %r0, %r1, %r2, %p1;", &[("%r1", 5), ("%r2", 6), ("%p1", 0)], "%r0"), 6);
}
