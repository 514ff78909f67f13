//! Random programs through the compiler: the PTX executor on the text and the SASS executor, with timing, on the cubin must
//! agree. `SASSAFRAS_SEEDS=FROM-TO` runs others.

use sassafras::judges::Judges;
use sassafras_driver::options::parse;
use sassafras_driver::{Failure, session};
use sassafras_execute::{Approx, Argument, Launch, Options, ptx, sass};
use sassafras_generate::program::{self, Program};
use std::collections::BTreeMap;
use std::ops::Range;

/// Why a program is not right.
enum Not {
    Refused(String),
    Wrong(String),
}

/// Whether what the compiler makes of a program is right.
fn judge(program: &Program, seed: u64) -> Result<(), Not> {
    let text = program.text();
    let words: Vec<String> = ["-arch=sm_90", "-o", "x.cubin", "x.ptx"].map(String::from).to_vec();
    let options = parse(&words, &|_| unreachable!("no file is named")).unwrap_or_else(|e| panic!("{e}"));
    let cubin = match session::compile(&text, "random", &options, None, &Judges::new(options.judges)) {
        Ok(artifact) => artifact.cubin.expect("nothing stopped it").0,
        Err(Failure::Unsupported { what, .. }) => return Err(Not::Refused(what)),
        Err(Failure::Ptx(found)) if found.exit_code() == 4 => {
            let first = found.records().first().map(|r| r.message.clone());
            return Err(Not::Refused(first.unwrap_or_default()));
        }
        Err(e) => return Err(Not::Wrong(e.to_string())),
    };
    let module = sassafras_ptx::load(&text, "random").expect("it was compiled");
    let mut launch = Launch::new([1, 1, 1], [program::THREADS as u32, 1, 1]);
    let arguments = [Argument::Buffer(vec![0; program::BUFFER]), Argument::Buffer(program::inputs(seed))];
    launch.arguments(&ptx::layout(&module, "k").expect("an entry"), &arguments).expect("they fit");
    let choosers = [Approx::Nearest, Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)];
    let sources = choosers.map(|approx| {
        let run = ptx::run(&module, "k", &launch, &Options { approx, ..Options::default() });
        run.unwrap_or_else(|e| panic!("{e}\n{text}")).buffers.swap_remove(0)
    });
    for order in [0, 2] {
        let options = Options { order, timing: true, ..Options::default() };
        let outcome = sass::run(&cubin, "k", &launch, &options).map_err(|e| Not::Wrong(e.to_string()))?;
        if let Some(how) = program::difference(&sources, &outcome.buffers[0]) {
            return Err(Not::Wrong(how));
        }
    }
    Ok(())
}

fn seeds() -> Range<u64> {
    let asked = std::env::var("SASSAFRAS_SEEDS").unwrap_or_default();
    match asked.split_once('-').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(from), Ok(to))) => from..to,
        _ => 0..60,
    }
}

#[test]
fn random_programs_are_compiled_rightly() {
    let ingredients = program::ingredients();
    let (mut right, mut refused, mut found) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    for seed in seeds() {
        let length = 5 + (seed % 40) as usize;
        let program = Program::random(seed, length, &ingredients);
        match judge(&program, seed) {
            Ok(()) => right += 1,
            Err(Not::Refused(what)) => *refused.entry(what).or_default() += 1,
            Err(Not::Wrong(_)) => {
                let small = program.reduced(|p| matches!(judge(p, seed), Err(Not::Wrong(_))));
                let body: Vec<&str> = small.lines.iter().map(|l| l.text.as_str()).collect();
                let Err(Not::Wrong(how)) = judge(&small, seed) else { continue };
                found.push(format!("seed {seed}: {how}\n    {}", body.join("\n    ")));
            }
        }
        if found.len() >= 10 {
            break;
        }
    }
    let without: u32 = refused.values().sum();
    eprintln!("{right} programs right, {without} refused, {} wrong", found.len());
    for (what, n) in &refused {
        eprintln!("  {n} refused: {what}");
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    assert!(right > without, "{without} refused");
}
