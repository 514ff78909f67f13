//! Every arithmetic form of the PTX table, alone in a kernel, compiled by ptxas: the PTX executor on the text and the SASS
//! executor on the cubin must agree on all inputs. Two meanings written from different sources, and ptxas between them.

use sassafras_execute::{Approx, Argument, Launch, Options, ptx, sass};
use sassafras_generate::forms;
use sassafras_generate::program::{self, Program};
use sassafras_generate::ptxas::error;
use std::collections::BTreeMap;

#[test]
fn every_form_means_what_ptxas_makes_of_it() {
    let ptxas = match sassafras_oracle::Tools::here().ptxas("13.0.88") {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip("every_form_means_what_ptxas_makes_of_it", &why),
    };
    let all = forms::arithmetic();
    let text = forms::module(&all);
    let module = sassafras_ptx::load(&text, "forms").unwrap_or_else(|e| panic!("{:?}", e.records().first()));
    let (bytes, _) = ptxas.compile_text(&text, "sm_90", &[]).expect("ptxas takes the forms");
    let cubin = sassafras_cubin::read(&bytes).expect("a cubin");
    let inputs = forms::inputs();
    let mut launch = Launch::new([1, 1, 1], [forms::THREADS as u32, 1, 1]);
    let arguments = [Argument::Buffer(vec![0; forms::OUTPUT]), Argument::Buffer(inputs.clone())];
    launch.arguments(&ptx::layout(&module, "k0").expect("an entry"), &arguments).expect("they fit");
    let (mut agree, mut erring, mut differ, mut unknown) = (0, 0, Vec::new(), BTreeMap::new());
    for form in &all {
        let source = [Approx::Nearest, Approx::Low, Approx::High].map(|approx| {
            let run = ptx::run(&module, &form.entry, &launch, &Options { approx, ..Options::default() });
            run.unwrap_or_else(|e| panic!("{}: {e}", form.line)).buffers.swap_remove(0)
        });
        let found = match sass::run(&cubin, &form.entry, &launch, &Options::default()) {
            Ok(outcome) => forms::difference(form, &source, &outcome.buffers[0], &inputs),
            Err(e) if e.is_unsupported() => {
                let why = e.to_string().lines().next().unwrap_or_default().to_string();
                unknown.entry(why).or_insert(&form.line);
                continue;
            }
            Err(e) => Some(format!("{}: {e}", form.line)),
        };
        match found {
            None => agree += 1,
            Some(_) if error(&form.line, "").is_some() => erring += 1,
            Some(how) => differ.push(how),
        }
    }
    eprintln!(
        "{agree} of {} forms agree, {} differ, {erring} are errors of ptxas, {} kinds of forms are unknown:",
        all.len(),
        differ.len(),
        unknown.len()
    );
    for (why, line) in &unknown {
        eprintln!("  {why}: {line}");
    }
    assert!(differ.is_empty(), "\n{}", differ.join("\n"));
}

/// Random programs as ptxas compiles them. `SASSAFRAS_SEEDS=FROM-TO` runs others.
#[test]
fn random_programs_mean_what_ptxas_makes_of_them() {
    let ptxas = match sassafras_oracle::Tools::here().ptxas("13.0.88") {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip("random_programs_mean_what_ptxas_makes_of_them", &why),
    };
    let asked = std::env::var("SASSAFRAS_SEEDS").unwrap_or_default();
    let seeds = match asked.split_once('-').map(|(a, b)| (a.parse(), b.parse())) {
        Some((Ok(from), Ok(to))) => from..to,
        _ => 0..20u64,
    };
    // Lines come under guards and with magnitudes as operands.
    let mut ingredients = program::ingredients();
    ingredients.retain(|f| error(&format!("@%p1 {}", f.line), "through abs.f32").is_none());
    let judge = |p: &Program, seed: u64| -> Result<(), Option<String>> {
        let text = p.text();
        let module = sassafras_ptx::load(&text, "random").expect("generated PTX is PTX");
        let (bytes, _) = ptxas.compile_text(&text, "sm_90", &[]).map_err(|e| Some(e.to_string()))?;
        let cubin = sassafras_cubin::read(&bytes).map_err(|e| Some(e.to_string()))?;
        let mut launch = Launch::new([1, 1, 1], [program::THREADS as u32, 1, 1]);
        let arguments = [Argument::Buffer(vec![0; program::BUFFER]), Argument::Buffer(program::inputs(seed))];
        launch.arguments(&ptx::layout(&module, "k").expect("an entry"), &arguments).expect("they fit");
        let choosers = [Approx::Nearest, Approx::Low, Approx::High, Approx::Seed(1), Approx::Seed(2)];
        let sources = choosers.map(|approx| {
            let run = ptx::run(&module, "k", &launch, &Options { approx, ..Options::default() });
            run.unwrap_or_else(|e| panic!("{e}\n{text}")).buffers.swap_remove(0)
        });
        match sass::run(&cubin, "k", &launch, &Options::default()) {
            Ok(outcome) => {
                program::difference(&sources, &outcome.buffers[0]).map_or(Ok(()), |how| Err(Some(how)))
            }
            Err(e) if e.is_unsupported() => Err(None),
            Err(e) => Err(Some(e.to_string())),
        }
    };
    let (mut right, mut unknown, mut found) = (0, 0, Vec::new());
    for seed in seeds {
        let program = Program::random(seed, 5 + (seed % 40) as usize, &ingredients);
        match judge(&program, seed) {
            Ok(()) => right += 1,
            Err(None) => unknown += 1,
            Err(Some(_)) => {
                let small = program.reduced(|p| matches!(judge(p, seed), Err(Some(_))));
                let body: Vec<&str> = small.lines.iter().map(|l| l.text.as_str()).collect();
                let Err(Some(how)) = judge(&small, seed) else { continue };
                found.push(format!("seed {seed}: {how}\n    {}", body.join("\n    ")));
            }
        }
        if found.len() >= 10 {
            break;
        }
    }
    eprintln!("{right} programs agree, {unknown} have an unknown form, {} differ", found.len());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The programs of `corpus/ptxas-open`: the two executors disagree about what ptxas makes of them.
#[test]
fn open_errors_of_ptxas_show() {
    let folder = sassafras_oracle::workspace_root().join("corpus/ptxas-open");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 5);
    let draws = forms::inputs();
    for version in ["13.0.88", "13.5.37"] {
        let ptxas = match sassafras_oracle::Tools::here().ptxas(version) {
            Ok(ptxas) => ptxas,
            Err(why) => {
                sassafras_oracle::skip("open_errors_of_ptxas_show", &why);
                continue;
            }
        };
        for file in &files {
            let text = std::fs::read_to_string(file).expect("a file of the corpus");
            let module =
                sassafras_ptx::load(&text, "open").unwrap_or_else(|e| panic!("{:?}", e.records().first()));
            let mut launch = Launch::new([1, 1, 1], [64, 1, 1]);
            let arguments = [
                Argument::Buffer(vec![0; 1024]),
                Argument::Buffer(draws[..1024].to_vec()),
                Argument::Value(64u32.to_le_bytes().to_vec()),
            ];
            launch.arguments(&ptx::layout(&module, "k").expect("an entry"), &arguments).expect("they fit");
            let right = ptx::run(&module, "k", &launch, &Options::default()).expect("it runs");
            for level in ["-O0", "-O1", "-O2", "-O3"] {
                let (bytes, _) = ptxas.compile_text(&text, "sm_90", &[level]).expect("ptxas takes it");
                let cubin = match sassafras_cubin::read(&bytes) {
                    Ok(cubin) => cubin,
                    Err(e) => {
                        eprintln!("skipped: {} by {version}: {e}", file.display());
                        continue;
                    }
                };
                let found =
                    sass::run(&cubin, "k", &launch, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
                // The first line names the levels at which it errs.
                let errs = text.lines().next().is_some_and(|first| first.contains(level));
                let differs = found.buffers[0] != right.buffers[0];
                assert_eq!(differs, errs, "{} by {version} {level}", file.display());
            }
        }
    }
}
