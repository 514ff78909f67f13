//! The subcommands, one file each.

pub mod asm;
pub mod check;
pub mod check_witness;
pub mod compile;
pub mod cuobjdump;
pub mod disasm;
pub mod fuzz;
pub mod isa;
pub mod layout;
pub mod lint;
pub mod list;
pub mod nvdisasm;
pub mod oracle;
pub mod prove;
mod races;
pub mod reduce;
pub mod roundtrip;
pub mod rules;
pub mod run;
pub(crate) mod solvers;
mod spelling;

use clap::{Subcommand, ValueEnum};

use crate::{Exit, Failure};

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people; may improve.
    Text,
    /// For programs; only grows.
    Json,
    /// SARIF 2.1.0, of `lint` and `prove`: what code hosts show beside the lines.
    Sarif,
}

/// What every command knows.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// `--format json`.
    pub json: bool,
    /// `--format sarif`.
    pub sarif: bool,
    /// `--jobs`.
    pub jobs: usize,
    /// `--quiet`.
    pub quiet: bool,
}

/// The subcommands but `compile`, whose options are ptxas's.
#[derive(Subcommand)]
pub enum Command {
    /// Compile PTX to a cubin; takes every option of ptxas (`sassafras compile --help`).
    Compile,
    /// Check PTX modules, or the code of cubins.
    Check(check::Check),
    /// Print the text of `nvdisasm -c`.
    Disasm(disasm::Disasm),
    /// Assemble the text of `disasm`, bare or into a cubin.
    Asm(asm::Asm),
    /// List what cubins, fatbins, objects, executables, libraries and archives hold.
    List(list::List),
    /// Decode and encode every instruction word, and count those that come back.
    Roundtrip(roundtrip::Roundtrip),
    /// Run an entry of a PTX module or a cubin, without a GPU.
    Run(run::Run),
    /// Prove a cubin against its PTX.
    Prove(prove::Prove),
    /// Check what `prove --witness` wrote, without the prover.
    CheckWitness(check_witness::CheckWitness),
    /// Reduce PTX as long as a command accepts it, or a verdict stays.
    Reduce(reduce::Reduce),
    /// Run random programs through compilers, executors and the prover.
    Fuzz(fuzz::Fuzz),
    /// List the selection rules, or prove them.
    Rules(rules::RulesOf),
    /// Order the blocks of graphs with frequencies.
    Layout(layout::Layout),
    /// Look for known errors of ptxas that PTX meets.
    Lint(lint::Lint),
    /// Describe instruction forms.
    Isa(isa::Isa),
    /// NVIDIA's tools, for comparisons; never needed to compile.
    #[command(subcommand)]
    Oracle(oracle::Oracle),
}

impl Command {
    /// Runs it.
    ///
    /// # Errors
    /// What stopped it.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        if context.sarif && !matches!(self, Command::Lint(_) | Command::Prove(_)) {
            return Err(Failure::usage("`--format sarif` is for `lint` and `prove`"));
        }
        match self {
            // The dispatcher has taken it, unless an option before the word is no option of every command.
            Command::Compile => Err(Failure::usage("options of `compile` stand behind its name")),
            Command::Check(arguments) => check::run(arguments, context),
            Command::Disasm(arguments) => disasm::run(arguments, context),
            Command::Asm(arguments) => asm::run(arguments, context),
            Command::List(arguments) => list::run(arguments, context),
            Command::Roundtrip(arguments) => roundtrip::run(arguments, context),
            Command::Run(arguments) => run::run(arguments, context),
            Command::Prove(arguments) => prove::run(arguments, context),
            Command::CheckWitness(arguments) => check_witness::run(arguments, context),
            Command::Reduce(arguments) => reduce::run(arguments, context),
            Command::Fuzz(arguments) => fuzz::run(arguments, context),
            Command::Rules(arguments) => rules::run(arguments, context),
            Command::Layout(arguments) => layout::run(arguments, context),
            Command::Lint(arguments) => lint::run(arguments, context),
            Command::Isa(arguments) => isa::run(arguments, context),
            Command::Oracle(arguments) => oracle::run(arguments, context),
        }
    }
}
