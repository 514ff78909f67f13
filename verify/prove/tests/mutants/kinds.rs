//! Changes of code that keep what it does. Each is one kind, made at a place that a seed chooses.

use crate::edit::{Code, inst};
use sassafras_isa::{Access, FieldKind, Inst, MemoryKind, Operand, RegClass};

/// A change that keeps the meaning.
pub struct Kind {
    pub name: &'static str,
    /// Makes it, where the code has a place for it.
    pub change: fn(&mut Code, &mut Random) -> Option<()>,
}

pub const KINDS: [Kind; 10] = [
    Kind { name: "general registers renamed", change: |c, r| renamed(c, r, RegClass::R, 4) },
    Kind { name: "predicates renamed", change: |c, r| renamed(c, r, RegClass::P, 1) },
    Kind { name: "uniform registers renamed", change: |c, r| renamed(c, r, RegClass::UR, 4) },
    Kind { name: "independent neighbours swapped", change: swapped },
    Kind { name: "NOPs put in", change: padded },
    Kind { name: "an operand by way of a spare register", change: detour },
    Kind { name: "commutative operands swapped", change: commuted },
    Kind { name: "an instruction whose result nobody reads", change: dead },
    Kind { name: "a jump to the next instruction", change: hop },
    Kind {
        name: "other control codes",
        change: |c, _| {
            c.slow();
            Some(())
        },
    },
];

/// Numbers from a seed.
pub struct Random(pub u64);

impl Random {
    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % n.max(1)
    }

    /// One of some.
    pub fn choose<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.below(all.len())])
    }
}

/// Groups of `size` registers of a file change places, so that pairs and quads stay such.
fn renamed(code: &mut Code, random: &mut Random, class: RegClass, size: u32) -> Option<()> {
    let named = |i: &Inst| i.operands().filter(|o| o.class == class).collect::<Vec<Operand>>();
    let all: Vec<Operand> = code.insts.iter().flat_map(named).collect();
    // What an instruction names as a whole file, or as more than a group, stays.
    if all.iter().any(|o| o.name == "mask" || u32::from(o.units) > size) {
        return None;
    }
    let most = if class == RegClass::P { 7 } else { 60 };
    let groups = all.iter().map(|o| o.number / size).max()? + 2;
    let groups = groups.min(most / size);
    let first = all[random.below(all.len())].number / size;
    let second = (first + 1 + random.below(groups as usize - 1) as u32) % groups;
    let to = |n: u32| match n / size {
        g if g == first => second * size + n % size,
        g if g == second => first * size + n % size,
        _ => n,
    };
    for inst in &mut code.insts {
        let fields: Vec<usize> = named(inst).iter().filter_map(|o| o.field).collect();
        for (i, field) in inst.row().fields.iter().enumerate() {
            if fields.contains(&i) && matches!(field.kind, FieldKind::Register { .. }) {
                inst.fields[i] = to(inst.fields[i] as u32).into();
            }
        }
        let guards =
            inst.guard.pred != 7 && (if inst.guard.uniform { RegClass::UP } else { RegClass::P }) == class;
        if guards {
            inst.guard.pred = to(inst.guard.pred);
        }
    }
    // Which operands share a bank has changed.
    code.slow();
    Some(())
}

/// Whether an instruction does nothing but read and write registers, or loads.
fn plain(inst: &Inst) -> bool {
    let row = inst.row();
    row.control_flow.is_none()
        && row.memory.is_none_or(|m| m.kind == MemoryKind::Load)
        && !matches!(
            row.mnemonic,
            "NOP" | "BAR" | "MEMBAR" | "WARPSYNC" | "BSSY" | "BSYNC" | "CCTL" | "B2R" | "S2UR"
        )
        && !inst.operands().any(|o| o.class == RegClass::B)
        && inst.operands().any(|o| o.access == Access::Write)
        && !matches!(
            row.mnemonic,
            "SHFL" | "VOTE" | "MATCH" | "REDUX" | "VOTEU" | "LDGSTS" | "LDSM" | "ELECT"
        )
}

/// Registers as single ones.
fn touched(inst: &Inst, access: Access) -> Vec<(RegClass, u32)> {
    let of = inst.operands().filter(|o| o.access == access);
    of.flat_map(|o| (0..u32::from(o.units.max(1))).map(move |i| (o.class, o.number + i))).collect()
}

fn meet(a: &[(RegClass, u32)], b: &[(RegClass, u32)]) -> bool {
    a.iter().any(|x| b.contains(x))
}

fn swapped(code: &mut Code, random: &mut Random) -> Option<()> {
    let targets = code.targets();
    let free = |i: &usize| {
        let (a, b) = (&code.insts[*i], &code.insts[i + 1]);
        let (wa, wb) = (touched(a, Access::Write), touched(b, Access::Write));
        plain(a)
            && plain(b)
            && !targets.contains(&(i + 1))
            && !meet(&wa, &wb)
            && !meet(&wa, &touched(b, Access::Read))
            && !meet(&wb, &touched(a, Access::Read))
    };
    let places: Vec<usize> = (0..code.body().saturating_sub(1)).filter(free).collect();
    let at = random.choose(&places)?;
    code.insts.swap(at, at + 1);
    code.slow();
    Some(())
}

fn padded(code: &mut Code, random: &mut Random) -> Option<()> {
    for _ in 0..1 + random.below(3) {
        let at = random.below(code.body());
        code.insert(at, inst("NOP"));
    }
    code.slow();
    Some(())
}

/// A register that nothing names.
fn spare(code: &Code) -> Option<u32> {
    let all: Vec<Operand> = code.insts.iter().flat_map(|i| i.operands().collect::<Vec<_>>()).collect();
    let top =
        all.iter().filter(|o| o.class == RegClass::R).map(|o| o.number + u32::from(o.units.max(1))).max();
    Some(top.unwrap_or(0)).filter(|t| *t < 250)
}

fn detour(code: &mut Code, random: &mut Random) -> Option<()> {
    let spare = spare(code)?;
    let mut places = Vec::new();
    for (at, i) in code.insts[..code.body()].iter().enumerate().filter(|(_, i)| plain(i)) {
        for o in i.operands().filter(|o| o.class == RegClass::R && o.units == 1 && o.access == Access::Read) {
            let both = i.operands().any(|w| w.field == o.field && w.access == Access::Write);
            places.extend(o.field.filter(|_| !both).map(|f| (at, f, o.number)));
        }
    }
    let (at, field, number) = random.choose(&places)?;
    code.insts[at].fields[field] = spare.into();
    code.insert(at, inst(&format!("MOV R{spare}, R{number}")));
    code.slow();
    Some(())
}

/// Fields of two operands that may change places, and what goes with them.
fn commuted(code: &mut Code, random: &mut Random) -> Option<()> {
    let fit = |i: &usize| {
        let inst = &code.insts[*i];
        let row = inst.row();
        let register = |name: &str| {
            row.field(name)
                .is_some_and(|f| matches!(row.fields[f].kind, FieldKind::Register { class: RegClass::R, .. }))
        };
        let known = matches!(
            row.mnemonic,
            "IADD3" | "IMAD" | "LOP3" | "FADD" | "FMUL" | "FFMA" | "DADD" | "DMUL" | "DFMA"
        );
        let two = register("a") && register("b") && inst.get("a") != inst.get("b");
        // Of a wide product the addend is wide, of a carry chain all three are one sum.
        known && two && row.id.split('.').nth(1).is_some_and(|s| s.starts_with("rr"))
    };
    let places: Vec<usize> = (0..code.body()).filter(fit).collect();
    let at = random.choose(&places)?;
    let inst = &mut code.insts[at];
    for part in ["", ".neg", ".abs"] {
        let (a, b) = (inst.row().field(&format!("a{part}")), inst.row().field(&format!("b{part}")));
        if let (Some(a), Some(b)) = (a, b) {
            inst.fields.swap(a, b);
        }
    }
    if inst.row().mnemonic == "LOP3" {
        let lut = inst.get("lut")?;
        // Bit 4a + 2b + c of the table.
        let other = (0..8).map(|i| (lut >> ((i & 1) | (i & 2) << 1 | (i & 4) >> 1) & 1) << i).sum();
        inst.set("lut", other).ok()?;
    }
    code.slow();
    Some(())
}

fn dead(code: &mut Code, random: &mut Random) -> Option<()> {
    let spare = spare(code)?;
    let at = random.below(code.body());
    let text = ["IADD3 R@, R#, R#, RZ", "MOV R@, 0x7f", "LOP3.LUT R@, R#, 0x3, RZ, 0x3c, !PT"];
    let mut written = code.insts[..at].iter().flat_map(|i| touched(i, Access::Write));
    let register = written.rfind(|(c, _)| *c == RegClass::R).map_or("RZ".into(), |(_, n)| n.to_string());
    let text = random.choose(&text)?.replace('@', &spare.to_string()).replace("R#", &format!("R{register}"));
    code.insert(at, inst(&text.replace("RRZ", "RZ")));
    code.slow();
    Some(())
}

fn hop(code: &mut Code, random: &mut Random) -> Option<()> {
    let at = random.below(code.body());
    code.insert(at, inst("BRA pc(0x0)"));
    code.slow();
    Some(())
}
