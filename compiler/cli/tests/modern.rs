//! `corpus/modern`: kernels with what CUDA has grown since sm_80, as people write them and nvcc hands them over. What becomes of each
//! stands in `corpus/modern/fates.csv`; `BLESS=1` writes it anew, and a kernel that fares worse than before is a failure even then.

use sassafras::judges::Judges;
use sassafras_driver::options::parse;
use sassafras_driver::{Failure, session};
use sassafras_execute::{Argument, Launch, Options, ptx, sass};
use sassafras_generate::forms;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modern")
}

/// `runs`: compiled, judged, and equal in both executors. `compiles`: compiled and judged, and an executor says why it does not run.
/// `refused`: with a sentence. Anything else is an error.
fn fate(name: &str, text: &str, inputs: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    let words: Vec<String> = ["-arch=sm_90a", "-o", "x.cubin", "x.ptx"].map(String::from).to_vec();
    let options = parse(&words, &|_| unreachable!("no file is named")).unwrap_or_else(|e| panic!("{e}"));
    let made = session::compile(text, name, &options, None, &Judges::new(options.judges));
    let cubin = match made {
        Ok(artifact) => artifact.cubin.expect("nothing stopped it").0,
        Err(Failure::Unsupported { what, .. }) => return Ok(format!("refused,{what}")),
        Err(Failure::Ptx(found)) if found.exit_code() == 4 => {
            let first = found.records().first().map(|r| r.message.clone());
            return Ok(format!("refused,{}", first.unwrap_or_default()));
        }
        Err(e) => return Err(e.into()),
    };
    let module = sassafras_ptx::load(text, name).map_err(|e| e.to_string())?;
    let mut launch = Launch::new([1, 1, 1], [64, 1, 1]);
    launch.dynamic_shared = 4096;
    let arguments = [
        Argument::Buffer(vec![0; 1024]),
        Argument::Buffer(inputs[..1024].to_vec()),
        Argument::Value(64u32.to_le_bytes().to_vec()),
    ];
    let layout = ptx::layout(&module, "k")?;
    if launch.arguments(&layout, &arguments).is_err() {
        return Ok("compiles,its parameters are others".into());
    }
    let right = match ptx::run(&module, "k", &launch, &Options::default()) {
        Ok(outcome) => outcome,
        Err(why) => return Ok(format!("compiles,{}", why.to_string().lines().next().unwrap_or_default())),
    };
    let options = Options { timing: true, ..Options::default() };
    let found = sass::run(&cubin, "k", &launch, &options)?;
    if found.buffers[0] != right.buffers[0] {
        if text.contains(".approx") {
            return Ok("compiles,functions are approximate".into());
        }
        return Err("the executors disagree".into());
    }
    Ok("runs,".into())
}

fn rank(fate: &str) -> usize {
    ["refused", "compiles", "runs"].iter().position(|f| fate.starts_with(f)).unwrap_or(0)
}

#[test]
fn kernels_of_today() {
    let inputs = forms::inputs();
    let stored = std::fs::read_to_string(folder().join("fates.csv")).unwrap_or_default();
    let old = |name: &str| {
        let line = stored.lines().find(|l| l.split(',').next() == Some(name));
        line.and_then(|l| l.split_once(',')).map_or("", |(_, fate)| fate)
    };
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the corpus")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == "ptx"))
        .map(|p| p.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 48, "{} kernels", names.len());
    let (mut page, mut wrong, mut counts) = (String::from("kernel,fate,why\n"), Vec::new(), [0usize; 3]);
    for name in &names {
        let text =
            std::fs::read_to_string(folder().join(format!("{name}.ptx"))).expect("a file of the corpus");
        match fate(name, &text, &inputs) {
            Ok(new) => {
                let new = new.replace([',', '\n'], " ").replacen(' ', ",", 1);
                if rank(&new) < rank(old(name)) {
                    wrong.push(format!("{name}: {new}, before {}", old(name)));
                }
                counts[rank(&new)] += 1;
                let _ = writeln!(page, "{name},{new}");
            }
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    eprintln!("{} run, {} compile, {} are refused", counts[2], counts[1], counts[0]);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(folder().join("fates.csv"), page).expect("written");
    } else {
        assert_eq!(stored, page, "BLESS=1 writes it anew");
    }
}
