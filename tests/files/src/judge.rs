//! Judges of forms that have no text of their own: control trees, words and cubins. A test says what is made wrong.

use anyhow::{Context, anyhow, bail};

use sassafras::Exit;
use sassafras_check::cubin::{self, Made};
use sassafras_check::tree::plant::FAULTS;
use sassafras_check::tree::{Known, View, check_graph, check_known, check_view};
use sassafras_check::{Verdict, container, encode, folding, hazard, ir, lines};
use sassafras_cubin::elf::{self, Image};
use sassafras_cubin::{Cubin, Debug, Shared};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session::{self, Text};
use sassafras_ir::Terminator;
use sassafras_ir::tree::{Extra, Tree};
use sassafras_machine::{Block, Merge};

use crate::text::text;

/// Prints what was found; the exit code is that of `sassafras check`.
fn say(verdict: &Verdict) -> Exit {
    verdict.objections().iter().chain(verdict.unknown()).for_each(|finding| println!("{finding}"));
    match verdict {
        Verdict::Passed => Exit::Done,
        Verdict::Unknown(_) => Exit::Unknown,
        Verdict::Objected(_) => Exit::Refuted,
    }
}

/// `tree IR [FAULT]`: the control tree of a module's function, with a fault of [`FAULTS`], in words with `_` between them, or one of the
/// graph alone (`critical`, `irreducible`) or of what is known of it (`stale`).
pub fn tree(file: &str, fault: Option<&str>) -> anyhow::Result<Exit> {
    let Text::Ir(module, _) = session::read(&text(file)?, file)? else {
        bail!("{file} is no IR");
    };
    let [function] = &module.functions[..] else { bail!("the file has not one function") };
    let tree = Tree::structure(function, Extra::None).map_err(|e| anyhow!("{e:?}"))?;
    let mut view = View::of(&tree);
    let known = Known::of(&view.function);
    let verdict = match fault {
        None => check_view(&view).and(check_known(&view, &known)),
        Some("stale") => {
            let mut old = known;
            old.immediate.pop_last();
            check_known(&view, &old)
        }
        // Both sides of a branch lead to one block.
        Some("critical") => {
            let branch = view.function.blocks.values_mut().find_map(|data| match &mut data.terminator {
                Terminator::Branch { then, otherwise, .. } => Some((then, otherwise)),
                _ => None,
            });
            let (then, otherwise) = branch.context("there is no branch")?;
            *then = otherwise.clone();
            check_graph(&view)
        }
        // A branch beside a loop leads into it.
        Some("irreducible") => {
            let inside = known.loops.values().flatten().copied();
            let headers: Vec<_> = known.loops.keys().copied().collect();
            let inside = inside.filter(|b| !headers.contains(b)).max().context("there is no loop")?;
            let entry = view.function.entry;
            match &mut view.function.blocks[entry].terminator {
                Terminator::Branch { then, .. } => then.block = inside,
                _ => bail!("the entry does not end in a branch"),
            }
            check_graph(&view)
        }
        Some(name) => {
            let wanted = name.replace('_', " ");
            let fault =
                FAULTS.iter().find(|f| f.1 == wanted).with_context(|| format!("no fault is `{wanted}`"))?;
            if !(fault.2)(&mut view) {
                bail!("`{wanted}` finds no place");
            }
            check_view(&view)
        }
    };
    Ok(say(&verdict))
}

/// `module IR [twice]`: a module of IR, in which an instruction may stand twice; no text says that.
pub fn module(file: &str, fault: Option<&str>) -> anyhow::Result<Exit> {
    let Text::Ir(mut module, _) = session::read(&text(file)?, file)? else {
        bail!("{file} is no IR");
    };
    match (fault, module.functions.first_mut()) {
        (None, _) => {}
        (Some("twice"), Some(f)) => {
            let insts = &mut f.blocks[f.entry].insts;
            insts.insert(0, *insts.first().context("there is no instruction")?);
        }
        _ => bail!("no such fault"),
    }
    Ok(say(&ir::check(&module)))
}

/// `words MACHINE WORDS`: a scheduled function, and a file with a word in hexadecimal on each line.
pub fn words(function: &str, words: &str) -> anyhow::Result<Exit> {
    let Text::Machine(f, _) = session::read(&text(function)?, function)? else {
        bail!("{function} is no machine code");
    };
    Ok(say(&encode::check(&f, &[], &hexadecimal(words)?, f.chip)))
}

/// `folded BEFORE AFTER [MERGE …]`: two functions of allocated machine code, and what branch folding merged: `b4<b1,b2:3` for the last three instructions
/// of b1 and b2 that went to b4, `b0<b1,b2:3^` for the first three that went up to b0.
pub fn folded(before: &str, after: &str, merges: &[&str]) -> anyhow::Result<Exit> {
    let function = |file: &str| match session::read(&text(file)?, file)? {
        Text::Machine(f, _) => Ok(*f),
        _ => Err(anyhow!("{file} is no machine code")),
    };
    let merge = |word: &&str| {
        let (tail, rest) = word.split_once('<')?;
        let (from, length) = rest.split_once(':')?;
        let block = |name: &str| name.strip_prefix('b')?.parse().ok().map(Block);
        Some(Merge {
            tail: block(tail)?,
            from: from.split(',').map(block).collect::<Option<_>>()?,
            length: length.trim_end_matches('^').parse().ok()?,
            hoisted: length.ends_with('^'),
        })
    };
    let all: Option<Vec<Merge>> = merges.iter().map(merge).collect();
    let all = all.with_context(|| format!("{merges:?} are no merges"))?;
    Ok(say(&Verdict::of(folding::folded(&function(before)?, &function(after)?, &all), Vec::new())))
}

fn hexadecimal(file: &str) -> anyhow::Result<Vec<u128>> {
    let read = |line: &str| u128::from_str_radix(line.trim(), 16).map_err(|e| anyhow!("{line}: {e}"));
    text(file)?.lines().map(read).collect()
}

/// `hazards WORDS`: words for sm_90 that may be no instructions, as [`words`] reads them.
pub fn hazards(words: &str) -> anyhow::Result<Exit> {
    Ok(say(&hazard::check_words(&hexadecimal(words)?, sassafras_isa::Chip::Sm90)))
}

/// `cubin PTX [FIELD=VALUE …]`: the cubin of a module for sm_90, with fields of its first function, of a section or of a segment set.
pub fn cubin(source: &str, edits: &[&str]) -> anyhow::Result<Exit> {
    let arch = Some(Arch::Real("sm_90".parse().map_err(|e| anyhow!("{e:?}"))?));
    let ptx = text(source)?;
    let options = Options { jobs: 1, arch, line_info: ptx.contains(".loc"), ..Options::default() };
    let nobody = sassafras_driver::observe::Nobody;
    let made = session::compile(&ptx, source, &options, None, &nobody)?;
    let (mut cubin, bytes) = made.cubin.context("the PTX made no cubin")?;
    let as_made = |f: &sassafras_cubin::Function| Made {
        name: f.name.clone(),
        words: f.code.clone(),
        shared_bytes: f.shared.map_or(0, |s| s.size),
        param_bytes: f.param_size,
        frame_bytes: f.frame_size,
    };
    let made: Vec<Made> = cubin.functions.iter().map(as_made).collect();
    let mut image = elf::read(&bytes)?;
    for edit in edits {
        let (field, value) = edit.split_once('=').with_context(|| format!("`{edit}` is no FIELD=VALUE"))?;
        set(&mut cubin, &mut image, field, value).with_context(|| format!("`{edit}` cannot be done"))?;
    }
    let mut verdict = container::check(&image).and(cubin::check(&cubin, &made));
    if cubin.debug == Debug::None {
        verdict = verdict.and(lines::check(&cubin, &lines::Expected::default(), &[]));
    }
    Ok(say(&verdict))
}

fn set(cubin: &mut Cubin, image: &mut Image, field: &str, value: &str) -> Option<()> {
    let number = || match value.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    };
    let small = || number().and_then(|n| u32::try_from(n).ok());
    let list = || -> Option<Vec<u32>> {
        value.split(',').map(|n| u32::from_str_radix(n.trim_start_matches("0x"), 16).ok()).collect()
    };
    if let Some((name, what)) = field.split_once(':') {
        let index: Option<usize> = name.strip_prefix("segment").and_then(|n| n.parse().ok());
        if let Some(segment) = index.and_then(|i| image.segments.get_mut(i)) {
            match what {
                "flags" => segment.flags = small()?,
                _ => return None,
            }
            return Some(());
        }
        let section = image.sections.iter_mut().find(|s| s.name == name)?;
        match what {
            "flags" => section.flags = number()?.try_into().ok()?,
            "kind" => section.kind = small()?,
            "bytes" => {
                let mut bytes = section.bytes().to_vec();
                bytes.resize(small()? as usize, 0);
                section.data = elf::Data::Bytes(bytes);
            }
            _ => return None,
        }
        return Some(());
    }
    if field == "addresses" {
        cubin.addresses.truncate(small()? as usize);
        return Some(());
    }
    if (field, value) == ("debug", "none") {
        cubin.debug = Debug::None;
        return Some(());
    }
    let f = cubin.functions.first_mut()?;
    if let Some(at) = field.strip_prefix("word") {
        *f.code.get_mut(at.parse::<usize>().ok()?)? = number()?;
        return Some(());
    }
    match field {
        "length" => f.code.truncate(small()? as usize),
        "registers" => f.registers = small()?,
        "barriers" => f.barriers = small()?.try_into().ok()?,
        "exits" => f.exit_offsets = list()?,
        "collectives" => f.coop_group_offsets = list()?,
        "parameters" => f.param_size = small()?,
        "frame" => f.frame_size = small()?,
        "stack" => f.min_stack = Some(small()?),
        "threads" => f.max_threads = Some([small()?, 1, 1]),
        "shared" => f.shared = Some(Shared { size: small()?, align: 4 }),
        _ => return None,
    }
    Some(())
}
