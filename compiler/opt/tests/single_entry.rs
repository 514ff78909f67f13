//! LoopMakeSingleEntry on random graphs: what a thread stores stays the same, the graph is reducible, SSA holds. And the
//! editor of graphs under random edits.

use sassafras_graph::{ControlFlow, Dominators, is_reducible};
use sassafras_ir::interpret::{Stop, World, run_in};
use sassafras_ir::{
    Block, CfgEditor, Compare, Edge, Function, MemoryAccess, Op, Terminator, Type, Value, VariableId,
};
use sassafras_opt::single_entry::single_entry;
use sassafras_semantics::{AtomicOp, Concrete, Space, SpecialRegister};

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % end
    }
}

const STORE: MemoryAccess = MemoryAccess::weak(Space::Global, 4);

/// A function over a random graph. Each block stores a number made of its parameter and of a value of each block that dominates
/// it, and goes by bits of it.
fn function(random: &mut Random) -> Function {
    let mut f = Function::new("random");
    let count = 2 + random.below(8) as usize;
    let mut blocks = vec![f.entry];
    blocks.extend((1..count).map(|_| f.add_block()));
    let targets: Vec<Vec<usize>> = (0..count)
        .map(|_| {
            let mut list: Vec<usize> = Vec::new();
            for _ in 0..[0, 1, 1, 2, 2, 2, 2][random.below(7) as usize] {
                let to = 1 + random.below(count as u64 - 1) as usize;
                if !list.contains(&to) {
                    list.push(to);
                }
            }
            list
        })
        .collect();
    for &block in &blocks[1..] {
        if random.below(3) != 0 {
            f.add_param(block, Type::I32);
        }
    }
    let succs = |f: &mut Function| {
        for (&block, list) in blocks.iter().zip(&targets) {
            let edge = |to: usize| Edge::new(blocks[to], &[]);
            f.blocks[block].terminator = match list[..] {
                [] => Terminator::Exit,
                [to] => Terminator::Jump(edge(to)),
                [a, b, ..] => Terminator::Branch { condition: Value(0), then: edge(a), otherwise: edge(b) },
            };
        }
    };
    succs(&mut f);
    let dominators = Dominators::new(&f);
    let mut own: Vec<Option<Value>> = vec![None; count];
    let result = |f: &mut Function, block: Block, op: Op, args: &[Value], ty: Type| {
        let inst = f.append(block, op, args, &[ty], 0);
        f.insts[inst].results[0]
    };
    for &block in dominators.top_down() {
        let at = block.0 as usize;
        let mut x = match f.blocks[block].params.first() {
            Some(&param) => param,
            None => result(&mut f, block, Op::Param { offset: 0, bytes: 4, signed: false }, &[], Type::I32),
        };
        let mut above = dominators.immediate(block);
        while let Some(dominator) = above {
            if let Some(value) = own[dominator.0 as usize].filter(|_| random.below(2) == 0) {
                x = result(&mut f, block, Op::Add, &[x, value], Type::I32);
            }
            above = dominators.immediate(dominator);
        }
        let most = if random.below(4) == 0 { 40 } else { 4 };
        for _ in 0..random.below(most) {
            x = result(&mut f, block, Op::Add, &[x, x], Type::I32);
            let odd = result(&mut f, block, Op::Const(u128::from(random.below(1 << 32)) | 1), &[], Type::I32);
            x = result(&mut f, block, Op::Add, &[x, odd], Type::I32);
        }
        let factor = result(&mut f, block, Op::Const(0x9E37_79B1), &[], Type::I32);
        let step = result(&mut f, block, Op::Const(at as u128 + 1), &[], Type::I32);
        x = result(&mut f, block, Op::Mul, &[x, factor], Type::I32);
        x = result(&mut f, block, Op::Add, &[x, step], Type::I32);
        own[at] = Some(x);
        let address = result(&mut f, block, Op::Const(at as u128), &[], Type::I64);
        f.append(block, Op::Store(STORE), &[address, x], &[], 0);
        let limit = result(&mut f, block, Op::Const(0x8000_0000), &[], Type::I32);
        let bit = result(&mut f, block, Op::Compare(Compare::ULt), &[x, limit], Type::I1);
        if let Terminator::Branch { condition, .. } = &mut f.blocks[block].terminator {
            *condition = bit;
        }
    }
    for &block in dominators.top_down() {
        let x = own[block.0 as usize].expect("it was made");
        let params: Vec<usize> = f.succs(block).iter().map(|&to| f.blocks[to].params.len()).collect();
        for (edge, params) in f.blocks[block].terminator.edges_mut().into_iter().zip(params) {
            edge.args = std::iter::repeat_n(x, params).collect();
        }
    }
    f.compact();
    f
}

/// Records stores.
struct Recorder {
    seed: u8,
    stores: Vec<(u64, u128)>,
}

impl World for Recorder {
    fn param(&self, offset: u32) -> u8 {
        self.seed.wrapping_mul(37).wrapping_add(offset as u8)
    }
    fn special(&self, _: SpecialRegister) -> u64 {
        0
    }
    fn load(&mut self, _: &MemoryAccess, _: u64) -> Option<u128> {
        None
    }
    fn store(&mut self, _: &MemoryAccess, address: u64, value: u128) -> Option<()> {
        self.stores.push((address, value));
        Some(())
    }
    fn atomic(&mut self, _: AtomicOp, _: &MemoryAccess, _: u64, _: &[u128]) -> Option<u128> {
        None
    }
    fn address(&self, _: VariableId) -> Option<u64> {
        None
    }
    fn window(&self, _: Space) -> Option<u64> {
        None
    }
}

fn stores(f: &Function, seed: u8) -> (Vec<(u64, u128)>, bool) {
    let mut world = Recorder { seed, stores: Vec::new() };
    let ended = match run_in(f, &Concrete::default(), &mut world, 6000) {
        Ok(()) => true,
        Err(Stop::TooLong(_)) => false,
        Err(other) => panic!("{other}"),
    };
    (world.stores, ended)
}

fn reducible(f: &Function) -> bool {
    is_reducible(f, &Dominators::new(f))
}

#[test]
fn traces_stay_and_the_graph_becomes_reducible() {
    let (mut irreducible, mut dispatched, mut copied) = (0, 0, 0);
    let seeds = if std::env::var_os("SASSAFRAS_ALL_GRAPHS").is_some() { 20_000 } else { 3_000 };
    for seed in 0..seeds {
        let before = function(&mut Random(seed));
        let mut after = before.clone();
        let was = reducible(&before);
        let stats = single_entry(&mut after);
        assert_eq!(stats.changed(), !was, "seed {seed}: it changes exactly what is irreducible");
        if was {
            assert!(after == before, "seed {seed}");
            continue;
        }
        irreducible += 1;
        assert!(reducible(&after), "seed {seed}");
        let switched =
            |f: &Function| f.blocks.values().any(|b| matches!(b.terminator, Terminator::Switch { .. }));
        dispatched += usize::from(switched(&after));
        copied += usize::from(!switched(&after));
        let module = sassafras_ir::Module { functions: vec![after.clone()], ..Default::default() };
        let text = sassafras_ir::text::print(&module, "test");
        let verdict = breach(&after);
        assert_eq!(verdict, None, "seed {seed}\n{text}");
        for input in 0..4 {
            let ((a, a_ended), (b, b_ended)) = (stores(&before, input), stores(&after, input));
            let common = a.len().min(b.len());
            assert_eq!(a[..common], b[..common], "seed {seed}\n{text}");
            assert!(a_ended == b_ended && (!a_ended || a.len() == b.len()) || !b_ended, "seed {seed}");
        }
    }
    eprintln!("{irreducible} irreducible: {copied} by copies alone, {dispatched} with a dispatch block");
    assert!(copied > 100 && dispatched > 100, "{copied} {dispatched}");
}

/// A use that its definition does not dominate, or arguments that do not fit.
fn breach(f: &Function) -> Option<String> {
    let dominators = Dominators::new(f);
    let mut place = vec![None; f.values.len()];
    for (block, data) in f.blocks.iter() {
        data.params.iter().for_each(|p| place[p.0 as usize] = Some((block, 0)));
        for (at, &inst) in data.insts.iter().enumerate() {
            f.insts[inst].results.iter().for_each(|r| place[r.0 as usize] = Some((block, at + 1)));
        }
    }
    for &block in dominators.top_down() {
        let mut bad = None;
        let mut look = |value: Value, at: usize| {
            let sound = place[value.0 as usize].is_some_and(|(home, from)| {
                if home == block { from <= at } else { dominators.dominates(home, block) }
            });
            if !sound {
                bad = Some(format!("{value} in {block}"));
            }
        };
        let data = &f.blocks[block];
        for (at, &inst) in data.insts.iter().enumerate() {
            f.insts[inst].for_each_use(|value| look(value, at));
        }
        data.terminator.for_each_use(|value| look(value, usize::MAX));
        for edge in data.terminator.edges() {
            let types = |list: &[Value]| list.iter().map(|&v| f.ty(v)).collect::<Vec<_>>();
            if types(&f.blocks[edge.block].params) != types(&edge.args) {
                bad = Some(format!("the edge from {block} to {}", edge.block));
            }
        }
        if bad.is_some() {
            return bad;
        }
    }
    None
}

/// Requirements CFG-26: after every edit predecessors are what the terminators say, and cached analyses are those of the graph.
#[test]
fn the_editor_keeps_both_views_and_its_analyses() {
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let mut f = function(&mut random);
        let before: Vec<_> = (0..3).map(|input| stores(&f, input)).collect();
        let mut editor = CfgEditor::new(&mut f);
        for _ in 0..20 {
            let blocks = ControlFlow::blocks(editor.function());
            let block = blocks[random.below(blocks.len() as u64) as usize];
            let data = &editor.function().blocks[block];
            let (insts, edges) = (data.insts.len() as u64, data.terminator.edges().len() as u64);
            // Ask before the edit, so that a stale answer would be seen after it.
            editor.loops();
            editor.post_dominators();
            match random.below(6) {
                0 => drop(editor.split_block(block, random.below(insts + 1) as usize)),
                1 if edges > 0 => drop(editor.split_edge(block, random.below(edges) as usize)),
                2 => {
                    if let Some(pairs) = editor.merge(block) {
                        editor.edit_values(|f| {
                            pairs.iter().for_each(|&(param, arg)| f.replace_uses(param, arg))
                        });
                    }
                }
                3 => drop(editor.remove_unreachable()),
                4 => drop(editor.split_critical_edges()),
                _ => editor.rewrite(block, |b, insts| {
                    let middle = b.function.add_block();
                    let old = b.block;
                    b.function.blocks[old].insts = insts;
                    b.jump(middle, &[]);
                    b.block = middle;
                }),
            }
            assert_eq!(editor.disagreement(), None, "seed {seed}");
            let fresh = editor.function().clone();
            let dominators = Dominators::new(&fresh);
            let (post, _) = Dominators::post(&fresh);
            for block in ControlFlow::blocks(&fresh) {
                assert_eq!(editor.dominators().immediate(block), dominators.immediate(block), "seed {seed}");
                assert_eq!(editor.post_dominators().0.immediate(block), post.immediate(block), "seed {seed}");
                let loops = sassafras_graph::Loops::new(&fresh, &dominators);
                assert_eq!(editor.loops().depth(block), loops.depth(block), "seed {seed}");
                let mut preds: Vec<Block> = fresh.preds(block);
                preds.sort();
                let kept: Vec<Block> = editor
                    .preds(block)
                    .flat_map(|(pred, edges)| std::iter::repeat_n(pred, edges as usize))
                    .collect();
                assert_eq!(kept, preds, "seed {seed}");
            }
        }
        assert_eq!(breach(&f), None, "seed {seed}");
        for (input, (stored, _)) in before.iter().enumerate() {
            let after = stores(&f, input as u8).0;
            let common = after.len().min(stored.len());
            assert!(common > 0 || stored.is_empty());
            assert_eq!(after[..common], stored[..common], "seed {seed}");
        }
    }
}

/// No pass changes edges but through the editor.
#[test]
fn passes_leave_edges_to_the_editor() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut stack = vec![folder];
    let mut seen = 0;
    while let Some(path) = stack.pop() {
        if path.is_dir() {
            stack.extend(
                std::fs::read_dir(path).expect("the folder is there").map(|e| e.expect("it reads").path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("it reads");
        seen += 1;
        for direct in [
            ".terminator =",
            "&mut function.blocks[block].terminator",
            "edges_mut(",
            ".split_edge(",
            ".clear_block(",
        ] {
            let through = |line: &str| line.contains("editor.") || line.trim_start().starts_with("//");
            let found = text.lines().find(|line| line.contains(direct) && !through(line));
            assert!(found.is_none() || path.ends_with("tests.rs"), "{}: {found:?}", path.display());
        }
    }
    assert!(seen > 10);
}
