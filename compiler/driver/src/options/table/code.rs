//! Optimisation, registers, caches, debugging and safety.

use sassafras_ir::CacheOperator;

use super::super::{Argument as A, Effect as E, Options, Origin, RegisterLimit, Row, ValueError};
use super::{add, from, row, set};

const DEBUG: &str = "debug information is not written yet.";
const TENSOR: &str = "tensor memory exists from sm_100 on, and its operations are not compiled yet.";
const INSTRUMENT: &str = "code is not instrumented yet.";

fn register_limit(text: &str) -> Result<RegisterLimit, ValueError> {
    match text {
        "archmax" => Ok(RegisterLimit::Most),
        "archmin" => Ok(RegisterLimit::Least),
        _ => match text.parse() {
            Ok(n) => Ok(RegisterLimit::Count(n)),
            // ptxas takes an empty value for 0.
            Err(_) if text.is_empty() => Ok(RegisterLimit::Count(0)),
            Err(_) => Err(ValueError::RegisterLimit(text.to_owned())),
        },
    }
}

/// A number as ptxas reads it: without digits it is 0.
pub(super) fn number(text: &str) -> Result<i64, ValueError> {
    let value = if text.is_empty() { Ok(0) } else { text.parse() };
    value.map_err(|_| ValueError::Number(text.to_owned()))
}

/// A cache operator of a load or a store.
fn operator(text: &str, store: bool) -> Result<CacheOperator, ValueError> {
    let found = CacheOperator::named(text).filter(|c| c.fits(store));
    found.ok_or_else(|| ValueError::CacheOperator { value: text.to_owned(), store })
}

fn threads(o: &mut Options, text: &str) -> Result<(), ValueError> {
    let mut shape = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        let text = "Too many values specified for option '-maxntid', option will be ignored";
        return add(&mut o.warnings, [text.to_owned()]);
    }
    for (n, part) in shape.iter_mut().zip(parts) {
        let number = part.parse().ok().filter(|&n| n > 0);
        *n = number.ok_or_else(|| ValueError::NotPositive((*part).to_owned()))?;
    }
    o.threads = Some(shape);
    Ok(())
}

fn usage_level(o: &mut Options, text: &str) -> Result<(), ValueError> {
    let level = number(text)?;
    if let Some(level) = u32::try_from(level).ok().filter(|level| *level <= 10) {
        return set(&mut o.register_usage, level);
    }
    let range = "out of valid range {0..10}, option will be ignored";
    add(&mut o.warnings, [format!("Value of RegUsageLevel ({level}) is {range}")])
}

pub(super) const ROWS: &[Row] = &[
    row(
        "opt-level",
        "O",
        A::Joined,
        "N",
        "3",
        E::Set(|o, v| match number(v)? {
            n @ 0..=3 => set(&mut o.level, n as u8),
            // ptxas takes every other number for its highest level.
            _ => set(&mut o.level, 3),
        }),
        "How much to optimise, 0 to 3, as the table below says: 1 compiles fast, 2 has all rounds, 3 looks for more. -O alone is 0. Any other number is 3, as ptxas takes it.",
    ),
    row(
        "Ofast-compile",
        "Ofc",
        A::One,
        "0|min|mid|max",
        "0",
        E::Set(|o, v| match v {
            "0" => set(&mut o.ceiling, 3),
            "min" => set(&mut o.ceiling, 2),
            "mid" => set(&mut o.ceiling, 1),
            "max" => set(&mut o.ceiling, 0),
            _ => Err(ValueError::FastCompile(v.to_owned())),
        }),
        "Compile faster: min, mid and max allow no level above 2, 1 and 0.",
    ),
    row(
        "allow-expensive-optimizations",
        "allow-expensive-optimizations",
        A::Bool,
        "true|false",
        "true at level 3",
        E::Set(|o, v| set(&mut o.expensive, Some(v == "true"))),
        "Whether to run what the table below calls expensive: true from level 1 on, false at no level.",
    ),
    row(
        "fmad",
        "fmad",
        A::Bool,
        "true|false",
        "true",
        E::Set(|o, v| set(&mut o.contract, v == "true")),
        "Allow contraction of floating-point products and sums.",
    ),
    row(
        "optimize-float-atomics",
        "opt-fp-atomics",
        A::None,
        "",
        "",
        E::Holds("it is a permission, and no optimisation uses it."),
        "Allow optimisations of float atomics that change precision.",
    ),
    row(
        "disable-optimizer-constants",
        "disable-optimizer-consts",
        A::None,
        "",
        "",
        E::Holds("the optimiser has no constant bank of its own."),
        "Make no constant bank for the optimiser.",
    ),
    row(
        "dont-merge-basicblocks",
        "no-bb-merge",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.merge_blocks, false)),
        // ptxas's own words, typing errors included (requirements CFG-24).
        "Normally, ptxas attempts to merge consecutive basic blocks as part of its optization process. However, for debuggable code this is very confusing. This option prevents basic block merging, at a slight perfomance cost.",
    ),
    row(
        "return-at-end",
        "ret-end",
        A::None,
        "",
        "",
        E::Refused("the last return is not kept for breakpoints."),
        "Keep the last return, for debugging.",
    ),
    row(
        "split-compile",
        "split-compile",
        A::One,
        "N",
        "1",
        E::Set(|o, v| set(&mut o.jobs, number(v)?.try_into().unwrap_or(0))),
        "Threads to compile with; 0 is one for each CPU. The output's bytes do not depend on it.",
    ),
    from(
        Origin::PtxasLater,
        row(
            "jobserver",
            "jobserver",
            A::None,
            "",
            "",
            E::Refused("make's job server is not spoken."),
            "Ask make for threads.",
        ),
    ),
    from(
        Origin::PtxasLater,
        row(
            "apply-controls",
            "apply-controls",
            A::One,
            "FILE",
            "",
            E::Refused("there is no file of controls here."),
            "Pass options to parts of the compiler.",
        ),
    ),
    from(
        Origin::PtxasLater,
        row(
            "enable-func-clone-sc",
            "enable-func-clone-sc",
            A::Bool,
            "true|false",
            "false",
            E::Only(&["false"], "functions of relocatable objects are not cloned."),
            "Clone local functions for each entry that calls them, with -c.",
        ),
    ),
    from(
        Origin::PtxasHidden,
        row(
            "regAllocOptLevel",
            "",
            A::One,
            "N",
            "",
            E::Ignored(|_, v| number(v).map(drop), "the allocator has one level."),
            "Effort of the register allocator.",
        ),
    ),
    row(
        "maxrregcount",
        "maxrregcount",
        A::One,
        "archmax|archmin|N",
        "no limit",
        E::Set(|o, v| set(&mut o.registers, Some(register_limit(v)?))),
        "Most registers that a thread may use.",
    ),
    row(
        "device-function-maxrregcount",
        "func-maxrregcount",
        A::One,
        "archmax|archmin|N",
        "",
        E::Ignored(
            |_, v| register_limit(v).map(drop),
            "whole programs have no functions with registers of their own.",
        ),
        "Most registers of device functions, with -c.",
    ),
    row(
        "maxntid",
        "maxntid",
        A::One,
        "X,Y,Z",
        "",
        E::Set(threads),
        "Largest block, for entries without .maxntid; ignored with -maxrregcount.",
    ),
    row(
        "minnctapersm",
        "minnctapersm",
        A::One,
        "N",
        "",
        // ptxas takes 0 for none, and leaves out what is out of range, below 0 too, with a warning (13.0.88).
        E::Set(|o, v| match v.parse::<i64>() {
            Ok(0) => Ok(()),
            Ok(n) => set(&mut o.blocks_per_processor, Some(u32::try_from(n).unwrap_or(u32::MAX))),
            Err(_) => Err(ValueError::NoNumber(v.to_owned())),
        }),
        "Fewest blocks on a multiprocessor, for entries without .minnctapersm; ignored with -maxrregcount.",
    ),
    row(
        "override-directive-values",
        "override-directive-values",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.override_directives, true)),
        "-minnctapersm, -maxntid and -maxrregcount count more than directives.",
    ),
    row(
        "register-usage-level",
        "regUsageLevel",
        A::One,
        "0..10",
        "5",
        E::Set(usage_level),
        "How many registers the order of instructions may cost: 0 none beyond those that are needed anyway, 10 as many as save a cycle.",
    ),
    row(
        "def-load-cache",
        "dlcm",
        A::One,
        "ca|cg|cs|lu|cv",
        "",
        E::Set(|o, v| set(&mut o.caches.default_load, Some(operator(v, false)?))),
        "Cache operator of global and generic loads without one.",
    ),
    row(
        "def-store-cache",
        "dscm",
        A::One,
        "wb|cg|cs|wt",
        "",
        E::Set(|o, v| set(&mut o.caches.default_store, Some(operator(v, true)?))),
        "Cache operator of global and generic stores without one.",
    ),
    row(
        "force-load-cache",
        "flcm",
        A::One,
        "ca|cg|cs|lu|cv",
        "",
        E::Set(|o, v| set(&mut o.caches.forced_load, Some(operator(v, false)?))),
        "Cache operator of all global and generic loads.",
    ),
    row(
        "force-store-cache",
        "fscm",
        A::One,
        "wb|cg|cs|wt",
        "",
        E::Set(|o, v| set(&mut o.caches.forced_store, Some(operator(v, true)?))),
        "Cache operator of all global and generic stores.",
    ),
    row("device-debug", "g", A::None, "", "", E::Refused(DEBUG), "Make debug information."),
    row(
        "generate-line-info",
        "lineinfo",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.line_info, true)),
        "Make line information; modules with a .loc have it anyway.",
    ),
    row(
        "suppress-debug-info",
        "suppress-debug-info",
        A::None,
        "",
        "",
        E::Set(|o, _| set(&mut o.suppress_debug, true)),
        "Leave debug sections out.",
    ),
    row(
        "make-errors-visible-at-exit",
        "make-errors-visible-at-exit",
        A::None,
        "",
        "",
        E::Refused("exits do not wait for memory errors."),
        "Wait for memory errors at exits.",
    ),
    row(
        "legacy-bar-warp-wide-behavior",
        "legacy-bar-warp-wide-behavior",
        A::None,
        "",
        "",
        E::Refused("it is for chips before sm_70."),
        "A bar by one thread counts for its whole warp.",
    ),
    row(
        "sanitize",
        "sanitize",
        A::One,
        "memcheck|threadsteer",
        "",
        E::Refused(INSTRUMENT),
        "Instrument the code.",
    ),
    row(
        "sp-bounds-check",
        "sp-bounds-check",
        A::None,
        "",
        "",
        E::Refused(INSTRUMENT),
        "Check the stack pointer.",
    ),
    row(
        "device-stack-protector",
        "device-stack-protector",
        A::Bool,
        "true|false",
        "false",
        E::Only(&["false"], "stack frames have no canaries."),
        "Put canaries into stack frames.",
    ),
    row(
        "g-tensor-memory-access-check",
        "g-tmem-access-check",
        A::None,
        "",
        "",
        E::Refused(TENSOR),
        "Check accesses of tensor memory.",
    ),
    row(
        "gno-tensor-memory-access-check",
        "gno-tmem-access-check",
        A::None,
        "",
        "",
        E::Holds("accesses of tensor memory are not checked in any case."),
        "Do not check accesses of tensor memory.",
    ),
    from(
        Origin::PtxasLater,
        row(
            "gno-fabric-access-check",
            "gno-fabric-access-check",
            A::None,
            "",
            "",
            E::Holds("accesses of the fabric are not checked in any case."),
            "Do not check accesses of the fabric.",
        ),
    ),
];
