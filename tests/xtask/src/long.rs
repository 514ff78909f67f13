//! `cargo xtask long`: searches that take minutes to hours.

use crate::process::{cargo, run, shown};
use anyhow::{Result, bail};
use std::path::Path;

/// Name, what it does, and the cargo command that does it.
const LONG: &[(&str, &str, &[&str])] = &[
    (
        "ignored",
        "every test marked #[ignore] because it takes long",
        &["test", "--release", "--workspace", "--", "--ignored"],
    ),
    ("fuzz-parser", "the fuzz target of the PTX parser", &["fuzz", "run", "-s", "none", "ptx_parser"]),
    ("fuzz-codec", "the fuzz target of the instruction codec", &["fuzz", "run", "-s", "none", "codec"]),
];

/// Runs the search called `name`, or lists them.
pub fn long(root: &Path, name: Option<&str>, rest: &[String]) -> Result<()> {
    let Some(name) = name else {
        for (name, what, _) in LONG {
            println!("{name:<12} {what}");
        }
        return Ok(());
    };
    let Some((_, _, args)) = LONG.iter().find(|(n, ..)| *n == name) else {
        bail!("no long search is called `{name}`; `cargo xtask long` lists them");
    };
    let mut command = cargo(root, args);
    command.args(rest);
    println!("== {}", shown(&command));
    match run(&mut command)? {
        Some(0) => Ok(()),
        code => bail!("{name} ended with {code:?}"),
    }
}
