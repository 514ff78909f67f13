//! Loads, stores, atomics, address conversions.

use super::{run, value};
use sassafras_semantics::{Ordering, Scope, Space};

#[test]
fn loads_extend_to_the_register() {
    // Byte i of memory holds i.
    assert_eq!(value("ld.global.u32 %r0, [%q1+4];", &[("%q1", 8)], "%r0"), 0x0f0e_0d0c);
    assert_eq!(value("ld.global.u8 %r0, [%q1];", &[("%q1", 8)], "%r0"), 8);
    assert_eq!(
        value("st.global.u8 [%q1], %r2;\nld.global.s8 %r0, [%q1];", &[("%q1", 8), ("%r2", 0x1f0)], "%r0"),
        0xffff_fff0
    );
    assert_eq!(
        value("st.global.u8 [%q1], %r2;\nld.global.b8 %q0, [%q1];", &[("%q1", 8), ("%r2", 0x1f0)], "%q0"),
        0xf0
    );
    assert_eq!(value("ld.shared.u16 %h0, [%r1+-2];", &[("%r1", 8)], "%h0"), 0x0706);
    // A 32-bit base wraps at 32 bits.
    assert_eq!(value("ld.shared.u8 %r0, [%r1+16];", &[("%r1", 0xffff_fff8)], "%r0"), 8);
    assert_eq!(value("ld.param.u32 %r0, [second];", &[], "%r0"), 0x0b0a_0908);
    assert_eq!(value("ld.shared.u8 %r0, [tile+1];", &[], "%r0"), 33);
}

#[test]
fn vectors_are_one_access() {
    let (m, mut lane) = run("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q1];", &[("%q1", 16)]);
    use sassafras_semantics::State;
    let mut get = |name| lane.read(&Default::default(), super::id(&m, name)).expect("set").bits();
    assert_eq!([get("%r0"), get("%r3")], [0x1312_1110, 0x1f1e_1d1c]);
    assert_eq!(lane.accesses.len(), 1);
    assert_eq!((lane.accesses[0].bytes, lane.accesses[0].space), (16, Space::Global));
    let (_, lane) =
        run("st.shared.v2.u16 [%r1], {%h1, %h2};", &[("%r1", 4), ("%h1", 0xaabb), ("%h2", 0xccdd)]);
    assert_eq!(lane.memory[4..8], [0xbb, 0xaa, 0xdd, 0xcc]);
}

#[test]
fn orderings_and_spaces() {
    let first = |body: &str| run(body, &[("%q1", 16), ("%r2", 0)]).1.accesses[0];
    let a = first("ld.u32 %r0, [%q1];");
    assert_eq!((a.space, a.ordering), (Space::Generic, Ordering::Weak));
    let a = first("ld.acquire.sys.global.u32 %r0, [%q1];");
    assert_eq!((a.space, a.ordering, a.scope), (Space::Global, Ordering::Acquire, Scope::Sys));
    assert_eq!(first("ld.global.nc.u32 %r0, [%q1];").ordering, Ordering::NonCoherent);
    assert_eq!(first("st.volatile.shared.u32 [%q1], %r2;").ordering, Ordering::Volatile);
}

#[test]
fn atomics_give_the_old_value() {
    let inputs = [("%q1", 16), ("%r2", 5), ("%r3", 9)];
    assert_eq!(value("atom.global.add.u32 %r0, [%q1], %r2;", &inputs, "%r0"), 0x1312_1110);
    let (_, lane) = run("red.global.add.u32 [%q1], %r2;", &inputs);
    assert_eq!(lane.memory[16], 0x15);
    let (_, lane) = run("atom.global.cas.b32 %r0, [%q1], 0x13121110, %r3;", &inputs);
    assert_eq!(lane.memory[16..20], [9, 0, 0, 0]);
    let (_, lane) = run("atom.global.cas.b32 %r0, [%q1], %r2, %r3;", &inputs);
    assert_eq!(lane.memory[16..20], [16, 17, 18, 19]);
    let (_, lane) = run("atom.global.exch.b64 _, [%q1], %q1;", &inputs);
    assert_eq!(lane.memory[16..24], [16, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn address_conversions() {
    assert_eq!(value("cvta.shared.u64 %q0, %q1;", &[("%q1", 4)], "%q0"), 0x1004);
    assert_eq!(value("cvta.to.shared.u64 %q0, %q1;", &[("%q1", 0x1004)], "%q0"), 4);
    assert_eq!(value("cvta.shared.u64 %q0, tile;", &[], "%q0"), 0x1020);
    assert_eq!(value("isspacep.shared %p0, %q1;", &[("%q1", 0x1004)], "%p0"), 1);
}

#[test]
fn guards() {
    let inputs = [("%p1", 1), ("%r0", 1), ("%r1", 2)];
    assert_eq!(value("@%p1 mov.u32 %r0, 5;\n@!%p1 mov.u32 %r0, 6;", &inputs, "%r0"), 5);
}
