//! `cargo xtask figures NAME`: a published figure, measured again.

mod binary;
mod chips;
mod code;
mod compile;
mod disasm;
mod errors;
mod execute;
mod first;
mod graph;
mod launch_bounds;
mod layout;
mod listing;
mod placement;
mod prove;
mod support;

use anyhow::{Result, bail};
use std::path::Path;

/// Measures the figure called `name` and prints JSON.
pub fn figures(root: &Path, name: &str) -> Result<()> {
    match name {
        "chips" => chips::chips(root),
        "code" => code::code(root),
        "compile" => compile::compile(root),
        "disasm" => disasm::disasm(root),
        "errors" => errors::errors(root),
        "errors-report" => errors::errors_report(root),
        "execute" => execute::execute(root),
        "executed" => code::executed(root),
        "first" => first::first(root),
        "graph" => graph::graph(root),
        "large" => code::large(root),
        "passes" => code::passes(root),
        "levels" => code::levels(root),
        "launch-bounds" => launch_bounds::launch_bounds(root),
        "layout" => layout::layout(root),
        "folding" => placement::placement(root, true),
        "phases" => placement::phases(root),
        "placement" => placement::placement(root, false),
        "prove" => prove::prove(root),
        "support" => support::support(root),
        _ => bail!(
            "no figure is called `{name}`; there are: chips, code, compile, disasm, errors, errors-report, execute, executed, first, folding, graph, large, launch-bounds, layout, levels, passes, phases, placement, prove, support"
        ),
    }
}
