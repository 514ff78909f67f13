//! Programs that store an address or what a padding holds, each with versions that do something else.

/// One program: `right` stands for the body of the kernel, which leaves 16 bytes, `q` and `r`.
pub struct Program {
    pub name: &'static str,
    /// Parameters behind `out`.
    pub params: &'static str,
    /// Declarations of the module.
    pub module: &'static str,
    /// Declarations of the kernel.
    pub own: &'static str,
    pub right: &'static str,
    /// Bodies that leave something else in some launch, whatever lies where.
    pub refuted: &'static [&'static str],
    /// Bodies that leave another address of those that PTX leaves open: they are not proved.
    pub unproved: &'static [&'static str],
    /// Whether ptxas's code is proved; else its form has no meaning yet.
    pub ptxas: bool,
}

impl Program {
    pub fn text(&self, body: &str) -> String {
        let Program { params, module, own, .. } = self;
        format!(
            ".version 8.3
.target sm_75
.address_size 64
{module}
.visible .entry k(.param .u64 out{params})
{{
    .reg .b64 q, r, s, o; .reg .b32 t; .reg .pred p;
    {own}
    ld.param.u64 o, [out];
    mov.u64 q, 0;
    mov.u64 r, 0;
    {body}
    st.global.u64 [o], q;
    st.global.u64 [o+8], r;
    ret;
}}
"
        )
    }
}

const PLAIN: Program = Program {
    name: "",
    params: "",
    module: "",
    own: "",
    right: "",
    refuted: &[],
    unproved: &[],
    ptxas: true,
};

const GLOBALS: &str = ".global .align 8 .b64 g1[4]; .global .align 8 .b64 g2[4] = {1, 2, 3, 4};";
const CONSTANTS: &str =
    ".const .align 4 .b32 c1[4] = {1, 2, 3, 4}; .const .align 16 .b32 c2[4] = {5, 6, 7, 8};";
const LOCALS: &str = ".local .align 8 .b8 box[16]; .local .align 16 .b8 other[32];";
const SHARED: &str = ".shared .align 8 .b8 box[16]; .shared .align 16 .b8 other[32];";
const DYNAMIC: &str = ".extern .shared .align 16 .b8 dynamic[];";

pub const ALL: &[Program] = &[
    Program {
        name: "global",
        module: GLOBALS,
        right: "mov.u64 q, g1; mov.u64 r, g2;",
        refuted: &["mov.u64 q, g1; mov.u64 r, 64;"],
        unproved: &["mov.u64 q, g1; mov.u64 r, g1;", "mov.u64 q, g1; mov.u64 r, g2; add.u64 r, r, 8;"],
        ..PLAIN
    },
    Program {
        name: "global, generic",
        module: GLOBALS,
        right: "cvta.global.u64 q, g2;",
        refuted: &["mov.u64 q, 64;"],
        unproved: &["cvta.global.u64 q, g1;"],
        ..PLAIN
    },
    Program {
        name: "alignment of a global",
        module: GLOBALS,
        right: "mov.u64 q, g2; and.b64 q, q, 7;",
        refuted: &["mov.u64 q, 4;"],
        unproved: &["mov.u64 q, g2; and.b64 q, q, 8;"],
        ..PLAIN
    },
    Program {
        name: "two globals",
        module: GLOBALS,
        right: "mov.u64 q, g1; mov.u64 r, g2; setp.eq.u64 p, q, r; selp.u64 q, 1, 2, p; mov.u64 r, 0;",
        refuted: &["mov.u64 q, 1;"],
        ..PLAIN
    },
    Program {
        name: "address in an initialiser",
        module: ".global .align 8 .b64 g1[4]; .global .align 8 .b64 g2[4] = {1, 2, 3, 4}; .global .align 8 .u64 table[2] = {g1, generic(g2)+8};",
        right: "ld.global.u64 q, [table]; ld.global.u64 r, [table+8];",
        refuted: &["ld.global.u64 q, [table]; mov.u64 r, 64;"],
        unproved: &["ld.global.u64 q, [table]; ld.global.u64 r, [table];"],
        ..PLAIN
    },
    Program {
        name: "string",
        module: ".global .align 1 .b8 hi[3] = {104, 105, 0}; .global .align 1 .b8 bye[4] = {98, 121, 101, 0};",
        right: "mov.u64 q, hi; ld.global.u8 t, [q]; cvt.u64.u32 r, t; cvta.global.u64 q, q;",
        refuted: &["mov.u64 q, bye; ld.global.u8 t, [q]; cvt.u64.u32 r, t; cvta.global.u64 q, q;"],
        ..PLAIN
    },
    Program {
        name: "constant",
        module: CONSTANTS,
        right: "mov.u64 q, c1; mov.u64 r, c2;",
        refuted: &["mov.u64 q, c1; mov.u64 r, 4096;"],
        unproved: &["mov.u64 q, c2; mov.u64 r, c2;"],
        ..PLAIN
    },
    Program {
        name: "constant, generic",
        module: CONSTANTS,
        right: "cvta.const.u64 q, c1; cvta.const.u64 r, c2;",
        unproved: &["cvta.const.u64 q, c2; cvta.const.u64 r, c1;"],
        ..PLAIN
    },
    Program {
        name: "local",
        own: LOCALS,
        right: "mov.u64 q, box; st.local.u64 [q], q; ld.local.u64 r, [box];",
        refuted: &["mov.u64 q, box; mov.u64 r, 0;"],
        unproved: &["mov.u64 q, box; st.local.u64 [q], q; ld.local.u64 r, [box]; add.u64 r, r, 1;"],
        ..PLAIN
    },
    Program {
        name: "local, generic",
        own: LOCALS,
        right: "cvta.local.u64 q, box; st.local.u64 [box], q;",
        refuted: &["mov.u64 q, box; st.local.u64 [box], q;"],
        ..PLAIN
    },
    Program {
        name: "shared",
        own: SHARED,
        right: "mov.u64 q, box; mov.u64 r, other; st.shared.u64 [box], q; st.shared.u64 [other], r;",
        refuted: &["mov.u64 q, 4; mov.u64 r, other; st.shared.u64 [box], q; st.shared.u64 [other], r;"],
        unproved: &["mov.u64 q, box; mov.u64 r, box; st.shared.u64 [box], q; st.shared.u64 [other], r;"],
        ..PLAIN
    },
    Program {
        name: "shared, generic",
        own: SHARED,
        right: "cvta.shared.u64 q, box;",
        refuted: &["mov.u64 q, box;"],
        ..PLAIN
    },
    Program {
        name: "dynamic shared, alone",
        module: DYNAMIC,
        right: "mov.u64 q, dynamic;",
        refuted: &["mov.u64 q, 4;"],
        unproved: &["mov.u64 q, dynamic; add.u64 q, q, 16;", "mov.u64 q, 512;"],
        ..PLAIN
    },
    Program {
        name: "dynamic shared, behind a variable",
        module: DYNAMIC,
        own: ".shared .align 8 .b8 box[24];",
        right: "mov.u64 q, dynamic; st.shared.u64 [box], q;",
        refuted: &["mov.u64 q, 4; st.shared.u64 [box], q;"],
        unproved: &["mov.u64 q, box; st.shared.u64 [box], q;"],
        ..PLAIN
    },
    Program {
        name: "alignment of dynamic shared",
        module: ".extern .shared .align 64 .b8 dynamic[];",
        own: ".shared .align 8 .b8 box[24];",
        right: "mov.u64 q, dynamic; and.b64 q, q, 63; st.shared.u64 [box], q;",
        refuted: &["mov.u64 q, 32; st.shared.u64 [box], q;"],
        ..PLAIN
    },
    Program {
        name: "parameter",
        params: ", .param .u32 a, .param .u64 b",
        right: "mov.u64 q, a; mov.u64 r, b;",
        refuted: &["mov.u64 q, b; mov.u64 r, b;"],
        ..PLAIN
    },
    Program {
        name: "parameter, generic",
        params: ", .param .u32 a, .param .u64 b",
        right: "mov.u64 q, a; cvta.param.u64 q, q;",
        refuted: &["mov.u64 q, b; cvta.param.u64 q, q;", "mov.u64 q, a;"],
        ..PLAIN
    },
    Program {
        name: "padding between parameters",
        params: ", .param .u8 a, .param .u64 b",
        right: "ld.param.u8 t, [a+1]; cvt.u64.u32 q, t;",
        refuted: &["mov.u64 q, 0;", "ld.param.u8 t, [a+2]; cvt.u64.u32 q, t;"],
        ..PLAIN
    },
    Program {
        name: "structure of parameters",
        params: ", .param .align 8 .b8 z[12], .param .u64 b",
        right: "ld.param.u32 t, [z+8]; cvt.u64.u32 q, t; ld.param.u64 r, [b];",
        refuted: &["ld.param.u64 q, [z+8]; ld.param.u64 r, [b];"],
        ..PLAIN
    },
    Program {
        name: "bytes of parameters",
        params: ", .param .u8 a, .param .u16 b, .param .u8 c",
        right: "ld.param.u8 t, [a]; cvt.u64.u32 q, t; ld.param.u16 t, [b]; cvt.u64.u32 r, t; ld.param.u8 t, [c]; cvt.u64.u32 s, t; add.u64 q, q, s;",
        refuted: &[
            "ld.param.u16 t, [a]; cvt.u64.u32 q, t; ld.param.u16 t, [b]; cvt.u64.u32 r, t; ld.param.u8 t, [c]; cvt.u64.u32 s, t; add.u64 q, q, s;",
            "ld.param.u8 t, [a]; cvt.u64.u32 q, t; ld.param.u16 t, [b]; cvt.u64.u32 r, t; ld.param.s8 t, [c]; cvt.u64.u32 s, t; add.u64 q, q, s;",
        ],
        ..PLAIN
    },
    Program {
        name: "padding of a structure by value",
        module: ".func f(.param .align 8 .b8 x[16])
{
    .reg .b64 a, b; .reg .b32 c;
    ld.param.u64 a, [x];
    ld.param.u32 c, [x+8];
    cvt.u64.u32 b, c;
    st.global.u64 [a+16], b;
    ret;
}",
        right: "{ .param .align 8 .b8 y[16]; st.param.u64 [y], o; st.param.u32 [y+8], 7; call.uni f, (y); }",
        refuted: &[
            "{ .param .align 8 .b8 y[16]; st.param.u64 [y], o; st.param.u32 [y+8], 8; call.uni f, (y); }",
        ],
        ..PLAIN
    },
    Program {
        name: "handle of a texture",
        params: ", .param .u64 x",
        right: "ld.param.u64 q, [x];",
        refuted: &["mov.u64 q, 0;", "ld.param.u32 t, [x]; cvt.u64.u32 q, t;"],
        ..PLAIN
    },
    Program {
        name: "table of branches",
        params: ", .param .u32 n",
        right: "ld.param.u32 t, [n]; and.b32 t, t, 3; list: .branchtargets A, B, D, E; brx.idx t, list;
    A: mov.u64 q, 11; bra X; B: mov.u64 q, 12; bra X; D: mov.u64 q, 13; bra X; E: mov.u64 q, 14; X:",
        refuted: &["ld.param.u32 t, [n]; and.b32 t, t, 3; list: .branchtargets A, D, B, E; brx.idx t, list;
    A: mov.u64 q, 11; bra X; B: mov.u64 q, 12; bra X; D: mov.u64 q, 13; bra X; E: mov.u64 q, 14; X:"],
        // BRXU has no meaning yet.
        ptxas: false,
        ..PLAIN
    },
];
