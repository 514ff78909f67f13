//! The judge of line information: it reads what NVIDIA's compiler writes and what ours writes, and objects to what is wrong.

use sassafras_check::Verdict;
use sassafras_check::lines::{Expected, Frame, Made, check, sequences};
use sassafras_cubin::{Cubin, Debug, Function};
use sassafras_emit::lines::{File, Inlined, Lines, Origin, Place};
use sassafras_reference::{traces, workspace_root};

const PTX: &str = ".version 8.0
.target sm_90
.address_size 64
.file 4 \"lines/a.cu\"
.file 9 \"b.h\"
.visible .entry k()
{
.reg .b32 a;
.loc 4 3 1
mov.u32 a, 1;
.loc 4 7 2
.loc 9 5 1, function_name name, inlined_at 4 7 2
add.u32 a, a, 1;
.loc 4 0 0
add.u32 a, a, 2;
.loc 4 8 1
ret;
}
.section .debug_str
{
first: .b8 102, 0
name: .b8 103, 104, 0
}
";

/// What is right for a function of four words, made from lines 10, 13, 15 and 17 of the PTX.
fn right() -> Lines {
    let place = |file, line, inlined| Place { file, line, inlined };
    let origin = |place, ptx| Origin { place, ptx };
    let mut origins = vec![origin(Some(0), 10), origin(Some(2), 13), origin(None, 15), origin(Some(3), 17)];
    origins.resize(8, Origin::default());
    let file = |name: &str| File { name: name.into(), time: 5, size: 300 };
    Lines {
        files: vec![file("lines/a.cu"), file("b.h")],
        places: vec![
            place(0, 3, None),
            place(0, 7, None),
            place(1, 5, Some(Inlined { function: 2, call: 1 })),
            place(0, 8, None),
        ],
        strings: b"f\0gh\0".to_vec(),
        ptx: PTX.into(),
        functions: vec![("k".into(), origins)],
    }
}

fn cubin(lines: &Lines) -> Cubin {
    let function = Function { name: "k".into(), code: vec![0; 8], ..Function::default() };
    Cubin {
        sm: 90,
        debug: Debug::Sections,
        functions: vec![function],
        sections: lines.sections().expect("every index names something"),
        ..Cubin::default()
    }
}

fn judged(cubin: &Cubin) -> Verdict {
    let module = sassafras_ptx::load(PTX, "k.ptx").unwrap_or_else(|d| panic!("{d}"));
    let made = [Made { name: "k".into(), lines: vec![10, 13, 15, 17] }];
    check(cubin, &Expected::of(&module), &made)
}

#[test]
fn what_is_right_passes() {
    let cubin = cubin(&right());
    assert_eq!(judged(&cubin), Verdict::Passed);
    let rows = sequences(&cubin, ".debug_line").expect("it reads").remove(0).rows;
    let frame = |file: &str, line, function: Option<&str>| Frame {
        file: file.into(),
        line,
        function: function.map(str::to_owned),
    };
    let inlined = vec![frame("b.h", 5, Some("gh")), frame("lines/a.cu", 7, None)];
    let expected = [
        (0, vec![frame("lines/a.cu", 3, None)]),
        (16, vec![frame("lines/a.cu", 7, None)]),
        (16, inlined),
        (48, vec![frame("lines/a.cu", 8, None)]),
    ];
    let rows: Vec<_> = rows.into_iter().map(|row| (row.address, row.frames)).collect();
    assert_eq!(rows, expected);
}

type Fault = (&'static str, &'static str, fn(&mut Lines));

/// Well-formed sections that say something wrong: the rule that each breaks.
const FAULTS: &[Fault] = &[
    ("the line above", "lines-place", |l| l.places[0].line -= 1),
    ("another file", "lines-place", |l| l.places[3].file = 1),
    ("another directory", "lines-place", |l| l.files[0].name = "line/a.cu".into()),
    ("another call", "lines-place", |l| l.places[2].inlined = Some(Inlined { function: 2, call: 0 })),
    ("no call", "lines-place", |l| l.places[2].inlined = None),
    ("another function", "lines-place", |l| l.places[2].inlined = Some(Inlined { function: 0, call: 1 })),
    ("one word late", "lines-place", |l| {
        let before = l.functions[0].1.clone();
        (1..4).for_each(|at| l.functions[0].1[at].place = before[at - 1].place);
    }),
    ("a row that is missing", "lines-place", |l| l.functions[0].1[3].place = None),
    ("no rows at all", "lines-place", |l| l.functions[0].1.iter_mut().for_each(|o| o.place = None)),
    ("the next line of PTX", "lines-ptx", |l| l.functions[0].1[1].ptx += 1),
    ("text that lacks its first line", "lines-ptx", |l| {
        l.ptx = l.ptx.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    }),
    ("a shorter function", "lines-shape", |l| l.functions[0].1.truncate(6)),
    ("a second sequence", "lines-shape", |l| l.functions.push(l.functions[0].clone())),
    ("a name behind the strings", "lines-shape", |l| l.strings.truncate(2)),
];

#[test]
fn faults_are_caught() {
    for (name, rule, plant) in FAULTS {
        let mut lines = right();
        plant(&mut lines);
        assert_ne!(lines, right(), "{name}");
        let verdict = judged(&cubin(&lines));
        assert!(verdict.objections().iter().any(|f| f.rule == *rule), "{name}: {verdict:?}");
        sassafras_oracle::fault::planted("lines", &"-", name, 1, 1);
    }
}

#[test]
fn sections_and_flags_agree() {
    let good = cubin(&right());
    let objects = |cubin: &Cubin| judged(cubin).objections().iter().any(|f| f.rule == "lines-shape");
    assert!(objects(&Cubin { debug: Debug::None, ..good.clone() }));
    assert!(objects(&Cubin { sections: Vec::new(), ..good.clone() }));
    let mut other = good.clone();
    other.sections[0].relocations.clear();
    assert!(objects(&other), "a sequence without a symbol");
    // A module without line information is not judged.
    assert_eq!(judged(&Cubin { debug: Debug::None, sections: Vec::new(), ..good }), Verdict::Passed);
}

/// Any byte of the sections may be wrong: reading ends with rows or a sentence.
#[test]
fn damage_is_told() {
    let good = cubin(&right());
    let mut told = 0;
    for (section, name) in [(0, ".debug_line"), (2, ".nv_debug_line_sass")] {
        let length = good.sections[section].data.as_ref().map_or(0, Vec::len);
        assert!(length > 30, "{name}");
        for at in 0..length {
            for bit in 0..8 {
                let mut damaged = good.clone();
                if let Some(data) = &mut damaged.sections[section].data {
                    data[at] ^= 1 << bit;
                }
                told += usize::from(sequences(&damaged, name).is_err());
            }
        }
    }
    assert!(told > 500, "{told}");
}

/// What ptxas writes: every sequence is of a function and ends where it does.
#[test]
fn recorded_lines_read() {
    let root = workspace_root();
    let mut count = 0;
    for name in traces::names(&root, "sm_90") {
        let bytes = traces::cubin_for(&root, "sm_90", &name).expect("it is there");
        let cubin = sassafras_cubin::read(&bytes).expect("a recorded cubin reads");
        if cubin.debug == Debug::None {
            continue;
        }
        for section in [".debug_line", ".nv_debug_line_sass"] {
            let sequences = sequences(&cubin, section).unwrap_or_else(|e| panic!("{name}: {section}: {e}"));
            for sequence in sequences {
                let function = cubin.functions.iter().find(|f| f.name == sequence.symbol);
                let size = function.map(|f| 16 * f.code.len() as u64);
                assert_eq!(size, Some(sequence.end), "{name}: {section}: {}", sequence.symbol);
                count += 1;
            }
        }
    }
    assert!(count >= 2, "{count} sequences");
}

#[test]
fn phases_keep_lines() {
    let function = |lines: [u32; 3]| {
        let [a, b, c] = lines.map(|line| if line == 0 { String::new() } else { format!(" ; line {line}") });
        let text = format!(
            "sassafras machine 1 placed sm_90\nfunction \"k\"\nentry b0\nlayout b0\nframe local 0 spill 0\nshared 0\n\
             params 0\nregisters 32\nb0():\n  nop ; origin 1{a}\n  nop{b}\n  exit ; origin 3{c}\n"
        );
        sassafras_machine::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    };
    let objections = |before, after| {
        sassafras_check::lines::check_kept(&function(before), &function(after)).objections().len()
    };
    // What was added may have any line, and what had none may get one.
    for after in [[7, 8, 9], [7, 0, 9], [7, 9, 9]] {
        assert_eq!(objections([7, 8, 9], after), 0, "{after:?}");
    }
    assert_eq!(objections([0, 8, 9], [7, 7, 9]), 0);
    for (after, count) in [([9, 8, 7], 2), ([7, 8, 0], 1), ([8, 8, 9], 1)] {
        assert_eq!(objections([7, 8, 9], after), count, "{after:?}");
    }
}
