//! Branches, loops, switches, and threads that end before others.

use super::maker::{Maker, put};
use super::place::Place;

/// Things one after another.
pub(super) fn sequence(m: &mut Maker, place: &Place, most: usize) {
    for _ in 0..most {
        if m.spent() {
            return;
        }
        if m.one_in(3) {
            let v = m.v();
            m.mix(&v);
        }
        super::draw::one(m, place);
    }
}

/// What a region holds: a few things that fit the place.
pub(super) fn inside(m: &mut Maker, place: &Place, loops: bool) {
    let masked = matches!(place, Place::Lanes(_));
    m.depth += 1;
    m.loops += usize::from(loops);
    m.masks += usize::from(masked);
    let n = 1 + m.below(2);
    sequence(m, place, n);
    let v = m.v();
    m.mix(&v);
    m.masks -= usize::from(masked);
    m.loops -= usize::from(loops);
    m.depth -= 1;
}

/// A branch that those in a place take together, with one side or two.
fn branch(m: &mut Maker, p: &str, sides: [&Place; 2]) {
    let (other, join) = (m.label(), m.label());
    let both = m.one_in(2);
    let not = m.pick(&["", "!"]);
    let [first, second] = if not == "!" { sides } else { [sides[1], sides[0]] };
    put!(m, "@{not}{p} bra {};", if both { &other } else { &join });
    inside(m, first, false);
    if both {
        put!(m, "bra {join};");
        put!(m, "{other}:");
        inside(m, second, false);
    }
    put!(m, "{join}:");
}

/// All threads of the block go one way.
pub(super) fn alike(m: &mut Maker, place: &Place) {
    let p = m.alike();
    branch(m, &p, [place, place]);
}

/// Warps go two ways, each as a whole.
pub(super) fn warps(m: &mut Maker, place: &Place) {
    let within = if *place == Place::Block { &Place::Warp } else { place };
    let p = if matches!(within, Place::Warp) && m.one_in(2) {
        let (p, q) = (m.apart(), m.p());
        let how = m.pick(&["any", "all"]);
        put!(m, "vote.sync.{how}.pred {q}, {p}, 0xffffffff;");
        q
    } else {
        m.warps_apart()
    };
    branch(m, &p, [within, within]);
}

/// Masks of the lanes for which a predicate holds, and of the others.
fn masks(m: &mut Maker, p: &str, place: &Place) -> [Place; 2] {
    let all = match place {
        Place::Alone => return [Place::Alone, Place::Alone],
        Place::Lanes(mask) => mask.clone(),
        _ => "0xffffffff".into(),
    };
    let (yes, no) = (m.r(), m.r());
    put!(m, "vote.sync.ballot.b32 {yes}, {p}, {all};");
    put!(m, "vote.sync.ballot.b32 {no}, !{p}, {all};");
    [Place::Lanes(yes), Place::Lanes(no)]
}

/// Lanes go two ways.
pub(super) fn apart(m: &mut Maker, place: &Place) {
    let p = m.apart();
    let [yes, no] = if m.one_in(2) { masks(m, &p, place) } else { [Place::Alone, Place::Alone] };
    branch(m, &p, [&yes, &no]);
}

/// A loop that all go round as often; some lanes may start an iteration early.
pub(super) fn counted(m: &mut Maker, place: &Place) {
    let (i, n, p, head) = (m.r(), m.r(), m.p(), m.label());
    if m.one_in(2) {
        put!(m, "and.b32 {n}, %u, 1;");
        put!(m, "add.u32 {n}, {n}, {};", 1 + m.below(2));
    } else {
        put!(m, "mov.u32 {n}, {};", 1 + m.below(3));
    }
    put!(m, "mov.u32 {i}, 0;");
    put!(m, "{head}:");
    inside(m, place, true);
    put!(m, "add.u32 {i}, {i}, 1;");
    put!(m, "setp.lt.u32 {p}, {i}, {n};");
    if m.one_in(3) {
        // What is left of the iteration is not for all lanes. In the last of them all leave together.
        let (q, out) = (m.apart(), m.label());
        put!(m, "@!{p} bra {out};");
        put!(m, "@{q} bra {head};");
        inside(m, &Place::Alone, true);
        put!(m, "bra {head};");
        put!(m, "{out}:");
        return;
    }
    put!(m, "@{p} bra {head};");
}

/// A loop that lanes go round as often as they like, and leave in several ways.
pub(super) fn lanes(m: &mut Maker, _: &Place) {
    let (v, i, p) = (m.v(), m.r(), m.p());
    let (head, out) = (m.label(), m.label());
    let top = m.one_in(2);
    put!(m, "and.b32 {i}, {v}, {};", [1, 3, 4, 7][m.below(4)]);
    put!(m, "{head}:");
    if top {
        put!(m, "setp.eq.u32 {p}, {i}, 0;");
        put!(m, "@{p} bra {out};");
    }
    inside(m, &Place::Alone, true);
    match m.below(5) {
        // Break.
        0 => {
            let q = m.apart();
            put!(m, "@{q} bra {out};");
            inside(m, &Place::Alone, true);
        }
        // Continue: two edges to the head.
        1 if top => {
            let q = m.apart();
            put!(m, "sub.u32 {i}, {i}, 1;");
            put!(m, "@{q} bra {head};");
            put!(m, "add.u32 {i}, {i}, 1;");
            inside(m, &Place::Alone, true);
        }
        // Return, or the end of the thread.
        2 if (m.inside && !m.together) || m.may_end() => {
            let (q, end) = (m.apart(), m.end.clone());
            put!(m, "@{q} bra {end};");
            m.mix(&i);
        }
        _ => {}
    }
    if top {
        put!(m, "sub.u32 {i}, {i}, 1;");
        put!(m, "bra {head};");
    } else {
        let q = m.p();
        put!(m, "setp.ne.u32 {q}, {i}, 0;");
        put!(m, "sub.u32 {i}, {i}, 1;");
        put!(m, "@{q} bra {head};");
    }
    put!(m, "{out}:");
}

/// Loops in one another that lanes leave, two at once in the middle of the inner one.
pub(super) fn nest(m: &mut Maker, _: &Place) {
    let (v, w, i, j, p, q) = (m.v(), m.v(), m.r(), m.r(), m.p(), m.p());
    let (outer, inner, next, out) = (m.label(), m.label(), m.label(), m.label());
    put!(m, "and.b32 {i}, {v}, 3;");
    put!(m, "{outer}:");
    put!(m, "and.b32 {j}, {w}, {};", [1, 2, 3][m.below(3)]);
    put!(m, "{inner}:");
    put!(m, "setp.eq.u32 {q}, {j}, 0;");
    put!(m, "@{q} bra {next};");
    put!(m, "sub.u32 {j}, {j}, 1;");
    inside(m, &Place::Alone, true);
    if m.one_in(2) {
        let b = m.apart();
        put!(m, "@{b} bra {out};");
    }
    if m.one_in(3) {
        let b = m.apart();
        put!(m, "@{b} bra {next};");
        m.mix(&j);
    }
    put!(m, "bra {inner};");
    put!(m, "{next}:");
    if m.one_in(2) {
        m.mix(&i);
    }
    put!(m, "setp.eq.u32 {p}, {i}, 0;");
    put!(m, "sub.u32 {i}, {i}, 1;");
    put!(m, "@!{p} bra {outer};");
    put!(m, "{out}:");
}

/// Lanes go as many ways as a switch has.
pub(super) fn switch(m: &mut Maker, place: &Place) {
    let (v, r) = (m.v(), m.r());
    put!(m, "and.b32 {r}, {v}, 3;");
    arms(m, &r, if m.loops > 9 { place } else { &Place::Alone });
}

/// All threads go one way of a switch.
pub(super) fn switch_alike(m: &mut Maker, place: &Place) {
    let r = m.r();
    put!(m, "and.b32 {r}, %u, 3;");
    arms(m, &r, place);
}

fn arms(m: &mut Maker, index: &str, place: &Place) {
    let (table, join) = (m.label(), m.label());
    let labels: Vec<String> = (0..4).map(|_| m.label()).collect();
    // Two ways may be one.
    let named = if m.one_in(3) { [0, 1, 1, 3] } else { [0, 1, 2, 3] };
    put!(m, "{table}: .branchtargets {};", named.map(|n| labels[n].clone()).join(", "));
    put!(m, "brx.idx {index}, {table};");
    for (n, label) in labels.iter().enumerate() {
        put!(m, "{label}:");
        if n < 2 {
            inside(m, place, false);
        } else {
            let v = m.v();
            m.mix(&v);
        }
        // The last falls through, and perhaps one into another.
        if n < 3 && !(n == 2 && m.one_in(2)) {
            put!(m, "bra {join};");
        }
    }
    put!(m, "{join}:");
}

/// Some threads end.
pub(super) fn end(m: &mut Maker, _: &Place) {
    let p = m.apart();
    match m.below(3) {
        0 => {
            let v = m.v();
            put!(m, "@{p} st.global.u32 [%to+28], {v};");
            put!(m, "@{p} exit;");
        }
        1 => {
            let v = m.v();
            put!(m, "@{p} st.global.u32 [%to+28], {v};");
            put!(m, "@{p} ret;");
        }
        _ => put!(m, "@{p} bra $END;"),
    }
}

/// Whole warps end.
pub(super) fn end_of_warps(m: &mut Maker, _: &Place) {
    let p = m.warps_apart();
    if m.one_in(2) {
        put!(m, "@{p} bra $END;");
    } else {
        let v = m.v();
        put!(m, "@{p} st.global.u32 [%to+28], {v};");
        put!(m, "@{p} exit;");
    }
}
