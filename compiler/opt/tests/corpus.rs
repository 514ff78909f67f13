//! Every PTX file of the corpus becomes selectable, and every pass leaves the function in SSA form.

use sassafras_graph::{ControlFlow, Dominators, Entity};
use sassafras_ir::{Function, ValueDef};
use sassafras_opt::{Level, pipeline};
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            found.push(path);
        }
    }
}

/// The first breach of SSA form, if there is one: a use that its definition does not dominate, or edges that do not fit.
fn breach(f: &Function) -> Option<String> {
    let dominators = Dominators::new(&f.graph());
    // By value: the block and the position after which it is there.
    let mut place = vec![None; f.values.len()];
    for (block, data) in f.blocks.iter() {
        for (i, &v) in data.params.iter().enumerate() {
            if f.values[v].def != ValueDef::Param(block, i as u16) {
                return Some(format!("{v} is not parameter {i} of {block}"));
            }
            place[v.index()] = Some((block, 0));
        }
        for (at, &inst) in data.insts.iter().enumerate() {
            for &v in &f.insts[inst].results {
                place[v.index()] = Some((block, at + 1));
            }
        }
    }
    let mut problem = None;
    for block in f.reverse_post_order() {
        let data = &f.blocks[block];
        let mut check = |v: sassafras_ir::Value, at: usize, user: String| {
            let good = match place[v.index()] {
                None => false,
                Some((from, after)) if from == block => after <= at,
                Some((from, _)) => dominators.dominates(from, block),
            };
            if !good && problem.is_none() {
                problem = Some(format!("{v} is used by {user} in {block} without a definition before"));
            }
        };
        for (at, &inst) in data.insts.iter().enumerate() {
            f.insts[inst].for_each_use(|v| check(v, at, format!("{:?}", f.insts[inst].op)));
        }
        data.terminator.for_each_use(|v| check(v, usize::MAX, "the terminator".into()));
        for edge in data.terminator.edges() {
            let params = &f.blocks[edge.block].params;
            let types = |vs: &[sassafras_ir::Value]| vs.iter().map(|&v| f.ty(v)).collect::<Vec<_>>();
            if types(params) != types(&edge.args) {
                return Some(format!("the edge from {block} to {} does not fit", edge.block));
            }
        }
    }
    let _ = f.entry();
    problem
}

#[test]
fn every_file_becomes_selectable() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    files(&corpus.join("kernels"), &mut found);
    files(&corpus.join("features"), &mut found);
    assert!(!found.is_empty(), "no PTX below {}", corpus.display());
    let mut problems = Vec::new();
    let mut kernels = 0;
    for path in &found {
        let text = std::fs::read_to_string(path).expect("a corpus file is text");
        let name = path.strip_prefix(&corpus).unwrap_or(path).display().to_string();
        let Ok(module) = sassafras_ptx::load(&text, &name) else { continue };
        let Ok(ir) = sassafras_lower::lower(&module, &Default::default()) else { continue };
        for function in &ir.functions {
            for level in [Level::O0, Level::O1, Level::O2, Level::O3] {
                let mut function = function.clone();
                if let Some(problem) = breach(&function) {
                    problems.push(format!("{name}: lowered: {problem}"));
                    break;
                }
                let result = pipeline(&mut function, level, &mut |pass, f, _| {
                    if let Some(problem) = breach(f) {
                        problems.push(format!("{name}: after {pass}: {problem}"));
                    }
                });
                if let Err(refused) = result {
                    problems.extend(refused.iter().map(|r| format!("{name}: {r}")));
                }
                kernels += 1;
            }
        }
    }
    eprintln!("{kernels} runs of the pipeline");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
