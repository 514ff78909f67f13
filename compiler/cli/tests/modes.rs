//! Every mode of `disasm` against nvdisasm 13.2.51: stored texts, and the tool itself where it is here.

mod common;

use flate2::read::GzDecoder;
use sassafras::listing::{Look, Mode, Nodes, Source, chip, listing};
use sassafras_cubin::elf;
use sassafras_isa::Chip;
use sassafras_oracle::{Tools, skip, workspace_root};
use sassafras_reference::traces;
use std::io::Read;
use std::path::Path;

/// Name of a mode, nvdisasm's options for it, and how we are asked.
const MODES: [(&str, &[&str], Look); 6] = [
    ("json", &["-c", "-json"], Look { mode: Mode::Json, ..PLAIN }),
    ("cfg", &["-cfg"], Look { mode: Mode::Graph(Nodes::Hyperblocks), ..PLAIN }),
    ("bbcfg", &["-bbcfg"], Look { mode: Mode::Graph(Nodes::Blocks), ..PLAIN }),
    ("all", &[], Look { all: true, ..PLAIN }),
    ("plr", &["-c", "-plr"], Look { ranges: true, ..PLAIN }),
    ("hex", &["-c", "-hex"], Look { hex: true, ..PLAIN }),
];

const PLAIN: Look = Look {
    hex: false,
    control: false,
    lenient: false,
    all: false,
    ranges: false,
    source: Source::None,
    mode: Mode::Code,
    offsets: false,
    raw: None,
};

/// Texts that differ: cubin and mode.
///
/// nvdisasm shows the guard of zero-filling `LDGSTS` as assigned too, and does not show what `P2R` of `PR` reads.
const DIFFERENT: [(&str, &str); 3] = [
    ("/sm_90/features/cp_async_zfill.cubin", "plr"),
    ("/sm_90/features/flow_pointers_in_loop.cubin", "plr"),
    ("/sm_90/features/setp_f32_ftz.cubin", "plr"),
];

/// The JSON names its producer, which is not the same.
fn nameless(text: &str) -> String {
    let Some((before, after)) = text.split_once("\"Producer\":\"") else { return text.to_owned() };
    let rest = after.split_once('"').map_or("", |(_, rest)| rest);
    format!("{before}\"Producer\":\"{rest}")
}

fn compare(name: &str, mode: &str, ours: &str, theirs: &str) {
    let (ours, theirs) = (nameless(ours), nameless(theirs));
    if ours != theirs {
        let same = ours.bytes().zip(theirs.bytes()).take_while(|(a, b)| a == b).count();
        let near = |text: &str| {
            let (from, to) = (same.saturating_sub(80), (same + 80).min(text.len()));
            text[text.floor_char_boundary(from)..text.ceil_char_boundary(to)].to_owned()
        };
        panic!(
            "{name} -{mode} differs at byte {same}:\nours:   {:?}\ntheirs: {:?}",
            near(&ours),
            near(&theirs)
        );
    }
}

fn ours(name: &str, bytes: &[u8], look: Look) -> String {
    let image = elf::read(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let chip = chip(&image).expect("a chip of the table");
    listing(&image, chip, look).unwrap_or_else(|e| panic!("{name}: {e}")).text
}

#[test]
fn modes_are_as_stored() {
    let root = workspace_root();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut count = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("it is part of the repository") {
        let path = entry.expect("it can be read").path();
        let file = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let Some((stem, mode)) = file.strip_suffix(".gz").and_then(|f| f.rsplit_once('.')) else {
            panic!("{file} is no stored text")
        };
        let name = match stem.split_once('_') {
            Some(("features", name)) => format!("features/{name}"),
            Some(("kernels", rest)) => {
                let (kernel, name) = rest.split_once('_').expect("a kernel's folder and file");
                format!("kernels/{kernel}/{name}")
            }
            _ => panic!("{file} is neither a kernel nor a feature"),
        };
        let mut theirs = String::new();
        GzDecoder::new(std::fs::File::open(&path).expect("it was listed"))
            .read_to_string(&mut theirs)
            .expect("gzip of a text");
        let bytes = traces::cubin(&root, traces::RECORDED, &name).unwrap_or_else(|| panic!("{name}"));
        let (_, _, look) =
            MODES.iter().find(|m| m.0 == mode).unwrap_or_else(|| panic!("{file}: no such mode"));
        compare(&name, mode, &ours(&name, &bytes, *look), &theirs);
        *count.entry(mode.to_owned()).or_insert(0) += 1;
    }
    for mode in ["json", "cfg", "bbcfg", "all", "plr"] {
        assert!(count.get(mode).is_some_and(|n| *n >= 10), "{mode}: {count:?}");
    }
}

/// Every mode on a sample of the recorded cubins of each chip; on all of them with `SASSAFRAS_ALL_MODES=1`.
#[test]
fn modes_are_as_nvdisasms() {
    let nvdisasm = match Tools::here().nvdisasm() {
        Ok(tool) => tool,
        Err(reason) => return skip("modes_are_as_nvdisasms", &reason),
    };
    let all = std::env::var_os("SASSAFRAS_ALL_MODES").is_some();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("in.cubin");
    let recorded = common::recorded();
    let mut compared = std::collections::BTreeMap::new();
    for chip in Chip::ALL {
        let set = format!("/13.0.88/{chip}/");
        let known: Vec<_> =
            recorded.iter().filter(|(path, _)| path.to_string_lossy().contains(&set)).collect();
        // sm_90 has its features too. The others take turns, so that their samples are of different kernels.
        let (first, step) = match (all, chip) {
            (true, _) => (0, 1),
            (false, Chip::Sm90) => (7, 90),
            (false, _) => (chip.number() as usize * 7 % known.len().max(1), known.len().max(1)),
        };
        for (path, bytes) in known.into_iter().skip(first).step_by(step) {
            std::fs::write(&file, bytes).expect("the folder is ours");
            for (mode, options, look) in &MODES {
                let theirs = nvdisasm.run(&file, options).expect("nvdisasm runs");
                assert!(theirs.ok(), "{}: {}", path.display(), theirs.stderr);
                let name = path.display().to_string();
                let ours = ours(&name, bytes, *look);
                if DIFFERENT.iter().any(|(cubin, m)| m == mode && name.contains(cubin)) {
                    assert!(ours != theirs.stdout, "{name} -{mode} is the same now");
                    continue;
                }
                compare(&name, mode, &ours, &theirs.stdout);
                *compared.entry((chip, *mode)).or_insert(0) += 1;
            }
        }
    }
    println!("texts compared by chip and mode: {compared:?}");
    assert_eq!(compared.len(), Chip::ALL.len() * MODES.len(), "{compared:?}");
}
