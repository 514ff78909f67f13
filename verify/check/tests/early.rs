//! BSYNC may let lanes go early (`docs/convergence.md`, C9 and C11): what our code does about it is right by the judge, and is not when a WARPSYNC is
//! taken away.

use sassafras_check::{Verdict, machine};
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::{Stage, session};
use sassafras_isa::Meaning;
use sassafras_machine::{Function, MInst, Phase};
use std::sync::Mutex;

/// Keeps the scheduled function.
#[derive(Default)]
struct Last(Mutex<Option<Function>>);

impl Observer for Last {
    fn observe(&self, _: Stage, _: Option<Form<'_>>, after: Form<'_>, _: &Notes) -> Result<(), Objection> {
        if let Form::Machine(f) = after
            && f.phase == Phase::Scheduled
        {
            *self.0.lock().expect("no judge panics") = Some(f.clone());
        }
        Ok(())
    }
}

fn compile(text: &str) -> Function {
    let arch = Some(Arch::Real("sm_90".parse().expect("a target")));
    let options = Options { arch, jobs: 1, ..Options::default() };
    let last = Last::default();
    session::compile(text, "early", &options, None, &last).unwrap_or_else(|failure| panic!("{failure}"));
    last.0.into_inner().expect("no judge panics").expect("something is scheduled")
}

fn rules(f: &Function) -> Vec<&'static str> {
    match machine::check(f) {
        Verdict::Objected(all) => all.iter().map(|one| one.rule).collect(),
        _ => Vec::new(),
    }
}

fn is(inst: &MInst, meaning: Meaning) -> bool {
    inst.inst().is_some_and(|inst| inst.row().meaning == meaning)
}

/// Takes away each WARPSYNC of all lanes in front of such an operation, one at a time: how many there are, and to how many faults the judge objects
/// by this rule.
fn without(f: &Function, operation: Meaning, rule: &str) -> (usize, usize) {
    let mut seen = (0, 0);
    for (block, index, _) in f.insts().filter(|(.., inst)| is(inst, Meaning::WarpsyncAll)) {
        if !f.blocks[block].insts.get(index + 1).is_some_and(|next| is(next, operation)) {
            continue;
        }
        let mut faulted = f.clone();
        faulted.blocks[block].insts.remove(index);
        seen = (seen.0 + 1, seen.1 + usize::from(rules(&faulted).contains(&rule)));
    }
    sassafras_oracle::fault::planted("machine", &"sm_90", "dropped wait of all lanes", seen.0, seen.1);
    seen
}

fn feature(name: &str) -> String {
    let path = sassafras_reference::workspace_root().join(format!("corpus/features/{name}.ptx"));
    std::fs::read_to_string(path).expect("a file of the corpus")
}

/// `atom.shared.add.f32` is a loop that yields, with barriers of the block behind it.
#[test]
fn a_barrier_behind_a_loop_that_yields_needs_its_wait() {
    let f = compile(&feature("atom_shared_float"));
    assert_eq!(rules(&f), [""; 0]);
    let (planted, seen) = without(&f, Meaning::Bar, "converge-barrier");
    assert!(planted > 0 && seen == planted, "{seen} of {planted}");
}

/// Lanes leave three loops at once, and others meet in them. Behind them all are asked.
#[test]
fn what_stands_behind_loops_that_lanes_break_off_needs_its_wait() {
    let text = feature("flow_break_depth_three");
    let f = compile(&text);
    assert_eq!(rules(&f), [""; 0]);
    assert_eq!(without(&f, Meaning::Shfl, "converge-early"), (1, 1));
    let f = compile(&text.replace("JOIN:", "JOIN:\n    bar.sync 0;"));
    assert_eq!(rules(&f), [""; 0]);
    assert_eq!(without(&f, Meaning::Bar, "converge-barrier"), (1, 1));
}
