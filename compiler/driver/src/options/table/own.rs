//! Our own options.

use super::super::{Argument as A, Effect as E, Judges, Origin, Row, ValueError};
use super::{add, from, row, set};

pub(super) const ROWS: &[Row] = &[
    own(
        "judge",
        A::One,
        "all|fast|none",
        "fast",
        E::Set(|o, v| {
            o.judges = match v {
                "all" => Judges::All,
                "fast" => Judges::Fast,
                "none" => Judges::None,
                _ => return Err(ValueError::Choice { value: v.to_owned(), choices: "all, fast, none" }),
            };
            Ok(())
        }),
        "Who judges each stage: every judge, every one but the prover, or nobody.",
    ),
    own(
        "print-after",
        A::List,
        "PHASE,...",
        "",
        E::Set(|o, v| add(&mut o.print_after, v.split(',').map(str::to_owned))),
        "Print the text of these phases to standard error.",
    ),
    own(
        "disable-phase",
        A::List,
        "PHASE,...",
        "",
        E::Set(|o, v| add(&mut o.disabled, v.split(',').map(str::to_owned))),
        "Leave out phases that later ones do without; docs/phases.md says which.",
    ),
    own(
        "knob",
        A::List,
        "NAME=VALUE,...",
        "",
        E::Set(|o, v| Ok(v.split(',').try_for_each(|word| o.knobs.set_by(word))?)),
        "Set weights and limits of passes over machine code; --list-knobs names them.",
    ),
    own(
        "profile",
        A::One,
        "FILE",
        "",
        E::Set(|o, v| set(&mut o.profile, Some(v.into()))),
        "Order blocks by how often they were run, as `sassafras run --profile` has counted it of the code that these options make without a profile.",
    ),
    own(
        "list-knobs",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.list_knobs, true)),
        "List the knobs with the values that they have, and what they do.",
    ),
    own(
        "dump-cfg",
        A::List,
        "dot|edges|rpo|uniformity[@PHASE],...",
        "",
        E::Set(|o, v| {
            v.split(',').try_for_each(|word| {
                o.dumps.push(word.parse()?);
                Ok(())
            })
        }),
        "Print each function's graph behind a phase, by default lower, to standard output: for Graphviz, its edges, its reverse post-order and back edges, or which branches all lanes of a warp take together and why they do not take the others so.",
    ),
    own(
        "stop-after",
        A::One,
        "PHASE",
        "",
        E::Set(|o, v| set(&mut o.stop_after, Some(v.to_owned()))),
        "Stop after a phase; its text is the output, standard output without -o.",
    ),
    own(
        "start-from",
        A::One,
        "FILE",
        "",
        E::Set(|o, v| set(&mut o.start_from, Some(v.into()))),
        "Begin with a text that --stop-after wrote.",
    ),
    own(
        "plant",
        A::One,
        "FAULT",
        "",
        E::Set(|o, v| set(&mut o.plant, Some(v.to_owned()))),
        "Make a named fault on purpose, for a judge to find.",
    ),
    own(
        "report",
        A::One,
        "FILE",
        "",
        E::Set(|o, v| set(&mut o.report, Some(v.into()))),
        "Write a JSON record of phases, statistics and verdicts.",
    ),
    own(
        "certify",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.certify, true)),
        "Prove the code against its PTX, and write the proof as NAME.witness beside NAME.cubin, for `sassafras check-witness`. Exit codes are those of `sassafras prove`; where an entry is refuted, nothing is written.",
    ),
    own(
        "budget",
        A::One,
        "N",
        "30",
        E::Set(|o, v| match v.parse() {
            Ok(n) if n > 0 => set(&mut o.budget, Some(n)),
            _ => Err(ValueError::NotPositive(v.to_owned())),
        }),
        "Effort for each question of --certify, in millions of z3's `rlimit`.",
    ),
    own(
        "hints",
        A::One,
        "FILE",
        "",
        E::Set(|o, v| set(&mut o.hints, Some(v.into()))),
        "Write where registers of the PTX lie at the heads of loops of the code, as JSON for `sassafras prove --hints`.",
    ),
    own(
        "format",
        A::One,
        "text|json",
        "text",
        E::Set(|o, v| match v {
            "text" => set(&mut o.json, false),
            "json" => set(&mut o.json, true),
            _ => Err(ValueError::Format(v.to_owned())),
        }),
        "Form of the messages.",
    ),
    own(
        "jobs",
        A::One,
        "N",
        "one for each CPU",
        E::Set(|o, v| match v.parse() {
            Ok(n) => set(&mut o.jobs, n),
            Err(_) => Err(ValueError::Jobs(v.to_owned())),
        }),
        "Threads to compile with. The output's bytes do not depend on it.",
    ),
    own("quiet", A::None, "", "", E::Set(|o, _| set(&mut o.quiet, true)), "Print errors only."),
];

const fn own(
    long: &'static str,
    argument: A,
    value: &'static str,
    default: &'static str,
    effect: E,
    help: &'static str,
) -> Row {
    from(Origin::Sassafras, row(long, "", argument, value, default, effect, help))
}
