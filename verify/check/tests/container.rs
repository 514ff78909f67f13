//! The judge of the file over recorded cubins of every chip and older versions, and with faults planted in each.

use sassafras_check::{Verdict, container, cubin};
use sassafras_cubin::attribute::{CBANK_PARAM_SIZE, PARAM_CBANK};
use sassafras_cubin::elf::{Data, Image, Section, Segment, constants as c, read};
use sassafras_isa::Chip;
use sassafras_reference::{traces, workspace_root};

/// Recorded cubins: of every chip, and of the older versions for theirs.
fn recorded() -> Vec<(String, Vec<u8>)> {
    let root = workspace_root();
    let mut all = Vec::new();
    for chip in Chip::ALL {
        for name in traces::names(&root, &chip.to_string()) {
            let bytes = traces::cubin_for(&root, &chip.to_string(), &name).expect("it is there");
            all.push((format!("{chip} {name}"), bytes));
        }
    }
    for version in ["11.8.89", "12.0.140", "12.9.86"] {
        for chip in ["sm_75", "sm_80", "sm_90"] {
            for name in traces::older_names(&root) {
                let (bytes, _) = traces::older(&root, version, chip, &name).expect("it is recorded");
                all.push((format!("{version} {chip} {name}"), bytes));
            }
        }
    }
    all
}

#[test]
fn files_of_ptxas_are_accepted() {
    let mut wrong = Vec::new();
    let all = recorded();
    assert!(all.len() > 500, "{} cubins", all.len());
    for (name, bytes) in &all {
        let image = read(bytes).expect("a recorded cubin reads");
        let cubin = sassafras_cubin::read(bytes).expect("a recorded cubin reads");
        let verdict = container::check(&image).and(cubin::check_foreign(&cubin));
        if verdict != Verdict::Passed {
            wrong.push(format!("{name}: {verdict:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A fault: its name, and the images with it at each of its places.
type Plant = (&'static str, fn(&Image) -> Vec<Image>);

const PLANTS: &[Plant] = &[
    ("another type", |i| sections(i, |s| s.kind = if s.kind == c::PROGBITS { c::NOTE } else { c::PROGBITS })),
    ("write turned", |i| sections(i, |s| s.flags ^= c::WRITE)),
    ("alloc turned", |i| sections(i, |s| s.flags ^= c::ALLOC)),
    ("exec turned", |i| sections(i, |s| s.flags ^= c::EXEC)),
    ("name of other data", |i| sections(i, |s| s.name = renamed(&s.name))),
    ("bytes for none", |i| {
        sections(i, |s| {
            s.data = match &s.data {
                Data::NoBits(size) => Data::Bytes(vec![0; *size as usize]),
                Data::Bytes(bytes) => Data::NoBits(bytes.len() as u64),
            }
        })
    }),
    ("longer constant bank", |i| banks(i, |bytes| bytes.extend([0; 4]))),
    ("shorter constant bank", |i| banks(i, |bytes| bytes.truncate(bytes.len().saturating_sub(4)))),
    ("size of parameters", |i| records(i, CBANK_PARAM_SIZE, 2)),
    ("place of parameters", |i| records(i, PARAM_CBANK, 8)),
    ("lost segment", |i| {
        each(i.segments.len(), |n| {
            let mut image = i.clone();
            let lost = image.segments.remove(n);
            (lost.memory_size > 0).then_some(image)
        })
    }),
    ("segment twice", |i| {
        each(i.segments.len(), |n| {
            let mut image = i.clone();
            image.segments.push(image.segments[n]);
            Some(image)
        })
    }),
    ("rights of a segment", |i| [1, 2].into_iter().flat_map(|bit| segments(i, |s| s.flags ^= bit)).collect()),
    ("segment starts later", |i| {
        segments(i, |s| {
            s.offset += 16;
            s.file_size -= 16;
        })
    }),
    ("segment ends sooner", |i| segments(i, |s| s.file_size -= 1)),
    ("segment ends later", |i| segments(i, |s| s.file_size += 0x80)),
    ("less memory", |i| segments(i, |s| s.memory_size -= s.memory_size.min(1))),
];

fn each(count: usize, make: impl Fn(usize) -> Option<Image>) -> Vec<Image> {
    (0..count).filter_map(make).collect()
}

/// Sections that the loader reads, each changed.
fn sections(image: &Image, change: impl Fn(&mut Section)) -> Vec<Image> {
    let told = |s: &Section| {
        let known = [".text.", ".nv.constant", ".nv.global", ".nv.shared.", ".nv.info"];
        s.flags & c::MERCURY == 0 && s.size() > 0 && known.iter().any(|name| s.name.starts_with(name))
    };
    each(image.sections.len(), |n| {
        let mut image = image.clone();
        told(&image.sections[n]).then(|| {
            change(&mut image.sections[n]);
            image
        })
    })
}

fn renamed(name: &str) -> String {
    let function = name.rsplit('.').next().unwrap_or_default();
    match name {
        ".nv.global.init" => ".nv.constant3".to_owned(),
        ".nv.global" => ".nv.global.init".to_owned(),
        _ if name.starts_with(".nv.constant") => ".nv.global.init".to_owned(),
        _ if name.starts_with(".nv.info") => ".nv.compat".to_owned(),
        _ => format!(".nv.constant2.{function}"),
    }
}

fn banks(image: &Image, change: impl Fn(&mut Vec<u8>)) -> Vec<Image> {
    each(image.sections.len(), |n| {
        let mut image = image.clone();
        match &mut image.sections[n] {
            Section { name, data: Data::Bytes(bytes), .. } if name.starts_with(".nv.constant0.") => {
                change(bytes);
                Some(image)
            }
            _ => None,
        }
    })
}

/// The byte `at` bytes into the record with this id of each kernel, four more.
fn records(image: &Image, id: u8, at: usize) -> Vec<Image> {
    each(image.sections.len(), |n| {
        let mut image = image.clone();
        let section = &mut image.sections[n];
        if !section.name.starts_with(".nv.info.") {
            return None;
        }
        let Data::Bytes(bytes) = &mut section.data else { return None };
        let mut place = 0;
        while place + 4 <= bytes.len() {
            let long = bytes[place] == 4;
            let size = usize::from(u16::from_le_bytes([bytes[place + 2], bytes[place + 3]]));
            if bytes[place + 1] == id {
                bytes[place + at] = bytes[place + at].wrapping_add(4);
                return Some(image);
            }
            place += 4 + if long { size } else { 0 };
        }
        None
    })
}

fn segments(image: &Image, change: impl Fn(&mut Segment)) -> Vec<Image> {
    each(image.segments.len(), |n| {
        let mut image = image.clone();
        let whole = image.segments[n].file_size >= 16;
        whole.then(|| {
            change(&mut image.segments[n]);
            image
        })
    })
}

#[test]
fn planted_faults_of_files_are_objected_to() {
    let mut missed = Vec::new();
    let all: Vec<_> = recorded().into_iter().step_by(7).collect();
    eprintln!("fault                    planted  caught");
    for (fault, plant) in PLANTS {
        let (mut planted, mut caught) = (0, 0);
        for (name, bytes) in &all {
            let image = read(bytes).expect("a recorded cubin reads");
            for faulty in plant(&image) {
                planted += 1;
                let seen = !container::check(&faulty).objections().is_empty();
                caught += usize::from(seen);
                if !seen {
                    missed.push(format!("{fault} in {name}"));
                }
            }
        }
        eprintln!("{fault:24} {planted:7} {caught:7}");
        sassafras_oracle::fault::planted("file", &"every", fault, planted, caught);
        assert!(planted > 0, "{fault} found no place");
    }
    assert!(missed.is_empty(), "{} missed: {:#?}", missed.len(), &missed[..missed.len().min(20)]);
}

#[test]
fn a_stack_smaller_than_its_frames_is_objected_to() {
    let (mut planted, mut caught) = (0, 0);
    for (_, bytes) in recorded() {
        let mut cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
        for n in 0..cubin.functions.len() {
            let f = &mut cubin.functions[n];
            let (Some(stack), true) = (f.min_stack, f.frame_size > 0) else { continue };
            f.min_stack = Some(f.frame_size - 1);
            planted += 1;
            caught += usize::from(!cubin::check_foreign(&cubin).objections().is_empty());
            cubin.functions[n].min_stack = Some(stack);
        }
    }
    eprintln!("{caught} of {planted}");
    sassafras_oracle::fault::planted(
        "container",
        &"every",
        "a stack smaller than its frames",
        planted,
        caught,
    );
    assert!(planted > 5 && caught == planted, "{caught} of {planted}");
}
