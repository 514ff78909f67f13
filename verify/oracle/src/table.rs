//! Which versions of which packages, and where they go.

/// A package of the Python Package Index, pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Package {
    /// Its name there.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Packages that are installed together into one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Set {
    /// What [`crate::install`] and the command line call it; for NVIDIA's tools the version of ptxas.
    pub name: &'static str,
    /// The folder, from the workspace's root.
    pub folder: &'static str,
    /// The packages, installed with `--no-deps`, so the list is whole.
    pub packages: &'static [Package],
    /// Programs and libraries the set must hold, from the folder.
    pub files: &'static [&'static str],
    /// What it is for.
    pub purpose: &'static str,
    /// Fetched only when it is named, and by continuous integration (but for those that [`only_records`] names).
    pub optional: bool,
}

/// A set of one older ptxas, which comes without a disassembler.
const fn older(name: &'static str, folder: &'static str, packages: &'static [Package]) -> Set {
    Set {
        name,
        folder,
        packages,
        files: &["nvidia/cuda_nvcc/bin/ptxas"],
        purpose: "cubins of earlier toolkits, which have another ELF header",
        optional: true,
    }
}

/// A set of one ptxas of CUDA 13 without a disassembler.
const fn between(name: &'static str, folder: &'static str, packages: &'static [Package]) -> Set {
    Set {
        name,
        folder,
        packages,
        files: &["nvidia/cu13/bin/ptxas"],
        purpose: "cubins of the toolkits between the first of CUDA 13 and the newest",
        optional: true,
    }
}

const fn package(name: &'static str, version: &'static str) -> Package {
    Package { name, version }
}

/// The version of ptxas, nvcc and their company that recorded traces and the corpus come from.
pub const CUDA: &str = "13.0.88";
/// A newer version, in which the known wrong compilations of `corpus/ptxas-errors` are right.
pub const CUDA_NEWER: &str = "13.5.37";
/// Earlier versions of ptxas. None has sm_100 and later with the older ELF header; CUDA 11.8 is the first with sm_90.
pub const CUDA_OLDER: [&str; 3] = ["11.8.89", "12.0.140", "12.9.86"];
/// Every version of ptxas for which `corpus/toolkits` is recorded: the last of each toolkit from 11.8 on but odd ones of CUDA 12, whose files
/// are like those of a neighbour (12.1 and 12.3 like 12.2, 12.5 like 12.4).
pub const TOOLKITS: [&str; 13] = [
    CUDA_OLDER[0],
    CUDA_OLDER[1],
    "12.2.140",
    "12.4.131",
    "12.6.85",
    "12.8.93",
    CUDA_OLDER[2],
    CUDA,
    "13.1.115",
    "13.2.86",
    "13.3.73",
    "13.4.92",
    CUDA_NEWER,
];
/// The set of the first solver.
pub const Z3: &str = "z3";
/// The set of the second solver.
pub const BITWUZLA: &str = "bitwuzla";

/// Where NVIDIA's packages of CUDA 13 put their programs, inside the set's folder.
pub const BIN: &str = "nvidia/cu13/bin";

/// Every set. An nvdisasm older than the ptxas beside it would drop instructions in silence: it is never older here.
pub const SETS: &[Set] = &[
    Set {
        name: CUDA,
        folder: ".oracle/13.0.88",
        packages: &[
            package("nvidia-cuda-nvcc", CUDA),
            package("nvidia-nvvm", CUDA),
            package("nvidia-cuda-crt", "13.0.88"),
            package("nvidia-cuda-runtime", "13.0.88"),
            package("nvidia-cuda-cccl", "13.0.85"),
            package("nvidia-cuda-nvdisasm", "13.2.51"),
            package("nvidia-cuda-cuobjdump", "13.2.51"),
        ],
        files: &[
            "nvidia/cu13/bin/ptxas",
            "nvidia/cu13/bin/nvdisasm",
            "nvidia/cu13/bin/cuobjdump",
            "nvidia/cu13/bin/nvcc",
        ],
        purpose: "comparisons, recorded traces, the PTX of the corpus",
        optional: false,
    },
    Set {
        name: CUDA_NEWER,
        folder: ".oracle/13.5.37",
        packages: &[package("nvidia-cuda-nvcc", "13.5.37"), package("nvidia-cuda-nvdisasm", "13.5.37")],
        files: &["nvidia/cu13/bin/ptxas", "nvidia/cu13/bin/nvdisasm"],
        purpose: "the right compilation of some of what 13.0.88 compiles wrongly",
        optional: false,
    },
    older(CUDA_OLDER[0], ".oracle/11.8.89", &[package("nvidia-cuda-nvcc-cu11", "11.8.89")]),
    older(CUDA_OLDER[1], ".oracle/12.0.140", &[package("nvidia-cuda-nvcc-cu12", "12.0.140")]),
    older(CUDA_OLDER[2], ".oracle/12.9.86", &[package("nvidia-cuda-nvcc-cu12", "12.9.86")]),
    older("12.2.140", ".oracle/12.2.140", &[package("nvidia-cuda-nvcc-cu12", "12.2.140")]),
    older("12.4.131", ".oracle/12.4.131", &[package("nvidia-cuda-nvcc-cu12", "12.4.131")]),
    older("12.6.85", ".oracle/12.6.85", &[package("nvidia-cuda-nvcc-cu12", "12.6.85")]),
    older("12.8.93", ".oracle/12.8.93", &[package("nvidia-cuda-nvcc-cu12", "12.8.93")]),
    between("13.1.115", ".oracle/13.1.115", &[package("nvidia-cuda-nvcc", "13.1.115")]),
    between("13.2.86", ".oracle/13.2.86", &[package("nvidia-cuda-nvcc", "13.2.86")]),
    between("13.3.73", ".oracle/13.3.73", &[package("nvidia-cuda-nvcc", "13.3.73")]),
    between("13.4.92", ".oracle/13.4.92", &[package("nvidia-cuda-nvcc", "13.4.92")]),
    Set {
        name: Z3,
        folder: ".z3",
        packages: &[package("z3-solver", "5.3.2.0")],
        files: &["bin/z3", "z3/lib/libz3.so"],
        purpose: "proofs",
        optional: false,
    },
    Set {
        name: BITWUZLA,
        folder: ".oracle/bitwuzla",
        packages: &[package("bitwuzla", "0.9.1")],
        files: &["bitwuzla-0.9.1.dist-info"],
        purpose: "proofs about floating point, as a second solver",
        optional: false,
    },
];

/// Whether a set is for `cargo xtask record` alone: tests read what it recorded.
pub fn only_records(name: &str) -> bool {
    TOOLKITS.contains(&name) && ![CUDA, CUDA_NEWER].contains(&name) && !CUDA_OLDER.contains(&name)
}

/// The set called `name`.
pub fn set(name: &str) -> Option<&'static Set> {
    SETS.iter().find(|s| s.name == name)
}
