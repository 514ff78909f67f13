//! Fat binaries, objects, executables, libraries and archives: listed, opened, read; and broken ones.

mod common;

use common::{sassafras, sassafras_with};
use flate2::read::GzDecoder;
use sassafras_container::{self as container, Form, Kind, Packing};
use sassafras_cubin::elf;
use sassafras_oracle::{Tools, skip, workspace_root};
use std::io::Read;
use std::path::Path;
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// The recorded files, and the form of each.
const FILES: [(&str, Form); 9] = [
    ("two.none.fatbin", Form::Fatbin),
    ("two.speed.fatbin", Form::Fatbin),
    ("two.size.fatbin", Form::Fatbin),
    ("two.balance.fatbin", Form::Fatbin),
    ("two.o", Form::Object),
    ("two.dc.o", Form::Object),
    ("two", Form::Executable),
    ("two.so", Form::Shared),
    ("two.a", Form::Archive),
];

fn recorded(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/containers").join(format!("{name}.gz"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    bytes
}

/// A folder with one file in it.
fn folder(name: &str) -> TempDir {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join(name), recorded(name)).expect("the folder is ours");
    folder
}

#[test]
fn every_form_is_opened() {
    for (name, form) in FILES {
        let bytes = recorded(name);
        assert!(container::is_container(&bytes), "{name}");
        let opened = container::open(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(opened.form, form, "{name}");
        let mut kernels = Vec::new();
        let mut ptx = 0;
        for item in &opened.items {
            let contents = item.contents(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(item.suffix, "", "{name}");
            match item.kind {
                Kind::Cubin => {
                    let image = elf::read(&contents).unwrap_or_else(|e| panic!("{name}: {e}"));
                    assert_eq!(image.header.sm(), item.sm, "{name}");
                    let entry = |s: &&elf::Symbol| s.other & 0x10 != 0 && s.section != 0;
                    kernels.extend(image.symbols.iter().filter(entry).map(|s| (item.sm, s.name.clone())));
                }
                Kind::Ptx => {
                    let text = std::str::from_utf8(&contents).expect("PTX is text");
                    assert!(text.trim_start().starts_with(".version 9.0") && text.trim_end().ends_with('}'));
                    assert_eq!((item.sm, item.version), (90, (9, 0)), "{name}");
                    ptx += 1;
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert_eq!(ptx, 1, "{name}");
        kernels.sort();
        let both = |sm: u32| ["_Z3addPiPKi", "_Z5scalePffi"].map(|kernel| (sm, kernel.to_owned()));
        let expected = [both(80), both(90)].concat();
        assert_eq!(kernels, expected, "{name}");
    }
    let packing = |name: &str| -> Vec<Packing> {
        let opened = container::open(&recorded(name)).expect("it opens");
        opened.items.iter().map(|i| i.packing).collect()
    };
    assert_eq!(packing("two.none.fatbin"), [Packing::None; 3]);
    assert_eq!(packing("two.speed.fatbin"), [Packing::None, Packing::None, Packing::Lz4]);
    assert_eq!(packing("two.size.fatbin"), [Packing::Zstd; 3]);
}

#[test]
fn listed_and_read_by_every_command() {
    for (name, form) in FILES {
        let at = folder(name);
        let list = sassafras(at.path(), &["list", name]);
        list.expect(0, form.name()).expect(0, "CUDA 13.0").expect(0, "_Z3addPiPKi _Z5scalePffi");
        let json = sassafras(at.path(), &["list", "--format", "json", name]);
        let json: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
        let items = json["files"][0]["items"].as_array().expect("a list");
        let kernels = |i: &&serde_json::Value| {
            i["kind"] == "cubin" && i["entries"].as_array().is_some_and(|e| e.len() == 2)
        };
        let wanted = items.iter().find(|i| kernels(i) && i["target"] == "sm_90").expect("sm_90 is there");
        let index = wanted["index"].to_string();
        // Two cubins fit, and the message says which there are.
        let vague = sassafras(at.path(), &["disasm", name]);
        vague.expect(2, "sm_80").expect(2, "sm_90").expect(2, "--index");
        let one = sassafras(at.path(), &["disasm", name, "--index", &index]);
        one.expect(0, ".text._Z3addPiPKi").expect(0, "EXIT");
        let other = sassafras(at.path(), &["disasm", name, "--arch", "sm_90", "--entry", "_Z3addPiPKi"]);
        assert_eq!((other.code, &other.out), (0, &one.out), "{name}");
        sassafras(at.path(), &["disasm", name, "--arch", "sm_75"]).expect(2, "no cubin for sm_75");
        sassafras(at.path(), &["roundtrip", name]).expect(0, "0 unequal, 0 unknown");
        sassafras(at.path(), &["check", name, "--arch", "sm_90"])
            .expect(0, "0 unknown; hazards: 0 objections");
        let findings = sassafras(at.path(), &["check", "--format", "json", name]);
        assert!(findings.out.contains("\"schema\":1") && findings.code == 0, "{name}: {}", findings.out);
    }
    let piped = sassafras_with(Path::new("."), &["list", "-"], &recorded("two.o"));
    piped.expect(0, ".nv_fatbin");
}

#[test]
fn a_fatbin_is_proved_against_its_own_ptx() {
    if let Err(reason) = Tools::here().z3() {
        return skip("a_fatbin_is_proved_against_its_own_ptx", &reason);
    }
    let name = "two.size.fatbin";
    let at = folder(name);
    // The solver is looked for from the working folder upwards.
    std::os::unix::fs::symlink(workspace_root().join(".z3"), at.path().join(".z3")).expect("a link");
    let words = ["prove", name, "--entry", "_Z5scalePffi"];
    sassafras(at.path(), &words).expect(14, "_Z5scalePffi: proved").expect(14, "two.size.fatbin[2: sm_90]");
    sassafras(at.path(), &["prove", name, "--arch", "sm_80"]).expect(2, "no cubin that fits has PTX");
}

#[test]
fn called_by_the_names_of_nvidias_readers() {
    let name = "two.size.fatbin";
    let at = folder(name);
    let binary = Path::new(env!("CARGO_BIN_EXE_sassafras"));
    let run = |tool: &str, words: &[&str]| {
        let link = at.path().join(tool);
        if !link.exists() {
            std::os::unix::fs::symlink(binary, &link).expect("a link");
        }
        let out = Command::new(&link).args(words).current_dir(at.path()).output().expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    // What cuobjdump 13.2.51 says of the same file.
    for option in ["sass", "ptx", "res-usage", "lelf", "lptx"] {
        let theirs = String::from_utf8(recorded(&format!("two.{option}.txt"))).expect("text");
        let (code, out, err) = run("cuobjdump", &[&format!("-{option}"), name]);
        let place = out.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert!(out == theirs && code == Some(0), "-{option}: {place:?} {err}");
    }
    let (code, out, _) = run("cuobjdump", &["-xelf", "sm_90", name]);
    assert_eq!((code, out.as_str()), (Some(0), "Extracting ELF file    2: two.size.2.sm_90.cubin\n"));
    let taken = std::fs::read(at.path().join("two.size.2.sm_90.cubin")).expect("it was taken out");
    assert!(elf::read(&taken).is_ok_and(|image| image.header.sm() == 90));
    let (code, hex, err) = run("nvdisasm", &["-ndf", "-c", "-hex", "two.size.2.sm_90.cubin"]);
    assert!(code == Some(0) && hex.contains("/* 0x"), "{err}");
    let index = elf::read(&taken).expect("it reads").symbols.iter().position(|s| s.name == "_Z5scalePffi");
    let index = index.expect("it is there").to_string();
    let (code, one, err) = run("nvdisasm", &["-c", "-fun", &index, "two.size.2.sm_90.cubin"]);
    assert!(code == Some(0) && one.contains("_Z5scalePffi:") && !one.contains("_Z3add"), "{err}");
    // Triton takes a tool whose release it can read.
    for tool in ["nvdisasm", "cuobjdump"] {
        let (code, out, _) = run(tool, &["--version"]);
        assert!(code == Some(0) && out.contains("\nCuda compilation tools, release 13."), "{tool}: {out}");
    }
    let (code, _, err) = run("nvdisasm", &["-nonsense", name]);
    assert_eq!((code, err.as_str()), (Some(1), "nvdisasm fatal   : Unknown option 'nonsense'\n"));
    let (code, _, err) = run("cuobjdump", &["-sass", "nowhere"]);
    assert!(code == Some(1) && err.contains("Could not open input file"), "{err}");
    let (code, _, err) = run("nvdisasm", &["-gp", "two.size.2.sm_90.cubin"]);
    assert!(code == Some(4) && err.contains("not supported yet"), "{err}");
}

/// `asm` reads cuobjdump's text: with the cubin that it came from the same bytes come back.
#[test]
fn cuobjdumps_text_is_assembled() {
    let fatbin = recorded("two.size.fatbin");
    let opened = container::open(&fatbin).expect("it opens");
    let text = String::from_utf8(recorded("two.sass.txt")).expect("text");
    let parts: Vec<&str> = text.split("\nFatbin ").filter(|p| p.contains("code for")).collect();
    let cubins: Vec<_> = opened.items.iter().filter(|i| i.kind == Kind::Cubin).collect();
    assert_eq!((parts.len(), cubins.len()), (2, 2));
    for (part, item) in parts.iter().zip(cubins) {
        let at = tempdir().expect("a folder");
        let cubin = item.contents(&fatbin).expect("it unpacks");
        std::fs::write(at.path().join("in.sass"), format!("\nFatbin {part}")).expect("the folder is ours");
        std::fs::write(at.path().join("in.cubin"), &cubin).expect("the folder is ours");
        let words = ["asm", "in.sass", "--into", "in.cubin", "-o", "out.cubin"];
        sassafras(at.path(), &words).expect(0, "");
        let back = std::fs::read(at.path().join("out.cubin")).expect("it was written");
        assert!(back == *cubin, "{} does not come back", item.target());
    }
}

/// Mutated files never panic, and no header makes anybody take memory for bytes that are not there.
#[test]
fn mutated_containers_are_errors() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut opened, mut refused) = (0, 0);
    for (name, _) in FILES {
        let good = recorded(name);
        // Fat binaries and their entries begin with headers, which matter most.
        let magic = [0x50, 0xed, 0x55, 0xba];
        let heads: Vec<usize> = (0..good.len() - 4).filter(|&i| good[i..i + 4] == magic).collect();
        for round in 0..300 {
            let mut bad = good.clone();
            for _ in 0..=random(3) {
                let at = match round % 3 {
                    0 => random(bad.len()),
                    1 => random(96.min(bad.len())),
                    _ => heads
                        .get(random(heads.len().max(1)))
                        .map_or(0, |h| (h + random(96)).min(bad.len() - 1)),
                };
                bad[at] = [0, 1, 0x7f, 0x80, 0xff, bad[at] ^ 1 << random(8)][random(6)];
            }
            if round % 10 == 9 {
                bad.truncate(random(bad.len()));
            }
            match container::open(&bad) {
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
                Ok(found) => {
                    opened += 1;
                    for item in &found.items {
                        if let Ok(contents) = item.contents(&bad)
                            && item.kind == Kind::Cubin
                        {
                            drop(elf::read(&contents));
                        }
                    }
                }
            }
        }
    }
    println!("{opened} opened, {refused} refused");
    assert!(opened > 300 && refused > 300, "{opened} opened, {refused} refused");
}

/// Sizes that a header invents.
#[test]
fn invented_sizes_are_refused() {
    let good = recorded("two.size.fatbin");
    let set = |at: usize, value: u64| {
        let mut bad = good.clone();
        bad[at..at + 8].copy_from_slice(&value.to_le_bytes());
        bad
    };
    // The size of the whole, of the first payload, and unpacked.
    for (at, part) in [(8, "runs past the end"), (16 + 8, "runs past the end of its fat binary")] {
        for value in [u64::MAX, 1 << 40, good.len() as u64 * 2] {
            let error = container::open(&set(at, value)).expect_err("it does not fit");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
    for value in [u64::MAX, 1 << 31, 1 << 29, 3] {
        let bad = set(16 + 56, value);
        let opened = container::open(&bad).expect("the headers are sound");
        let error = opened.items[0].contents(&bad).expect_err("it is of another size");
        assert!(error.to_string().contains("zstd data"), "{error}");
    }
    let lz4 = recorded("two.speed.fatbin");
    let opened = container::open(&lz4).expect("it opens");
    let item = opened.items.iter().find(|i| i.packing == Packing::Lz4).expect("the PTX is LZ4");
    for size in [1 << 30, item.size + 1, item.size - 1] {
        let wrong = container::Item { size, ..item.clone() };
        assert!(wrong.contents(&lz4).is_err_and(|e| e.to_string().contains("lz4 data")), "{size}");
    }
}

/// nvdisasm's options on `disasm`, as JAX and others pass them.
#[test]
fn nvdisasms_options_are_taken() {
    let at = tempdir().expect("a folder");
    let fatbin = recorded("two.size.fatbin");
    let opened = container::open(&fatbin).expect("it opens");
    let cubin = opened.items[1].contents(&fatbin).expect("it unpacks").into_owned();
    let image = elf::read(&cubin).expect("it reads");
    let index = image.symbols.iter().position(|s| s.name == "_Z5scalePffi").expect("it is there").to_string();
    let code = image.section(".text._Z5scalePffi").map(|i| image.sections[i].bytes().to_vec());
    std::fs::write(at.path().join("in.cubin"), &cubin).expect("the folder is ours");
    std::fs::write(at.path().join("words.bin"), code.expect("it has code")).expect("the folder is ours");
    sassafras(at.path(), &["disasm", "-ndf", "-c", "-hex", "in.cubin"]).expect(0, "/* 0x");
    let one = sassafras(at.path(), &["disasm", "-c", "-fun", &index, "in.cubin"]);
    one.expect(0, "_Z5scalePffi:");
    assert!(!one.out.contains("_Z3add"), "{}", one.out);
    sassafras(at.path(), &["disasm", "-c", "-fun", "nothing", "in.cubin"]).expect(2, "no function");
    sassafras(at.path(), &["disasm", "-b", "SM90", "words.bin"]).expect(0, "EXIT");
}

/// A record of `.nv.info` that nobody knows is printed as bytes, and the exit code tells.
#[test]
fn unknown_records_are_bytes() {
    let at = tempdir().expect("a folder");
    let fatbin = recorded("two.none.fatbin");
    let opened = container::open(&fatbin).expect("it opens");
    let cubin = opened.items[1].contents(&fatbin).expect("it unpacks").into_owned();
    // A parameter's record becomes one of a number that is not given away.
    let place = cubin.windows(4).position(|w| w == [4, 0x17, 12, 0]).expect("there are parameters");
    let mut bad = cubin;
    bad[place + 1] = 0xf0;
    std::fs::write(at.path().join("in.cubin"), bad).expect("the folder is ours");
    let shown = sassafras(at.path(), &["disasm", "--all", "in.cubin"]);
    shown.expect(1, "record 0xf0").expect(1, "//----- nvinfo : <unknown>").expect(1, "EXIT");
}

/// Every section of a cubin of `ptxas -g` (13.0.88, of `corpus/older/axpy.ptx`), as nvdisasm 13.2.51 prints them.
#[test]
fn cubins_for_debugging_are_shown_whole() {
    for chip in ["sm_90", "sm_100"] {
        let at = tempdir().expect("a folder");
        let bytes = recorded(&format!("debug.{chip}.cubin"));
        std::fs::write(at.path().join("in.cubin"), bytes).expect("the folder is ours");
        let theirs = String::from_utf8(recorded(&format!("debug.{chip}.all.txt"))).expect("text");
        let shown = sassafras(at.path(), &["disasm", "--all", "in.cubin"]);
        let place = shown.out.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert!(shown.code == 0 && shown.out == theirs, "{chip}: {place:?} {}", shown.err);
    }
}
