//! Running one program every way and comparing.

use crate::program::Program;
use sassafras_chip::{Chip, Target};
use sassafras_cubin::Cubin;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Failure as NotCompiled, session};
use sassafras_execute::{Approx, Argument, Failure, Launch, Options as Run, Outcome, ptx, sass};
use sassafras_ptx::checked::Module;
use sassafras_reference::{self as reference, Compare, Param};
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volume {
    /// Every launch once, in timing mode; the first launch in all orders and with both choosers.
    Sample,
    /// Every launch in every order and with every chooser.
    Full,
}

/// What was found about one program.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What our cubin does: `agrees`, `differs: …`, `unsupported: …`.
    pub ours: String,
    /// What ptxas's recorded cubin does in our executor: `agrees`, `differs: …`, `unknown: …`, `not recorded`.
    pub ptxas: String,
    /// What the PTX executor says against the CPU reference: `agrees`, `differs: …`, `no reference`, `unsupported: …`.
    pub reference: String,
    /// Runs of the SASS executor on our cubin.
    pub runs: usize,
}

impl Row {
    /// Whether nothing contradicts; what is not supported or not known is no contradiction.
    pub fn clean(&self) -> bool {
        ![&self.ours, &self.ptxas, &self.reference].iter().any(|s| s.starts_with("differs"))
    }
}

const AGREES: &str = "agrees";

/// Runs a program every way.
pub fn examine(root: &Path, program: &Program, volume: Volume) -> Row {
    let mut row = Row {
        name: program.name.clone(),
        ours: AGREES.into(),
        ptxas: "not recorded".into(),
        reference: "no reference".into(),
        runs: 0,
    };
    let module = match sassafras_ptx::load(&program.text, &program.name) {
        Ok(module) => module,
        Err(e) => {
            row.ours = format!("unsupported: {}", first_line(&format!("{e}")));
            return row;
        }
    };
    let expected = expectations(program, &module, &mut row);
    match compile(program) {
        Ok((cubin, _)) => compare_ours(program, &cubin, &expected, volume, &mut row),
        Err(e) => row.ours = e.to_string(),
    }
    if let Some(bytes) = program.recorded(root) {
        row.ptxas = compare_recorded(program, &bytes, &expected, volume);
    }
    row
}

/// What the PTX executor makes of every launch; `None` where it cannot.
fn expectations(program: &Program, module: &Module, row: &mut Row) -> Vec<Option<Outcome>> {
    let mut all = Vec::new();
    for from in &program.launches {
        let outcome = prepare(from, &ptx::layout(module, &from.entry))
            .and_then(|l| ptx::run(module, &from.entry, &l, &options(0, Approx::Nearest, false)));
        let outcome = match outcome {
            Ok(o) => o,
            Err(e) => {
                row.reference = tell(&e);
                all.push(None);
                continue;
            }
        };
        if let Some(expected) = program.reference.as_ref().and_then(|k| reference::reference(k, from)) {
            if row.reference == "no reference" {
                row.reference = AGREES.into();
            }
            for (param, data) in expected {
                let Param::Buffer(b) = &from.params[param] else { continue };
                let index = from.params[..param].iter().filter(|p| matches!(p, Param::Buffer(_))).count();
                let how = b.output.clone().unwrap_or(Compare::Exact);
                if let Err(e) = how.check(data.ty(), &data.to_bytes(), &outcome.buffers[index]) {
                    row.reference = format!("differs: {}: {}: {e}", from.label, b.name);
                }
            }
        }
        all.push(Some(outcome));
    }
    all
}

/// Why there is no cubin of ours.
#[derive(Clone, Debug)]
pub enum NoCode {
    /// The program has a form that is not supported.
    Unsupported(String),
    /// A judge objects, or a phase broke its own rules.
    Wrong(String),
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCode::Unsupported(why) => write!(f, "unsupported: {why}"),
            NoCode::Wrong(why) => write!(f, "differs: {why}"),
        }
    }
}

impl std::error::Error for NoCode {}

/// Our cubin of a program for sm_90, as a model and as bytes, with all judges attached.
///
/// # Errors
/// The first line of what the compiler says.
pub fn compile(program: &Program) -> Result<(Cubin, Vec<u8>), NoCode> {
    compile_for(program, Chip::Sm90)
}

/// The same for any chip.
///
/// # Errors
/// The first line of what the compiler says.
pub fn compile_for(program: &Program, chip: Chip) -> Result<(Cubin, Vec<u8>), NoCode> {
    let options = Options { arch: Some(Arch::Real(Target::base(chip))), jobs: 1, ..Options::default() };
    let judges = sassafras::judges::Judges::default();
    let made = session::compile(&program.text, &program.name, &options, None, &judges);
    match made {
        Ok(a) => a.cubin.ok_or_else(|| NoCode::Wrong("no cubin".to_owned())),
        Err(e @ (NotCompiled::Ptx(_) | NotCompiled::Unsupported { .. })) => {
            Err(NoCode::Unsupported(first_line(&e.to_string())))
        }
        Err(e) => Err(NoCode::Wrong(first_line(&e.to_string()))),
    }
}

fn compare_ours(
    program: &Program,
    cubin: &Cubin,
    expected: &[Option<Outcome>],
    volume: Volume,
    row: &mut Row,
) {
    for (n, (from, expected)) in program.launches.iter().zip(expected).enumerate() {
        let Some(expected) = expected else { continue };
        let mut ways = vec![(0, Approx::Nearest, true)];
        if volume == Volume::Full || n == 0 {
            ways.extend([
                (1, Approx::Nearest, false),
                (2, Approx::Nearest, true),
                (3, Approx::Nearest, false),
            ]);
            if program.approximate {
                ways.extend([(0, Approx::Low, false), (0, Approx::High, false)]);
            }
        }
        for (order, approx, timing) in ways {
            row.runs += 1;
            let got = prepare(from, &sass::layout(cubin, &from.entry))
                .and_then(|l| sass::run(cubin, &from.entry, &l, &options(order, approx, timing)));
            let said = match got {
                Ok(got) => differences(program, from, expected, &got).map_err(|e| e.to_string()),
                Err(e) => Err(tell(&e)),
            };
            if let Err(e) = said {
                row.ours = format!("{e} ({}, order {order}, {approx:?})", from.label);
                return;
            }
        }
    }
}

fn compare_recorded(program: &Program, bytes: &[u8], expected: &[Option<Outcome>], volume: Volume) -> String {
    let cubin = match sassafras_cubin::read(bytes) {
        Ok(c) => c,
        Err(e) => return format!("unknown: {e}"),
    };
    let count = if volume == Volume::Full { usize::MAX } else { 2 };
    for (from, expected) in program.launches.iter().zip(expected).take(count) {
        let Some(expected) = expected else { continue };
        let got = prepare(from, &sass::layout(&cubin, &from.entry))
            .and_then(|l| sass::run(&cubin, &from.entry, &l, &options(0, Approx::Nearest, false)));
        match got {
            Ok(got) => {
                if let Err(e) = differences(program, from, expected, &got) {
                    return format!("{e} ({})", from.label);
                }
            }
            Err(e) if e.is_unsupported() => return format!("unknown: {}", first_line(&e.to_string())),
            Err(e) => return tell(&e),
        }
    }
    AGREES.into()
}

/// How a buffer differs from what it has to be.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Its place among the launch's buffers.
    pub buffer: usize,
    /// What differs.
    pub how: reference::Mismatch,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "differs: buffer {}: {}", self.buffer, self.how)
    }
}

impl std::error::Error for Difference {}

/// Compares two runs by what the launch file declares: outputs as declared, inputs unchanged.
///
/// # Errors
/// The first difference.
pub fn differences(
    program: &Program,
    from: &reference::Launch,
    expected: &Outcome,
    got: &Outcome,
) -> Result<(), Difference> {
    let outputs = program.outputs(from);
    for (index, (want, have)) in expected.buffers.iter().zip(&got.buffers).enumerate() {
        let output = outputs.iter().find(|(i, ..)| *i == index);
        let (how, ty) = match output {
            Some((_, how, ty)) => (how.clone(), *ty),
            None => (Compare::Exact, reference::Type::U8),
        };
        let (how, ty) = match &program.tolerance {
            Some(t) if output.is_some() => (Compare::Ulp { ulp: t.ulp, because: t.because.clone() }, t.ty),
            _ => (how, ty),
        };
        let how = match how {
            Compare::Ulp { .. } if program.tolerance.is_some() => how,
            // Both sides approximate, each within the bound.
            Compare::Ulp { ulp, because } => Compare::Ulp { ulp: 2 * ulp, because },
            Compare::Exact if program.contracted && ty.is_float() => {
                Compare::Ulp { ulp: 1 << 12, because: "contraction".into() }
            }
            other => other,
        };
        how.check(ty, want, have).map_err(|how| Difference { buffer: index, how })?;
    }
    Ok(())
}

/// The launch that a description says, its parameters laid out as an entry wants them.
///
/// # Errors
/// When the parameters do not fit.
pub fn prepare(
    from: &reference::Launch,
    layout: &Result<Vec<sassafras_execute::Slot>, sassafras_execute::LaunchError>,
) -> Result<Launch, Failure> {
    let layout = layout.clone().map_err(Failure::Launch)?;
    let arguments: Vec<Argument> = from
        .params
        .iter()
        .map(|p| match p {
            Param::Buffer(b) => Argument::Buffer(b.data.to_bytes()),
            Param::Scalar(s) => Argument::Value(s.bytes.clone()),
        })
        .collect();
    let mut to = Launch::new(from.grid, from.block);
    to.dynamic_shared = from.shared;
    to.arguments(&layout, &arguments).map_err(Failure::Launch)?;
    Ok(to)
}

pub(crate) fn options(order: u32, approx: Approx, timing: bool) -> Run {
    Run { order, approx, timing, ..Run::default() }
}

pub(crate) fn tell(failure: &Failure) -> String {
    let kind = if failure.is_unsupported() { "unsupported" } else { "differs" };
    format!("{kind}: {}", failure.to_string().replace('\n', " "))
}

pub(crate) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
