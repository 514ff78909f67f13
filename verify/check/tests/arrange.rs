//! The judge of the order before allocation has nothing to say against real ones, and objects to every wrong one.

mod common;

use sassafras_check::{Verdict, machine, schedule};
use sassafras_codegen::plant::{Fault, plant};
use sassafras_machine::Op;

#[test]
fn programs_pass_and_faults_do_not() {
    let steps = common::arranged();
    assert!(steps.len() > 300, "{} functions", steps.len());
    let (mut moved, mut planted) = (0, 0);
    for step in &steps {
        let verdict = schedule::check(&step.before, &step.after).and(machine::check(&step.after));
        assert!(verdict.objections().is_empty(), "{}: {verdict:?}", step.name);
        moved += usize::from(step.before != step.after);
        for seed in 0..2 {
            let mut faulted = step.after.clone();
            if !plant(Fault::MemoryRearranged, &mut faulted, seed) {
                break;
            }
            planted += 1;
            let verdict = schedule::check(&step.before, &faulted);
            assert!(matches!(verdict, Verdict::Objected(_)), "{}: seed {seed}", step.name);
        }
    }
    assert!(moved > 100, "{moved} of {} moved", steps.len());
    assert!(planted > 20, "{planted} planted");
    sassafras_oracle::fault::planted("schedule", &"sm_90", Fault::MemoryRearranged.name(), planted, planted);
}

#[test]
fn nothing_is_lost_added_or_changed() {
    let steps = common::arranged();
    let step = steps.iter().find(|step| step.name.starts_with("vadd")).expect("the kernel is there");
    let rule = |change: &dyn Fn(&mut sassafras_machine::Function)| {
        let mut after = step.after.clone();
        change(&mut after);
        schedule::check(&step.before, &after).objections().first().map(|finding| finding.rule)
    };
    assert_eq!(rule(&|_| ()), None);
    let entry = step.after.entry;
    assert_eq!(rule(&|f| _ = f.blocks[entry].insts.remove(0)), Some("schedule-instructions"));
    assert_eq!(
        rule(&|f| {
            let mut again = f.blocks[entry].insts[0].clone();
            again.origin = None;
            f.blocks[entry].insts.push(again);
        }),
        Some("schedule-instructions")
    );
    assert_eq!(
        rule(&|f| {
            let pack = f.blocks[entry].insts.iter_mut().find_map(|inst| match &mut inst.op {
                Op::Pseudo(sassafras_machine::Pseudo::Pack { parts, .. }) => Some(parts),
                _ => None,
            });
            if let Some(parts) = pack {
                parts.reverse();
            }
        }),
        (step.after.blocks[entry].insts.iter())
            .any(|inst| matches!(inst.as_pseudo(), Some(sassafras_machine::Pseudo::Pack { .. })))
            .then_some("schedule-instructions")
    );
    assert_eq!(rule(&|f| f.blocks[entry].insts.reverse()), Some("schedule-dependence"));
    assert_eq!(rule(&|f| f.shared_bytes += 4), Some("schedule-frame"));
    let parts = |f: &sassafras_machine::Function| {
        f.layout.iter().copied().find(|&block| f.blocks[block].succs.len() == 2)
    };
    let (step, block) =
        steps.iter().find_map(|step| Some((step, parts(&step.after)?))).expect("something branches");
    let mut after = step.after.clone();
    after.blocks[block].succs.reverse();
    let found = schedule::check(&step.before, &after).objections().first().map(|finding| finding.rule);
    assert_eq!(found, Some("schedule-successors"));
}
