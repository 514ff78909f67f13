//! What the checker hands on: modifiers, operands, layout.

use sassafras_ptx::checked::{Inst, Mods, Module};
use sassafras_ptx::load;
use std::fmt::Write;

/// The module of a text that is right.
fn good(text: &str) -> Module {
    load(text, "good.ptx").unwrap_or_else(|d| panic!("{d}"))
}

/// An instruction on one line: what differs from no modifiers at all, types, operands.
fn show(inst: &Inst) -> String {
    let plain = format!("{:?}", Mods::default());
    let with = format!("{:?}", inst.mods);
    let fields = |text: &str| -> Vec<String> {
        let inner = text.trim_start_matches("Mods { ").trim_end_matches(" }").to_owned();
        // Commas within a field's value are inside of parentheses, brackets or braces.
        let (mut list, mut depth) = (vec![String::new()], 0);
        for c in inner.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                ',' if depth == 0 => {
                    list.push(String::new());
                    continue;
                }
                _ => {}
            }
            list.last_mut().expect("never empty").push(c);
        }
        list.into_iter().map(|f| f.trim().to_owned()).collect()
    };
    let plain = fields(&plain);
    let mods: Vec<String> = fields(&with).into_iter().filter(|f| !plain.contains(f)).collect();
    let types: Vec<&str> = inst.types.iter().map(|t| t.name()).collect();
    let guard = inst
        .guard
        .map_or(String::new(), |g| format!("@{}{} ", if g.negate { "!" } else { "" }, g.register.0));
    let operands: Vec<String> = inst.operands.iter().map(|o| format!("{o:?}")).collect();
    format!(
        "{guard}{:?} [{}] {{{}}}\n    {}\n",
        inst.op,
        types.join(" "),
        mods.join(", "),
        operands.join("; ")
    )
}

#[test]
fn instructions() {
    let module = good(
        ".version 8.3
.target sm_90
.address_size 64
.global .align 16 .b8 g[64];
.visible .func (.param .b32 r) f (.param .b64 a, .param .align 4 .b8 s[8]) { st.param.b32 [r], 5; ret; }
.visible .entry k (.param .u64 p, .param .align 8 .b8 q[24])
{
.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .f64 %d<2>; .reg .v2 .f32 v;
.param .b64 a0; .param .align 4 .b8 a1[8]; .param .b32 r0;
P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 4 .b8 _[8]);
T: .branchtargets here, there;
ld.param.u64 %rd1, [p];
ld.param.v2.f32 {%f1, %f2}, [q+8];
@!%p1 mad.wide.s32 %rd2, %r1, -4, %rd1;
here:
mov.u32 %r1, %tid.x;
mov.b64 %rd2, g+8;
mov.b64 {%r1, _}, %rd2;
mov.b32 %r1, {%h1, %h2};
mov.f32 v.y, 0f3F800000;
st.global.v2.f32 [%rd1+-8], v;
add.rz.ftz.sat.f32 %f1, %f2, 1.5;
sub.cc.u32 %r1, %r2, -1;
setp.lo.and.u32 %p1|_, %r1, 7, !%p2;
setp.nan.f32 %p1, %f1, %f2;
cvt.rni.ftz.sat.f32.f32 %f1, %f2;
cvt.rzi.s64.f32 %rd1, %f2;
cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;
shf.l.wrap.b32 %r1, %r2, %r3, 5;
prmt.b32.b4e %r1, %r2, %r3, 1;
lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, !%p3;
min.NaN.xorsign.abs.f32 %f1, %f2, %f3;
shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;
vote.sync.uni.pred %p1, !%p2, -1;
elect.sync _|%p1, -1;
bar.sync 0;
bar.red.popc.u32 %r1, 0, %p1;
bar.warp.sync -1;
atom.acq_rel.gpu.global.min.s32 %r1, [g+4], %r2;
atom.shared.add.f32 _, [%r1], %f1;
red.relaxed.sys.global.add.f32 [%rd1], %f1;
ld.global.nc.L1::no_allocate.L2::128B.u8 %r1, [%rd1];
ld.mmio.relaxed.sys.global.u32 %r1, [%rd1];
ld.volatile.shared.u32 %r1, [%r2];
fence.sc.cluster;
membar.gl;
cvta.to.shared.u64 %rd1, %rd2;
isspacep.local %p1, %rd1;
st.param.b64 [a0], %rd1;
call.uni (r0), f, (a0, a1);
mov.u64 %rd3, f;
call (r0), %rd3, (a0, a1), P;
ld.param.b32 %r1, [r0];
brx.idx %r1, T;
there:
ret;
}
",
    );
    let mut shown = String::new();
    for function in &module.functions {
        let _ =
            writeln!(shown, "{} params {:?} size {}", function.name, function.params, function.param_size);
        let _ = writeln!(shown, "labels {:?} targets {:?}", function.labels, function.branch_targets);
        let _ = writeln!(shown, "prototypes {:?}", function.prototypes);
        function.insts.iter().flatten().for_each(|inst| shown += &show(inst));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn variables() {
    let module = good(
        ".version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 c[8] = {1, 2, 0xFF};
.global .u32 x[2][2] = {{1}, {2, -1}};
.visible .global .v2 .f32 y = {1.0, -2.5};
.global .u64 z[3] = {x, generic(x)+8, 7};
.extern .shared .align 16 .b8 dynamic[];
.shared .f64 s[4];
.global .s16 w[] = {1 << 3, (7 > 3) ? -2 : 5};
.entry k () .maxntid 64, 2 .minnctapersm 3 { .local .align 8 .b8 depot[24]; ret; }
",
    );
    let mut shown = String::new();
    module.variables.iter().chain(&module.functions[0].variables).for_each(|v| {
        let _ = writeln!(shown, "{v:?}");
    });
    let k = &module.functions[0];
    let _ = writeln!(shown, "{:?} {:?} {:?}", k.maxntid, k.reqntid, k.minnctapersm);
    insta::assert_snapshot!(shown);
}

#[test]
fn registers_are_made_when_they_are_used() {
    let module = good(
        ".version 8.0\n.target sm_90\n.entry k () { .reg .b32 %r<4000000000>; mov.b32 %r3999999999, %r7; { .reg .f32 %r7; mov.f32 %r7, 1.0; } ret; }",
    );
    let names: Vec<_> =
        module.functions[0].registers.iter().map(|r| (r.name.as_str(), r.ty.name())).collect();
    assert_eq!(names, [("%r3999999999", "b32"), ("%r7", "b32"), ("%r7", "f32")]);
}

#[test]
fn locations() {
    let module = good(
        ".version 8.0
.target sm_90
.address_size 64
.entry k ()
{
.reg .b32 a;
mov.u32 a, 1;
.loc 2 7 3
mov.u32 a, 2;
{
.loc 2 0x10 0
.loc 5 9 1, function_name name+1, inlined_at 2 16 0
mov.u32 a, 3; mov.u32 a, 4;
}
ret;
}
.file 5 \"a/b.h\", 12, 34
.file 2 \"c.cu\"
.section .debug_str { .b8 102, 0
name:
.b16 0x4847
.b8 0 }
.section .debug_abbrev { .b8 1 }
",
    );
    let files: Vec<_> =
        module.debug.files.iter().map(|f| (f.index, f.name.as_str(), f.time, f.size)).collect();
    assert_eq!(files, [(2, "c.cu", 0, 0), (5, "a/b.h", 12, 34)]);
    assert_eq!(module.debug.strings, b"f\0GH\0");
    assert_eq!(module.debug.other_sections, [".debug_abbrev"]);
    let k = &module.functions[0];
    let places: Vec<_> = (0..5).map(|i| k.location(i).map(|l| (l.file, l.line, l.column))).collect();
    let inlined = Some((5, 9, 1));
    assert_eq!(places, [None, Some((2, 7, 3)), inlined, inlined, inlined]);
    let call = k.location(2).and_then(|l| l.inlined.clone()).expect("it is inlined");
    assert_eq!((call.function, call.at), (3, [2, 16, 0]));
    let of_line = |line| module.source_of(line).map(|(file, location)| (file.name.as_str(), location.line));
    assert_eq!([7, 9, 13].map(of_line), [None, Some(("c.cu", 7)), Some(("a/b.h", 9))]);
}
