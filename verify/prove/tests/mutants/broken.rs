//! Changes of code that change what it does.

use crate::edit::{Code, inst};
use crate::kinds::{Kind, Random};
use sassafras_isa::{FieldKind, MemoryKind, RegClass};

pub const BROKEN: [Kind; 6] = [
    Kind { name: "operands swapped", change: swapped },
    Kind { name: "a store left out", change: dropped },
    Kind { name: "a condition inverted", change: inverted },
    Kind { name: "a number one larger", change: number },
    Kind { name: "a store of another register", change: stored },
    Kind { name: "a store elsewhere", change: elsewhere },
];

fn stores(code: &Code) -> Vec<usize> {
    let store = |i: &usize| code.insts[*i].row().memory.is_some_and(|m| m.kind == MemoryKind::Store);
    (0..code.body()).filter(store).collect()
}

/// Of a comparison of unequals, or of a choice.
fn swapped(code: &mut Code, random: &mut Random) -> Option<()> {
    let fit = |i: &usize| {
        let inst = &code.insts[*i];
        let register = |name: &str| {
            let kind = inst.row().field(name).map(|f| inst.row().fields[f].kind);
            matches!(kind, Some(FieldKind::Register { class: RegClass::R, .. }))
        };
        let known = match inst.row().mnemonic {
            "ISETP" => !matches!(inst.enum_text("cmp"), Some(".EQ" | ".NE" | ".F" | ".T")),
            other => other == "SEL",
        };
        known && register("a") && register("b") && inst.get("a") != inst.get("b")
    };
    let places: Vec<usize> = (0..code.body()).filter(fit).collect();
    let inst = &mut code.insts[random.choose(&places)?];
    let (a, b) = (inst.row().field("a")?, inst.row().field("b")?);
    inst.fields.swap(a, b);
    code.slow();
    Some(())
}

fn dropped(code: &mut Code, random: &mut Random) -> Option<()> {
    let at = random.choose(&stores(code))?;
    code.insts[at] = inst("NOP");
    code.slow();
    Some(())
}

fn inverted(code: &mut Code, random: &mut Random) -> Option<()> {
    let places: Vec<usize> = (0..code.body()).filter(|i| code.insts[*i].guard.pred != 7).collect();
    let guard = &mut code.insts[random.choose(&places)?].guard;
    guard.negate = !guard.negate;
    Some(())
}

fn number(code: &mut Code, random: &mut Random) -> Option<()> {
    let field = |i: usize| {
        let inst = &code.insts[i];
        let known = matches!(inst.row().mnemonic, "IADD3" | "LEA" | "VIADD");
        let is_number = |k: FieldKind| matches!(k, FieldKind::Signed { .. } | FieldKind::Unsigned { .. });
        inst.row().fields.iter().position(|f| known && f.name == "b" && is_number(f.kind)).map(|f| (i, f))
    };
    let places: Vec<(usize, usize)> = (0..code.body()).filter_map(field).collect();
    let (at, field) = random.choose(&places)?;
    code.insts[at].fields[field] ^= 1;
    Some(())
}

fn stored(code: &mut Code, random: &mut Random) -> Option<()> {
    let at = random.choose(&stores(code))?;
    let inst = &mut code.insts[at];
    let value = inst.row().field("c").or(inst.row().field("b"))?;
    (inst.fields[value] != 255 && inst.units(value) == 1).then(|| inst.fields[value] = 255)?;
    Some(())
}

fn elsewhere(code: &mut Code, random: &mut Random) -> Option<()> {
    let at = random.choose(&stores(code))?;
    let inst = &mut code.insts[at];
    let is_offset = |k: FieldKind| matches!(k, FieldKind::Signed { .. });
    let offset = inst.row().fields.iter().position(|f| is_offset(f.kind))?;
    inst.fields[offset] = (inst.fields[offset] as i64 + 16) as u64;
    Some(())
}
