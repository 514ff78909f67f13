//! Places the graphs of a file of cfg-layout-v1 and tells scores; for measurements (`cargo xtask figures layout`).
//!
//! `place graphs BLOCKS-LEAST BLOCKS-MOST COUNT SEED` and `place grow BLOCKS SEED` generate graphs; `place file IN OUT` reads them.
//! Prints JSON.

use sassafras_placement::{
    Algorithm, Constraint, Flow, Knobs, Node, Options, Scorer, chains, exact, ext_tsp, format, generate,
    place,
};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<usize>().expect("a number");
    match words[..] {
        ["graphs", least, most, count, seed] => {
            let (least, most, seed) = (number(least), number(most), number(seed) as u64);
            let mut random = generate::Random::new(seed);
            let mut graphs = Vec::new();
            let mut at = seed * 1_000_000;
            while graphs.len() < number(count) {
                let size = least + random.below((most - least + 1) as u64) as usize;
                let graph = generate::graph(size, at);
                // A structured one may come out larger.
                if (least..=most).contains(&graph.len()) {
                    graphs.push(graph);
                }
                at += 1;
            }
            summary(&graphs);
        }
        ["grow", blocks, seed] => grow(number(blocks), number(seed) as u64),
        ["file", input, output] => {
            let text = std::fs::read_to_string(input).expect("a file");
            let graphs = format::read(&text).expect("cfg-layout-v1");
            let flows: Vec<Flow> = graphs.iter().map(|graph| graph.flow.clone()).collect();
            let orders = summary(&flows);
            let named = graphs.iter().zip(&orders).map(|(graph, order)| (graph.name.as_str(), &order[..]));
            std::fs::write(output, format::write("ext-tsp", named)).expect("a file");
        }
        _ => panic!("graphs LEAST MOST COUNT SEED, grow BLOCKS SEED, or file IN OUT"),
    }
}

/// Scores of all methods over many graphs, and the best orders.
fn summary(graphs: &[Flow]) -> Vec<Vec<Node>> {
    let knobs = Knobs::default();
    let options = Options { constraint: Constraint::None, ..Options::default() };
    let (mut source, mut chained, mut merged, mut best, mut optimum) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let (mut below, mut optimal, mut small, mut seconds, mut longest) = (0, 0, 0, 0.0f64, 0.0f64);
    let mut methods = std::collections::BTreeMap::<String, usize>::new();
    let mut orders = Vec::new();
    for flow in graphs {
        let scorer = Scorer::new(flow, &knobs);
        let start = Instant::now();
        let placed = place(flow, &options);
        let taken = start.elapsed().as_secs_f64();
        seconds += taken;
        longest = longest.max(taken);
        source += placed.source_score;
        chained += scorer.score(&chains(flow, &knobs));
        merged += scorer.score(&ext_tsp(flow, &knobs, &scorer, Constraint::None));
        best += placed.score;
        below += usize::from(placed.score < placed.source_score - 1e-6);
        *methods.entry(format!("{:?}", placed.method)).or_default() += 1;
        if flow.len() <= 9 {
            let found = exact(flow, &scorer, Constraint::None, &flow.source_order(), u64::MAX - 1);
            small += 1;
            optimum += found.score;
            optimal += usize::from(placed.score >= found.score - 1e-6 && found.proved && placed.optimal);
        }
        orders.push(placed.order);
    }
    println!(
        "{{\"graphs\":{},\"source\":{source},\"chains\":{chained},\"ext_tsp\":{merged},\"best\":{best},\"below_source\":{below},\"exact_graphs\":{small},\"optimum\":{optimum},\"optimal\":{optimal},\"ms_each\":{},\"ms_longest\":{},\"methods\":{methods:?}}}",
        graphs.len(),
        1e3 * seconds / graphs.len() as f64,
        1e3 * longest,
    );
    orders
}

/// The time of one large graph, by all methods and by chains alone.
fn grow(blocks: usize, seed: u64) {
    let flow = generate::graph(blocks, seed);
    let mut times = Vec::new();
    let knobs = Knobs::default();
    let scorer = Scorer::new(&flow, &knobs);
    let start = Instant::now();
    let merged = ext_tsp(&flow, &knobs, &scorer, Constraint::default());
    let merging = 1e3 * start.elapsed().as_secs_f64();
    assert_eq!(merged.len(), flow.len());
    for algorithm in [Algorithm::Chain, Algorithm::ExtTsp] {
        let options = Options { algorithm, ..Options::default() };
        let start = Instant::now();
        let placed = place(&flow, &options);
        times.push((1e3 * start.elapsed().as_secs_f64(), placed.score / placed.source_score));
    }
    println!(
        "{{\"blocks\":{},\"chain_ms\":{},\"chain_to_source\":{},\"merging_ms\":{merging},\"ext_tsp_ms\":{},\"ext_tsp_to_source\":{}}}",
        flow.len(),
        times[0].0,
        times[0].1,
        times[1].0,
        times[1].1
    );
}
