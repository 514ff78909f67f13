//! Texts of IR, machine code and SASS, before their judges.

use std::path::Path;

use sassafras_check::{Verdict, allocation, hazard, ir, machine, schedule};
use sassafras_driver::Stage;
use sassafras_driver::session::{self, Text};
use sassafras_machine::Function;

use crate::{Failure, assembly, files};

/// What the judges of a text's form say; `None` if it is neither IR nor machine code. Of machine code that allocation, placement or
/// scheduling made, `before` is what they were given.
pub(super) fn judge(text: &str, path: &Path, before: Option<&Path>) -> Result<Option<Verdict>, Failure> {
    let (form, stage) = match read(text, path)? {
        Text::Ptx if before.is_some() => {
            let what = "`--before` is for machine code, which allocation, placement or scheduling made";
            return Err(Failure::usage(what));
        }
        Text::Ptx => return Ok(None),
        Text::Ir(module, stage) => {
            let verdict = ir::check(&module);
            return Ok(Some(match stage {
                // Later phases of IR need what `optimise` promises.
                Stage::Optimise => verdict.and(ir::check_reducible(&module)),
                _ => verdict,
            }));
        }
        Text::Machine(form, stage) => (form, stage),
    };
    let mut verdict = machine::check(&form);
    match stage {
        Stage::Prepare => verdict = verdict.and(machine::check_critical(&form)),
        Stage::Schedule => verdict = verdict.and(hazard::check(&form)),
        _ => {}
    }
    if let Some(path) = before {
        verdict = verdict.and(between(&function(path)?, &form, stage)?);
    }
    Ok(Some(verdict))
}

fn read(text: &str, path: &Path) -> Result<Text, Failure> {
    session::read(text, &path.display().to_string()).map_err(|stopped| Failure::wrong(stopped.to_string()))
}

fn function(path: &Path) -> Result<Function, Failure> {
    match read(&files::read_text(path)?, path)? {
        Text::Machine(function, _) => Ok(*function),
        Text::Ptx | Text::Ir(..) => Err(Failure::wrong("this is no machine code").about(path)),
    }
}

fn between(before: &Function, after: &Function, stage: Stage) -> Result<Verdict, Failure> {
    Ok(match stage {
        Stage::Allocate => allocation::check(before, after),
        Stage::Layout => machine::check_placement(before, after),
        Stage::Schedule => schedule::check(before, after),
        _ => {
            let what = format!(
                "`--before` with machine code of phase {stage}; allocate, layout and schedule have a judge"
            );
            return Err(Failure::usage(what));
        }
    })
}

/// What the hazard checker says of SASS as text.
///
/// # Errors
/// The text does not assemble; the findings are laid out.
pub(super) fn listing(
    text: &str,
    path: &Path,
    chip: Option<sassafras_chip::Chip>,
) -> Result<Verdict, Failure> {
    let name = path.display().to_string();
    let wrong = |found: Vec<assembly::Finding>| {
        Failure::diagnostics(crate::Exit::Wrong, assembly::render(&name, text, &found))
    };
    let read = assembly::read(text, chip).map_err(wrong)?;
    let words = read.sections.iter().map(|s| s.words.iter().map(|w| w.bits).collect::<Vec<u128>>());
    Ok(words.map(|words| hazard::check_words(&words, read.chip)).fold(Verdict::Passed, Verdict::and))
}
