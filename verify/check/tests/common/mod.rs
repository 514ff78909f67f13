//! The kernels of the corpus, stage by stage.

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

struct Recorder(String, Mutex<Vec<Step>>);

impl Observer for Recorder {
    fn wants_before(&self, stage: Stage) -> bool {
        matches!(stage, Stage::Allocate | Stage::Schedule)
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
            self.1.lock().expect("no thread panicked").push(step);
        }
        Ok(())
    }
}

/// Every step of allocation and scheduling of the kernels, with at most this many registers where a number is given.
/// What does not compile is told on stderr.
pub fn steps(registers: Option<u32>) -> Vec<Step> {
    let root = sassafras_reference::workspace_root();
    let kernels = sassafras_reference::kernels(&root).expect("the corpus reads");
    let mut all = Vec::new();
    for kernel in kernels {
        let text = std::fs::read_to_string(&kernel.ptx).expect("the kernel reads");
        let arch = Some(Arch::Real("sm_90".parse().expect("a target")));
        let mut options = Options { arch, jobs: 1, ..Options::default() };
        options.registers = registers.map(RegisterLimit::Count);
        let recorder = Recorder(kernel.name.clone(), Mutex::default());
        if let Err(failure) = session::compile(&text, &kernel.name, &options, None, &recorder) {
            eprintln!("{}: not compiled: {failure}", kernel.name);
        }
        all.extend(recorder.1.into_inner().expect("no thread panicked"));
    }
    all
}
