//! The judge of `sassafras-graph`: each analysis of a graph compared with its definition.

mod definition;

pub use definition::{Definition, MOST, Set, members};

use sassafras_graph::{
    ControlFlow, DepthFirst, DominanceFrontier, Dominators, Entity, Loops, Regions, Reversed, critical_edges,
    entered_twice, is_reducible,
};

/// What differs, or nothing. A graph of more than [`MOST`] blocks is not compared, and the answer says so.
///
/// # Errors
/// The first difference.
pub fn compare<B: Entity>(flow: &impl ControlFlow<Block = B>) -> Result<Compared, Difference> {
    let mut succs = vec![Vec::new(); flow.capacity()];
    for block in flow.blocks() {
        succs[block.index()] = flow.succs(block).into_iter().map(Entity::index).collect();
    }
    let Some(truth) = Definition::new(flow.entry().index(), succs).filter(|_| flow.capacity() < MOST) else {
        return Ok(Compared::TooLarge);
    };
    Judge { flow, truth }.all().map(|()| Compared::Equal)
}

/// Where an analysis is not its definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {found}, by definition {truth}")]
pub struct Difference {
    /// Of what.
    pub what: String,
    /// What the analysis says.
    pub found: String,
    /// What the definition says.
    pub truth: String,
}

/// Whether a graph was compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compared {
    /// Every analysis equals its definition.
    Equal,
    /// It has too many blocks for the definitions.
    TooLarge,
}

struct Judge<'a, G> {
    flow: &'a G,
    truth: Definition,
}

fn set<B: Entity>(blocks: impl IntoIterator<Item = B>) -> Set {
    blocks.into_iter().fold(0, |set, block| set | 1 << block.index())
}

fn same<T: PartialEq + std::fmt::Debug>(
    what: impl FnOnce() -> String,
    found: T,
    truth: T,
) -> Result<(), Difference> {
    if found == truth {
        return Ok(());
    }
    Err(Difference { what: what(), found: format!("{found:?}"), truth: format!("{truth:?}") })
}

impl<B: Entity, G: ControlFlow<Block = B>> Judge<'_, G> {
    fn all(&self) -> Result<(), Difference> {
        let walk = DepthFirst::new(self.flow);
        self.order(&walk)?;
        let dominators = Dominators::new(self.flow);
        dominance(&dominators, &self.truth, "dominators")?;
        let iterated = self.truth.iterated_dominators();
        for b in members(self.truth.reached()) {
            same(|| format!("dominators of {b} by iteration"), iterated[b], self.truth.dominators(b))?;
        }
        self.frontiers(&DominanceFrontier::new(self.flow, &dominators), &self.truth)?;
        self.loops(&Loops::new(self.flow, &dominators), &dominators, &walk)?;
        let reducible = is_reducible(self.flow, &dominators);
        same(|| "reducible".into(), reducible, self.truth.reducible())?;
        same(
            || "an edge into the middle".into(),
            entered_twice(&walk, &dominators).next().is_none(),
            reducible,
        )?;
        self.critical()?;
        self.post()?;
        self.regions()
    }

    fn order(&self, walk: &DepthFirst<B>) -> Result<(), Difference> {
        let order: Vec<usize> = walk.reverse_post_order().iter().map(|b| b.index()).collect();
        same(|| "reverse post-order".into(), &order[..], self.truth.order())?;
        let place = |b: usize| order.iter().position(|&o| o == b);
        for b in 0..self.flow.capacity() {
            same(|| format!("number of {b}"), walk.number(B::from_index(b)).map(|n| n as usize), place(b))?;
        }
        let mut retreating = Vec::new();
        for &from in &order {
            retreating.extend(
                self.truth.succs(from).iter().filter(|&&to| place(to) <= place(from)).map(|&to| (from, to)),
            );
        }
        let found: Vec<_> = walk.retreating().map(|(from, to)| (from.index(), to.index())).collect();
        same(|| "retreating edges".into(), found, retreating)
    }

    fn frontiers(&self, found: &DominanceFrontier<B>, truth: &Definition) -> Result<(), Difference> {
        for b in members(truth.reached()) {
            let block = B::from_index(b);
            same(|| format!("frontier of {b}"), set(found.of(block)), truth.frontier(b))?;
            let pair = [block, B::from_index(truth.order()[truth.order().len() / 2])];
            let iterated = found.iterated(pair);
            same(
                || format!("iterated frontier of {pair:?}"),
                set(iterated),
                truth.iterated_frontier(set(pair)),
            )?;
        }
        Ok(())
    }

    fn loops(
        &self,
        loops: &Loops<B>,
        dominators: &Dominators<B>,
        walk: &DepthFirst<B>,
    ) -> Result<(), Difference> {
        let truth: Vec<Set> = (0..self.flow.capacity()).map(|h| self.truth.natural_loop(h)).collect();
        same(|| "loop headers".into(), set(loops.ids().map(|id| loops.header(id))), {
            (0..truth.len()).filter(|&h| truth[h] != 0).fold(0, |s, h| s | 1 << h)
        })?;
        same(|| "number of loops".into(), loops.len(), truth.iter().filter(|&&l| l != 0).count())?;
        for id in loops.ids() {
            let header = loops.header(id).index();
            let body = truth[header];
            same(|| format!("loop of {header}"), set(loops.blocks(id).iter().copied()), body)?;
            same(
                || format!("size of the loop of {header}"),
                loops.blocks(id).len(),
                body.count_ones() as usize,
            )?;
            same(|| format!("first of the loop of {header}"), loops.blocks(id)[0].index(), header)?;
            let latches = members(self.truth.reached())
                .filter(|&p| self.truth.succs(p).contains(&header) && self.truth.dominates(header, p));
            same(
                || format!("latches of {header}"),
                set(loops.latches(id, walk)),
                latches.fold(0, |s, p| s | 1 << p),
            )?;
            let around = |&h: &usize| h != header && truth[h] & body == body && truth[h] != 0;
            let parent = (0..truth.len()).filter(around).min_by_key(|&h| truth[h].count_ones());
            same(
                || format!("loop around {header}"),
                loops.parent(id).map(|p| loops.header(p).index()),
                parent,
            )?;
        }
        for b in 0..truth.len() {
            let block = B::from_index(b);
            let holding = (0..truth.len()).filter(|&h| truth[h] >> b & 1 == 1);
            let inner = holding.clone().min_by_key(|&h| truth[h].count_ones());
            same(|| format!("depth of {b}"), loops.depth(block) as usize, holding.count())?;
            same(
                || format!("loop of block {b}"),
                loops.innermost(block).map(|id| loops.header(id).index()),
                inner,
            )?;
            for id in loops.ids() {
                let held = truth[loops.header(id).index()] >> b & 1 == 1;
                same(|| format!("{id} holds {b}"), loops.contains(id, block), held)?;
            }
        }
        debug_assert!(loops.ids().all(|id| dominators.is_reachable(loops.header(id))));
        Ok(())
    }

    fn critical(&self) -> Result<(), Difference> {
        let found: Vec<(usize, usize)> =
            critical_edges(self.flow).iter().map(|&(b, at)| (b.index(), at)).collect();
        let into = |to: usize| {
            (0..self.flow.capacity()).map(move |p| self.truth.succs(p).iter().filter(|&&s| s == to).count())
        };
        let mut truth = Vec::new();
        for from in self.flow.blocks().into_iter().map(Entity::index) {
            let list = self.truth.succs(from);
            truth.extend(
                (0..list.len())
                    .filter(|&at| list.len() > 1 && into(list[at]).sum::<usize>() > 1)
                    .map(|at| (from, at)),
            );
        }
        same(|| "critical edges".into(), found, truth)
    }

    fn post(&self) -> Result<(), Difference> {
        let Some(truth) = self.truth.reversed() else { return Ok(()) };
        let reversed = Reversed::new(self.flow);
        same(|| "ends".into(), set(reversed.succs(reversed.exit())), self.truth.ends())?;
        let (post, exit) = Dominators::post(self.flow);
        same(|| "virtual exit".into(), exit.index(), self.flow.capacity())?;
        dominance(&post, &truth, "post-dominators")?;
        self.frontiers(&DominanceFrontier::new(&reversed, &post), &truth)
    }

    fn regions(&self) -> Result<(), Difference> {
        let regions = Regions::new(self.flow);
        let classes: Vec<((usize, usize), u32)> =
            regions.classes().iter().map(|&((b, at), class)| ((b.index(), at), class)).collect();
        same(|| "edges".into(), classes.iter().map(|c| c.0).collect::<Vec<_>>(), self.truth.edges())?;
        let mut pairs = Vec::new();
        for (i, &(e, class)) in classes.iter().enumerate() {
            let mut nearest = true;
            for &(f, other) in &classes[i + 1..] {
                let related = self.truth.equivalent(e, f);
                same(|| format!("edges {e:?} and {f:?} are related"), class == other, related)?;
                if related && nearest {
                    pairs.push((e, f));
                    nearest = false;
                }
            }
        }
        let name = |(b, at): (B, usize)| (b.index(), at);
        let mut found: Vec<_> = regions.iter().map(|(_, r)| (name(r.entry), name(r.exit))).collect();
        found.sort_by_key(|pair| pairs.iter().position(|p| p == pair));
        same(|| "regions".into(), &found, &pairs)?;
        let inside = |(e, f)| self.truth.between(e, f);
        for (id, region) in regions.iter() {
            let body = inside((name(region.entry), name(region.exit)));
            let held = members(self.truth.reached()).filter(|&b| regions.contains(id, B::from_index(b)));
            same(|| format!("{id}: {region:?}"), held.fold(0, |s, b| s | 1 << b), body)?;
            let around = pairs.iter().map(|&p| inside(p)).filter(|&s| s & body == body && s != body);
            let parent = around.min_by_key(|s| s.count_ones());
            let says = region.parent.map(|p| inside((name(regions.get(p).entry), name(regions.get(p).exit))));
            same(|| format!("region around {id}"), says, parent)?;
        }
        Ok(())
    }
}

fn dominance<B: Entity>(found: &Dominators<B>, truth: &Definition, what: &str) -> Result<(), Difference> {
    for b in 0..truth.blocks() {
        let block = B::from_index(b);
        let reached = truth.reached() >> b & 1 == 1;
        same(|| format!("{what}: {b} is reached"), found.is_reachable(block), reached)?;
        let immediate = found.immediate(block).map(Entity::index);
        same(|| format!("{what}: immediate of {b}"), immediate, truth.immediate(b).filter(|_| reached))?;
        let above = truth.dominators(b);
        same(|| format!("{what}: of {b}"), dominating(found, b, truth.blocks()), above)?;
        let depth = found.depth(block).map(|d| d + 1);
        same(|| format!("{what}: depth of {b}"), depth.unwrap_or(0), above.count_ones())?;
        for other in members(truth.reached()).filter(|_| reached) {
            let both = above & truth.dominators(other);
            let nearest = members(both).max_by_key(|&d| truth.dominators(d).count_ones());
            let common = found.common(block, B::from_index(other)).map(Entity::index);
            same(|| format!("{what}: common of {b} and {other}"), common, nearest)?;
        }
    }
    Ok(())
}

fn dominating<B: Entity>(found: &Dominators<B>, b: usize, count: usize) -> Set {
    set((0..count).map(B::from_index).filter(|&a| found.dominates(a, B::from_index(b))))
}
