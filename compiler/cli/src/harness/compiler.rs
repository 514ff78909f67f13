//! Who compiles a case.

use crate::judges::Judges;
use sassafras_cubin::Cubin;
use sassafras_driver::observe::Objection;
use sassafras_driver::options::{Fault, parse};
use sassafras_driver::{Failure, Warning, session};
use sassafras_oracle::{Ptxas, Skipped, Tools};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// A compiler as it is asked for: `ours`, `ptxas@VERSION`, `program:PATH`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// This one, with every fast judge.
    Ours,
    /// ptxas of a version of the oracle's table.
    Ptxas(String),
    /// A program that is called as ptxas is.
    Program(PathBuf),
}

/// A text that names no compiler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of ours, ptxas, ptxas@VERSION, program:PATH")]
pub struct UnknownCompiler(pub String);

impl std::str::FromStr for Name {
    type Err = UnknownCompiler;
    fn from_str(text: &str) -> Result<Name, UnknownCompiler> {
        match text.split_once('@') {
            None if text == "ours" => Ok(Name::Ours),
            None if text == "ptxas" => Ok(Name::Ptxas(sassafras_oracle::table::CUDA.to_owned())),
            Some(("ptxas", version)) if !version.is_empty() => Ok(Name::Ptxas(version.to_owned())),
            _ => match text.strip_prefix("program:").filter(|path| !path.is_empty()) {
                Some(path) => Ok(Name::Program(PathBuf::from(path))),
                None => Err(UnknownCompiler(text.to_owned())),
            },
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Name::Ours => f.write_str("ours"),
            Name::Ptxas(version) => write!(f, "ptxas@{version}"),
            Name::Program(path) => write!(f, "program:{}", path.display()),
        }
    }
}

/// A compiler that is there, for one chip and level.
#[derive(Clone, Debug)]
pub struct Compiler {
    name: Name,
    ptxas: Option<Ptxas>,
    /// As in `sm_90`.
    pub sm: u32,
    /// As in `-O3`.
    pub level: u8,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub enum Made {
    /// A cubin, and its bytes.
    Cubin(Box<Cubin>, Vec<u8>),
    /// The compiler does not take it.
    Refused(String),
    /// It broke: an objection of a judge, an internal error, a crash; or its cubin does not read.
    Broken(Broken),
}

/// How a compiler broke.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Broken {
    /// A judge objects.
    #[error(transparent)]
    Objection(Box<Objection>),
    /// It panics; with what.
    #[error("a panic: {0}")]
    Panic(String),
    /// It ends with an error that none of its inputs should give, in its words.
    #[error("{0}")]
    Failed(String),
    /// Its cubin does not read.
    #[error("the cubin does not read: {0}")]
    Unreadable(sassafras_cubin::Error),
    /// It takes none of the options that it is given.
    #[error("the options do not parse: {0}")]
    Options(Fault),
    /// It makes nothing.
    #[error("the compilation made no cubin")]
    Nothing,
}

impl Compiler {
    /// Finds a compiler.
    ///
    /// # Errors
    /// This version of ptxas is not here.
    pub fn find(name: &Name, sm: u32, level: u8) -> Result<Compiler, Skipped> {
        let ptxas = match name {
            Name::Ours => None,
            Name::Program(path) if path.is_file() => {
                // A bare file name is one of the working folder, not one of the search path.
                Some(Ptxas::program(std::path::absolute(path).unwrap_or_else(|_| path.clone())))
            }
            Name::Program(path) => return Err(Skipped(format!("`{}` is no file", path.display()))),
            // The working folder first, as an installed program has no other.
            Name::Ptxas(version) => {
                let here = std::env::current_dir().map(|folder| Tools::find(&folder).ptxas(version));
                Some(match here {
                    Ok(Ok(found)) => found,
                    _ => Tools::here().ptxas(version)?,
                })
            }
        };
        Ok(Compiler { name: name.clone(), ptxas, sm, level })
    }

    /// As on a command line, with chip and level.
    pub fn label(&self) -> String {
        format!("{} sm_{} -O{}", self.name, self.sm, self.level)
    }
    /// Its name, without chip and level.
    pub fn name(&self) -> &Name {
        &self.name
    }
    /// What says which build it is: of ptxas the last line of `--version`.
    pub fn build(&self) -> String {
        match &self.ptxas {
            None => format!("sassafras {}", env!("CARGO_PKG_VERSION")),
            Some(ptxas) => ptxas.build().unwrap_or_else(|_| ptxas.version().to_owned()),
        }
    }
    /// The command line that compiles a file, for a report.
    pub fn command(&self, input: &str, output: &str) -> String {
        let program = match &self.name {
            Name::Ours => "sassafras compile".to_owned(),
            Name::Ptxas(_) => "ptxas".to_owned(),
            Name::Program(path) => path.display().to_string(),
        };
        format!("{program} -arch=sm_{} -O{} {input} -o {output}", self.sm, self.level)
    }
    /// Whether it is this one.
    pub fn is_ours(&self) -> bool {
        self.name == Name::Ours
    }

    /// Compiles a text.
    pub fn compile(&self, text: &str) -> Made {
        let bytes = match &self.ptxas {
            None => return self.ours(text),
            Some(ptxas) => {
                let level = format!("-O{}", self.level);
                match ptxas.compile_text(text, &format!("sm_{}", self.sm), &[&level]) {
                    Ok((bytes, _)) => bytes,
                    Err(e) => {
                        let said = e.to_string();
                        // What ptxas says when it breaks, rather than when a program is wrong.
                        let broke = ["Internal error", "died", "signal", "Segmentation", "Assertion"];
                        return match broke.iter().any(|b| said.contains(b)) {
                            true => Made::Broken(Broken::Failed(said)),
                            false => Made::Refused(said),
                        };
                    }
                }
            }
        };
        match sassafras_cubin::read(&bytes) {
            Ok(cubin) => Made::Cubin(Box::new(cubin), bytes),
            Err(e) => Made::Broken(Broken::Unreadable(e)),
        }
    }

    fn ours(&self, text: &str) -> Made {
        self.ours_with(text, &[], &mut Vec::new())
    }

    /// Compiles a text with this compiler and more options; its warnings are added.
    pub fn ours_with(&self, text: &str, more: &[&str], warnings: &mut Vec<Warning>) -> Made {
        let (arch, level) = (format!("-arch=sm_{}", self.sm), format!("-O{}", self.level));
        let words = ["case.ptx", "-o", "case.cubin", &arch, &level].into_iter().chain(more.iter().copied());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let mut options = match parse(&words, &|_| Err(std::io::ErrorKind::NotFound.into())) {
            Ok(options) => options,
            Err(e) => return Made::Broken(Broken::Options(e)),
        };
        options.jobs = 1;
        let made = catch_unwind(AssertUnwindSafe(|| {
            session::compile(text, "case.ptx", &options, None, &Judges::new(options.judges))
        }));
        match made {
            Err(panic) => Made::Broken(Broken::Panic(said(&*panic).to_owned())),
            Ok(Ok(artifact)) => {
                warnings.extend(artifact.warnings);
                match artifact.cubin {
                    Some((cubin, bytes)) => Made::Cubin(Box::new(cubin), bytes),
                    None => Made::Broken(Broken::Nothing),
                }
            }
            Ok(Err(Failure::Unsupported { what, .. })) => Made::Refused(what),
            Ok(Err(Failure::Ptx(found))) if found.exit_code() == 4 => {
                Made::Refused(found.records().first().map(|r| r.message.clone()).unwrap_or_default())
            }
            Ok(Err(Failure::Request(what) | Failure::Limit(what))) => Made::Refused(what),
            Ok(Err(Failure::Objection(o))) => Made::Broken(Broken::Objection(Box::new(o))),
            Ok(Err(e)) => Made::Broken(Broken::Failed(e.to_string())),
        }
    }
}

/// What a panic said.
pub fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Every version of ptxas that is here.
pub fn installed() -> Vec<Name> {
    use sassafras_oracle::table::{CUDA, CUDA_NEWER, CUDA_OLDER};
    let versions = CUDA_OLDER.into_iter().chain([CUDA, CUDA_NEWER]);
    let names = versions.map(|v| Name::Ptxas(v.to_owned()));
    names.filter(|name| Compiler::find(name, 90, 3).is_ok()).collect()
}
