//! Rules about line information: what the sections say of a word is what the PTX says of the line that it was made from.
//!
//! Written from the DWARF standard, version 2, chapter 6.2 (gimli reads it), and from what nvdisasm shows of NVIDIA's extended opcode
//! 0x90. The expected places come from the `.loc`s of the checked PTX.

mod program;

pub use program::{Frame, LineError, Sequence, sequences};

use crate::report::Report;
use crate::rules::Rule;
use rustc_hash::FxHashMap;
use sassafras_cubin::{Cubin, Debug};
use sassafras_hazards::Verdict;
use sassafras_machine as machine;
use sassafras_ptx::checked::{Location, Module};
use std::collections::HashMap;

/// Bytes of a word.
const WORD: u64 = 16;

/// The lines of PTX that a function's words were made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Its symbol.
    pub name: String,
    /// For each word its 1-based line; 0 if none. Padding is left out.
    pub lines: Vec<u32>,
}

impl Made {
    /// From the scheduled function.
    pub fn of(f: &machine::Function) -> Made {
        Made { name: f.name.clone(), lines: f.insts().map(|(_, _, inst)| inst.line).collect() }
    }
}

/// What the PTX says of each of its lines that has an instruction. Several instructions in one line may have several places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    of_line: HashMap<u32, Vec<Vec<Frame>>>,
}

impl Expected {
    /// From the `.loc`s of a module.
    pub fn of(module: &Module) -> Expected {
        let mut expected = Expected::default();
        let mut earlier: HashMap<[u32; 3], Vec<Frame>> = HashMap::new();
        for function in &module.functions {
            let mut now = Vec::new();
            let mut locations = function.locations.iter().peekable();
            for (index, inst) in function.insts.iter().flatten().enumerate() {
                while let Some(location) = locations.next_if(|l| l.before as usize <= index) {
                    now = frames(module, location, &earlier);
                    earlier.insert([location.file, location.line, location.column], now.clone());
                }
                let list = expected.of_line.entry(inst.line).or_default();
                if !list.contains(&now) {
                    list.push(now.clone());
                }
            }
            for location in locations {
                let rest = frames(module, location, &earlier);
                earlier.insert([location.file, location.line, location.column], rest);
            }
        }
        expected
    }
}

/// The place of a `.loc` and the calls around it, innermost first; empty for line 0 and files that are not declared.
fn frames(module: &Module, location: &Location, earlier: &HashMap<[u32; 3], Vec<Frame>>) -> Vec<Frame> {
    // A file without a name is as good as none.
    let file = module.debug.file(location.file).filter(|file| !file.name.is_empty());
    let Some(file) = file.filter(|_| location.line != 0) else { return Vec::new() };
    let mut frame = Frame { file: file.name.clone(), line: location.line.into(), function: None };
    let Some(inlined) = &location.inlined else { return vec![frame] };
    let around = earlier.get(&inlined.at).filter(|list| !list.is_empty());
    let Some(around) = around else { return vec![frame] };
    frame.function = program::name_at(&module.debug.strings, inlined.function.into());
    [&[frame], &around[..]].concat()
}

/// Judges a phase of machine code: an instruction that both forms name has one line.
pub fn check_kept(before: &machine::Function, after: &machine::Function) -> Verdict {
    let mut report = Report::of(&after.name);
    let named = |f: &machine::Function| -> Vec<(u32, u32)> {
        f.insts().filter_map(|(_, _, inst)| Some((inst.origin?, inst.line))).collect()
    };
    let lines: FxHashMap<u32, u32> = named(before).into_iter().filter(|(_, line)| *line != 0).collect();
    for (origin, line) in named(after) {
        if let Some(old) = lines.get(&origin).filter(|old| **old != line) {
            let what = format!("it is of line {line} of the PTX, and was of line {old}");
            report.add(Rule::LinesKept, format!("origin {origin}"), what);
        }
    }
    report.verdict()
}

/// Judges the line information of a cubin, if it says that it has any.
pub fn check(cubin: &Cubin, expected: &Expected, made: &[Made]) -> Verdict {
    let mut report = Report::default();
    if cubin.debug == Debug::None {
        if let Some(section) = cubin.sections.iter().find(|s| s.is_lines()) {
            report.add(
                Rule::LinesShape,
                &section.name,
                "the file's flags say that it has no line information",
            );
        }
        return report.verdict();
    }
    let [source, ptx] = [".debug_line", ".nv_debug_line_sass"].map(|name| {
        let rows = sequences(cubin, name);
        rows.map_err(|why| report.add(Rule::LinesShape, name, why.to_string())).unwrap_or_default()
    });
    for f in &cubin.functions {
        report.function.clone_from(&f.name);
        let Some(made) = made.iter().find(|made| made.name == f.name) else { continue };
        let size = WORD * f.code.len() as u64;
        let [source, ptx] =
            [(&source, ".debug_line"), (&ptx, ".nv_debug_line_sass")].map(|(list, section)| {
                let mut found = list.iter().filter(|s| s.symbol == f.name);
                let (sequence, more) = (found.next(), found.next());
                if more.is_some() {
                    report.add(Rule::LinesShape, section, "two sequences for one function");
                }
                if let Some(sequence) = sequence.filter(|s| s.end != size) {
                    let what = format!("the sequence ends at {:#x}, the function at {size:#x}", sequence.end);
                    report.add(Rule::LinesShape, section, what);
                }
                sequence
            });
        for (index, &line) in made.lines.iter().enumerate().filter(|(_, line)| **line != 0) {
            let at = WORD * index as u64;
            let row = ptx.and_then(|s| s.at(at));
            if row.map(|row| row.line) != Some(line.into()) {
                let says = row.map_or("nothing".into(), |row| format!("line {}", row.line));
                let what = format!("made from line {line} of the PTX, and the section says {says}");
                report.add(Rule::LinesPtx, format!("{at:#x}"), what);
            }
            let Some(places) = expected.of_line.get(&line) else {
                report.add(Rule::LinesPtx, format!("{at:#x}"), format!("line {line} has no instruction"));
                continue;
            };
            // What the PTX says nothing of belongs to any row.
            if places.iter().any(Vec::is_empty) {
                continue;
            }
            let row = source.and_then(|s| s.at(at));
            if !row.is_some_and(|row| places.contains(&row.frames)) {
                let says = row.map_or("nothing".into(), |row| program::shown(&row.frames));
                let wanted = program::shown(&places[0]);
                let what = format!("the PTX says {wanted}, and the section says {says}");
                report.add(Rule::LinesPlace, format!("{at:#x}"), what);
            }
        }
    }
    text(cubin, made, &mut report);
    report.verdict()
}

/// The text of the PTX has the lines that are named.
fn text(cubin: &Cubin, made: &[Made], report: &mut Report) {
    let name = ".nv_debug_ptx_txt";
    report.function.clear();
    let section = cubin.sections.iter().find(|s| s.name == name);
    let data = section.and_then(|s| s.data.as_deref()).unwrap_or_default();
    if data.last().is_some_and(|&byte| byte != 0) {
        report.add(Rule::LinesPtx, name, "its last line does not end in zero");
    }
    let lines: Vec<&[u8]> = data.split_inclusive(|&byte| byte == 0).collect();
    let named = made.iter().flat_map(|made| &made.lines).filter(|&&line| line != 0);
    for &line in named {
        // A line with an instruction holds more than its zero.
        if lines.get(line as usize - 1).is_none_or(|text| text.len() < 2) {
            return report.add(Rule::LinesPtx, name, format!("line {line}, which words name, is empty"));
        }
    }
}
