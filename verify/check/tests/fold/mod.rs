//! Functions and merges from a short text.

pub mod faults;
pub mod random;

use sassafras_chip::Chip;
use sassafras_isa::{Guard, Inst, form};
use sassafras_machine::{Block, Edge, Function, MInst, Merge, Phase};

/// Numbers that repeat: a linear congruential generator of 64 bits (Knuth's constants).
pub struct Random(pub u64);

impl Random {
    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn real(id: &str, fields: &[(&str, u64)]) -> MInst {
    let inst = Inst::new(form(id).unwrap_or_else(|| panic!("{id}")));
    MInst::new(fields.iter().fold(inst, |inst, (name, value)| inst.with(name, *value)))
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn block(text: &str) -> Block {
    Block(number(text.strip_prefix('b').unwrap_or_else(|| panic!("{text} is no block"))) as u32)
}

fn under(mut inst: MInst, text: &str) -> MInst {
    let (negate, rest) = match text.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let pred = number(rest.strip_prefix('P').expect("a predicate")) as u32;
    inst.inst_mut().expect("of the hardware").guard = Guard { pred, negate, uniform: false };
    inst
}

fn plain(word: &str) -> MInst {
    let (name, rest) = word.split_once(':').unwrap_or((word, ""));
    match name {
        "exit" => real("exit", &[]),
        // P0 and P1 from a register.
        "p" => real("isetp.ri", &[("d", 0), ("a", 5), ("b", 3)]),
        "q" => real("isetp.ri", &[("d", 1), ("a", 6), ("b", 3)]),
        "vote" => real("vote", &[("d", 7), ("p", 6), ("q", 0)]),
        "bar" => real("bar.sync.ii", &[("b", 0)]),
        "warpsync" => real("warpsync.all", &[]),
        "r2ur" => real("r2ur", &[("d", 4), ("a", 2)]),
        "tid" => real("s2r", &[("d", 0), ("sr", 33)]),
        "ctaid" => real("s2r", &[("d", 0), ("sr", 37)]),
        "lane" => real("s2r", &[("d", 0), ("sr", 0)]),
        "warp" => real("s2r", &[("d", 0), ("sr", 3)]),
        "cta" => real("s2r", &[("d", 0), ("sr", 136)]),
        "clock" => real("s2r", &[("d", 0), ("sr", 80)]),
        "stack" => real("iadd3.rir", &[("d", 2), ("a", 1), ("b", 16)]),
        "bssy" => {
            let mut inst = real("bssy", &[("b", 0)]);
            inst.target = Some(block(rest));
            inst
        }
        "bsync" => real("bsync", &[("b", if rest.is_empty() { 0 } else { number(rest) })]),
        "break" => real("break", &[("b", 0)]),
        _ => {
            let value = number(name.strip_prefix('m').unwrap_or_else(|| panic!("{word} is nothing")));
            real("mov.i", &[("d", 10 + value), ("b", value)])
        }
    }
}

/// See the head of the tests.
pub fn function(text: &str) -> Function {
    let mut f = Function::new("k", Chip::Sm90);
    f.phase = Phase::Allocated;
    // R1 is the stack pointer where there is a frame.
    f.frame.local_bytes = if text.contains("stack") { 16 } else { 0 };
    let parts: Vec<(Block, Vec<&str>)> = text
        .split('|')
        .map(|part| {
            let (name, rest) = part.trim().split_once(':').expect("a name");
            (block(name), rest.split_whitespace().collect())
        })
        .collect();
    let most = parts.iter().map(|(block, _)| block.0).max().expect("a block");
    (0..most).for_each(|_| {
        f.add_block();
    });
    f.layout = parts.iter().map(|(block, _)| *block).collect();
    for (at, words) in parts {
        let mut insts = Vec::new();
        let mut words = words.into_iter();
        let mut succs = Vec::new();
        while let Some(word) = words.next() {
            let (uniform, rest) = match word.strip_prefix('u') {
                Some(rest) => (true, rest),
                None => (false, word),
            };
            if let Some(guard) = rest
                .strip_prefix('?')
                .map(String::from)
                .or_else(|| rest.starts_with('!').then(|| rest.to_owned()))
            {
                let (taken, falls) =
                    (block(words.next().expect("two blocks")), block(words.next().expect("two blocks")));
                let mut branch = under(real("bra", &[]), &guard);
                (branch.target, branch.uniform) = (Some(taken), uniform);
                insts.push(branch);
                succs = vec![Edge::to(taken), Edge::to(falls)];
            } else if word.starts_with('b') && word[1..].parse::<u32>().is_ok() {
                succs = vec![Edge::to(block(word))];
            } else if let Some((guard, rest)) = word.strip_prefix('@').and_then(|rest| rest.split_once('.')) {
                insts.push(under(plain(rest), guard));
            } else {
                insts.push(plain(word));
            }
        }
        f.blocks[at].insts = insts;
        f.blocks[at].succs = succs;
    }
    f
}

/// `b4<b1,b2:2` for a tail of two instructions, `b0<b1,b2:1^` for one that is hoisted.
pub fn merges(text: &str) -> Vec<Merge> {
    let merge = |text: &str| {
        let (tail, rest) = text.split_once('<').expect("a tail");
        let (from, length) = rest.split_once(':').expect("a length");
        let hoisted = length.ends_with('^');
        let length = number(length.trim_end_matches('^')) as usize;
        Merge { tail: block(tail), from: from.split(',').map(block).collect(), length, hoisted }
    };
    text.split_whitespace().map(merge).collect()
}
