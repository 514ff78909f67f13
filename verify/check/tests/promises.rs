//! What phases promise of graphs: an example that is taken and one that is objected to.

use sassafras_check::{Verdict, ir, machine};
use sassafras_ir::{Edge, Function, Module, Op, Terminator, Type};

/// A function of these edges, in which blocks with two choose by an undefined bit.
fn graph(succs: &[&[u32]]) -> Module {
    let mut f = Function::new("k");
    let mut blocks = vec![f.entry];
    blocks.extend((1..succs.len()).map(|_| f.add_block()));
    for (&block, list) in blocks.iter().zip(succs) {
        let edge = |to: u32| Edge::new(blocks[to as usize], &[]);
        let end = match list {
            [] => Terminator::Exit,
            [to] => Terminator::Jump(edge(*to)),
            [a, b, ..] => {
                let inst = f.append(block, Op::Undef, &[], &[Type::I1], 0);
                let condition = f.insts[inst].results[0];
                Terminator::Branch { condition, then: edge(*a), otherwise: edge(*b) }
            }
        };
        f.blocks[block].terminator = end;
    }
    Module { functions: vec![f], ..Module::default() }
}

fn rules(verdict: &Verdict) -> Vec<&'static str> {
    verdict.objections().iter().map(|finding| finding.rule).collect()
}

#[test]
fn cycles_with_two_entries_are_seen() {
    let good = graph(&[&[1], &[2, 3], &[1], &[]]);
    assert_eq!(ir::check(&good), Verdict::Passed);
    assert_eq!(ir::check_reducible(&good), Verdict::Passed);
    let bad = graph(&[&[1, 2], &[2], &[1, 3], &[]]);
    assert_eq!(ir::check(&bad), Verdict::Passed, "it is well-formed");
    assert_eq!(rules(&ir::check_reducible(&bad)), ["ir-reducible"]);
    // Nothing reaches the cycle.
    let dead = graph(&[&[3], &[2], &[1, 2], &[]]);
    assert_eq!(ir::check_reducible(&dead), Verdict::Passed);
}

#[test]
fn critical_edges_are_seen() {
    let function = |succs: &[&[u32]]| {
        let mut f = sassafras_machine::Function::new("k", sassafras_chip::Chip::Sm90);
        for _ in 1..succs.len() {
            f.add_block();
        }
        for (at, list) in succs.iter().enumerate() {
            let edges = list.iter().map(|&to| sassafras_machine::Edge::to(sassafras_machine::Block(to)));
            f.blocks[sassafras_machine::Block(at as u32)].succs = edges.collect();
        }
        f
    };
    assert_eq!(machine::check_critical(&function(&[&[1, 2], &[3], &[3], &[]])), Verdict::Passed);
    assert_eq!(rules(&machine::check_critical(&function(&[&[1, 2], &[2], &[]]))), ["machine-critical"]);
}
