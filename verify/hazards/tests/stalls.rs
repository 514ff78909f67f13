//! The least stall behind what the dispatcher must be done with, in recorded code.

use sassafras_chip::Chip;
use sassafras_hazards::{Program, judge};
use sassafras_isa::ControlFlowKind;
use sassafras_reference::{traces, workspace_root};

/// Stalls of what transfers control, waits, or orders memory, each one cycle below what ptxas leaves at least.
#[test]
fn stalls_below_the_least_are_objected_to() {
    let root = workspace_root();
    let (mut planted, mut caught) = (0, 0);
    let mut kinds = std::collections::BTreeSet::new();
    for chip in [Chip::Sm75, Chip::Sm80, Chip::Sm90, Chip::Sm100, Chip::Sm120] {
        for name in traces::names(&root, &chip.to_string()).iter().step_by(5) {
            let bytes = traces::cubin_for(&root, &chip.to_string(), name).expect("it is there");
            let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
            for f in &cubin.functions {
                let program = Program::of_words(&f.code, chip);
                for (at, inst) in program.insts.iter().enumerate() {
                    let Some(inst) = inst.as_ref().filter(|_| !program.is_padding(at)) else { continue };
                    use ControlFlowKind as K;
                    let flow = matches!(
                        inst.row().control_flow,
                        Some(K::Branch | K::IndirectBranch | K::Return | K::Exit | K::Sync)
                    );
                    if !flow && inst.row().mnemonic != "MEMBAR" {
                        continue;
                    }
                    let mut short = program.clone();
                    if let Some(inst) = &mut short.insts[at] {
                        inst.control.stall = 4;
                    }
                    kinds.insert(inst.row().mnemonic);
                    planted += 1;
                    let verdict = judge(&short);
                    caught += usize::from(verdict.objections().iter().any(|f| f.rule == "hazard-stall"));
                }
            }
        }
    }
    eprintln!("{caught} of {planted}: {kinds:?}");
    sassafras_oracle::fault::planted("hazards", &"five", "a stall below the least", planted, caught);
    assert!(planted > 500 && caught == planted, "{caught} of {planted}");
}
