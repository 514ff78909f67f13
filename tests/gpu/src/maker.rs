//! Who compiles a program.

use crate::item::{Item, Suite};
use anyhow::{Context, Result, bail};
use sassafras::judges::Judges;
use sassafras_driver::{Failure, options, session};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The architecture that everything is compiled for.
pub const ARCH: &str = "sm_90";

/// A compiler at one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Maker {
    /// Sassafras in this process.
    Ours(u8),
    /// The ptxas at a path.
    Ptxas(PathBuf, u8),
    /// Nobody here: the item names its cubin.
    Given,
}

/// What a compiler made of a program.
pub enum Made {
    /// A cubin.
    Cubin(Vec<u8>),
    /// It said that it does not support the program.
    Refused(String),
}

impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Maker::Ours(level) => write!(f, "ours -O{level}"),
            Maker::Ptxas(_, level) => write!(f, "ptxas -O{level}"),
            Maker::Given => f.write_str("given"),
        }
    }
}

impl Maker {
    /// Compiles a program.
    ///
    /// # Errors
    /// When the compiler fails in another way than by not supporting the program.
    pub fn compile(&self, item: &Item) -> Result<Made> {
        match self {
            Maker::Ours(level) => ours(&item.text, *level),
            Maker::Ptxas(path, level) => ptxas(path, &item.text, *level),
            Maker::Given => {
                let path = item.cubin.as_ref().context("the item has no cubin")?;
                Ok(Made::Cubin(std::fs::read(path).with_context(|| path.display().to_string())?))
            }
        }
    }
}

fn ours(text: &str, level: u8) -> Result<Made> {
    let words =
        [format!("-arch={ARCH}"), format!("-O{level}"), "-o".into(), "x.cubin".into(), "x.ptx".into()];
    let options = options::parse(&words, &|_| unreachable!("no file is named"))
        .map_err(|e| anyhow::anyhow!("options: {e}"))?;
    match session::compile(text, "x", &options, None, &Judges::new(options.judges)) {
        Ok(artifact) => Ok(Made::Cubin(artifact.cubin.context("nothing was emitted")?.1)),
        Err(e @ Failure::Unsupported { .. }) => Ok(Made::Refused(first_line(&e.to_string()))),
        Err(Failure::Ptx(e)) if e.exit_code() == 4 => Ok(Made::Refused(first_line(&e.to_string()))),
        Err(e) => bail!("{}", first_line(&e.to_string())),
    }
}

fn ptxas(path: &PathBuf, text: &str, level: u8) -> Result<Made> {
    let folder = tempfile::tempdir()?;
    let (from, to) = (folder.path().join("x.ptx"), folder.path().join("x.cubin"));
    std::fs::write(&from, text)?;
    let made = Command::new(path)
        .args([format!("-arch={ARCH}"), format!("-O{level}"), "-o".into()])
        .args([&to, &from])
        .output()
        .with_context(|| path.display().to_string())?;
    if !made.status.success() {
        return Ok(Made::Refused(first_line(&String::from_utf8_lossy(&made.stderr))));
    }
    Ok(Made::Cubin(std::fs::read(&to)?))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// Who compiles the programs of a suite.
pub fn makers(suite: &Suite, ptxas: Option<&Path>) -> Vec<Maker> {
    let theirs = |levels: &[u8]| -> Vec<Maker> {
        ptxas.map_or_else(Vec::new, |p| levels.iter().map(|&l| Maker::Ptxas(p.into(), l)).collect())
    };
    let (ours, theirs) = match suite {
        Suite::Corpus => (vec![3, 2, 1, 0], theirs(&[3])),
        Suite::Open => (vec![3, 0], theirs(&[0, 1, 2, 3])),
        Suite::Times => (vec![3], theirs(&[3])),
        Suite::Random => (vec![3, 1], theirs(&[3])),
        Suite::Given(_) => (vec![], vec![Maker::Given]),
    };
    ours.into_iter().map(Maker::Ours).chain(theirs).collect()
}
