//! nvcc, for the PTX of the corpus.

use crate::run::{RunError, run_ok};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The installed nvcc.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvcc {
    path: PathBuf,
}

impl Nvcc {
    pub(crate) fn at(path: PathBuf) -> Nvcc {
        Nvcc { path }
    }

    /// Runs `nvcc -ptx -arch=ARCH OPTIONS CU -o PTX`; the PTX is nvcc's, untouched.
    ///
    /// # Errors
    /// When it cannot be run, or refuses the program.
    pub fn ptx(&self, cu: &Path, arch: &str, options: &[&str], ptx: &Path) -> Result<(), RunError> {
        let arch = format!("-arch={arch}");
        let mut args: Vec<&OsStr> = vec!["-ptx".as_ref(), arch.as_ref()];
        args.extend(options.iter().map(OsStr::new));
        args.extend([cu.as_os_str(), "-o".as_ref(), ptx.as_os_str()]);
        run_ok(self.path.as_os_str(), &args).map(|_| ())
    }
}
