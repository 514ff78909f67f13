//! The examples.

use super::solvers::{impossible, late, lies, none, tired, z3, zeros};
use sassafras_cubin::{Cubin, Extern, Kind, Section};
use sassafras_isa::{Chip, Meaning, Style, decode, encode, parse};
use sassafras_prove::{Limits, Solver};
use std::time::Instant;

/// A reason, and what has it.
pub struct Example {
    /// The code.
    pub code: &'static str,
    /// PTX with an entry `k`.
    pub source: &'static str,
    /// PTX that is compiled to what it is held against.
    pub target: &'static str,
    /// What is changed there.
    pub change: fn(&mut Cubin),
    /// Who is asked.
    pub asked: fn() -> Box<dyn Solver>,
    /// How much is tried.
    pub limits: fn(Limits) -> Limits,
}

const PLAIN: &str = include_str!("plain.ptx");
const IDENTITY: &str = include_str!("identity.ptx");
const MORE: &str = include_str!("more.ptx");
const TWICE: &str = include_str!("twice.ptx");
const FUSED: &str = include_str!("fused.ptx");
const SUM: &str = include_str!("sum.ptx");
const RARE: &str = include_str!("rare.ptx");
const WIDE: &str = include_str!("wide.ptx");
const ATOMIC: &str = include_str!("atomic.ptx");
const SHUFFLE: &str = include_str!("shuffle.ptx");
const STACK: &str = include_str!("stack.ptx");
const WINDOWS: &str = include_str!("windows.ptx");
const ENDLESS: &str = include_str!("endless.ptx");
const SELDOM: &str = include_str!("seldom.ptx");
const FORM: &str = include_str!("form.ptx");
const UNWRITTEN: &str = include_str!("unwritten.ptx");

const fn example(code: &'static str, source: &'static str, target: &'static str) -> Example {
    Example { code, source, target, change: |_| {}, asked: z3, limits: |limits| limits }
}

/// A source against its own code, which is changed.
const fn changed(code: &'static str, source: &'static str, change: fn(&mut Cubin)) -> Example {
    Example { change, ..example(code, source, source) }
}

/// A source against other code, with a solver that says one thing.
const fn asked(
    code: &'static str,
    source: &'static str,
    target: &'static str,
    asked: fn() -> Box<dyn Solver>,
) -> Example {
    Example { asked, ..example(code, source, target) }
}

/// The word of an instruction.
fn word(text: &str) -> u128 {
    encode(&parse(text, &Style::default()).expect("a text"), Chip::Sm90).expect("a word")
}

/// Replaces the instructions of some meaning.
fn replace(cubin: &mut Cubin, meaning: Meaning, text: &str) {
    let mut found = false;
    for own in &mut cubin.functions[0].code {
        if decode(*own, Chip::Sm90).is_ok_and(|inst| inst.row().meaning == meaning) {
            (*own, found) = (word(text), true);
        }
    }
    assert!(found, "no instruction is replaced by {text}");
}

/// A variable by its name.
fn variable<'c>(cubin: &'c mut Cubin, name: &str) -> &'c mut sassafras_cubin::Variable {
    cubin.variables.iter_mut().find(|v| v.name == name).expect("it is there")
}

pub const EXAMPLES: &[Example] = &[
    asked("U0101", ENDLESS, ENDLESS, z3),
    asked("U0102", IDENTITY, RARE, impossible),
    example("U0103", SELDOM, SELDOM),
    asked("U0105", IDENTITY, MORE, lies),
    example("U0201", FORM, IDENTITY),
    changed("U0302", IDENTITY, |cubin| cubin.functions[0].code[1] = u128::MAX),
    changed("U0310", IDENTITY, |cubin| {
        replace(cubin, Meaning::Exit, "NOP");
        let code = &mut cubin.functions[0].code;
        let end = code.iter().rposition(|w| *w == word("NOP")).unwrap_or(0);
        code.truncate(end);
    }),
    changed("U0311", IDENTITY, |cubin| cubin.sm = 999),
    changed("U0401", SHUFFLE, |cubin| replace(cubin, Meaning::Bssy, "NOP")),
    changed("U0501", PLAIN, |cubin| replace(cubin, Meaning::S2r, "S2UR UR8, SR_TID.X")),
    example("U0601", ATOMIC, IDENTITY),
    example("U0602", IDENTITY, ATOMIC),
    example("U0702", WINDOWS, WINDOWS),
    example("U0806", FUSED, SUM),
    changed("U0904", IDENTITY, |cubin| cubin.functions[0].registers = 1),
    changed("U0905", IDENTITY, |cubin| cubin.kind = Kind::Relocatable),
    changed("U0906", IDENTITY, |cubin| cubin.externs.push(Extern { name: "away".into(), function: false })),
    changed("U0907", PLAIN, |cubin| {
        let twice = variable(cubin, "count").clone();
        cubin.variables.push(twice);
    }),
    changed("U0909", IDENTITY, |cubin| {
        let name = ".nv.shared.k".to_owned();
        let (kind, flags, align, size) = (8, 3, 16, 16);
        let (link, info, data, entry_size, relocations) = (None, None, None, 0, Vec::new());
        cubin.sections.push(Section {
            name,
            kind,
            flags,
            link,
            info,
            align,
            entry_size,
            data,
            size,
            relocations,
        });
    }),
    changed("U0910", IDENTITY, |cubin| cubin.functions[0].barriers = 17),
    changed("U0911", PLAIN, |cubin| cubin.functions[0].barriers = 0),
    changed("U0912", PLAIN, |cubin| variable(cubin, "count").size = 2),
    changed("U0913", PLAIN, |cubin| variable(cubin, "count").init = Some(vec![6, 0, 0, 0])),
    changed("U0917", PLAIN, |cubin| variable(cubin, "count").offset = 2),
    changed("U0918", PLAIN, |cubin| {
        variable(cubin, "scale").offset = 0;
        variable(cubin, "shift").offset = 4;
    }),
    changed("U0919", IDENTITY, |cubin| cubin.functions[0].required_threads = Some([32, 1, 1])),
    changed("U0920", IDENTITY, |cubin| cubin.functions[0].max_threads = Some([32, 1, 1])),
    changed("U0923", IDENTITY, |cubin| cubin.functions[0].registers = 300),
    changed("U0925", IDENTITY, |cubin| cubin.functions[0].params[1].size = 2),
    changed("U0926", IDENTITY, |cubin| {
        let more = cubin.functions[0].params[1];
        cubin.functions[0].params.push(more);
    }),
    changed("U0927", IDENTITY, |cubin| cubin.functions[0].param_base = 0x160),
    changed("U0928", IDENTITY, |cubin| cubin.functions[0].param_size += 4),
    changed("U0929", PLAIN, |cubin| cubin.functions[0].shared = None),
    changed("U0930", PLAIN, |cubin| cubin.functions[0].shared.as_mut().expect("it has some").size += 4096),
    changed("U0931", IDENTITY, |cubin| cubin.functions[0].frame_size = 1 << 24),
    changed("U0932", STACK, |cubin| {
        (cubin.functions[0].frame_size, cubin.functions[0].min_stack) = (8, Some(8));
    }),
    Example { limits: |limits| Limits { work: 1, ..limits }, ..example("U1001", PLAIN, PLAIN) },
    Example {
        limits: |limits| Limits { deadline: Some(Instant::now()), ..limits },
        ..example("U1002", PLAIN, PLAIN)
    },
    asked("U1003", PLAIN, PLAIN, none),
    asked("U1004", IDENTITY, RARE, tired),
    asked("U1005", IDENTITY, RARE, late),
    asked("U1006", IDENTITY, RARE, zeros),
    asked("U1007", IDENTITY, MORE, tired),
    example("U1202", IDENTITY, WIDE),
    example("U1205", UNWRITTEN, TWICE),
    changed("U1302", IDENTITY, |cubin| cubin.functions[0].name = "other".into()),
    changed("U1303", IDENTITY, |cubin| cubin.sm = 80),
];
