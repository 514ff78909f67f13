//! Text of graphs and orders.

use super::named::Named;
use crate::{Kind, Node};

/// Writes cfg-order-v1: one line for each graph, in the order given.
pub fn write<'a>(solver: &str, orders: impl IntoIterator<Item = (&'a str, &'a [Node])>) -> String {
    let lines = orders.into_iter().map(|(name, order)| {
        let numbers: Vec<String> = order.iter().map(|node| node.0.to_string()).collect();
        format!("{}: [{}]", text(name), numbers.join(", "))
    });
    let lines: Vec<String> = lines.collect();
    let orders = if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{}\n}}", lines.join(",\n")) };
    format!("{{\"format\": \"cfg-order-v1\", \"solver\": {}, \"orders\": {orders}}}\n", text(solver))
}

/// Writes cfg-layout-v1: one line for each block and each edge. Counts are there if frequencies were counted; of flags, regions and hints nothing is written.
pub fn write_graphs(graphs: &[Named]) -> String {
    let graphs: Vec<String> = graphs.iter().map(graph).collect();
    format!("{{\"format\": \"cfg-layout-v1\", \"graphs\": [{}]}}\n", graphs.join(","))
}

fn graph(named: &Named) -> String {
    let flow = &named.flow;
    let count = |frequency: f64| match flow.profile() {
        true => format!(", \"count\": {}", frequency as u64),
        false => String::new(),
    };
    let blocks = flow.nodes().map(|node| {
        let block = flow.block(node);
        format!("    {{\"id\": {}, \"size\": {}{}}}", node.0, block.size, count(block.frequency))
    });
    let edges = flow.edges().iter().map(|edge| {
        let kind = match edge.kind {
            Kind::FallThrough => "fall-through",
            Kind::Conditional => "conditional",
            Kind::Unconditional => "unconditional",
            Kind::Indirect => "indirect",
        };
        let ends = format!("\"src\": {}, \"dst\": {}", edge.from.0, edge.to.0);
        format!("    {{{ends}, \"kind\": \"{kind}\"{}}}", count(edge.frequency))
    });
    let list = |lines: Vec<String>| match lines.is_empty() {
        true => "[]".to_owned(),
        false => format!("[\n{}]", lines.join(",\n")),
    };
    let entry = sassafras_graph::ControlFlow::entry(flow).0;
    let code = named.code.map_or(String::new(), |code| format!(" \"code\": \"{code:016x}\","));
    format!(
        "\n  {{\"name\": {},{code} \"entry\": {entry}, \"blocks\": {}, \"edges\": {}}}",
        text(&named.name),
        list(blocks.collect()),
        list(edges.collect())
    )
}

fn text(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}
