//! Placement as a whole: orders from every method, of which the best is kept.

use crate::{Constraint, Evaluator, Flow, Knobs, Node, Scorer, chains, exact, ext_tsp, improve};

/// Blocks up to which chains are merged without a bound on their densities too.
const UNBOUNDED: usize = 1000;

/// Which methods are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// None: the order of the source.
    Source,
    /// Chains, and proposals behind them.
    Chain,
    /// All: chains, merged chains, moves, and exact search of small graphs.
    #[default]
    ExtTsp,
}

/// Where an order comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// The source.
    Source,
    /// Chains.
    Chains,
    /// Proposals behind chains.
    Evaluator,
    /// Merged chains.
    ExtTsp,
    /// Moves of parts.
    Moves,
    /// Exact search.
    Exact,
}

/// What is wanted.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Which methods.
    pub algorithm: Algorithm,
    /// What orders keep.
    pub constraint: Constraint,
    /// The chip's index in the table of costs.
    pub chip: u32,
    /// The knobs.
    pub knobs: Knobs,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            algorithm: Algorithm::default(),
            constraint: Constraint::default(),
            // sm_90.
            chip: 6,
            knobs: Knobs::default(),
        }
    }
}

impl Options {
    /// The methods that the pass asks by its knobs.
    #[must_use]
    pub fn by_knobs(knobs: Knobs, flow: &Flow) -> Options {
        let few = knobs.ext_tsp_blocks < 0 || flow.len() as i64 <= knobs.ext_tsp_blocks;
        let known = flow.profile() || knobs.ext_tsp_unprofiled;
        let algorithm = match (knobs.disable, knobs.ext_tsp && few && known) {
            (true, _) => Algorithm::Source,
            (false, true) => Algorithm::ExtTsp,
            (false, false) => Algorithm::Chain,
        };
        Options { algorithm, knobs, ..Options::default() }
    }
}

/// An order.
#[derive(Clone, PartialEq, Debug)]
pub struct Placement {
    /// All blocks, the entry first.
    pub order: Vec<Node>,
    /// Its ext-TSP score.
    pub score: f64,
    /// The score of the source's order, made to keep the constraint.
    pub source_score: f64,
    /// Where it comes from.
    pub method: Method,
    /// Whether no order that keeps the constraint has a better score.
    pub optimal: bool,
}

/// The best order that the chosen methods find, never one below the source's in score: both keep the constraint. Of equal ones the
/// earlier method's, so that the source's order is left alone unless something gains.
pub fn place(flow: &Flow, options: &Options) -> Placement {
    let Options { algorithm, constraint, chip, knobs } = options;
    let scorer = Scorer::new(flow, knobs);
    let source = constraint.conform(flow, &flow.source_order());
    let source_score = scorer.score(&source);
    let mut best = Placement {
        order: source,
        score: source_score,
        source_score,
        method: Method::Source,
        optimal: false,
    };
    if flow.is_empty() || *algorithm == Algorithm::Source {
        return best;
    }
    let mut starts = Vec::new();
    let mut offer = |order: &[Node], method: Method, best: &mut Placement| {
        let order = constraint.conform(flow, order);
        let score = scorer.score(&order);
        starts.push((score, order.clone()));
        if score > best.score + 1e-9 {
            *best = Placement { order, score, source_score, method, optimal: false };
        }
    };
    let chained = chains(flow, knobs);
    offer(&chained, Method::Chains, &mut best);
    if knobs.alternative
        && let Some(other) = Evaluator::new(flow, knobs, *chip).propose(&chained)
    {
        offer(&other, Method::Evaluator, &mut best);
    }
    if *algorithm == Algorithm::Chain {
        return best;
    }
    offer(&ext_tsp(flow, knobs, &scorer, *constraint), Method::ExtTsp, &mut best);
    // Without the bound on densities small orders gain; large ones take twice the time for little.
    let unbounded = Knobs { density_ratio: f64::INFINITY, ..knobs.clone() };
    if knobs.density_ratio.is_finite() && flow.len() <= UNBOUNDED {
        offer(&ext_tsp(flow, &unbounded, &scorer, *constraint), Method::ExtTsp, &mut best);
    }
    starts.push((source_score, best.order.clone()));
    starts.sort_by(|a, b| b.0.total_cmp(&a.0));
    starts.dedup_by(|a, b| a.1 == b.1);
    let budget = knobs.effort.saturating_mul(flow.len() as u64);
    // Most of the work goes into the best beginning.
    for (at, (_, start)) in starts.iter().take(2).enumerate() {
        let share = if at == 0 { budget - budget / 4 } else { budget / 4 };
        let order = improve(flow, &scorer, *constraint, start, share);
        let score = scorer.score(&order);
        if score > best.score + 1e-9 {
            best = Placement { order, score, source_score, method: Method::Moves, optimal: false };
        }
    }
    if flow.len() <= knobs.exact_blocks {
        let found = exact(flow, &scorer, *constraint, &best.order, knobs.exact_steps);
        if found.score > best.score + 1e-9 {
            best = Placement { order: found.order, score: found.score, method: Method::Exact, ..best };
        }
        best.optimal = found.proved;
    }
    best
}
