//! Barrier objects, bulk copies, barriers of a cluster; set up and waited for by an elected lane.

use super::block;
use super::maker::{Maker, put};
use super::place::Place;

/// Begins what one thread of the block does; the label behind it.
fn by_one(m: &mut Maker) -> String {
    let skip = m.label();
    let p = m.p();
    if m.has("elect") && m.one_in(2) {
        m.also("elect");
        put!(m, "setp.ne.u32 {p}, %w, 0;");
        put!(m, "@{p} bra {skip};");
        let (q, r) = (m.p(), m.r());
        put!(m, "elect.sync {r}|{q}, 0xffffffff;");
        put!(m, "@!{q} bra {skip};");
    } else {
        put!(m, "setp.ne.u32 {p}, %t, 0;");
        put!(m, "@{p} bra {skip};");
    }
    skip
}

/// Waits for the first phase of an object.
fn wait(m: &mut Maker, at: u32, token: Option<&str>) {
    let (p, head, address) = (m.p(), m.label(), m.r());
    put!(m, "add.u32 {address}, %sa, {at};");
    let name = if m.has("try_wait") && m.one_in(2) { "try_wait" } else { "test_wait" };
    if name == "try_wait" {
        m.also("try_wait");
    }
    put!(m, "{head}:");
    match token {
        Some(token) => put!(m, "mbarrier.{name}.shared.b64 {p}, [{address}], {token};"),
        None => put!(m, "mbarrier.{name}.parity.shared.b64 {p}, [{address}], 0;"),
    }
    put!(m, "@!{p} bra {head};");
}

fn end(m: &mut Maker, at: u32) {
    block::wait(m);
    let skip = by_one(m);
    put!(m, "mbarrier.inval.shared.b64 [%sa+{at}];");
    put!(m, "{skip}:");
}

/// Threads, or a lane for each warp, arrive at an object and wait for its phase.
pub(super) fn object(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let (at, array, v) = (m.single(), m.array(), m.v());
    let each = m.one_in(2);
    let skip = by_one(m);
    put!(m, "mbarrier.init.shared.b64 [%sa+{at}], {};", if each { "%nt" } else { "%nw" });
    put!(m, "{skip}:");
    block::wait(m);
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    let token = m.d();
    if each {
        put!(m, "mbarrier.arrive.shared.b64 {token}, [%sa+{at}];");
    } else {
        let (p, skip) = (m.p(), m.label());
        m.put("bar.warp.sync 0xffffffff;");
        if m.has("elect") && m.one_in(2) {
            m.also("elect");
            let r = m.r();
            put!(m, "elect.sync {r}|{p}, 0xffffffff;");
        } else {
            put!(m, "setp.eq.u32 {p}, %l, 0;");
        }
        if m.one_in(2) {
            put!(m, "@{p} mbarrier.arrive.shared.b64 {token}, [%sa+{at}];");
        } else {
            put!(m, "@!{p} bra {skip};");
            put!(m, "mbarrier.arrive.shared.b64 {token}, [%sa+{at}];");
            put!(m, "{skip}:");
        }
    }
    wait(m, at, each.then_some(token.as_str()));
    let (r, address) = (m.r(), m.r());
    put!(m, "add.u32 {r}, %t, 33;");
    put!(m, "rem.u32 {r}, {r}, %nt;");
    put!(m, "mad.lo.u32 {address}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{address}+{array}];");
    m.mix(&r);
    end(m, at);
    m.put("bar.sync 0;");
}

/// One lane copies inputs to shared memory, and all wait for the bytes.
pub(super) fn bulk_in(m: &mut Maker, place: &Place) {
    if m.inside {
        return object(m, place);
    }
    m.ordered_otherwise = true;
    let (at, array) = (m.single(), m.array());
    let units = 1 + m.below(32);
    let (to, bar) = (m.r(), m.r());
    let skip = by_one(m);
    put!(m, "mbarrier.init.shared.b64 [%sa+{at}], 1;");
    m.put("fence.mbarrier_init.release.cluster;");
    m.put("fence.proxy.async.shared::cta;");
    put!(m, "mbarrier.arrive.expect_tx.shared.b64 _, [%sa+{at}], {};", 16 * units);
    put!(m, "add.u32 {to}, %sa, {array};");
    put!(m, "add.u32 {bar}, %sa, {at};");
    put!(
        m,
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [%all], {}, [{bar}];",
        16 * units
    );
    put!(m, "{skip}:");
    m.put("bar.sync 0;");
    wait(m, at, None);
    let (r, address) = (m.r(), m.r());
    put!(m, "rem.u32 {r}, %t, {};", 4 * units);
    put!(m, "mad.lo.u32 {address}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{address}+{array}];");
    m.mix(&r);
    end(m, at);
    m.put("bar.sync 0;");
}

/// One lane copies shared memory to global memory.
pub(super) fn bulk_out(m: &mut Maker, place: &Place) {
    if m.inside || m.loops > 0 {
        return block::exchange(m, place);
    }
    m.ordered_otherwise = true;
    let array = m.array();
    // Two places of 8 bytes are 16, at a multiple of that.
    let to = m.global() / 16 * 16;
    let (v, address, from) = (m.v(), m.d(), m.r());
    let _ = m.global();
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    m.put("fence.proxy.async.shared::cta;");
    block::wait(m);
    let skip = m.label();
    let (p, r) = (m.p(), m.r());
    if m.exits {
        // Whoever is first of the lanes that are there; the warps agree by what they have in common, the record of warp 0.
        put!(m, "setp.ne.u32 {p}, %t, 0;");
        put!(m, "@{p} bra {skip};");
    } else {
        m.also("elect");
        put!(m, "setp.ne.u32 {p}, %w, 0;");
        put!(m, "@{p} bra {skip};");
        put!(m, "elect.sync {r}|{p}, 0xffffffff;");
        put!(m, "@!{p} bra {skip};");
    }
    put!(m, "add.u32 {from}, %sa, {array};");
    put!(m, "add.u64 {address}, %g, {to};");
    put!(m, "cp.async.bulk.global.shared::cta.bulk_group [{address}], [{from}], 16;");
    m.put("cp.async.bulk.commit_group;");
    m.put("cp.async.bulk.wait_group 0;");
    put!(m, "{skip}:");
    block::wait(m);
}

/// The barrier of a cluster, here of one block.
pub(super) fn cluster(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let aligned = m.pick(&["", ".aligned"]);
    let (array, v) = (m.array(), m.v());
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    put!(m, "barrier.cluster.arrive{aligned};");
    m.mix(&v);
    put!(m, "barrier.cluster.wait{aligned};");
    let (r, at) = (m.r(), m.r());
    put!(m, "add.u32 {r}, %t, 1;");
    put!(m, "rem.u32 {r}, {r}, %nt;");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    m.mix(&r);
    put!(m, "barrier.cluster.arrive{aligned};");
    put!(m, "barrier.cluster.wait{aligned};");
}
