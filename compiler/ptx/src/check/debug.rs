//! Debugging directives: `.file`, `.loc` and debug sections.
//!
//! What ptxas 13.0.88 refuses is refused here, by experiment: a second `.file` of one index, numbers beyond 32 bits in `.loc`,
//! a call that no earlier `.loc` names, a label that `.debug_str` lacks.

use super::Checker;
use super::constant::{Constant, evaluate, integer};
use crate::ast::{BinaryOp, Expr, File, Item, Loc, Name, Section, SectionLine};
use crate::checked::{Inlined, Location, SourceFile};
use crate::diagnostics::Code;
use std::collections::{HashMap, HashSet};

/// What `.loc` may refer to.
#[derive(Default)]
pub(super) struct Named {
    /// Labels of `.debug_str`, by name: their offset in bytes.
    labels: HashMap<String, u32>,
    /// File, line and column of each `.loc` so far.
    earlier: HashSet<[u32; 3]>,
}

impl Checker {
    /// Reads what may stand behind the functions that name it.
    pub(super) fn debug(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::File(file) => self.file(file),
                Item::Section(section) => self.debug_section(section),
                _ => {}
            }
        }
        self.module.debug.files.sort_by_key(|file| file.index);
    }

    fn file(&mut self, file: &File) {
        let stamp: Vec<Option<u64>> = file.stamp.iter().map(|n| integer(&n.text).map(|n| n.0)).collect();
        let Some(index) = integer(&file.index.text).and_then(|(n, _)| u32::try_from(n).ok()) else {
            return self.error(Code::BadDirective, file.index.span, "the index of a file has 32 bits");
        };
        if self.module.debug.files.iter().any(|other| other.index == index) {
            let message = format!("a second file with the index {index}");
            return self.error(Code::Duplicate, file.index.span, message);
        }
        let number = |at: usize| stamp.get(at).copied().flatten().unwrap_or(0);
        let name = file.name.text.trim_matches('"').to_owned();
        if name.contains('\0') {
            return self.error(Code::BadDirective, file.name.span, "the name of a file has a zero byte");
        }
        self.module.debug.files.push(SourceFile { index, name, time: number(0), size: number(1) });
    }

    fn debug_section(&mut self, section: &Section) {
        let name = section.name.text.trim_matches('"').trim_start_matches('.');
        let debug = &mut self.module.debug;
        if name != "debug_str" {
            let name = format!(".{name}");
            if !debug.other_sections.contains(&name) {
                debug.other_sections.push(name);
            }
            return;
        }
        for line in &section.lines {
            match line {
                SectionLine::Label(label) => {
                    let at = u32::try_from(self.module.debug.strings.len()).unwrap_or(u32::MAX);
                    self.named.labels.insert(label.text.clone(), at);
                }
                SectionLine::Data(ty, values) => self.debug_data(ty, values),
            }
        }
    }

    fn debug_data(&mut self, ty: &Name, values: &[Expr]) {
        let bytes = match &ty.text[..] {
            "b8" => 1,
            "b16" => 2,
            "b32" => 4,
            "b64" => 8,
            _ => {
                return self.error(
                    Code::BadDirective,
                    ty.span,
                    "data of a section is .b8, .b16, .b32 or .b64",
                );
            }
        };
        for value in values {
            match evaluate(value) {
                Ok(Constant::Int(bits, _)) => {
                    self.module.debug.strings.extend(&bits.to_le_bytes()[..bytes]);
                }
                _ => self.error(Code::BadDirective, value.span(), "names are made of integer constants"),
            }
        }
    }

    /// A `.loc` in a function.
    pub(super) fn location(&mut self, loc: &Loc) {
        let Some([file, line, column]) = self.position(&loc.position) else { return };
        let mut inlined = None;
        if let Some((function, at)) = &loc.inlined {
            let (Some(function), Some(at)) = (self.function_name(function), self.call_site(at)) else {
                return;
            };
            inlined = Some(Inlined { function, at });
        }
        self.named.earlier.insert([file, line, column]);
        let before = self.body.insts.len() as u32;
        self.body.function.locations.push(Location { before, file, line, column, inlined });
    }

    fn position(&mut self, names: &[Name; 3]) -> Option<[u32; 3]> {
        let mut numbers = [0; 3];
        for (number, name) in numbers.iter_mut().zip(names) {
            match integer(&name.text).and_then(|(n, _)| u32::try_from(n).ok()) {
                Some(n) => *number = n,
                None => {
                    self.error(Code::BadNumber, name.span, "file, line and column have 32 bits");
                    return None;
                }
            }
        }
        Some(numbers)
    }

    fn call_site(&mut self, names: &[Name; 3]) -> Option<[u32; 3]> {
        let at = self.position(names)?;
        if !self.named.earlier.contains(&at) {
            let [file, line, column] = at;
            let message = format!("no earlier `.loc` says {file} {line} {column}");
            self.error(Code::BadDirective, names[0].span.to(names[2].span), message);
            return None;
        }
        Some(at)
    }

    /// `label`, `label+4` or `.debug_str+4`, as an offset in the strings.
    fn function_name(&mut self, e: &Expr) -> Option<u32> {
        let (base, offset) = match e {
            Expr::Binary(BinaryOp::Add, base, offset) => (&**base, evaluate(offset).ok()),
            base => (base, Some(Constant::Int(0, false))),
        };
        let start = match base {
            Expr::Symbol(label) => self.named.labels.get(&label.text).copied(),
            Expr::Section(name) if name.text == "debug_str" => Some(0),
            _ => None,
        };
        let offset = match offset {
            Some(Constant::Int(bits, _)) => u32::try_from(bits).ok(),
            _ => None,
        };
        let at = start.zip(offset).and_then(|(start, offset)| start.checked_add(offset));
        let at = at.filter(|&at| (at as usize) < self.module.debug.strings.len());
        if at.is_none() {
            self.error(Code::Undeclared, e.span(), "this names nothing in `.section .debug_str`");
        }
        at
    }
}
