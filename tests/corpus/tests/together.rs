//! Lanes stepped together leave what they leave stepped one after the other: every program of the corpus, in both executors.

use sassafras_corpus::{Program, compile, prepare, programs};
use sassafras_execute::{Approx, Failure, Launch, Options, Outcome, ptx, sass};
use sassafras_oracle::workspace_root;

/// Lanes stepped together leave something else than one by one.
#[derive(Debug)]
struct Difference {
    order: u32,
    together: String,
    apart: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "order {}: together {}; apart {}", self.order, self.together, self.apart)
    }
}

/// Runs in two ways; what differs.
fn both(run: impl Fn(&Options) -> Result<Outcome, Failure>) -> Result<(), Difference> {
    for (order, approx, seed) in [(0, Approx::Nearest, 0), (1, Approx::Low, 3), (5, Approx::High, 1)] {
        let options = |one_by_one| Options { order, approx, seed, one_by_one, ..Options::default() };
        let (together, apart) = (run(&options(false)), run(&options(true)));
        let same = match (&together, &apart) {
            (Ok(a), Ok(b)) => {
                (&a.buffers, &a.calls, a.steps, a.lane_steps, &a.rests, &a.open)
                    == (&b.buffers, &b.calls, b.steps, b.lane_steps, &b.rests, &b.open)
                    && a.coverage == b.coverage
            }
            (Err(a), Err(b)) => a == b,
            _ => false,
        };
        if !same {
            let tell = |r: &Result<Outcome, Failure>| match r {
                Ok(o) => format!("{} instructions, {} of lanes, rests {:?}", o.steps, o.lane_steps, o.rests),
                Err(e) => e.to_string(),
            };
            return Err(Difference { order, together: tell(&together), apart: tell(&apart) });
        }
    }
    Ok(())
}

fn examine(program: &Program) -> Vec<String> {
    let Some(from) = program.launches.first() else { return Vec::new() };
    let mut faults = Vec::new();
    let mut hold = |what: &str,
                    launch: Result<Launch, Failure>,
                    run: &dyn Fn(&Launch, &Options) -> Result<Outcome, Failure>| {
        let said =
            launch.map_err(|e| e.to_string()).and_then(|l| both(|o| run(&l, o)).map_err(|e| e.to_string()));
        faults.extend(said.err().map(|why| format!("{} {what}: {why}", program.name)));
    };
    if let Ok(module) = sassafras_ptx::load(&program.text, &program.name) {
        hold("ptx", prepare(from, &ptx::layout(&module, &from.entry)), &|l, o| {
            ptx::run(&module, &from.entry, l, o)
        });
    }
    let recorded = program.recorded(&workspace_root()).and_then(|bytes| sassafras_cubin::read(&bytes).ok());
    let ours = compile(program).ok().map(|(cubin, _)| cubin);
    for (what, cubin) in [("ours", ours), ("ptxas", recorded)] {
        if let Some(cubin) = cubin {
            hold(what, prepare(from, &sass::layout(&cubin, &from.entry)), &|l, o| {
                sass::run(&cubin, &from.entry, l, o)
            });
        }
    }
    faults
}

#[test]
fn lanes_together_are_lanes_one_by_one() {
    let whole = std::env::var_os("CORPUS_FULL").is_some();
    let all = programs(&workspace_root()).expect("the corpus is there");
    let some: Vec<&Program> = all.iter().step_by(if whole { 1 } else { 5 }).collect();
    assert!(some.len() > 50, "{}", some.len());
    let faults: Vec<String> = some.iter().flat_map(|p| examine(p)).collect();
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), some.len(), faults.join("\n"));
}
