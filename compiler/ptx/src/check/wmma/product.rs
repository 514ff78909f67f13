//! `wmma.mma` as products of `mma.sync`.

use super::shape::Shape;
use crate::checked::Type;
use sassafras_semantics::FloatFormat;
use std::fmt::Write;

const F16: Type = Type::F(FloatFormat::F16);
const F32: Type = Type::F(FloatFormat::F32);

/// The `mma.sync` that the parts of a product are.
struct Kind {
    /// Shape and types, with what stands between.
    mnemonic: &'static str,
    /// Registers of the left and the right factor, and of the sum.
    left: usize,
    right: usize,
    sum: usize,
}

fn list(names: &[String]) -> String {
    format!("{{{}}}", names.join(", "))
}

/// Types are those of D and C, with those of A and B between if the mnemonic has them.
pub(super) fn text(
    shape: Shape,
    types: &[Type],
    words: &[&'static str],
    lists: &[Vec<String>],
) -> Option<String> {
    let [d, a, b, c] = lists else { return None };
    let (result, left, right, addend) = match types {
        [d, c] => (*d, F16, F16, *c),
        [d, a, b, c] => (*d, *a, *b, *c),
        _ => return None,
    };
    let mut out = String::from(".reg .b32 $wc<8>, $wd<8>, $wn<2>;\n.reg .b16 $wl, $wh;\n.reg .b64 $we<2>;\n");
    let wide = result == F32 || addend == F32;
    let mut sums: Vec<String> = c.clone();
    // A product takes and gives one type: the narrower one is converted.
    if left == F16 && wide && addend == F16 {
        sums = (0..2 * c.len()).map(|i| format!("$wc{i}")).collect();
        for (name, pair) in c.iter().zip(sums.chunks(2)) {
            writeln!(out, "mov.b32 {{$wl, $wh}}, {name};").ok()?;
            writeln!(out, "cvt.f32.f16 {}, $wl;\ncvt.f32.f16 {}, $wh;", pair.first()?, pair.get(1)?).ok()?;
        }
    }
    let double = left == Type::F(FloatFormat::F64);
    let results: Vec<String> =
        (0..sums.len()).map(|i| format!("{}{i}", if double { "$we" } else { "$wd" })).collect();
    let (a, b) = if shape.transposed() { (b, a) } else { (a, b) };
    let sat = if words.contains(&"satfinite") { ".satfinite" } else { "" };
    let types = format!(
        "{}.{}.{}.{}",
        if wide { "f32" } else { result.name() },
        left.name(),
        right.name(),
        if wide { "f32" } else { addend.name() }
    );
    let row = |mnemonic, left, right, sum| Kind { mnemonic, left, right, sum };
    let kind = match left {
        Type::F(FloatFormat::F16) => row("m16n8k16", 4, 2, if wide { 4 } else { 2 }),
        Type::F(FloatFormat::Bf16) => row("m16n8k16", 4, 2, 4),
        Type::U(8) | Type::S(8) => row("m16n8k16", 2, 1, 4),
        Type::Tf32 | Type::F(FloatFormat::F64) | Type::B(1) | Type::U(4) | Type::S(4) => row("", 0, 0, 0),
        _ => return None,
    };
    match left {
        Type::Tf32 => {
            // Each half of the columns of A with both halves of the columns of B.
            let mut addends: [&[String]; 2] = [sums.get(0..4)?, sums.get(4..8)?];
            for depth in 0..2 {
                for column in 0..2 {
                    let d = &results[4 * column..4 * column + 4];
                    let a = list(a.get(2 * depth..2 * depth + 2)?);
                    let b = list(std::slice::from_ref(b.get(2 * column + depth)?));
                    writeln!(
                        out,
                        "mma.sync.aligned.m16n8k4.row.col.{types} {}, {a}, {b}, {};",
                        list(d),
                        list(addends[column])
                    )
                    .ok()?;
                    addends[column] = d;
                }
            }
        }
        Type::F(FloatFormat::F64) => {
            let rounding = ["rn", "rz", "rm", "rp"].into_iter().find(|r| words.contains(r) && *r != "rn");
            if rounding.is_some() {
                return None;
            }
            let (d, a, b, c) = (list(&results), list(a), list(b), list(&sums));
            writeln!(out, "mma.sync.aligned.m8n8k4.row.col.{types} {d}, {a}, {b}, {c};").ok()?;
        }
        Type::U(4) | Type::S(4) => {
            let (d, a, b, c) = (list(&results), list(a), list(b), list(&sums));
            writeln!(out, "mma.sync.aligned.m8n8k32.row.col{sat}.{types} {d}, {a}, {b}, {c};").ok()?;
        }
        Type::B(1) => {
            let product = "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc";
            let ([a], [b]) = (&a[..], &b[..]) else { return None };
            let (d, c) = (list(&results), list(&sums));
            if words.contains(&"and") {
                writeln!(out, "{product} {d}, {{{a}}}, {{{b}}}, {c};").ok()?;
            } else {
                let product = product.replace("and", "xor");
                writeln!(out, "{product} {d}, {{{a}}}, {{{b}}}, {c};").ok()?;
            }
        }
        _ => {
            let (over, under) = if shape.transposed() { (shape.n, shape.m) } else { (shape.m, shape.n) };
            let (tall, broad) = ((over / 16) as usize, (under / 8) as usize);
            for i in 0..tall {
                for j in 0..broad {
                    let at = kind.sum * (i * broad + j);
                    let (d, c) = (results.get(at..at + kind.sum)?, sums.get(at..at + kind.sum)?);
                    let a = list(a.get(kind.left * i..kind.left * (i + 1))?);
                    let b = list(b.get(kind.right * j..kind.right * (j + 1))?);
                    let shape = kind.mnemonic;
                    writeln!(
                        out,
                        "mma.sync.aligned.{shape}.row.col{sat}.{types} {}, {a}, {b}, {};",
                        list(d),
                        list(c)
                    )
                    .ok()?;
                }
            }
        }
    }
    let mut narrow = Vec::new();
    if left == F16 && wide && result == F16 {
        for pair in results.chunks(2) {
            let [low, high] = pair else { return None };
            writeln!(out, "cvt.rn.f16x2.f32 {low}, {high}, {low};").ok()?;
            narrow.push(low.clone());
        }
    } else {
        narrow = results;
    }
    if narrow.len() != d.len() {
        return None;
    }
    let bits = if double { 64 } else { 32 };
    for (to, from) in d.iter().zip(&narrow) {
        writeln!(out, "mov.b{bits} {to}, {from};").ok()?;
    }
    Some(out)
}
