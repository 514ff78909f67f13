//! The PTX executor against the CPU references of the corpus, and against itself in other orders.

use sassafras_execute::{Approx, Argument, Failure, Launch, Options, Outcome, ptx};
use sassafras_ptx::checked::Module;
use sassafras_reference::{self as reference, Param, kernels, workspace_root};
use std::path::Path;
use std::sync::Mutex;

fn load(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).expect("a file of the corpus");
    let name = path.display().to_string();
    sassafras_ptx::load(&text, &name).unwrap_or_else(|e| panic!("{name}: {e:?}"))
}

fn launch(module: &Module, from: &reference::Launch) -> Launch {
    let argument = |p: &Param| match p {
        Param::Buffer(b) => Argument::Buffer(b.data.to_bytes()),
        Param::Scalar(s) => Argument::Value(s.bytes.clone()),
    };
    let arguments: Vec<Argument> = from.params.iter().map(argument).collect();
    let mut to = Launch::new(from.grid, from.block);
    to.dynamic_shared = from.shared;
    let layout = ptx::layout(module, &from.entry).expect("the entry");
    to.arguments(&layout, &arguments).expect("arguments that fit");
    to
}

/// The contents of parameter number `p` after a run; only buffers have any.
fn after(from: &reference::Launch, outcome: &Outcome, p: usize) -> Vec<u8> {
    let before = from.params[..p].iter().filter(|q| matches!(q, Param::Buffer(_))).count();
    outcome.buffers[before].clone()
}

/// Runs `work` on all items on all processors and gives every complaint.
fn all<T: Sync>(items: &[T], work: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let (next, wrong) = (Mutex::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                loop {
                    let i = {
                        let mut next = next.lock().expect("no panic holds it");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(i) else { break };
                    let found = work(item);
                    wrong.lock().expect("no panic holds it").extend(found);
                }
            });
        }
    });
    wrong.into_inner().expect("no panic holds it")
}

#[test]
fn kernels_agree_with_their_references() {
    let every = std::env::var_os("SASSAFRAS_ALL_ORDERS").is_some();
    let kernels = kernels(&workspace_root()).expect("the corpus");
    let wrong = all(&kernels, |k| {
        let module = load(&k.ptx);
        let mut wrong = Vec::new();
        for (i, l) in k.spec.launches().expect("launches").iter().enumerate() {
            let to = launch(&module, l);
            let expected = reference::reference(&k.name, l).expect("a reference");
            // Each launch in one order; all of them on request.
            let orders: Vec<u32> = if every { (0..8).collect() } else { vec![i as u32] };
            for order in orders {
                let options = Options { order, seed: u64::from(order), ..Options::default() };
                let start = std::time::Instant::now();
                let outcome = match ptx::run(&module, &l.entry, &to, &options) {
                    Ok(outcome) => outcome,
                    Err(e) => {
                        wrong.push(format!("{} {} order {order}: {e}", k.name, l.label));
                        continue;
                    }
                };
                if every {
                    eprintln!(
                        "{} {} order {order}: {} steps, {} lane steps, {:?}",
                        k.name,
                        l.label,
                        outcome.steps,
                        outcome.lane_steps,
                        start.elapsed()
                    );
                }
                for (p, data) in &expected {
                    let Param::Buffer(b) = &l.params[*p] else { continue };
                    let how = b.output.as_ref().expect("an output");
                    if let Err(e) = how.check(data.ty(), &data.to_bytes(), &after(l, &outcome, *p)) {
                        wrong.push(format!("{} {} order {order}: {}: {e}", k.name, l.label, b.name));
                    }
                }
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn features_run_and_do_not_depend_on_the_order() {
    let root = workspace_root();
    let spec = reference::corpus::feature_spec(&root).expect("launch.toml");
    let features = reference::corpus::features(&root).expect("features");
    let wrong = all(&features, |f| {
        let text = std::fs::read_to_string(&f.ptx).expect("a file of the corpus");
        let module = match sassafras_ptx::load(&text, &f.name) {
            Ok(module) => module,
            // 4: valid, but without a row yet.
            Err(e) if e.exit_code() == 4 => {
                eprintln!("skipped: {} has a form without a row", f.name);
                return Vec::new();
            }
            Err(_) => return vec![format!("{} is refused", f.name)],
        };
        let unmodelled =
            |inst: &sassafras_ptx::checked::Inst| inst.op == sassafras_ptx::checked::Op::Unmodelled;
        if module.functions.iter().filter_map(|f| f.insts.as_ref()).flatten().any(unmodelled) {
            eprintln!("skipped: {} has a form without a meaning", f.name);
            return Vec::new();
        }
        let mut wrong = Vec::new();
        for l in spec.launches().expect("launches") {
            let to = launch(&module, &l);
            // Where nothing is approximate, the chooser decides only what is undefined, on which no result may depend.
            let choosers = [Approx::Nearest, Approx::Low, Approx::High, Approx::Seed(5)];
            let run = |order: u32, seed| -> Result<Outcome, Failure> {
                let open = |what: &str| f.open.iter().any(|o| o == what);
                let chosen = !f.approx.is_empty() || open("rounding");
                let approx = if chosen { Approx::Nearest } else { choosers[order as usize] };
                // A launch has one value of each such register, whatever the order of its threads.
                let seed = if open("registers") { 0 } else { seed };
                ptx::run(&module, &l.entry, &to, &Options { order, seed, approx, ..Options::default() })
            };
            match run(0, 0) {
                Err(e) => wrong.push(format!("{} {}: {e}", f.name, l.label)),
                Ok(first) => {
                    for order in 1..4 {
                        match run(order, order.into()) {
                            Err(e) => wrong.push(format!("{} {} order {order}: {e}", f.name, l.label)),
                            Ok(other) if other.buffers != first.buffers => {
                                wrong.push(format!("{} {} order {order}: another result", f.name, l.label));
                            }
                            Ok(_) => {}
                        }
                    }
                }
            }
        }
        wrong.truncate(1);
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
