//! `cargo xtask long lane-mutants`: rules of `verify/symbolic/src/trace/lanes`, planted wrong, in front of the test that holds them against the executor's groups.
//!
//! A mutant is a change of the source, so that what proofs rest on has no switches in it. The workspace is laid out once more under `target/lane-mutants`, with links for all but
//! the crate that is changed, and the test is built and run there for each.

use crate::process::cargo;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The crate whose sources are changed, in the workspace.
const CRATE: &str = "verify/symbolic";

/// Programs that each mutant is shown, by seeds.
const SEEDS: &str = "0-6000";

/// A rule planted wrong.
struct Mutant {
    /// The rule of `docs/convergence.md`.
    rule: &'static str,
    /// The file, under the crate's `src/trace`.
    file: &'static str,
    /// What stands there, once.
    from: &'static str,
    /// What is planted.
    to: &'static str,
}

const fn mutant(rule: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { rule, file, from, to }
}

/// All of them.
const MUTANTS: &[Mutant] = &[
    mutant("C3", "lanes/moves.rs", "gone.apart |= diverges;", ""),
    mutant("C3", "lanes/moves.rs", "self.apart |= diverges;", ""),
    mutant(
        "C3",
        "moves.rs",
        "diverges && !self.inputs.is_uniform(taken)",
        "diverges && self.inputs.is_uniform(taken)",
    ),
    mutant("C4", "lanes/join.rs", "let apart = a.apart || b.apart;", "let apart = a.apart && b.apart;"),
    mutant("C4", "lanes/join.rs", "b.get(barrier) == Some(losses)", "b.get(barrier) == Some(losses) || true"),
    mutant("C4", "lanes/join.rs", "            gathered: None,", "            gathered: a.gathered,"),
    mutant("C7", "lanes/barriers.rs", "if self.apart || !here.unguarded() {", "if !here.unguarded() {"),
    mutant(
        "C7",
        "lanes/barriers.rs",
        "warp.forbid(here, h.within);\n        }\n        if here",
        "}\n        if here",
    ),
    mutant(
        "C7",
        "lanes/barriers.rs",
        "if warp.barriers.nests(held.iter().map(|h| h.barrier), barrier) {",
        "if false {",
    ),
    mutant("C8", "lanes/barriers.rs", "        whole\n    }", "        true\n    }"),
    mutant("C8", "lanes/barriers.rs", "            self.apart = true;", ""),
    mutant("C8", "lanes/barriers.rs", "warp.forbid(here, outside(here, &held, barrier));", ""),
    mutant(
        "C8",
        "moves.rs",
        "let others = self.walk.pending.values().chain(&self.walk.stopped);",
        "let others = self.walk.stopped.iter();",
    ),
    mutant(
        "C9",
        "lanes/barriers.rs",
        "        warp.lose(barrier);\n        self.meeting.leave",
        "        self.meeting.leave",
    ),
    mutant("C9", "lanes/barriers.rs", "if here.possible(again).is_some() {", "if false {"),
    mutant("C9", "lanes/moves.rs", "self.apart && (self.waited || self.stopped)", "false"),
    mutant("C10", "lanes/warp.rs", "let all = whole && alone && !met;", "let all = whole && alone;"),
    mutant("C10", "lanes/warp.rs", "let all = whole && alone && !met;", "let all = whole && !met;"),
    mutant("C10", "lanes/warp.rs", "let all = whole && alone && !met;", "let all = alone && !met;"),
    mutant(
        "C11",
        "lanes/barriers.rs",
        "        if self.apart {\n            for h in self.nested(here).0 {",
        "        if false {\n            for h in self.nested(here).0 {",
    ),
    mutant(
        "C11",
        "lanes/barriers.rs",
        "        warp.lose(barrier);\n        self.meeting.tangle();",
        "        self.meeting.tangle();",
    ),
    mutant(
        "C11",
        "lanes/barriers.rs",
        "self.nesting = Nesting(held.0.into_iter().filter(|h| h.barrier != barrier).collect());\n        warp.barriers.kept",
        "warp.barriers.kept",
    ),
    mutant(
        "C13",
        "lanes/warp.rs",
        "        if !self.apart {\n            return Ok(None);",
        "        if true {\n            return Ok(None);",
    ),
    mutant(
        "C13",
        "lanes/warp.rs",
        "(here.inputs.known(mask) != Some(ALL)).then_some(mask)",
        "None.filter(|_: &TermId| here.inputs.known(mask) != Some(ALL))",
    ),
    mutant("C13", "lanes/state.rs", "        self.gathered = None;", ""),
    mutant(
        "C14",
        "lanes/block.rs",
        "if !self.apart && here.inputs.is_uniform(here.guard) {",
        "if here.inputs.is_uniform(here.guard) {",
    ),
    mutant(
        "C14",
        "lanes/block.rs",
        "if aligned && here.unguarded() && self.gathered_all(here.inputs) {",
        "if here.unguarded() && self.gathered.is_some() {",
    ),
    mutant("C14", "lanes/block.rs", "if aligned && self.same_ways {", "if self.same_ways {"),
];

/// Plants each and says which are caught; an error where one is not, or cannot be planted.
pub fn lane_mutants(root: &Path) -> Result<()> {
    let copy = lay_out(root)?;
    let trace = copy.join(CRATE).join("src/trace");
    if !passes(&copy)? {
        bail!("the test fails without a mutant");
    }
    let mut missed = Vec::new();
    for m in MUTANTS {
        let path = trace.join(m.file);
        let right = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        if right.matches(m.from).count() != 1 {
            bail!("{}: `{}` does not stand there once", m.file, m.from);
        }
        std::fs::write(&path, right.replacen(m.from, m.to, 1))?;
        let passed = passes(&copy);
        std::fs::write(&path, right)?;
        let caught = !passed?;
        println!("{} {} {}: `{}`", if caught { "caught" } else { "MISSED" }, m.rule, m.file, m.to.trim());
        if !caught {
            missed.push(m.rule);
        }
    }
    println!("{} of {} caught", MUTANTS.len() - missed.len(), MUTANTS.len());
    if missed.is_empty() { Ok(()) } else { bail!("not caught: {}", missed.join(", ")) }
}

/// The workspace once more: the crate as a copy, all else as links.
fn lay_out(root: &Path) -> Result<PathBuf> {
    let copy = root.join("target/lane-mutants/workspace");
    if copy.exists() {
        std::fs::remove_dir_all(&copy)?;
    }
    std::fs::create_dir_all(copy.join("verify"))?;
    let link = |name: &Path| std::os::unix::fs::symlink(root.join(name), copy.join(name));
    for entry in std::fs::read_dir(root)? {
        let name = PathBuf::from(entry?.file_name());
        if !["verify", "target", ".git"].iter().any(|n| name.as_os_str() == *n) {
            link(&name)?;
        }
    }
    for entry in std::fs::read_dir(root.join("verify"))? {
        let name = Path::new("verify").join(entry?.file_name());
        if name.as_os_str() != CRATE {
            link(&name)?;
        }
    }
    copy_folder(&root.join(CRATE), &copy.join(CRATE))?;
    Ok(copy)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &there)?,
            false => {
                std::fs::copy(entry.path(), there)?;
            }
        }
    }
    Ok(())
}

/// Whether the test passes; an error where it is not built.
fn passes(copy: &Path) -> Result<bool> {
    let target = copy.with_file_name("target");
    let test = |more: &[&str]| {
        let mut c = cargo(copy, &["test", "--quiet", "--package", "sassafras-symbolic", "--test", "lanes"]);
        c.args(more).env("CARGO_TARGET_DIR", &target).env("SASSAFRAS_SEEDS", SEEDS);
        c.env("RUSTFLAGS", "--cap-lints allow");
        c
    };
    if !test(&["--no-run"]).output()?.status.success() {
        bail!("a mutant does not compile");
    }
    Ok(test(&["--", "--ignored"]).output()?.status.success())
}
