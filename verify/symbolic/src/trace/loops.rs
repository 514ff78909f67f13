//! The loops of a side's code, and how often lanes have gone round each.
//!
//! A loop is a largest set of places each of which leads to each other (a strongly connected component). Its head is the place where it is
//! entered; of several such places the one with the lowest number. What is left of a loop without its head has loops of its own, which are
//! within it. Lanes are in one *activation* of a loop from where they come to it until they leave it; they *return* whenever they come to
//! its head from within. Returns are counted by activation: who comes to an inner loop again begins anew.

use std::collections::{BTreeMap, BTreeSet};

/// Where each place may lead.
pub type Flow = BTreeMap<u64, Vec<u64>>;

/// The loops that lanes are in, the outermost first, and how often they have returned in each.
pub type Rounds = Vec<(usize, u32)>;

/// How lanes come from one place to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edge {
    /// As the flow of the code says. What a place is in that it does not lead back to, lanes leave.
    #[default]
    Step,
    /// To a function that comes back: lanes stay in all loops that they are in.
    Call,
    /// Back from there.
    Return,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The loop around it.
    pub outer: Option<usize>,
    /// Where it is entered.
    pub head: u64,
    /// The lowest of its places.
    pub first: u64,
}

/// The loops of some code; each stands behind those around it.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    all: Vec<Loop>,
    /// By place: the innermost loop around it.
    innermost: BTreeMap<u64, usize>,
    /// Planted in tests: returns are counted over the whole run.
    forgets_nothing: bool,
}

/// Places by numbers from 0.
struct Graph {
    places: Vec<u64>,
    next: Vec<Vec<usize>>,
}

impl Graph {
    /// What a flow leads to from some places.
    fn of(flow: &Flow, starts: &[u64]) -> Graph {
        let (mut numbers, mut open) = (BTreeMap::new(), starts.to_vec());
        while let Some(at) = open.pop() {
            if numbers.insert(at, 0).is_none() {
                open.extend(flow.get(&at).into_iter().flatten());
            }
        }
        for (i, number) in numbers.values_mut().enumerate() {
            *number = i;
        }
        let of = |at: &u64| flow.get(at).into_iter().flatten().map(|to| numbers[to]).collect();
        Graph { places: numbers.keys().copied().collect(), next: numbers.keys().map(of).collect() }
    }

    /// The strongly connected components of some places that have a cycle (Tarjan 1972).
    fn cycles(&self, members: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let (mut number, mut low): (BTreeMap<usize, usize>, BTreeMap<usize, usize>) = Default::default();
        let (mut stack, mut waits, mut found) = (Vec::new(), BTreeSet::new(), Vec::new());
        for &root in members {
            let mut open = if number.contains_key(&root) { Vec::new() } else { vec![(root, 0)] };
            while let Some((v, i)) = open.pop() {
                if i == 0 {
                    let n = number.len();
                    number.insert(v, n);
                    low.insert(v, n);
                    stack.push(v);
                    waits.insert(v);
                }
                if let Some(&w) = self.next[v].get(i) {
                    open.push((v, i + 1));
                    match number.get(&w) {
                        _ if !members.contains(&w) => {}
                        None => open.push((w, 0)),
                        Some(&n) if waits.contains(&w) => {
                            low.entry(v).and_modify(|l| *l = n.min(*l));
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                let own = low[&v];
                if own == number[&v] {
                    let at = stack.iter().rposition(|w| *w == v).unwrap_or(0);
                    let part: BTreeSet<usize> = stack.split_off(at).into_iter().collect();
                    part.iter().for_each(|w| {
                        waits.remove(w);
                    });
                    if part.len() > 1 || self.next[v].contains(&v) {
                        found.push(part);
                    }
                }
                if let Some((u, _)) = open.last() {
                    low.entry(*u).and_modify(|l| *l = own.min(*l));
                }
            }
        }
        found
    }
}

impl Loops {
    /// Of code that begins at a place, and of the functions that it calls, which begin at the others.
    pub fn of(flow: &Flow, starts: &[u64]) -> Loops {
        let graph = Graph::of(flow, starts);
        let mut loops = Loops::default();
        let mut open = vec![((0..graph.places.len()).collect::<BTreeSet<usize>>(), None)];
        while let Some((members, outer)) = open.pop() {
            for mut part in graph.cycles(&members) {
                let outside = (0..graph.places.len()).filter(|p| !part.contains(p));
                let mut entered: BTreeSet<usize> =
                    outside.flat_map(|p| &graph.next[p]).copied().filter(|p| part.contains(p)).collect();
                entered.extend(part.iter().copied().filter(|p| starts.contains(&graph.places[*p])));
                let first = part.first().copied().unwrap_or_default();
                let head = entered.first().copied().unwrap_or(first);
                let number = loops.all.len();
                loops.all.push(Loop { outer, head: graph.places[head], first: graph.places[first] });
                loops.innermost.extend(part.iter().map(|p| (graph.places[*p], number)));
                part.remove(&head);
                open.push((part, Some(number)));
            }
        }
        loops.forgets_nothing = planted::is_on();
        loops
    }

    /// Whether there are any.
    pub fn is_any(&self) -> bool {
        !self.all.is_empty()
    }

    /// Places at which loops may be cut: their heads, and where those go on that do not leave a loop where others do. `flow`: where places lead.
    pub fn gates(&self, flow: &Flow) -> BTreeSet<u64> {
        let mut all: BTreeSet<u64> = self.all.iter().map(|l| l.head).collect();
        for (from, to) in flow {
            for l in self.around(*from) {
                let inside = |p: &&u64| self.around(**p).contains(&l);
                if to.len() > 1 && !to.iter().all(|p| inside(&p)) {
                    all.extend(to.iter().filter(inside));
                }
            }
        }
        all
    }

    /// Branches that lead out of a loop or on in it.
    pub fn exits(&self, flow: &Flow) -> BTreeSet<u64> {
        let parts = |from: u64, to: &[u64]| {
            self.around(from).iter().any(|l| {
                let inside = to.iter().filter(|p| self.around(**p).contains(l)).count();
                0 < inside && inside < to.len()
            })
        };
        flow.iter().filter(|(from, to)| parts(**from, to)).map(|(from, _)| *from).collect()
    }

    /// Places outside a loop that lead to a place in it, before lanes come to the head of a loop around it. `flow`: where places lead.
    pub fn before(&self, flow: &Flow, at: u64) -> BTreeSet<u64> {
        let around = self.around(at);
        let Some((own, outer)) = around.split_last() else { return BTreeSet::new() };
        let heads: Vec<u64> = outer.iter().map(|l| self.all[*l].head).collect();
        let inside = |p: &u64| self.around(*p).contains(own);
        let (mut all, mut open) = (BTreeSet::new(), vec![at]);
        while let Some(to) = open.pop() {
            if heads.contains(&to) {
                continue;
            }
            let from = flow.iter().filter(|(_, next)| next.contains(&to)).map(|(from, _)| *from);
            open.extend(from.filter(|from| all.insert(*from)));
        }
        all.into_iter().filter(|p| !inside(p)).collect()
    }

    /// Numbers of loops that have none within, in the order of their heads.
    pub fn innermost(&self) -> Vec<usize> {
        let has_inner = |own: usize| self.all.iter().any(|l| l.outer == Some(own));
        let mut all: Vec<usize> = (0..self.all.len()).filter(|own| !has_inner(*own)).collect();
        all.sort_by_key(|own| self.all[*own].head);
        all
    }

    /// A loop.
    pub fn get(&self, number: usize) -> Loop {
        self.all[number]
    }

    /// The loops around a place, the outermost first.
    pub fn around(&self, place: u64) -> Vec<usize> {
        let innermost = self.innermost.get(&place).copied();
        let mut all: Vec<usize> = std::iter::successors(innermost, |l| self.all[*l].outer).collect();
        all.reverse();
        all
    }

    /// The loops that lanes begin in at a place.
    pub fn begin(&self, place: u64) -> Rounds {
        self.around(place).into_iter().map(|l| (l, 0)).collect()
    }

    /// The loops that lanes are in behind an edge. The innermost that they were in before are those around `from`; others are around calls.
    pub fn go(&self, rounds: &Rounds, (from, to): (u64, u64), edge: Edge) -> Rounds {
        let (own, wanted) = (self.around(from).len().min(rounds.len()), self.around(to));
        let foreign = &rounds[..rounds.len() - own];
        let kept = if edge == Edge::Return { foreign } else { rounds };
        let shared = kept.iter().rposition(|(l, _)| wanted.contains(l));
        let mut all = match shared {
            Some(last) => kept[..=last].to_vec(),
            None if edge == Edge::Call => rounds.clone(),
            None => foreign.to_vec(),
        };
        if let (Some(_), Some((l, count))) = (shared, all.last_mut()) {
            *count += u32::from(self.all[*l].head == to);
        }
        let inside = wanted.iter().filter(|l| all.iter().all(|(other, _)| other != *l)).map(|l| (*l, 0));
        let inside: Rounds = inside.collect();
        all.extend(inside);
        all
    }

    /// Whether counts go on from one activation to the next, as is planted in tests.
    pub fn forgets_nothing(&self) -> bool {
        self.forgets_nothing
    }
}

pub mod planted {
    //! A fault that tests plant: returns of a loop are counted over the whole run, whichever activation they are of.

    use std::cell::Cell;

    thread_local! {
        static ON: Cell<bool> = const { Cell::new(false) };
    }

    /// Whether it is planted.
    pub fn is_on() -> bool {
        ON.get()
    }

    /// Runs with the fault.
    pub fn run<T>(what: impl FnOnce() -> T) -> T {
        ON.set(true);
        let result = what();
        ON.set(false);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(edges: &[(u64, u64)]) -> Flow {
        let mut flow = Flow::new();
        for (from, to) in edges {
            flow.entry(*from).or_default().push(*to);
        }
        flow
    }

    /// The loops on a way through places, with returns.
    fn walk(loops: &Loops, way: &[u64]) -> Rounds {
        let start = loops.begin(way[0]);
        way.windows(2).fold(start, |rounds, w| loops.go(&rounds, (w[0], w[1]), Edge::Step))
    }

    #[test]
    fn an_inner_loop_begins_anew() {
        // 1 { 2 { 3 } 4 } 5
        let loops = Loops::of(&flow(&[(0, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 1), (4, 5)]), &[0]);
        assert_eq!(walk(&loops, &[0, 1, 2, 3, 2, 3]), [(0, 0), (1, 1)]);
        assert_eq!(walk(&loops, &[0, 1, 2, 3, 2, 3, 4, 1]), [(0, 1)]);
        assert_eq!(walk(&loops, &[0, 1, 2, 3, 2, 3, 4, 1, 2]), [(0, 1), (1, 0)]);
        assert_eq!(walk(&loops, &[0, 1, 2, 3, 4, 5]), []);
    }

    #[test]
    fn the_head_is_where_a_loop_is_entered() {
        // The test stands behind the body.
        let loops = Loops::of(&flow(&[(0, 3), (1, 2), (2, 3), (3, 1), (3, 4)]), &[0]);
        assert_eq!((loops.get(0).head, loops.get(0).first), (3, 1));
        assert_eq!(walk(&loops, &[0, 3, 1, 2, 3]), [(0, 1)]);
        // Of two ways in the lower counts, and what circles without it is a loop within.
        let loops = Loops::of(&flow(&[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3), (3, 2), (3, 4)]), &[0]);
        assert_eq!(walk(&loops, &[0, 2, 1, 2, 3, 2]), [(0, 1), (1, 1)]);
        // A place that leads to itself, and one where the code begins.
        let loops = Loops::of(&flow(&[(0, 0), (0, 1)]), &[0]);
        assert_eq!(walk(&loops, &[0, 0, 0]), [(0, 2)]);
    }

    #[test]
    fn what_leads_to_a_loop_stands_outside_and_comes_to_no_head_of_a_loop_around() {
        // 0 { 1 (2) 5 } with the way 1 to 4 to 2 around; 3 is behind the inner loop.
        let edges = [(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 5), (1, 4), (4, 2)];
        let flow = flow(&edges);
        let loops = Loops::of(&flow, &[0]);
        assert_eq!(loops.before(&flow, 2), BTreeSet::from([1, 4]));
        assert_eq!(loops.before(&flow, 1), BTreeSet::from([0]));
        assert!(loops.before(&flow, 5).is_empty());
        assert_eq!(loops.exits(&flow), BTreeSet::from([2, 3]));
    }

    #[test]
    fn a_call_leaves_no_loop() {
        // 1 calls 10, which has a loop; 2 goes back to 1. No edge leads to 10, so a function that calls itself is no loop.
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (10, 11), (11, 10), (11, 12)];
        let loops = Loops::of(&flow(&edges), &[0, 10]);
        let outer = loops.around(1)[0];
        let inner = loops.around(10)[0];
        let back = loops.go(&walk(&loops, &[0, 1]), (2, 1), Edge::Step);
        let called = loops.go(&back, (1, 10), Edge::Call);
        assert_eq!(called, [(outer, 1), (inner, 0)]);
        let round = loops.go(&called, (11, 10), Edge::Step);
        assert_eq!(round, [(outer, 1), (inner, 1)]);
        let left = loops.go(&round, (11, 12), Edge::Step);
        assert_eq!(left, [(outer, 1)]);
        assert_eq!(loops.go(&left, (12, 2), Edge::Return), [(outer, 1)]);
    }
}
