//! What is said while compiling.

use super::super::{Argument as A, Effect as E, Origin, Row};
use super::{from, row, set};

const NEVER: &str = "that message does not exist here.";

pub(super) const ROWS: &[Row] = &[
    row(
        "verbose",
        "v",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.verbose, true)),
        "Print statistics of each entry.",
    ),
    from(
        Origin::PtxasLater,
        row(
            "verbose2",
            "v2",
            A::None,
            "",
            "",
            E::Set(|o, _| {
                o.progress = true;
                set(&mut o.verbose, true)
            }),
            "As -v, and the names of modules and phases as they are reached.",
        ),
    ),
    row(
        "disable-warnings",
        "w",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.no_warnings, true)),
        "Print no warnings.",
    ),
    row(
        "warning-as-error",
        "Werror",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.warnings_are_errors, true)),
        "A warning is an error.",
    ),
    row(
        "warn-on-spills",
        "warn-spills",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.warn_spills, true)),
        "Warn when registers are spilled to local memory.",
    ),
    row(
        "warn-on-local-memory-usage",
        "warn-lmem-usage",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.warn_local, true)),
        "Warn when local memory is used.",
    ),
    row(
        "warn-on-double-precision-use",
        "warn-double-usage",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.warn_double, true)),
        "Warn when an instruction computes in double precision.",
    ),
    row(
        "suppress-stack-size-warning",
        "suppress-stack-size-warning",
        A::None,
        "",
        "",
        E::Holds(NEVER),
        "No warning when the stack's size is unknown.",
    ),
    row(
        "suppress-double-demote-warning",
        "suppress-double-demote-warning",
        A::None,
        "",
        "",
        E::Holds(NEVER),
        "No warning when doubles are demoted.",
    ),
    row(
        "suppress-async-bulk-multicast-advisory-warning",
        "suppress-async-bulk-multicast-advisory-warning",
        A::None,
        "",
        "",
        E::Holds(NEVER),
        "No advice about .multicast::cluster.",
    ),
    row(
        "suppress-sparse-mma-advisory-info",
        "suppress-sparse-mma-advisory-info",
        A::None,
        "",
        "",
        E::Holds(NEVER),
        "No advice about mma.sp.",
    ),
    from(
        Origin::PtxasLater,
        row(
            "suppress-position-independent-code-warning",
            "suppress-position-independent-code-warning",
            A::None,
            "",
            "",
            E::Holds(NEVER),
            "No warning about --position-independent-code.",
        ),
    ),
];
