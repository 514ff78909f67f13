//! `cargo xtask long lane-mutants`: rules of `verify/symbolic/src/trace/lanes`, planted wrong, in front of the test that holds them against the executor's groups.
//!
//! A mutant is a change of the source, so that what proofs rest on has no switches in it. The workspace is laid out once more under `target/lane-mutants`, with links for all but
//! the crate that is changed. There each place has all of its mutants, chosen by a variable of the environment: the test is built once.
//!
//! What no test can show is no mutant here, since another rule says the same:
//! - O1 at a `BSSY` (`Lanes::enter`). A lane that sets a barrier in which it is, with none set in between, is in it as before, and waits at it once: it comes to the second
//!   `BSYNC` from outside, which is what that asks about. With another barrier in between the two are set within each other (O2).
//! - That who comes to a `BSYNC` is in the barrier (`outside`). By C8 a lane that is not goes on, and no lane waits for it there. It is asked since nothing says what a barrier
//!   holds before it is set.
//! - That lanes come together to a branch that decides for all of them (E5). What is the same for all lanes that have it sends all of these one way wherever they are, but for what
//!   one lane does for others.
//! - That lanes leave a barrier by `BMOV.CLEAR` (`Lanes::keep`), or by `BREAK`, in the rule of each lane: without it a lane counts as in more barriers than it is in, of
//!   which none waits for it.

use crate::process::cargo;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;

/// The crate whose sources are changed, in the workspace.
const CRATE: &str = "verify/symbolic";

/// Programs that each mutant is shown, by seeds.
const SEEDS: &str = "0-6000";

/// Says which mutant is planted: its number, from 1.
const VARIABLE: &str = "SASSAFRAS_PLANTED";

/// What the copy's crate gets to read it.
const SWITCH: &str = r#"
/// The number of the rule that is planted wrong; 0 for none.
pub fn planted() -> u32 {
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var("SASSAFRAS_PLANTED").map_or(0, |n| n.parse().expect("a number")))
}
"#;

/// How the test ends its account of programs of which nothing wrong was said.
const NONE_WRONG: &str = "wrong: 0 }";

/// A rule planted wrong.
struct Mutant {
    /// The rule of `docs/convergence.md`.
    rule: &'static str,
    /// The file, under the crate's `src/trace`.
    file: &'static str,
    /// What stands there once, and what is changed once in it: an expression, or statements.
    place: (&'static str, &'static str),
    /// What is planted.
    to: &'static str,
}

/// Of what stands in the file once.
const fn mutant(rule: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { rule, file, place: (from, from), to }
}

/// The same, of what stands in the file more often, but once in `around`.
const fn within(
    rule: &'static str,
    file: &'static str,
    around: &'static str,
    from: &'static str,
    to: &'static str,
) -> Mutant {
    Mutant { rule, file, place: (around, from), to }
}

/// All of them.
const MUTANTS: &[Mutant] = &[
    mutant("C3", "lanes/moves.rs", "gone.apart |= diverges;", ""),
    mutant("C3", "lanes/moves.rs", "self.apart |= diverges;", ""),
    mutant("C3", "moves.rs", "diverges && !alike", "diverges && alike"),
    mutant("C4", "lanes/join.rs", "a.apart || b.apart", "a.apart && b.apart"),
    mutant("C4", "lanes/join.rs", "b.get(barrier) == Some(losses)", "true"),
    within("C4", "lanes/join.rs", "gathered: None", "None", "a.gathered.or(b.gathered)"),
    mutant("C4", "lanes/join.rs", "a.same_ways && b.same_ways && !apart", "a.same_ways && b.same_ways"),
    mutant("C7", "lanes/barriers.rs", "self.apart || !here.unguarded()", "!here.unguarded()"),
    mutant("C7", "lanes/barriers.rs", "self.apart || !here.unguarded()", "self.apart"),
    mutant(
        "C7",
        "lanes/barriers.rs",
        "warp.barriers.nests(held.iter().map(|h| h.barrier), barrier)",
        "false",
    ),
    within("C8", "lanes/barriers.rs", "        whole\n    }", "whole", "true"),
    mutant("C8", "lanes/barriers.rs", "(self.apart, self.same_ways) = (true, set_by_all);", ""),
    mutant(
        "C8",
        "lanes/barriers.rs",
        "(self.apart, self.same_ways) = (true, set_by_all);",
        "self.apart = true;",
    ),
    mutant("C8", "lanes/barriers.rs", "warp.forbid(here, both(d, h.within, later.within));", ""),
    within("C8", "lanes/barriers.rs", "false => warp.lose(barrier),", "warp.lose(barrier)", ""),
    mutant(
        "C8",
        "moves.rs",
        "others.into_iter().all(|other| self.excludes(&self.path, other))",
        "others.count() < usize::MAX",
    ),
    within(
        "C9",
        "lanes/barriers.rs",
        "        warp.lose(barrier);\n        let instances",
        "warp.lose(barrier);",
        "",
    ),
    mutant("C9", "lanes/barriers.rs", "here.possible(again).is_some()", "false"),
    mutant("C9", "lanes/moves.rs", "self.apart && (self.waited || self.stopped)", "false"),
    mutant("C9", "lanes/moves.rs", "self.ending = true;", ""),
    mutant("C10", "lanes/warp.rs", "whole && alone && !met", "whole && alone"),
    mutant("C10", "lanes/warp.rs", "whole && alone && !met", "whole && !met"),
    mutant("C10", "lanes/warp.rs", "whole && alone && !met", "alone && !met"),
    within("C11", "lanes/barriers.rs", "if self.apart {\n            self.let_go", "self.apart", "false"),
    mutant("C11", "lanes/barriers.rs", "self.meeting.let_go(&mut warp.barriers.instances);", ""),
    within(
        "C11",
        "lanes/barriers.rs",
        "        warp.lose(barrier);\n        self.meeting.tangle();",
        "warp.lose(barrier);",
        "",
    ),
    mutant("C11", "lanes/barriers.rs", "warp.forbid(here, d.not(&d.eq(&mask, &kept)));", ""),
    within(
        "C11",
        "lanes/barriers.rs",
        "last() }) else {\n            return warp.barriers.lose(here.place, barrier);",
        "return warp.barriers.lose(here.place, barrier);",
        "return;",
    ),
    within(
        "C13",
        "lanes/warp.rs",
        "        if !self.apart {\n            return Ok(None);",
        "!self.apart",
        "true",
    ),
    mutant("C13", "lanes/warp.rs", "(here.inputs.known(mask) != Some(ALL)).then_some(mask)", "None"),
    mutant("C13", "lanes/warp.rs", "!here.inputs.is_uniform(mask) || first != mask", "first != mask"),
    mutant(
        "C13",
        "lanes/warp.rs",
        "!here.inputs.is_uniform(mask) || first != mask",
        "!here.inputs.is_uniform(mask)",
    ),
    within("C13", "lanes/warp.rs", "Gathered { mask, exclusive: false }", "false", "true"),
    mutant("C13", "lanes/state.rs", "self.gathered = None;", ""),
    within(
        "C10",
        "lanes/warp.rs",
        "        self.new_piece(warp);\n    }\n\n    /// C13: behind a `BRA.DIV`",
        "self.new_piece(warp);",
        "let _ = warp;",
    ),
    mutant(
        "C14",
        "lanes/block.rs",
        "!self.apart && here.inputs.is_uniform(here.guard)",
        "here.inputs.is_uniform(here.guard)",
    ),
    mutant("C14", "lanes/block.rs", "!self.apart && here.inputs.is_uniform(here.guard)", "!self.apart"),
    mutant(
        "C14",
        "lanes/block.rs",
        "aligned && here.unguarded() && self.gathered_all(here.inputs)",
        "aligned && here.unguarded() && self.gathered.is_some()",
    ),
    mutant("C14", "lanes/block.rs", "aligned && self.same_ways", "self.same_ways"),
    mutant("C14", "lanes/block.rs", "aligned && self.same_ways", "aligned"),
    mutant(
        "C14",
        "lanes/warp.rs",
        "aligned && self.same_ways && here.unguarded()",
        "aligned && here.unguarded()",
    ),
    mutant(
        "C14",
        "lanes/warp.rs",
        "aligned && self.same_ways && here.unguarded()",
        "self.same_ways && here.unguarded()",
    ),
    mutant("E1", "lanes/eras.rs", "e >= span.from && all.insert(e)", "e > span.from && all.insert(e)"),
    within("E1", "lanes/state.rs", "if !self.apart {\n            self.eras", "!self.apart", "true"),
    mutant("E2", "join.rs", "x.era.min(y.era)", "x.era.max(y.era)"),
    mutant("E4", "lanes/eras.rs", "self.is_part(own, other) || self.is_part(other, own)", "own != other"),
    mutant(
        "E4",
        "lanes/moves.rs",
        "gone.band = Some(warp.eras.band(Some(band)));",
        "gone.band = Some(band);",
    ),
    within("E4", "lanes/join.rs", "(true, false) => None", "None", "a.band"),
    within("E4", "lanes/barriers.rs", "flatten().filter(|_| set_by_all)", "set_by_all", "true"),
    mutant(
        "E5",
        "moves.rs",
        "alike && self.machine && !self.path.lanes.are_apart()",
        "self.machine && !self.path.lanes.are_apart()",
    ),
];

/// Plants each and says which are caught; an error where one is not, or cannot be planted.
pub fn lane_mutants(root: &Path) -> Result<()> {
    let copy = lay_out(root)?;
    plant(&copy.join(CRATE))?;
    if !test(&copy, &["--no-run"], 0)?.status.success() {
        bail!("the mutants do not compile");
    }
    if !passes(&copy, 0)? {
        bail!("the test fails without a mutant");
    }
    let mut missed = Vec::new();
    for (number, m) in (1..).zip(MUTANTS) {
        let caught = !passes(&copy, number)?;
        println!("{} {} {}: `{}`", if caught { "caught" } else { "MISSED" }, m.rule, m.file, m.to);
        if !caught {
            missed.push(m.rule);
        }
    }
    println!("{} of {} caught", MUTANTS.len() - missed.len(), MUTANTS.len());
    if missed.is_empty() { Ok(()) } else { bail!("not caught: {}", missed.join(", ")) }
}

/// Plants all mutants in the sources of a crate, each where its number is asked for.
fn plant(folder: &Path) -> Result<()> {
    for file in MUTANTS.iter().map(|m| m.file).collect::<BTreeSet<&str>>() {
        let path = folder.join("src/trace").join(file);
        let right = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let own = (1..).zip(MUTANTS).filter(|(_, m)| m.file == file);
        std::fs::write(&path, planted(&right, own).with_context(|| file)?)?;
    }
    let library = folder.join("src/lib.rs");
    let right = std::fs::read_to_string(&library)?;
    Ok(std::fs::write(&library, right + SWITCH)?)
}

/// A file with mutants, each with its number.
fn planted<'m>(right: &str, mutants: impl Iterator<Item = (u32, &'m Mutant)>) -> Result<String> {
    let mut places: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (number, m) in mutants {
        let (around, from) = m.place;
        if right.matches(around).count() != 1 || around.matches(from).count() != 1 {
            bail!("`{from}` does not stand there once");
        }
        let at = right.find(around).unwrap_or_default() + around.find(from).unwrap_or_default();
        let arms = places.entry((at, at + from.len())).or_default();
        *arms += &format!("{number} => {{ {} }} ", m.to);
    }
    let (mut wrong, mut end) = (String::new(), 0);
    for ((from, to), arms) in places {
        let Some(between) = right.get(end..from) else { bail!("two mutants overlap") };
        wrong += &format!("{between}match crate::planted() {{ {arms}_ => {{ {} }} }}", &right[from..to]);
        end = to;
    }
    Ok(wrong + &right[end..])
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

/// Runs the test on the copy, with a mutant or none (0).
fn test(copy: &Path, more: &[&str], number: u32) -> Result<Output> {
    let mut c = cargo(copy, &["test", "--quiet", "--package", "sassafras-symbolic", "--test", "lanes"]);
    c.args(more).env("CARGO_TARGET_DIR", copy.with_file_name("target"));
    c.env("SASSAFRAS_SEEDS", SEEDS).env("SASSAFRAS_ENOUGH", "1").env(VARIABLE, number.to_string());
    Ok(c.output()?)
}

/// Whether nothing wrong is said with a mutant, or without one (0): neither what was once said and was wrong, nor anything of random code.
///
/// # Errors
/// Too little is said without a mutant: that nothing wrong is said of programs of which nothing is said shows nothing.
fn passes(copy: &Path, number: u32) -> Result<bool> {
    if !test(copy, &["--", "holes::"], number)?.status.success() {
        return Ok(false);
    }
    let out = test(copy, &["--", "--ignored", "--nocapture"], number)?;
    let none = String::from_utf8_lossy(&out.stdout).contains(NONE_WRONG);
    match (out.status.success(), none) {
        (false, true) if number == 0 => bail!("too little is said without a mutant"),
        (passed, none) => Ok(passed || none),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mutant_stands_where_it_is_planted() {
        let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(CRATE).join("src/trace");
        for file in MUTANTS.iter().map(|m| m.file).collect::<BTreeSet<&str>>() {
            let right = std::fs::read_to_string(trace.join(file)).expect("a file");
            let own = (1..).zip(MUTANTS).filter(|(_, m)| m.file == file);
            let wrong = planted(&right, own).unwrap_or_else(|why| panic!("{file}: {why}"));
            assert_ne!(wrong, right);
        }
    }

    #[test]
    fn all_mutants_of_a_place_stand_in_one_choice() {
        let two = [mutant("C3", "f", "a + b", "a"), within("C3", "f", "f(a + b)", "a + b", "b")];
        let wrong = planted("let x = f(a + b);", (1..).zip(&two)).expect("both stand there");
        assert_eq!(wrong, "let x = f(match crate::planted() { 1 => { a } 2 => { b } _ => { a + b } });");
        let overlap = [mutant("C3", "f", "a + b", "a"), mutant("C3", "f", "b)", "a)")];
        assert!(planted("let x = f(a + b);", (1..).zip(&overlap)).is_err());
        assert!(planted("let x = f(a, b);", (1..).zip(&two)).is_err());
    }
}
