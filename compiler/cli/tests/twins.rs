//! Short twins of the fuzz targets of this crate: a second each of random input.

mod common;

use sassafras::checks::{code, cubin, text};
use sassafras_isa::Chip;

const MILLISECONDS: u64 = 1000;

/// A sound cubin with some bytes changed.
#[test]
fn cubin_twin() {
    let seeds: Vec<Vec<u8>> = common::recorded().into_iter().step_by(40).map(|(_, b)| b).collect();
    arbtest::arbtest(|u| {
        let mut bytes = u.choose(&seeds)?.clone();
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(bytes.len())?;
            bytes[at] = u.arbitrary()?;
        }
        cubin(&bytes);
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

/// Words of ptxas, some with bits flipped.
#[test]
fn code_twin() {
    let seeds = common::recorded_words(Chip::Sm90);
    arbtest::arbtest(|u| {
        let mut words = Vec::new();
        for _ in 0..u.int_in_range(1..=30)? {
            let mut word = *u.choose(&seeds)?;
            if u.ratio(1, 4)? {
                word ^= 1 << u.int_in_range(0..=127)?;
            }
            words.push(word);
        }
        code(&words, Chip::Sm90);
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}

/// Pieces of a listing in any order.
#[test]
fn text_twin() {
    const PIECES: &[&str] = &[
        ".target sm_90\n",
        ".section .text.k,\"ax\",@progbits\n",
        ".L_x_0:\n",
        "k:",
        "/*0010*/ ",
        "/*",
        "*/",
        "// x\n",
        "[B------:R-:W-:-:S01] ",
        "[B0-----:R1:W2:Y:S15] ",
        "IADD3 R1, R2, R3, RZ ;\n",
        "BRA `(.L_x_0) ;\n",
        "BRA 0x10;",
        "@P0 ",
        "@!UP1 ",
        "MOV R1, 0x5 ;\n",
        "LDG.E R2, desc[UR4][R2.64+0x8] ;\n",
        "FADD R1, R2, -QNAN ;\n",
        " {t=0x10}",
        ".quad 0x0, 0x1 ;\n",
        "EXIT ;\n",
        "`(",
        ")",
        "[",
        "]",
        ",",
        ";",
        "\n",
        "0x",
        "R256",
        "é",
    ];
    arbtest::arbtest(|u| {
        let mut all = String::new();
        while !u.is_empty() && all.len() < 4096 {
            all.push_str(u.choose(PIECES)?);
        }
        text(all.as_bytes());
        Ok(())
    })
    .budget_ms(MILLISECONDS);
}
