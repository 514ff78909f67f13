//! `cargo xtask mutants`: every fault that is planted in front of a judge, in one list: judge, chip, name, how often planted and caught, and the test.
//!
//! A fault stands where its judge's tests are. They say each by [`fault::planted`], and this command runs them and gathers what they say. A test that says
//! nothing, or fails, fails the command: a list that lost its faults is no list.

use crate::process::cargo;
use anyhow::{Context, Result, bail};
use sassafras_oracle::fault::{self, Fault};
use std::collections::BTreeMap;
use std::path::Path;

/// A test that plants faults.
struct Planter {
    package: &'static str,
    /// The test target.
    target: &'static str,
    /// The name of the test, or how names of tests begin.
    test: &'static str,
    /// Whether it asks z3.
    z3: bool,
}

const fn planter(package: &'static str, target: &'static str, test: &'static str, z3: bool) -> Planter {
    Planter { package, target, test, z3 }
}

/// Every test that plants faults, by stages.
const PLANTERS: &[Planter] = &[
    planter("sassafras-check", "trees", "each_fault_is_caught_wherever_it_is_planted", false),
    planter("sassafras-check", "forms", "faults::each_is_caught_wherever_it_is_planted", false),
    planter("sassafras-check", "planted", "faults_are_caught", false),
    planter("sassafras-check", "arrange", "programs_pass_and_faults_do_not", false),
    planter("sassafras-check", "folding", "each_planted_fault_is_caught_by_its_rule", false),
    planter("sassafras-check", "early", "", false),
    planter("sassafras-check", "orders", "each_fault_in_an", false),
    planter("sassafras-check", "recorded_faults", "changed_control_bits_are_caught", false),
    planter("sassafras-check", "lines", "faults_are_caught", false),
    planter("sassafras-check", "container", "planted_faults_of_files_are_objected_to", false),
    planter("sassafras-check", "container", "a_stack_smaller_than_its_frames_is_objected_to", false),
    planter("sassafras-hazards", "stalls", "stalls_below_the_least_are_objected_to", false),
    planter("sassafras", "plant", "each_is_caught_and_nothing_is_written", false),
    planter("sassafras-corpus", "planted", "", false),
    planter("sassafras-normal", "wrong_rows", "wrong_rows_are_refuted", true),
    planter("sassafras-prove-rules", "rules", "broken_rules_are_refuted", true),
    planter("sassafras-prove-rules", "rewrites", "broken_rewrites_are_refuted", true),
    planter("sassafras-prove-passes", "passes", "planted::wrong_passes_are_not_proved", true),
    planter("sassafras-prove-lowering", "lowering", "", true),
    planter("sassafras-prove", "controls", "planted::no_planted_change_is_proved", true),
    planter("sassafras-prove", "mutants", "changes_of_the_meaning_are_not_proved", true),
    planter("sassafras-prove", "wrong_pairs", "what_differs_is_not_proved", true),
    planter("sassafras-prove", "uniform", "wrong_code_is_not_proved", true),
    planter("sassafras-prove", "bounds", "counts_over_the_whole_run_are_found_out", true),
    planter(
        "sassafras-prove",
        "bounded",
        "turns::witnesses_that_say_more_of_loops_than_holds_are_rejected",
        true,
    ),
    planter("sassafras-prove", "early", "without_its_wait_nothing_is_proved", true),
    planter("sassafras-prove", "other_chips", "right_code_is_proved_and_wrong_code_is_not", true),
    planter("sassafras-prove", "system_calls", "no_planted_change_is_proved", true),
    planter("sassafras-prove", "tensor", "no_planted_fault_passes", true),
    planter("sassafras-prove", "warpgroup", "no_planted_fault_passes", true),
    planter("sassafras-prove", "lemmas", "planted_changes_are_not_proved", true),
    planter("sassafras-prove", "estimates", "planted_changes_are_not_proved", true),
    planter("sassafras-prove", "doubles", "planted_changes_are_not_proved", true),
    planter("sassafras-prove", "nth_bit", "planted_changes_are_not_proved", true),
];

impl Planter {
    fn name(&self) -> String {
        format!("{} {} {}", self.package, self.target, self.test)
    }

    /// Runs the test and gives the faults that it says.
    fn run(&self, root: &Path) -> Result<Vec<Fault>> {
        let mut words = vec!["test", "--quiet", "--package", self.package, "--test", self.target];
        if self.z3 {
            words.extend(["--features", "z3"]);
        }
        words.extend(["--", self.test]);
        let out = cargo(root, &words).env(fault::VARIABLE, "1").output().context("cargo")?;
        let said = String::from_utf8_lossy(&out.stderr);
        if !out.status.success() {
            bail!("{} fails:\n{}{said}", self.name(), String::from_utf8_lossy(&out.stdout));
        }
        gather(&self.name(), &said)
    }
}

/// The faults of a test's output, one line for each of a name.
fn gather(test: &str, said: &str) -> Result<Vec<Fault>> {
    let mut all: BTreeMap<(String, String, String), (usize, usize)> = BTreeMap::new();
    for fault in said.lines().filter_map(Fault::read) {
        let counts = all.entry((fault.judge, fault.chip, fault.name)).or_default();
        *counts = (counts.0 + fault.planted, counts.1 + fault.caught);
    }
    if all.is_empty() {
        bail!("{test} plants no fault: it was skipped, or has another name\n{said}");
    }
    let fault = |((judge, chip, name), (planted, caught))| Fault { judge, chip, name, planted, caught };
    Ok(all.into_iter().map(fault).collect())
}

/// Runs all tests whose name has `only` in it, and prints the list.
pub fn mutants(root: &Path, only: Option<&str>) -> Result<()> {
    let chosen: Vec<&Planter> =
        PLANTERS.iter().filter(|p| only.is_none_or(|only| p.name().contains(only))).collect();
    if chosen.is_empty() {
        bail!("no test that plants faults has `{}` in its name", only.unwrap_or_default());
    }
    let (mut faults, mut failed) = (0, Vec::new());
    let mut judges: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    println!("| judge | chip | fault | planted | caught | test |\n| --- | --- | --- | --- | --- | --- |");
    for planter in &chosen {
        match planter.run(root) {
            Err(why) => failed.push(format!("{why:#}")),
            Ok(all) => {
                for f in &all {
                    println!(
                        "| {} | {} | {} | {} | {} | {} |",
                        f.judge,
                        f.chip,
                        f.name.replace('|', "\\|"),
                        f.planted,
                        f.caught,
                        planter.name()
                    );
                    let sum = judges.entry(f.judge.clone()).or_default();
                    *sum = (sum.0 + 1, sum.1 + f.planted, sum.2 + f.caught);
                    if f.caught == 0 {
                        failed.push(format!("{}: {} is never caught", planter.name(), f.name));
                    }
                }
                faults += all.len();
            }
        }
    }
    println!();
    for (judge, (names, planted, caught)) in &judges {
        println!("{judge}: {names} faults, planted {planted} times, objected to {caught} times");
    }
    println!("{faults} faults of {} tests", chosen.len());
    if !failed.is_empty() {
        bail!("{}", failed.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_plants_nothing_is_an_error() {
        assert!(gather("some test", "running 0 tests\n").is_err());
        let two =
            gather("some test", ".fault: lines | - | short | 1 | 1\nfault: lines | - | short | 2 | 1\n");
        let [fault] = &two.expect("a fault")[..] else { panic!("one name") };
        assert_eq!((fault.planted, fault.caught), (3, 2));
    }

    /// A test that is renamed, or a new one that plants faults, has to stand in the list.
    #[test]
    fn the_list_has_every_test_that_plants() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut missing = Vec::new();
        let mut work = vec![root.join("verify"), root.join("compiler"), root.join("tests/corpus")];
        while let Some(folder) = work.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    work.push(path);
                    continue;
                }
                let name = path.display().to_string();
                let says = name.ends_with(".rs")
                    && std::fs::read_to_string(&path)
                        .is_ok_and(|text| text.contains("sassafras_oracle::fault::planted("));
                // Helpers of several tests, and the module itself.
                if says && !name.contains("/common/") && !PLANTERS.iter().any(|p| holds(p, &name)) {
                    missing.push(name);
                }
            }
        }
        assert!(missing.is_empty(), "mutants.rs lacks {missing:?}");
    }

    /// Whether a file belongs to a test target.
    fn holds(planter: &Planter, file: &str) -> bool {
        file.contains(&format!("/tests/{}.rs", planter.target))
            || file.contains(&format!("/tests/{}/", planter.target))
    }
}
