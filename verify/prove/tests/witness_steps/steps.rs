//! Steps: true ones, such that are corrupted, and such that would make wrong code right.

use crate::learned::{Learned, Writer, step};
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, TermId};
use sassafras_witness::rewrite::{Made, Rewrite, Rewrites};

/// True steps about a right pair: sums and products the other way round, of one a fact first, and what that says of a half of it.
pub fn right(known: &Learned) -> Writer {
    let (mut all, mut last) = (Writer::new(known), Vec::new());
    let sums = known.nodes.iter().filter(|n| *n.0 < known.terms && n.1.1 == 32);
    for (t, (node, width)) in sums {
        // A few will do.
        let Some(Node::Binary(op @ (B::Add | B::Mul | B::Xor), a, b)) = node else { continue };
        if last.len() == 4 {
            break;
        }
        let other = all.binary(*op, b.0, a.0, *width);
        let opaque: Vec<u32> =
            [a.0, b.0].into_iter().filter(|o| known.nodes.get(o).is_some_and(|n| n.0.is_some())).collect();
        let index = known.known.len() + all.0.steps.iter().filter(|s| s.fact).count();
        all = all.step(*t, other, &opaque, &[], true);
        let [x, y] = [*t, other].map(|t| all.make(Node::Extract { low: 0, a: TermId(t) }, width / 2));
        all = all.step(x, y, &[*t, other], &[index], false);
        last.push(Rewrite { opaque, ..step(*t, other) });
    }
    // What is known is said in what is written now: the facts would be about others.
    all.0.steps.extend(last);
    all
}

/// Each step and each made term of some steps, changed in each of many ways.
pub fn corrupted(known: &Learned, good: &Rewrites) -> Vec<(String, Rewrites)> {
    let mut all: Vec<(String, Rewrites)> = Vec::new();
    let mut change = |name: String, f: &dyn Fn(&mut Rewrites)| {
        let mut r = good.clone();
        f(&mut r);
        all.push((name, r));
    };
    let last = good.terms + good.made.len() as u32;
    for i in 0..good.steps.len() {
        type Change = fn(&mut Rewrite);
        let changes: &[(&str, Change)] = &[
            ("turned round", |s| std::mem::swap(&mut s.from, &mut s.to)),
            ("no opaque term", |s| s.opaque.clear()),
            ("the term is opaque", |s| s.opaque.push(s.from)),
            ("the new one is opaque", |s| s.opaque.push(s.to)),
            ("both are opaque", |s| s.opaque.extend([s.from, s.to])),
            ("a fact or none", |s| s.fact = !s.fact),
            ("by nothing", |s| s.by.clear()),
            ("by the first", |s| s.by.push(0)),
            ("by what is far off", |s| s.by.push(usize::MAX)),
            ("later", |s| s.at = usize::MAX),
            ("a question later", |s| s.at += 1),
            ("another term", |s| s.from = s.from.wrapping_sub(1)),
            ("the next term", |s| s.from += 1),
            ("to another", |s| s.to -= 1),
            ("to the last number", |s| s.to = u32::MAX),
            ("the last number is opaque", |s| s.opaque.push(u32::MAX)),
        ];
        for (name, f) in changes {
            change(format!("step {i}: {name}"), &|r| f(&mut r.steps[i]));
        }
        change(format!("step {i}: left out"), &|r| drop(r.steps.remove(i)));
        change(format!("step {i}: first"), &|r| r.steps[..=i].rotate_right(1));
        change(format!("step {i}: by a fact of its own"), &|r| r.steps[i].by = vec![known.known.len() + i]);
        change(format!("step {i}: all may be anything"), &|r| r.steps[i].opaque = (0..last).collect());
        change(format!("step {i}: by all"), &|r| r.steps[i].by = (0..known.known.len()).collect());
        change(format!("step {i}: there and back, for ever"), &|r| {
            let s = r.steps[i].clone();
            let back = Rewrite { from: s.to, to: s.from, ..s.clone() };
            (0..4).for_each(|_| r.steps.splice(i..i, [s.clone(), back.clone()]).for_each(drop));
        });
    }
    for i in 0..good.made.len() {
        let swapped = |n: &Node| match n {
            Node::Binary(op, a, b) => Node::Binary(*op, *b, *a),
            other => other.clone(),
        };
        let other = |n: &Node, by: fn(B) -> B| match n {
            Node::Binary(op, a, b) => Node::Binary(by(*op), *a, *b),
            Node::Extract { low, a } => Node::Extract { low: low + 1, a: *a },
            other => other.clone(),
        };
        let id = |n: u32| move |_: TermId| TermId(n);
        let nodes: Vec<(&str, Node)> = vec![
            ("operands change places", swapped(&good.made[i].node)),
            ("a difference", other(&good.made[i].node, |_| B::Sub)),
            ("a bitwise or", other(&good.made[i].node, |_| B::Or)),
            ("of itself", good.made[i].node.map(id(good.terms + i as u32))),
            ("of the last number", good.made[i].node.map(id(u32::MAX))),
            ("of the next", good.made[i].node.map(id(good.terms + i as u32 + 1))),
            ("of the first term", good.made[i].node.map(id(0))),
            ("of the terms below", good.made[i].node.map(|o| TermId(o.0.wrapping_sub(1)))),
            ("nothing but a number", Node::Constant(1)),
            ("a number of 128 bits", Node::Constant(u128::MAX)),
        ];
        for (name, node) in nodes {
            change(format!("made {i}: {name}"), &|r| r.made[i].node = node.clone());
        }
        for width in [0, 1, 8, 31, 33, 64, 127, 128, 129, 255, 256, 1 << 31, u32::MAX] {
            change(format!("made {i}: {width} bits"), &|r| r.made[i].width = width);
            change(format!("made {i}: a number of {width} bits"), &|r| {
                r.made[i] = Made { node: Node::Constant(1), width };
            });
        }
        change(format!("made {i}: left out"), &|r| drop(r.made.remove(i)));
    }
    change("in no order".into(), &|r| r.steps.reverse());
    change("half of them".into(), &|r| r.steps.truncate(r.steps.len() / 2));
    change("no made term".into(), &|r| r.made.clear());
    all
}

/// Steps that would make wrong code right if they were taken, and true ones that meddle with what is asked. `facts`: how many
/// are known, those of lemmas too.
pub fn attacks(known: &Learned, facts: usize) -> Vec<(String, Rewrites)> {
    let mut all: Vec<(String, Rewrites)> = Vec::new();
    let everything: Vec<usize> = (0..facts).collect();
    let own: Vec<u32> = (0..known.terms).collect();
    let mut add = |name: String, w: Writer| all.push((name, w.0));
    let fresh = || Writer::new(known);
    for &r in &known.roots {
        let mut w = fresh();
        let Some(root) = w.own(known, r) else { continue };
        let nothing = w.constant(0, 1);
        for by in [&[][..], &everything] {
            for (which, opaque) in [&[][..], &[root], &own, &known.known].into_iter().enumerate() {
                let one = w.clone().step(root, nothing, opaque, by, false);
                add(format!("{r} never happens, by {}, opaque {which}", by.len()), one);
                let one = w.clone().step(root, nothing, opaque, by, true).step(
                    root,
                    nothing,
                    &[],
                    &[known.known.len()],
                    false,
                );
                add(format!("{r} never happens, a fact by {}, opaque {which}", by.len()), one);
            }
        }
        // A fact by itself, and two by each other.
        let n = facts;
        add(format!("{r} by itself"), w.clone().step(root, nothing, &[], &[n], true));
        let two = w.clone().step(root, nothing, &[], &[n + 1], true).step(root, nothing, &[], &[n], true);
        add(format!("{r} by what is by it"), two);
    }
    // What is known is made impossible, or says nothing any more.
    let mut empty = fresh();
    for (i, &k) in known.known.iter().enumerate() {
        let mut w = fresh();
        let [no, yes] = [0, 1].map(|bit| w.constant(bit, 1));
        for by in [&[][..], &[i], &everything] {
            for opaque in [&[][..], &[k], &known.known] {
                add(format!("known {i} is impossible"), w.clone().step(k, no, opaque, by, false));
            }
        }
        add(format!("known {i} is nothing new"), w.clone().step(k, yes, &[k], &[i], false));
        add(format!("known {i} is there and is not"), w.clone().step(yes, no, &[yes, no], &[i], false));
        let yes = empty.constant(1, 1);
        empty = empty.step(k, yes, &[k], &[i], false);
    }
    add("nothing is known".into(), empty);
    // What is compared is the same: each way round, and as variables of the source.
    for (t, (node, _)) in known.nodes.iter().rev() {
        let Some(Node::Compare(C::Eq, a, b)) = node else { continue };
        let mut w = fresh();
        let (Some(a), Some(b)) = (w.own(known, a.0), w.own(known, b.0)) else { continue };
        for (x, y) in [(a, b), (b, a)] {
            add(format!("{t}: one for the other"), w.clone().step(x, y, &[], &everything, false));
            add(format!("{t}: a fact"), w.clone().step(x, y, &[], &[], true));
            add(format!("{t}: anything for the other"), w.clone().step(x, y, &[x], &[], false));
            add(format!("{t}: whatever both are"), w.clone().step(x, y, &[x, y], &everything, false));
        }
    }
    for width in [1, 32, 64] {
        let free = known.free(width);
        for (i, &x) in free.iter().enumerate() {
            let y = free[(i + 1) % free.len()];
            let mut w = fresh();
            let nothing = w.constant(0, width);
            add(format!("the variable {x} is {y}"), w.clone().step(x, y, &[], &everything, false));
            add(
                format!("the variable {x} is {y}, whatever they are"),
                w.clone().step(x, y, &[x, y], &[], true),
            );
            add(format!("the variable {x} is 0"), w.clone().step(x, nothing, &[nothing], &everything, false));
        }
    }
    // True ones: each term is what it is, there and back, and part of what is written for it.
    let mut there = fresh();
    for width in [1, 32, 64] {
        for t in known.of(width) {
            let nothing = there.constant(0, width);
            let more = there.binary(B::Add, t, nothing, width);
            let twice = there.binary(B::Add, more, nothing, width);
            there = there.step(t, more, &[t], &[], false).step(more, t, &[t], &[], false);
            there = there.step(more, twice, &[], &[], true).step(t, t, &[t], &everything, false);
            if t % 2 == 0 {
                there = there.step(t, twice, &[t], &[], false);
            }
        }
    }
    add("all is what it is".into(), there);
    all
}

/// The steps that nothing happens that must not.
pub fn nothing_happens(known: &Learned) -> Writer {
    let mut all = Writer::new(known);
    for r in &known.roots {
        let Some(root) = all.own(known, *r) else { continue };
        let nothing = all.constant(0, 1);
        all = all.step(root, nothing, &[], &[], false);
    }
    all
}
