//! One stage alone, on the text of its input.

use anyhow::{Context, anyhow, bail};

use std::path::Path;

use crate::judge;
use crate::text::text;
use sassafras::Exit;
use sassafras_check::Verdict;
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::Options;
use sassafras_driver::session::{self, Text};
use sassafras_isa::{ControlFlowKind, Inst, RegClass, decode};
use sassafras_opt::{Choices, Level, PASSES};

/// Phases whose text `compile --stop-after` writes.
const PHASES: [&str; 11] = [
    "lower",
    "optimise",
    "select",
    "prepare",
    "arrange",
    "allocate",
    "expand",
    "branch-folder",
    "converge",
    "layout",
    "schedule",
];

/// Runs a command of a file test, or says that it is one of `sassafras`'s own.
///
/// # Errors
/// What is wrong with the command or its files.
pub fn run(words: &[String]) -> anyhow::Result<Option<Exit>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["opt", passes, file] => opt(passes, file).map(Some),
        ["prove", code, "--against", source, ref rest @ ..] if code.ends_with(".sass") => {
            prove(code, source, rest).map(Some)
        }
        ["same", first, ref others @ ..] => same(first, others).map(Some),
        ["tree", file] => judge::tree(file, None).map(Some),
        ["tree", file, fault] => judge::tree(file, Some(fault)).map(Some),
        ["words", function, words] => judge::words(function, words).map(Some),
        ["module", file] => judge::module(file, None).map(Some),
        ["module", file, fault] => judge::module(file, Some(fault)).map(Some),
        ["folded", before, after, ref merges @ ..] => judge::folded(before, after, merges).map(Some),
        ["hazards", words] => judge::hazards(words).map(Some),
        ["cubin", source, ref edits @ ..] => judge::cubin(source, edits).map(Some),
        // Of graphs `layout` is a command of its own.
        ["layout", file, ..] if file.ends_with(".json") || file.starts_with('-') => Ok(None),
        [phase, file, ref rest @ ..] if PHASES.contains(&phase) => {
            let from = if file.ends_with(".ptx") { vec![file] } else { vec!["--start-from", file] };
            let line =
                [vec!["sassafras", "compile"], from, vec!["--stop-after", phase, "-o", "-"], rest.to_vec()];
            Ok(Some(sassafras::main(line.concat().into_iter().map(Into::into))))
        }
        _ => Ok(None),
    }
}

/// Whether files have the same bytes.
fn same(first: &str, others: &[&str]) -> anyhow::Result<Exit> {
    let read = |file: &str| std::fs::read(file).map_err(|e| anyhow!("{file}: {e}"));
    for other in others {
        if read(first)? != read(other)? {
            println!("{first} and {other} differ");
            return Ok(Exit::Wrong);
        }
    }
    Ok(Exit::Done)
}

/// Runs passes of the optimiser on each function of an IR module, and prints the module. What a pass makes is judged.
fn opt(passes: &str, file: &str) -> anyhow::Result<Exit> {
    let Text::Ir(mut module, stage) = session::read(&text(file)?, file)? else {
        bail!("{file} is no IR");
    };
    let objects = |module: &sassafras_ir::Module, when: &str| match sassafras_check::ir::check(module) {
        Verdict::Passed => Ok(()),
        verdict => Err(anyhow!("{when}: {:?}", verdict.objections())),
    };
    objects(&module, "the file")?;
    let choices = Choices::from(Level::O3);
    for name in passes.split(',') {
        let pass =
            PASSES.iter().find(|p| p.name == name).with_context(|| format!("no pass is called `{name}`"))?;
        let changes: usize =
            module.functions.iter_mut().map(|function| pass.run(function, &choices).changes).sum();
        eprintln!("{name}: {changes} changes");
        objects(&module, name)?;
    }
    print!("{}", sassafras_ir::text::print(&module, stage.row().name));
    Ok(Exit::Done)
}

/// Holds SASS as text against PTX. Whatever else stands in a cubin is taken from what Sassafras makes of the PTX.
fn prove(code: &str, source: &str, rest: &[&str]) -> anyhow::Result<Exit> {
    let options = Options { jobs: 1, ..Options::default() };
    let made = session::compile(&text(source)?, source, &options, None, &Nobody)?;
    let (mut cubin, _) = made.cubin.context("the PTX made no cubin")?;
    let [function] = &mut cubin.functions[..] else { bail!("the PTX has not one function") };
    let chip = sassafras_isa::Chip::from_number(cubin.sm).context("the chip has no table")?;
    let read = sassafras::assembly::read(&text(code)?, Some(chip)).map_err(|found| {
        anyhow!("{}", found.iter().map(|f| format!("{f:?}")).collect::<Vec<_>>().join("; "))
    })?;
    let [section] = &read.sections[..] else { bail!("the SASS has not one section") };
    function.code = section.words.iter().map(|w| w.bits).collect();
    while !function.code.len().is_multiple_of(8) {
        let nop = Inst::new(sassafras_isa::form("nop").context("there is no NOP")?);
        function.code.push(sassafras_isa::encode(&nop, chip)?);
    }
    let insts: Vec<Inst> = function.code.iter().filter_map(|&w| decode(w, chip).ok()).collect();
    let exit = |inst: &Inst| inst.row().control_flow == Some(ControlFlowKind::Exit);
    function.exit_offsets = (0..).zip(&insts).filter(|(_, i)| exit(i)).map(|(at, _)| 16 * at).collect();
    let named = insts.iter().flat_map(Inst::operands).filter(|o| o.class == RegClass::R);
    function.registers = named.map(|o| o.number + u32::from(o.units)).max().unwrap_or(0) + 2;
    let target = Path::new("made.cubin");
    let bytes = sassafras_emit::write(&cubin)?;
    std::fs::write(target, bytes)?;
    let line = [vec!["sassafras", "prove", source, "--against", "made.cubin"], rest.to_vec()].concat();
    Ok(sassafras::main(line.into_iter().map(Into::into)))
}
