//! Instructions by text: writers, readers, accesses to memory.
//!
//! The first instruction writes R16, P0, UR8 or UP0 from R24, R32, R40, UR12, UR16, UR20; the second reads R80, P3, UR32 or UP3, and R88,
//! R96, UR36, and writes R104, P4, UR40 or UP4. What is linked is put into place by the selection.

use super::probe::{Around, Scratch};
use sassafras_isa::{Inst, Style, parse};

/// An instruction by text.
///
/// # Panics
/// When it is none: the texts are this program's own.
pub fn inst(text: &str) -> Inst {
    parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Writers of R16 whose result is R24, or a pair of them, as it is, and the register of the result that counts.
pub const MOVES: [(&str, u32); 12] = [
    ("MOV R16, R24", 0),
    ("LOP3.LUT R16, R24, RZ, RZ, 0xfc, !PT", 0),
    ("IADD3 R16, R24, RZ, RZ", 0),
    ("VIADD R16, R24, 0x0", 0),
    ("IMAD.MOV.U32 R16, RZ, RZ, R24", 0),
    ("IMAD.WIDE.U32 R16, R24, 0x1, RZ", 0),
    ("IMAD.WIDE.U32 R16, RZ, RZ, R24", 1),
    ("HADD2 R16, R24, -RZ.H0_H0", 0),
    ("HFMA2.MMA R16, R24, 1, 1, -RZ", 0),
    ("DADD R16, R24, -RZ", 0),
    ("DADD R16, R24, -RZ", 1),
    ("CS2R R16, SRZ", 0),
];

/// Readers of R80.
pub const READERS: [&str; 17] = [
    "IADD3 R104, R80, R89, RZ",
    "LOP3.LUT R104, R89, R80, R96, 0x96, !PT",
    "VIADD R104, R80, 0x5",
    "FADD R104, R80, R89",
    "IMAD R104, R80, R89, R96",
    "IMAD R104, R89, R96, R80",
    "IMAD.WIDE.U32 R104, R80, R89, R96",
    "IMAD.WIDE.U32 R104, R89, R97, R80",
    "HADD2 R104, R80, R89",
    "HFMA2.MMA R104, R89, R97, R80",
    "DADD R104, R80, R88",
    "DFMA R104, R88, R96, R80",
    "POPC R104, R80",
    "SHFL.BFLY PT, R104, R80, 0x1, 0x1f",
    "R2UR UR40, R80",
    "ISETP.NE.AND P4, PT, R80, R89, PT",
    "VOTE.ANY R104, PT, !PT",
];

/// Writers of P0, or of all predicates.
pub const PREDICATES: [&str; 10] = [
    "ISETP.NE.AND P0, PT, R24, R32, PT",
    "ISETP.LT.U32.AND P0, PT, R24, 0x1234567, PT",
    "FSETP.NEU.AND P0, PT, R24, R32, PT",
    "HSETP2.NEU.AND P0, PT, R24, R32, PT",
    "DSETP.NEU.AND P0, PT, R24, R32, PT",
    "PLOP3.LUT P0, PT, P1, P2, PT, 0x96, 0x0",
    "LOP3.LUT P0, R16, R24, R32, R40, 0x96, !PT",
    "IADD3 R16, P0, R24, R32, RZ",
    "R2P PR, R24, 0x7f",
    "R2UR P0, UR8, R24",
];

/// Readers of P3.
pub const BY_PREDICATE: [&str; 18] = [
    "SEL R104, R80, R89, P3",
    "FSEL R104, R80, R89, P3",
    "FMNMX R104, R80, R89, P3",
    "PLOP3.LUT P4, PT, P3, P5, PT, 0x96, 0x0",
    "VOTE.ANY R104, P4, P3",
    "VOTE.ALL P4, P3",
    "IADD3.X R104, R80, R89, RZ, P3, !PT",
    "IMAD.X R104, R80, 0x1, R89, P3",
    "LEA.HI.X R104, R80, R89, R96, 0x3, P3",
    "P2R R104, PR, RZ, 0x8",
    "ISETP.LT.AND P4, PT, R80, R89, P3",
    "FSETP.LT.AND P4, PT, R80, R89, P3",
    "@P3 MOV R104, R80",
    "@!P3 IMAD R104, R80, R89, R96",
    "@P3 FADD R104, R80, R89",
    "@P3 DADD R104, R80, R88",
    "@P3 POPC R104, R80",
    "@P3 SHFL.BFLY PT, R104, R80, 0x1, 0x1f",
];

/// Writers of UR8.
pub const UNIFORM: [&str; 11] = [
    "UMOV UR8, UR12",
    "UMOV UR8, 0x1234567",
    "ULDC UR8, c[0x0][0x220]",
    "UIADD3 UR8, UR12, UR16, URZ",
    "ULOP3.LUT UR8, UR12, UR16, URZ, 0x96, !UPT",
    "USHF.L.U32 UR8, UR12, 0x3, URZ",
    "UIMAD UR8, UR12, UR16, UR20",
    "USEL UR8, UR12, UR16, UP1",
    "UIMAD.WIDE.U32 UR8, UR12, UR16, URZ",
    "R2UR UR8, R24",
    "VOTEU.ANY UR8, UPT, P1",
];

/// Readers of UR32.
pub const BY_UNIFORM: [&str; 14] = [
    "MOV R104, UR32",
    "IADD3 R104, R80, UR32, RZ",
    "LOP3.LUT R104, R80, UR32, RZ, 0x96, !PT",
    "IMAD R104, R80, UR32, R96",
    "IMAD.U32 R104, RZ, RZ, UR32",
    "FADD R104, R80, UR32",
    "DADD R104, R80, UR32",
    "POPC R104, UR32",
    "UMOV UR40, UR32",
    "UIADD3 UR40, UR32, UR36, URZ",
    "UIMAD UR40, UR32, UR36, URZ",
    "USHF.L.U32 UR40, UR32, 0x3, URZ",
    "UPOPC UR40, UR32",
    "UISETP.NE.AND UP4, UPT, UR32, UR36, UPT",
];

/// Writers of UP0.
pub const UNIFORM_PREDICATES: [&str; 4] = [
    "UISETP.NE.AND UP0, UPT, UR12, UR16, UPT",
    "UISETP.LT.U32.AND UP0, UPT, UR12, 0x1234567, UPT",
    "ULOP3.LUT UP0, UR8, UR12, UR16, URZ, 0x96, !UPT",
    "UIADD3 UR8, UP0, UR12, UR16, URZ",
];

/// Readers of UP3.
pub const BY_UNIFORM_PREDICATE: [&str; 7] = [
    "USEL UR40, UR32, UR36, UP3",
    "UIADD3.X UR40, UR32, UR36, URZ, UP3, !UPT",
    "UISETP.LT.AND UP4, UPT, UR32, UR36, UP3",
    "PLOP3.LUT P4, PT, P3, P5, UP3, 0x96, 0x0",
    "@UP3 UMOV UR40, UR32",
    "@UP3 UIADD3 UR40, UR32, UR36, URZ",
    "@UP3 ULDC UR40, c[0x0][0x228]",
];

/// What a register that is read as a part of an address holds, before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Anything.
    Data,
    /// The global address of a slot, in a pair.
    Global,
    /// The shared address of a slot.
    Shared,
    /// An offset of a constant.
    Index,
}

/// Accesses to memory that read R80.
pub const MEMORY: [(&str, Holds, Scratch); 27] = [
    ("STG.E desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("STG.E.64 desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("STG.E.128 desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("STG.E desc[UR4][R80.64], R156", Holds::Global, Scratch::Global),
    ("STG.E.128 desc[UR4][R80.64], R156", Holds::Global, Scratch::Global),
    ("LDG.E R104, desc[UR4][R80.64]", Holds::Global, Scratch::Global),
    ("LDG.E.64 R104, desc[UR4][R80.64]", Holds::Global, Scratch::Global),
    ("LDG.E.128 R104, desc[UR4][R80.64]", Holds::Global, Scratch::Global),
    ("LD.E R104, desc[UR4][R80.64]", Holds::Global, Scratch::Global),
    ("ST.E desc[UR4][R80.64], R156", Holds::Global, Scratch::Global),
    ("ST.E desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("ATOMG.E.ADD.STRONG.GPU PT, R104, desc[UR4][R80.64], R156", Holds::Global, Scratch::Global),
    ("ATOMG.E.ADD.STRONG.GPU PT, R104, desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("REDG.E.ADD.STRONG.GPU desc[UR4][R80.64], R156", Holds::Global, Scratch::Global),
    ("REDG.E.ADD.STRONG.GPU desc[UR4][R150.64], R80", Holds::Data, Scratch::Global),
    ("STS [R154], R80", Holds::Data, Scratch::Shared),
    ("STS.64 [R154], R80", Holds::Data, Scratch::Shared),
    ("STS.128 [R154], R80", Holds::Data, Scratch::Shared),
    ("STS [R80], R156", Holds::Shared, Scratch::Shared),
    ("STS.128 [R80], R156", Holds::Shared, Scratch::Shared),
    ("LDS R104, [R80]", Holds::Shared, Scratch::Shared),
    ("LDS.64 R104, [R80]", Holds::Shared, Scratch::Shared),
    ("LDS.128 R104, [R80]", Holds::Shared, Scratch::Shared),
    ("ATOMS.ADD R104, [R80], R156", Holds::Shared, Scratch::Shared),
    ("ATOMS.ADD R104, [R154], R80", Holds::Data, Scratch::Shared),
    ("LDSM.16.M88.4 R104, [R80]", Holds::Shared, Scratch::Shared),
    ("LDC R104, c[0x0][R80+0x220]", Holds::Index, Scratch::None),
];

/// Accesses to memory, and branches, by P3.
pub const MEMORY_BY_PREDICATE: [(&str, Scratch); 9] = [
    ("@P3 STG.E desc[UR4][R150.64], R80", Scratch::Global),
    ("@!P3 STG.E desc[UR4][R150.64], R80", Scratch::Global),
    ("@P3 LDG.E R104, desc[UR4][R150.64]", Scratch::Global),
    ("@!P3 ATOMG.E.ADD.STRONG.GPU PT, R104, desc[UR4][R150.64], R80", Scratch::Global),
    ("@P3 REDG.E.ADD.STRONG.GPU desc[UR4][R150.64], R80", Scratch::Global),
    ("@P3 STS [R154], R80", Scratch::Shared),
    ("@P3 LDS R104, [R154]", Scratch::Shared),
    ("@!P3 ATOMS.ADD R104, [R154], R80", Scratch::Shared),
    ("@P3 LDC R104, c[0x0][0x228]", Scratch::None),
];

/// What stands around an instruction that reads something that holds so.
pub fn around(holds: Holds, scratch: Scratch) -> Around {
    let lines: &[&str] = match holds {
        Holds::Data => &[],
        Holds::Global => &["MOV R16, R150", "MOV R17, R151", "MOV R24, R152", "MOV R25, R153"],
        Holds::Shared => &["MOV R16, R154", "MOV R17, RZ", "MOV R24, R155", "MOV R25, RZ"],
        Holds::Index => &["MOV R16, RZ", "MOV R17, RZ", "MOV R24, 0x8", "MOV R25, RZ"],
    };
    Around { before: lines.iter().map(|l| (*l).to_owned()).collect(), behind: None, scratch }
}

/// A branch over so many bytes.
///
/// # Panics
/// When the isa has no such form: a mistake of this program.
pub fn branch(bytes: i64) -> Inst {
    let mut inst = Inst::new(sassafras_isa::form("bra").expect("a branch"));
    inst.set("t", bytes as u64).expect("a target");
    inst
}

/// Branches over the next instruction: by a guard, by its negation, by an operand.
pub fn branches() -> [Inst; 3] {
    [branch(16).guarded(3, false), branch(16).guarded(3, true), branch(16).with("q", 3)]
}

/// Texts that are no instructions of the chip.
pub fn faults() -> Vec<String> {
    let lists: [&[&str]; 8] = [
        &READERS,
        &PREDICATES,
        &BY_PREDICATE,
        &UNIFORM,
        &BY_UNIFORM,
        &UNIFORM_PREDICATES,
        &BY_UNIFORM_PREDICATE,
        &MEMORY_BY_PREDICATE.map(|m| m.0),
    ];
    let texts = lists.concat().into_iter().chain(MOVES.map(|m| m.0)).chain(MEMORY.map(|m| m.0));
    let fault = |text: &str| match parse(text, &Style::default()) {
        Err(e) => Some(format!("{text}: {e}")),
        Ok(inst) if !inst.row().chips.contains(crate::words::variant::CHIP) => {
            Some(format!("{text}: not on the chip"))
        }
        Ok(_) => None,
    };
    texts.filter_map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_an_instruction_of_the_chip() {
        assert_eq!(faults(), Vec::<String>::new());
    }
}
