//! A program that shows something, reduced, as a file that says how.

use super::{Fate, Reference, SIZES, STEPS, case, run};
use sassafras::harness::compiler::{Compiler, Made};
use sassafras_generate::reduce::reduce;

/// What becomes of a text: as [`super::hold`], on one size of block and as many orders as the finding took.
fn again(text: &str, seed: u64, compiler: &Compiler, found: &Fate) -> Option<Fate> {
    let (threads, order) = match found {
        Fate::Wrong(threads, order, _) | Fate::Stopped(threads, order, _) => (*threads, *order),
        // What does not compile is still a program.
        _ => (64, 0),
    };
    let fate = match compiler.compile(text) {
        Made::Refused(_) => return None,
        Made::Broken(why) => Fate::Broken(why.to_string()),
        Made::Cubin(cubin, _) => {
            if matches!(found, Fate::Broken(_)) {
                return None;
            }
            let reference = Reference::of_text(text, seed, false, &[threads]).ok()?;
            let size = SIZES.iter().position(|s| *s == threads)?;
            return Some(run(&reference, &cubin, &[size], order + 1, compiler.is_ours(), STEPS));
        }
    };
    // The order of these: what costs little first.
    if fate.class() != found.class() || !matches!(found, Fate::Broken(_)) {
        return None;
    }
    Reference::of_text(text, seed, false, &[1, threads]).ok()?;
    Some(fate)
}

/// The smallest program that steps lead to and that shows the same; the program itself if it does not show it again. `taken` sees each step.
pub fn reduced(
    text: &str,
    seed: u64,
    compiler: &Compiler,
    found: &Fate,
    taken: &mut dyn FnMut(&str),
) -> String {
    let keep = |text: &str| {
        again(text, seed, compiler, found)
            .is_some_and(|f| f.word() == found.word() && (f.class() == found.class() || f.word() != "exit 3"))
    };
    if !keep(text) {
        return text.to_owned();
    }
    reduce(text, &keep, 1, &mut |text, _| taken(text)).map_or_else(|_| text.to_owned(), |r| r.text)
}

/// The file of a finding: its launch, what was found and by what, the program.
pub fn file(text: &str, seed: u64, compiler: &Compiler, found: &Fate) -> String {
    let (threads, how) = match found {
        Fate::Wrong(threads, order, how) | Fate::Stopped(threads, order, how) => {
            (*threads, format!("order {order}: {how}"))
        }
        Fate::Refused(how) | Fate::Broken(how) | Fate::Unsupported(how) => (64, how.clone()),
        Fate::Right(runs) => (64, format!("{runs} runs")),
    };
    let said = format!("// {}: {}: {how}", compiler.label(), found.word());
    let said = said.trim_end().replace('\n', "\n// ");
    case(&format!("{said}\n{text}"), seed, threads).file()
}
