//! Every recorded cubin of every chip is read into types and written back to the byte; so is what ptxas makes with other options.

use sassafras_cubin::{Error, Place};
use sassafras_emit::exact::{self, Contents};
use sassafras_oracle::{Tools, skip, table, workspace_root};
use sassafras_reference::traces;
use std::collections::BTreeMap;

const CHIPS: [&str; 12] = [
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
    "sm_121",
];

/// How many sections had which contents.
type Counts = BTreeMap<&'static str, usize>;

fn count(contents: &Contents) -> &'static str {
    match contents {
        Contents::Nothing => "nothing",
        Contents::Same(_) => "same",
        Contents::Strings(_) => "strings",
        Contents::Symbols(_) => "symbols",
        Contents::Relocations(_) => "relocations",
        Contents::Records(_) => "records",
        Contents::Notes(_) => "notes",
        Contents::Calls(_) => "calls",
        Contents::Code(_) => "code",
        Contents::Addresses(_) => "addresses",
        Contents::Bytes(_) => "bytes",
    }
}

fn round(what: &str, bytes: &[u8], counts: &mut Counts) {
    let file = exact::read(bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
    let again = exact::write(&file).unwrap_or_else(|e| panic!("{what}: {e}"));
    let differs = again.iter().zip(bytes).position(|(a, b)| a != b);
    assert!(
        again == bytes,
        "{what}: {} and {} bytes, first difference at {differs:x?}",
        again.len(),
        bytes.len()
    );
    for s in &file.sections {
        *counts.entry(count(&s.contents)).or_default() += 1;
        // What has NVIDIA's own type is of a known one.
        assert!(
            s.kind < 0x7000_0000 || exact::kind(s.kind).is_some(),
            "{what}: `{}` has type {:#x}",
            s.name,
            s.kind
        );
    }
}

#[test]
fn every_recorded_cubin_comes_back_to_the_byte() {
    let root = workspace_root();
    for chip in CHIPS {
        let mut counts = Counts::new();
        let names = traces::names(&root, chip);
        for name in &names {
            let bytes = traces::cubin_for(&root, chip, name).expect("it was listed");
            round(&format!("{chip} {name}"), &bytes, &mut counts);
        }
        println!("{chip}: {} cubins; {counts:?}", names.len());
        assert!(names.len() >= 78, "{chip}: {} cubins", names.len());
    }
}

/// Options that change what a cubin holds.
const OPTIONS: [&[&str]; 9] = [
    &["-O0"],
    &["-O1"],
    &["-O2"],
    &["-O3"],
    &["-O0", "-g"],
    &["-lineinfo"],
    &["-c"],
    &["-c", "-lineinfo"],
    &["-ewp"],
];

#[test]
fn what_ptxas_makes_with_other_options_comes_back_to_the_byte() {
    let root = workspace_root();
    let tools = Tools::find(&root);
    // All programs where asked, or one in so many; else those with sections that others lack.
    let full = std::env::var("SASSAFRAS_ALL_CUBINS").ok().map(|step| step.parse().unwrap_or(1));
    let mut names: Vec<String> =
        traces::names(&root, "sm_90").into_iter().filter(|n| !n.starts_with("ptxas-errors")).collect();
    match full {
        Some(step) => names = names.into_iter().step_by(step).collect(),
        None => {
            names.retain(|n| ["/vadd", "call_indirect", "atom_generic"].iter().any(|end| n.ends_with(end)))
        }
    }
    for set in [table::CUDA, table::CUDA_NEWER] {
        let ptxas = match tools.ptxas(set) {
            Ok(ptxas) => ptxas,
            Err(missing) => return skip("cubin-options", &missing),
        };
        for chip in CHIPS {
            let (mut counts, mut made) = (Counts::new(), 0);
            for (i, name) in names.iter().enumerate() {
                for (j, options) in OPTIONS.iter().enumerate() {
                    // In the sample each chip and program meets some of the options, all of them together.
                    let turn = i + j + chip.len() + usize::from(chip.as_bytes()[chip.len() - 1]);
                    if full.is_none() && !turn.is_multiple_of(2) {
                        continue;
                    }
                    let file = root.join("corpus").join(format!("{name}.ptx"));
                    let Ok((bytes, _)) = ptxas.compile(&file, chip, options) else { continue };
                    made += 1;
                    round(&format!("{set} {chip} {name} {options:?}"), &bytes, &mut counts);
                }
            }
            println!("{set} {chip}: {made} cubins; {counts:?}");
            assert!(made > 0, "{set} {chip}: ptxas made nothing");
        }
    }
}

#[test]
fn damage_is_an_error_with_an_offset_or_comes_back_as_it_is() {
    let root = workspace_root();
    for chip in ["sm_75", "sm_90", "sm_100", "sm_120"] {
        let good = traces::cubin_for(&root, chip, "kernels/vadd/vadd").expect("it is recorded");
        for at in 0..good.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] ^= flip;
                match exact::read(&bad) {
                    Ok(file) => {
                        assert_eq!(exact::write(&file).as_ref(), Ok(&bad), "{chip}: byte {at:#x} ^ {flip:#x}")
                    }
                    Err(e) => assert!(matches!(e, Error::Malformed { place: Place::Offset(_), .. }), "{e}"),
                }
            }
        }
        for len in 0..good.len() {
            assert!(exact::read(&good[..len]).is_err(), "{chip}: {len} of {} bytes", good.len());
        }
    }
}
