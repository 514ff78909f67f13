//! Floating-point arithmetic.

use super::{value, words};

fn bits(v: f32) -> u32 {
    v.to_bits()
}

const NAN: u32 = 0x7fff_ffff;
const INF: u32 = 0x7f80_0000;

#[test]
fn arithmetic_rounds_flushes_and_saturates() {
    words("add.f32", &[bits(1.0), bits(2.5)], bits(3.5));
    words("add.rp.f32", &[bits(1.0), 1], 0x3f80_0001);
    words("add.rz.f32", &[bits(1.0), 1], bits(1.0));
    words("sub.rm.f32", &[bits(1.0), 1], 0x3f7f_ffff);
    words("add.f32", &[1, 1], 2);
    words("add.ftz.f32", &[1, 1], 0);
    words("mul.ftz.f32", &[0x0080_0000, bits(0.5)], 0);
    words("mul.f32", &[0x0080_0000, bits(0.5)], 0x0040_0000);
    words("add.sat.f32", &[bits(1.0), bits(2.0)], bits(1.0));
    words("sub.sat.f32", &[bits(1.0), bits(2.0)], 0);
    words("add.sat.f32", &[INF, 0xff80_0000], 0);
    words("add.f32", &[INF, 0xff80_0000], NAN);
    words("sub.f32", &[INF, INF], NAN);
    // One rounding: the product alone would round away the low bits.
    words("fma.rn.f32", &[0x3f80_0001, 0x3f80_0001, 0xbf80_0002], 0x2880_0000);
    words("mad.rn.f32", &[bits(2.0), bits(3.0), bits(1.0)], bits(7.0));
    words("div.rn.f32", &[bits(1.0), bits(3.0)], 0x3eaa_aaab);
    words("div.rz.f32", &[bits(1.0), bits(3.0)], 0x3eaa_aaaa);
    words("rcp.rn.f32", &[bits(-4.0)], bits(-0.25));
    words("sqrt.rn.f32", &[bits(2.0)], 0x3fb5_04f3);
    words("sqrt.rn.f32", &[bits(-1.0)], NAN);
}

#[test]
fn extremes() {
    words("min.f32", &[0, 0x8000_0000], 0x8000_0000);
    words("max.f32", &[0x8000_0000, 0], 0);
    words("min.f32", &[0x7fc0_0001, bits(1.0)], bits(1.0));
    words("max.f32", &[0x7fc0_0001, 0x7fc0_0001], NAN);
    words("min.NaN.f32", &[0x7fc0_0001, bits(1.0)], NAN);
    words("min.ftz.f32", &[1, bits(1.0)], 0);
    words("min.xorsign.abs.f32", &[bits(-3.0), bits(2.0)], bits(-2.0));
    words("max.xorsign.abs.f32", &[bits(-3.0), bits(-2.0)], bits(3.0));
}

#[test]
fn signs_and_classes() {
    words("neg.f32", &[bits(1.0)], bits(-1.0));
    words("abs.f32", &[bits(-1.0)], bits(1.0));
    words("neg.ftz.f32", &[1], 0x8000_0000);
    let nan = value("neg.f32 %r0, %r1;", &[("%r1", 0x7fc0_0001)], "%r0") as u32;
    assert!(f32::from_bits(nan).is_nan());
    words("copysign.f32", &[bits(-1.0), bits(3.0)], bits(-3.0));
    let class = |name: &str, v: u32| {
        let body = format!("testp.{name}.f32 %p0, %r1;");
        value(&body, &[("%r1", v.into())], "%p0")
    };
    for (v, expected) in [
        (bits(1.0), [1, 0, 1, 0, 1, 0]),
        (0x8000_0000, [1, 0, 1, 0, 1, 0]),
        (0x8000_0001, [1, 0, 1, 0, 0, 1]),
        (INF, [0, 1, 1, 0, 0, 0]),
        (0xffc0_0000, [0, 0, 0, 1, 0, 0]),
    ] {
        let names = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];
        assert_eq!(names.map(|n| class(n, v)), expected, "{v:#x}");
    }
}

#[test]
fn comparisons_know_nan() {
    let setp = |op: &str, a: u32, b: u32| {
        let body = format!("setp.{op}.f32 %p0, %r1, %r2;");
        value(&body, &[("%r1", a.into()), ("%r2", b.into())], "%p0")
    };
    let (one, two, nan) = (bits(1.0), bits(2.0), 0x7fc0_0000);
    let ordered = ["eq", "ne", "lt", "le", "gt", "ge"];
    let unordered = ["equ", "neu", "ltu", "leu", "gtu", "geu"];
    assert_eq!(ordered.map(|op| setp(op, one, nan)), [0; 6]);
    assert_eq!(unordered.map(|op| setp(op, one, nan)), [1; 6]);
    for ops in [ordered, unordered] {
        assert_eq!(ops.map(|op| setp(op, one, two)), [0, 1, 1, 1, 0, 0]);
        assert_eq!(ops.map(|op| setp(op, 0, 0x8000_0000)), [1, 0, 0, 1, 0, 1]);
    }
    assert_eq!([setp("num", one, nan), setp("nan", one, nan), setp("num", one, two)], [0, 1, 1]);
    assert_eq!(value("setp.eq.ftz.f32 %p0, %r1, %r2;", &[("%r1", 1), ("%r2", 0)], "%p0"), 1);
    words("set.gt.f32.f32", &[two, one], one);
}

#[test]
fn doubles() {
    let d = |v: f64| u128::from(v.to_bits());
    let two = |op: &str, a: f64, b: f64| {
        value(&format!("{op} %d0, %d1, %d2;"), &[("%d1", d(a)), ("%d2", d(b))], "%d0")
    };
    assert_eq!(two("add.f64", 0.1, 0.2), d(0.1 + 0.2));
    assert_eq!(two("div.rn.f64", 1.0, 3.0), d(1.0 / 3.0));
    assert_eq!(two("max.f64", f64::NAN, 3.0), d(3.0));
    let fma = value(
        "fma.rn.f64 %d0, %d1, %d2, %d3;",
        &[("%d1", d(0.1)), ("%d2", d(0.1)), ("%d3", d(-0.01))],
        "%d0",
    );
    assert_eq!(fma, d(0.1f64.mul_add(0.1, -0.01)));
    assert_eq!(value("sqrt.rn.f64 %d0, %d1;", &[("%d1", d(2.0))], "%d0"), d(2f64.sqrt()));
    // The gross approximation leaves the low word zero.
    assert_eq!(value("rcp.approx.ftz.f64 %d0, %d1;", &[("%d1", d(2.0))], "%d0"), d(0.5));
}

#[test]
fn halves() {
    let two =
        |op: &str, a: u128, b: u128| value(&format!("{op} %h0, %h1, %h2;"), &[("%h1", a), ("%h2", b)], "%h0");
    assert_eq!(two("add.f16", 0x3c00, 0x4000), 0x4200);
    assert_eq!(two("mul.sat.f16", 0x4000, 0x4000), 0x3c00);
    assert_eq!(two("add.ftz.f16", 1, 1), 0);
    assert_eq!(two("add.f16", 1, 1), 2);
    assert_eq!(two("max.NaN.f16", 0x7e01, 0x3c00), 0x7fff);
    assert_eq!(two("add.bf16", 0x3f80, 0x4000), 0x4040);
    words("add.f16x2", &[0x3c00_4000, 0x3c00_3c00], 0x4000_4200);
    words("fma.rn.relu.f16x2", &[0xbc00_3c00, 0x3c00_3c00, 0x0000_3c00], 0x0000_4000);
    words("fma.rn.bf16x2", &[0x3f80_4000, 0x3f80_4000, 0x3f80_3f80], 0x4000_40a0);
    words("neg.f16x2", &[0x3c00_8000], 0xbc00_0000);
    words("set.gt.f16x2.f16x2", &[0x4000_3c00, 0x3c00_3c00], 0x3c00_0000);
    words("set.gt.u32.f16x2", &[0x4000_3c00, 0x3c00_3c00], 0xffff_0000);
    let body = "setp.gt.f16x2 %p0|%p1, %r1, %r2;";
    let inputs = [("%r1", 0x4000_3c00), ("%r2", 0x3c00_3c00)];
    assert_eq!(["%p0", "%p1"].map(|p| value(body, &inputs, p)), [0, 1]);
}

#[test]
fn approximations_stay_within_two_ulp() {
    let near = |op: &str, sources: &[u32], expected: f32| {
        let names = ["%r1", "%r2"];
        let list = &names[..sources.len()];
        let inputs: Vec<(&str, u128)> = list.iter().copied().zip(sources.iter().map(|&v| v.into())).collect();
        let got = value(&format!("{op} %r0, {};", list.join(", ")), &inputs, "%r0") as u32;
        assert!(got.abs_diff(expected.to_bits()) <= 2, "{op}: {} for {expected}", f32::from_bits(got));
    };
    near("rcp.approx.f32", &[bits(3.0)], 1.0 / 3.0);
    near("sqrt.approx.f32", &[bits(2.0)], std::f32::consts::SQRT_2);
    near("ex2.approx.f32", &[bits(3.0)], 8.0);
    near("div.approx.f32", &[bits(10.0), bits(3.0)], 10.0 / 3.0);
    near("div.full.f32", &[bits(10.0), bits(3.0)], 10.0 / 3.0);
    near("div.full.f32", &[bits(3e38), bits(2e38)], 1.5);
    near("div.full.f32", &[bits(3e-39), bits(2e-39)], 3e-39 / 2e-39);
    words("div.approx.f32", &[bits(1.0), bits(2e38)], 0);
    words("div.approx.f32", &[INF, bits(2e38)], NAN);
}
