//! What a pass made of a random function, changed once more at random: where that is proved, both do the same on many inputs.

use super::common::solver;
use super::observed::changes;
use super::{BUDGET, whole};
use sassafras_generate::program::{Program, ingredients};
use sassafras_generate::straight;
use sassafras_ir::{Compare, Function, Inst, Op, Terminator, Value};
use sassafras_prove::{Limits, Verdict};
use sassafras_prove_passes::{by_terms, differ};
use std::collections::BTreeMap;

/// Inputs on which a change that is proved is run.
const INPUTS: u64 = 200;

/// Random bits (Sebastiano Vigna's splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % n.max(1) as u64) as usize
    }
}

type Change = fn(&mut Function, &mut Random) -> bool;

/// An instruction that stands in a block and is of a kind, and its place.
fn pick(
    f: &Function,
    r: &mut Random,
    wanted: impl Fn(&Op) -> bool,
) -> Option<(sassafras_ir::Block, usize, Inst)> {
    let mut all = Vec::new();
    for block in f.reverse_post_order() {
        for (at, &inst) in f.blocks[block].insts.iter().enumerate() {
            if wanted(&f.insts[inst].op) {
                all.push((block, at, inst));
            }
        }
    }
    (!all.is_empty()).then(|| all[r.below(all.len())])
}

const CHANGES: &[(&str, Change)] = &[
    ("operands swapped", |f, r| {
        let Some((.., i)) =
            pick(f, r, |op| matches!(op, Op::Sub | Op::Shl | Op::Shr { .. } | Op::Compare(_)))
        else {
            return false;
        };
        if f.ty(f.insts[i].args[0]) != f.ty(f.insts[i].args[1]) {
            return false;
        }
        f.insts[i].args.swap(0, 1);
        true
    }),
    ("another constant", |f, r| {
        let Some((.., i)) = pick(f, r, |op| matches!(op, Op::Const(_))) else { return false };
        let Op::Const(bits) = f.insts[i].op else { return false };
        f.insts[i].op = Op::Const(bits ^ 1 << r.below(8));
        true
    }),
    ("a store removed", |f, r| {
        let Some((block, at, _)) = pick(f, r, |op| matches!(op, Op::Store(_))) else { return false };
        f.blocks[block].insts.remove(at);
        true
    }),
    ("another offset", |f, r| {
        let Some((.., i)) = pick(f, r, |op| matches!(op, Op::Store(_) | Op::Load(_))) else { return false };
        match &mut f.insts[i].op {
            Op::Store(a) | Op::Load(a) => a.offset += i32::from(a.bytes),
            _ => return false,
        }
        true
    }),
    ("a comparison changed", |f, r| {
        let Some((.., i)) = pick(f, r, |op| matches!(op, Op::Compare(_))) else { return false };
        let Op::Compare(c) = &mut f.insts[i].op else { return false };
        *c = match *c {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::ULt => Compare::ULe,
            Compare::ULe => Compare::ULt,
            Compare::UGt => Compare::UGe,
            Compare::UGe => Compare::UGt,
            Compare::SLt => Compare::SLe,
            Compare::SLe => Compare::SLt,
            Compare::SGt => Compare::SGe,
            Compare::SGe => Compare::SGt,
        };
        true
    }),
    ("edges swapped", |f, r| {
        let all: Vec<_> = f
            .reverse_post_order()
            .into_iter()
            .filter(|&b| matches!(f.blocks[b].terminator, Terminator::Branch { .. }))
            .collect();
        if all.is_empty() {
            return false;
        }
        let block = all[r.below(all.len())];
        let Terminator::Branch { then, otherwise, .. } = &mut f.blocks[block].terminator else {
            return false;
        };
        std::mem::swap(then, otherwise);
        true
    }),
    ("arguments of an edge changed", |f, r| {
        let blocks = f.reverse_post_order();
        let block = blocks[r.below(blocks.len())];
        let types: Vec<_> = f.values.keys().map(|v| f.ty(v)).collect();
        let mut terminator = f.blocks[block].terminator.clone();
        let mut done = false;
        for edge in terminator.edges_mut() {
            for i in 1..edge.args.len() {
                let of = |v: Value| types[v.0 as usize];
                if !done && of(edge.args[i]) == of(edge.args[i - 1]) && edge.args[i] != edge.args[i - 1] {
                    edge.args.swap(i, i - 1);
                    done = true;
                }
            }
        }
        f.blocks[block].terminator = terminator;
        done
    }),
    ("a guard changed", |f, r| {
        let all: Vec<Inst> = f
            .reverse_post_order()
            .into_iter()
            .flat_map(|b| f.blocks[b].insts.clone())
            .filter(|&i| f.insts[i].guard.is_some())
            .collect();
        if all.is_empty() {
            return false;
        }
        let i = all[r.below(all.len())];
        if let Some(guard) = &mut f.insts[i].guard {
            guard.negate = !guard.negate;
        }
        true
    }),
    ("accesses reordered", |f, r| {
        let accesses = |op: &Op| matches!(op, Op::Load(_) | Op::Store(_));
        let Some((block, at, i)) = pick(f, r, accesses) else { return false };
        let insts = &f.blocks[block].insts;
        let Some(next) = (at + 1..insts.len()).find(|&n| accesses(&f.insts[insts[n]].op)) else {
            return false;
        };
        // The first goes behind the second, if nothing between them uses it.
        let results = f.insts[i].results.clone();
        let mut used = false;
        for &other in &insts[at + 1..=next] {
            f.insts[other].for_each_use(|v| used |= results.contains(&v));
        }
        if used {
            return false;
        }
        let inst = f.blocks[block].insts.remove(at);
        f.blocks[block].insts.insert(next, inst);
        true
    }),
    ("a select inverted", |f, r| {
        let Some((.., i)) = pick(f, r, |op| matches!(op, Op::Select)) else { return false };
        f.insts[i].args.swap(1, 2);
        true
    }),
];

#[test]
fn what_is_proved_of_changed_functions_holds_on_inputs() {
    const NAME: &str = "what_is_proved_of_changed_functions_holds_on_inputs";
    let Some(mut z3) = solver(NAME, BUDGET) else { return };
    let functions = if whole() { 20 } else { 1 };
    let forms = ingredients();
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut faults = Vec::new();
    for seed in 0..functions {
        let texts = [straight::text(&straight::random(seed)), Program::random(seed, 20, &forms).text()];
        // Those with loops take longer.
        for text in texts.into_iter().take(if whole() { 2 } else { 1 }) {
            let Some(last) = changes(&text, &[]).pop() else { continue };
            for (n, (kind, change)) in CHANGES.iter().enumerate() {
                let mut wrong = last.after.clone();
                if !change(&mut wrong, &mut Random(seed * 100 + n as u64)) || wrong == last.after {
                    continue;
                }
                let record = by_terms(&last.after, &wrong, &mut *z3, Limits::default());
                *counts.entry((kind, record.verdict.word())).or_default() += 1;
                let proved = matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_));
                if proved && differ(&last.after, &wrong, INPUTS).is_some() {
                    faults.push(format!(
                        "{kind} of {seed}: proved, and they differ\n{}\n{}",
                        sassafras_ir::text::print_function(&last.after),
                        sassafras_ir::text::print_function(&wrong)
                    ));
                }
            }
        }
    }
    let mut text = "| change | verdict | functions |\n| --- | --- | --: |\n".to_owned();
    for ((kind, verdict), n) in &counts {
        text += &format!("| {kind} | {verdict} | {n} |\n");
    }
    super::pipeline::section("Changed functions", &text);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
