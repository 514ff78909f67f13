//! Two functions that differ in nothing but the numbers of their blocks, instructions and values.
//!
//! Such a pair needs no proof: nothing that is executed depends on a number. Both are walked at once from the entry; every
//! operation, argument, guard and edge has to be the same under one renaming. What no edge reaches does not count, nor do
//! the lines of the source.

use rustc_hash::FxHashMap;
use sassafras_ir::{Block, Edge, Function, Terminator, Value};

/// Whether what a launch sees of two functions is the same: name, parameters, directives.
pub(super) fn signature(a: &Function, b: &Function) -> bool {
    let of = |f: &Function| {
        let clusters = (f.reqnctapercluster, f.explicitcluster, f.maxclusterrank);
        (f.param_size, f.maxntid, f.reqntid, f.minnctapersm, f.maxnreg, f.shared.clone(), clusters)
    };
    a.name == b.name && a.params == b.params && of(a) == of(b)
}

/// Whether two functions are one but for numbers.
pub(super) fn alike(a: &Function, b: &Function) -> bool {
    let (blocks, back, values) = Default::default();
    let mut walk = Walk { a, b, blocks, back, values, work: Vec::new() };
    walk.pair(a.entry, b.entry) && walk.run()
}

struct Walk<'f> {
    a: &'f Function,
    b: &'f Function,
    /// What stands for a block, and for a value, of the first.
    blocks: FxHashMap<Block, Block>,
    /// And the other way round: two blocks do not become one, since a value of one is not the other's.
    back: FxHashMap<Block, Block>,
    values: FxHashMap<Value, Value>,
    work: Vec<(Block, Block)>,
}

impl Walk<'_> {
    fn pair(&mut self, x: Block, y: Block) -> bool {
        if self.back.insert(y, x).is_some_and(|other| other != x) {
            return false;
        }
        match self.blocks.insert(x, y) {
            Some(before) => before == y,
            None => {
                let (p, q) = (&self.a.blocks[x].params, &self.b.blocks[y].params);
                self.work.push((x, y));
                p.len() == q.len()
                    && p.iter().zip(q).all(|(&v, &w)| bind(self.a, self.b, &mut self.values, v, w))
            }
        }
    }

    /// Definitions first, then uses: a use may stand before its definition in the order of the walk.
    fn run(&mut self) -> bool {
        let mut seen = Vec::new();
        while let Some((x, y)) = self.work.pop() {
            seen.push((x, y));
            let (f, g) = (&self.a.blocks[x], &self.b.blocks[y]);
            if f.insts.len() != g.insts.len() {
                return false;
            }
            for (&i, &j) in f.insts.iter().zip(&g.insts) {
                let (i, j) = (&self.a.insts[i], &self.b.insts[j]);
                let same = i.op == j.op && i.args.len() == j.args.len() && i.results.len() == j.results.len();
                let bound = i
                    .results
                    .iter()
                    .zip(&j.results)
                    .all(|(&v, &w)| bind(self.a, self.b, &mut self.values, v, w));
                if !same || !bound {
                    return false;
                }
            }
            let (e, h) = (f.terminator.edges(), g.terminator.edges());
            if e.len() != h.len() || !e.iter().zip(&h).all(|(e, h)| self.pair(e.block, h.block)) {
                return false;
            }
        }
        seen.into_iter().all(|(x, y)| self.uses(x, y))
    }

    fn same(&self, v: Value, w: Value) -> bool {
        self.values.get(&v) == Some(&w)
    }

    fn all(&self, v: &[Value], w: &[Value]) -> bool {
        v.len() == w.len() && v.iter().zip(w).all(|(&v, &w)| self.same(v, w))
    }

    fn uses(&self, x: Block, y: Block) -> bool {
        let (f, g) = (&self.a.blocks[x], &self.b.blocks[y]);
        let insts = f.insts.iter().zip(&g.insts).all(|(&i, &j)| {
            let (i, j) = (&self.a.insts[i], &self.b.insts[j]);
            let guards = match (i.guard, j.guard) {
                (None, None) => true,
                (Some(p), Some(q)) => p.negate == q.negate && self.same(p.value, q.value),
                _ => false,
            };
            guards && self.all(&i.args, &j.args)
        });
        let edges = |e: &[&Edge], h: &[&Edge]| e.iter().zip(h).all(|(e, h)| self.all(&e.args, &h.args));
        use Terminator as T;
        let kind = match (&f.terminator, &g.terminator) {
            (T::Jump(_), T::Jump(_))
            | (T::Exit, T::Exit)
            | (T::Trap, T::Trap)
            | (T::Unreachable, T::Unreachable) => true,
            (T::Branch { condition: v, .. }, T::Branch { condition: w, .. })
            | (T::Switch { index: v, .. }, T::Switch { index: w, .. }) => self.same(*v, *w),
            _ => false,
        };
        insts && kind && edges(&f.terminator.edges(), &g.terminator.edges())
    }
}

/// One value stands for another, of the same type, and for no other.
fn bind(a: &Function, b: &Function, values: &mut FxHashMap<Value, Value>, v: Value, w: Value) -> bool {
    a.ty(v) == b.ty(w) && values.insert(v, w).is_none_or(|before| before == w)
}
