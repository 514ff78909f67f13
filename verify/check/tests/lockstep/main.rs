//! The judge of convergence by running: the lanes that the source has together in lock step, the code has together.
//!
//! It knows nothing of barriers: the source runs in the lock step of `docs/convergence.md`, the code by C1 to C12 alone, in
//! orders in which groups meet nowhere but at barriers.

mod crossed;
mod graphs;
mod run;
mod spin;
mod twins;
mod waits;

use graphs::Rng;
use run::Together;
use std::collections::BTreeMap;

/// Orders in which groups at one position stay apart, BSSY keeps the lanes of other groups in its barrier, and BSYNC lets go late.
const APART: [u32; 4] = [2, 4, 7, 11];
/// Orders in which BSSY loses them, or BSYNC lets go early: there lanes may come apart, but all come to their ends.
const LOSING: [u32; 3] = [1, 3, 9];

/// How many graphs. All of them: `cargo xtask long trees`.
fn count() -> u64 {
    if std::env::var_os("SASSAFRAS_ALL_TREES").is_some() { 10_000 } else { 60 }
}

/// The seeds: those that are asked for, or the sample, which has the graphs of [`crossed`] in it.
fn seeds() -> Vec<u64> {
    let asked = std::env::var("SASSAFRAS_SEEDS").unwrap_or_default();
    match asked.split_once('-').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(from), Ok(to))) => (from..to).collect(),
        _ => (0..count()).chain(crossed::SEEDS.into_iter().filter(|&seed| seed >= count())).collect(),
    }
}

/// What the runs of graphs have shown.
#[derive(Default)]
struct Shown {
    tally: BTreeMap<(&'static str, bool, Together), usize>,
    wrong: Vec<String>,
    events: usize,
    selected: usize,
}

impl Shown {
    /// Runs a graph, compiled in both ways, on three inputs in all orders.
    fn run(&mut self, seed: u64) {
        let mut rng = Rng(seed);
        let shape = graphs::of_seed(&mut rng);
        let text = graphs::ptx(&shape);
        let module = sassafras_ptx::load(&text, "graph").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let reducible = graphs::reducible(&shape);
        let direct = run::compile(&text);
        let (tree, selects) = run::through_tree(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        self.selected += selects;
        for input in graphs::inputs(&mut rng) {
            let source = match run::source(&module, input) {
                Ok(source) => source,
                Err(why) => {
                    self.wrong.push(format!("seed {seed}, input {input}: the source: {why}"));
                    continue;
                }
            };
            self.events += source.iter().map(Vec::len).sum::<usize>();
            for (name, cubin) in [("directly", &direct), ("through the tree", &tree)] {
                let wrong = |order: u32, why: run::Failed| {
                    format!("seed {seed}, input {input}, {name}, order {order}: {why}")
                };
                for order in LOSING {
                    let ends = run::code(cubin, input, order);
                    if let Err(why) = ends.and_then(|code| Ok(run::same_ways(&source, &code)?)) {
                        self.wrong.push(wrong(order, why));
                    }
                }
                for order in APART {
                    let verdict =
                        run::code(cubin, input, order).and_then(|code| Ok(run::compare(&source, &code)?));
                    match verdict {
                        Ok(together) => *self.tally.entry((name, reducible, together)).or_default() += 1,
                        Err(why) => self.wrong.push(wrong(order, why)),
                    }
                }
            }
        }
    }

    fn assert_right(&self) {
        let wrong = &self.wrong;
        assert!(wrong.is_empty(), "{}", wrong.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn lanes_are_together_as_in_lock_step() {
    let (mut shown, seeds) = (Shown::default(), seeds());
    for &seed in &seeds {
        if seeds.len() == 1 {
            eprintln!("{}", graphs::outline(&graphs::of_seed(&mut Rng(seed))));
        }
        shown.run(seed);
    }
    let Shown { tally, wrong, events, selected } = &shown;
    for ((name, reducible, together), runs) in tally {
        eprintln!("{runs:7} runs {name}, {}reducible: {together:?}", if *reducible { "" } else { "ir" });
    }
    eprintln!("{events} events, {selected} trees with a selector, {} wrong", wrong.len());
    shown.assert_right();
    // A sample in which lanes are hardly ever apart, or trees plain, would show little.
    let mixed = *selected > 0 && tally.keys().any(|key| key.1) && tally.keys().any(|key| !key.1);
    assert!(mixed || seeds.len() == 1);
}

/// Who sees a planted fault.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    planted: usize,
    /// By running, and by the judge that looks at every path.
    both: usize,
    /// By running alone.
    running: usize,
    /// By the judge alone: it makes no difference to these lanes on these inputs.
    paths: usize,
    /// By nobody: the meeting place is one at which no lanes are apart, on any path.
    none: usize,
}

/// What a fault of convergence does to lanes that run is seen by running them, and the judge of paths sees whatever they see.
#[test]
fn faults_of_convergence_are_seen() {
    const FAULTS: [&str; 5] =
        ["dropped-sync", "late-sync", "dropped-push", "dropped-break", "wrong-convergence-barrier"];
    let mut tally = FAULTS.map(|_| Seen::default());
    for seed in 0..(count() / 3).max(50) {
        let mut rng = Rng(seed ^ 0xfa17);
        let text = graphs::ptx(&graphs::random(&mut rng, 12));
        let module = sassafras_ptx::load(&text, "graph").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let inputs: Vec<u32> = (0..3).map(|_| rng.below(1 << 30) as u32).collect();
        for (fault, seen) in FAULTS.iter().zip(&mut tally) {
            let Some((cubin, objected)) = run::plant(&text, &format!("{fault}:{seed}")) else {
                continue;
            };
            seen.planted += 1;
            let right = inputs.iter().all(|&input| {
                let source = run::source(&module, input).unwrap_or_else(|why| panic!("{why}\n{text}"));
                APART.iter().all(|&order| {
                    let code = run::code(&cubin, input, order);
                    code.is_ok_and(|code| run::compare(&source, &code).is_ok())
                })
            });
            *match (right, objected) {
                (false, true) => &mut seen.both,
                (false, false) => &mut seen.running,
                (true, true) => &mut seen.paths,
                (true, false) => &mut seen.none,
            } += 1;
        }
    }
    for (fault, seen) in FAULTS.iter().zip(&tally) {
        eprintln!("{fault}: {seen:?}");
    }
    // Some change nothing: lanes that all go one way, or that an outer barrier brings together at the same place.
    let enough = |seen: &Seen| seen.planted >= 10 && 3 * (seen.both + seen.running) >= seen.planted;
    assert!(tally.iter().all(enough), "{tally:?}");
    assert!(
        tally.iter().all(|seen| seen.running == 0),
        "the judge of paths misses what lanes show: {tally:?}"
    );
}

/// The kernels of the corpus become trees, and code again.
#[test]
fn programs_become_trees() {
    let root = sassafras_reference::workspace_root();
    let (mut made, mut selected) = (0, 0);
    for kernel in sassafras_reference::kernels(&root).expect("the corpus reads") {
        let text = std::fs::read_to_string(&kernel.ptx).expect("the program reads");
        match run::through_tree(&text) {
            Ok((cubin, selects)) => {
                made += cubin.functions.len();
                selected += selects;
            }
            Err(why) => panic!("{}: {why}", kernel.name),
        }
    }
    eprintln!("{made} functions became trees, {selected} with a selector");
    assert!(made > 20, "{made}");
}
