//! Texts of IR, machine code and SASS, before their judges.

use std::path::Path;

use sassafras_check::{Verdict, allocation, hazard, ir, lines, machine, schedule};
use sassafras_driver::Stage;
use sassafras_driver::session::{self, Text};
use sassafras_machine::Function;

use crate::{Failure, assembly, files};

/// What the judges of a text's form say; `None` if it is neither IR nor machine code. With `before`, what allocation, placement or scheduling
/// was given, their own judge alone.
pub(super) fn judge(text: &str, path: &Path, before: Option<&Path>) -> Result<Option<Verdict>, Failure> {
    let (form, stage) = match read(text, path)? {
        Text::Ptx if before.is_some() => {
            return Err(Failure::usage("`--before` is for machine code"));
        }
        Text::Ptx => return Ok(None),
        Text::Ir(..) if before.is_some() => return Err(Failure::usage("`--before` is for machine code")),
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
    if let Some(path) = before {
        return Ok(Some(between(&function(path)?, &form, stage)));
    }
    let verdict = machine::check(&form);
    Ok(Some(match stage {
        Stage::Prepare | Stage::Arrange => verdict.and(machine::check_critical(&form)),
        Stage::Schedule => verdict.and(hazard::check(&form)),
        _ => verdict,
    }))
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

/// What a phase's own judge says; of every phase whether lines were kept.
fn between(before: &Function, after: &Function, stage: Stage) -> Verdict {
    let own = match stage {
        Stage::Allocate => allocation::check(before, after),
        Stage::Layout => machine::check_placement(before, after),
        Stage::Arrange | Stage::Schedule => schedule::check(before, after),
        _ => Verdict::Passed,
    };
    own.and(lines::check_kept(before, after))
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
