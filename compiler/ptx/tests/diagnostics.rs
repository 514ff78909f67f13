//! What people see when a text is wrong, and that nothing whatsoever makes the front end panic.

use sassafras_ptx::{Diagnostics, load};

/// The findings about a text; there must be some.
fn bad(text: &str) -> Diagnostics {
    load(text, "bad.ptx").expect_err("the text is wrong")
}

/// The findings about instructions in an entry with a few declarations.
fn body(lines: &str) -> Diagnostics {
    bad(&format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 g;\n.shared .f32 s[4];\n\
         .extern .func (.param .b32 r) f (.param .b64 a, .param .b32 b);\n\
         .visible .entry k (.param .u64 p)\n{{\n\
         .reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<4>;\n.reg .u32 %u<2>;\n\
         {lines}\nret;\n}}\n"
    ))
}

#[test]
fn header() {
    let texts = [
        "",
        "// nothing\n",
        ".target sm_90\n",
        ".version 8.0\n",
        ".version 8.0\n.visible .entry k() { ret; }\n",
        ".version 99.9\n.target sm_90\n",
        ".version eight\n.target sm_90\n",
        ".version 8.0\n.target sm_22\n",
        ".version 7.0\n.target sm_90\n",
        ".version 8.0\n.target sm_90\n.address_size 32\n",
        ".version 8.0\n.target sm_90\n.frobnicate 1\n",
        ".version 8.0\n.target sm_90\nadd.u32 a, b, c;\n",
    ];
    let shown: Vec<String> =
        texts.iter().map(|t| format!("{t}=> exit {}\n{}", bad(t).exit_code(), bad(t))).collect();
    insta::assert_snapshot!(shown.join("--------\n"));
}

#[test]
fn instructions() {
    insta::assert_snapshot!(body(
        "frobnicate.u32 %r1, %r2;
ad.u32 %r1, %r2, %r3;
add.u33 %r1, %r2, %r3;
add.sat.u32 %r1, %r2, %r3;
mul.u32 %r1, %r2, %r3;
add.u32 %r1, %r2;
add.u32 %r1, %rd2, %r3;
add.f32 %f1, %u1, %f2;
add.u32 %r1, %r2, 1.5;
add.u32 5, %r2, %r3;
add.u32 %r1, %x, %r9;
ld.global.u32 %r1, %rd1;
ld.global.u32 %r1, [s];
ld.global.u32 %r1, [%r2];
ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd3}, [%rd1];
ld.global.v2.u32 {%r1, %r2, %r3}, [%rd1];
st.param.u64 [p], %rd1;
setp.lt.u32 %p1|%r1, %r2, %r3;
@%r1 bra done;
bra nowhere;
bar.sync 16;
mov.u32 %r1, %nosuch;
mov.u32 %r1, %tid;
tanh.approx.bf16 %h1, %h2;
redux.sync.add.u32 %r1, %r2, -1;
call (%r1), f, (%rd1);
call (%r1), f, (%r1, %r2);
call k;
done: done: ret;"
    ));
}

#[test]
fn what_is_not_supported_is_not_wrong() {
    let diagnostics = body(
        "ld.global.unified.u32 %r1, [%rd1];
.reg .bf16x4 %wide;",
    );
    assert_eq!(diagnostics.exit_code(), 4);
    insta::assert_snapshot!(diagnostics);
}

#[test]
fn forms_of_other_versions_and_targets_are_not_wrong() {
    let code = |version: &str, target: &str, line: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.entry k() {{ .reg .pred %p<2>; .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b16 %h<2>; {line} ret; }}"
        );
        bad(&text).exit_code()
    };
    assert_eq!(code("7.0", "sm_70", "shfl.down.b32 %r1, %r2, 1, 31;"), 1);
    assert_eq!(code("8.8", "sm_100", "mma.sync.aligned.m16n8k64.row.col.kind::f8f6f4;"), 1);
    assert_eq!(code("8.8", "sm_90", "add.f32.f16 %f1, %h1, %f2;"), 1);
}

#[test]
fn declarations() {
    insta::assert_snapshot!(bad(".version 8.0
.target sm_90
.address_size 64
.global .align 3 .u32 a;
.global .u32 b[2] = {1, 2, 3};
.global .u32 c = 1.5;
.global .u32 d = {1};
.shared .u32 e = 1;
.global .pred f;
.global .u32 g[-1];
.global .u32 h, h;
.global .u32 i[];
.global .u64 j = nothing;
.global .u32 z = 1 / 0;
.visible .entry k(.reg .u32 a) .maxntid 0 { .reg .u32 x, x; .reg .u32 y<3>; .reg .u32 y1; ret; }
.visible .entry k() { ret; }
.visible .entry l() .maxntid 32 .reqntid 32 { ret; }
.func m(.param .u32 a);
.func m(.param .u64 a) { ret; }
"));
}

#[test]
fn syntax() {
    insta::assert_snapshot!(bad(".version 8.0
.target sm_90
.global .u32 a
.visible .entry k()
{
  .reg .u32 x<4>;
  mov.u32 x0, 0x;
  mov.u32 x1, ;
  add.u32 x0 x1, x2;
  frob.u32 x0;
  mov.u32 x2, ```;
  bra $
  }
"));
}

#[test]
fn records_are_plain_data() {
    let records = body("add.u32 %r1, %r2;").records();
    assert_eq!(records.len(), 1);
    assert_eq!(
        (records[0].code, records[0].severity, records[0].line, records[0].column),
        ("P0304", "error", 15, 1)
    );
}

#[test]
fn warnings_come_with_an_accepted_module() {
    let text = ".version 8.0\n.target sm_90\n.entry k() .maxntid 2048 { ret; }";
    let (module, _) = sassafras_ptx::parse(text, "warn.ptx");
    let (checked, diagnostics) = sassafras_ptx::check::check_with_warnings(&module);
    assert!(checked.is_some());
    assert_eq!(diagnostics.exit_code(), 0);
    assert_eq!(diagnostics.records()[0].severity, "warning");
}

#[test]
fn noise_is_answered_briefly() {
    let mut state = 1u64;
    let mut noise = String::new();
    for _ in 0..1 << 20 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        noise.push(char::from((state >> 57) as u8));
    }
    let diagnostics = bad(&noise);
    assert!(diagnostics.count() > sassafras_ptx::diagnostics::LIMIT);
    assert_eq!(diagnostics.iter().count(), sassafras_ptx::diagnostics::LIMIT);
    assert!(diagnostics.render().len() < 200_000);
    for text in ["(", "{", "[", "-", "!", "a+", "x?", ".entry k{", "{{"] {
        let deep = format!(".version 8.0\n.target sm_90\n.entry k() {{ mov.u32 a, {};", text.repeat(200_000));
        assert!(bad(&deep).render().len() < 200_000);
        assert!(bad(&deep.replace("mov.u32 a, ", "")).render().len() < 200_000);
    }
}

/// A valid text to damage.
const VALID: &str = include_str!("nvcc/lineinfo.ptx");

#[test]
fn nothing_panics() {
    arbtest::arbtest(|u| {
        let bytes: Vec<u8> = u.arbitrary()?;
        let _ = load(&String::from_utf8_lossy(&bytes), "bytes").map_err(|d| d.render());
        Ok(())
    })
    .budget_ms(300);
    let tokens: Vec<&str> = VALID.split_inclusive([' ', ',', ';', '\n', '\t']).collect();
    arbtest::arbtest(|u| {
        let mut damaged = tokens.clone();
        for _ in 0..u.int_in_range(1..=4)? {
            let at = u.choose_index(damaged.len())?;
            match u.int_in_range(0..=3)? {
                0 => drop(damaged.remove(at)),
                1 => damaged.insert(at, u.choose(&tokens)?),
                2 => damaged[at] = u.choose(&tokens)?,
                _ => damaged.truncate(at + 1),
            }
        }
        let text: String = damaged.concat();
        let _ = load(&text, "damaged").map_err(|d| d.render());
        Ok(())
    })
    .budget_ms(700);
}
