//! Barriers with a number of threads, and those that some arrive at without waiting.

use super::maker::{Maker, put};
use super::place::Place;

/// A barrier of all threads, counted.
pub(super) fn counted(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let (array, v) = (m.array(), m.v());
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    let name = m.pick(&["bar.sync", "barrier.sync", "barrier.sync.aligned"]);
    let number = 5 + m.below(3);
    put!(m, "{name} {number}, %bs;");
    let (r, at) = (m.r(), m.r());
    put!(m, "xor.b32 {r}, %t, 1;");
    put!(m, "rem.u32 {r}, {r}, %nt;");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    m.mix(&r);
    put!(m, "{name} {number}, %bs;");
}

/// Each warp has a barrier of its own.
pub(super) fn of_warps(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let (array, v, n) = (m.array(), m.v(), m.r());
    put!(m, "add.u32 {n}, %w, 8;");
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    put!(m, "bar.sync {n}, 32;");
    let (r, at) = (m.r(), m.r());
    put!(m, "and.b32 {r}, %t, 0x60;");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    m.mix(&r);
    if m.one_in(2) {
        let (p, c) = (m.apart(), m.r());
        // The count as a number or, as inline assembly hands it over, in a register.
        let count = if m.one_in(2) { "32".to_owned() } else { m.r() };
        if count != "32" {
            put!(m, "and.b32 {count}, %bs, 32;");
            put!(m, "or.b32 {count}, {count}, 32;");
        }
        put!(m, "bar.red.popc.u32 {c}, {n}, {count}, {p};");
        m.mix(&c);
    } else {
        put!(m, "bar.sync {n}, 32;");
    }
}

/// The first warp makes what the others use: it waits until a place is free, and arrives when it is full.
pub(super) fn producer(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let array = m.array();
    let (i, p, r, at) = (m.r(), m.p(), m.r(), m.r());
    let (consume, join, skip) = (m.label(), m.label(), m.label());
    let (produced, consumed) = (m.label(), m.label());
    let turns = 1 + m.below(2);
    let (sync, arrive) =
        m.pick(&[("bar.sync", "bar.arrive"), ("barrier.sync.aligned", "barrier.arrive.aligned")]);
    put!(m, "setp.lt.u32 {p}, %nw, 2;");
    put!(m, "@{p} bra {skip};");
    put!(m, "mov.u32 {i}, 0;");
    put!(m, "setp.ne.u32 {p}, %w, 0;");
    put!(m, "@{p} bra {consume};");
    put!(m, "{produced}:");
    put!(m, "{sync} 13, %bs;");
    let v = m.v();
    put!(m, "add.u32 {r}, {v}, {i};");
    put!(m, "st.shared.u32 [%ta+{array}], {r};");
    m.put("membar.cta;");
    put!(m, "{arrive} 14, %bs;");
    put!(m, "add.u32 {i}, {i}, 1;");
    put!(m, "setp.lt.u32 {p}, {i}, {turns};");
    put!(m, "@{p} bra {produced};");
    put!(m, "bra {join};");
    put!(m, "{consume}:");
    put!(m, "{consumed}:");
    put!(m, "{arrive} 13, %bs;");
    put!(m, "{sync} 14, %bs;");
    put!(m, "mad.lo.u32 {at}, %l, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    m.mix(&r);
    put!(m, "add.u32 {i}, {i}, 1;");
    put!(m, "setp.lt.u32 {p}, {i}, {turns};");
    put!(m, "@{p} bra {consumed};");
    put!(m, "{join}:");
    m.put("bar.sync 0;");
    put!(m, "{skip}:");
}
