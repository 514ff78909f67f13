//! The forms of a compilation.

use sassafras_cubin::Cubin;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Failure, Stage, session};
use std::sync::Mutex;

/// The routines that a function calls, by number.
pub type Routines = Vec<(u8, sassafras_machine::Function)>;

/// A form of its own.
#[allow(clippy::large_enum_variant)] // A few hundred stand in one list.
pub enum Kept {
    Ir(sassafras_ir::Module),
    Machine(sassafras_machine::Function),
    Words(sassafras_machine::Function, Routines, Vec<u128>),
    Cubin(Cubin),
}

/// Keeps every form.
#[derive(Default)]
struct Keep(Mutex<Vec<(Stage, Kept)>>);

impl Observer for Keep {
    fn observe(
        &self,
        stage: Stage,
        _: Option<Form<'_>>,
        after: Form<'_>,
        _: &Notes,
    ) -> Result<(), Objection> {
        let kept = match after {
            Form::Ptx(_) => return Ok(()),
            Form::Ir(module) => Kept::Ir(module.clone()),
            Form::Machine(f) => Kept::Machine(f.clone()),
            Form::Words(f, routines, words) => Kept::Words(f.clone(), routines.to_vec(), words.to_vec()),
            Form::Cubin(cubin, _) => Kept::Cubin(cubin.clone()),
        };
        self.0.lock().expect("nobody panics").push((stage, kept));
        Ok(())
    }
}

/// Every form of every stage, or why it does not compile.
pub fn forms(text: &str, name: &str) -> Result<Vec<(Stage, Kept)>, Failure> {
    let options = Options { arch: "sm_90".parse().ok().map(Arch::Real), jobs: 1, ..Options::default() };
    let keep = Keep::default();
    session::compile(text, name, &options, None, &keep)?;
    Ok(keep.0.into_inner().expect("nobody panics"))
}

/// Name and text of every kernel and feature of the corpus.
pub fn corpus() -> Vec<(String, String)> {
    use sassafras_reference::{features, kernels, workspace_root};
    let root = workspace_root();
    let kernels = kernels(&root).expect("the corpus is there").into_iter().map(|k| (k.name, k.ptx));
    let features = features(&root).expect("the corpus is there").into_iter().map(|f| (f.name, f.ptx));
    let files = kernels.chain(features);
    files.map(|(name, path)| (name, std::fs::read_to_string(path).expect("the corpus is there"))).collect()
}
