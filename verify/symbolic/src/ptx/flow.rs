//! Where the places of a program lead.

use crate::ptx::calls::Program;
use crate::trace::loops::Flow;
use sassafras_ptx::checked::{Op, Operand};

/// Where each place may lead: calls lead to what they call, and the end of that behind them.
pub fn flow(program: &Program<'_>) -> Flow {
    let mut flow = Flow::new();
    for (at, step) in program.steps.iter().enumerate() {
        let frame = &program.frames[step.frame];
        let resume = frame.call.map(|_| frame.resume);
        let mut to: Vec<u64> = Vec::new();
        let mut through = true;
        if let Some(choice) = step.choice {
            flow.insert(at as u64, vec![program.choice(choice).1, step.next]);
            continue;
        }
        match step.inst {
            None => (to, through) = (resume.into_iter().collect(), false),
            Some((inst, _)) => {
                let label = |l: u32| program.target(step.frame, frame.function.labels[l as usize].target);
                match inst.op {
                    Op::Bra | Op::BrxIdx => {
                        for operand in &inst.operands {
                            match operand {
                                Operand::Label(l) => to.push(label(l.0)),
                                Operand::BranchTargets(name) => {
                                    let all = frame.function.branch_targets.get(name);
                                    to.extend(all.into_iter().flatten().map(|l| label(l.0)));
                                }
                                _ => {}
                            }
                        }
                        through = false;
                    }
                    Op::Ret => (to, through) = (resume.into_iter().collect(), false),
                    Op::Exit | Op::Trap | Op::Brkpt => through = false,
                    Op::Call => {
                        to.extend(program.callees(step).iter().map(|(_, callee)| program.start(*callee)));
                        through = step.system.is_some();
                    }
                    _ => {}
                }
                through |= inst.guard.is_some();
            }
        }
        to.iter_mut().for_each(|to| *to = program.lead(at as u64, *to));
        if through {
            to.push(step.next);
        }
        flow.insert(at as u64, to);
    }
    flow
}
