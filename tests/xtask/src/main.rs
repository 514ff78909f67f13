//! Developer commands: `cargo xtask demo`, `cargo xtask test`, and what makes the recorded files again.
//!
//! Depends on facts about chips, on `lint` for its table of errors, and on `oracle`; everything else it starts as a program, as a person would.

mod corpus;
mod demo;
mod discover;
mod fetch;
mod figures;
mod lane_mutants;
mod long;
mod mutants;
mod process;
mod record;
mod rooms;
mod runner;
mod stages;
mod test;
mod trace;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Developer commands of Sassafras.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_version_flag = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The main job, end to end: a PTX file of nvcc's is compiled, judged, run and proved, and its machine code shown.
    Demo,
    /// Every check there is: format, lints, documentation, all tests; the last line counts them.
    Test,
    /// Searches that take minutes to hours; without a name, lists them.
    Long {
        /// Which one.
        name: Option<String>,
        /// What it is given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Plants every fault of every judge and lists who caught it; `mutants NAME` runs the tests whose package or name has it.
    Mutants {
        /// Only these tests.
        name: Option<String>,
    },
    /// Measures one of the published figures again and prints JSON.
    Figures {
        /// Which one: `compile`, `disasm`, `support`.
        name: String,
    },
    /// Makes `reference-traces/` again with NVIDIA's tools.
    Record {
        /// Only these chips, such as `sm_90`; all when none is named.
        chips: Vec<String>,
    },
    /// Who imports whom: circles between modules of different folders, and crates against the arrows of `docs/architecture.md`.
    Rooms,
    /// Makes the PTX of `corpus/kernels` again with nvcc.
    Corpus,
    /// Mines latencies from code of ptxas: `mine pairs --sm 90`; `mine --help` lists what else.
    Mine {
        /// What it is given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
    /// Finds forms of machine code by asking nvdisasm: `discover --sm 90 learn SEEDS`; `discover --help` lists what else.
    Discover {
        /// What it is given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<String>,
    },
}

fn main() -> ExitCode {
    let root: PathBuf = sassafras_oracle::workspace_root();
    let done = match Arguments::parse().command {
        Command::Demo => demo::demo(&root),
        Command::Test => test::test(&root),
        Command::Long { name, rest } => long::long(&root, name.as_deref(), &rest),
        Command::Mutants { name } => mutants::mutants(&root, name.as_deref()),
        Command::Figures { name } => figures::figures(&root, &name),
        Command::Record { chips } => record::record(&root, &chips),
        Command::Rooms => rooms::rooms(&root),
        Command::Corpus => corpus::corpus(&root),
        Command::Mine { rest } => discover::start(&root, "mine", &rest),
        Command::Discover { rest } => discover::start(&root, "discover", &rest),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}
