//! Attributes of matrix operations.

use super::value::Attribute;
use sassafras_ir::Op;
use sassafras_semantics::Opaque;
use sassafras_semantics::matrix::Element;

/// As the rows name elements in conditions.
const fn element(element: Element) -> &'static str {
    match element {
        Element::F16 => "f16",
        Element::Bf16 => "bf16",
        Element::Tf32 => "tf32",
        Element::E4m3 => "e4m3",
        Element::E5m2 => "e5m2",
        Element::F32 => "f32",
        Element::F64 => "f64",
        Element::S32 => "s32",
        Element::U8 => "u8",
        Element::S8 => "s8",
        Element::U4 => "u4",
        Element::S4 => "s4",
        Element::B1 => "b1",
    }
}

/// The shapes that have a form.
fn shape(m: u32, n: u32, k: u32) -> Option<&'static str> {
    Some(match (m, n, k) {
        (8, 8, 4) => "m8n8k4",
        (8, 8, 16) => "m8n8k16",
        (8, 8, 128) => "m8n8k128",
        (16, 8, 4) => "m16n8k4",
        (16, 8, 8) => "m16n8k8",
        (16, 8, 16) => "m16n8k16",
        (16, 8, 32) => "m16n8k32",
        (16, 8, 128) => "m16n8k128",
        (16, 8, 256) => "m16n8k256",
        _ => return None,
    })
}

/// Of a sparse product: the factors' types as IMMA writes them, and which lanes hold the metadata.
pub(super) fn sparse(op: Opaque, name: &str) -> Option<Attribute> {
    let words: Vec<&str> = op.name().split('.').collect();
    let [_, _, _, a, b, .., selector] = words[..] else { return None };
    Some(match name {
        "factor" => Attribute::Text(if a == "s8" { ".S8" } else { ".U8" }),
        "second" => Attribute::Text(if b == "s8" { "S8" } else { "U8" }),
        _ => Attribute::Number(selector.strip_prefix('s')?.parse().ok()?),
    })
}

/// `shape`, `a`, `d`, `saturate`, and the factors' types as IMMA writes them; `count` and `order` of moves.
pub(super) fn attribute(op: &Op, name: &str) -> Option<Attribute> {
    use Attribute::{Flag, Text};
    Some(match (op, name) {
        (Op::Mma(m), "shape") => Text(shape(m.m, m.n, m.k)?),
        (Op::Mma(m), "a") => Text(element(m.a)),
        (Op::Mma(m), "d") => Text(element(m.d)),
        (Op::Mma(m), "saturate") => Flag(m.saturate),
        (Op::Mma(m), "factor") => Text(if m.a == Element::S8 { ".S8" } else { ".U8" }),
        (Op::Mma(m), "second") => Text(if m.b == Element::S8 { "S8" } else { "U8" }),
        (Op::MatrixLoad(m) | Op::MatrixStore(m), "count") => Text(match m.count {
            1 => "",
            2 => ".2",
            _ => ".4",
        }),
        (Op::MatrixLoad(m) | Op::MatrixStore(m), "order") => Text(if m.transpose { ".MT88" } else { ".M88" }),
        _ => return None,
    })
}
