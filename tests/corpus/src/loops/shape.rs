//! What loops a PTX function has, by its own control-flow graph: one node for each instruction, and the nest of its cycles.

use sassafras_graph::nest::{Cycle, Nest};
use sassafras_graph::{BitSet, ControlFlow, Entity, Graph};
use sassafras_ptx::checked::{Function, Inst, Module, Op, Operand, RegisterId};
use std::collections::BTreeSet;
use std::fmt;

sassafras_graph::entity!(Place, "place", "An instruction of a function, by its number; the last is the end.");

/// How the loops of a function lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// There is none.
    None,
    /// One.
    Single,
    /// At least two, none within another.
    Several,
    /// At least one within another.
    Nested,
    /// There is none, but in functions that it calls.
    Called,
}

/// Whether the counts of iterations are constants of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// There is no loop of its own.
    None,
    /// Of each loop.
    Constant,
    /// Of no loop, as far as one exit with one counter shows.
    Variable,
    /// Of some.
    Mixed,
}

/// The loops of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How they lie.
    pub form: Form,
    /// How often they are gone through.
    pub count: Count,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::None => "none",
            Form::Single => "single",
            Form::Several => "several",
            Form::Nested => "nested",
            Form::Called => "called",
        })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Count::None => "none",
            Count::Constant => "constant",
            Count::Variable => "variable",
            Count::Mixed => "mixed",
        })
    }
}

/// The loops of a function, and of those that it calls by name.
pub fn shape(module: &Module, function: &Function) -> Shape {
    let own = own(function);
    if own.form != Form::None {
        return own;
    }
    let (mut seen, mut open) = (BTreeSet::new(), vec![function]);
    while let Some(f) = open.pop() {
        let callees = f.insts.iter().flatten().filter(|i| i.op == Op::Call).flat_map(|i| &i.operands);
        for operand in callees {
            if let Operand::Function(id) = operand
                && seen.insert(id.0)
                && let Some(callee) = module.functions.get(id.0 as usize)
            {
                if self::own(callee).form != Form::None {
                    return Shape { form: Form::Called, count: Count::None };
                }
                open.push(callee);
            }
        }
    }
    own
}

fn own(function: &Function) -> Shape {
    let insts = function.insts.as_deref().unwrap_or_default();
    let graph = graph(function, insts);
    let nest = Nest::new(&graph);
    let cycles: Vec<Cycle> = (0..nest.cycles.len()).map(Cycle::from_index).collect();
    let nested = cycles.iter().any(|c| nest.cycles[*c].parent.is_some());
    let form = match cycles.len() {
        0 => Form::None,
        1 => Form::Single,
        _ if nested => Form::Nested,
        _ => Form::Several,
    };
    let constant = cycles.iter().filter(|c| is_counted(&graph, insts, nest.blocks(**c))).count();
    let count = match constant {
        _ if cycles.is_empty() => Count::None,
        0 => Count::Variable,
        n if n == cycles.len() => Count::Constant,
        _ => Count::Mixed,
    };
    Shape { form, count }
}

/// An edge for each way that control may take.
fn graph(function: &Function, insts: &[Inst]) -> Graph<Place> {
    let place = |at: usize| Place::from_index(at.min(insts.len()));
    let label = |l: u32| function.labels.get(l as usize).map(|l| place(l.target as usize));
    let mut edges = Vec::new();
    for (at, inst) in insts.iter().enumerate() {
        let mut to: Vec<Place> = Vec::new();
        if matches!(inst.op, Op::Bra | Op::BrxIdx) {
            for operand in &inst.operands {
                match operand {
                    Operand::Label(l) => to.extend(label(l.0)),
                    Operand::BranchTargets(name) => {
                        let all = function.branch_targets.get(name).into_iter().flatten();
                        to.extend(all.filter_map(|l| label(l.0)));
                    }
                    _ => {}
                }
            }
        }
        let ends = matches!(inst.op, Op::Bra | Op::BrxIdx | Op::Ret | Op::Exit | Op::Trap);
        if !ends || inst.guard.is_some() {
            to.push(place(at + 1));
        }
        edges.extend(to.into_iter().map(|t| (place(at), t)));
    }
    Graph::new(place(0), insts.len() + 1, edges)
}

/// Whether the cycle has one exit, whose condition compares a number that each turn changes by immediates, from an immediate on, with an immediate.
fn is_counted(graph: &Graph<Place>, insts: &[Inst], blocks: &[Place]) -> bool {
    let inside: BitSet = blocks.iter().map(|b| b.index()).collect();
    let leaves = |b: &&Place| graph.succs(**b).iter().any(|s| !inside.contains(s.index()));
    let exits: Vec<&Place> = blocks.iter().filter(leaves).collect();
    let [exit] = exits[..] else { return false };
    let Some(guard) = insts.get(exit.index()).and_then(|i| i.guard) else { return false };
    let writes = |r: RegisterId| {
        let all = insts.iter().enumerate();
        all.filter(move |(_, i)| i.operands.first() == Some(&Operand::Register(r))).collect::<Vec<_>>()
    };
    let setps: Vec<(usize, &Inst)> =
        writes(guard.register).into_iter().filter(|(at, _)| inside.contains(*at)).collect();
    let [(_, setp)] = setps[..] else { return false };
    let (Op::Setp, [_, Operand::Register(counter), Operand::Immediate(_)]) = (setp.op, &setp.operands[..])
    else {
        return false;
    };
    let (mut seen, mut open) = (BTreeSet::from([counter.0]), vec![*counter]);
    while let Some(r) = open.pop() {
        for (at, inst) in writes(r) {
            match (inst.op, &inst.operands[1..], inside.contains(at)) {
                (Op::Mov, [Operand::Immediate(_)], _) => {}
                (Op::Mov, [Operand::Register(from)], true)
                | (
                    Op::Add | Op::Sub | Op::Shl | Op::Shr | Op::Mul,
                    [Operand::Register(from), Operand::Immediate(_)],
                    true,
                ) => {
                    if seen.insert(from.0) {
                        open.push(*from);
                    }
                }
                _ => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Shape {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 n)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n\
             ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\n{body}\nret;\n}}\n"
        );
        let module = sassafras_ptx::load(&text, "k").unwrap_or_else(|e| panic!("{e}"));
        shape(&module, &module.functions[0])
    }

    #[test]
    fn loops_are_told_apart() {
        assert_eq!(of("add.u32 %r2, %r2, 1;"), Shape { form: Form::None, count: Count::None });
        let ten = "A: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 10; @%p1 bra A;";
        assert_eq!(of(ten), Shape { form: Form::Single, count: Count::Constant });
        let n = "B: add.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, %r1; @%p2 bra B;";
        assert_eq!(of(n), Shape { form: Form::Single, count: Count::Variable });
        assert_eq!(of(&format!("{ten}{n}")), Shape { form: Form::Several, count: Count::Mixed });
        let nest = "A: mov.u32 %r3, 0; B: add.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, %r1; @%p2 bra B; add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 10; @%p1 bra A;";
        assert_eq!(of(nest).form, Form::Nested);
        // A label behind a branch back is no loop of its own, and a branch back that none takes is none.
        assert_eq!(of("bra C; A: bra D; C: bra A; D:").form, Form::None);
        // A counter that starts at a parameter.
        let from = "mov.u32 %r2, %r1; A: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 10; @%p1 bra A;";
        assert_eq!(of(from).count, Count::Variable);
    }
}
