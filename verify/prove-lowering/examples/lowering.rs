//! Lowers the programs of a folder and proves each entry: `lowering FOLDER [FAULT[:SEED]]`. Prints each verdict, and how many there are of each. What is
//! proved with a fault has to be the same on the launches that both executors run.

use sassafras_driver::plant::named;
use sassafras_prove_lowering::{Verdict, prove};
use sassafras_solve::limit::Limits;
use sassafras_solve::solver::{NoSolver, Solver};
use std::collections::BTreeMap;

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "corpus/features".into());
    let fault = words.next().and_then(|w| named(&w).ok());
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let here = std::env::current_dir().unwrap_or_default();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut seconds = 0.0;
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let Ok(ptx) = sassafras_ptx::load(&text, &name) else { continue };
        let options = sassafras_lower::Options::default();
        let Ok(mut ir) = sassafras_lower::lower(&ptx, &options) else { continue };
        if fault.is_some_and(|f| !f.in_ir(&mut ir)) {
            continue;
        }
        for f in &ir.functions {
            let mut solver = sassafras_solve::solver::Z3::find(&[here.as_path()], 3, 60)
                .map_or_else(|| Box::new(NoSolver) as Box<dyn Solver>, |z3| Box::new(z3) as Box<dyn Solver>);
            let Some(record) = prove(&ptx, &ir, &f.name, &mut *solver, Limits::default()) else {
                continue;
            };
            seconds += record.seconds;
            let (word, why) = match &record.verdict {
                Verdict::Proved => ("proved".to_owned(), String::new()),
                Verdict::ProvedWithin(n) => (format!("proved within {n}"), String::new()),
                Verdict::Refuted(found) => ("refuted".to_owned(), found.to_string()),
                Verdict::Unknown(why) => (format!("unknown ({})", why.kind()), why.to_string()),
            };
            println!("{name} {}: {word} {:.3} s {why}", f.name, record.seconds);
            if fault.is_some() && word.starts_with("proved") {
                let found = sassafras_judge_lowering::judge(&ptx, &ir, &f.name);
                if let Some(sassafras_judge_lowering::Finding::Differs(found)) = found {
                    println!("CONTRADICTION: {name} {}: {found}", f.name);
                    *counts.entry("contradictions".to_owned()).or_default() += 1;
                }
            }
            *counts.entry(word).or_default() += 1;
        }
    }
    for (word, n) in &counts {
        println!("{n:5} {word}");
    }
    println!("{seconds:.1} s");
}
