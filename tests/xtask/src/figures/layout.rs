//! `figures layout`: orders of blocks on random graphs, scores against the source's order, chains and the best orders there are, and time as graphs grow.

use crate::process::{cargo, run};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Blocks of the graphs, least and most, and how many graphs.
const SIZES: [(u32, u32); 3] = [(4, 9), (10, 60), (60, 200)];
const GRAPHS: u32 = 500;
/// The seed of the first size; each further size has the next.
const SEED: u32 = 7001;
/// Blocks of the graphs whose time is taken.
const GROWTH: [u32; 5] = [100, 300, 1_000, 3_000, 10_000];

/// Measures and prints one JSON record.
pub fn layout(root: &Path) -> Result<()> {
    let place = example(root)?;
    let mut scores = Vec::new();
    for ((least, most), seed) in SIZES.into_iter().zip(SEED..) {
        let words = [least, most, GRAPHS, seed].map(|number| number.to_string());
        let record = answer(Command::new(&place).arg("graphs").args(&words))?;
        let number = |name: &str| record[name].as_f64().unwrap_or(f64::NAN);
        scores.push(json!({
            "blocks": [least, most], "seed": seed, "graphs": GRAPHS,
            "best_to_source": number("best") / number("source"),
            "best_to_chains": number("best") / number("chains"),
            "best_to_ext_tsp": number("best") / number("ext_tsp"),
            "best_to_optimum": if number("optimum") > 0.0 { json!(number("best") / number("optimum")) } else { Value::Null },
            "shown_optimal": record["optimal"], "below_source": record["below_source"],
            "methods": record["methods"], "ms_each": record["ms_each"], "ms_longest": record["ms_longest"],
        }));
    }
    let grow = |blocks: &u32| answer(Command::new(&place).args(["grow", &blocks.to_string(), "1"]));
    let growth = GROWTH.iter().map(grow).collect::<Result<Vec<_>>>()?;
    let record = json!({ "schema": 1, "figure": "layout", "scores": scores, "growth": growth });
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

fn answer(command: &mut Command) -> Result<Value> {
    let out = command.output()?;
    if !out.status.success() {
        bail!("{}", String::from_utf8_lossy(&out.stderr));
    }
    Ok(serde_json::from_slice(&out.stdout)?)
}

/// Builds the measuring program of the placement crate.
fn example(root: &Path) -> Result<PathBuf> {
    let words = ["build", "--quiet", "--release", "--package", "sassafras-placement", "--example", "place"];
    if run(&mut cargo(root, &words))? != Some(0) {
        bail!("the build failed");
    }
    let out = cargo(root, &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&out.stdout)?;
    let target = metadata["target_directory"].as_str().context("cargo metadata names the target folder")?;
    Ok(Path::new(target).join("release/examples/place"))
}
