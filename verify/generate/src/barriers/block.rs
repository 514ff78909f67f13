//! What all threads of a block do together, through shared memory and barriers.

use super::maker::{Maker, put};
use super::place::{Place, THREADS};

/// A barrier of the whole block, in one of its spellings.
pub(super) fn wait(m: &mut Maker) {
    match m.below(8) {
        0 => m.put("barrier.sync 0;"),
        1 => m.put("barrier.sync.aligned 0;"),
        2 => put!(m, "bar.sync {};", 1 + m.below(3)),
        3 => {
            let r = m.r();
            put!(m, "and.b32 {r}, %u, 3;");
            put!(m, "bar.sync {r};");
        }
        4 if !m.exits => {
            m.ordered_otherwise = true;
            m.put("bar.sync 4, %bs;");
        }
        _ => m.put("bar.sync 0;"),
    }
}

pub(super) fn barrier(m: &mut Maker, _: &Place) {
    wait(m);
}

/// A predicate of all threads.
pub(super) fn reduction(m: &mut Maker, _: &Place) {
    let p = m.apart();
    let name = m.pick(&["bar", "bar", "barrier", "barrier.aligned"]);
    let (name, aligned) = name.split_once('.').map_or((name, ""), |(n, _)| (n, ".aligned"));
    if m.one_in(2) {
        let r = m.r();
        put!(m, "{name}.red.popc{aligned}.u32 {r}, 0, {p};");
        m.mix(&r);
        return;
    }
    let (q, r) = (m.p(), m.r());
    let how = m.pick(&["and", "or"]);
    let not = m.pick(&["", "!"]);
    put!(m, "{name}.red.{how}{aligned}.pred {q}, 1, {not}{p};");
    put!(m, "selp.u32 {r}, 5, 9, {q};");
    m.mix(&r);
}

/// Lanes reach barriers of one number on both sides of a branch that they take apart: defined without `.aligned` alone.
pub(super) fn apart(m: &mut Maker, _: &Place) {
    let p = m.apart();
    let (other, join) = (m.label(), m.label());
    put!(m, "@{p} bra {other};");
    let v = m.v();
    m.mix(&v);
    m.put("barrier.sync 0;");
    put!(m, "bra {join};");
    put!(m, "{other}:");
    m.put("barrier.sync 0;");
    let v = m.v();
    m.mix(&v);
    put!(m, "{join}:");
}

/// The slot of another thread of the block.
fn neighbour(m: &mut Maker, array: u32) -> String {
    let (r, at) = (m.r(), m.r());
    let by = m.pick(&[1, 3, 17, 32]);
    put!(m, "add.u32 {r}, %t, {by};");
    put!(m, "rem.u32 {r}, {r}, %nt;");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    r
}

/// Each thread writes its word, and reads another's.
pub(super) fn exchange(m: &mut Maker, _: &Place) {
    let (array, v) = (m.array(), m.v());
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    wait(m);
    let r = neighbour(m, array);
    m.mix(&r);
    wait(m);
}

/// A sum by halves: `if (tid < s)`, with a barrier in each turn.
pub(super) fn tree(m: &mut Maker, _: &Place) {
    let (array, v) = (m.array(), m.v());
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    m.put("bar.sync 0;");
    let (s, i, p, q) = (m.r(), m.r(), m.p(), m.p());
    let (head, skip) = (m.label(), m.label());
    put!(m, "mov.u32 {s}, {};", THREADS / 2);
    put!(m, "{head}:");
    put!(m, "add.u32 {i}, %t, {s};");
    put!(m, "setp.lt.u32 {p}, %t, {s};");
    put!(m, "setp.lt.and.u32 {q}, {i}, %nt, {p};");
    put!(m, "@!{q} bra {skip};");
    let (at, a, b) = (m.r(), m.r(), m.r());
    put!(m, "mad.lo.u32 {at}, {i}, 4, %sa;");
    put!(m, "ld.shared.u32 {a}, [{at}+{array}];");
    put!(m, "ld.shared.u32 {b}, [%ta+{array}];");
    put!(m, "add.u32 {b}, {b}, {a};");
    put!(m, "st.shared.u32 [%ta+{array}], {b};");
    put!(m, "{skip}:");
    wait(m);
    let by = m.pick(&[1, 2, 3]);
    put!(m, "shr.u32 {s}, {s}, {by};");
    put!(m, "setp.ne.u32 {p}, {s}, 0;");
    put!(m, "@{p} bra {head};");
    put!(m, "ld.shared.u32 {a}, [%sa+{array}];");
    m.mix(&a);
    wait(m);
}

/// Sums of all threads before, by doubling distances.
pub(super) fn scan(m: &mut Maker, _: &Place) {
    let (array, v) = (m.array(), m.v());
    let (x, d, i, at, y) = (m.r(), m.r(), m.r(), m.r(), m.r());
    let (p, q) = (m.p(), m.p());
    let (head, done) = (m.label(), m.label());
    put!(m, "and.b32 {x}, {v}, 0xff;");
    put!(m, "st.shared.u32 [%ta+{array}], {x};");
    wait(m);
    put!(m, "mov.u32 {d}, 1;");
    put!(m, "{head}:");
    put!(m, "setp.ge.u32 {q}, {d}, %nt;");
    put!(m, "@{q} bra {done};");
    put!(m, "mov.u32 {y}, 0;");
    put!(m, "setp.ge.u32 {p}, %t, {d};");
    if m.one_in(2) {
        let skip = m.label();
        put!(m, "@!{p} bra {skip};");
        put!(m, "sub.u32 {i}, %t, {d};");
        put!(m, "mad.lo.u32 {at}, {i}, 4, %sa;");
        put!(m, "ld.shared.u32 {y}, [{at}+{array}];");
        put!(m, "{skip}:");
    } else {
        put!(m, "sub.u32 {i}, %t, {d};");
        put!(m, "mad.lo.u32 {at}, {i}, 4, %sa;");
        put!(m, "@{p} ld.shared.u32 {y}, [{at}+{array}];");
    }
    m.put("bar.sync 0;");
    put!(m, "add.u32 {x}, {x}, {y};");
    put!(m, "st.shared.u32 [%ta+{array}], {x};");
    wait(m);
    put!(m, "shl.b32 {d}, {d}, 2;");
    put!(m, "bra {head};");
    put!(m, "{done}:");
    m.mix(&x);
    wait(m);
}

/// Two arrays in turn, with one barrier a turn.
pub(super) fn double_buffer(m: &mut Maker, _: &Place) {
    let arrays = [m.array(), m.array()];
    let (i, p, base, at) = (m.r(), m.p(), m.r(), m.r());
    let head = m.label();
    put!(m, "mov.u32 {i}, 0;");
    put!(m, "{head}:");
    let v = m.v();
    put!(m, "and.b32 {base}, {i}, 1;");
    put!(m, "mul.lo.u32 {base}, {base}, {};", arrays[1] - arrays[0]);
    put!(m, "add.u32 {at}, %ta, {base};");
    put!(m, "st.shared.u32 [{at}+{}], {v};", arrays[0]);
    wait(m);
    let (r, by) = (m.r(), m.pick(&[1, 5, 31]));
    put!(m, "add.u32 {r}, %t, {by};");
    put!(m, "rem.u32 {r}, {r}, %nt;");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "add.u32 {at}, {at}, {base};");
    put!(m, "ld.shared.u32 {r}, [{at}+{}];", arrays[0]);
    m.mix(&r);
    put!(m, "add.u32 {i}, {i}, 1;");
    put!(m, "setp.lt.u32 {p}, {i}, {};", 2 + m.below(2));
    put!(m, "@{p} bra {head};");
    wait(m);
}

/// A pass of a radix sort: a ballot for each warp, counts of warps through shared memory, the place of each thread.
pub(super) fn radix(m: &mut Maker, _: &Place) {
    let (counts, sorted) = (m.array(), m.array());
    let (b, k, r, at, c, rank) = (m.r(), m.r(), m.r(), m.r(), m.r(), m.r());
    let (p, q, lead) = (m.p(), m.p(), m.p());
    let v = m.v();
    let bit = m.pick(&[1, 2, 4, 8]);
    put!(m, "and.b32 {r}, {v}, {bit};");
    put!(m, "setp.ne.u32 {p}, {r}, 0;");
    put!(m, "vote.sync.ballot.b32 {b}, {p}, 0xffffffff;");
    put!(m, "popc.b32 {c}, {b};");
    // The lowest lane that is there writes for its warp.
    let all = m.r();
    put!(m, "vote.sync.ballot.b32 {all}, 1, 0xffffffff;");
    put!(m, "neg.s32 {k}, {all}; and.b32 {k}, {k}, {all}; bfind.u32 {k}, {k};");
    put!(m, "setp.eq.u32 {lead}, %l, {k};");
    put!(m, "mad.lo.u32 {at}, %w, 4, %sa;");
    if m.one_in(2) {
        put!(m, "@{lead} st.shared.u32 [{at}+{counts}], {c};");
    } else {
        let skip = m.label();
        put!(m, "@!{lead} bra {skip};");
        put!(m, "st.shared.u32 [{at}+{counts}], {c};");
        put!(m, "{skip}:");
    }
    wait(m);
    // The counts of the warps before.
    let (head, done) = (m.label(), m.label());
    put!(m, "mov.u32 {rank}, 0;");
    put!(m, "mov.u32 {k}, 0;");
    put!(m, "{head}:");
    put!(m, "setp.ge.u32 {q}, {k}, %w;");
    put!(m, "@{q} bra {done};");
    put!(m, "mad.lo.u32 {at}, {k}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{counts}];");
    put!(m, "add.u32 {rank}, {rank}, {r};");
    put!(m, "add.u32 {k}, {k}, 1;");
    put!(m, "bra {head};");
    put!(m, "{done}:");
    put!(m, "mov.u32 {r}, %lanemask_lt;");
    put!(m, "and.b32 {r}, {r}, {b};");
    put!(m, "popc.b32 {r}, {r};");
    put!(m, "add.u32 {rank}, {rank}, {r};");
    put!(m, "mad.lo.u32 {at}, {rank}, 4, %sa;");
    put!(m, "@{p} st.shared.u32 [{at}+{sorted}], {v};");
    wait(m);
    put!(m, "ld.shared.u32 {r}, [%ta+{sorted}];");
    m.mix(&r);
    wait(m);
}

/// Threads append to a list, one atomic operation for those that happen to be together; the list is summed up.
pub(super) fn append(m: &mut Maker, place: &Place) {
    if m.loops > 0 || m.inside {
        return exchange(m, place);
    }
    m.ordered_otherwise = true;
    let (list, length, sum) = (m.array(), m.single(), m.single());
    let (a, lead, c, r, at) = (m.r(), m.r(), m.r(), m.r(), m.r());
    let (p, q) = (m.apart(), m.p());
    let skip = m.label();
    let v = m.v();
    put!(m, "@!{p} bra {skip};");
    put!(m, "activemask.b32 {a};");
    put!(m, "bfind.u32 {lead}, {a};");
    put!(m, "popc.b32 {c}, {a};");
    put!(m, "setp.eq.u32 {q}, %l, {lead};");
    put!(m, "mov.u32 {r}, 0;");
    put!(m, "@{q} atom.shared.add.u32 {r}, [%sa+{length}], {c};");
    put!(m, "shfl.sync.idx.b32 {r}, {r}, {lead}, 31, {a};");
    put!(m, "mov.u32 {c}, %lanemask_lt;");
    put!(m, "and.b32 {c}, {c}, {a};");
    put!(m, "popc.b32 {c}, {c};");
    put!(m, "add.u32 {r}, {r}, {c};");
    put!(m, "mad.lo.u32 {at}, {r}, 4, %sa;");
    put!(m, "st.shared.u32 [{at}+{list}], {v};");
    put!(m, "{skip}:");
    wait(m);
    // Places behind those of threads that did not append are zero.
    let (x, y) = (m.r(), m.r());
    put!(m, "ld.shared.u32 {x}, [%ta+{list}];");
    put!(m, "ld.shared.u32 {y}, [%sa+{length}];");
    put!(m, "setp.lt.u32 {q}, %t, {y};");
    put!(m, "@{q} red.shared.add.u32 [%sa+{sum}], {x};");
    wait(m);
    if !m.exits {
        put!(m, "ld.shared.u32 {x}, [%sa+{sum}];");
        m.mix(&x);
    }
    m.mix(&y);
    wait(m);
}

/// One thread takes numbers for the block until there are no more.
pub(super) fn persistent(m: &mut Maker, place: &Place) {
    let (taken, counter) = (m.single(), m.single());
    let (x, r, p, q) = (m.r(), m.r(), m.p(), m.p());
    let (head, done) = (m.label(), m.label());
    let most = 1 + m.below(3);
    let global = m.one_in(2);
    let place_of = if global { format!("%g+{}", m.global()) } else { format!("%sa+{counter}") };
    let space = if global { "global" } else { "shared" };
    put!(m, "{head}:");
    if m.one_in(2) {
        let skip = m.label();
        put!(m, "setp.ne.u32 {p}, %t, 0;");
        put!(m, "@{p} bra {skip};");
        put!(m, "atom.{space}.add.u32 {r}, [{place_of}], 1;");
        put!(m, "st.shared.u32 [%sa+{taken}], {r};");
        put!(m, "{skip}:");
    } else {
        put!(m, "setp.eq.u32 {p}, %t, 0;");
        put!(m, "@{p} atom.{space}.add.u32 {r}, [{place_of}], 1;");
        put!(m, "@{p} st.shared.u32 [%sa+{taken}], {r};");
    }
    m.put("bar.sync 0;");
    put!(m, "ld.shared.u32 {x}, [%sa+{taken}];");
    wait(m);
    // Each visit takes one number too many: the next begins behind it.
    put!(m, "rem.u32 {x}, {x}, {};", most + 1);
    put!(m, "setp.ge.u32 {q}, {x}, {most};");
    put!(m, "@{q} bra {done};");
    m.mix(&x);
    super::flow::inside(m, place, true);
    put!(m, "bra {head};");
    put!(m, "{done}:");
}
