//! Planted changes: each makes right code wrong in a way that a prover could overlook, and none may be proved.

use crate::common::{line, z3};
use crate::pairs::{Pair, entry, find, insert, replace};
use sassafras_cubin::Cubin;
use sassafras_prove::Verdict;

/// A change: the program, the assumption or promise that it breaks, and what it does.
struct Planted {
    name: &'static str,
    program: &'static str,
    breaks: &'static str,
    change: fn(&mut Cubin),
}

const ALL: &[Planted] = &[
    // The same bytes are read and written, under the same guards.
    Planted {
        name: "a wild load that nothing reads",
        program: "sub_s32",
        breaks: "the target reads only what the source accesses",
        change: |c| insert(c, "EXIT", &["LDG.E R1, desc[UR4][R2.64+0x10000]"]),
    },
    Planted {
        name: "a load before its guard",
        program: "exit_early",
        breaks: "the target reads only what the source accesses",
        change: |c| {
            entry(c).registers += 8;
            insert(c, "@!P0 EXIT", &["IMAD.WIDE.U32 R14, R7, 0x10, R4", "LDG.E R16, desc[UR4][R14.64+0xc]"])
        },
    },
    Planted {
        name: "a store without its guard",
        program: "exit_early",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "@!P0 STG", "STG"),
    },
    Planted {
        name: "a store of a byte of four",
        program: "st_sizes",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "STG.E.U8 ", "STG.E "),
    },
    Planted {
        name: "a store elsewhere, besides",
        program: "sub_s32",
        breaks: "the same partial map of bytes",
        change: |c| insert(c, "EXIT", &["STG.E desc[UR4][R2.64+0x10], R12"]),
    },
    Planted {
        name: "a store that is left out",
        program: "st_sizes",
        breaks: "the same partial map of bytes",
        change: |c| replace(c, "STG.E.U8 desc[UR4][R2.64+0x1], R0", "NOP"),
    },
    // Events that others see.
    Planted {
        name: "an atomic twice",
        program: "red",
        breaks: "the same synchronisation events",
        change: |c| insert(c, "EXIT", &["REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R9"]),
    },
    Planted {
        name: "two atomics in another order",
        program: "red",
        breaks: "the same order",
        change: |c| {
            let at = find(c, "REDG.E.ADD");
            entry(c).code.swap(at, at + 1)
        },
    },
    Planted {
        name: "an atomic for the block alone",
        program: "red",
        breaks: "equal scope",
        change: |c| replace(c, "STRONG.GPU", "STRONG.SM"),
    },
    Planted {
        name: "a weaker fence",
        program: "fences",
        breaks: "equal kind of fence",
        change: |c| replace(c, "MEMBAR.SC.GPU", "MEMBAR.ALL.GPU"),
    },
    Planted {
        name: "a narrower fence",
        program: "fences",
        breaks: "equal scope",
        change: |c| replace(c, "MEMBAR.SC.SYS", "MEMBAR.SC.GPU"),
    },
    Planted {
        name: "a fence that leaves the cache as it is",
        program: "fences",
        breaks: "a load behind a fence sees others' stores",
        change: |c| {
            while has(c, "CCTL.IVALL") {
                replace(c, "CCTL.IVALL", "NOP")
            }
        },
    },
    Planted {
        name: "a load that others' stores do not reach",
        program: "st_sizes",
        breaks: "A-NC",
        change: |c| replace(c, "LDG.E.128 ", "LDG.E.128.CONSTANT "),
    },
    Planted {
        name: "a barrier that is left out",
        program: "shared",
        breaks: "A-DRF",
        change: |c| replace(c, "BAR.SYNC.DEFER_BLOCKING 0x0", "NOP"),
    },
    Planted {
        name: "another barrier",
        program: "shared",
        breaks: "equal operands",
        change: |c| {
            replace(c, "BAR.SYNC.DEFER_BLOCKING 0x0", "BAR.SYNC.DEFER_BLOCKING 0x1");
            entry(c).barriers = 2
        },
    },
    // Floats.
    Planted {
        name: "a fused product and sum, split",
        program: "fma_f32",
        breaks: "A-FP",
        change: |c| {
            let at = find(c, "FFMA");
            let text = crate::pairs::written(entry(c).code[at]);
            let sum = split(&text);
            replace(c, &text, &sum)
        },
    },
    // Convergence.
    Planted {
        name: "barriers that change places",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            replace(c, "BSYNC B1", "BSYNC B2");
            replace(c, "BSYNC B0", "BSYNC B1");
            replace(c, "BSYNC B2", "BSYNC B0")
        },
    },
    Planted {
        name: "a meeting place of a barrier that was not set",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B1", "BSYNC B3"),
    },
    Planted {
        name: "a meeting place that is left out",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| replace(c, "BSYNC B1", "NOP"),
    },
    Planted {
        name: "a barrier that is not set",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            let text = crate::pairs::written(entry_word(c, "BSSY B1"));
            replace(c, &text, "NOP")
        },
    },
    Planted {
        name: "one barrier for both",
        program: "if_nested",
        breaks: "A-CONV",
        change: |c| {
            replace(c, "BSSY B1", "BSSY B0");
            replace(c, "BSYNC B1", "BSYNC B0")
        },
    },
    // Loops.
    Planted {
        name: "an endless loop for the end",
        program: "sub_s32",
        breaks: "A-TERM",
        change: |c| replace(c, "EXIT", "BRA pc(-0x10)"),
    },
    Planted {
        name: "an endless loop for some",
        program: "exit_early",
        breaks: "A-TERM",
        change: |c| replace(c, "@!P0 EXIT", "@!P0 BRA pc(-0x10)"),
    },
    // Constants and parameters.
    Planted {
        name: "a constant of the module as a number",
        program: "const",
        breaks: "the host may write constants before the launch",
        change: fold,
    },
    Planted {
        name: "a byte of a constant",
        program: "const",
        breaks: "images of .const",
        change: |c| image(c, sassafras_cubin::Space::Constant),
    },
    Planted {
        name: "a byte of a global variable",
        program: "global_init",
        breaks: "images of .global",
        change: |c| image(c, sassafras_cubin::Space::Global),
    },
    Planted {
        name: "addresses that change places",
        program: "global_init",
        breaks: "relocations",
        change: |c| {
            assert!(c.addresses.len() > 1 && c.addresses[0] != c.addresses[1]);
            c.addresses.swap(0, 1)
        },
    },
    Planted {
        name: "a parameter four bytes on",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| replace(c, "c[0x0][0x218]", "c[0x0][0x220]"),
    },
    Planted {
        name: "parameters that begin four bytes on",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| entry(c).param_base += 4,
    },
    Planted {
        name: "a parameter that is declared elsewhere",
        program: "sub_s32",
        breaks: "parameter layout",
        change: |c| entry(c).params[1].offset += 4,
    },
    Planted {
        name: "another descriptor",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| replace(c, "c[0x0][0x208]", "c[0x0][0x200]"),
    },
    Planted {
        name: "another pair for the descriptor",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| replace(c, "desc[UR4]", "desc[UR6]"),
    },
    Planted {
        name: "a word behind the parameters",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| replace(c, "LDC R1, c[0x0][0x28]", "LDC R1, c[0x0][0x1028]"),
    },
    Planted {
        name: "a word across two",
        program: "sub_s32",
        breaks: "A-BANK",
        change: |c| replace(c, "LDC R1, c[0x0][0x28]", "LDC R1, c[0x0][0x2a]"),
    },
    // Beyond the code.
    Planted {
        name: "a register less",
        program: "sub_s32",
        breaks: "register counts",
        change: |c| entry(c).registers -= 1,
    },
    Planted {
        name: "a register beyond those declared",
        program: "sub_s32",
        breaks: "register counts",
        change: |c| {
            let last = entry(c).registers - 2;
            replace(c, "LDC R1,", &format!("LDC R{last},"))
        },
    },
    Planted {
        name: "a pair that begins at an odd register",
        program: "sub_s32",
        breaks: "registers of a pair",
        change: |c| replace(c, "LDC R1,", "LDC.64 R1,"),
    },
    Planted {
        name: "no barrier",
        program: "shared",
        breaks: "barrier counts",
        change: |c| entry(c).barriers = 0,
    },
    Planted {
        name: "less shared memory",
        program: "shared",
        breaks: "shared counts",
        change: |c| {
            if let Some(s) = &mut entry(c).shared {
                s.size -= 1
            }
        },
    },
    Planted {
        name: "smaller blocks",
        program: "sub_s32",
        breaks: "A-LAUNCH",
        change: |c| entry(c).max_threads = Some([512, 1, 1]),
    },
    Planted {
        name: "blocks of one shape",
        program: "sub_s32",
        breaks: "A-LAUNCH",
        change: |c| entry(c).required_threads = Some([32, 1, 1]),
    },
    Planted {
        name: "an entry in the middle of its section",
        program: "sub_s32",
        breaks: "the entry symbol",
        change: |c| {
            c.symbols.push(sassafras_cubin::Symbol {
                name: "k".into(),
                info: 0x12,
                value: 16,
                section: Some(".text.k".into()),
                ..Default::default()
            })
        },
    },
    Planted {
        name: "another name",
        program: "sub_s32",
        breaks: "the entry symbol",
        change: |c| entry(c).name = "l".into(),
    },
    Planted {
        name: "a store before its value is ready",
        program: "sub_s32",
        breaks: "A-SCHED",
        change: |c| {
            let at = find(c, "IADD3 R12");
            let code = &mut entry(c).code;
            code[at] &= !(0x3f << 116)
        },
    },
];

/// The first word whose text contains `text`.
fn entry_word(cubin: &mut Cubin, text: &str) -> u128 {
    let at = find(cubin, text);
    entry(cubin).code[at]
}

fn has(cubin: &Cubin, text: &str) -> bool {
    cubin.functions.iter().flat_map(|f| &f.code).any(|w| crate::pairs::written(*w).contains(text))
}

/// `FFMA D, A, B, C` without its addend.
fn split(text: &str) -> String {
    let text = text.replacen("FFMA", "FMUL", 1);
    text.rsplit_once(", ").expect("operands").0.to_owned()
}

fn image(cubin: &mut Cubin, space: sassafras_cubin::Space) {
    let mut images = cubin.variables.iter_mut().filter(|v| v.space == space).filter_map(|v| v.init.as_mut());
    images.next().and_then(|i| i.first_mut()).map(|b| *b ^= 1).expect("an image");
}

/// The first word that is loaded from the module's constants becomes an immediate.
fn fold(cubin: &mut Cubin) {
    let v = cubin.variables.iter().find(|v| v.space == sassafras_cubin::Space::Constant).expect("a constant");
    let bytes = v.init.clone().unwrap_or_default();
    let number =
        |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or(0)));
    let at = find(cubin, "LDC R12, c[0x3]");
    let text = crate::pairs::written(entry(cubin).code[at]);
    let (head, tail) = text.split_once("c[0x3][").expect("the constant");
    let (offset, rest) = tail.split_once(']').expect("it ends");
    let offset = usize::from_str_radix(offset.trim_start_matches("0x"), 16).unwrap_or(0);
    let head = head.replacen("LDC ", "MOV ", 1);
    replace(cubin, &text, &format!("{head}{:#x}{rest}", number(offset)));
}

#[test]
fn no_planted_change_is_proved() {
    let Some(mut z3) = z3("no_planted_change_is_proved") else { return };
    z3.budget = 1;
    let only = std::env::var("SASSAFRAS_PLANTED").unwrap_or_default();
    let (mut refuted, mut unknown, mut wrong) = (0, 0, Vec::new());
    let mut pairs: Vec<Pair> = Vec::new();
    for planted in ALL.iter().filter(|p| p.name.contains(&only)) {
        let program = format!("features/{}", planted.program);
        if pairs.iter().all(|p| p.name != program) {
            pairs
                .push(Pair::recorded(&program, &mut z3).unwrap_or_else(|| panic!("{program} is not proved")));
        }
        let pair = pairs.iter().find(|p| p.name == program).expect("it was made");
        let mut cubin = pair.cubin.clone();
        (planted.change)(&mut cubin);
        assert_ne!(cubin, pair.cubin, "{}: nothing was changed", planted.name);
        let record = pair.prove(&cubin, &mut z3);
        eprintln!("{} [{}]: {}", planted.name, planted.breaks, line(&record));
        match record.verdict {
            Verdict::Proved | Verdict::ProvedWithin(_) => wrong.push(planted.name),
            Verdict::Refuted(_) => refuted += 1,
            Verdict::Unknown(_) | Verdict::Inapplicable(_) => unknown += 1,
        }
    }
    eprintln!("{} planted changes: {refuted} refuted, {unknown} unknown, {} proved", ALL.len(), wrong.len());
    assert!(wrong.is_empty(), "proved: {wrong:?}");
    assert!(refuted + unknown > 0, "nothing was planted");
}
