//! The kernels of the corpus, stage by stage.

use sassafras_chip::{Chip, Target};
use sassafras_driver::Stage;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options, RegisterLimit};
use sassafras_driver::session;
use sassafras_machine::Function;
use std::sync::Mutex;

/// What a stage made of a function.
#[allow(dead_code, reason = "each test reads some of it")]
pub struct Step {
    /// `bitonic: kernel`.
    pub name: String,
    /// The stage.
    pub stage: Stage,
    /// The function before it.
    pub before: Function,
    /// The function after it.
    pub after: Function,
}

/// A program's name, the stages wanted, and what they did.
struct Recorder(String, &'static [Stage], Mutex<Vec<Step>>);

impl Observer for Recorder {
    fn wants_before(&self, stage: Stage) -> bool {
        self.1.contains(&stage)
    }

    fn observe(
        &self,
        stage: Stage,
        before: Option<Form<'_>>,
        after: Form<'_>,
        _: &Notes,
    ) -> Result<(), Objection> {
        if let (Some(Form::Machine(before)), Form::Machine(after)) = (before, after) {
            let name = format!("{}: {}", self.0, after.name);
            let step = Step { name, stage, before: before.clone(), after: after.clone() };
            self.2.lock().expect("no thread panicked").push(step);
        }
        Ok(())
    }
}

/// Every step of allocation and scheduling of the kernels, with at most this many registers where a number is given.
/// What does not compile is told on stderr.
#[allow(dead_code, reason = "each test uses some of it")]
pub fn steps(registers: Option<u32>) -> Vec<Step> {
    steps_on(Chip::Sm90, registers)
}

/// The same on a chip.
#[allow(dead_code, reason = "each test uses some of it")]
pub fn steps_on(chip: Chip, registers: Option<u32>) -> Vec<Step> {
    let root = sassafras_reference::workspace_root();
    let kernels = sassafras_reference::kernels(&root).expect("the corpus reads");
    kernels.iter().flat_map(|kernel| compile(&kernel.name, &kernel.ptx, chip, registers, LATER)).collect()
}

/// Every step of arranging, of kernels and features.
#[allow(dead_code, reason = "each test uses some of it")]
pub fn arranged() -> Vec<Step> {
    let root = sassafras_reference::workspace_root();
    let kernels = sassafras_reference::kernels(&root).expect("the corpus reads");
    let features = sassafras_reference::features(&root).expect("the corpus reads");
    let kernels = kernels.into_iter().map(|kernel| (kernel.name, kernel.ptx));
    let all = kernels.chain(features.into_iter().map(|feature| (feature.name, feature.ptx)));
    all.flat_map(|(name, path)| compile(&name, &path, Chip::Sm90, None, &[Stage::Arrange])).collect()
}

/// The same of the feature programs.
#[allow(dead_code, reason = "each test uses some of it")]
pub fn features() -> Vec<Step> {
    let root = sassafras_reference::workspace_root();
    let features = sassafras_reference::features(&root).expect("the corpus reads");
    features
        .iter()
        .flat_map(|feature| compile(&feature.name, &feature.ptx, Chip::Sm90, None, LATER))
        .collect()
}

const LATER: &[Stage] = &[Stage::Allocate, Stage::Schedule];

fn compile(
    name: &str,
    path: &std::path::Path,
    chip: Chip,
    registers: Option<u32>,
    stages: &'static [Stage],
) -> Vec<Step> {
    let text = std::fs::read_to_string(path).expect("the program reads");
    let arch = Some(Arch::Real(Target::base(chip)));
    let registers = registers.map(RegisterLimit::Count);
    let options = Options { arch, jobs: 1, registers, ..Options::default() };
    let recorder = Recorder(name.to_owned(), stages, Mutex::default());
    if let Err(failure) = session::compile(&text, name, &options, None, &recorder) {
        eprintln!("{name}: not compiled: {failure}");
    }
    recorder.2.into_inner().expect("no thread panicked")
}
