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
) -> Result<(), Box<dyn std::error::Error>> {
    let launch = prepare(cubin, from);
    let out = sass::run(cubin, &from.entry, &launch, options)?;
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

/// Features whose results PTX leaves open at edges: quotients by zero, and the bits of a NaN.
const UNSPECIFIED_AT_EDGES: &[&str] = &["div_", "rem_", "min_max_f32_nan"];

/// Words at the edges of integers, shift counts, floats of all widths, and packed halves.
fn edges(seed: u64, words: usize) -> Vec<u8> {
    const EDGES: [u32; 48] = [
        0,
        1,
        2,
        7,
        8,
        15,
        16,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        128,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x1_0000,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x3f00_0000,
        0x4f00_0000,
        0x4f80_0000,
        0xcf00_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x7f80_0001,
        0x0080_0000,
        0x007f_ffff,
        0x8000_0010,
        0x7f7f_ffff,
        0x7ff0_0000,
        0xfff0_0000,
        0x3ff0_0000,
        0x43e0_0000,
        0x3c00_3c00,
        0x7c00_fc00,
        0x7e00_0001,
        0x0400_8001,
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..words).flat_map(|_| EDGES[draw() as usize % EDGES.len()].to_le_bytes()).collect()
}

/// Each feature's recorded cubin against the PTX it was made from: two meanings written from different sources.
#[test]
fn features_agree_with_their_ptx() {
    let root = reference::workspace_root();
    let spec = reference::corpus::feature_spec(&root).expect("launch.toml");
    let launches = spec.launches().expect("launches");
    let (mut agreed, mut skipped, mut wrong) = (0, Vec::new(), Vec::new());
    for feature in reference::corpus::features(&root).expect("features") {
        let text = std::fs::read_to_string(&feature.ptx).expect("a file of the corpus");
        let name = format!("features/{}", feature.name);
        let Some(bytes) = reference::traces::cubin(&root, reference::traces::RECORDED, &name) else {
            skipped.push(format!("{name}: not recorded"));
            continue;
        };
        let Ok(module) = sassafras_ptx::load(&text, &feature.name) else {
            skipped.push(format!("{name}: its PTX is not taken yet"));
            continue;
        };
        let cubin = match sassafras_cubin::read(&bytes) {
            Ok(cubin) => cubin,
            Err(e) => {
                skipped.push(format!("{name}: {e}"));
                continue;
            }
        };
        let mut problem = None;
        for (number, from) in launches.iter().enumerate() {
            let mut launch = prepare(&cubin, from);
            // Every second launch runs on edges instead of random bits.
            if number % 2 == 1
                && !UNSPECIFIED_AT_EDGES.iter().any(|name| feature.name.contains(name))
                && let Some(input) = launch.buffers.get_mut(1)
            {
                input.bytes = edges(number as u64, input.bytes.len() / 4);
            }
            for order in 0..4 {
                // One of the orders keeps time.
                let options =
                    Options { order, step_limit: 200_000, timing: order == 0, ..Options::default() };
                let expected = match sassafras_execute::ptx::run(&module, &from.entry, &launch, &options) {
                    Ok(out) => out,
                    Err(e) => {
                        skipped.push(format!("{name}: {e}"));
                        break;
                    }
                };
                match sass::run(&cubin, &from.entry, &launch, &options) {
                    Err(e) if e.is_unsupported() => {
                        skipped.push(format!("{name}: {e}"));
                        break;
                    }
                    Err(e) => _ = problem.get_or_insert(format!("{name}: {e}")),
                    Ok(_) if !feature.approx.is_empty() => {}
                    Ok(got) if got.buffers[0] != expected.buffers[0] => {
                        let at = got.buffers[0]
                            .chunks(4)
                            .zip(expected.buffers[0].chunks(4))
                            .position(|(a, b)| a != b);
                        let at = at.unwrap_or(0);
                        let word = |b: &[Vec<u8>], buffer: usize, at: usize| {
                            let word =
                                b[buffer].get(4 * at..4 * at + 4).map(|w| w.try_into().expect("4 bytes"));
                            word.map_or(0, u32::from_le_bytes)
                        };
                        let input: Vec<String> =
                            (0..4).map(|i| format!("{:#x}", word(&got.buffers, 1, at / 4 * 4 + i))).collect();
                        problem.get_or_insert(format!(
                            "{name} {} order {order}: word {at} is {:#x}, by the PTX {:#x}; inputs {}",
                            from.label,
                            word(&got.buffers, 0, at),
                            word(&expected.buffers, 0, at),
                            input.join(" ")
                        ));
                    }
                    Ok(_) => {}
                }
            }
            if problem.is_some() {
                break;
            }
        }
        match problem {
            None if skipped.last().is_some_and(|s| s.starts_with(&format!("{name}:"))) => {}
            None => agreed += 1,
            Some(e) => wrong.push(e),
        }
    }
    skipped.dedup();
    eprintln!("{agreed} features agree");
    assert!(agreed > 200, "{agreed} features agree, {} are skipped", skipped.len());
    for s in &skipped {
        eprintln!("skipped: {s}");
    }
    assert!(wrong.is_empty(), "{agreed} agree, {} do not:\n{}", wrong.len(), wrong.join("\n"));
}

/// What one thread of a cubin writes for four words in.
fn example(cubin: &sassafras_cubin::Cubin, input: [u32; 4]) -> [u32; 4] {
    let bytes = |words: [u32; 4]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
    let mut launch = Launch::new([1, 1, 1], [1, 1, 1]);
    let arguments = [
        Argument::Buffer(vec![0; 16]),
        Argument::Buffer(bytes(input)),
        Argument::Value(1u32.to_le_bytes().to_vec()),
    ];
    let layout = sass::layout(cubin, "k").expect("the entry is there");
    launch.arguments(&layout, &arguments).expect("the arguments fit");
    let out = sass::run(cubin, "k", &launch, &Options::default()).expect("it runs");
    let word = |i: usize| u32::from_le_bytes(out.buffers[0][4 * i..4 * i + 4].try_into().expect("4 bytes"));
    [word(0), word(1), word(2), word(3)]
}

#[test]
fn known_errors_of_ptxas_show() {
    let root = reference::workspace_root();
    let errors = reference::known::ptxas_errors(&root).expect("the corpus is there");
    assert!(errors.len() >= 5);
    for error in errors {
        let name = format!("ptxas-errors/{}", error.name);
        let read = |set| {
            let bytes = reference::traces::cubin(&root, set, &name).expect("it is recorded");
            sassafras_cubin::read(&bytes)
        };
        let older = read(reference::traces::RECORDED).expect("a cubin");
        assert_eq!(example(&older, error.example.input), error.example.wrong, "{name} by 13.0.88");
        match read(reference::traces::RECORDED_NEWER) {
            Ok(newer) => {
                assert_eq!(example(&newer, error.example.input), error.example.right, "{name} by 13.5.37")
            }
            Err(e) => eprintln!("skipped: {name} by 13.5.37: {e}"),
        }
    }
}

/// Every wait of the corpus's kernels taken away, one at a time: timing must object wherever the wait was needed, which is
/// nearly always.
#[test]
fn missing_waits_are_found() {
    let root = reference::workspace_root();
    let (mut found, mut all) = (0, 0);
    for kernel in reference::kernels(&root).expect("the corpus is there").iter().take(12) {
        let name = format!("kernels/{0}/{0}", kernel.name);
        let bytes =
            reference::traces::cubin(&root, reference::traces::RECORDED, &name).expect("it is recorded");
        let cubin = sassafras_cubin::read(&bytes).expect("a cubin");
        let from = &kernel.spec.launches().expect("launches")[0];
        let launch = prepare(&cubin, from);
        let options = Options { timing: true, step_limit: 400_000, ..Options::default() };
        let at = cubin.functions.iter().position(|f| f.name == from.entry).expect("the entry");
        let Ok(run) = sass::run(&cubin, &from.entry, &launch, &options) else { continue };
        let counts = &run.coverage[0].counts;
        for (i, word) in cubin.functions[at].code.iter().enumerate().filter(|(i, _)| counts[*i] > 0).take(60)
        {
            for board in (0..6).filter(|b| word >> (116 + b) & 1 != 0) {
                let mut wrong = cubin.clone();
                wrong.functions[at].code[i] = word & !(1 << (116 + board));
                all += 1;
                found += u32::from(sass::run(&wrong, &from.entry, &launch, &options).is_err());
            }
        }
    }
    eprintln!("{found} of {all} missing waits found");
    assert!(all > 100 && found * 100 >= all * 90, "{found} of {all} missing waits found");
}
