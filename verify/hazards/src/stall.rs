//! The least stall behind instructions that the dispatcher must be done with before the warp issues again.
//!
//! The judge's own numbers, not those of the compiler: the least that ptxas leaves at -O1 and -O3 over the recorded kernels and a kernel of
//! fences, barriers, calls and waits, on sm_75, sm_80, sm_89, sm_90, sm_100 and sm_120. Our own code has what 13.0.88 leaves; that of others
//! may have what 11.8.89 and 12.0.140 leave, and a stall of 0, which ptxas has at -O0 and with -g and which must hold the warp (see
//! `sassafras_chip::latency`).

use sassafras_chip::Chip;
use sassafras_isa::Inst;

/// Mnemonics, and cycles on sm_75, on sm_80 to sm_89, and from sm_90 on.
type Row = (&'static [&'static str], [u8; 3]);

const LEAST: &[Row] = &[
    (&["BRA", "BRX", "BRXU", "JMP", "JMX", "RET", "EXIT", "BSYNC"], [5, 5, 5]),
    // Before sm_90 ptxas leaves 1 behind a guarded CALL.REL.NOINC to the next word but one.
    (&["CALL"], [5, 1, 5]),
    (&["MEMBAR"], [5, 6, 6]),
    (&["DEPBAR"], [4, 4, 4]),
    (&["BAR"], [5, 1, 1]),
];

/// The same of our own code alone: 11.8.89 and 12.0.140 leave 1 on sm_90.
const OWN: &[Row] = &[(&["WARPSYNC"], [4, 1, 5]), (&["BREAK", "NANOSLEEP", "YIELD", "BMOV"], [1, 1, 5])];

/// Cycles behind an instruction before the warp may issue the next one; 0 where nothing is known to be needed.
pub(crate) fn least(inst: &Inst, chip: Chip, own: bool) -> u8 {
    let generation = match chip.number() {
        ..80 => 0,
        80..90 => 1,
        _ => 2,
    };
    let mnemonic = inst.row().mnemonic;
    // It follows a fence. A prefetch is a CCTL too, and needs nothing.
    if inst.row().id == "cctl.ivall" {
        return [5, 5, 1][generation];
    }
    let rows = LEAST.iter().chain(OWN.iter().filter(|_| own));
    rows.into_iter().find(|(names, _)| names.contains(&mnemonic)).map_or(0, |(_, cycles)| cycles[generation])
}
