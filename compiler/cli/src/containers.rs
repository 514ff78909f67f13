//! Cubins and PTX out of whatever file holds them, for every command that reads cubins.

use std::path::Path;

use clap::Args;
use sassafras_chip::Target;
use sassafras_container::{self as container, Container, Item, Kind};
use sassafras_cubin::elf::{self, constants as c};

use crate::Failure;
use crate::listing::chip;

/// Which item of a file that holds several.
#[derive(Args, Clone, Debug, Default)]
pub struct Index {
    /// Of a file that holds several cubins, the one with this number in `sassafras list`; a cubin of its own is number 1.
    #[arg(long, value_name = "N")]
    pub index: Option<usize>,
}

/// Which items are meant.
#[derive(Clone, Debug, Default)]
pub struct Choice<'a> {
    /// By number, from 1.
    pub index: Option<usize>,
    /// By target, as `sm_90a`.
    pub arch: Option<String>,
    /// By a kernel that it has.
    pub entry: Option<&'a str>,
}

/// One cubin or PTX text.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The file's name, and which item it is of a file that holds more.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Number of the fat binary that it stands in.
    pub group: usize,
    /// Its target, as `sm_90a`; empty for a file of its own.
    pub target: String,
}

impl Opened {
    /// The name as messages want it.
    pub fn path(&self) -> &Path {
        Path::new(&self.name)
    }
}

/// Whether a file is read as cubins: one, or a container.
pub fn holds_cubins(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") || container::is_container(bytes)
}

/// Opens a file; a cubin is not looked into.
fn open(path: &Path, bytes: &[u8]) -> Result<Option<Container>, Failure> {
    if !container::is_container(bytes) {
        return Ok(None);
    }
    container::open(bytes).map(Some).map_err(|e| Failure::from(e).about(path))
}

/// Every cubin of a file that is meant, in file order: at least one.
///
/// # Errors
/// A file that cannot be opened, or holds none that is meant; the message says what it holds.
pub fn cubins(path: &Path, bytes: Vec<u8>, choice: &Choice<'_>) -> Result<Vec<Opened>, Failure> {
    let Some(container) = open(path, &bytes)? else {
        let name = path.display().to_string();
        is_meant(&bytes, choice).map_err(|f| f.about(path))?;
        return Ok(vec![Opened { name, bytes, group: 0, target: String::new() }]);
    };
    let found = chosen(path, &bytes, &container, Kind::Cubin, choice)?;
    if found.is_empty() {
        return Err(lacking(nothing(&container, Kind::Cubin, choice, &bytes), choice).about(path));
    }
    Ok(found)
}

/// A cubin of its own must be what is asked for: item 1, for the chip, with the kernel. What cannot be read is the caller's to say.
fn is_meant(bytes: &[u8], choice: &Choice<'_>) -> Result<(), Failure> {
    if let Some(index) = choice.index.filter(|&index| index != 1) {
        return Err(Failure::usage(format!("the file is one cubin; there is no number {index}")));
    }
    let target = choice.arch.as_ref().and_then(|arch| arch.parse::<Target>().ok());
    let own = elf::read(bytes).ok().as_ref().and_then(chip);
    if let Some((target, own)) = target.zip(own).filter(|(target, own)| target.chip != *own) {
        return Err(Failure::usage(format!("the cubin is for {}, not for {target}", Target::base(own))));
    }
    let Some((name, all)) = choice.entry.zip(entries(bytes).ok()) else { return Ok(()) };
    if all.iter().any(|e| e == name) {
        return Ok(());
    }
    let has = if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    Err(Failure::usage(format!("the cubin has no kernel `{name}`; it has {has}")))
}

/// Every PTX text of a file that holds some.
///
/// # Errors
/// A file that cannot be opened, or holds no PTX that is meant.
pub fn texts(path: &Path, bytes: &[u8], choice: &Choice<'_>) -> Result<Vec<Opened>, Failure> {
    let Some(container) = open(path, bytes)? else {
        let why = "a cubin has no PTX to look at; `prove PTX --against CUBIN` says whether its code is wrong";
        return Err(Failure::unsupported(why).about(path));
    };
    let found = chosen(path, bytes, &container, Kind::Ptx, choice)?;
    if found.is_empty() {
        return Err(lacking(nothing(&container, Kind::Ptx, choice, bytes), choice).about(path));
    }
    Ok(found)
}

/// The one cubin that is meant.
///
/// # Errors
/// As [`cubins`], or several are meant.
pub fn cubin(path: &Path, bytes: Vec<u8>, choice: &Choice<'_>) -> Result<Opened, Failure> {
    let listed = bytes.clone();
    let mut found = cubins(path, bytes, choice)?;
    if found.len() > 1 {
        let container = open(path, &listed)?.ok_or_else(|| Failure::internal("one file is one cubin"))?;
        let what = format!(
            "the file holds {} cubins that fit; choose with --index, --arch or --entry:\n{}",
            found.len(),
            lines(&container, &listed)
        );
        return Err(Failure::usage(what).about(path));
    }
    found.pop().ok_or_else(|| Failure::internal("there is at least one"))
}

/// Cubins that stand beside PTX for the same target, each with that PTX.
///
/// # Errors
/// As [`cubins`], or no cubin that is meant has its PTX beside it.
pub fn pairs(path: &Path, bytes: Vec<u8>, choice: &Choice<'_>) -> Result<Vec<(Opened, Opened)>, Failure> {
    let wrong = |what: String| Failure::wrong(what).about(path);
    let Some(container) = open(path, &bytes)? else {
        return Err(wrong("a cubin holds no PTX".to_owned()));
    };
    let all = Choice::default();
    let texts = chosen(path, &bytes, &container, Kind::Ptx, &all)?;
    let mut found = Vec::new();
    for code in chosen(path, &bytes, &container, Kind::Cubin, choice)? {
        // nvcc puts a text for another stage of `-gencode` beside; the last one is what the code was made of.
        let fits = |text: &&Opened| text.group == code.group && text.target == code.target;
        if let Some(text) = texts.iter().rfind(fits) {
            found.push((text.clone(), code));
        }
    }
    if found.is_empty() {
        let what = "no cubin that fits has PTX for the same target beside it; the file holds:";
        return Err(lacking(format!("{what}\n{}", lines(&container, &bytes)), choice).about(path));
    }
    Ok(found)
}

fn chosen(
    path: &Path,
    file: &[u8],
    container: &Container,
    kind: Kind,
    choice: &Choice<'_>,
) -> Result<Vec<Opened>, Failure> {
    let mut found = Vec::new();
    for (number, item) in (1..).zip(&container.items) {
        let target = item.target();
        let named = choice.index.is_none_or(|i| i == number);
        if item.kind != kind || !named || choice.arch.as_ref().is_some_and(|a| *a != target) {
            continue;
        }
        let bytes = item.contents(file).map_err(|e| Failure::from(e).about(path))?.into_owned();
        if choice.entry.is_some_and(|name| !entries(&bytes).is_ok_and(|all| all.iter().any(|e| e == name))) {
            continue;
        }
        let name = format!("{}[{number}: {target}]", path.display());
        found.push(Opened { name, bytes, group: item.group, target });
    }
    Ok(found)
}

/// The kernels of a cubin, in the order of its symbol table.
///
/// # Errors
/// Bytes that are no cubin.
pub fn entries(bytes: &[u8]) -> Result<Vec<String>, sassafras_cubin::Error> {
    let image = elf::read(bytes)?;
    let entry = |s: &&elf::Symbol| s.section != 0 && s.info & 15 == 2 && s.other & c::STO_ENTRY != 0;
    Ok(image.symbols.iter().filter(entry).map(|s| s.name.clone()).collect())
}

/// Nothing is meant: the options name what the file does not hold, or without options it holds nothing of the kind.
fn lacking(what: String, choice: &Choice<'_>) -> Failure {
    let asked = choice.index.is_some() || choice.arch.is_some() || choice.entry.is_some();
    if asked { Failure::usage(what) } else { Failure::wrong(what) }
}

fn nothing(container: &Container, kind: Kind, choice: &Choice<'_>, bytes: &[u8]) -> String {
    let what = if kind == Kind::Ptx { "PTX" } else { "cubin" };
    let mut wanted = format!("the file holds no {what}");
    if let Some(arch) = &choice.arch {
        wanted.push_str(&format!(" for {arch}"));
    }
    if let Some(index) = choice.index {
        wanted.push_str(&format!(" with number {index}"));
    }
    if let Some(entry) = choice.entry {
        wanted.push_str(&format!(" with a kernel `{entry}`"));
    }
    if container.items.is_empty() {
        wanted
    } else {
        format!("{wanted}; it holds:\n{}", lines(container, bytes))
    }
}

/// What a file holds, a line for each item.
pub fn lines(container: &Container, bytes: &[u8]) -> String {
    let line = |(number, item): (usize, &Item)| {
        let kind = kind(item.kind);
        let names = match item.kind {
            Kind::Cubin => item.contents(bytes).ok().and_then(|b| entries(&b).ok()).unwrap_or_default(),
            _ => Vec::new(),
        };
        format!("{number:5}  {kind:<6} {:<8} {}", item.target(), names.join(" ")).trim_end().to_owned()
    };
    let all: Vec<String> = (1..).zip(&container.items).map(line).collect();
    all.join("\n")
}

/// The name of a kind in messages and in JSON.
pub fn kind(kind: Kind) -> String {
    match kind {
        Kind::Cubin => "cubin".to_owned(),
        Kind::Ptx => "ptx".to_owned(),
        Kind::Nvvm => "nvvm".to_owned(),
        Kind::Other(number) => format!("{number:#x}"),
    }
}
