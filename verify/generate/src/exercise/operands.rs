//! The operands of a row's form, and what else may stand in their places.

use super::kernel::{Line, Operand, Source};
use sassafras_ptx::checked::Type;
use sassafras_ptx::table::{Only, Row, Slot, SlotKind};
use sassafras_semantics::FloatFormat::{Bf16, E4m3, E5m2, F16, F32, F64};

/// A form's instruction with registers in all places.
pub fn plain(row: &'static Row, suffixes: &[&str]) -> Line {
    let types: Vec<Type> = suffixes.iter().filter_map(|s| Type::parse(s)).collect();
    let lanes = match () {
        () if suffixes.contains(&"v2") => 2,
        () if suffixes.contains(&"v4") => 4,
        () if suffixes.contains(&"v8") => 8,
        () => 1,
    };
    let mnemonic: Vec<&str> = std::iter::once(row.root).chain(suffixes.iter().copied()).collect();
    let mut next = 1;
    let operands = row.slots.iter().map(|slot| operand(slot, &mut next, &types, lanes, suffixes)).collect();
    Line { guard: String::new(), mnemonic: mnemonic.join("."), operands }
}

fn operand(slot: &Slot, next: &mut usize, types: &[Type], lanes: usize, suffixes: &[&str]) -> Operand {
    let mut fresh = |ty: Type| {
        *next += 1;
        register(ty, *next - 1)
    };
    let mut text = match slot.kind {
        SlotKind::Value(v) if v.only == Only::Immediate => v.most.min(128).to_string(),
        SlotKind::Value(v) if v.only == Only::Sink => "_".into(),
        SlotKind::Value(v) if v.only == Only::Sign => "-1".into(),
        SlotKind::Value(v) => {
            let ty = v.ty.resolve(types);
            // A row that gives a count wants braces even around one.
            let fixed = v.elements(suffixes);
            let count = if fixed > 0 { fixed } else { lanes };
            if fixed > 0 || v.vector && lanes > 1 {
                let items: Vec<String> = (0..count).map(|_| fresh(ty)).collect();
                format!("{{{}}}", items.join(", "))
            } else {
                fresh(ty)
            }
        }
        SlotKind::Address => address(suffixes, 0).to_owned(),
        SlotKind::Tensor => {
            let count = sassafras_ptx::table::dimensions(suffixes).unwrap_or(0);
            let items: Vec<String> = (0..count).map(|_| fresh(Type::S(32))).collect();
            format!("[%rd123, {{{}}}]", items.join(", "))
        }
        SlotKind::Texture(texture) => {
            let items: Vec<String> = texture.types(types).into_iter().map(&mut fresh).collect();
            format!("[{}, {{{}}}]", fresh(Type::B(64)), items.join(", "))
        }
        SlotKind::Pack => {
            let half = Type::B((types.first().map_or(32, |t| t.width()) / 2) as u8);
            format!("{{{}, {}}}", fresh(half), fresh(half))
        }
        SlotKind::AddressValue => fresh(Type::B(64)),
        SlotKind::Label => "LABEL".into(),
        SlotKind::Targets => "TARGETS".into(),
        SlotKind::Call => "callee".into(),
        SlotKind::Ids { .. } => "{0, 0}".into(),
    };
    if let Some((ty, _)) = slot.pair {
        text += &format!("|{}", fresh(ty.resolve(types)));
    }
    let written = slot.written();
    // The destination of `wgmma` is its accumulator.
    let accumulates = matches!(slot.kind, SlotKind::Value(v) if v.per > 0);
    Operand { text, written, read: !written || accumulates, source: Source::Memory }
}

/// Addresses by space: the word, and forms of them, the plainest first.
const ADDRESSES: [(&str, &[&str]); 7] = [
    ("const", &["[const_memory]", "[const_memory+16]", "[%rd120]", "[%rd120+64]"]),
    ("shared", &["[%sh]", "[%sh+16]", "[%sh+-64]", "[shared_memory]", "[shared_memory+32]"]),
    ("local", &["[local_memory]", "[local_memory+16]", "[%rd121]", "[%rd121+-32]"]),
    ("param::func", &["[argument]", "[argument+16]"]),
    ("param", &["[value]", "[value+16]", "[%rd122]"]),
    (
        "global",
        &[
            "[%from]",
            "[%from+128]",
            "[%from+-64]",
            "[%from+8388592]",
            "[%rd123]",
            "[global_memory]",
            "[global_memory+32]",
        ],
    ),
    ("", &["[%from]", "[%from+128]", "[%from+-64]", "[%from+1048576]", "[global_memory]"]),
];

fn addresses(suffixes: &[&str]) -> &'static [&'static str] {
    let space = |word: &str| suffixes.iter().any(|s| *s == word || s.split("::").next() == Some(word));
    ADDRESSES.iter().find(|(word, _)| word.is_empty() || space(word)).map_or(&["[%from]"], |(_, list)| list)
}

fn address(suffixes: &[&str], n: usize) -> &'static str {
    let list = addresses(suffixes);
    list[n % list.len()]
}

/// The same instruction with other operands, one place changed at a time, then all inputs from parameters.
pub fn others(row: &'static Row, suffixes: &[&str]) -> Vec<Line> {
    let types: Vec<Type> = suffixes.iter().filter_map(|s| Type::parse(s)).collect();
    let line = plain(row, suffixes);
    let mut all = Vec::new();
    for (i, slot) in row.slots.iter().enumerate() {
        let mut with = |operand: Operand| {
            let mut other = line.clone();
            other.operands[i] = operand;
            all.push(other);
        };
        let old = &line.operands[i];
        match slot.kind {
            SlotKind::Address => {
                for text in &addresses(suffixes)[1..] {
                    with(Operand { text: (*text).to_owned(), source: place(text), ..old.clone() });
                }
            }
            SlotKind::Value(v) if !slot.written() => {
                let ty = v.ty.resolve(&types);
                if v.only == Only::Immediate {
                    for n in [0, 1, 5].into_iter().filter(|n| *n <= v.most && n % v.multiple == 0) {
                        with(Operand { text: n.to_string(), ..old.clone() });
                    }
                    continue;
                }
                if v.only == Only::Sign {
                    with(Operand { text: "1".into(), ..old.clone() });
                    continue;
                }
                // A constant is no state that an arrival gave.
                let state = row.root == "mbarrier" && ty.width() == 64;
                if v.only != Only::Register && !v.vector && v.count == 0 && !state {
                    for text in constants(ty, v.multiple) {
                        with(Operand { text, ..old.clone() });
                    }
                }
                if v.only == Only::Mov {
                    for text in special(ty) {
                        with(Operand { text: (*text).to_owned(), ..old.clone() });
                    }
                }
                with(Operand { source: Source::Parameter, ..old.clone() });
                for steps in through(ty) {
                    with(Operand { source: Source::Through(steps), ..old.clone() });
                }
                if ty == Type::Pred {
                    with(Operand { text: format!("!{}", old.text), ..old.clone() });
                }
            }
            SlotKind::Value(v) if v.sink => with(Operand { text: "_".into(), ..old.clone() }),
            _ => {}
        }
        if slot.optional {
            let mut shorter = line.clone();
            shorter.operands.remove(i);
            all.push(shorter);
        }
        if let Some((_, true)) = slot.pair {
            let mut single = line.clone();
            let text = &mut single.operands[i].text;
            *text = text.split('|').next().unwrap_or_default().to_owned();
            all.push(single);
        }
    }
    let mut uniform = line.clone();
    for operand in uniform.operands.iter_mut().filter(|o| o.read) {
        operand.source = Source::Parameter;
    }
    all.push(uniform);
    for guard in ["@%p130 ", "@!%p130 "] {
        all.push(Line { guard: guard.to_owned(), ..line.clone() });
    }
    all
}

/// What else may be moved to a register of a type.
fn special(ty: Type) -> &'static [&'static str] {
    match ty {
        Type::U(32) | Type::S(32) | Type::B(32) => &["shared_memory", "%tid.x", "%laneid", "%clock"],
        Type::U(64) | Type::S(64) | Type::B(64) => {
            &["global_memory", "shared_memory", "const_memory", "%clock64"]
        }
        _ => &[],
    }
}

/// Where the register of an address points.
fn place(text: &str) -> Source {
    let variable = match () {
        () if text.contains("%rd120") => "const_memory",
        () if text.contains("%rd121") => "local_memory",
        () if text.contains("%rd122") => "value",
        () if text.contains("%rd123") => "global_memory",
        () => return Source::Memory,
    };
    Source::Address(variable.to_owned())
}

/// Constants of a type: short and long ones, both signs.
fn constants(ty: Type, multiple: u64) -> Vec<String> {
    let list: &[&str] = match ty {
        Type::F(F32) => &["0f3f800000", "0fc0490fdb", "0f00000000", "0f7f800000"],
        Type::F(F64) => &["0d3ff0000000000000", "0dc00921fb54442d18", "0d0000000000000000"],
        Type::F(F16 | Bf16 | E4m3 | E5m2) | Type::F16x2 | Type::Bf16x2 | Type::Pred => return Vec::new(),
        _ if multiple > 1 => return vec![multiple.to_string(), (3 * multiple).to_string()],
        _ => match ty.width() {
            8 => &["1", "200"],
            16 => &["1", "0x1234"],
            64 => &["0", "1", "-5", "0x12345678", "0x123456789abcdef0"],
            128 => &[],
            _ => &["0", "1", "5", "32", "-7", "0x12345678"],
        },
    };
    list.iter().map(|s| (*s).to_owned()).collect()
}

/// What may be done to a value so that it comes negated, or absolute.
fn through(ty: Type) -> Vec<Vec<String>> {
    let ops: &[&[&str]] = match ty {
        Type::F(F32) => &[&["neg.f32"], &["abs.f32"], &["abs.f32", "neg.f32"]],
        Type::F(F64) => &[&["neg.f64"], &["abs.f64"], &["abs.f64", "neg.f64"]],
        Type::F(F16) => &[&["neg.f16"], &["abs.f16"]],
        Type::F16x2 => &[&["neg.f16x2"], &["abs.f16x2"], &["abs.f16x2", "neg.f16x2"]],
        Type::F(Bf16) => &[&["neg.bf16"]],
        Type::Bf16x2 => &[&["neg.bf16x2"], &["abs.bf16x2"]],
        Type::U(32) | Type::S(32) => &[&["neg.s32"]],
        Type::B(32) => &[&["not.b32"]],
        Type::U(64) | Type::S(64) => &[&["neg.s64"]],
        Type::B(64) => &[&["not.b64"]],
        _ => &[],
    };
    ops.iter().map(|list| list.iter().map(|s| (*s).to_owned()).collect()).collect()
}

fn register(ty: Type, i: usize) -> String {
    let name = match ty {
        Type::Pred => "%p",
        Type::F(F32) => "%f",
        Type::F(F64) => "%fd",
        other => match other.width() {
            2 | 4 | 8 => "%rb",
            16 => "%rs",
            64 => "%rd",
            128 => "%rq",
            _ => "%r",
        },
    };
    format!("{name}{i}")
}
