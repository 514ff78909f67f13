//! Constants, parameters, and what a cubin says beside its code.

use super::{Planted, fold, image};
use crate::pairs::{entry, find, replace};

pub const ALL: &[Planted] = &[
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
        name: "a variable at another alignment",
        program: "global_init",
        breaks: "alignment of variables",
        change: |c| {
            let x = c
                .variables
                .iter_mut()
                .find(|v| v.space == sassafras_cubin::Space::Global)
                .expect("a variable");
            x.offset += 1;
        },
    },
    Planted {
        name: "a launch in clusters",
        program: "sub_s32",
        breaks: "A-LAUNCH",
        change: |c| {
            let shape =
                sassafras_cubin::Attribute::words(sassafras_cubin::attribute::CTA_PER_CLUSTER, &[4, 1, 1]);
            entry(c).attributes.push(shape)
        },
    },
    Planted {
        name: "a parameter that the source has not",
        program: "sub_s32",
        breaks: "parameter layout",
        change: |c| {
            let code = entry(c);
            let last = *code.params.last().expect("a parameter");
            code.params.push(sassafras_cubin::Param {
                ordinal: last.ordinal + 1,
                offset: last.offset + 8,
                ..last
            })
        },
    },
    Planted {
        name: "more shared memory than a block may have",
        program: "shared",
        breaks: "shared counts",
        change: |c| {
            if let Some(s) = &mut entry(c).shared {
                s.size = 0xc004
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
    // Constant banks.
    Planted {
        name: "a constant bank four bytes on",
        program: "own/bounds",
        breaks: "A-BANK",
        change: |c| replace(c, "ULDC UR8, c[0x0][0x220]", "ULDC UR8, c[0x0][0x224]"),
    },
    Planted {
        name: "half of a pointer",
        program: "own/bounds",
        breaks: "A-BANK",
        change: |c| replace(c, "ULDC.64 UR6, c[0x0][0x210]", "ULDC.64 UR6, c[0x0][0x214]"),
    },
    Planted {
        name: "another parameter",
        program: "own/bounds",
        breaks: "A-BANK",
        change: |c| replace(c, "ULDC.64 UR6, c[0x0][0x210]", "ULDC.64 UR6, c[0x0][0x218]"),
    },
];
