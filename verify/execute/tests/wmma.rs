//! `wmma` against products that are computed here: every shape, both layouts of every matrix, global, shared and generic memory.

use sassafras_execute::{Argument, Launch, Options, ptx};
use std::fmt::Write;

/// A type of the factors: its word, that of the sums, registers of A and B by shape, bytes of an element.
struct Kind {
    factor: &'static str,
    sum: &'static str,
    size: usize,
    bits: fn(i64) -> u64,
}

const SHAPES: [(usize, usize, usize); 3] = [(16, 16, 16), (32, 8, 16), (8, 32, 16)];

fn half(n: i64) -> u64 {
    half::f16::from_f32(n as f32).to_bits().into()
}

fn brain(n: i64) -> u64 {
    half::bf16::from_f32(n as f32).to_bits().into()
}

/// What lies where in a matrix of `rows` by `columns`: row by row or column by column, `gap` elements between.
fn place(column: bool, rows: usize, columns: usize, gap: usize, (r, c): (usize, usize)) -> usize {
    if column { c * (rows + gap) + r } else { r * (columns + gap) + c }
}

fn list(prefix: &str, count: usize) -> String {
    let all: Vec<String> = (0..count).map(|n| format!("{prefix}{n}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// Small numbers of both signs, or of none.
fn number(seed: usize, signed: bool) -> i64 {
    let mix = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (mix >> 40) as i64 % 9;
    if signed { n - 4 } else { n }
}

struct Case {
    shape: (usize, usize, usize),
    columns: [bool; 4],
    space: &'static str,
}

fn check(kind: &Kind, case: &Case, registers: [usize; 3]) {
    let (m, n, k) = case.shape;
    let [ca, cb, cc, cd] = case.columns;
    let gap = 16;
    let signed = !kind.factor.starts_with('u');
    let wide = if kind.sum == "f64" { 8 } else { 4 };
    let fill = |column, rows, columns, size: usize, salt: usize, bits: &dyn Fn(i64) -> u64| {
        let mut bytes = vec![0u8; size * (rows + gap) * (columns + gap)];
        for r in 0..rows {
            for c in 0..columns {
                let at = size * place(column, rows, columns, gap, (r, c));
                let value = bits(number(salt + 64 * r + c, signed));
                bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        bytes
    };
    let sum = |n: i64| match kind.sum {
        "s32" => n as u32 as u64,
        "f64" => (n as f64).to_bits(),
        _ => (n as f32).to_bits().into(),
    };
    let a = fill(ca, m, k, kind.size, 0, &kind.bits);
    let b = fill(cb, k, n, kind.size, 5000, &kind.bits);
    let c = fill(cc, m, n, wide, 9000, &sum);
    let word = |column: bool| if column { "col" } else { "row" };
    let stride = |column: bool, rows: usize, columns: usize| gap + if column { rows } else { columns };
    let types = if kind.factor == "f16" {
        "f32.f32".to_owned()
    } else {
        format!("{0}.{1}.{1}.{0}", kind.sum, kind.factor)
    };
    let shape = format!("m{m}n{n}k{k}");
    let [ra, rb, rc] = registers;
    let class =
        if wide == 8 { ("f64", "f64") } else { ("b32", if kind.sum == "s32" { "s32" } else { "f32" }) };
    let mut text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n\
         {{\n.shared .align 32 .b8 tile[16384];\n.reg .{0} %a<8>, %b<8>;\n.reg .{1} %c<8>, %d<8>;\n.reg .b64 %pa, %pb, %pc, %pd, %at, %to;\n.reg .b32 %i, %w;\n.reg .pred %p;\n\
         ld.param.u64 %pa, [pa];\nld.param.u64 %pb, [pb];\nld.param.u64 %pc, [pc];\nld.param.u64 %pd, [pd];\n",
        class.0, class.1
    );
    let copied = |text: &mut String, base: &str, to: usize, bytes: usize| {
        // Lane by lane, a word at a time.
        let _ = write!(
            text,
            "mov.u32 %i, %laneid;\nmul.lo.u32 %i, %i, 4;\nL{to}:\ncvt.u64.u32 %at, %i;\nmov.u64 %to, tile;\nadd.u64 %to, %to, %at;\n\
             add.u64 %at, %at, {base};\nld.global.u32 %w, [%at];\nst.shared.u32 [%to+{to}], %w;\nadd.u32 %i, %i, 128;\n\
             setp.lt.u32 %p, %i, {bytes};\n@%p bra L{to};\n"
        );
    };
    let (mut pa, mut pb) = ("%pa".to_owned(), "%pb".to_owned());
    if case.space == ".shared" {
        copied(&mut text, "%pa", 0, a.len());
        copied(&mut text, "%pb", 8192, b.len());
        text += "bar.warp.sync -1;\n";
        (pa, pb) = ("tile".into(), "tile+8192".into());
    }
    let factor = kind.factor;
    let (space, sums) = (case.space, if case.space == ".shared" { ".global" } else { case.space });
    let _ = write!(
        text,
        "wmma.load.a.sync.aligned.{}.{shape}{space}.{factor} {}, [{pa}], {};\n\
         wmma.load.b.sync.aligned.{}.{shape}{space}.{factor} {}, [{pb}], {};\n\
         wmma.load.c.sync.aligned.{}.{shape}{sums}.{} {}, [%pc], {};\n\
         wmma.mma.sync.aligned.{}.{}.{shape}.{types} {}, {}, {}, {};\n\
         wmma.store.d.sync.aligned.{}.{shape}{sums}.{} [%pd], {}, {};\nret;\n}}\n",
        word(ca),
        list("%a", ra),
        stride(ca, m, k),
        word(cb),
        list("%b", rb),
        stride(cb, k, n),
        word(cc),
        kind.sum,
        list("%c", rc),
        stride(cc, m, n),
        word(ca),
        word(cb),
        list("%d", rc),
        list("%a", ra),
        list("%b", rb),
        list("%c", rc),
        word(cd),
        kind.sum,
        list("%d", rc),
        stride(cd, m, n),
    );
    let module = sassafras_ptx::load(&text, "wmma.ptx").unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    let mut launch = Launch::new([1, 1, 1], [32, 1, 1]);
    let d = vec![0; wide * (m + gap) * (n + gap)];
    let buffers = [a, b, c, d].map(Argument::Buffer);
    let layout = ptx::layout(&module, "k").expect("an entry");
    launch.arguments(&layout, &buffers).expect("the arguments fit");
    let outcome =
        ptx::run(&module, "k", &launch, &Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let found = &outcome.buffers[3];
    for r in 0..m {
        for column in 0..n {
            let product: i64 =
                (0..k).map(|i| number(64 * r + i, signed) * number(5000 + 64 * i + column, signed)).sum();
            let expected = sum(product + number(9000 + 64 * r + column, signed));
            let at = wide * place(cd, m, n, gap, (r, column));
            assert_eq!(
                found[at..at + wide],
                expected.to_le_bytes()[..wide],
                "{shape} {factor} {:?} {space}: row {r}, column {column}",
                case.columns
            );
        }
    }
}

/// Every combination of layouts.
fn layouts() -> impl Iterator<Item = [bool; 4]> {
    (0..16).map(|n| [n & 1 == 1, n & 2 == 2, n & 4 == 4, n & 8 == 8])
}

#[test]
fn halves_and_bytes() {
    let kinds = [
        Kind { factor: "f16", sum: "f32", size: 2, bits: half },
        Kind { factor: "bf16", sum: "f32", size: 2, bits: brain },
        Kind { factor: "s8", sum: "s32", size: 1, bits: |n| n as u8 as u64 },
        Kind { factor: "u8", sum: "s32", size: 1, bits: |n| n as u64 },
    ];
    for kind in &kinds {
        for shape in SHAPES {
            for columns in layouts() {
                for space in ["", ".global", ".shared"] {
                    let count = |rows: usize| match (kind.factor, kind.size) {
                        ("f16", _) => 8,
                        (_, 2) => rows * 16 / 64,
                        _ => (rows * 16 / 128).max(1),
                    };
                    check(kind, &Case { shape, columns, space }, [count(shape.0), count(shape.1), 8]);
                }
            }
        }
    }
}

#[test]
fn singles_and_doubles() {
    let single = Kind { factor: "tf32", sum: "f32", size: 4, bits: |n| (n as f32).to_bits().into() };
    let double = Kind { factor: "f64", sum: "f64", size: 8, bits: |n| (n as f64).to_bits() };
    for columns in layouts() {
        for space in ["", ".global", ".shared"] {
            check(&single, &Case { shape: (16, 16, 8), columns, space }, [4, 4, 8]);
            check(&double, &Case { shape: (8, 8, 4), columns, space }, [1, 1, 2]);
        }
    }
}
