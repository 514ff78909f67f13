//! Conversions and moves.

use super::{run, value};

fn cvt(form: &str, from: &str, to: &str, v: u128) -> u128 {
    let (mut to0, mut from1) = (to.to_string(), from.to_string());
    to0.push('0');
    from1.push('1');
    value(&format!("cvt.{form} {to0}, {from1};"), &[(&from1, v)], &to0)
}

fn f(v: f32) -> u128 {
    v.to_bits().into()
}

fn d(v: f64) -> u128 {
    v.to_bits().into()
}

#[test]
fn integers_extend_by_the_source_and_the_register_by_the_result() {
    assert_eq!(cvt("s32.s8", "%r", "%r", 0x80), 0xffff_ff80);
    assert_eq!(cvt("u32.u8", "%r", "%r", 0x1_80), 0x80);
    assert_eq!(cvt("u8.u32", "%r", "%r", 0x1_80), 0x80);
    assert_eq!(cvt("s8.u32", "%r", "%r", 0x1_80), 0xffff_ff80);
    assert_eq!(cvt("s64.s32", "%r", "%q", 0xffff_ffff), u64::MAX.into());
    assert_eq!(cvt("u64.s32", "%r", "%q", 0xffff_ffff), u64::MAX.into());
    assert_eq!(cvt("s64.u32", "%r", "%q", 0xffff_ffff), 0xffff_ffff);
    assert_eq!(cvt("sat.u8.s32", "%r", "%r", 0xffff_ffff), 0);
    assert_eq!(cvt("sat.u8.s32", "%r", "%r", 300), 255);
    assert_eq!(cvt("sat.s8.s32", "%r", "%r", 0xffff_ff00), 0xffff_ff80);
    assert_eq!(cvt("sat.s32.u32", "%r", "%r", 0xffff_ffff), 0x7fff_ffff);
    assert_eq!(cvt("sat.u32.s64", "%q", "%r", u64::MAX.into()), 0);
}

#[test]
fn floats_to_integers_round_and_clamp() {
    assert_eq!(cvt("rni.s32.f32", "%f", "%r", f(2.5)), 2);
    assert_eq!(cvt("rzi.s32.f32", "%f", "%r", f(-2.7)), (-2i32) as u32 as u128);
    assert_eq!(cvt("rmi.s32.f32", "%f", "%r", f(-2.1)), (-3i32) as u32 as u128);
    assert_eq!(cvt("rpi.u32.f32", "%f", "%r", f(2.1)), 3);
    assert_eq!(cvt("rzi.u32.f32", "%f", "%r", f(-5.0)), 0);
    assert_eq!(cvt("rzi.s32.f32", "%f", "%r", f(1e20)), 0x7fff_ffff);
    assert_eq!(cvt("rzi.s8.f32", "%f", "%r", f(-1000.0)), 0xffff_ff80);
    assert_eq!(cvt("rpi.s32.f32", "%f", "%r", 1), 1);
    assert_eq!(cvt("rpi.ftz.s32.f32", "%f", "%r", 1), 0);
    assert_eq!(cvt("rzi.s64.f64", "%d", "%q", d(-1e30)), 1 << 63);
    assert_eq!(cvt("rzi.u16.f16", "%h", "%h", 0x4100), 2);
}

#[test]
fn nan_to_integer() {
    let (nan, wide) = (f(f32::NAN), d(f64::NAN));
    assert_eq!(cvt("rzi.s32.f32", "%f", "%r", nan), 0);
    assert_eq!(cvt("rzi.u32.f32", "%f", "%r", nan), 0);
    assert_eq!(cvt("rzi.s64.f32", "%f", "%q", nan), 1 << 63);
    assert_eq!(cvt("rzi.u64.f32", "%f", "%q", nan), 1 << 63);
    assert_eq!(cvt("rzi.s32.f64", "%d", "%r", wide), 1 << 31);
    assert_eq!(cvt("rzi.u32.f64", "%d", "%r", wide), 1 << 31);
}

#[test]
fn integers_to_floats() {
    assert_eq!(cvt("rn.f32.s32", "%r", "%f", 0xffff_ffff), f(-1.0));
    assert_eq!(cvt("rn.f32.u32", "%r", "%f", 0xffff_ffff), f(4294967296.0));
    assert_eq!(cvt("rz.f32.u32", "%r", "%f", 0xffff_ffff), 0x4f7f_ffff);
    assert_eq!(cvt("rn.f64.s64", "%q", "%d", u64::MAX.into()), d(-1.0));
    assert_eq!(cvt("rn.f16.u32", "%r", "%h", 100_000), 0x7c00);
    assert_eq!(cvt("rn.sat.f32.s32", "%r", "%f", 5), f(1.0));
    assert_eq!(cvt("rn.bf16.s32", "%r", "%h", 257), 0x4380);
}

#[test]
fn floats_to_floats() {
    assert_eq!(cvt("f64.f32", "%f", "%d", f(1.5)), d(1.5));
    assert_eq!(cvt("rn.f32.f64", "%d", "%f", d(0.1)), f(0.1));
    assert_eq!(cvt("rp.f32.f64", "%d", "%f", d(1e300)), f(f32::INFINITY));
    assert_eq!(cvt("rz.f32.f64", "%d", "%f", d(1e300)), f(f32::MAX));
    assert_eq!(cvt("rn.f16.f32", "%f", "%h", f(65536.0)), 0x7c00);
    assert_eq!(cvt("rn.f16.f32", "%f", "%h", f(f32::NAN)), 0x7fff);
    assert_eq!(cvt("f32.f16", "%h", "%f", 0x3c00), f(1.0));
    assert_eq!(cvt("f32.bf16", "%h", "%f", 0x4040), f(3.0));
    assert_eq!(cvt("rn.relu.f16.f32", "%f", "%h", f(-3.0)), 0);
    assert_eq!(cvt("rni.f32.f32", "%f", "%f", f(2.5)), f(2.0));
    assert_eq!(cvt("rpi.f64.f64", "%d", "%d", d(-0.5)), d(-0.0));
    assert_eq!(cvt("sat.f32.f32", "%f", "%f", f(2.5)), f(1.0));
    assert_eq!(cvt("ftz.f32.f32", "%f", "%f", 0x8000_0001), 0x8000_0000);
    assert_eq!(cvt("f32.f32", "%f", "%f", 0x8000_0001), 0x8000_0001);
    assert_eq!(cvt("rn.satfinite.f16.f32", "%f", "%h", f(f32::NEG_INFINITY)), 0xfbff);
    assert_eq!(cvt("rn.satfinite.f16.f32", "%f", "%h", f(65536.0)), 0x7bff);
    assert_eq!(cvt("rn.satfinite.f16.f32", "%f", "%h", f(f32::NAN)), 0x7fff);
    // The first source goes to the upper half.
    let pair = value("cvt.rn.f16x2.f32 %r0, %f1, %f2;", &[("%f1", f(1.0)), ("%f2", f(2.0))], "%r0");
    assert_eq!(pair, 0x3c00_4000);
}

#[test]
fn packing_with_saturation() {
    let body = "cvt.pack.sat.s16.s32 %r0, %r1, %r2;";
    assert_eq!(value(body, &[("%r1", 100_000), ("%r2", 0xffff_ffff)], "%r0"), 0x7fff_ffff);
    let body = "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;";
    let inputs = [("%r1", 300), ("%r2", 0xffff_ffff), ("%r3", 0xaabb_ccdd)];
    assert_eq!(value(body, &inputs, "%r0"), 0xccdd_ff00);
}

#[test]
fn moves_pack_and_unpack() {
    assert_eq!(value("mov.b64 %q0, {%r1, %r2};", &[("%r1", 1), ("%r2", 2)], "%q0"), 0x2_0000_0001);
    let (m, mut lane) = run("mov.b32 {%h0, %h1}, %r1;", &[("%r1", 0x1234_5678)]);
    use sassafras_semantics::State;
    let mut get = |name| lane.read(&Default::default(), super::id(&m, name)).expect("set").bits();
    assert_eq!([get("%h0"), get("%h1")], [0x5678, 0x1234]);
    assert_eq!(value("mov.b64 {_, %r0}, %q1;", &[("%q1", 0x5_0000_0006)], "%r0"), 5);
    assert_eq!(value("mov.b128 %x0, {%q1, %q2};", &[("%q1", 1), ("%q2", 2)], "%x0"), (2 << 64) | 1);
    assert_eq!(value("mov.u32 %r0, %tid.x;", &[], "%r0"), 7);
    assert_eq!(value("mov.u32 %r0, 0xfffffff0;", &[], "%r0"), 0xffff_fff0);
    assert_eq!(value("mov.s32 %r0, -1;", &[], "%r0"), 0xffff_ffff);
    assert_eq!(value("mov.f32 %f0, 0f3F800000;", &[], "%f0"), f(1.0));
    assert_eq!(value("mov.u64 %q0, tile+4;", &[], "%q0"), 36);
    assert_eq!(value("mov.u32 %r0, tile;", &[], "%r0"), 32);
}
