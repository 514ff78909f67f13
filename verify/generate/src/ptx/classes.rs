//! Classes of registers, and how their bits are shown.

use super::features::Feature;

/// A class of registers that templates name by a letter.
pub(super) struct Class {
    pub letter: char,
    /// What registers are called, with their number from 0 behind.
    pub name: &'static str,
    /// Declared type.
    pub ty: &'static str,
    pub count: usize,
    pub bytes: usize,
    /// The switch that it belongs to.
    pub feature: Option<Feature>,
}

const fn class(
    letter: char,
    name: &'static str,
    ty: &'static str,
    count: usize,
    bytes: usize,
    feature: Option<Feature>,
) -> Class {
    Class { letter, name, ty, count, bytes, feature }
}

/// The register file. Temporaries of templates are no part of it.
pub(super) const CLASSES: [Class; 10] = [
    class('r', "%r", "b32", 8, 4, None),
    class('d', "%rd", "b64", 4, 8, Some(Feature::Wide)),
    class('h', "%rs", "b16", 4, 2, Some(Feature::Narrow)),
    class('f', "%f", "f32", 4, 4, Some(Feature::F32)),
    class('g', "%fd", "f64", 3, 8, Some(Feature::F64)),
    class('x', "%x", "b16", 2, 2, Some(Feature::F16)),
    class('y', "%y", "b32", 2, 4, Some(Feature::Packed)),
    class('z', "%z", "b16", 2, 2, Some(Feature::Bf16)),
    class('w', "%w", "b32", 2, 4, Some(Feature::Bf16)),
    class('p', "%p", "pred", 4, 4, None),
];

/// What brings a register to bits that the PTX ISA does not leave open: in `%t0`, `%tf0`, `%tg0` or `%ts0`.
pub(super) fn exported(letter: char, name: &str) -> Vec<String> {
    let half = |ty: &str, one: &str, from: &str, to: &str| {
        [format!("setp.nan.{ty} %q0, {from}, {from};"), format!("selp.b16 {to}, {one}, {from}, %q0;")]
    };
    // bf16 is compared where it is part of f32: before sm_90 `setp` has no such type.
    let brain = |from: &str, to: &str| {
        [
            format!("mov.b16 %ts2, 0; mov.b32 %tf0, {{%ts2, {from}}}; setp.nan.f32 %q0, %tf0, %tf0;"),
            format!("selp.b16 {to}, 0x3f80, {from}, %q0;"),
        ]
    };
    let pair = |parts: [[String; 2]; 2]| {
        let mut all = vec![format!("mov.b32 {{%ts0, %ts1}}, {name};")];
        all.extend(parts.into_iter().flatten());
        all.push("mov.b32 %t0, {%ts0, %ts1};".into());
        all
    };
    match letter {
        'p' => vec![format!("selp.u32 %t0, 1, 0, {name};")],
        'f' => vec![
            format!("setp.nan.f32 %q0, {name}, {name};"),
            format!("selp.f32 %tf0, 0f3F800000, {name}, %q0;"),
        ],
        'g' => vec![
            format!("setp.nan.f64 %q0, {name}, {name};"),
            format!("selp.f64 %tg0, 0d3FF0000000000000, {name}, %q0;"),
        ],
        'x' => half("f16", "0x3c00", name, "%ts0").to_vec(),
        'z' => brain(name, "%ts0").to_vec(),
        'y' => pair([half("f16", "0x3c00", "%ts0", "%ts0"), half("f16", "0x3c00", "%ts1", "%ts1")]),
        'w' => pair([brain("%ts0", "%ts0"), brain("%ts1", "%ts1")]),
        _ => Vec::new(),
    }
}
