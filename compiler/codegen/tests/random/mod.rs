//! Random machine code in SSA: any graph of blocks, all classes and widths, guarded definitions.

use sassafras_graph::{ControlFlow, Dominators, Graph, SecondaryMap};
use sassafras_isa::{Chip, Draw, Rng};
use sassafras_machine::*;
use smallvec::SmallVec;

const KINDS: [(RegClass, u8); 6] = [
    (RegClass::R, 1),
    (RegClass::R, 2),
    (RegClass::R, 4),
    (RegClass::P, 1),
    (RegClass::UR, 1),
    (RegClass::UR, 2),
];

struct Maker<'r> {
    rng: &'r mut Rng,
    f: Function,
    /// Registers defined so far on the way to the block at hand.
    known: Vec<VReg>,
}

impl Maker<'_> {
    fn pick(&mut self, kind: (RegClass, u8)) -> VReg {
        let fits: Vec<VReg> = self
            .known
            .iter()
            .copied()
            .filter(|&v| (self.f.vregs[v].class, self.f.vregs[v].units) == kind)
            .collect();
        fits[self.rng.draw(fits.len() as u64) as usize]
    }

    /// A register of one unit, or a part of a wide one.
    fn word(&mut self) -> Reg {
        match self.rng.draw(4) {
            0 => Reg::part(self.pick((RegClass::R, 2)), self.rng.draw(2) as u8),
            1 => Reg::part(self.pick((RegClass::R, 4)), self.rng.draw(4) as u8),
            _ => self.pick((RegClass::R, 1)).into(),
        }
    }

    fn pair(&mut self) -> Reg {
        match self.rng.draw(3) {
            0 => Reg::part(self.pick((RegClass::R, 4)), 2 * self.rng.draw(2) as u8),
            _ => self.pick((RegClass::R, 2)).into(),
        }
    }

    fn define(&mut self, block: Block) {
        let kind = KINDS[self.rng.draw(6) as usize];
        let (class, units) = kind;
        let choice = self.rng.draw(6);
        let (a, b, c) = (self.word(), self.word(), self.word());
        let (p, q) = (self.pick((RegClass::P, 1)), self.pick((RegClass::P, 1)));
        let (x, y) = (self.pair(), self.pair());
        let (u, old) = (self.pick((RegClass::UR, 1)), self.pick(kind));
        let wide = self.pick((RegClass::R, 4));
        let negate = self.rng.draw(2) == 0;
        let mut builder = Builder::at(&mut self.f, block);
        let d = builder.vreg(class, units);
        let guarded = self.rng.draw(4) == 0;
        let done = match (class, units, choice) {
            (_, _, 0) => {
                builder.copy(d, old);
                Ok(())
            }
            (RegClass::R, 1, 1) => builder.inst("mov.u").def("d", d).use_("b", u).push(),
            (RegClass::R, 1, 2) => {
                builder.inst("sel.rr").def("d", d).use_("a", a).use_("b", b).use_("q", p).push()
            }
            (RegClass::R, 1, _) => {
                let inst = builder.inst("iadd3.rrr").def("d", d).use_("a", a).use_("b", b).use_("c", c);
                if guarded { inst.guard(p, negate).tied("d", old).push() } else { inst.push() }
            }
            (RegClass::R, 2, 1) => {
                let (a, b) = (a.place(RegClass::R, 1), b.place(RegClass::R, 1));
                let dst = d;
                builder.pseudo(Pseudo::Pack { dst, parts: SmallVec::from_slice(&[a, b]) });
                Ok(())
            }
            (RegClass::R, 2, 2) => {
                let inst = builder.inst("dadd.rr").def("d", d).use_("a", x).use_("b", y);
                if guarded { inst.guard(p, negate).tied("d", old).push() } else { inst.push() }
            }
            (RegClass::R, 2, _) => {
                builder.inst("imad.wide.rrr").def("d", d).use_("a", a).use_("b", b).use_("c", x).push()
            }
            (RegClass::R, _, 1) => {
                let (x, y) = (x.place(RegClass::R, 2), y.place(RegClass::R, 2));
                builder.pseudo(Pseudo::Pack { dst: d, parts: SmallVec::from_slice(&[x, y]) });
                Ok(())
            }
            (RegClass::R, _, _) => {
                let load = builder.inst("ldg.plain").enum_("sz", ".128").def("d", d).use_("a", x);
                if guarded { load.guard(p, negate).tied("d", old).push() } else { load.push() }
            }
            (RegClass::P, _, 1) => builder.inst("plop3").def("d", d).use_("q0", p).use_("q1", q).push(),
            (RegClass::P, _, _) => {
                let inst = builder.inst("isetp.rr").def("d", d).use_("a", a).use_("b", b).use_("q", p);
                if guarded { inst.guard(q, negate).tied("d", old).push() } else { inst.push() }
            }
            (_, 1, _) => builder.inst("uiadd3.uuu").def("d", d).use_("a", u).use_("b", u).push(),
            _ => builder.inst("uldc").enum_("sz", ".64").def("d", d).imm("o", 8).push(),
        };
        done.unwrap_or_else(|error| panic!("{error}"));
        if choice == 5 {
            let stores = Builder::at(&mut self.f, block)
                .inst("stg.plain")
                .enum_("sz", ".128")
                .use_("a", x)
                .use_("b", wide)
                .push();
            stores.unwrap();
        }
        self.known.push(d);
    }
}

/// A function of up to ten blocks.
pub fn function(rng: &mut Rng) -> Function {
    let count = 2 + rng.draw(9) as u32;
    let mut f = Function::new("k", Chip::Sm90);
    (1..count).for_each(|_| {
        f.add_block();
    });
    let mut edges = Vec::new();
    for from in 0..count {
        // The entry has no predecessors; one way forward keeps most blocks reached.
        let ways = if from + 1 == count { rng.draw(2) } else { 1 + rng.draw(2) };
        for way in 0..ways {
            let to = if way == 0 && from + 1 < count {
                from + 1
            } else {
                1 + rng.draw(u64::from(count) - 1) as u32
            };
            edges.push((Block(from), Block(to)));
        }
    }
    let graph = Graph::new(f.entry, count as usize, edges.clone());
    let dominators = Dominators::new(&graph);
    let mut behind: SecondaryMap<Block, Vec<VReg>> = SecondaryMap::new();
    let mut maker = Maker { rng, f, known: Vec::new() };
    for &block in dominators.top_down() {
        maker.known = dominators.immediate(block).map(|parent| behind[parent].clone()).unwrap_or_default();
        if block == maker.f.entry {
            for kind in KINDS {
                for _ in 0..2 {
                    let v = Builder::at(&mut maker.f, block).undef(kind.0, kind.1);
                    maker.known.push(v);
                }
            }
            // Defined words, so that not all is undefined.
            for sr in 0..6 {
                let mut builder = Builder::at(&mut maker.f, block);
                let v = builder.vreg(RegClass::R, 1);
                builder.inst("s2r").def("d", v).imm("sr", 33 + sr).push().unwrap();
                maker.known.retain(|&v| {
                    maker.f.vregs[v].class != RegClass::R || maker.f.vregs[v].units != 1 || v.0 > 12
                });
                maker.known.push(v);
            }
            first_values(&mut maker, block);
        } else {
            for _ in 0..maker.rng.draw(5) {
                let (class, units) = KINDS[maker.rng.draw(4) as usize];
                let v = maker.f.add_vreg(class, units);
                maker.f.blocks[block].params.push(v);
                maker.known.push(v);
            }
        }
        let size = [3, 10, 40][maker.rng.draw(3) as usize];
        for _ in 0..maker.rng.draw(size) {
            maker.define(block);
        }
        behind[block] = maker.known.clone();
    }
    for block in graph.blocks() {
        if !dominators.is_reachable(block) {
            continue;
        }
        maker.known = behind[block].clone();
        let mut ways = Vec::new();
        for to in graph.succs(block) {
            let params = maker.f.blocks[to].params.clone();
            let args = params
                .iter()
                .map(|&p| maker.pick((maker.f.vregs[p].class, maker.f.vregs[p].units)))
                .collect();
            ways.push(Edge { block: to, args });
        }
        let mut ways = ways.into_iter();
        match (ways.next(), ways.next()) {
            (Some(a), Some(b)) => {
                let pred = maker.pick((RegClass::P, 1));
                let negate = maker.rng.draw(2) == 0;
                Builder::at(&mut maker.f, block).branch(pred, negate, a, b).unwrap();
            }
            (Some(a), None) => Builder::at(&mut maker.f, block).jump(a.block, a.args),
            _ => Builder::at(&mut maker.f, block).inst("exit").push().unwrap(),
        }
    }
    maker.f
}

/// One defined value of every kind, and no undefined one left but now and then.
fn first_values(maker: &mut Maker, block: Block) {
    let words: Vec<VReg> = maker
        .known
        .iter()
        .copied()
        .filter(|&v| (maker.f.vregs[v].class, maker.f.vregs[v].units) == (RegClass::R, 1))
        .collect();
    if maker.rng.draw(4) != 0 {
        maker.known.clear();
        maker.known.extend(&words);
    }
    let word = |v: VReg| Place::of(v, RegClass::R, 1);
    let mut b = Builder::at(&mut maker.f, block);
    let pair = b.pack(&[word(words[0]), word(words[1])]);
    let quad = b.pack(&[word(words[2]), word(words[3]), word(words[4]), word(words[1])]);
    let p = b.vreg(RegClass::P, 1);
    b.inst("isetp.rr").def("d", p).use_("a", words[0]).use_("b", words[1]).push().unwrap();
    let u = b.vreg(RegClass::UR, 1);
    b.inst("umov.i").def("d", u).imm("b", 7).push().unwrap();
    let w = b.vreg(RegClass::UR, 2);
    b.inst("uldc").enum_("sz", ".64").def("d", w).push().unwrap();
    maker.known.extend([pair, quad, p, u, w]);
}
