//! Branch folding: each requirement BF-01 to BF-18 (`docs/requirements-folding.md`).

mod branches;
mod gates;
mod hoisting;
mod knobs;
mod lanes;
mod reducible;
mod tails;
mod whole;

use sassafras_codegen::fold::{FoldStats, Knobs, fold};
use sassafras_machine::{Block, Function, Merge, text};

/// A function of this phase from its blocks; the layout is their order in the text.
fn placed(phase: &str, body: &str) -> Function {
    let names = body.lines().filter_map(|line| line.split_once("():").map(|(name, _)| name.trim()));
    let layout = names.collect::<Vec<_>>().join(" ");
    let head = format!(
        "sassafras machine 1 {phase} sm_90\nfunction \"k\"\nentry b0\nlayout {layout}\nframe local 0 spill 0\n"
    );
    let rest = "shared 0\nparams 16\nregisters 253\n";
    text::parse(&format!("{head}{rest}{body}")).unwrap_or_else(|error| panic!("{error}\n{body}"))
}

/// The same behind `expand`.
fn machine(body: &str) -> Function {
    placed("allocated", body)
}

/// What folding makes of it, with these knobs.
fn folded_with(body: &str, knobs: &[(&str, &str)]) -> (Function, FoldStats) {
    let mut values = Knobs::default();
    for (name, value) in knobs {
        values.set(name, value).unwrap_or_else(|why| panic!("{why}"));
    }
    let mut f = machine(body);
    let stats = fold(&mut f, &values).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text::parse(&text::print(&f)).as_ref(), Ok(&f));
    (f, stats)
}

fn folded(body: &str) -> (Function, FoldStats) {
    folded_with(body, &[])
}

/// The forms of a block's instructions.
fn forms(f: &Function, block: u32) -> Vec<&'static str> {
    f.blocks[Block(block)].insts.iter().filter_map(|inst| inst.inst()).map(|real| real.row().id).collect()
}

fn succs(f: &Function, block: u32) -> Vec<u32> {
    f.blocks[Block(block)].succs.iter().map(|edge| edge.block.0).collect()
}

fn layout(f: &Function) -> Vec<u32> {
    f.layout.iter().map(|block| block.0).collect()
}

fn tail(tail: u32, from: &[u32], length: usize) -> Merge {
    Merge {
        tail: Block(tail),
        from: from.iter().map(|&block| Block(block)).collect(),
        length,
        hoisted: false,
    }
}

fn hoist(to: u32, from: &[u32], length: usize) -> Merge {
    Merge { hoisted: true, ..tail(to, from, length) }
}

/// Three instructions of a lane's own.
const THREE: &str =
    "  iadd3.rrr d=R4 a=R4 b=R5 c=R6\n  iadd3.rrr d=R7 a=R4 b=R5 c=R6\n  iadd3.rrr d=R8 a=R7 b=R7 c=R6\n";

/// A branch on P0 to two sides that end alike and meet in b3. `uniform` says how the branch goes on behind its target.
fn diamond(uniform: &str, a: &str, b: &str, shared: &str) -> String {
    format!(
        "b0():\n  isetp.ri d=P0 a=R0 b=0x7\n  @P0 bra ; target b2{uniform}\n  -> b2(), b1()\n\
         b1():\n{a}{shared}  -> b3()\n\
         b2():\n{b}{shared}  -> b3()\n\
         b3():\n  exit\n"
    )
}

const ONE: &str = "  mov.i d=R4 b=0x1\n";
const TWO: &str = "  mov.i d=R4 b=0x2\n";
