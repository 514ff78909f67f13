//! Every kernel of the corpus as ptxas compiled it (recorded cubins), on every launch, in several orders, against the CPU
//! references.

use sassafras_execute::{Argument, Launch, Options, sass};
use sassafras_reference as reference;

fn prepare(cubin: &sassafras_cubin::Cubin, from: &reference::Launch) -> Launch {
    let mut launch = Launch::new(from.grid, from.block);
    launch.dynamic_shared = from.shared;
    let arguments: Vec<Argument> = from
        .params
        .iter()
        .map(|p| match p {
            reference::Param::Buffer(b) => Argument::Buffer(b.data.to_bytes()),
            reference::Param::Scalar(s) => Argument::Value(s.bytes.clone()),
        })
        .collect();
    let layout = sass::layout(cubin, &from.entry).expect("the entry is there");
    launch.arguments(&layout, &arguments).expect("the arguments fit");
    launch
}

/// The failure of one kernel, if any.
fn check(
    name: &str,
    from: &reference::Launch,
    cubin: &sassafras_cubin::Cubin,
    options: &Options,
) -> Result<(), String> {
    let launch = prepare(cubin, from);
    let out = sass::run(cubin, &from.entry, &launch, options).map_err(|e| e.to_string())?;
    let buffers: Vec<usize> =
        (0..from.params.len()).filter(|&i| matches!(from.params[i], reference::Param::Buffer(_))).collect();
    let expected = reference::reference(name, from).ok_or("no reference")?;
    for (param, data) in expected {
        let reference::Param::Buffer(buffer) = &from.params[param] else { continue };
        let Some(compare) = &buffer.output else { continue };
        let at = buffers.iter().position(|&i| i == param).expect("a buffer");
        compare
            .check(data.ty(), &data.to_bytes(), &out.buffers[at])
            .map_err(|e| format!("{}: {e}", buffer.name))?;
    }
    Ok(())
}

fn run(make: impl Fn(u32) -> Options, orders: u32) {
    let root = reference::workspace_root();
    let mut failed = Vec::new();
    let mut passed = 0;
    for kernel in reference::kernels(&root).expect("the corpus is there") {
        let name = format!("kernels/{0}/{0}", kernel.name);
        let Some(bytes) = reference::traces::cubin(&root, reference::traces::RECORDED, &name) else {
            eprintln!("skipped: {name} is not recorded");
            continue;
        };
        let cubin = sassafras_cubin::read(&bytes).expect("a cubin");
        let mut problem = None;
        for launch in kernel.spec.launches().expect("launches") {
            for order in 0..orders {
                if let Err(e) = check(&kernel.name, &launch, &cubin, &make(order)) {
                    problem.get_or_insert(format!("{}: {}, order {order}: {e}", kernel.name, launch.label));
                }
            }
            if problem.is_some() {
                break;
            }
        }
        match problem {
            None => passed += 1,
            Some(e) => failed.push(e),
        }
    }
    assert!(passed + failed.len() > 30, "nothing ran");
    assert!(failed.is_empty(), "{passed} passed, {} failed:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn corpus_runs_as_the_references_say() {
    run(|order| Options { order, seed: 3 + u64::from(order), ..Options::default() }, 5);
}

#[test]
fn corpus_keeps_its_hazards() {
    run(|order| Options { order, timing: true, ..Options::default() }, 1);
}
