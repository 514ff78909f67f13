//! Cubins that are none: a clear message, the right exit code, no output.

mod common;

use common::{cubin, sassafras};
use tempfile::tempdir;

const COMMANDS: [&str; 2] = ["disasm", "roundtrip"];

#[test]
fn empty_cut_and_noise() {
    let folder = tempdir().expect("a folder");
    let good = cubin();
    let noise: Vec<u8> = (0u32..1 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let inputs: [(&[u8], &str); 5] = [
        (&[], "the file is empty"),
        (&noise, "ELF magic number"),
        (&good[..40], "ends inside the ELF header"),
        (&good[..good.len() / 2], "section headers"),
        (&good[..good.len() - 1], "program headers"),
    ];
    for (bytes, part) in inputs {
        std::fs::write(folder.path().join("in.cubin"), bytes).expect("the folder is ours");
        for command in COMMANDS {
            sassafras(folder.path(), &[command, "in.cubin"]).expect(1, part).expect(1, "in.cubin");
        }
    }
    sassafras(folder.path(), &["disasm", "nowhere.cubin"]).expect(1, "`nowhere.cubin` cannot be read");
    sassafras(folder.path(), &["disasm", "."]).expect(1, "cannot be read");
}

#[test]
fn every_header_field() {
    let folder = tempdir().expect("a folder");
    let good = cubin();
    let fields =
        [0, 4, 5, 6, 7, 8, 9, 0x10, 0x12, 0x14, 0x18, 0x20, 0x28, 0x30, 0x34, 0x36, 0x38, 0x3a, 0x3c, 0x3e];
    for at in fields {
        let mut bad = good.clone();
        bad[at] ^= 0x41;
        std::fs::write(folder.path().join("in.cubin"), bad).expect("the folder is ours");
        let part = if at == 0 { "magic" } else { "offset 0x" };
        sassafras(folder.path(), &["disasm", "in.cubin"]).expect(1, part).expect(1, "C0005");
    }
}

#[test]

fn unknown_words_spoil_their_line_only() {
    let folder = tempdir().expect("a folder");
    let good = sassafras_cubin::read(&cubin()).expect("it is sound");
    let mut bad = good.clone();
    bad.functions[0].code[0] = 0x1ff;
    let bytes = sassafras_emit::write(&bad).expect("it fits");
    std::fs::write(folder.path().join("in.cubin"), bytes).expect("the folder is ours");
    // The word spoils its line; the listing goes on, and the exit code tells.
    let plain = sassafras(folder.path(), &["disasm", "in.cubin"]);
    plain.expect(1, ".text.k at 0x0000").expect(1, "1 word has no form");
    plain.expect(1, "/*0000*/                   .quad 0x00000000000001ff, ").expect(1, "/*0070*/");
    let lenient = sassafras(folder.path(), &["disasm", "--lenient", "in.cubin"]);
    assert_eq!((lenient.code, &lenient.out), (1, &plain.out));
    for mode in ["-cfg", "-bbcfg", "-plr", "-json", "-hex"] {
        let shown = sassafras(folder.path(), &["disasm", mode, "in.cubin"]);
        let quad = if mode.contains("cfg") { ".quad\\ 0x" } else { ".quad" };
        shown.expect(1, "1 word has no form").expect(1, quad);
    }
    sassafras(folder.path(), &["roundtrip", "in.cubin"]).expect(12, "8 words, 7 equal, 0 unequal, 1 unknown");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.cubin"), cubin()).expect("the folder is ours");
    for option in ["-json", "-cfg", "-bbcfg", "-plr", "--all"] {
        sassafras(folder.path(), &["disasm", option, "in.cubin"]).expect(0, "k");
    }
    for [a, b] in [["-json", "-plr"], ["-cfg", "-plr"], ["-cfg", "-bbcfg"], ["--control", "-json"]] {
        sassafras(folder.path(), &["disasm", a, b, "in.cubin"]).expect(2, "cannot be used with");
    }
    sassafras(folder.path(), &["disasm", "--nonsense", "in.cubin"]).expect(2, "--nonsense");
    sassafras(folder.path(), &["nonsense"]).expect(2, "nonsense");
    sassafras(folder.path(), &["disasm", "--raw", "SM42", "in.cubin"]).expect(2, "`SM42` is no known chip");
}

#[test]

fn good_cubins_pass() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.cubin"), cubin()).expect("the folder is ours");
    sassafras(folder.path(), &["roundtrip", "in.cubin"]).expect(0, "8 words, 8 equal, 0 unequal, 0 unknown");
    let listing = sassafras(folder.path(), &["disasm", "in.cubin"]);
    listing.expect(0, ".L_x_0:\n        /*0010*/                   BRA `(.L_x_0);\n");
    let json = sassafras(folder.path(), &["roundtrip", "in.cubin", "--format", "json"]);
    json.expect(0, "\"schema\":1");
    let piped = common::sassafras_with(folder.path(), &["disasm", "-"], &cubin());
    assert_eq!(piped.out, listing.out);
}
