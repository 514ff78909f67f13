//! What the tests of the prover have in common.

#![allow(dead_code)]

pub mod laws;
pub mod report;
pub mod sequence;
pub mod table;

use sassafras_cubin::Cubin;
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::Options;
use sassafras_driver::session;
use sassafras_oracle::workspace_root;
use sassafras_prove::{Record, Solver, Z3};
use sassafras_ptx::checked::Module;
use std::path::PathBuf;

/// z3, or a skip that is heard.
pub fn z3(test: &str) -> Option<Z3> {
    let root = workspace_root();
    let found = Z3::find(&[&root], 30, 20);
    if found.is_none() {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

/// The fastest solver there is, with a budget in millions of z3's `rlimit`, or a skip that is heard.
pub fn solver(test: &str, budget: u64) -> Option<Box<dyn Solver>> {
    let process = z3(test)?;
    #[cfg(feature = "z3")]
    return Some(Box::new(sassafras_prove::solver::NativeZ3 { budget, timeout: process.timeout }));
    #[cfg(not(feature = "z3"))]
    Some(Box::new(Z3 { budget, ..process }))
}

/// The text of `corpus/NAME.ptx`.
pub fn text(name: &str) -> String {
    let path = workspace_root().join("corpus").join(format!("{name}.ptx"));
    std::fs::read_to_string(&path).expect("the corpus has it")
}

/// PTX files of these folders of the corpus, by name.
pub fn programs(folders: &[&str]) -> Vec<String> {
    let corpus = workspace_root().join("corpus");
    let mut folders: Vec<PathBuf> = folders.iter().map(|f| corpus.join(f)).collect();
    let mut all = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the corpus").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                let name = path.strip_prefix(&corpus).expect("in the corpus").with_extension("");
                all.push(name.to_string_lossy().into_owned());
            }
        }
    }
    all.sort();
    all
}

/// A checked module.
pub fn module(text: &str) -> Module {
    session::parse(text, "test").expect("it is valid").0
}

/// Our cubin of a text for sm_90, if it compiles.
pub fn ours(text: &str) -> Option<Cubin> {
    let words = ["-arch=sm_90".to_string()];
    let options = sassafras_driver::options::parse(&words, &|_: &str| Ok(String::new())).expect("an option");
    session::compile(text, "test", &Options { jobs: 1, ..options }, None, &Nobody).ok()?.cubin.map(|c| c.0)
}

/// ptxas's recorded cubin.
pub fn recorded(set: &str, name: &str) -> Option<Cubin> {
    let bytes = sassafras_reference::traces::cubin(&workspace_root(), set, name)?;
    Some(sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// One line about a record.
pub fn line(record: &Record) -> String {
    format!("{} {:?} {:?} {:.2} s", record.entry, record.verdict, record.obligations, record.seconds)
}
