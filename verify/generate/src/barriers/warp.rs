//! What the lanes of a mask do together.

use super::maker::{Maker, put};
use super::place::Place;

/// The lanes that are here, exactly: none of them has ended.
pub(super) fn exact(m: &mut Maker, place: &Place) -> String {
    if let Place::Lanes(mask) = place {
        return mask.clone();
    }
    let (p, mask) = (m.p(), m.r());
    put!(m, "setp.ge.u32 {p}, %l, 0;");
    put!(m, "vote.sync.ballot.b32 {mask}, {p}, 0xffffffff;");
    mask
}

/// A mask for votes and their like, which do not ask lanes that have ended.
fn mask(m: &mut Maker, place: &Place) -> String {
    match place {
        Place::Lanes(mask) => mask.clone(),
        _ if m.one_in(3) => exact(m, place),
        _ => "0xffffffff".into(),
    }
}

/// The lowest or highest lane of a mask.
fn leader(m: &mut Maker, mask: &str) -> String {
    let r = m.r();
    if m.one_in(2) {
        put!(m, "bfind.u32 {r}, {mask};");
    } else {
        put!(m, "neg.s32 {r}, {mask}; and.b32 {r}, {r}, {mask}; bfind.u32 {r}, {r};");
    }
    r
}

/// A guard: whether a lane is in a mask.
fn in_mask(m: &mut Maker, lane: &str, mask: &str) -> String {
    let (r, p) = (m.r(), m.p());
    put!(m, "shr.u32 {r}, {mask}, {lane};");
    put!(m, "and.b32 {r}, {r}, 1;");
    put!(m, "setp.ne.u32 {p}, {r}, 0;");
    p
}

pub(super) fn shuffle(m: &mut Maker, place: &Place) {
    let lanes = exact(m, place);
    let named =
        if matches!(place, Place::Lanes(_)) || m.one_in(2) { lanes.clone() } else { "0xffffffff".into() };
    let (v, r) = (m.v(), m.r());
    if m.one_in(2) {
        let from = leader(m, &lanes);
        put!(m, "shfl.sync.idx.b32 {r}, {v}, {from}, 31, {named};");
        m.mix(&r);
        return;
    }
    let by = m.pick(&[1, 2, 4, 8, 16, 3]);
    let (from, p) = (m.r(), m.p());
    match m.below(3) {
        0 => {
            put!(m, "xor.b32 {from}, %l, {by};");
            put!(m, "shfl.sync.bfly.b32 {r}, {v}, {by}, 31, {named};");
        }
        1 => {
            put!(m, "sub.u32 {from}, %l, {by};");
            put!(m, "setp.lt.u32 {p}, %l, {by};");
            put!(m, "selp.b32 {from}, %l, {from}, {p};");
            put!(m, "shfl.sync.up.b32 {r}, {v}, {by}, 0, {named};");
        }
        _ => {
            put!(m, "add.u32 {from}, %l, {by};");
            put!(m, "setp.gt.u32 {p}, {from}, 31;");
            put!(m, "selp.b32 {from}, %l, {from}, {p};");
            put!(m, "shfl.sync.down.b32 {r}, {v}, {by}, 31, {named};");
        }
    }
    let there = in_mask(m, &from, &lanes);
    m.mix_if(&there, &r);
}

pub(super) fn vote(m: &mut Maker, place: &Place) {
    let (mask, p, r, q) = (mask(m, place), m.apart(), m.r(), m.p());
    if m.one_in(2) {
        put!(m, "vote.sync.ballot.b32 {r}, {p}, {mask};");
    } else {
        let how = m.pick(&["any", "all", "uni"]);
        put!(m, "vote.sync.{how}.pred {q}, {p}, {mask};");
        put!(m, "selp.u32 {r}, 3, 8, {q};");
    }
    m.mix(&r);
}

pub(super) fn matched(m: &mut Maker, place: &Place) {
    let (mask, v, r, x, p) = (mask(m, place), m.v(), m.r(), m.r(), m.p());
    put!(m, "and.b32 {x}, {v}, 3;");
    if m.one_in(2) {
        put!(m, "match.any.sync.b32 {r}, {x}, {mask};");
    } else {
        put!(m, "match.all.sync.b32 {r}|{p}, {x}, {mask};");
        put!(m, "selp.u32 {x}, 1, 6, {p};");
        put!(m, "add.u32 {r}, {r}, {x};");
    }
    m.mix(&r);
}

pub(super) fn redux(m: &mut Maker, place: &Place) {
    let (mask, v, r) = (mask(m, place), m.v(), m.r());
    let how = m.pick(&["add.u32", "min.u32", "max.s32", "xor.b32", "or.b32"]);
    put!(m, "redux.sync.{how} {r}, {v}, {mask};");
    m.mix(&r);
}

/// Lanes write, wait for each other, and read what a leader wrote.
pub(super) fn sync(m: &mut Maker, place: &Place) {
    m.ordered_otherwise = true;
    let lanes = exact(m, place);
    let named = mask(m, place);
    let (array, v, r, at) = (m.array(), m.v(), m.r(), m.r());
    put!(m, "st.shared.u32 [%ta+{array}], {v};");
    put!(m, "bar.warp.sync {named};");
    let from = leader(m, &lanes);
    put!(m, "sub.u32 {at}, %t, %l;");
    put!(m, "add.u32 {at}, {at}, {from};");
    put!(m, "mad.lo.u32 {at}, {at}, 4, %sa;");
    put!(m, "ld.shared.u32 {r}, [{at}+{array}];");
    put!(m, "bar.warp.sync {named};");
    m.mix(&r);
}

/// One lane, whichever it is, does what one lane does once.
fn once(m: &mut Maker, p: &str) {
    let to = if m.one_in(2) {
        format!("shared.add.u32 [%sa+{}]", m.single())
    } else {
        format!("global.add.u32 [%g+{}]", m.global())
    };
    let x = 1 + m.below(9);
    if m.one_in(2) {
        put!(m, "@{p} red.{to}, {x};");
        return;
    }
    let skip = m.label();
    put!(m, "@!{p} bra {skip};");
    put!(m, "red.{to}, {x};");
    if m.one_in(3) {
        let f = m.single();
        put!(m, "red.shared.add.f32 [%sa+{f}], 0f40000000;");
    }
    put!(m, "{skip}:");
}

pub(super) fn elect(m: &mut Maker, place: &Place) {
    let (mask, r, p) = (mask(m, place), m.r(), m.p());
    put!(m, "elect.sync {r}|{p}, {mask};");
    once(m, &p);
}

pub(super) fn first_lane(m: &mut Maker, place: &Place) {
    let p = m.p();
    put!(m, "setp.eq.u32 {p}, %l, 0;");
    once(m, &p);
    if m.one_in(2) {
        let mask = mask(m, place);
        put!(m, "bar.warp.sync {mask};");
    }
}

/// Lanes of one value are a group: each has a mask of its own at one instruction.
pub(super) fn equals(m: &mut Maker, place: &Place) {
    let (lanes, v, x, own) = (mask(m, place), m.v(), m.r(), m.r());
    put!(m, "and.b32 {x}, {v}, {};", [1, 3, 7][m.below(3)]);
    put!(m, "match.any.sync.b32 {own}, {x}, {lanes};");
    let group = Place::Lanes(own.clone());
    for _ in 0..1 + m.below(2) {
        match m.below(5) {
            0 => shuffle(m, &group),
            1 => vote(m, &group),
            2 if m.has("redux") => {
                m.also("redux");
                redux(m, &group);
            }
            3 => sync(m, &group),
            _ => {
                let (lead, p, c) = (leader(m, &own), m.p(), m.r());
                put!(m, "setp.eq.u32 {p}, %l, {lead};");
                put!(m, "popc.b32 {c}, {own};");
                let at = m.single();
                put!(m, "@{p} red.shared.add.u32 [%sa+{at}], {c};");
            }
        }
    }
    // Those of one value go one way.
    if m.depth < 3 && m.one_in(3) {
        let (p, skip) = (m.p(), m.label());
        put!(m, "setp.eq.u32 {p}, {x}, 1;");
        put!(m, "@!{p} bra {skip};");
        super::flow::inside(m, &group, false);
        put!(m, "{skip}:");
    }
}

/// Tiles of a warp sum up by shuffles of their own masks, some of them alone.
pub(super) fn tile(m: &mut Maker, place: &Place) {
    let lanes = exact(m, place);
    let size = m.pick(&[4u32, 8, 16]);
    let (own, first, p) = (m.r(), m.r(), m.p());
    put!(m, "and.b32 {first}, %l, {};", 32 - size);
    put!(m, "shl.b32 {own}, {}, {first};", (1u32 << size) - 1);
    put!(m, "and.b32 {own}, {own}, {lanes};");
    let skip = m.label();
    let some = m.one_in(2);
    if some {
        let r = m.r();
        put!(m, "and.b32 {r}, {first}, {size};");
        put!(m, "setp.eq.u32 {p}, {r}, 0;");
        put!(m, "@{p} bra {skip};");
    }
    let v = m.v();
    let sum = m.r();
    put!(m, "mov.u32 {sum}, {v};");
    let mut by = size / 2;
    while by > 0 {
        let (r, from) = (m.r(), m.r());
        put!(m, "shfl.sync.bfly.b32 {r}, {sum}, {by}, {:#x}, {own};", (32 - size) << 8 | 0x1f);
        put!(m, "xor.b32 {from}, %l, {by};");
        let there = in_mask(m, &from, &own);
        put!(m, "@{there} add.u32 {sum}, {sum}, {r};");
        by /= 2;
    }
    m.mix(&sum);
    if some && m.one_in(2) {
        sync(m, &Place::Lanes(own));
    }
    put!(m, "{skip}:");
}

/// A loop that lanes go round until none of them has work.
pub(super) fn while_any(m: &mut Maker, place: &Place) {
    let (mask, v, n, p, q) = (mask(m, place), m.v(), m.r(), m.p(), m.p());
    let head = m.label();
    put!(m, "and.b32 {n}, {v}, {};", [3, 5, 7][m.below(3)]);
    put!(m, "{head}:");
    put!(m, "setp.ne.u32 {p}, {n}, 0;");
    put!(m, "@{p} sub.u32 {n}, {n}, 1;");
    if m.one_in(2) {
        let skip = m.label();
        put!(m, "@!{p} bra {skip};");
        super::flow::inside(m, &Place::Alone, true);
        put!(m, "{skip}:");
    } else {
        m.mix(&n);
    }
    put!(m, "vote.sync.any.pred {q}, {p}, {mask};");
    put!(m, "@{q} bra {head};");
}

/// A loop that lanes leave, and of which the mask is of those that stay.
pub(super) fn shrinking(m: &mut Maker, place: &Place) {
    let (lanes, v, n, own, p) = (mask(m, place), m.v(), m.r(), m.r(), m.p());
    let (head, done) = (m.label(), m.label());
    put!(m, "and.b32 {n}, {v}, {};", [1, 3, 6][m.below(3)]);
    put!(m, "mov.b32 {own}, {lanes};");
    put!(m, "{head}:");
    put!(m, "setp.eq.u32 {p}, {n}, 0;");
    put!(m, "vote.sync.ballot.b32 {own}, !{p}, {own};");
    put!(m, "@{p} bra {done};");
    put!(m, "sub.u32 {n}, {n}, 1;");
    super::flow::inside(m, &Place::Lanes(own.clone()), true);
    put!(m, "bra {head};");
    put!(m, "{done}:");
}
