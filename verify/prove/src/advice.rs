//! What a reason of an `Unknown` means, what was tried, and what to try, for somebody who does not know the prover.
//!
//! A reason begins with what it is about, or has it in it. Rows stand in the order in which they are looked at. `docs/reasons.md` has them all; a test holds it
//! against them.

/// What is said of a kind of reason.
pub struct Advice {
    /// What a reason of this kind has in it.
    pub has: &'static str,
    /// What had to be shown, and how far that went.
    pub means: &'static str,
    /// What may help.
    pub hint: &'static str,
}

macro_rules! rows {
    ($($has:literal: $means:literal => $hint:literal;)*) => {
        /// All of them.
        pub const ALL: &[Advice] = &[$(Advice { has: $has, means: $means, hint: $hint }),*];
    };
}

rows! {
    "vacuous": "no input meets what is assumed of the source: its loops do not end within the unroll bound, or all that it does rests on what nobody wrote"
        => "`--unroll N` with a larger N; `.reqntid` in the PTX where the kernel is meant for one shape of blocks; `sassafras run` on the PTX names registers that were never written";
    "evaluation: only": "before a proof is told both sides are evaluated on drawn inputs; too few of these meet what is assumed of the source"
        => "`--unroll N`, if loops take more iterations; `.reqntid` in the PTX, if the kernel is meant for one shape of blocks";
    "evaluation contradicts": "all obligations were shown, and a drawn input says otherwise: the prover is wrong in one of the two"
        => "report it, with both files";
    "coverage: evaluation": "all was shown within the bound, and no concrete input was found that goes a way of the source which the bound covers, nor that there is none"
        => "`--unroll N` with another N, or `--budget N`";
    "evaluation": "a drawn input was to be evaluated on both sides, and could not be"
        => "report it, with both files, if the line below names nothing that you know";
    "no launch of one warp shows it": "the solver has an example that violates the obligation, and none with one block of at most 32 threads, in which buffers are apart; the launches that were drawn do not differ"
        => "`.reqntid` in the PTX with the shape that the kernel is meant for; `--budget N`";
    "leaves the same memory on both sides": "the solver has an example that violates the obligation, and a launch made of it was run: nothing that it leaves differs, so that the example may rest on what no launch has"
        => "`.reqntid` in the PTX with the shape that the kernel is meant for; `--unroll N`; `--solver all`";
    "is open in the source": "a difference was found where the source may leave several values: fused products, NaNs, approximations, or what was never written"
        => "write what is meant: `fma.rn` or `mul.rn` and `add.rn`, `.ftz`, and registers before they are read";
    "replay": "the solver has an example that violates the obligation, and it could not be run in both executors"
        => "look at the instruction that is named; `--budget N`";
    "what is undefined": "a value of the target rests on what is undefined there"
        => "look at the instruction that is named: it reads a register or memory that nobody wrote";
    "undefined: ": "the sides differ where the source leaves part of its result open (registers or memory that were never written, NaNs, quotients by zero), so that this is no error, and was not shown to be none"
        => "write what is read before it is read; `--budget N`";
    "approximation": "the sides differ in what rests on an approximate function, of which PTX gives a bound and not the value"
        => "`div.rn`, `sqrt.rn`, `rcp.rn` where one value is meant";
    "contraction": "the sides differ in a product or sum without a rounding, which may be fused or not"
        => "`mul.rn` and `add.rn`, or `fma.rn`, where one of them is meant";
    "flushing": "the sides differ in a number next to the least normal one, of which PTX leaves open whether it is flushed"
        => "leave `.ftz` out where that matters";
    "places: ": "the sides differ in the address of a local variable, which is open"
        => "do not store or compare that address";
    "arithmetic": "the solver has an example in which operations on floats have results that they do not have: to it they may be any functions"
        => "`--budget N`; the sides may compute a float in two ways";
    "coverage: within": "all was shown for as many iterations of loops as were unrolled, and some instructions of the target were reached by none of them"
        => "`--unroll N` with a larger N";
    "coverage": "a loop of the target was not shown to end when the source's does"
        => "`--unroll N` with a larger N, or `--budget N`";
    "has no partner": "what other threads see (atomics, barriers, strong accesses, shuffles, votes) has to be the same on both sides, in the same order and with the same operands; this one was not shown to be one of the other side's"
        => "compare the two lines: is it missing, in another order, or has it other operands? `--budget N`, if the operands are computed in two ways";
    "in another order than": "lanes wait at places in another order than in the source, and may wait for each other for ever"
        => "keep barriers, votes and shuffles in the source's order";
    "events": "what other threads see was not shown to be the same on both sides"
        => "compare the two lines; `--budget N`";
    "hazards": "the control bits do not show that a register is ready when it is read, or free when it is written"
        => "`sassafras check` on the cubin names the pair, and how long it has to wait";
    "uniform": "a uniform register, which all lanes of a warp share, is read where other lanes may have written another value, or is made of what may differ between lanes"
        => "read it in the straight piece of code that writes it, or make it of what is the same in all lanes";
    "convergence": "lanes of a warp may be apart where they have to be together, or wait for such as never come (docs/convergence.md)"
        => "a `BSYNC` of a barrier that was set where all were together, or a `WARPSYNC` of the lanes that are meant, before the instruction";
    "generic": "of a generic address it was not shown in which space it lies"
        => "`.global`, `.shared` or `.local` accesses, or `cvta` where the space is known";
    "stack": "the cubin declares less stack than its code was shown to stay in"
        => "the stack's size in `.nv.info` (FRAME_SIZE, MIN_STACK_SIZE)";
    "cubin:": "what the cubin declares beside its code is not what the source and the code need"
        => "`sassafras check` and `sassafras list` on the cubin say what it declares";
    "effort: terms": "what the sides compute grew beyond what is worked through (`--budget` scales it); launches that were drawn do not differ"
        => "`--budget N` with a larger N (30 is what is meant without it), or `--unroll` with fewer iterations";
    "time": "`--timeout` was over before anything was decided"
        => "a larger `--timeout`, or none";
    "no solver": "there is no solver to ask"
        => "install z3 or bitwuzla (`sassafras oracle status` says what is found)";
    "solver": "the solver gave up on the obligation; launches that were drawn do not differ"
        => "`--budget N` with a larger N, `--solver bitwuzla`, or `--unroll` with fewer iterations";
    "what the hardware demands": "an access of the target was not shown to be one that the hardware takes: at a multiple of its size, and within what there is"
        => "look at how the address is made; `--budget N`";
    "not supported": "the instruction has no meaning here yet"
        => "nothing: the rest of the module can be proved with `--entry`";
    "source": "the source is not shown to mean one thing, so that there is nothing to compare with"
        => "look at the line that is named";
    "target": "the target has something that the prover does not follow"
        => "look at the instruction that is named";
    "is that at": "a store of the source and one of the target were not shown to leave the same bytes; launches that were drawn do not differ"
        => "`--budget N` with a larger N, or `--solver all`";
}

/// What is said of a reason; none if no row is about it.
pub fn advice(reason: &str) -> Option<&'static Advice> {
    ALL.iter().find(|row| reason.contains(row.has))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    /// Reasons as users saw them, and what their row has.
    const SEEN: &[(&str, &str)] = &[
        ("vacuous: the assumptions contradict each other", "vacuous"),
        ("evaluation: only 0 inputs meet the assumptions", "evaluation: only"),
        ("evaluation contradicts the solver: input 0: the stores differ", "evaluation contradicts"),
        ("events: the target has no partner for Vote of line 14; the nearest differs", "has no partner"),
        (
            "convergence: lanes wait at 0x0260 and 0x0290 in another order than the source's",
            "in another order than",
        ),
        (
            "target, 0x0270: VOTE.ANY R0, PT, P0: convergence: lanes with other masks may have joined these is not supported",
            "convergence",
        ),
        (
            "target, 0x0030: S2UR UR4, SR_CLOCKLO: uniform: UR4 takes a value that may differ between lanes",
            "uniform",
        ),
        (
            "replay: the store of line 12 is that at 0x0150: a launch made of the solver's example leaves the same memory on both sides",
            "leaves the same memory on both sides",
        ),
        (
            "replay: the store of line 236 is that at 0x0af0: no launch of one warp shows it",
            "no launch of one warp shows it",
        ),
        (
            "the store of line 14 is that at 0x0060: undefined: the source leaves part of its results open",
            "undefined: ",
        ),
        ("both sides leave the same memory: solver: the effort is spent", "solver"),
        ("coverage: within 4 iterations 34 of 35 instructions are reached", "coverage: within"),
        ("coverage: evaluation: no evaluated input goes from 22 to 25", "coverage: evaluation"),
        ("cubin: 16 barriers are used, and 2 are declared", "cubin:"),
        ("effort: terms grow beyond what is worked through", "effort: terms"),
        ("time", "time"),
        (
            "target, 0x00b0: R2UR P1, URZ, R0: a combination of lanes in r2ur.75 is not supported",
            "not supported",
        ),
    ];

    #[test]
    fn each_reason_has_the_row_that_is_about_it() {
        for (reason, has) in SEEN {
            assert_eq!(advice(reason).map(|row| row.has), Some(*has), "{reason}");
        }
    }

    #[test]
    fn the_page_has_every_row() {
        let mut page = String::from(
            "# Why a verdict is `unknown`, and what to try\n\nWritten by `BLESS=1 cargo test -p sassafras-prove advice` from `verify/prove/src/advice.rs`. The first row that a reason has counts. `prove` prints what it means and\n\
             what to try below each reason; `reason` in JSON stays as it is, beside `means` and `try`.\n\n| the reason has | what had to be shown, and how far that went | what to try |\n| --- | --- | --- |\n",
        );
        for row in ALL {
            let _ = writeln!(page, "| `{}` | {} | {} |", row.has.trim(), row.means, row.hint);
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &page).expect("written");
        }
        let there = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(there, page, "docs/reasons.md is not what the rows say: BLESS=1");
    }
}
