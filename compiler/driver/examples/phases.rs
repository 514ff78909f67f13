//! `phases FILE`: compiles for sm_90 without judges and prints each phase and each pass that changed something: its name, its
//! seconds, and the peak of the process's memory behind it in bytes.

use sassafras_chip::{Chip, Target};
use sassafras_driver::Stage;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::Options;
use sassafras_driver::session::compile;
use sassafras_ir as ir;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

/// The clock between two calls.
struct Clock(Mutex<Instant>);

impl Clock {
    fn tell(&self, name: &str) {
        let Ok(mut last) = self.0.lock() else { return };
        println!("{name} {:.6} {}", last.elapsed().as_secs_f64(), peak());
        *last = Instant::now();
    }
}

impl Observer for Clock {
    fn observe_pass(
        &self,
        pass: &'static str,
        _: Option<&ir::Function>,
        _: &ir::Function,
    ) -> Result<(), Objection> {
        self.tell(&format!("optimise/{pass}"));
        Ok(())
    }

    fn observe(&self, stage: Stage, _: Option<Form<'_>>, _: Form<'_>, _: &Notes) -> Result<(), Objection> {
        self.tell(&stage.to_string());
        Ok(())
    }
}

/// Most memory that this process has had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("phases FILE");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file}: {error}");
            return ExitCode::from(2);
        }
    };
    let options = Options { jobs: 1, ..Options::default() };
    let clock = Clock(Mutex::new(Instant::now()));
    match compile(&text, &file, &options, Some(Target::base(Chip::Sm90)), &clock) {
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
