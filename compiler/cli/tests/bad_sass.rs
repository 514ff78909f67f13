//! Texts for `asm` that are wrong: each finding names its line, and no text makes the assembler panic.

mod common;

use common::{cubin, recorded, sassafras};
use sassafras::assembly::{CODES, read};
use sassafras::listing::{Look, chip, listing};
use sassafras_cubin::elf;
use tempfile::tempdir;

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }
}

/// Listings with control bits of one recorded cubin for each chip.
fn texts() -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let mut out = Vec::new();
    for (path, bytes) in recorded() {
        let image = elf::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let chip = chip(&image).expect("a chip of the table");
        let small = (8_000..40_000).contains(&bytes.len());
        let look = Look { control: true, ..Look::default() };
        if let Ok(text) = listing(&image, chip, look)
            && small
            && seen.insert(chip)
        {
            out.push(text.text);
        }
    }
    assert!(out.len() >= 10, "only {} chips", out.len());
    out
}

/// Lines of instructions, by number.
fn instructions(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    lines.filter(|(_, line)| line.contains("] ") && line.ends_with(';')).map(|(i, _)| i).collect()
}

/// A change that leaves no instruction: what it does to a line.
const SPOILED: [(&str, fn(&str) -> String); 7] = [
    ("an unknown mnemonic", |line| line.replacen("] ", "] X", 1)),
    ("an operand too many", |line| {
        format!("{}, R1, R2, R3, R4, R5, R6, R7 ;", line.trim_end_matches([' ', ';']))
    }),
    ("control bits that are none", |line| line.replacen("[B", "[C", 1)),
    ("a barrier that there is not", |line| line.replacen(":R", ":R9", 1)),
    ("a stall of 99 cycles", |line| {
        let at = line.find(":S").expect("control bits");
        format!("{}99{}", &line[..at + 2], &line[at + 4..])
    }),
    ("a guard that is none", |line| line.replacen("] ", "] @R1 ", 1)),
    ("an addition that is none", |line| {
        format!("{} {{frobnicate=0x1}} ;", line.trim_end_matches([' ', ';']))
    }),
];

#[test]
fn a_spoiled_line_is_named() {
    let mut rng = Rng(1);
    let mut tried = 0;
    for text in texts() {
        let lines: Vec<&str> = text.lines().collect();
        let code = instructions(&text);
        for (what, spoil) in SPOILED {
            for _ in 0..6 {
                let at = code[rng.below(code.len())];
                let mut bad: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
                bad[at] = spoil(lines[at]);
                let bad = bad.join("\n") + "\n";
                let found =
                    read(&bad, None).err().unwrap_or_else(|| panic!("{what} is taken:\n{}", lines[at]));
                let line = |span: usize| bad[..span].matches('\n').count();
                let named = found.iter().any(|f| line(f.span.start) == at);
                assert!(named, "{what} in line {}: {found:?}\n{}", at + 1, spoil(lines[at]));
                assert!(found.iter().all(|f| CODES.iter().any(|row| row.0 == f.code)), "{found:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 400, "{tried}");
}

/// Any change at all: taken, or refused with places inside the text.
#[test]
fn no_text_makes_it_panic() {
    const PARTS: [&str; 16] = [
        "R256",
        "0x",
        "-",
        ";",
        "[",
        "]",
        "{",
        "}",
        "`(",
        ".reuse",
        "é",
        "\u{0}",
        "/*",
        "desc[",
        "@!",
        "9223372036854775808",
    ];
    let mut rng = Rng(2);
    let (mut taken, mut refused) = (0, 0);
    for text in texts() {
        let code = instructions(&text);
        let whole: Vec<&str> = text.lines().collect();
        for _ in 0..400 {
            // A line by itself, so that many can be tried.
            let mut line = whole[code[rng.below(code.len())]].to_owned();
            for _ in 0..=rng.below(3) {
                let at = line.floor_char_boundary(rng.below(line.len().max(1)));
                match rng.below(4) {
                    0 => line.truncate(at),
                    1 => line.insert_str(at, PARTS[rng.below(PARTS.len())]),
                    2 if at < line.len() => drop(line.remove(at)),
                    _ => {
                        let other = whole[code[rng.below(code.len())]];
                        let from = other.floor_char_boundary(rng.below(other.len()));
                        line = format!("{}{}", &line[..at], &other[from..]);
                    }
                }
            }
            let small = format!("{}\n{line}\n", whole[0]);
            match read(&small, None) {
                Ok(_) => taken += 1,
                Err(found) => {
                    refused += 1;
                    assert!(!found.is_empty(), "refused without a reason: {small}");
                    for f in &found {
                        let inside = f.span.end <= small.len() && f.span.start <= f.span.end;
                        assert!(inside && !f.message.is_empty(), "{f:?}: {small}");
                    }
                }
            }
        }
    }
    assert!(refused > 2_000 && taken > 20, "{refused} refused, {taken} taken");
}

#[test]
fn the_command_refuses_and_writes_nothing() {
    let folder = tempdir().expect("a folder");
    let noise: Vec<u8> = (0u32..1 << 18).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let inputs: [(&str, &[u8], &str); 6] = [
        ("an empty file", b"", "A0001"),
        ("noise", &noise, "is no text"),
        ("no chip", b"EXIT ;\n", "A0001"),
        ("no code", b"\t.target sm_90\n", "A0007"),
        ("a word that is none", b"\t.target sm_90\nEXIT ;\nFROB R1 ;\n", "in.sass:3:1"),
        ("a label that is none", b"\t.target sm_90\nBRA `(.L_x_9) ;\n", "in.sass:2:"),
    ];
    for (what, bytes, part) in inputs {
        std::fs::write(folder.path().join("in.sass"), bytes).expect("the folder is ours");
        std::fs::write(folder.path().join("x.cubin"), cubin()).expect("the folder is ours");
        for words in [
            &["asm", "in.sass", "-o", "out.bin"][..],
            &["asm", "in.sass", "--into", "x.cubin", "-o", "out.bin"],
        ] {
            let run = sassafras(folder.path(), words);
            run.expect(1, part);
            assert_eq!(run.out, "", "{what}");
            assert!(!folder.path().join("out.bin").exists(), "{what}: something was written");
        }
    }
}
