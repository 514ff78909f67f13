//! Steps of witnesses as somebody writes them who wants wrong code to be accepted, or the checker to fall over.
//!
//! The attacker knows the checker's terms: they are read off its questions. A step may be anything; what counts is that wrong code is never
//! accepted, that a step that running its terms shows to be false is never taken, and that nothing panics.

#![allow(missing_docs)]

mod common;

use common::{module, ours, solver};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, decode};
use sassafras_prove::smt::Script;
use sassafras_prove::witness::Entry;
use sassafras_prove::witness::check::{Fault, check};
use sassafras_prove::witness::rewrite::{Made, Rewrite, Rewrites};
use sassafras_prove::{Answer, Solver, Verdict, prove};
use sassafras_ptx::checked::Module;
use sassafras_semantics::term::Node;
use sassafras_semantics::{
    BinaryOp as B, Bits, CompareOp as C, Concrete, FloatFormat, FloatMode, FloatOp, Rounding, TermId, Terms,
    UnaryOp as U,
};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A guarded store, and a load behind it that may read what it wrote.
const SOURCE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
    .reg .pred p;
    .reg .b32 a, b, c, x, y;
    .reg .b64 to, from;
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    ld.global.u32 a, [from];
    ld.global.u32 b, [from+4];
    ld.global.u32 c, [from+8];
    add.u32 x, a, b;
    mad.lo.u32 x, x, c, a;
    setp.lt.u32 p, a, b;
    @p st.global.u32 [to], x;
    ld.global.u32 y, [from];
    xor.b32 y, y, c;
    st.global.u32 [to+4], y;
    ret;
}
";

/// What the checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    Accepted,
    Rejected(String),
    Undecided(String),
    Panicked(String),
}

/// What a solver is asked falsely.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lies {
    None,
    /// Every step holds.
    Steps,
    /// Nothing that must not happen does.
    Obligations,
}

/// A solver that keeps questions and answers: most of what is asked about one pair is asked again.
struct Kept {
    inner: Box<dyn Solver>,
    texts: Vec<String>,
    answers: HashMap<(u8, String), Answer>,
    lies: Lies,
}

impl Kept {
    fn ask(&mut self, how: u8, script: &Script, ask: impl FnOnce(&mut dyn Solver) -> Answer) -> Answer {
        self.texts.push(script.text.clone());
        let inner = self.inner.as_mut();
        self.answers.entry((how, script.text.clone())).or_insert_with(|| ask(inner)).clone()
    }
}

impl Solver for Kept {
    fn check(&mut self, s: &Script) -> Answer {
        self.ask(0, s, |inner| inner.check(s))
    }
    fn check_short(&mut self, s: &Script, effort: u64) -> Answer {
        self.ask(1, s, |inner| inner.check_short(s, effort))
    }
    /// What must hold is asked so first, with more effort than what only saves work.
    fn check_bits(&mut self, s: &Script, effort: u64) -> Answer {
        if self.lies == Lies::Obligations && effort > 1000 {
            self.texts.push(s.text.clone());
            return Answer::Unsat;
        }
        self.ask(2, s, |inner| inner.check_bits(s, effort))
    }
    /// Only steps are asked about so.
    fn check_sums(&mut self, s: &Script, effort: u64) -> Answer {
        if self.lies == Lies::Steps {
            Answer::Unsat
        } else {
            self.ask(3, s, |inner| inner.check_sums(s, effort))
        }
    }
}

/// A source, code, and what a witness says of them.
struct Pair {
    module: Module,
    cubin: Cubin,
    entry: Entry,
    solver: Kept,
}

impl Pair {
    fn new(source: &str, cubin: Cubin, mut inner: Box<dyn Solver>) -> Option<Pair> {
        let module = module(source);
        let record = prove(&module, "k", &cubin, inner.as_mut());
        let entry = Entry::of(&record, 4)?;
        let solver = Kept { inner, texts: Vec::new(), answers: HashMap::new(), lies: Lies::None };
        Some(Pair { module, cubin, entry, solver })
    }

    /// What the checker says of steps. They go through the file, as they would come.
    fn said(&mut self, rewrites: &Rewrites) -> Said {
        let mut entry = self.entry.clone();
        entry.rewrites = rewrites.clone();
        let text = serde_json::to_string(&entry).expect("it is plain");
        let Ok(entry) = serde_json::from_str::<Entry>(&text) else {
            return Said::Rejected("no witness".into());
        };
        let (module, cubin, solver) = (&self.module, &self.cubin, &mut self.solver);
        let result = catch_unwind(AssertUnwindSafe(|| check(module, cubin, &entry, solver)));
        match result {
            Ok(Ok(_)) => Said::Accepted,
            Ok(Err(Fault::Rejected(why))) => Said::Rejected(why),
            Ok(Err(Fault::Undecided(why))) => Said::Undecided(why),
            Err(e) => {
                let text = e.downcast_ref::<String>().cloned();
                Said::Panicked(
                    text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default(),
                )
            }
        }
    }

    /// The terms that the checker makes, as its questions tell.
    fn learned(&mut self) -> Learned {
        self.knows().expect("the matching fits")
    }

    /// The same; none where the checker comes to no question.
    fn knows(&mut self) -> Option<Learned> {
        self.solver.texts.clear();
        let ahead = Rewrites { terms: u32::MAX, made: Vec::new(), steps: vec![step(0, 0)] };
        let Said::Rejected(why) = self.said(&ahead) else { panic!("steps about other terms are taken") };
        let terms = why.strip_prefix("its steps are about ")?.rsplit(' ').next()?.parse().ok()?;
        let known = asserted(&self.solver.texts[0]);
        // Else it would stop at the first that does not hold.
        self.solver.lies = Lies::Obligations;
        let said = self.said(&Rewrites::default());
        assert_eq!(said, Said::Accepted);
        self.solver.lies = Lies::None;
        let mut all = Learned { terms, known, roots: Vec::new(), nodes: BTreeMap::new() };
        for text in &self.solver.texts {
            all.roots.extend(asserted(text).last());
            for line in text.lines() {
                all.line(line);
            }
        }
        all.roots.sort_unstable();
        all.roots.dedup();
        all.roots.retain(|r| !all.known.contains(r));
        Some(all)
    }
}

fn step(from: u32, to: u32) -> Rewrite {
    Rewrite { at: 0, from, to, opaque: Vec::new(), by: Vec::new(), fact: false }
}

/// The numbers of the bits that a question asserts.
fn asserted(text: &str) -> Vec<u32> {
    let bit = |l: &str| l.strip_prefix("(assert (= t")?.strip_suffix(" #b1))")?.parse().ok();
    text.lines().filter_map(bit).collect()
}

/// What an attacker knows of a pair.
#[derive(Debug)]
struct Learned {
    terms: u32,
    known: Vec<u32>,
    /// Bits that must never be one.
    roots: Vec<u32>,
    /// Nodes and widths; variables and what is not read here are none.
    nodes: BTreeMap<u32, (Option<Node>, u32)>,
}

impl Learned {
    fn line(&mut self, line: &str) {
        let number = |s: &str| s.strip_prefix('t').and_then(|n| n.parse::<u32>().ok());
        let words: Vec<&str> = line.split(|c| " ()".contains(c)).filter(|w| !w.is_empty()).collect();
        let (t, width, body) = match &words[..] {
            ["declare-const", t, "_", "BitVec", w] => (number(t), w.parse(), &[][..]),
            ["define-fun", t, "_", "BitVec", w, body @ ..] => (number(t), w.parse(), body),
            _ => return,
        };
        let (Some(t), Ok(width)) = (t, width) else { return };
        self.nodes.entry(t).or_insert_with(|| (node(body), width));
    }

    /// Own terms of a width.
    fn of(&self, width: u32) -> Vec<u32> {
        self.nodes.iter().filter(|(t, n)| **t < self.terms && n.1 == width).map(|(t, _)| *t).collect()
    }

    fn free(&self, width: u32) -> Vec<u32> {
        self.of(width).into_iter().filter(|t| self.nodes[t].0.is_none()).collect()
    }
}

/// A term by its text.
fn node(words: &[&str]) -> Option<Node> {
    let id = |s: &str| s.strip_prefix('t').and_then(|n| n.parse().ok()).map(TermId);
    Some(match words {
        [bits] if bits.starts_with("#b") => Node::Constant(u128::from_str_radix(&bits[2..], 2).ok()?),
        ["bvnot", a] => Node::Unary(U::Not, id(a)?),
        ["bvneg", a] => Node::Unary(U::Neg, id(a)?),
        ["concat", a, b] => Node::Concat(id(a)?, id(b)?),
        ["_", "extract", _, low, a] => Node::Extract { low: low.parse().ok()?, a: id(a)? },
        ["_", "zero_extend", _, a] => Node::Zext(id(a)?),
        ["_", "sign_extend", _, a] => Node::Sext(id(a)?),
        ["ite", "=", c, "#b1", a, b] if a.starts_with('t') => Node::Ite(id(c)?, id(a)?, id(b)?),
        ["ite", op, a, b, "#b1", "#b0"] => {
            let ops =
                [("=", C::Eq), ("bvult", C::ULt), ("bvule", C::ULe), ("bvslt", C::SLt), ("bvsle", C::SLe)];
            Node::Compare(ops.iter().find(|o| o.0 == *op)?.1, id(a)?, id(b)?)
        }
        [op, a, b] => {
            let ops = [
                ("bvadd", B::Add),
                ("bvsub", B::Sub),
                ("bvmul", B::Mul),
                ("bvand", B::And),
                ("bvor", B::Or),
                ("bvxor", B::Xor),
                ("bvshl", B::Shl),
                ("bvlshr", B::LShr),
                ("bvashr", B::AShr),
            ];
            Node::Binary(ops.iter().find(|o| o.0 == *op)?.1, id(a)?, id(b)?)
        }
        _ => return None,
    })
}

/// Steps that are being written.
#[derive(Clone)]
struct Writer(Rewrites);

impl Writer {
    fn new(known: &Learned) -> Writer {
        Writer(Rewrites { terms: known.terms, made: Vec::new(), steps: Vec::new() })
    }

    fn make(&mut self, node: Node, width: u32) -> u32 {
        self.0.made.push(Made { node, width });
        self.0.terms + self.0.made.len() as u32 - 1
    }

    fn constant(&mut self, bits: u128, width: u32) -> u32 {
        self.make(Node::Constant(bits), width)
    }

    fn binary(&mut self, op: B, a: u32, b: u32, width: u32) -> u32 {
        self.make(Node::Binary(op, TermId(a), TermId(b)), width)
    }

    fn step(mut self, from: u32, to: u32, opaque: &[u32], by: &[usize], fact: bool) -> Writer {
        self.0.steps.push(Rewrite { opaque: opaque.to_vec(), by: by.to_vec(), fact, ..step(from, to) });
        self
    }
}

impl Writer {
    /// A term of the checker, made anew where it makes it itself only later.
    fn own(&mut self, known: &Learned, t: u32) -> Option<u32> {
        if t < self.0.terms {
            return Some(t);
        }
        let (node, width) = known.nodes.get(&t)?.clone();
        let mut whole = true;
        let node = node?.map(|o| {
            let made = self.own(known, o.0);
            whole &= made.is_some();
            TermId(made.unwrap_or(0))
        });
        whole.then(|| self.make(node, width))
    }
}

/// Whether running the terms shows that a step that always holds, whatever its opaque terms are, does not.
fn runs_apart(known: &Learned, rewrites: &Rewrites, step: &Rewrite) -> bool {
    let home = Concrete::default();
    (0..64u64).any(|seed| {
        let drawn = |t: u32, width: u32| {
            let x = (seed << 32 | u64::from(t)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let x = u128::from(x ^ x >> 29) * 0xbf58_476d_1ce4_e5b9_94d0_49bb_1331_11eb;
            // Small numbers and equal ones too.
            Bits::new(width, if seed % 4 == 0 { x >> 120 & 3 } else { x >> 64 ^ x << 64 })
        };
        let mut values: BTreeMap<u32, Option<Bits>> = BTreeMap::new();
        let made = (rewrites.terms..).zip(rewrites.made.iter().map(|m| (Some(m.node.clone()), m.width)));
        let own = known.nodes.iter().filter(|(t, _)| **t < rewrites.terms).map(|(t, n)| (*t, n.clone()));
        for (t, (node, width)) in own.chain(made) {
            let operands = |n: &Node| -> Option<Vec<Bits>> {
                n.operands().iter().map(|o| values.get(&o.0).copied().flatten()).collect()
            };
            let value = match node {
                _ if step.opaque.contains(&t) => Some(drawn(t, width)),
                None => known.free(width).contains(&t).then(|| drawn(t, width)),
                Some(n) => operands(&n).map(|all| Terms::apply(&home, &n, width, &all)),
            };
            values.insert(t, value);
        }
        let value = |t: u32| values.get(&t).copied().flatten();
        value(step.from).zip(value(step.to)).is_some_and(|(a, b)| a != b)
    })
}

/// True steps about a right pair: sums and products the other way round, of one a fact first, and what that says of a half of it.
fn right(known: &Learned) -> Writer {
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
fn corrupted(known: &Learned, good: &Rewrites) -> Vec<(String, Rewrites)> {
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

#[test]
fn false_steps_are_not_taken() {
    let Some(solver) = solver("false_steps_are_not_taken", 8) else { return };
    let mut pair = Pair::new(SOURCE, ours(SOURCE).expect("it compiles"), solver).expect("it is proved");
    let known = pair.learned();
    let good = right(&known).0;
    assert_eq!(pair.said(&good), Said::Accepted);
    let mut counts = [0; 3];
    let mut wrong = Vec::new();
    let shown = |r: &Rewrites, s: &Rewrite| s.at > 0 || !s.by.is_empty() || !runs_apart(&known, r, s);
    assert!(good.steps.iter().all(|s| shown(&good, s)));
    for (name, rewrites) in corrupted(&known, &good) {
        match pair.said(&rewrites) {
            Said::Accepted => {
                counts[0] += 1;
                if !rewrites.steps.iter().all(|s| shown(&rewrites, s)) {
                    wrong.push(format!("{name}: a false step is taken"));
                }
            }
            Said::Rejected(_) => counts[1] += 1,
            Said::Undecided(_) => counts[2] += 1,
            Said::Panicked(why) => wrong.push(format!("{name}: it panics: {why}")),
        }
    }
    eprintln!("accepted, rejected, undecided: {counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(counts[1] > 300, "{counts:?}");
}

/// Code that differs from the right one in one bit and does something else: running it shows that.
fn planted(pair: &mut Pair, most: usize) -> Vec<Cubin> {
    let chip = Chip::from_number(pair.cubin.sm).expect("a chip");
    let code = &pair.cubin.functions[0].code;
    let mut found = Vec::new();
    for at in 0..code.len() {
        // Immediates and offsets, operands, and what negates them.
        let flips = [(at * 7) % 8 + 32, 40, 16, 24, 64, 72, 63];
        for bit in flips {
            let mut cubin = pair.cubin.clone();
            cubin.functions[0].code[at] ^= 1 << bit;
            if decode(cubin.functions[0].code[at], chip).is_err() {
                continue;
            }
            let record = prove(&pair.module, "k", &cubin, pair.solver.inner.as_mut());
            if matches!(record.verdict, Verdict::Refuted(_)) {
                found.push(cubin);
                break;
            }
        }
    }
    let every = found.len().div_ceil(most).max(1);
    found.into_iter().step_by(every).collect()
}

/// Steps that would make wrong code right if they were taken, and true ones that meddle with what is asked.
fn attacks(known: &Learned) -> Vec<(String, Rewrites)> {
    let mut all: Vec<(String, Rewrites)> = Vec::new();
    let everything: Vec<usize> = (0..known.known.len()).collect();
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
        let n = known.known.len();
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

#[test]
fn wrong_code_is_not_accepted() {
    let Some(solver) = solver("wrong_code_is_not_accepted", 8) else { return };
    let mut pair = Pair::new(SOURCE, ours(SOURCE).expect("it compiles"), solver).expect("it is proved");
    let known = pair.learned();
    let good = right(&known).0;
    let (mut hinge, mut tried, mut wrong, mut counts) = (0, 0, Vec::new(), [0; 2]);
    for (i, cubin) in planted(&mut pair, 6).into_iter().enumerate() {
        pair.cubin = cubin;
        // Places that the code has no more: it is not about steps.
        let Some(known) = pair.knows() else { continue };
        assert_ne!(pair.said(&Rewrites::default()), Said::Accepted);
        // Who takes false steps takes wrong code.
        let mut lie = Writer::new(&known);
        for r in &known.roots {
            let Some(root) = lie.own(&known, *r) else { continue };
            let nothing = lie.constant(0, 1);
            lie = lie.step(root, nothing, &[], &[], false);
        }
        pair.solver.lies = Lies::Steps;
        let said = pair.said(&lie.0);
        eprintln!("by lies: {said:?}");
        hinge += usize::from(said == Said::Accepted);
        pair.solver.lies = Lies::None;
        let mut all = attacks(&known);
        all.push(("the steps of the right code".into(), Rewrites { terms: known.terms, ..good.clone() }));
        // Each of them on some of the pairs.
        for (name, rewrites) in all.into_iter().skip(i % 3).step_by(3) {
            tried += 1;
            match pair.said(&rewrites) {
                Said::Rejected(_) => counts[0] += 1,
                Said::Undecided(_) => counts[1] += 1,
                other => wrong.push(format!("{name}: {other:?}")),
            }
        }
    }
    eprintln!("{tried} attacks, of {hinge} that a lie about steps gets accepted: {counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(hinge >= 3, "{hinge}");
}

/// All operations on floats, formats, modes and widths of integers, of some operands by their width.
fn odd(of: impl Fn(u32) -> u32) -> Vec<Made> {
    use FloatFormat::{Bf16, F16, F32, F64};
    let id = |w: u32| TermId(of(w));
    let mut all = Vec::new();
    let roundings =
        [Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up, Rounding::NearestAway];
    for (format, rounding) in [F16, Bf16, F32, F64].into_iter().flat_map(|f| roundings.map(|r| (f, r))) {
        for (ftz, sat) in [(false, false), (true, false), (false, true), (true, true)] {
            let (mode, w) = (FloatMode { rounding, ftz, sat }, format.width());
            for (op, count) in [
                (FloatOp::Add, 2),
                (FloatOp::Mul, 2),
                (FloatOp::Fma, 3),
                (FloatOp::Div, 2),
                (FloatOp::Sqrt, 1),
                (FloatOp::Min, 2),
                (FloatOp::MaxNan, 2),
                (FloatOp::RoundToIntegral, 1),
            ] {
                let args = (0..count).map(|_| id(w)).collect();
                all.push(Made { node: Node::Float { op, format, mode, args }, width: w });
            }
            for to in [F16, Bf16, F32, F64] {
                all.push(Made {
                    node: Node::FloatToFloat { from: format, to, mode, a: id(w) },
                    width: to.width(),
                });
            }
            for (signed, width) in
                [false, true].into_iter().flat_map(|s| [1, 2, 7, 33, 63, 64].map(|w| (s, w)))
            {
                let node = Node::FloatToInt { from: format, signed, mode, nan: u64::MAX, a: id(w) };
                all.push(Made { node, width });
            }
            for (signed, width) in [false, true].into_iter().flat_map(|s| [1, 7, 64, 65, 128].map(|w| (s, w)))
            {
                all.push(Made {
                    node: Node::IntToFloat { signed, to: format, mode, a: id(width) },
                    width: w,
                });
            }
        }
    }
    all
}

#[test]
fn what_nobody_writes_does_not_panic() {
    let Some(solver) = solver("what_nobody_writes_does_not_panic", 8) else { return };
    let mut pair = Pair::new(SOURCE, ours(SOURCE).expect("it compiles"), solver).expect("it is proved");
    let known = pair.learned();
    let free = known.free(64)[0];
    let mut wrong = Vec::new();
    // Of numbers, whose results are known, and of what may be anything.
    for closed in [true, false] {
        let widths = [1, 2, 7, 16, 32, 33, 63, 64, 65, 128];
        for bits in [0, 1, 0x3f80_0000, 0x3ff0_0000_3c00, 0x7fc0_7fff, u128::MAX] {
            let mut w = Writer::new(&known);
            let two = w.make(Node::Concat(TermId(free), TermId(free)), 128);
            let mut operand = |width: u32| match closed {
                true => w.constant(bits & (u128::MAX >> (128 - width)), width),
                false => w.make(Node::Extract { low: 0, a: TermId(two) }, width),
            };
            let operands: BTreeMap<u32, u32> =
                widths.into_iter().map(|width| (width, operand(width))).collect();
            for made in odd(|width| operands[&width]) {
                let t = w.make(made.node, made.width);
                w = w.step(t, t, &[], &[], false);
            }
            // One question for all would be one for none where a node does not fit.
            let said = pair.said(&w.0);
            eprintln!("{closed} {bits:#x}: {}", format!("{said:?}").chars().take(200).collect::<String>());
            if matches!(said, Said::Panicked(_)) {
                wrong.push(format!("{closed} {bits:#x}: {said:?}"));
            }
            if !closed {
                break;
            }
        }
    }
    for depth in
        std::env::var("D").unwrap_or("1000 30000".into()).split(' ').map(|d| d.parse::<u32>().unwrap())
    {
        let chain = |pair: &mut Pair,
                     name: &str,
                     last: &dyn Fn(&mut Writer, u32) -> u32,
                     next: &dyn Fn(u32) -> (Node, u32)| {
            let mut w = Writer::new(&known);
            let mut t = free;
            for _ in 0..depth {
                let (node, width) = next(t);
                t = w.make(node, width);
            }
            let t = last(&mut w, t);
            let started = std::time::Instant::now();
            let said = pair.said(&w.step(free, t, &[], &[], false).0);
            eprintln!(
                "{name} {depth}: {:?} {}",
                started.elapsed(),
                format!("{said:?}").chars().take(200).collect::<String>()
            );
            matches!(said, Said::Panicked(_))
        };
        let same = |_: &mut Writer, t: u32| t;
        chain(&mut pair, "not", &same, &|t| (Node::Unary(U::Not, TermId(t)), 64));
        chain(&mut pair, "sum", &same, &|t| (Node::Binary(B::Add, TermId(t), TermId(t)), 64));
        chain(&mut pair, "bits", &same, &|t| (Node::Extract { low: 0, a: TermId(t) }, 64));
        let square = |w: &mut Writer, t: u32| w.binary(B::Mul, t, t, 64);
        chain(&mut pair, "bits of a product", &square, &|t| (Node::Extract { low: 0, a: TermId(t) }, 64));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
