//! `sassafras layout`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use sassafras_check::order::{check_endings, check_order, check_score};
use sassafras_placement::{Algorithm, Constraint, Knobs, Options, Placement, TABLE, endings, format, place};
use serde_json::json;

use super::Context;
use crate::plural::count;
use crate::{Exit, Failure, files};

/// `--algorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// The order of the source.
    Source,
    /// Chains along likely edges.
    Chain,
    /// The best of all methods by ext-TSP score.
    ExtTsp,
}

impl Choice {
    fn name(self) -> &'static str {
        match self {
            Choice::Source => "source",
            Choice::Chain => "chain",
            Choice::ExtTsp => "ext-tsp",
        }
    }
}

/// Order the blocks of graphs.
#[derive(Args)]
pub struct Layout {
    /// Graphs, as cfg-layout-v1; - is standard input.
    #[arg(required_unless_present = "list_knobs")]
    input: Option<PathBuf>,
    /// The orders, as cfg-order-v1; standard output without it, and for -.
    #[arg(short, long, value_name = "FILE", conflicts_with = "list_knobs")]
    output: Option<PathBuf>,
    /// Judges the orders of this file, as cfg-order-v1, in place of making any.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "algorithm", "knobs", "list_knobs"])]
    judge: Option<PathBuf>,
    /// Which methods are asked.
    #[arg(long, value_enum, default_value = "ext-tsp")]
    algorithm: Choice,
    /// The blocks of a structured region stand together; cold blocks then stay where their regions are.
    #[arg(long)]
    contiguous: bool,
    /// Sets a knob, as NAME=VALUE.
    #[arg(long = "knob", value_name = "NAME=VALUE")]
    knobs: Vec<String>,
    /// Lists the knobs with their defaults.
    #[arg(long, conflicts_with_all = ["input", "algorithm", "contiguous", "knobs"])]
    list_knobs: bool,
}

pub(super) fn run(arguments: &Layout, context: &Context) -> Result<Exit, Failure> {
    if arguments.list_knobs {
        list(context);
        return Ok(Exit::Done);
    }
    let mut knobs = Knobs::default();
    for knob in &arguments.knobs {
        let (name, value) = knob
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("`{knob}` is no knob with a value: NAME=VALUE")))?;
        knobs.set(name, value).map_err(Failure::usage)?;
    }
    let Some(input) = &arguments.input else {
        return Err(Failure::usage("an input is needed"));
    };
    let text = files::read_text(input)?;
    let mut graphs = match format::read(&text) {
        Ok(graphs) => graphs,
        Err(wrong) => return Ok(refuse(&input.display().to_string(), &wrong, context)),
    };
    let algorithm = match arguments.algorithm {
        _ if knobs.disable => Algorithm::Source,
        Choice::Source => Algorithm::Source,
        Choice::Chain => Algorithm::Chain,
        Choice::ExtTsp => Algorithm::ExtTsp,
    };
    let constraint = if arguments.contiguous { Constraint::Contiguous } else { Constraint::ColdLast };
    if let Some(orders) = &arguments.judge {
        return others(&graphs, orders, constraint, context);
    }
    let standard = PathBuf::from("-");
    let output = arguments.output.as_ref().unwrap_or(&standard);
    if knobs.for_size {
        graphs.iter_mut().for_each(|graph| graph.flow = graph.flow.counted_once());
    }
    let options = Options { algorithm, constraint, knobs, ..Options::default() };
    let mut placed = Vec::with_capacity(graphs.len());
    for graph in &graphs {
        let placement = place(&graph.flow, &options);
        judge(graph, &options, &placement)?;
        placed.push(placement);
    }
    let orders = graphs.iter().zip(&placed).map(|(graph, placed)| (graph.name.as_str(), &placed.order[..]));
    files::write(output, format::write(arguments.algorithm.name(), orders).as_bytes())?;
    let on_output = output.as_os_str() == "-";
    if context.json && !on_output {
        let rows = graphs.iter().zip(&placed).map(|(graph, placed)| {
            json!({ "name": graph.name, "blocks": graph.flow.len(), "score": placed.score,
                "source_score": placed.source_score, "method": format!("{:?}", placed.method),
                "optimal": placed.optimal })
        });
        let rows: Vec<_> = rows.collect();
        files::print(&format!("{}\n", json!({ "schema": 1, "exit": 0, "diagnostics": [], "graphs": rows })));
    } else if !context.quiet && !on_output {
        let better = placed.iter().filter(|placed| placed.score > placed.source_score).count();
        let optimal = placed.iter().filter(|placed| placed.optimal).count();
        let sum = |of: fn(&Placement) -> f64| placed.iter().map(of).sum::<f64>();
        files::print(&format!(
            "{}: {better} better than the source's order, {optimal} shown to be the best; score {:.3}, the source's {:.3}\n",
            count(placed.len(), "graph"),
            sum(|placed| placed.score),
            sum(|placed| placed.source_score),
        ));
    }
    Ok(Exit::Done)
}

/// The judge's word on orders that somebody else has made.
fn others(
    graphs: &[format::Named],
    path: &Path,
    constraint: Constraint,
    context: &Context,
) -> Result<Exit, Failure> {
    let name = path.display().to_string();
    let orders = match format::read_orders(&files::read_text(path)?) {
        Ok(orders) => orders,
        Err(wrong) => return Ok(refuse(&name, &wrong, context)),
    };
    let mut found = Vec::new();
    for graph in graphs {
        let verdict = match orders.get(&graph.name) {
            Some(order) => check_order(&graph.flow, order, constraint),
            None => {
                return Err(Failure::wrong(format!("{name}: there is no order of graph `{}`", graph.name)));
            }
        };
        found.extend(verdict.objections().iter().map(|finding| format!("graph `{}`: {finding}", graph.name)));
    }
    if let Some(other) = orders.keys().find(|name| graphs.iter().all(|graph| graph.name != **name)) {
        return Err(Failure::wrong(format!("{name}: there is no graph `{other}`")));
    }
    if context.json {
        let exit = if found.is_empty() { 0 } else { 10 };
        files::print(&format!(
            "{}\n",
            json!({ "schema": 1, "exit": exit, "diagnostics": [], "findings": found })
        ));
    } else {
        found.iter().for_each(|text| files::print(&format!("{name}: objection: {text}\n")));
        if found.is_empty() && !context.quiet {
            files::print(&format!("{name}: {}, no objection\n", count(graphs.len(), "order")));
        }
    }
    Ok(if found.is_empty() { Exit::Done } else { Exit::Refuted })
}

/// The judge's word on an order; the score is summed up anew for graphs for which that takes no time to speak of.
fn judge(graph: &format::Named, options: &Options, placed: &Placement) -> Result<(), Failure> {
    let flow = &graph.flow;
    let mut verdict = check_order(flow, &placed.order, options.constraint).and(check_endings(
        flow,
        &placed.order,
        &endings(flow, &placed.order),
    ));
    if flow.len() <= 1000 {
        let source = options.constraint.conform(flow, &flow.source_order());
        verdict = verdict.and(check_score(flow, &options.knobs, &placed.order, &source, placed.score));
    }
    match verdict.objections().first() {
        None => Ok(()),
        Some(finding) => Err(Failure::objection(format!("graph `{}`: {finding}", graph.name))),
    }
}

/// Tells what is wrong with an input.
fn refuse(name: &str, wrong: &format::Wrong, context: &Context) -> Exit {
    if context.json {
        let record =
            json!({ "code": "C0006", "line": wrong.line, "column": wrong.column, "message": wrong.message });
        files::print(&format!("{}\n", json!({ "schema": 1, "exit": 1, "diagnostics": [record] })));
    } else {
        eprintln!("{name}:{wrong} [C0006]");
    }
    Exit::Wrong
}

fn list(context: &Context) {
    if context.json {
        let rows: Vec<_> = TABLE
            .iter()
            .map(|knob| json!({ "name": knob.name, "default": knob.default, "what": knob.what }))
            .collect();
        files::print(&format!("{}\n", json!({ "schema": 1, "exit": 0, "knobs": rows })));
        return;
    }
    for knob in TABLE {
        files::print(&format!("{} = {}: {}\n", knob.name, knob.default, knob.what));
    }
}
