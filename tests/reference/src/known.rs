//! What is known to be wrong: inputs that a compiler must refuse, and programs that some ptxas compiles wrongly.

use crate::corpus::entries;
use crate::inputs::SplitMix64;
use crate::spec::SpecError;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A wrong input of `corpus/bad`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bad {
    /// File name without extension.
    #[serde(skip)]
    pub name: String,
    /// The input's bytes.
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// What is wrong.
    pub about: String,
    /// The exit codes allowed (the command line's contract): 1, or also 4 where "not supported" is as true.
    pub exit: Vec<i32>,
    /// Line of the first error, from 1, where one can be named.
    #[serde(default)]
    pub line: Option<usize>,
    /// Column of the offending word in that line, from 1.
    #[serde(default)]
    pub column: Option<usize>,
    /// Words the messages must contain.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Options to compile with.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// The input is made, not read.
    #[serde(default)]
    pub noise: Option<Noise>,
}

/// An input of random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Noise {
    /// How many.
    pub bytes: usize,
    /// Seed of the stream of parameter 0.
    pub seed: u64,
}

/// A program of `corpus/ptxas-errors`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PtxasError {
    /// File name without extension.
    #[serde(skip)]
    pub name: String,
    /// The PTX.
    #[serde(skip)]
    pub ptx: PathBuf,
    /// What goes wrong.
    pub about: String,
    /// Where the PTX ISA says what is right.
    pub isa: String,
    /// What is right.
    pub right: String,
    /// What the machine code shows.
    pub sass: String,
    /// Who compiles it wrongly.
    pub wrong: Where,
    /// Who compiles it rightly.
    pub good: Where,
    /// One thread's four words in, and the four words out that are right and wrong.
    pub example: Example,
}

/// Versions, levels and chips.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// Versions of ptxas, of those in the oracle's table.
    pub versions: Vec<String>,
    /// Optimisation levels.
    pub levels: Vec<String>,
    /// Chips; all of those tried when absent.
    #[serde(default)]
    pub chips: Vec<String>,
}

/// Words that show the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What the thread reads.
    #[serde(rename = "in")]
    pub input: [u32; 4],
    /// What it must write; words it does not write stay 0.
    pub right: [u32; 4],
    /// What the wrong code writes.
    pub wrong: [u32; 4],
}

/// Every wrong input under `ROOT/corpus/bad`, by name.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn bad(root: &Path) -> Result<Vec<Bad>, SpecError> {
    let mut all = Vec::new();
    for file in with_extension(&root.join("corpus/bad"), "toml")? {
        let mut one: Bad = read(&file)?;
        one.name = stem(&file);
        one.bytes = match one.noise {
            Some(n) => {
                let mut rng = SplitMix64::for_param(n.seed, 0);
                let mut bytes: Vec<u8> =
                    (0..n.bytes.div_ceil(8)).flat_map(|_| rng.draw().to_le_bytes()).collect();
                bytes.truncate(n.bytes);
                bytes
            }
            None => {
                let ptx = file.with_extension("ptx");
                std::fs::read(&ptx)
                    .map_err(|source| SpecError::Read { path: ptx.display().to_string(), source })?
            }
        };
        all.push(one);
    }
    Ok(all)
}

/// Every program under `ROOT/corpus/ptxas-errors`, by name. They run with the launch description of the features.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn ptxas_errors(root: &Path) -> Result<Vec<PtxasError>, SpecError> {
    let mut all = Vec::new();
    for file in with_extension(&root.join("corpus/ptxas-errors"), "toml")? {
        let mut one: PtxasError = read(&file)?;
        one.name = stem(&file);
        one.ptx = file.with_extension("ptx");
        all.push(one);
    }
    Ok(all)
}

fn with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, SpecError> {
    Ok(entries(folder)?.into_iter().filter(|p| p.extension().is_some_and(|e| e == extension)).collect())
}

fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, SpecError> {
    let path = file.display().to_string();
    let text =
        std::fs::read_to_string(file).map_err(|source| SpecError::Read { path: path.clone(), source })?;
    toml::from_str(&text).map_err(|e| SpecError::Parse { path, source: Box::new(e) })
}
