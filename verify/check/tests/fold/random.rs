//! Random functions, a fold of two tails by its definition, random faults, and runs.

use super::{Random, function};
use sassafras_machine::{Block, Edge, Function, MInst, Merge};

/// A function whose blocks often end alike.
pub fn draw(random: &mut Random) -> Function {
    let blocks = 4 + random.below(6);
    let mut text = String::new();
    for at in 0..blocks {
        text.push_str(&format!("{}b{at}: ", if at == 0 { "" } else { "| " }));
        for _ in 0..random.below(3) {
            text.push_str(["m1 ", "m2 ", "p ", "q "][random.below(4)]);
        }
        // A few ends, so that some are equal.
        let to = |random: &mut Random| 1 + random.below(blocks - 1);
        match random.below(5) {
            0 => text.push_str("m3 exit "),
            1 | 2 => text.push_str(&format!("m3 m4 b{} ", 1 + random.below(2))),
            3 => text.push_str(&format!("m3 b{} ", to(random))),
            _ => {
                let (taken, falls) = (to(random), to(random));
                let sign = ["?", "!"][random.below(2)];
                text.push_str(&format!("m3 {sign}P{} b{taken} b{falls} ", random.below(2)));
            }
        }
    }
    function(&text)
}

fn targets(f: &Function, block: Block) -> Vec<usize> {
    let mut all: Vec<usize> = f.blocks[block].succs.iter().map(|edge| edge.block.0 as usize).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// By block: where it leads, without repetition.
pub fn graph(f: &Function) -> Vec<Vec<usize>> {
    (0..f.blocks.len()).map(|at| targets(f, Block(at as u32))).collect()
}

fn reached(f: &Function) -> Vec<bool> {
    let mut seen = vec![false; f.blocks.len()];
    let mut work = vec![f.entry];
    while let Some(at) = work.pop() {
        if !std::mem::replace(&mut seen[at.0 as usize], true) {
            work.extend(f.blocks[at].succs.iter().map(|edge| edge.block));
        }
    }
    seen
}

/// Two blocks with equal successors and branches, and how many instructions at their ends are equal; drawn among all.
pub fn tails(f: &Function, random: &mut Random) -> Option<(Block, Block, usize)> {
    let split = |block: Block| {
        let data = &f.blocks[block];
        data.insts.split_at(data.insts.len() - usize::from(data.succs.len() == 2))
    };
    let seen = reached(f);
    let mut all = Vec::new();
    for a in f.layout.iter().copied().filter(|a| seen[a.0 as usize]) {
        for b in f.layout.iter().copied().filter(|b| *b > a && seen[b.0 as usize]) {
            let ((one, end), (other, same)) = (split(a), split(b));
            let alike = one.iter().rev().zip(other.iter().rev()).take_while(|(x, y)| x == y).count();
            // A block whose sides are one place goes on like one without a branch, by the judge's rules; here it is left alone.
            let sides = f.blocks[a].succs.len() < 2 || targets(f, a).len() == 2;
            if f.blocks[a].succs == f.blocks[b].succs && end == same && alike > 0 && sides {
                all.push((a, b, alike));
            }
        }
    }
    (!all.is_empty()).then(|| all[random.below(all.len())])
}

/// Moves the last instructions of two blocks to a new one.
pub fn fold(f: &Function, (a, b, length): (Block, Block, usize)) -> (Function, Merge) {
    let mut after = f.clone();
    let tail = after.add_block();
    for block in [a, b] {
        let data = &mut after.blocks[block];
        let kept = data.insts.len() - length - usize::from(data.succs.len() == 2);
        let insts = data.insts.split_off(kept);
        let succs = std::mem::replace(&mut data.succs, vec![Edge::to(tail)]);
        after.blocks[tail].insts = insts;
        after.blocks[tail].succs = succs;
    }
    (after, Merge { tail, from: vec![a, b], length, hoisted: false })
}

/// A fault in a function: another instruction, one less, one more, other sides, another place.
pub fn spoil(f: &mut Function, random: &mut Random) {
    let block = f.layout[random.below(f.layout.len())];
    let other = f.layout[1 + random.below(f.layout.len() - 1)];
    let fresh = function("b0: m5").blocks[Block(0)].insts[0].clone();
    let data = &mut f.blocks[block];
    let plain = data.insts.len() - usize::from(data.succs.len() == 2);
    let at = random.below(plain.max(1));
    match random.below(6) {
        0 if plain > 0 && !data.insts[at].transfers_control() => data.insts[at] = fresh,
        1 if plain > 0 && !data.insts[at].transfers_control() => {
            data.insts.remove(at);
        }
        2 => data.insts.insert(0, fresh),
        3 if data.succs.len() == 2 => {
            data.succs.swap(0, 1);
            let to = data.succs[0].block;
            data.insts.last_mut().expect("a branch").target = Some(to);
        }
        4 if data.succs.len() == 1 => data.succs[0] = Edge::to(other),
        5 if data.succs.len() == 2 => {
            let inst = data.insts.last_mut().and_then(MInst::inst_mut).expect("a branch");
            inst.guard.pred ^= 1;
        }
        _ => {}
    }
}

/// What a thread executes, at most so many instructions, if predicates get these values: `p` and `q` write the next ones of their own.
pub fn run(f: &Function, values: u64, most: usize) -> Vec<String> {
    let mut left = [values, values.rotate_right(32)];
    let mut preds = [values & 1 == 1, values >> 1 & 1 == 1];
    let (mut block, mut trace, mut jumps) = (f.entry, Vec::new(), 0);
    'blocks: while trace.len() < most && jumps < 200 {
        jumps += 1;
        let data = &f.blocks[block];
        for inst in &data.insts {
            let real = inst.inst().expect("of the hardware");
            let guard = real.guard;
            if let Some(to) = inst.target {
                let taken = preds[guard.pred as usize] != guard.negate;
                let [first, second] = &data.succs[..] else { panic!("two sides") };
                assert_eq!(first.block, to);
                block = if taken { to } else { second.block };
                continue 'blocks;
            }
            trace.push(format!("{:?}", real.fields));
            if trace.len() == most || inst.transfers_control() {
                break 'blocks;
            }
            if real.row().id == "isetp.ri" {
                let at = real.get("d").expect("a predicate") as usize;
                left[at] = left[at].rotate_right(1);
                preds[at] = left[at] & 1 == 1;
            }
        }
        let [edge] = &data.succs[..] else { panic!("one successor") };
        block = edge.block;
    }
    trace
}
