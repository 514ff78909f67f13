//! Short twins of the fuzz targets: a second each of random input.

use sassafras_generate::{accepted, codec, encode, parser, reduction};

const MILLISECONDS: u64 = 1000;

#[test]
fn codec_twin() {
    arbtest::arbtest(|u| {
        codec(u.arbitrary()?);
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

/// Bits of real words flipped: most random words have no known opcode.
#[test]
fn codec_twin_near_real_words() {
    let seeds = sassafras_isa::forms().len() as u64;
    arbtest::arbtest(|u| {
        let form = sassafras_isa::FormId(u.int_in_range(0..=seeds - 1)? as u16);
        let inst = sassafras_isa::Inst::new(form);
        if let Ok(word) = sassafras_isa::encode(&inst, sassafras_isa::Chip::Sm90) {
            let flip = 1u128 << u.int_in_range(0..=127)? | 1u128 << u.int_in_range(0..=127)?;
            codec((word ^ flip).to_le_bytes());
        }
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

#[test]
fn parser_twin() {
    arbtest::arbtest(|u| {
        parser(u.bytes(u.len())?);
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

/// Pieces of PTX in any order: noise rarely gets past the first directive.
#[test]
fn parser_twin_near_real_text() {
    const PIECES: &[&str] = &[
        ".version 8.0\n",
        ".target sm_90\n",
        ".address_size 64\n",
        ".visible .entry k(.param .u64 p)\n{\n",
        "}\n",
        ".reg .b32 %r<4>;\n",
        "add.s32 %r1, %r2, 3;\n",
        "@%p1 bra L;\n",
        "L:\n",
        "ret;\n",
        "ld.global.u32 %r1, [%r2+4];\n",
        ".shared .align 4 .b8 s[16];\n",
        "// a comment\n",
        "/*",
        "*/",
        "{",
        "%r1",
        ",",
        ";",
        "0f3f800000",
        "1.5e3",
    ];
    arbtest::arbtest(|u| {
        let mut text = String::new();
        while !u.is_empty() && text.len() < 4096 {
            text.push_str(u.choose(PIECES)?);
        }
        parser(text.as_bytes());
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

#[test]
fn accepted_twin() {
    arbtest::arbtest(accepted).size_min(64).size_max(4096).budget_ms(MILLISECONDS);
}

#[test]
fn reduction_twin() {
    arbtest::arbtest(reduction).size_min(64).size_max(512).budget_ms(MILLISECONDS);
}

#[test]
fn encode_twin() {
    arbtest::arbtest(encode).budget_ms(MILLISECONDS);
}
