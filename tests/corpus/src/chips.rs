//! Code for one chip, ours or ptxas's, held against the PTX executor.

use crate::program::Program;
use crate::verdict::{differences, options, prepare, tell};
use sassafras_chip::{Chip, Target};
use sassafras_cubin::Cubin;
use sassafras_driver::session;
use sassafras_execute::{Approx, Outcome, ptx, sass};
use sassafras_ptx::Diagnostics;
use serde::{Deserialize, Serialize};

/// What became of one program's code on one chip.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Code {
    /// `made`, or why there is none.
    pub made: String,
    /// What nvdisasm makes of it: `read`, or what it says; empty where it was not asked.
    pub read: String,
    /// `agrees`, `differs: …`, `unsupported: …`; empty where there is no code.
    pub ran: String,
}

/// Both compilers' code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sides {
    /// The program.
    pub name: String,
    /// The chip.
    pub chip: String,
    /// Ours.
    pub ours: Code,
    /// ptxas's.
    pub ptxas: Code,
}

/// Whether the program's `.target` lets it run on a chip.
pub fn runs_on(program: &Program, chip: Chip) -> bool {
    let target = program.text.lines().find_map(|line| line.trim().strip_prefix(".target"));
    let name = target.map(|t| t.split(',').next().unwrap_or_default().trim());
    name.is_some_and(|name| session::runs_on(name, Target::base(chip)))
}

/// What the PTX executor makes of the first launches; `None` where it cannot.
///
/// # Errors
/// When the program cannot be read.
pub fn expected(program: &Program, launches: usize) -> Result<Vec<Option<Outcome>>, Diagnostics> {
    let module = sassafras_ptx::load(&program.text, &program.name)?;
    let run = |from| {
        let launch = prepare(from, &ptx::layout(&module, &from.entry)).ok()?;
        ptx::run(&module, &from.entry, &launch, &options(0, Approx::Nearest, false)).ok()
    };
    Ok(program.launches.iter().take(launches).map(run).collect())
}

/// Runs code on the launches of which it is known what they give.
pub fn examine_code(program: &Program, cubin: &Cubin, expected: &[Option<Outcome>], timing: bool) -> String {
    for (from, expected) in program.launches.iter().zip(expected) {
        let Some(expected) = expected else { continue };
        let got = prepare(from, &sass::layout(cubin, &from.entry))
            .and_then(|l| sass::run(cubin, &from.entry, &l, &options(0, Approx::Nearest, timing)));
        let said = match got {
            Ok(got) => differences(program, from, expected, &got).map_err(|e| e.to_string()),
            Err(e) => Err(tell(&e)),
        };
        if let Err(e) = said {
            return format!("{e} ({})", from.label);
        }
    }
    "agrees".into()
}
