//! The binary called `cuobjdump`: its options, its text.
//!
//! Options, headers and messages: cuobjdump 13.2.51.

mod sass;
mod usage;

use std::path::{Path, PathBuf};

use sassafras_container::{self as container, Container, Form, Item, Kind, Packing};

use super::spelling::{Found, Spelling, Tool, words};
use crate::{Exit, Failure, files};

const OPTIONS: &[Spelling] = &[
    Spelling::flag("dump-sass", "sass"),
    Spelling::flag("dump-ptx", "ptx"),
    Spelling::flag("dump-resource-usage", "res-usage"),
    Spelling::flag("list-elf", "lelf"),
    Spelling::flag("list-ptx", "lptx"),
    Spelling::value("extract-elf", "xelf"),
    Spelling::value("extract-ptx", "xptx"),
    Spelling::value("function", "fun"),
    Spelling::value("gpu-architecture", "arch"),
    Spelling::flag("all-fatbin", "all"),
    Spelling::flag("version", "V"),
    Spelling::flag("help", "h"),
    Spelling::refused("dump-elf", "elf"),
    Spelling::refused("dump-elf-symbols", "symbols"),
    Spelling::refused("extract-text", "xtext"),
    Spelling::refused("function-index", "findex"),
    Spelling::refused("list-text", "ltext"),
    Spelling::refused("options-file", "optf"),
    Spelling::refused("sort-functions", "sort"),
];

const TOOL: Tool = Tool { name: "cuobjdump", options: OPTIONS };

/// Sections of device code that is linked, and that waits for the device linker.
const LINKED: &str = ".nv_fatbin";

/// Runs a command line, without the program's name.
pub fn run(arguments: &[String]) -> Exit {
    match words(&TOOL, arguments).and_then(|found| dump(&found)) {
        Ok(exit) => exit,
        Err(failure) => TOOL.fatal(&failure),
    }
}

/// A file and what of it is looked at.
struct File<'a> {
    path: PathBuf,
    bytes: &'a [u8],
    container: Container,
    /// Numbers of the items that are looked at.
    items: Vec<usize>,
}

fn dump(found: &Found) -> Result<Exit, Failure> {
    if found.has("version") {
        files::print(&TOOL.version());
        return Ok(Exit::Done);
    }
    if found.has("help") {
        files::print(&TOOL.help());
        return Ok(Exit::Done);
    }
    let mut exit = Exit::Done;
    if found.inputs.is_empty() {
        return Err(Failure::wrong("No input files specified; use option --help for more information"));
    }
    for input in &found.inputs {
        let path = std::path::absolute(input).unwrap_or_else(|_| PathBuf::from(input));
        let bytes = files::read(Path::new(input))
            .map_err(|_| Failure::wrong(format!("Could not open input file '{}'", path.display())))?;
        let container = container::open(&bytes)?;
        let items = chosen(&container, found);
        exit = exit.worse(one(&File { path, bytes: &bytes, container, items }, found)?);
    }
    Ok(exit)
}

/// The items that the options leave, by number.
fn chosen(container: &Container, found: &Found) -> Vec<usize> {
    let linked = |item: &Item| item.section.as_deref().is_none_or(|s| s == LINKED);
    let all = found.has("all-fatbin") || !container.items.iter().any(linked);
    let arch = found.value("gpu-architecture");
    let keep = |item: &Item| (all || linked(item)) && arch.is_none_or(|a| item.target() == a);
    (0..container.items.len()).filter(|&i| keep(&container.items[i])).collect()
}

fn one(file: &File<'_>, found: &Found) -> Result<Exit, Failure> {
    let extract = (found.value("extract-elf"), found.value("extract-ptx"));
    if extract != (None, None) || found.has("list-elf") || found.has("list-ptx") {
        return listed(file, found, extract);
    }
    let mut exit = Exit::Done;
    let mut member: Option<&String> = None;
    for &number in &file.items {
        let item = &file.container.items[number];
        if item.member.as_ref() != member {
            member = item.member.as_ref();
            files::print(&format!("\nmember {}:{}:\n", file.path.display(), member.map_or("", |m| m)));
        }
        if !matches!(file.container.form, Form::Cubin | Form::Ptx) {
            files::print(&head(item));
        }
        match item.kind {
            Kind::Cubin if found.has("dump-sass") => {
                let bytes = item.contents(file.bytes)?;
                exit = exit.worse(sass::print(&file.path, &bytes, item, found.value("function"))?);
            }
            Kind::Cubin if found.has("dump-resource-usage") => {
                files::print(&usage::text(&item.contents(file.bytes)?, found.value("function"))?);
            }
            Kind::Ptx if found.has("dump-ptx") => {
                let text = item.contents(file.bytes)?;
                files::print(&format!("{}\n", String::from_utf8_lossy(&text)));
            }
            _ => {}
        }
    }
    Ok(exit)
}

/// What stands before an entry of a fat binary.
fn head(item: &Item) -> String {
    let (title, rule) = match item.kind {
        Kind::Cubin => ("elf", "================"),
        Kind::Ptx => ("ptx", "================"),
        Kind::Nvvm | Kind::Other(_) => ("nvvm", "================="),
    };
    let (major, minor) = item.version;
    let host = match item.flags & 0x70 {
        0x20 => "mac",
        0x40 => "windows",
        _ => "linux",
    };
    let bits = if item.flags & 1 != 0 { 64 } else { 32 };
    let mut out = format!(
        "\nFatbin {title} code:\n{rule}\narch = {}\ncode version = [{major},{minor}]\nhost = {host}\ncompile_size = {bits}bit\n",
        item.target()
    );
    if item.debug {
        out.push_str("has debug info\n");
    }
    if item.packing != Packing::None {
        out.push_str("compressed\n");
    }
    if let Some(source) = &item.source {
        out.push_str(&format!("identifier = {source}\n"));
    }
    if item.kind == Kind::Ptx {
        out.push_str(&format!("ptxasOptions = {}\n", item.options));
    }
    out
}

/// `-lelf`, `-lptx`, `-xelf`, `-xptx`: items by the names that files of their own get.
fn listed(file: &File<'_>, found: &Found, (elf, ptx): (Option<&str>, Option<&str>)) -> Result<Exit, Failure> {
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut member: Option<&String> = None;
    let mut counts = [0usize; 2];
    for &number in &file.items {
        let item = &file.container.items[number];
        if item.member.as_ref() != member {
            member = item.member.as_ref();
            counts = [0; 2];
            files::print(&format!("\nmember {}:{}:\n", file.path.display(), member.map_or("", |m| m)));
        }
        let (which, end, list, extract) = match item.kind {
            Kind::Cubin => (0, "cubin", found.has("list-elf"), elf),
            Kind::Ptx => (1, "ptx", found.has("list-ptx"), ptx),
            Kind::Nvvm | Kind::Other(_) => continue,
        };
        counts[which] += 1;
        let count = counts[which];
        let name = match file.container.form {
            Form::Cubin => format!("{stem}.{}.{end}", item.target()),
            _ => format!("{stem}.{count}.{}.{end}", item.target()),
        };
        if let Some(part) = extract {
            if part != "all" && !name.contains(part) {
                continue;
            }
            files::write(Path::new(&name), &item.contents(file.bytes)?)?;
            files::print(&match item.kind {
                Kind::Cubin => format!("Extracting ELF file {count:4}: {name}\n"),
                _ => format!(
                    "Extracting PTX file and ptxas options {count:4}: {name} -arch={} {}\n",
                    item.target(),
                    item.options
                ),
            });
        } else if list {
            files::print(&format!("{} file {count:4}: {name}\n", if which == 0 { "ELF" } else { "PTX" }));
        }
    }
    Ok(Exit::Done)
}
