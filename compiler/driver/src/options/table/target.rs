//! Target, input, output and linking.

use super::super::{Arch, Argument as A, Effect as E, Input, Origin, Row, ValueError};
use super::{add, from, row, set};

const RELOCATABLE: &str = "relocatable objects are not written yet.";

pub(super) const ROWS: &[Row] = &[
    row(
        "gpu-name",
        "arch",
        A::One,
        "NAME",
        "the module's .target, and sm_75 when called as ptxas",
        E::Set(|o, v| {
            let target = v.parse().map_err(|_| {
                if v.starts_with("lto_") {
                    ValueError::LinkTime(v.to_owned())
                } else {
                    // XLA and others look for ptxas's words.
                    ValueError::Chip(v.to_owned())
                }
            })?;
            o.arch = Some(if v.starts_with("compute_") { Arch::Virtual(target) } else { Arch::Real(target) });
            Ok(())
        }),
        "The chip to make code for; compute_XX only parses and checks.",
    ),
    row(
        "machine",
        "m",
        A::JoinedOrNext,
        "BITS",
        "64",
        E::Choice(&["64"]),
        "Bits of the host; there is no other value.",
    ),
    row(
        "list-version",
        "version-ls",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.list_versions, true)),
        "Print the PTX ISA versions that are understood.",
    ),
    from(
        Origin::PtxasLater,
        row(
            "list-arch",
            "arch-ls",
            A::None,
            "",
            "",
            E::Set(|o, _| set(&mut o.list_chips, true)),
            "Print the targets that are known.",
        ),
    ),
    row("help", "h", A::None, "", "", E::Set(|o, _| set(&mut o.help, true)), "Print this text."),
    row("version", "V", A::None, "", "", E::Set(|o, _| set(&mut o.version, true)), "Print the version."),
    row(
        "output-file",
        "o",
        A::One,
        "FILE",
        "the input's name with .cubin, and elf.o when called as ptxas",
        E::Set(|o, v| set(&mut o.output, Some(v.into()))),
        "Where to write; - is standard output.",
    ),
    row(
        "input-as-string",
        "ias",
        A::One,
        "PTX",
        "",
        E::Set(|o, v| add(&mut o.inputs, [Input::Text(v.to_owned())])),
        "A module as text on the command line.",
    ),
    row(
        "options-file",
        "optf",
        A::List,
        "FILE,...",
        "",
        E::Set(|_, _| Ok(())),
        "Read more options from files.",
    ),
    row(
        "entry",
        "e",
        A::List,
        "NAME,...",
        "all",
        E::Set(|o, v| add(&mut o.entries, v.split(',').filter(|n| !n.is_empty()).map(str::to_owned))),
        "Compile only these entries.",
    ),
    row("compile-only", "c", A::None, "", "", E::Refused(RELOCATABLE), "Make a relocatable object."),
    row(
        "extensible-whole-program",
        "ewp",
        A::None,
        "",
        "",
        E::Refused(RELOCATABLE),
        "Whole program, open to device code that is linked later.",
    ),
    row(
        "position-independent-code",
        "pic",
        A::Bool,
        "true|false",
        "true",
        E::Only(&["true"], "code of whole programs is always position-independent."),
        "Make position-independent code.",
    ),
    row(
        "preserve-relocs",
        "preserve-relocs",
        A::None,
        "",
        "",
        E::Refused(RELOCATABLE),
        "Keep relocations in executables.",
    ),
    row(
        "compile-as-tools-patch",
        "astoolspatch",
        A::None,
        "",
        "",
        E::Refused("code that tools patch in needs another calling convention."),
        "Compile patch code for tools.",
    ),
    row(
        "compiler-annotations",
        "annotate",
        A::None,
        "",
        "",
        E::Refused("there are no annotations in the output."),
        "Annotate the output with the compiler's own information.",
    ),
];
