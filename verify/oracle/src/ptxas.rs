//! ptxas, NVIDIA's compiler from PTX to SASS.

use crate::run::{Output, RunError, run, run_ok};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// One installed ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptxas {
    path: PathBuf,
    version: String,
}

impl Ptxas {
    pub(crate) fn at(path: PathBuf, version: &str) -> Ptxas {
        Ptxas { path, version: version.to_string() }
    }

    /// Any program that is called as ptxas is: a wrapper around it, or another compiler that takes its options.
    pub fn program(path: PathBuf) -> Ptxas {
        Ptxas { version: path.display().to_string(), path }
    }

    /// The executable.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version in the oracle's table.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Runs `ptxas -arch=ARCH OPTIONS PTX -o OUT` and gives what it said, whatever the status.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn run(&self, ptx: &Path, arch: &str, options: &[&str], out: &Path) -> Result<Output, RunError> {
        let arch = format!("-arch={arch}");
        let mut args: Vec<&OsStr> = vec![arch.as_ref()];
        args.extend(options.iter().map(OsStr::new));
        args.extend([ptx.as_os_str(), "-o".as_ref(), out.as_os_str()]);
        run(self.path.as_os_str(), &args)
    }

    /// Compiles the file `ptx` for `arch` (as `sm_90`) and gives the cubin's bytes with what ptxas said.
    ///
    /// # Errors
    /// When the process cannot be started, refuses the program (its message is in the error), or crashes.
    pub fn compile(&self, ptx: &Path, arch: &str, options: &[&str]) -> Result<(Vec<u8>, Output), RunError> {
        let folder = tempfile::tempdir()?;
        let out = folder.path().join("out.cubin");
        let said = self.run(ptx, arch, options, &out)?;
        if !said.ok() {
            return Err(RunError::Failed {
                program: self.path.display().to_string(),
                code: said.code,
                stderr: format!("{}{}", said.stdout, said.stderr).trim().to_string(),
            });
        }
        Ok((std::fs::read(&out)?, said))
    }

    /// As [`Ptxas::compile`], for PTX text.
    ///
    /// # Errors
    /// As there.
    pub fn compile_text(
        &self,
        ptx: &str,
        arch: &str,
        options: &[&str],
    ) -> Result<(Vec<u8>, Output), RunError> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("in.ptx");
        std::fs::write(&file, ptx)?;
        self.compile(&file, arch, options)
    }

    /// The last line of `ptxas --version`, the build that names it beyond doubt.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn build(&self) -> Result<String, RunError> {
        let out = run_ok(self.path.as_os_str(), &["--version".as_ref()])?;
        Ok(out.stdout.lines().last().unwrap_or_default().trim().to_string())
    }
}
