//! The subcommands, one file each.

pub mod compile;
pub mod oracle;

use clap::{Subcommand, ValueEnum};

use crate::{Exit, Failure};

/// `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people; may improve.
    Text,
    /// For programs; only grows.
    Json,
}

/// What every command knows.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// `--format json`.
    pub json: bool,
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
        match self {
            // The dispatcher has taken it; options before the word are ours alone.
            Command::Compile => Err(Failure::usage("`compile` must be the first word after `sassafras`")),
            Command::Oracle(arguments) => oracle::run(arguments, context),
        }
    }
}
