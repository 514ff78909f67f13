//! Products of `mma.sync` that sm_90 has no instruction for: of 4 bits, of bits by exclusive or, and of 8-bit floats. Each
//! becomes products that there are.
//!
//! Source: what ptxas 13.0.88 makes of each alone for sm_90 (black-box). It widens 4 bits to 8, even and odd columns apart, counts
//! the bits that are set in one factor and not in the other, and widens 8-bit floats to binary16; C is added to the sum of both.

use super::Checker;
use super::wmma::names;
use crate::ast::Instruction;
use crate::checked::Type;
use crate::table::matching::Match;
use sassafras_semantics::FloatFormat;
use std::fmt::Write;

/// Registers in braces.
fn list(prefix: &str, count: usize) -> String {
    let all: Vec<String> = (0..count).map(|i| format!("{prefix}{i}")).collect();
    format!("{{{}}}", all.join(", "))
}

impl Checker {
    /// Puts others in the place of a product, if it is one of those.
    pub(super) fn narrow_mma(&mut self, inst: &Instruction, m: &Match) -> bool {
        let Some(lists) = inst.operands.iter().map(names).collect::<Option<Vec<_>>>() else { return false };
        let Some(text) = text(&m.types, &m.words, &lists) else { return false };
        self.replace(inst, &text);
        true
    }
}

/// The statements; none if the product is one of sm_90's own.
fn text(types: &[Type], words: &[&str], lists: &[Vec<String>]) -> Option<String> {
    let ([_, left, right, _], [d, a, b, c]) = (types, lists) else { return None };
    let shape = words.iter().find(|w| w.starts_with('m') && w.contains('n'))?;
    let mut out = format!(
        ".reg .b32 $c<4>, $x<4>, $y<4>, $t;\n.reg .b16 $l, $h;\n.reg .b32 $al<{0}>, $ah<{0}>, $bl<{1}>, $bh<{1}>;\n",
        a.len(),
        b.len()
    );
    let sides = [("$a", a, *left), ("$b", b, *right)];
    let bits = |ty: Type| matches!(ty, Type::U(4) | Type::S(4));
    let float = |ty: Type| matches!(ty, Type::F(f) if f.is_fp8());
    let (mnemonic, crossed) = match (left, right) {
        (Type::B(1), Type::B(1)) if words.contains(&"xor") => {
            for (side, factor, _) in sides {
                for (i, name) in factor.iter().enumerate() {
                    writeln!(out, "mov.b32 {side}l{i}, {name};\nnot.b32 {side}h{i}, {name};").ok()?;
                }
            }
            (format!("{shape}.row.col.s32.b1.b1.s32.and.popc"), true)
        }
        (l, r) if bits(*l) && bits(*r) => {
            let inner = match *shape {
                "m8n8k32" => "m8n8k16",
                "m16n8k32" => "m16n8k16",
                _ => "m16n8k32",
            };
            for (side, factor, ty) in sides {
                for (i, name) in factor.iter().enumerate() {
                    writeln!(out, "and.b32 {side}l{i}, {name}, 0x0f0f0f0f;").ok()?;
                    writeln!(
                        out,
                        "and.b32 {side}h{i}, {name}, 0xf0f0f0f0;\nshr.u32 {side}h{i}, {side}h{i}, 4;"
                    )
                    .ok()?;
                    if ty.signed() {
                        // The sign of each fourth bit into those above it.
                        for part in ["l", "h"] {
                            writeln!(
                                out,
                                "and.b32 $t, {side}{part}{i}, 0x08080808;\nmul.lo.u32 $t, $t, 0x1e;"
                            )
                            .ok()?;
                            writeln!(out, "or.b32 {side}{part}{i}, {side}{part}{i}, $t;").ok()?;
                        }
                    }
                }
            }
            let byte = |ty: &Type| if ty.signed() { "s8" } else { "u8" };
            (format!("{inner}.row.col.s32.{}.{}.s32", byte(l), byte(r)), false)
        }
        (l, r) if float(*l) && float(*r) => {
            for (side, factor, ty) in sides {
                let Type::F(format) = ty else { return None };
                let name = if format == FloatFormat::E4m3 { "e4m3x2" } else { "e5m2x2" };
                for (i, register) in factor.iter().enumerate() {
                    writeln!(out, "mov.b32 {{$l, $h}}, {register};").ok()?;
                    writeln!(out, "cvt.rn.f16x2.{name} {side}l{i}, $l;\ncvt.rn.f16x2.{name} {side}h{i}, $h;")
                        .ok()?;
                }
            }
            ("m16n8k16.row.col.f32.f16.f16.f32".to_owned(), false)
        }
        _ => return None,
    };
    let count = d.len();
    for i in 0..count {
        writeln!(out, "mov.b32 $c{i}, 0;").ok()?;
    }
    let (other, first) = if crossed { ("h", "l") } else { ("l", "l") };
    let (la, lb) = (list(&format!("$a{first}"), a.len()), list(&format!("$b{other}"), b.len()));
    let other = if crossed { "l" } else { "h" };
    let (ha, hb) = (list("$ah", a.len()), list(&format!("$b{other}"), b.len()));
    let (x, y, zero) = (list("$x", count), list("$y", count), list("$c", count));
    writeln!(out, "mma.sync.aligned.{mnemonic} {x}, {la}, {lb}, {zero};").ok()?;
    let chained = float(*left);
    let before = if chained { &x } else { &zero };
    writeln!(out, "mma.sync.aligned.{mnemonic} {y}, {ha}, {hb}, {before};").ok()?;
    for i in 0..count {
        if chained {
            writeln!(out, "add.f32 $y{i}, {}, $y{i};", c.get(i)?).ok()?;
            continue;
        }
        let sat = if words.contains(&"satfinite") { ".sat" } else { "" };
        writeln!(out, "add.s32 $y{i}, $x{i}, $y{i};\nadd{sat}.s32 $y{i}, {}, $y{i};", c.get(i)?).ok()?;
    }
    for (i, name) in d.iter().enumerate() {
        writeln!(out, "mov.b32 {name}, $y{i};").ok()?;
    }
    Some(out)
}
