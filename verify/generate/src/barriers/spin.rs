//! Atomics, locks, and threads that wait for each other's words.

use super::maker::{Maker, put};
use super::place::Place;

/// Reductions that commute exactly, whatever the order, and the least chip: integers, and floats of small whole numbers.
const ATOMICS: &[(&str, char, u32)] = &[
    ("add.u32", 'r', 75),
    ("min.u32", 'r', 75),
    ("max.s32", 'r', 75),
    ("xor.b32", 'r', 75),
    ("or.b32", 'r', 75),
    ("add.u64", 'd', 75),
    ("min.u64", 'd', 75),
    ("add.f32", 'f', 75),
    ("add.f64", 'g', 75),
    ("add.noftz.f16", 'h', 75),
];

/// An atomic operation; as code some are loops. `atom` or `red`, on shared or global memory.
pub(super) fn atomic(m: &mut Maker, _: &Place) {
    let (name, class, sm) = m.pick(ATOMICS);
    m.needs(sm);
    // Shared memory is where they become loops.
    let shared = !m.one_in(4);
    let at = if shared { format!("[%sa+{}]", m.single()) } else { format!("[%g+{}]", m.global()) };
    let space = if shared { "shared" } else { "global" };
    let (v, x) = (m.v(), m.r());
    put!(m, "and.b32 {x}, {v}, {};", if class == 'h' { 1 } else { 63 });
    let value = match class {
        'r' => x,
        'd' => {
            let d = m.d();
            put!(m, "cvt.u64.u32 {d}, {x};");
            d
        }
        'f' => {
            let f = m.f();
            put!(m, "cvt.rn.f32.u32 {f}, {x};");
            f
        }
        'g' => {
            let d = m.d();
            put!(m, "cvt.rn.f64.u32 {d}, {x};");
            d
        }
        _ => {
            let h = m.h();
            put!(m, "cvt.rn.f16.u32 {h}, {x};");
            h
        }
    };
    let guard = if m.one_in(3) { format!("@{} ", m.apart()) } else { String::new() };
    if class != 'h' && m.one_in(2) {
        put!(m, "{guard}red.{space}.{name} {at}, {value};");
        return;
    }
    let old = match class {
        'r' => m.r(),
        'f' => m.f(),
        'h' => m.h(),
        _ => m.d(),
    };
    put!(m, "{guard}atom.{space}.{name} {old}, {at}, {value};");
}

/// A loop of compare-and-swap.
pub(super) fn swap(m: &mut Maker, _: &Place) {
    let at = m.single();
    let (v, x, old, seen, new, p) = (m.v(), m.r(), m.r(), m.r(), m.r(), m.p());
    let head = m.label();
    let how = m.pick(&["add.u32", "max.u32", "xor.b32"]);
    put!(m, "and.b32 {x}, {v}, 255;");
    put!(m, "ld.volatile.shared.u32 {old}, [%sa+{at}];");
    m.ordered_otherwise = true;
    put!(m, "{head}:");
    put!(m, "mov.u32 {seen}, {old};");
    put!(m, "{how} {new}, {seen}, {x};");
    put!(m, "atom.shared.cas.b32 {old}, [%sa+{at}], {seen}, {new};");
    put!(m, "setp.ne.u32 {p}, {old}, {seen};");
    put!(m, "@{p} bra {head};");
}

/// What a lock guards: a word that is changed without atomics.
fn section(m: &mut Maker, at: u32) {
    let (v, r, x) = (m.v(), m.r(), m.r());
    put!(m, "and.b32 {x}, {v}, 31;");
    put!(m, "ld.volatile.shared.u32 {r}, [%sa+{at}];");
    put!(m, "add.u32 {r}, {r}, {x};");
    put!(m, "st.volatile.shared.u32 [%sa+{at}], {r};");
    m.put("membar.cta;");
}

/// Lanes take a lock, in one of two ways: with the section in the loop, or behind it. A few of each warp do: where all spin, an order that holds the owner
/// back takes thousands of instructions for each.
pub(super) fn lock(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let (lock, at) = (m.single(), m.single());
    let (r, p, head) = (m.r(), m.p(), m.label());
    let out = m.label();
    let among = if m.loops == 0 { 7 } else { 15 };
    put!(m, "and.b32 {r}, %l, {among};");
    put!(m, "setp.ne.u32 {p}, {r}, {};", m.below(4));
    put!(m, "@{p} bra {out};");
    if m.one_in(2) {
        put!(m, "{head}:");
        put!(m, "atom.shared.cas.b32 {r}, [%sa+{lock}], 0, 1;");
        put!(m, "setp.ne.u32 {p}, {r}, 0;");
        put!(m, "@{p} bra {head};");
        section(m, at);
        put!(m, "atom.shared.exch.b32 {r}, [%sa+{lock}], 0;");
        put!(m, "{out}:");
        return;
    }
    let skip = m.label();
    let done = m.r();
    put!(m, "mov.u32 {done}, 0;");
    put!(m, "{head}:");
    put!(m, "atom.shared.cas.b32 {r}, [%sa+{lock}], 0, 1;");
    put!(m, "setp.ne.u32 {p}, {r}, 0;");
    put!(m, "@{p} bra {skip};");
    section(m, at);
    put!(m, "mov.u32 {done}, 1;");
    put!(m, "atom.shared.exch.b32 {r}, [%sa+{lock}], 0;");
    put!(m, "{skip}:");
    put!(m, "setp.eq.u32 {p}, {done}, 0;");
    put!(m, "@{p} bra {head};");
    put!(m, "{out}:");
}

/// One lane of the warp takes a lock for all of them.
pub(super) fn lock_of_warp(m: &mut Maker, place: &Place) {
    m.ordered_otherwise = true;
    let (lock, at) = (m.single(), m.single());
    let (r, p, q) = (m.r(), m.p(), m.p());
    let (head, skip) = (m.label(), m.label());
    if m.has("elect") && m.one_in(2) {
        m.also("elect");
        put!(m, "elect.sync {r}|{q}, 0xffffffff;");
    } else {
        let lanes = super::warp::exact(m, place);
        put!(m, "bfind.u32 {r}, {lanes};");
        put!(m, "setp.eq.u32 {q}, %l, {r};");
    }
    put!(m, "@!{q} bra {skip};");
    put!(m, "{head}:");
    put!(m, "atom.shared.cas.b32 {r}, [%sa+{lock}], 0, 1;");
    put!(m, "setp.ne.u32 {p}, {r}, 0;");
    put!(m, "@{p} bra {head};");
    section(m, at);
    if m.one_in(2) {
        put!(m, "atom.shared.exch.b32 {r}, [%sa+{lock}], 0;");
    } else {
        put!(m, "st.volatile.shared.u32 [%sa+{lock}], 0;");
    }
    put!(m, "{skip}:");
    if m.one_in(2) {
        m.put("bar.warp.sync 0xffffffff;");
    }
}

/// Warps go one after the other: each waits for its turn, and gives it to the next.
pub(super) fn turns(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let (turn, at) = (m.single(), m.single());
    let (r, p, q, head) = (m.r(), m.p(), m.p(), m.label());
    let lone = m.one_in(2);
    let skip = m.label();
    put!(m, "setp.eq.u32 {q}, %l, 0;");
    if lone {
        put!(m, "@!{q} bra {skip};");
    }
    put!(m, "{head}:");
    put!(m, "ld.volatile.shared.u32 {r}, [%sa+{turn}];");
    put!(m, "setp.ne.u32 {p}, {r}, %w;");
    put!(m, "@{p} bra {head};");
    if lone {
        put!(m, "{skip}:");
    }
    m.put("bar.warp.sync 0xffffffff;");
    let x = m.r();
    put!(m, "ld.volatile.shared.u32 {x}, [%sa+{at}];");
    m.put("bar.warp.sync 0xffffffff;");
    m.mix(&x);
    put!(m, "add.u32 {x}, {x}, 3;");
    put!(m, "@{q} st.volatile.shared.u32 [%sa+{at}], {x};");
    m.put("membar.cta;");
    put!(m, "add.u32 {r}, {r}, 1;");
    // Behind a lone lane's wait the others have not read the turn.
    put!(m, "add.u32 {r}, %w, 1;");
    m.put("bar.warp.sync 0xffffffff;");
    put!(m, "@{q} st.volatile.shared.u32 [%sa+{turn}], {r};");
    m.put("bar.sync 0;");
    // For the next visit, if there is one.
    put!(m, "setp.eq.u32 {p}, %t, 0;");
    put!(m, "@{p} st.shared.u32 [%sa+{turn}], 0;");
    m.put("bar.sync 0;");
}

/// The barrier of a grid, here of one block: one thread counts itself, and waits until all blocks have.
pub(super) fn grid(m: &mut Maker, _: &Place) {
    m.ordered_otherwise = true;
    let at = m.global();
    let (r, b, p, q) = (m.r(), m.r(), m.p(), m.p());
    let (head, skip) = (m.label(), m.label());
    m.put("bar.sync 0;");
    put!(m, "setp.ne.u32 {p}, %t, 0;");
    put!(m, "@{p} bra {skip};");
    m.put("membar.gl;");
    // One of the blocks adds what flips the highest bit when all have come.
    put!(m, "mov.u32 {b}, %nctaid.x;");
    put!(m, "sub.u32 {b}, 0x80000001, {b};");
    put!(m, "atom.global.add.u32 {r}, [%g+{at}], {b};");
    put!(m, "{head}:");
    put!(m, "ld.{}.global.u32 {b}, [%g+{at}];", m.pick(&["volatile", "relaxed.gpu"]));
    put!(m, "xor.b32 {b}, {b}, {r};");
    put!(m, "setp.ge.s32 {q}, {b}, 0;");
    put!(m, "@{q} bra {head};");
    m.put("membar.gl;");
    put!(m, "{skip}:");
    m.put("bar.sync 0;");
}

/// One operation for all lanes that happen to be together.
pub(super) fn active(m: &mut Maker, _: &Place) {
    let (a, lead, c, p) = (m.r(), m.r(), m.r(), m.p());
    put!(m, "activemask.b32 {a};");
    put!(m, "bfind.u32 {lead}, {a};");
    put!(m, "popc.b32 {c}, {a};");
    put!(m, "setp.eq.u32 {p}, %l, {lead};");
    let to = if m.one_in(2) {
        format!("shared.add.u32 [%sa+{}]", m.single())
    } else {
        format!("global.add.u32 [%g+{}]", m.global())
    };
    if m.one_in(2) {
        put!(m, "@{p} red.{to}, {c};");
    } else {
        let skip = m.label();
        put!(m, "@!{p} bra {skip};");
        put!(m, "red.{to}, {c};");
        put!(m, "{skip}:");
    }
}
