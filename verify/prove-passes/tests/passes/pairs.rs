//! Functions as text, and lines of theirs that a pass changes.

use sassafras_ir::Function;

/// Two parameters, arithmetic and memory, no branch.
pub const STRAIGHT: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:32 = sub v1, v2
  v4:32 = const.0x7
  v5:32 = add v3, v4
  v6:32 = load.global:u4x1:weak:cta:+0 v0
  store.global:u4x1:weak:cta:+0 v0, v5
  store.global:u4x1:weak:cta:+4 v0, v6
  v7:32 = load.global:u4x1:weak:cta:+4 v0
  store.global:u4x1:weak:cta:+8 v0, v7
  store.global:u4x1:weak:cta:+8 v0, v1
  exit
end
"#;

/// A branch whose sides meet with a value each, and one that stores.
pub const BRANCH: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:1 = compare.ult v1, v2
  branch v3, bb1(), bb2()
bb1():
  jump bb3(v1, v2)
bb2():
  jump bb3(v2, v1)
bb3(v4:32, v5:32):
  store.global:u4x1:weak:cta:+0 v0, v4
  v6:1 = compare.eq v5, v1
  branch v6, bb4(), bb5()
bb4():
  v8:32 = load.global:u4x1:weak:cta:+64 v0
  store.global:u4x1:weak:cta:+4 v0, v8
  jump bb5()
bb5():
  @!v6 store.global:u4x1:weak:cta:+8 v0, v1
  v9:32 = const.0x9
  v10:1 = compare.eq v1, v9
  branch v10, bb6(), bb7()
bb6():
  trap
bb7():
  exit
end
"#;

/// Loads under guards: one that keeps a number, and one that keeps what the other loaded.
pub const GUARDS: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:1 = compare.ult v1, v2
  v4:32 = const.0x9
  @v3 v5:32 = load.global:u4x1:weak:cta:+4 v0, v4
  store.global:u4x1:weak:cta:+0 v0, v5
  @!v3 v6:32 = load.global:u4x1:weak:cta:+8 v0, v5
  store.global:u4x1:weak:cta:+16 v0, v6
  exit
end
"#;

/// `GUARDS` with branches.
pub const UNGUARDED: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:1 = compare.ult v1, v2
  v4:32 = const.0x9
  branch v3, bb1(), bb2(v4)
bb1():
  v5:32 = load.global:u4x1:weak:cta:+4 v0
  jump bb2(v5)
bb2(v15:32):
  store.global:u4x1:weak:cta:+0 v0, v15
  branch v3, bb4(v15), bb3()
bb3():
  v6:32 = load.global:u4x1:weak:cta:+8 v0
  jump bb4(v6)
bb4(v16:32):
  store.global:u4x1:weak:cta:+16 v0, v16
  exit
end
"#;

/// A load whose result is used under its guard alone: what it is without is open.
pub const OPEN: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:1 = compare.ult v1, v2
  v7:32 = undef
  @v3 v8:32 = load.global:u4x1:weak:cta:+12 v0, v7
  v9:32 = add v8, v1
  @v3 store.global:u4x1:weak:cta:+20 v0, v9
  exit
end
"#;

/// `OPEN` with a branch.
pub const CLOSED: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:1 = compare.ult v1, v2
  branch v3, bb1(), bb2()
bb1():
  v8:32 = load.global:u4x1:weak:cta:+12 v0
  v9:32 = add v8, v1
  store.global:u4x1:weak:cta:+20 v0, v9
  jump bb2()
bb2():
  exit
end
"#;

/// What other lanes see and answer.
pub const LANES: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = special.tid:x
  v3:32 = const.0x0
  v4:1 = const.0x1
  v5:32 = const.0x4
  v6:32 = mul v2, v5
  store.shared:u4x1:weak:cta:+0 v6, v1
  barrier.sync.aligned v3, v3, v4
  v7:32 = load.shared:u4x1:weak:cta:+4 v6
  v8:1 = compare.ult v2, v1
  branch v8, bb1(), bb2()
bb1():
  v9:32 = const.0xffffffff
  v10:32 = const.0x1f
  v11:32 = const.0x1
  v12:32, v13:1 = shuffle.bfly v7, v11, v10, v9
  v14:32, v15:1 = vote.any v13, v9
  jump bb3(v12)
bb2():
  jump bb3(v7)
bb3(v16:32):
  v17:32 = atomic.add.global:u4x1:relaxed:gpu:+0 v0, v16
  fence.acq_rel.gpu
  store.global:u4x1:relaxed:gpu:+8 v0, v17
  v18:32 = load.global:u4x1:volatile:sys:+12 v0
  store.global:u4x1:weak:cta:+16 v0, v18
  exit
end
"#;

/// Undefined bits.
pub const UNDEFINED: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = undef
  store.global:u4x1:weak:cta:+0 v0, v2
  store.global:u4x1:weak:cta:+4 v0, v2
  v3:32 = param.12.4.u
  v4:32 = div.u v1, v3
  store.global:u4x1:weak:cta:+8 v0, v4
  store.global:u4x1:weak:cta:+12 v0, v1
  exit
end
"#;

/// A quotient whose divisor is not zero.
pub const QUOTIENT: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:32 = const.0x1
  v4:32 = or v2, v3
  v5:32 = div.u v1, v4
  store.global:u4x1:weak:cta:+0 v0, v5
  exit
end
"#;

/// A sum over an array that is changed on the way.
pub const LOOP: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:32 = const.0x0
  v4:32 = const.0x1
  v5:32 = const.0x4
  v30:64 = const.0x10
  v31:64 = add v0, v30
  jump bb1(v3, v2, v3)
bb1(v6:32, v7:32, v8:32):
  v9:64 = mulwide.u v6, v5
  v10:64 = add v31, v9
  v11:32 = load.global:u4x1:weak:cta:+0 v10
  v12:32 = add v7, v11
  store.global:u4x1:weak:cta:+0 v10, v12
  v13:32 = load.global:u4x1:weak:cta:+0 v0
  v14:32 = add v12, v13
  v15:32 = sub v8, v6
  v16:32 = add v6, v4
  v17:1 = compare.ult v16, v1
  branch v17, bb1(v16, v14, v15), bb2()
bb2():
  store.global:u4x1:weak:cta:+4 v0, v14
  store.global:u4x1:weak:cta:+8 v0, v15
  exit
end
"#;

/// A loop that computes what is the same on every trip, entered from two places and perhaps not at all.
pub const INVARIANT: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = param.12.4.u
  v3:32 = const.0x0
  v4:32 = const.0x1
  v5:1 = compare.ult v2, v1
  branch v5, bb1(v3, v2), bb2()
bb1(v6:32, v7:32):
  v8:32 = mul v1, v2
  v9:32 = xor v8, v1
  v10:32 = sub v9, v6
  v11:32 = load.global:u4x1:weak:cta:+0 v0
  v12:32 = add v7, v11
  store.global:u4x1:weak:cta:+0 v0, v12
  v13:32 = atomic.add.global:u4x1:relaxed:gpu:+4 v0, v10
  v14:32 = add v12, v9
  v16:32 = add v6, v4
  v17:1 = compare.ult v16, v1
  branch v17, bb1(v16, v14), bb3(v14)
bb2():
  store.global:u4x1:weak:cta:+12 v0, v1
  v30:1 = compare.eq v2, v1
  branch v30, bb3(v1), bb1(v4, v1)
bb3(v18:32):
  store.global:u4x1:weak:cta:+8 v0, v18
  exit
end
"#;

/// What [`INVARIANT`] becomes if both move out of the loop, to a block of their own.
pub const HOISTED: &[(&str, &str)] = &[
    ("  v8:32 = mul v1, v2\n  v9:32 = xor v8, v1\n", ""),
    ("branch v5, bb1(v3, v2), bb2()", "branch v5, bb4(v3, v2), bb2()"),
    ("branch v30, bb3(v1), bb1(v4, v1)", "branch v30, bb3(v1), bb4(v4, v1)"),
    (
        "  exit\n",
        "  exit\nbb4(v20:32, v21:32):\n  v8:32 = mul v1, v2\n  v9:32 = xor v8, v1\n  jump bb1(v20, v21)\n",
    ),
];

/// A counter in memory.
pub const COUNTER: &str = r#"
function "k" param_size=16 params=0:8:8,8:4:4,12:4:4 entry=bb0
bb0():
  v0:64 = param.0.8.u
  v1:32 = param.8.4.u
  v2:32 = const.0x0
  v3:32 = const.0x1
  jump bb1(v2)
bb1(v4:32):
  v5:32 = load.global:u4x1:weak:cta:+0 v0
  v6:32 = add v5, v3
  store.global:u4x1:weak:cta:+0 v0, v6
  v7:32 = add v4, v3
  v8:1 = compare.ult v7, v1
  branch v8, bb1(v7), bb2()
bb2():
  exit
end
"#;

/// A function of the text.
pub fn function(text: &str) -> Function {
    let whole = format!("sassafras ir 1 phase=test\n{}", text.trim_start());
    let (module, _) = sassafras_ir::text::parse(&whole).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module.functions.into_iter().next().expect("a function")
}

/// A text with some lines changed: each of the pairs once.
pub fn changed(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "`{from}` is there once:\n{text}");
        text.replacen(from, to, 1)
    })
}
