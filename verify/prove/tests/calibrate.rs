//! Calibration: kernels of one operation each, compiled by ptxas without and with optimisation, held against their source.
//! What is refuted is an error of our meanings, or of ptxas's. `cargo xtask long calibrate` takes all of them and writes
//! `reports/calibration.md` and the list of what is not proved.

#![allow(missing_docs)]

mod common;

use common::{line, module, table, z3};
use sassafras_chip::{Chip, Features};
use sassafras_generate::exercise::{self, Exercise};
use sassafras_generate::ptxas;
use sassafras_oracle::Ptxas;
use sassafras_prove::{Limits, Verdict, prove_within};

const VERSION: &str = "13.0.88";
/// Kernels per call of ptxas.
const PACK: usize = 40;
const LEVELS: [&str; 2] = ["-O0", "-O3"];

/// What calibration found of ptxas.
const ERRORS: &str = "\
What is refuted are errors of ptxas, in 13.0.88 and in 13.5.37; `corpus/ptxas-open` has a program for each:

- `@p set.eq.f32.s32 f, a, b` leaves `f` alone where `p` is false (PTX ISA, *Predicated Execution*). ptxas makes the integer -1 or 0 under the guard and
  converts it without: the old bits of `f` go through `IABS` and `I2FP.F32.S32` too. The same holds of halves, of 16-bit sources, and of `testp`.
- `bfe.u64` takes the low 8 bits of position and length (PTX ISA, `bfe`: `pos = b & 0xff`). ptxas shifts by all 32.
- `fns.b32` by -2147483648 finds no bit and gives 0xffffffff (PTX ISA, `fns`). ptxas compares the number of bits with -2147483648 as signed numbers, and gives
  a place.
- A number that `neg.s32` made, to `cvt.sat` or `slct`: -2147483648 stays what it is. ptxas saturates and compares as if it became 2147483648.
- `mov.b64 {r, s}, variable` takes an address apart into halves of 32 bits (PTX ISA, `mov`). ptxas gives the halves of its low word, of 16 bits each.

";

/// Compiles kernels; those that ptxas refuses are left out.
fn compile<'e>(
    ptxas: &Ptxas,
    level: &str,
    all: &[&'e Exercise],
) -> Vec<(Vec<&'e Exercise>, String, Vec<u8>)> {
    let text = exercise::module(exercise::target(Chip::Sm90), all.iter().copied());
    match ptxas.compile_text(&text, "sm_90a", &[level]) {
        Ok((bytes, _)) => vec![(all.to_vec(), text, bytes)],
        Err(_) if all.len() < 2 => Vec::new(),
        Err(_) => all.chunks(all.len().div_ceil(4)).flat_map(|part| compile(ptxas, level, part)).collect(),
    }
}

#[test]
fn single_operations_are_proved() {
    const NAME: &str = "single_operations_are_proved";
    let Some(mut z3) = z3(NAME) else { return };
    z3.budget = 10;
    let ptxas = match sassafras_oracle::Tools::here().ptxas(VERSION) {
        Ok(ptxas) => ptxas,
        Err(why) => return sassafras_oracle::skip(NAME, &why),
    };
    let whole = std::env::var_os("SASSAFRAS_ALL_CALIBRATION").is_some();
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok());
    let step = number("SASSAFRAS_CALIBRATION_STEP").unwrap_or(if whole { 1 } else { 907 });
    let wanted = std::env::var("SASSAFRAS_CALIBRATION_ONLY").unwrap_or_default();
    let all = exercise::all();
    let here = |e: &&Exercise| {
        let text = || exercise::module(exercise::target(Chip::Sm90), [*e]);
        e.need.sm <= 90
            && e.need.features == Features::Base
            && e.id.contains(&wanted)
            && sassafras_ptx::load(&text(), "exercise").is_ok()
    };
    let some: Vec<&Exercise> = all.iter().step_by(step).filter(here).collect();
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut errors = 0;
    for level in LEVELS {
        for pack in some.chunks(PACK) {
            for (kernels, text, bytes) in compile(&ptxas, level, pack) {
                let module = module(&text);
                let cubin = sassafras_cubin::read(&bytes).expect("a sound cubin");
                for e in kernels {
                    let record = prove_within(&module, &e.entry, &cubin, &mut z3, Limits::default());
                    eprintln!("{level}\t{}\t{}", e.id, line(&record));
                    match record.verdict {
                        Verdict::Refuted(_) if ptxas::error(&e.line, &e.id).is_some() => errors += 1,
                        Verdict::Refuted(_) => faults.push(format!("{level} {}", e.id)),
                        _ => {}
                    }
                    let family = e.id.split(':').next().unwrap_or_default();
                    rows.push(table::Row::new(&format!("{family} {level}"), &record));
                }
            }
        }
    }
    let text = table::markdown("family", &rows);
    eprintln!("{text}\n{errors} refuted by errors of ptxas's in corpus/ptxas-open");
    if whole || number("SASSAFRAS_CALIBRATION_STEP").is_some_and(|_| std::env::var_os("BLESS").is_some()) {
        let share = if step == 1 { "every kernel".to_owned() } else { format!("one kernel in {step}") };
        let head = format!(
            "# Calibration\n\nWritten by `cargo xtask long calibrate`: each PTX form of the table in a kernel that loads its operands, executes it once \
             and stores\nits results (`verify/generate/src/exercise`), compiled by ptxas {VERSION} for sm_90 and held against its source: {share} of {}, those that need a newer \
             chip or are refused aside.\n{errors} refutations are ptxas's errors:\n\n{ERRORS}",
            all.len()
        );
        let path = sassafras_oracle::workspace_root().join("reports/calibration.md");
        std::fs::write(path, head + &text).expect("written");
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
