//! `sassafras list`: what a file holds.

use std::path::{Path, PathBuf};

use clap::Args;
use sassafras_container::{self as container, Container, Item, Kind, Packing};
use serde::Serialize;

use super::Context;
use crate::containers::{entries, kind};
use crate::{Exit, Failure, files};

/// List what cubins, fatbins, objects, executables, libraries and archives hold.
#[derive(Args)]
pub struct List {
    /// The files; - is standard input.
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
}

/// One file.
#[derive(Serialize)]
struct Listed {
    file: String,
    form: &'static str,
    items: Vec<Row>,
}

/// One item.
#[derive(Serialize)]
struct Row {
    index: usize,
    kind: String,
    /// As `sm_90a`; the text's own for bare PTX.
    target: String,
    /// Of PTX the language's version, of a cubin the toolkit's.
    version: Option<String>,
    /// Bytes, unpacked.
    size: u64,
    /// Bytes in the file.
    stored: u64,
    packing: &'static str,
    debug: bool,
    member: Option<String>,
    section: Option<String>,
    /// Number of the fat binary; what stands together was made together.
    group: usize,
    source: Option<String>,
    options: Option<String>,
    entries: Vec<String>,
    /// Why the item could not be read.
    problem: Option<String>,
}

pub(super) fn run(arguments: &List, context: &Context) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    let mut all = Vec::new();
    for path in &arguments.inputs {
        let bytes = files::read(path)?;
        let container = container::open(&bytes).map_err(|e| Failure::from(e).about(path))?;
        let listed = listed(path, &bytes, &container, &mut exit);
        if !context.json {
            text(&listed);
        }
        all.push(listed);
    }
    if context.json {
        files::print(&format!("{}\n", serde_json::json!({ "schema": 1, "exit": exit as u8, "files": all })));
    }
    Ok(exit)
}

fn listed(path: &Path, bytes: &[u8], container: &Container, exit: &mut Exit) -> Listed {
    let rows = (1..).zip(&container.items).map(|(index, item)| {
        let row = row(index, bytes, item);
        if let Some(problem) = &row.problem {
            eprintln!("{}: {index}: {problem}", path.display());
            *exit = exit.worse(Exit::Wrong);
        }
        row
    });
    Listed { file: path.display().to_string(), form: container.form.name(), items: rows.collect() }
}

fn row(index: usize, file: &[u8], item: &Item) -> Row {
    let (major, minor) = item.version;
    let mut row = Row {
        index,
        kind: kind(item.kind),
        target: item.target(),
        version: (item.kind == Kind::Ptx).then(|| format!("{major}.{minor}")),
        size: item.size,
        stored: item.stored.end - item.stored.start,
        packing: item.packing.name(),
        debug: item.debug,
        member: item.member.clone(),
        section: item.section.clone(),
        group: item.group,
        source: item.source.clone(),
        options: Some(item.options.trim().to_owned()).filter(|text| !text.is_empty()),
        entries: Vec::new(),
        problem: None,
    };
    let contents = match (item.kind, item.contents(file)) {
        (Kind::Nvvm | Kind::Other(_), _) => return row,
        (_, Ok(contents)) => contents,
        (_, Err(error)) => {
            row.problem = Some(error.to_string());
            return row;
        }
    };
    if item.kind == Kind::Cubin {
        let found = entries(&contents).and_then(|names| Ok((names, sassafras_cubin::read(&contents)?)));
        match found {
            Ok((names, cubin)) => {
                let toolkit = cubin.producer.toolkit;
                row.entries = names;
                row.target = format!("sm_{}{}", cubin.sm, suffix(item, cubin.accelerated));
                row.version = Some(format!("{}.{}", toolkit / 10, toolkit % 10));
            }
            Err(error) => row.problem = Some(error.to_string()),
        }
        return row;
    }
    // Text that our own parser refuses is listed all the same.
    let text = String::from_utf8_lossy(&contents);
    if let Ok((module, _)) = sassafras_driver::session::parse(&text, "ptx") {
        row.entries = module.functions.iter().filter(|f| f.entry).map(|f| f.name.clone()).collect();
        row.target = module.target.to_string();
    } else if item.sm == 0 {
        row.target = directive(&text, ".target").unwrap_or_default();
    }
    if item.sm == 0 {
        row.version = directive(&text, ".version");
    }
    row
}

/// A file of its own says by a record that it is for one chip only, a fat binary by a flag.
fn suffix(item: &Item, accelerated: bool) -> &'static str {
    match item.suffix {
        "" if accelerated => "a",
        suffix => suffix,
    }
}

/// The first word behind a directive.
fn directive(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(name)?;
    let end = |c: char| c.is_whitespace() || c == ',';
    rest.trim_start().split(end).next().map(str::to_owned)
}

fn text(listed: &Listed) {
    let Listed { file, form, items } = listed;
    let mut out =
        format!("{file}: {form}, {} {}\n", items.len(), if items.len() == 1 { "item" } else { "items" });
    let mut place = (None, None);
    for row in items {
        let here = (row.member.as_ref(), row.section.as_ref());
        if here != place {
            let parts: Vec<&str> = [here.0, here.1].into_iter().flatten().map(String::as_str).collect();
            out.push_str(&format!("  {}\n", parts.join(" ")));
            place = here;
        }
        let version = match (&row.version, row.kind.as_str()) {
            (Some(version), "cubin") => format!("CUDA {version}"),
            (Some(version), _) => version.clone(),
            (None, _) => String::new(),
        };
        let size = if row.packing == Packing::None.name() {
            format!("{} bytes", row.size)
        } else {
            format!("{} bytes, {} as {}", row.size, row.stored, row.packing)
        };
        let debug = if row.debug { " debug" } else { "" };
        let names = row.entries.join(" ");
        let line = format!(
            "{:5}  {:<5}  {:<8} {version:<10} {size:<30}{debug} {names}",
            row.index, row.kind, row.target
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    files::print(&out);
}
