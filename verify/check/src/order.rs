//! The judge of an order of blocks (`sassafras_placement`): written from what an order is, without anything that makes one.
//!
//! It reads the flow's blocks and edges. That every block is there once and the entry first is what the code's meaning rests on; the other
//! rules are what placement promises. The score is summed up anew, edge by edge.

use crate::rules::Rule;
use crate::{Finding, Verdict};
use sassafras_graph::ControlFlow;
use sassafras_placement::{Constraint, Ending, Flow, Kind, Knobs, Node};

/// Judges that an order holds each block once, the entry first, and keeps what is fixed and what was asked.
pub fn check_order(flow: &Flow, order: &[Node], constraint: Constraint) -> Verdict {
    let mut found = Vec::new();
    let mut object = |rule: Rule, place: String, message: String| {
        found.push(Finding { rule: rule.id(), place, message });
    };
    let mut times = vec![0u32; flow.len()];
    for (place, node) in order.iter().enumerate() {
        match times.get_mut(node.0 as usize) {
            None => object(Rule::OrderBlock, format!("place {place}"), format!("{node} is no block")),
            Some(count) => {
                *count += 1;
                if *count == 2 {
                    object(Rule::OrderBlock, format!("place {place}"), format!("{node} is there twice"));
                }
            }
        }
    }
    for (at, _) in times.iter().enumerate().filter(|&(_, &count)| count == 0) {
        object(Rule::OrderBlock, Node(at as u32).to_string(), "it is missing".into());
    }
    if !flow.is_empty() && order.first() != Some(&flow.entry()) {
        let message = format!("the entry, {}, does not stand here", flow.entry());
        object(Rule::OrderEntry, "place 0".into(), message);
    }
    // What follows speaks of orders that hold each block once.
    if !found.is_empty() {
        return Verdict::of(found, Vec::new());
    }
    for (place, &node) in order.iter().enumerate() {
        let block = flow.block(node);
        let mut falls = flow.outgoing(node).filter(|edge| edge.kind == Kind::FallThrough);
        let behind = order.get(place + 1);
        if block.fixed
            && let Some(edge) = falls.next()
            && behind != Some(&edge.to)
        {
            let message = format!("its end is fixed, and {} does not stand behind it", edge.to);
            found.push(Finding { rule: Rule::OrderFixed.id(), place: node.to_string(), message });
        }
        if constraint == Constraint::ColdLast
            && block.cold
            && node != flow.entry()
            && let Some(&behind) = behind
            && !flow.block(behind).cold
        {
            let message = format!("it is cold, and {behind} behind it is not");
            found.push(Finding { rule: Rule::OrderCold.id(), place: node.to_string(), message });
        }
    }
    if constraint == Constraint::Contiguous {
        for region in 0..flow.region_count() as u32 {
            let within = |node: &Node| flow.regions_of(*node).contains(&region);
            let first = order.iter().position(within);
            let last = order.iter().rposition(within);
            let (Some(first), Some(last)) = (first, last) else { continue };
            if let Some(node) = order[first..=last].iter().find(|node| !within(node)) {
                let message = format!("{node} stands within it");
                found.push(Finding {
                    rule: Rule::OrderRegion.id(),
                    place: format!("region {region}"),
                    message,
                });
            }
        }
    }
    Verdict::of(found, Vec::new())
}

/// Judges a score that is claimed of an order, and that it is not below that of the source, made to keep the constraint.
pub fn check_score(flow: &Flow, knobs: &Knobs, order: &[Node], source: &[Node], claimed: f64) -> Verdict {
    let truth = score(flow, knobs, order);
    let before = score(flow, knobs, source);
    let slack = 1e-9 * (1.0 + truth.abs() + before.abs());
    let mut found = Vec::new();
    let mut object = |message: String| {
        found.push(Finding { rule: Rule::OrderScore.id(), place: "the order".into(), message });
    };
    if (truth - claimed).abs() > slack {
        object(format!("its score is {truth}, not {claimed}"));
    }
    if truth < before - slack {
        object(format!("its score is {truth}, and that of the source's order is {before}"));
    }
    Verdict::of(found, Vec::new())
}

/// The ext-TSP score by its definition, with floating-point rounding.
fn score(flow: &Flow, knobs: &Knobs, order: &[Node]) -> f64 {
    let start = |wanted: Node| -> u64 {
        order.iter().take_while(|&&node| node != wanted).map(|&node| flow.block(node).size).sum()
    };
    let mut sum = 0.0;
    for edge in flow.edges() {
        let alone = flow.outgoing(edge.from).count() < 2;
        let weight = |conditional: f64, other: f64| if alone { other } else { conditional };
        let end = start(edge.from) + flow.block(edge.from).size;
        let target = start(edge.to);
        let (distance, most, weight) = if end == target {
            sum += edge.frequency * weight(knobs.fall_conditional, knobs.fall_unconditional);
            continue;
        } else if end < target {
            let weight = weight(knobs.forward_conditional, knobs.forward_unconditional);
            (target - end, knobs.forward_distance, weight)
        } else {
            let weight = weight(knobs.backward_conditional, knobs.backward_unconditional);
            (end - target, knobs.backward_distance, weight)
        };
        if distance < most {
            sum += edge.frequency * weight * (1.0 - distance as f64 / most as f64);
        }
    }
    sum
}

/// Judges that every block's end leads to exactly its successors, that what falls through stands behind it, and that no branch leads to what
/// does.
pub fn check_endings(flow: &Flow, order: &[Node], endings: &[Ending]) -> Verdict {
    let mut found = Vec::new();
    let mut object = |node: Node, message: String| {
        found.push(Finding { rule: Rule::OrderEnding.id(), place: node.to_string(), message });
    };
    if order.len() != endings.len() {
        let message = format!("{} blocks and {} ends", order.len(), endings.len());
        found.push(Finding { rule: Rule::OrderEnding.id(), place: "the order".into(), message });
        return Verdict::of(found, Vec::new());
    }
    for (place, (&node, ending)) in order.iter().zip(endings).enumerate() {
        let behind = order.get(place + 1).copied();
        let (falls, jumps): (Option<Node>, Vec<Node>) = match ending {
            Ending::Leaves => (None, vec![]),
            Ending::Falls(to) => (Some(*to), vec![]),
            Ending::Jumps(to) => (None, vec![*to]),
            Ending::Branches { taken, falls, .. } => (Some(*falls), vec![*taken]),
            Ending::BranchesAndJumps { taken, otherwise, .. } => (None, vec![*taken, *otherwise]),
            // What nobody rewrites has its branches already.
            Ending::Computed(to) | Ending::Fixed(to) => {
                same(flow, node, to.clone(), &mut object);
                continue;
            }
        };
        if falls.is_some() && falls != behind {
            object(node, "what it falls into does not stand behind it".into());
        }
        if jumps.iter().any(|&to| Some(to) == behind) {
            object(node, "it branches to what stands behind it".into());
        }
        same(flow, node, falls.into_iter().chain(jumps).collect(), &mut object);
        // The condition: the source's branch is the conditional edge, of two such edges the first.
        let branch = flow.outgoing(node).find(|edge| edge.kind == Kind::Conditional);
        let branch = branch.or_else(|| flow.outgoing(node).next()).map(|edge| edge.to);
        if let Ending::Branches { taken, reversed, .. } | Ending::BranchesAndJumps { taken, reversed, .. } =
            ending
            && (Some(*taken) == branch) == *reversed
        {
            object(node, "its condition is turned around, and its branch is not, or the other way".into());
        }
    }
    Verdict::of(found, Vec::new())
}

fn same(flow: &Flow, node: Node, mut to: Vec<Node>, object: &mut impl FnMut(Node, String)) {
    let mut succs: Vec<Node> = flow.outgoing(node).map(|edge| edge.to).collect();
    succs.sort_unstable();
    to.sort_unstable();
    if succs != to {
        object(node, format!("its end leads to {to:?}, and its successors are {succs:?}"));
    }
}
