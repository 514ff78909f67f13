//! cuobjdump, NVIDIA's reader of cubins as containers.

use crate::run::{Output, RunError, run};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The installed cuobjdump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuobjdump {
    path: PathBuf,
}

impl Cuobjdump {
    pub(crate) fn at(path: PathBuf) -> Cuobjdump {
        Cuobjdump { path }
    }

    /// Runs `cuobjdump OPTIONS CUBIN`, for instance with `-elf`, `-res-usage` or `-sass`.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn run(&self, cubin: &Path, options: &[&str]) -> Result<Output, RunError> {
        let mut args: Vec<&OsStr> = options.iter().map(OsStr::new).collect();
        args.push(cubin.as_os_str());
        run(self.path.as_os_str(), &args)
    }
}
