//! Line information: which place in the source each line of the PTX comes from, and the sections that say so.
//!
//! Instructions carry their line of PTX through every phase; what `.loc` says of it is looked up at the end. As ptxas 13.0.88
//! does, the sections are written with `-lineinfo`, and without it when the module has a `.loc`; never with
//! `-suppress-debug-info`.

use std::collections::HashMap;

use sassafras_cubin::{Cubin, Debug};
use sassafras_emit::lines::{File, Inlined, Lines, Origin, Place};
use sassafras_ptx::checked::{Location, Module, SourceFile};

use super::finished::Finished;
use crate::options::Options;
use crate::warning::Warning;

/// What the text of the PTX says about its source.
pub(super) struct Source {
    lines: Lines,
    /// For each line of PTX with an instruction the index of its place, unless it has none.
    of_line: HashMap<u32, Option<u32>>,
}

/// Whether line information is wanted of this module.
pub(super) fn wanted(module: &Module, options: &Options) -> bool {
    let has_lines = module.functions.iter().any(|f| !f.locations.is_empty());
    !options.suppress_debug && (options.line_info || has_lines)
}

/// Which debug sections of the PTX the cubin does not have. ptxas leaves out the same without `-g`.
pub(super) fn left_out(module: &Module, options: &Options) -> Option<String> {
    let mut names: Vec<&str> = module.debug.other_sections.iter().map(String::as_str).collect();
    if !module.debug.strings.is_empty() && !wanted(module, options) {
        names.push(".debug_str");
    }
    let what = "debug sections of the PTX are left out, which only -g would keep";
    (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
}

impl Source {
    /// Reads the `.loc`s of a module, whose text this is. What cannot be kept goes to the warnings.
    pub(super) fn new(module: &Module, text: &str, warnings: &mut Vec<Warning>) -> Source {
        let file = |f: &SourceFile| File { name: f.name.clone(), time: f.time, size: f.size };
        let debug = &module.debug;
        let files = named(module).zip(0..).map(|(file, at)| (file.index, at)).collect();
        let mut places =
            Places { files, list: Vec::new(), known: HashMap::new(), at: HashMap::new(), lost: None };
        let mut of_line = HashMap::new();
        for function in &module.functions {
            let by_location: Vec<Option<u32>> = function.locations.iter().map(|l| places.place(l)).collect();
            let mut behind = 0;
            for (index, inst) in function.insts.iter().flatten().enumerate() {
                while function.locations.get(behind).is_some_and(|l| l.before as usize <= index) {
                    behind += 1;
                }
                let place = behind.checked_sub(1).and_then(|at| by_location[at]);
                // Of several instructions in one line the first decides.
                of_line.entry(inst.line).or_insert(place);
            }
        }
        if let Some(index) = places.lost {
            warnings.push(match debug.files.is_empty() {
                true => Warning::NoFiles,
                false => Warning::NoFile(index),
            });
        }
        let lines = Lines {
            files: named(module).map(file).collect(),
            places: places.list,
            strings: debug.strings.clone(),
            ptx: text.into(),
            functions: Vec::new(),
        };
        Source { lines, of_line }
    }

    /// The lines of what was compiled, the functions in the order of the cubin.
    pub(super) fn lines(&self, cubin: &Cubin, results: &[Option<Finished>]) -> Lines {
        let made: HashMap<&str, &[u32]> =
            results.iter().flatten().map(|r| (&r.entry.name[..], &r.code.lines[..])).collect();
        let origin = |&ptx: &u32| Origin { place: self.of_line.get(&ptx).copied().flatten(), ptx };
        let functions = cubin.functions.iter().filter_map(|f| {
            let lines = made.get(f.name.as_str())?;
            Some((f.name.clone(), lines.iter().map(origin).collect()))
        });
        Lines { functions: functions.collect(), ..self.lines.clone() }
    }
}

/// Puts the sections into the cubin.
pub(super) fn attach(cubin: &mut Cubin, lines: &Lines) -> Result<(), sassafras_cubin::Error> {
    cubin.sections.extend(lines.sections()?);
    cubin.debug = if lines.strings.is_empty() { Debug::Lines } else { Debug::Sections };
    Ok(())
}

/// The files of a module; one without a name is as good as none.
fn named(module: &Module) -> impl Iterator<Item = &SourceFile> {
    module.debug.files.iter().filter(|f| !f.name.is_empty())
}

/// The places of a module, each once.
struct Places {
    /// By index of `.file` the place in the list of files.
    files: HashMap<u32, u32>,
    list: Vec<Place>,
    known: HashMap<Place, u32>,
    /// The last place that a `.loc` with this file, line and column made.
    at: HashMap<[u32; 3], Option<u32>>,
    /// A file that no `.file` declares.
    lost: Option<u32>,
}

impl Places {
    /// The index of a location's place; none for line 0 and a file that is not declared.
    fn place(&mut self, location: &Location) -> Option<u32> {
        let index = self.index(location);
        self.at.insert([location.file, location.line, location.column], index);
        index
    }

    fn index(&mut self, location: &Location) -> Option<u32> {
        if location.line == 0 {
            return None;
        }
        let Some(&file) = self.files.get(&location.file) else {
            self.lost.get_or_insert(location.file);
            return None;
        };
        let inlined = location.inlined.as_ref().and_then(|inlined| {
            let call = self.at.get(&inlined.at).copied().flatten()?;
            Some(Inlined { function: inlined.function, call })
        });
        let place = Place { file, line: location.line, inlined };
        let next = u32::try_from(self.list.len()).ok()?;
        let index = *self.known.entry(place).or_insert(next);
        if index == next {
            self.list.push(place);
        }
        Some(index)
    }
}
