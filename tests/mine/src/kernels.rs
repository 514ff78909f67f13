//! Kernels of two instructions: one makes a value, the other uses it, and nothing else is there to be scheduled.

/// A value that passes from one instruction to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// A 32-bit register, `r`.
    Word,
    /// A 64-bit register, `w`.
    Wide,
    /// A predicate, `p`.
    Predicate,
    /// A 32-bit register that is the same in all lanes, `u`.
    Uniform,
}

use Value::{Predicate, Uniform, Wide, Word};

/// Instructions that make a value. `a` to `d` are words from memory, `x` and `y` pairs, `k` and `l` words and `m` a pair of
/// parameters.
const PRODUCERS: &[(Value, &str)] = &[
    (Word, "add.u32 r, a, b;"),
    (Word, "sub.u32 r, a, b;"),
    (Word, "add.u32 r, a, b; add.u32 r, r, c;"),
    (Word, "and.b32 r, a, b;"),
    (Word, "lop3.b32 r, a, b, c, 0x6a;"),
    (Word, "shf.l.wrap.b32 r, a, b, c;"),
    (Word, "shl.b32 r, a, b;"),
    (Word, "shr.s32 r, a, b;"),
    (Word, "prmt.b32 r, a, b, c;"),
    (Word, "min.s32 r, a, b;"),
    (Word, "max.f32 r, a, b;"),
    (Word, "abs.s32 r, a;"),
    (Word, "bfe.u32 r, a, b, c;"),
    (Word, "mad.lo.u32 r, a, b, c;"),
    (Word, "mul.lo.u32 r, a, b;"),
    (Word, "mul.hi.u32 r, a, b;"),
    (Word, "add.f32 r, a, b;"),
    (Word, "mul.f32 r, a, b;"),
    (Word, "fma.rn.f32 r, a, b, c;"),
    (Word, "dp4a.u32.u32 r, a, b, c;"),
    (Word, "add.f16x2 r, a, b;"),
    (Word, "mul.f16x2 r, a, b;"),
    (Word, "fma.rn.f16x2 r, a, b, c;"),
    (Word, "cvt.rn.f16x2.f32 r, a, b;"),
    (Word, "mov.u32 r, %clock;"),
    (Word, "mov.u32 r, 0x12345;"),
    (Word, "setp.lt.s32 q, a, b; selp.b32 r, c, d, q;"),
    (Wide, "mul.wide.u32 w, a, b;"),
    (Wide, "mad.wide.s32 w, a, b, x;"),
    (Wide, "add.u64 w, x, y;"),
    (Wide, "add.f64 w, x, y;"),
    (Wide, "mul.f64 w, x, y;"),
    (Wide, "fma.rn.f64 w, x, y, x;"),
    (Wide, "mov.u64 w, %clock64;"),
    (Wide, "shl.b64 w, x, a;"),
    (Predicate, "setp.lt.u32 p, a, b;"),
    (Predicate, "setp.lt.s64 p, x, y;"),
    (Predicate, "setp.lt.f32 p, a, b;"),
    (Predicate, "setp.lt.f64 p, x, y;"),
    (Predicate, "setp.lt.f16x2 p|q, a, b;"),
    (Predicate, "setp.lt.u32 p, a, b; setp.gt.u32 q, c, d; and.pred p, p, q;"),
    (Predicate, "setp.lt.u32 p, k, l;"),
    (Uniform, "add.u32 u, k, l;"),
    (Uniform, "and.b32 u, k, l;"),
    (Uniform, "shl.b32 u, k, l;"),
    (Uniform, "mad.lo.u32 u, k, l, k;"),
    (Uniform, "mov.u32 u, %ctaid.x;"),
    (Uniform, "mov.u32 u, k;"),
    (Uniform, "readlane.u32 u, a;"),
];

/// Instructions that use a value. What they make goes to `s`, `t` or `z`, which are stored.
const CONSUMERS: &[(Value, &str)] = &[
    (Word, "add.u32 s, r, c;"),
    (Word, "add.u32 s, c, r; add.u32 s, s, d;"),
    (Word, "lop3.b32 s, c, d, r, 0x96;"),
    (Word, "shf.r.wrap.b32 s, c, r, d;"),
    (Word, "prmt.b32 s, r, c, d;"),
    (Word, "min.u32 s, r, c;"),
    (Word, "mad.lo.u32 s, r, c, d;"),
    (Word, "mad.lo.u32 s, c, d, r;"),
    (Word, "mul.hi.s32 s, r, c;"),
    (Word, "add.f32 s, r, c;"),
    (Word, "fma.rn.f32 s, c, d, r;"),
    (Word, "fma.rn.f32 s, r, c, d;"),
    (Word, "dp4a.s32.s32 s, r, c, d;"),
    (Word, "add.f16x2 s, r, c;"),
    (Word, "fma.rn.f16x2 s, r, c, d;"),
    (Word, "mul.wide.u32 z, r, c;"),
    (Word, "mad.wide.u32 z, c, d, y; mad.wide.u32 z, r, c, z;"),
    (Word, "cvt.u64.u32 z, r; add.u64 z, z, y;"),
    (Word, "cvt.f64.f32 z, r;"),
    (Word, "cvt.rn.f32.s32 s, r;"),
    (Word, "cvt.rzi.s32.f32 s, r;"),
    (Word, "cvt.rn.f16x2.f32 s, r, c;"),
    (Word, "ex2.approx.f32 s, r;"),
    (Word, "rcp.approx.f32 s, r;"),
    (Word, "popc.b32 s, r;"),
    (Word, "bfind.u32 s, r;"),
    (Word, "brev.b32 s, r;"),
    (Word, "shfl.sync.idx.b32 s, r, 1, 31, -1;"),
    (Word, "shfl.sync.idx.b32 s, c, r, 31, -1;"),
    (Word, "match.any.sync.b32 s, r, -1;"),
    (Word, "setp.lt.u32 q, r, c; selp.b32 s, c, d, q;"),
    (Word, "setp.lt.f32 q, r, c; selp.b32 s, c, d, q;"),
    (Word, "st.global.b32 [Q+64], r;"),
    (Word, "st.shared.b32 [sh], r;"),
    (Word, "and.b32 r, r, 124; mov.u32 t, sh; add.u32 t, t, r; ld.shared.b32 s, [t];"),
    (Word, "atom.global.add.u32 s, [Q+64], r;"),
    (Word, "red.global.add.u32 [Q+64], r;"),
    (Word, "and.b32 r, r, 4; cvt.u64.u32 z, r; add.u64 z, z, Q; ld.global.b32 s, [z];"),
    (Word, "ld.const.b32 s, [table+4]; add.u32 s, s, r;"),
    (Word, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {s, t, v, o}, {r, a}, {b}, {c, d, c, d};"),
    (Wide, "add.u64 z, w, y;"),
    (Wide, "add.f64 z, w, y;"),
    (Wide, "fma.rn.f64 z, x, y, w;"),
    (Wide, "cvt.rn.f32.f64 s, w;"),
    (Wide, "mad.wide.u32 z, c, d, w;"),
    (Wide, "st.global.b64 [Q+64], w;"),
    (Wide, "cvt.u32.u64 s, w; mad.lo.u32 s, s, c, d;"),
    (Wide, "shr.u64 z, w, 32; cvt.u32.u64 s, z; mad.lo.u32 s, s, c, d;"),
    (Wide, "shr.u64 z, w, 32; cvt.u32.u64 s, z; add.u32 s, s, d;"),
    (Wide, "setp.lt.u64 q, w, y; selp.b32 s, c, d, q;"),
    (Wide, "setp.lt.f64 q, w, y; selp.b32 s, c, d, q;"),
    (Wide, "and.b64 z, w, 4; add.u64 z, z, Q; ld.global.b32 s, [z];"),
    (Wide, "cvt.u32.u64 s, w; ex2.approx.f32 s, s;"),
    (Wide, "cvt.u32.u64 s, w; add.f16x2 s, s, c;"),
    (Predicate, "selp.b32 s, c, d, p;"),
    (Predicate, "selp.f32 s, c, d, p; add.f32 s, s, c;"),
    (Predicate, "@p add.u32 a, c, d; mov.b32 s, a;"),
    (Predicate, "@p mad.lo.u32 a, c, d, b; mov.b32 s, a;"),
    (Predicate, "@p fma.rn.f32 a, c, d, b; mov.b32 s, a;"),
    (Predicate, "@p add.f64 x, x, y; mov.b64 z, x;"),
    (Predicate, "@p st.global.b32 [Q+64], c;"),
    (Predicate, "@p ld.global.b32 a, [Q+64]; mov.b32 s, a;"),
    (Predicate, "@p atom.global.add.u32 a, [Q+64], c; mov.b32 s, a;"),
    (Predicate, "@p bra L; st.global.b32 [Q+64], c; L:"),
    (Predicate, "@p exit;"),
    (Predicate, "vote.sync.ballot.b32 s, p, -1;"),
    (Predicate, "setp.lt.and.u32 q, c, d, p; selp.b32 s, c, d, q;"),
    (Predicate, "barrier.sync 0; @p ex2.approx.f32 a, c; mov.b32 s, a;"),
    (Uniform, "add.u32 s, u, a;"),
    (Uniform, "add.u32 u, u, k; add.u32 s, u, a;"),
    (Uniform, "mad.lo.u32 s, a, u, b;"),
    (Uniform, "fma.rn.f32 s, a, u, b;"),
    (Uniform, "setp.lt.u32 p, u, l; selp.b32 s, a, b, p;"),
    (Uniform, "setp.lt.u32 p, u, l; @p bra L; st.global.b32 [Q+64], c; L:"),
    (Uniform, "st.global.b32 [Q+64], u;"),
    (Uniform, "cvt.u64.u32 z, u; add.u64 z, z, m; ld.global.b32 s, [z];"),
    (Uniform, "ex2.approx.f32 s, u;"),
    (Uniform, "shl.b32 t, u, 2; mov.u32 v, table; add.u32 t, t, v; ld.const.b32 s, [t];"),
    (Uniform, "add.f16x2 s, u, a;"),
    (Uniform, "cvt.rn.f64.u32 z, u; add.f64 z, z, y;"),
];

/// One kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its PTX, without the head of a module.
    pub text: String,
}

/// Every pair of a producer and a consumer that a value can pass between.
pub fn kernels() -> Vec<Kernel> {
    let pairs =
        PRODUCERS.iter().flat_map(|p| CONSUMERS.iter().filter(|c| c.0 == p.0).map(move |c| (p.1, c.1)));
    pairs
        .enumerate()
        .map(|(number, (producer, consumer))| Kernel { text: kernel(number, producer, consumer) })
        .collect()
}

fn kernel(number: usize, producer: &str, consumer: &str) -> String {
    let producer = producer.replace("readlane.u32 u, a;", "redux.sync.add.u32 u, a, -1;");
    format!(
        ".visible .entry k{number}(.param .u64 P, .param .u64 M, .param .u32 K, .param .u32 N)
{{
    .reg .pred p, q;
    .reg .b32 a, b, c, d, r, s, t, u, v, o, k, l, i;
    .reg .b64 w, x, y, z, Q, m;
    ld.param.u64 Q, [P];
    ld.param.u64 m, [M];
    ld.param.u32 k, [K];
    ld.param.u32 l, [N];
    mov.u32 i, %tid.x;
    mul.wide.u32 x, i, 128;
    add.u64 Q, Q, x;
    ld.global.v4.b32 {{a, b, c, d}}, [Q];
    ld.global.v2.b64 {{x, y}}, [Q+16];
    mov.b32 s, c;
    mov.b32 t, d;
    mov.b32 v, d;
    mov.b32 o, d;
    mov.b64 z, y;
    {producer}
    {consumer}
    st.global.v4.b32 [Q+32], {{s, t, v, o}};
    st.global.b64 [Q+48], z;
    ret;
}}
"
    )
}

/// A module of these kernels for a chip.
pub fn module(kernels: &[&Kernel], target: &str) -> String {
    let mut text = format!(
        ".version 8.8\n.target {target}\n.address_size 64\n.const .align 4 .b8 table[64];\n.shared .align 4 .b8 sh[256];\n"
    );
    kernels.iter().for_each(|kernel| text.push_str(&kernel.text));
    text
}
