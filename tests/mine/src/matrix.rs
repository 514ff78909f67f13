//! Kernels of one matrix product and what uses its result, each product of the PTX ISA with each use.

use crate::kernels::Kernel;
use sassafras_check::Finding;
use sassafras_check::hazard::{Program, judge};
use sassafras_chip::latency::Class;
use std::fmt;

/// A product: its instruction, how many registers its factors A and B and its result have, and what follows the addend.
type Product = (&'static str, usize, usize, usize, &'static str);

/// Products with registers of 32 bits.
const PRODUCTS: &[Product] = &[
    ("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", 2, 2, 4, ""),
    ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 2, 2, 8, ""),
    ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2, ""),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, ""),
    ("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 1, 1, 2, ""),
    ("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.u8.s32", 1, 1, 2, ""),
    ("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4, ""),
    ("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32", 1, 1, 2, ""),
    ("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 4, 2, 4, ""),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 1, 1, 2, ""),
    ("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc", 1, 1, 2, ""),
    ("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 4, 2, 2, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16", 2, 1, 2, ""),
    ("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m3.e2m1.f32", 4, 2, 4, ""),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 2, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16", 4, 4, 2, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 2, 2, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 4, 4, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 2, 2, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 4, 4, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 2, 2, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32", 4, 4, 4, ", d, 0x0"),
    ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32", 4, 4, 4, ", d, 0x0"),
    ("mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32", 4, 4, 4, ", d, 0x0"),
];

/// Products of double precision.
const DOUBLES: &[Product] = &[
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2, ""),
    ("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4, ""),
    ("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4, ""),
    ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4, ""),
];

/// Uses of a result: the first register is `R0`, the last `RL`; `AGAIN` is the product again with what follows in place of its
/// factors or addend. Each leaves something in `s` or memory.
const USES: &[&str] = &[
    "",
    "add.u32 s, R0, d;",
    "lop3.b32 s, RL, c, d, 0x96;",
    "add.u32 R0, RL, d;",
    "add.f32 s, RL, d;",
    "fma.rn.f32 R0, RL, d, c;",
    "mad.lo.u32 s, RL, c, d;",
    "mad.wide.u32 z, RL, c, z;",
    "cvt.f64.f32 z, R0;",
    "cvt.rn.f16x2.f32 s, R0, RL;",
    "add.f16x2 s, RL, d;",
    "fma.rn.f16x2 R0, RL, d, c;",
    "ex2.approx.f32 s, RL;",
    "cvt.rn.f32.s32 s, RL;",
    "shfl.sync.idx.b32 s, RL, 1, 31, -1;",
    "st.shared.b32 [sh], RL;",
    "setp.lt.u32 q, RL, c; selp.b32 s, c, d, q;",
    "setp.lt.f32 q, RL, d; @q add.u32 R0, c, d;",
    "ADDEND",
    "ADDEND ADDEND",
    "LEFT",
    "RIGHT",
    "mov.b32 A0, c; mov.b32 B0, d; OTHER",
    "OTHER mov.b32 A0, R0; mov.b32 B0, RL;",
    "ld.global.b32 R0, [Q+4];",
    "ld.global.b32 A0, [Q+4]; OTHER",
    "@p mov.b32 R0, c;",
    "@p ADDEND",
];

/// The uses of doubles.
const DOUBLE_USES: &[&str] = &[
    "",
    "add.f64 z, R0, z;",
    "fma.rn.f64 z, RL, z, R0;",
    "add.u64 z, R0, z;",
    "cvt.rn.f32.f64 s, RL;",
    "st.shared.b64 [sh], RL;",
    "setp.lt.f64 q, RL, z; selp.b32 s, c, d, q;",
    "ADDEND",
    "ADDEND ADDEND",
    "LEFT",
    "OTHER mov.b64 A0, R0;",
    "ld.global.b64 R0, [Q+8];",
];

/// Every product with every use.
pub fn kernels() -> Vec<Kernel> {
    let words = PRODUCTS.iter().flat_map(|product| USES.iter().map(move |using| (product, *using, "b32")));
    let doubles =
        DOUBLES.iter().flat_map(|product| DOUBLE_USES.iter().map(move |using| (product, *using, "b64")));
    words
        .chain(doubles)
        .enumerate()
        .map(|(number, (product, using, width))| Kernel { text: kernel(number, product, using, width) })
        .collect()
}

/// `{X0, X1, …}`
fn list(name: char, count: usize) -> String {
    let registers: Vec<String> = (0..count).map(|i| format!("{name}{i}")).collect();
    format!("{{{}}}", registers.join(", "))
}

fn kernel(number: usize, &(opcode, a, b, d, more): &Product, using: &str, width: &str) -> String {
    let multiply = |result: char, left: &str, right: &str, addend: char| {
        format!("{opcode} {}, {left}, {right}, {}{more};", list(result, d), list(addend, d))
    };
    let (left, right) = (list('A', a), list('B', b));
    // The registers of the result, as far as they go, then the factor's own.
    let from_result = |name: char, count: usize| {
        let registers: Vec<String> =
            (0..count).map(|i| format!("{}{i}", if i < d { 'R' } else { name })).collect();
        format!("{{{}}}", registers.join(", "))
    };
    let using = using
        .replace("ADDEND", &multiply('R', &left, &right, 'R'))
        .replace("LEFT", &multiply('T', &from_result('A', a), &right, 'C'))
        .replace("RIGHT", &multiply('T', &left, &from_result('B', b), 'C'))
        .replace("OTHER", &multiply('T', &left, &right, 'C'))
        .replace("RL", &format!("R{}", d - 1));
    let bytes = if width == "b64" { 8 } else { 4 };
    let loads = |name: char, count: usize, from: usize| -> String {
        (0..count)
            .map(|i| format!("    ld.global.{width} {name}{i}, [Q+{}];\n", (from + i) * bytes))
            .collect()
    };
    let stores = |name: char, from: usize| -> String {
        (0..d).map(|i| format!("    st.global.{width} [Q+{}], {name}{i};\n", (from + i) * bytes)).collect()
    };
    let zeros: String = (0..d).map(|i| format!("    mov.{width} T{i}, C{i};\n")).collect();
    format!(
        ".visible .entry k{number}(.param .u64 P)
{{
    .reg .pred p, q;
    .reg .b32 c, d, s, i;
    .reg .b64 z, x, Q;
    .reg .{width} A<8>, B<8>, C<8>, R<8>, T<8>;
    ld.param.u64 Q, [P];
    mov.u32 i, %tid.x;
    mul.wide.u32 x, i, 512;
    add.u64 Q, Q, x;
    ld.global.b32 c, [Q+400];
    ld.global.b32 d, [Q+404];
    ld.global.b64 z, [Q+408];
    setp.eq.u32 p, c, 0;
    mov.b32 s, c;
{}{}{}{zeros}    {}
    {using}
{}{}    st.global.b32 [Q+416], s;
    st.global.b64 [Q+424], z;
    ret;
}}
",
        loads('A', a, 0),
        loads('B', b, 8),
        loads('C', d, 16),
        multiply('R', &left, &right, 'C'),
        stores('R', 24),
        stores('T', 32),
    )
}

/// What the hazard checker says of code with products.
pub struct Held {
    /// Products in them.
    pub products: usize,
    /// Every objection.
    pub objections: Vec<Finding>,
    /// Findings that are unknown.
    pub unknown: usize,
    /// Products whose stall was a cycle shorter in a copy, where it was more than one, and in how many of the copies that was seen.
    pub shortened: (usize, usize),
}

/// Runs the hazard checker, and again with each product's stall a cycle shorter.
pub fn hold(code: &[Program]) -> Held {
    let mut held = Held { products: 0, objections: Vec::new(), unknown: 0, shortened: (0, 0) };
    for program in code {
        let verdict = judge(program);
        held.unknown += verdict.unknown().len();
        held.objections.extend(verdict.objections().iter().cloned());
        for (at, inst) in program.insts.iter().enumerate() {
            let Some(inst) = inst.as_ref().filter(|inst| inst.row().pipe.whole() == Class::Matrix) else {
                continue;
            };
            held.products += 1;
            if inst.control.stall > 1 && verdict.objections().is_empty() {
                let mut nearer = program.clone();
                if let Some(inst) = &mut nearer.insts[at] {
                    inst.control.stall -= 1;
                }
                held.shortened.0 += 1;
                held.shortened.1 += usize::from(!judge(&nearer).objections().is_empty());
            }
        }
    }
    held
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (short, seen) = self.shortened;
        write!(
            f,
            "{} products, {} objections, {} unknown",
            self.products,
            self.objections.len(),
            self.unknown
        )?;
        write!(f, "; {seen} of {short} stalls shortened by a cycle objected to")
    }
}
