//! Cubins of CUDA 11 and 12, which have another ELF header, are read like those of 13.

mod common;

use common::sassafras;
use sassafras::listing::{Look, Mode, chip, listing};
use sassafras_cubin::elf::{self, Abi};
use sassafras_cubin::{Error, read};
use sassafras_emit::{exact, write};
use sassafras_isa::{decode, encode};
use sassafras_oracle::{Tools, skip, table, workspace_root};
use sassafras_reference::traces;
use tempfile::tempdir;

const CHIPS: [&str; 3] = ["sm_75", "sm_80", "sm_90"];

/// Every recorded cubin: version, chip, name, bytes, nvdisasm's text.
fn recorded() -> Vec<(&'static str, &'static str, String, Vec<u8>, String)> {
    let root = workspace_root();
    let mut all = Vec::new();
    for version in table::CUDA_OLDER {
        for chip in CHIPS {
            for name in traces::older_names(&root) {
                let (bytes, text) = traces::older(&root, version, chip, &name)
                    .unwrap_or_else(|| panic!("{version} {chip} {name} is not recorded"));
                all.push((version, chip, name, bytes, text));
            }
        }
    }
    assert!(all.len() >= 12 * 9, "a dozen kernels, three versions, three chips: {}", all.len());
    all
}

/// Listings are nvdisasm's to the byte; words and files come back; the model says chip and toolkit.
#[test]
fn older_cubins_are_read() {
    for (version, sm, name, bytes, theirs) in recorded() {
        let what = format!("{version} {sm} {name}");
        let image = elf::read(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(image.header.abi, Abi::V7, "{what}");
        let chip = chip(&image).expect("a chip of the table");
        assert_eq!(chip.to_string(), sm, "{what}");
        let ours = listing(&image, chip, Look::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let place = ours.text.lines().zip(theirs.lines()).find(|(a, b)| a != b);
        assert!(ours.text == theirs, "{what}: {place:#?}");
        let file = exact::read(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(exact::write(&file).is_ok_and(|again| again == bytes), "{what} does not come back");
        let cubin = read(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let (major, minor) = version.split_once('.').expect("a version");
        let minor = minor.split('.').next().expect("a part");
        assert_eq!(cubin.producer.toolkit.to_string(), format!("{major}{minor}"), "{what}");
        assert_eq!((cubin.producer.virtual_sm, cubin.producer.tool.as_str()), (75, ""), "{what}");
        let entry = cubin.functions.iter().find(|f| f.name == name).expect("the entry is there");
        assert!(entry.entry && !entry.params.is_empty() && entry.registers > 0, "{what}");
        for word in cubin.functions.iter().flat_map(|f| &f.code) {
            let inst = decode(*word, chip).unwrap_or_else(|e| panic!("{what}: {word:#034x}: {e}"));
            assert_eq!(encode(&inst, chip).ok(), Some(*word), "{what}: {word:#034x}");
        }
        // What is written is of CUDA 13 only, and says so.
        assert!(matches!(write(&cubin), Err(Error::Unsupported { .. })), "{what}");
    }
}

/// The modes that say something of the header, against the tool; and the commands.
#[test]
fn older_cubins_in_every_mode() {
    let nvdisasm = match Tools::here().nvdisasm() {
        Ok(tool) => tool,
        Err(reason) => return skip("older_cubins_in_every_mode", &reason),
    };
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    let modes: [(&[&str], Look); 2] = [
        (&["-c", "-json"], Look { mode: Mode::Json, ..Look::default() }),
        (&["-c", "-hex"], Look { hex: true, ..Look::default() }),
    ];
    for (version, sm, name, bytes, _) in recorded().into_iter().step_by(7) {
        std::fs::write(&path, &bytes).expect("the folder is ours");
        let image = elf::read(&bytes).expect("it reads");
        for (options, look) in modes {
            let theirs = nvdisasm.run(&path, options).expect("nvdisasm runs");
            let ours = listing(&image, chip(&image).expect("a chip"), look).expect("it lists").text;
            // The JSON names its producer, which is not the same.
            let nameless = |text: &str| {
                let (before, after) = text.split_once("\"Producer\":\"").unwrap_or((text, "\""));
                format!("{before}{}", after.split_once('"').map_or("", |(_, rest)| rest))
            };
            assert_eq!(nameless(&ours), nameless(&theirs.stdout), "{version} {sm} {name} {options:?}");
        }
        sassafras(folder.path(), &["roundtrip", "in.cubin"]).expect(0, "0 unequal, 0 unknown");
    }
}

/// What a user does: a cubin of CUDA 12 held against its PTX.
#[test]
fn an_older_cubin_is_proved() {
    let root = workspace_root();
    let tools = Tools::here();
    if let Err(reason) = tools.z3() {
        return skip("an_older_cubin_is_proved", &reason);
    }
    let folder = tempdir().expect("a folder");
    // The solver is looked for from the working folder upwards.
    std::os::unix::fs::symlink(root.join(".z3"), folder.path().join(".z3")).expect("a link");
    let source = root.join("corpus/older/axpy.ptx");
    for version in table::CUDA_OLDER {
        let (bytes, _) = traces::older(&root, version, "sm_90", "axpy").expect("it is recorded");
        std::fs::write(folder.path().join("in.cubin"), bytes).expect("the folder is ours");
        let source = source.to_str().expect("a path of text");
        sassafras(folder.path(), &["prove", source, "--against", "in.cubin"]).expect(14, "axpy: proved");
        sassafras(folder.path(), &["check", "in.cubin"]).expect(0, "0 unknown; hazards: 0 objections");
    }
}

/// Flags that no compiler writes are malformed; a chip without a table is valid and not supported.
#[test]
fn flags_are_checked() {
    let root = workspace_root();
    let (good, _) = traces::older(&root, "12.9.86", "sm_90", "axpy").expect("it is recorded");
    for (flags, unsupported) in [
        (0x0032_0532u32, true),
        (0x0046_0546, true),
        (0x004b_055b, false),
        (0x004b_015a, false),
        (0x014b_055a, false),
        (0x004b_155a, false),
    ] {
        let mut bytes = good.clone();
        bytes[0x30..0x34].copy_from_slice(&flags.to_le_bytes());
        let error = elf::read(&bytes).expect_err("these are not sm_90's");
        assert_eq!(matches!(error, Error::Unsupported { .. }), unsupported, "{flags:#x}: {error}");
    }
    let mut bytes = good;
    bytes[0x30..0x34].copy_from_slice(&0x004b_0d5au32.to_le_bytes());
    assert!(elf::read(&bytes).is_ok_and(|image| image.header.accelerated()), "sm_90a");
}
