//! Random trees, cursors and edits.

use sassafras_ir::tree::{Cursor, Jump, List, Loose, Node, Refused, Tree};
use sassafras_ir::{Block, Op, Type, Value};
use std::collections::HashMap;

/// Splitmix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n.max(1) as u64) as usize
    }
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.below(all.len())])
    }
}

/// What was tried, and why it was refused.
pub type Tried = Result<&'static str, (&'static str, Refused)>;

/// Every node, those of loose lists included.
pub fn all_nodes(tree: &Tree) -> Vec<Node> {
    let roots = [tree.root()].into_iter().chain(tree.loose().iter().copied());
    roots.flat_map(|root| tree.subtree(root)).collect()
}

fn blocks(tree: &Tree) -> Vec<Block> {
    all_nodes(tree).into_iter().filter_map(|node| tree.block_of(node)).collect()
}

/// Any value that stands somewhere, of a type.
fn value(tree: &Tree, ty: Type, rng: &mut Rng) -> Option<Value> {
    let f = tree.function();
    let mut all: Vec<Value> = Vec::new();
    for block in blocks(tree) {
        all.extend(&f.blocks[block].params);
        for &inst in &f.blocks[block].insts {
            all.extend(&f.insts[inst].results);
        }
    }
    all.retain(|&v| f.ty(v) == ty);
    rng.pick(&all)
}

/// A value of a type: mostly one that exists, else a new constant at the start.
fn some_value(tree: &mut Tree, ty: Type, rng: &mut Rng) -> Value {
    if rng.below(4) != 0
        && let Some(value) = value(tree, ty, rng)
    {
        return value;
    }
    let start = Cursor::Start(List::body(tree.root()));
    let bits = u128::from(rng.bits()) & ((1 << ty.bits()) - 1);
    let inst = tree.insert_inst(start, Op::Const(bits), &[], &[ty], 0).expect("the start is a place");
    tree.function().insts[inst].results[0]
}

pub fn cursor(tree: &Tree, rng: &mut Rng) -> Cursor {
    let nodes = all_nodes(tree);
    let node = rng.pick(&nodes).unwrap_or(tree.root());
    let insts: Vec<_> = blocks(tree).iter().flat_map(|&b| tree.function().blocks[b].insts.clone()).collect();
    match rng.below(8) {
        0 | 1 if !insts.is_empty() => {
            let inst = insts[rng.below(insts.len())];
            if rng.below(2) == 0 { Cursor::BeforeInst(inst) } else { Cursor::AfterInst(inst) }
        }
        2 => Cursor::BeforeNode(node),
        3 => Cursor::AfterNode(node),
        4 | 5 => match rng.pick(&tree.lists(node)) {
            Some(list) if rng.below(2) == 0 => Cursor::Start(list),
            Some(list) => Cursor::End(list),
            None => Cursor::BeforeNode(node),
        },
        _ => match tree.block_of(node) {
            Some(block) if rng.below(2) == 0 => Cursor::BeforeBlock(block),
            Some(block) => Cursor::AfterBlock(block),
            None => Cursor::AfterNode(node),
        },
    }
}

fn jump(tree: &mut Tree, rng: &mut Rng) -> Result<(), Refused> {
    let all = blocks(tree);
    let block = rng.pick(&all).expect("a tree has a block");
    let kind =
        [Jump::Break, Jump::Continue, Jump::Break, Jump::Continue, Jump::Return, Jump::Halt, Jump::Trap]
            [rng.below(7)];
    let around = tree.node_of(block).and_then(|node| tree.loop_around(node));
    let target = match (kind, around) {
        (Jump::Break, Some(around)) => tree.next(around).and_then(|next| tree.block_of(next)),
        (Jump::Continue, Some(around)) => tree.entry_of(List::body(around)),
        _ => None,
    };
    let types: Vec<Type> = target
        .map(|t| tree.function().blocks[t].params.iter().map(|&p| tree.ty(p)).collect())
        .unwrap_or_default();
    let before = tree.clone();
    let args: Vec<Value> = types.into_iter().map(|ty| some_value(tree, ty, rng)).collect();
    tree.insert_jump(block, kind, &args).inspect_err(|_| *tree = before)
}

fn param(tree: &mut Tree, rng: &mut Rng) -> Result<(), Refused> {
    let all = blocks(tree);
    let block = rng.pick(&all).expect("a tree has a block");
    let ty = [Type::I1, Type::I32][rng.below(2)];
    let before = tree.clone();
    let preds = tree.preds(block);
    let args: Vec<_> = preds.into_iter().map(|pred| (pred, some_value(tree, ty, rng))).collect();
    tree.add_param(block, ty, &args).map(drop).inspect_err(|_| *tree = before)
}

/// An `If` or an instruction somewhere; a third of the conditions are of the wrong type.
fn insert(tree: &mut Tree, rng: &mut Rng) -> Result<(), Refused> {
    let before = tree.clone();
    let ty = if rng.below(6) == 0 { Type::I32 } else { Type::I1 };
    let condition = some_value(tree, ty, rng);
    let at = cursor(tree, rng);
    tree.insert_if(at, condition).map(drop).inspect_err(|_| *tree = before)
}

fn inst(tree: &mut Tree, rng: &mut Rng) -> Result<(), Refused> {
    let before = tree.clone();
    let at = cursor(tree, rng);
    let (a, b) = (some_value(tree, Type::I32, rng), some_value(tree, Type::I32, rng));
    let (op, ty) = match rng.below(3) {
        0 => (Op::Add, Type::I32),
        1 => (Op::Xor, Type::I32),
        _ => (Op::Compare(sassafras_ir::Compare::ULt), Type::I1),
    };
    tree.insert_inst(at, op, &[a, b], &[ty], 0).map(drop).inspect_err(|_| *tree = before)
}

/// A tree made by random insertions.
pub fn tree(rng: &mut Rng) -> Tree {
    let mut tree = Tree::new("random");
    for _ in 0..4 + rng.below(30) {
        let _ = match rng.below(10) {
            0..=2 => insert(&mut tree, rng),
            3 | 4 => {
                let at = cursor(&tree, rng);
                tree.insert_loop(at).map(drop)
            }
            5 | 6 => jump(&mut tree, rng),
            7 => param(&mut tree, rng),
            _ => inst(&mut tree, rng),
        };
    }
    tree
}

/// What becomes of a list that was cut out.
fn put_back(tree: &mut Tree, list: Loose, hole: Cursor, rng: &mut Rng) -> Tried {
    match rng.below(5) {
        0 => tree.delete(list).map(|()| "delete").map_err(|(why, _)| ("delete", why)),
        1 => tree.reinsert(list, hole).map(|()| "put back").map_err(|(why, _)| ("put back", why)),
        2 => {
            let mut remap = HashMap::new();
            if let (Some(a), Some(b)) = (value(tree, Type::I32, rng), value(tree, Type::I32, rng)) {
                remap.insert(a, b);
            }
            let result = tree.clone_list(&list, &remap);
            match result {
                Err(why) => Err(("clone", why)),
                Ok(copy) => {
                    let place = cursor(tree, rng);
                    for (list, place) in [(list, hole), (copy, place)] {
                        if let Err((_, list)) = tree.reinsert(list, place) {
                            tree.delete(list).map_err(|(why, _)| ("delete", why))?;
                        }
                    }
                    Ok("clone and reinsert")
                }
            }
        }
        3 => {
            let place = cursor(tree, rng);
            tree.reinsert(list, place).map(|()| "move").map_err(|(why, _)| ("move", why))
        }
        // Left loose: edits into it must be refused.
        _ => Ok("extract"),
    }
}

/// One random edit. A refused one leaves the tree as it was, but for lists that are cut out, which are put back.
pub fn edit(tree: &mut Tree, rng: &mut Rng) -> Tried {
    let name = |what: &'static str| move |why: Refused| (what, why);
    match rng.below(16) {
        0 | 1 => insert(tree, rng).map(|()| "if").map_err(name("if")),
        2 => {
            let at = cursor(tree, rng);
            tree.insert_loop(at).map(|_| "loop").map_err(name("loop"))
        }
        3 | 4 => jump(tree, rng).map(|()| "jump").map_err(name("jump")),
        5 => {
            let jumping: Vec<Block> =
                blocks(tree).into_iter().filter(|&b| tree.jump(b).is_some() || rng.below(8) == 0).collect();
            match rng.pick(&jumping) {
                Some(block) => tree.remove_jump(block).map(|()| "no jump").map_err(name("no jump")),
                None => Ok("nothing"),
            }
        }
        6 => param(tree, rng).map(|()| "param").map_err(name("param")),
        7 => {
            let block = rng.pick(&blocks(tree)).expect("a tree has a block");
            tree.remove_param(block, 0).map(|()| "no param").map_err(name("no param"))
        }
        8 | 9 => inst(tree, rng).map(|()| "inst").map_err(name("inst")),
        10 => {
            let node = rng.pick(&all_nodes(tree)).expect("a tree has a node");
            tree.remove_node(node).map(|()| "remove").map_err(name("remove"))
        }
        _ => {
            let (begin, end) = (cursor(tree, rng), cursor(tree, rng));
            let cut = tree.extract(begin, end).map_err(name("extract"))?;
            let before = tree.clone();
            put_back(tree, cut.list, cut.hole, rng).or_else(|(what, why)| {
                assert!(*tree == before, "{what} was refused ({why}) and changed the tree");
                Ok("extract, and refused to put back")
            })
        }
    }
}
