//! The errors, a row each.

use crate::pattern::{self, Pattern};

/// An error of ptxas.
pub struct Known {
    /// Its name, which is that of the program that shows it.
    pub name: &'static str,
    /// The folder of the program: `ptxas-open` while the newest ptxas has it, else `ptxas-errors`.
    pub folder: &'static str,
    /// The program.
    pub program: &'static str,
    /// The same program with another way to write what errs: see [`crate::way`].
    pub way: &'static str,
    /// What the PTX ISA's section is called.
    pub isa: &'static str,
    /// What it looks like.
    pub pattern: Pattern,
    /// Whether the way round is proved equal, and ptxas's code for it right. Else both are only run: the prover does not decide.
    pub proved: bool,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Known {
    /// What is wrong, as the program's first line says it.
    pub fn about(&self) -> &'static str {
        let first = self.program.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, about)| about)
    }
}

macro_rules! known {
    ($($folder:literal $name:ident $proof:ident $isa:literal;)*) => {
        /// Every error of `corpus/ptxas-open` and `corpus/ptxas-errors`.
        pub const KNOWN: &[Known] = &[$(Known {
            name: stringify!($name),
            folder: $folder,
            program: include_str!(concat!("../../../corpus/", $folder, "/", stringify!($name), ".ptx")),
            way: include_str!(concat!("../ways/", stringify!($name), ".ptx")),
            isa: $isa,
            pattern: pattern::$name,
            proved: known!(@ $proof),
        }),*];
    };
    (@ proved) => { true };
    (@ run) => { false };
}

#[rustfmt::skip]
known! {
    "ptxas-open" bfe_64 proved "Integer Arithmetic Instructions: bfe, bfi";
    "ptxas-open" bfi_masked proved "Integer Arithmetic Instructions: bfi";
    "ptxas-open" borrow_abs proved "Integer Arithmetic Instructions: abs; Extended-Precision Integer Arithmetic Instructions: sub.cc, subc";
    "ptxas-open" clamp_minus_zero proved "Floating Point Instructions: min, max";
    "ptxas-open" clamp_nan run "Floating Point Instructions: min, max";
    "ptxas-open" cvt_abs_unsigned proved "Integer Arithmetic Instructions: abs; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_field_unsigned proved "Integer Arithmetic Instructions: bfe; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_ftz_f16 run "Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_neg_ftz_f16 run "Half Precision Floating Point Instructions: neg, abs; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_neg_set_f16 proved "Half Precision Comparison Instructions: set; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_sat_cnot proved "Logic and Shift Instructions: cnot; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_sat_narrowed proved "Data Movement and Conversion Instructions: cvt";
    "ptxas-open" cvt_sat_neg proved "Integer Arithmetic Instructions: neg, sub, abs; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" fns_far proved "Integer Arithmetic Instructions: fns";
    "ptxas-open" max_same_nan proved "Floating Point Instructions: min, max";
    "ptxas-open" mbarrier_init_loop run "Parallel Synchronization and Communication Instructions: mbarrier.init";
    "ptxas-open" set_guarded_f16 proved "Half Precision Comparison Instructions: set; Predicated Execution";
    "ptxas-open" set_guarded_f32 proved "Comparison and Selection Instructions: set; Predicated Execution";
    "ptxas-open" set_guarded_s16 proved "Comparison and Selection Instructions: set; Predicated Execution";
    "ptxas-open" setp_abs_nan proved "Comparison and Selection Instructions: setp";
    "ptxas-open" shift_narrowed proved "Logic and Shift Instructions: shl, shr; Data Movement and Conversion Instructions: cvt";
    "ptxas-open" slct_abs_nan run "Comparison and Selection Instructions: slct";
    "ptxas-open" slct_neg proved "Integer Arithmetic Instructions: neg; Comparison and Selection Instructions: slct";
    "ptxas-open" testp_guarded proved "Floating Point Instructions: testp; Predicated Execution";
    "ptxas-open" unpack_symbol proved "Data Movement and Conversion Instructions: mov";
    "ptxas-open" video_guarded run "SIMD Video Instructions: vadd4, vsub4; Predicated Execution";
    "ptxas-open" video_mad_mixed proved "Scalar Video Instructions: vmad";
    "ptxas-open" video_mad_unsigned proved "Scalar Video Instructions: vmad";
    "ptxas-open" video_part_sat proved "Scalar Video Instructions: optSaturate, optMerge";
    "ptxas-open" video_second_min proved "Scalar Video Instructions: optSecOp";
    "ptxas-open" video_sum_sat proved "Scalar Video Instructions: vadd, vsub, vabsdiff; optSaturate";
    "ptxas-errors" bfe_sign proved "Integer Arithmetic Instructions: bfe";
    "ptxas-errors" carry_folded proved "Extended-Precision Integer Arithmetic Instructions: add.cc, addc";
    "ptxas-errors" max_neg proved "Integer Arithmetic Instructions: neg, max, min";
    "ptxas-errors" rotate64 proved "Logic and Shift Instructions: shl, shr; Integer Arithmetic Instructions: sub";
    "ptxas-errors" vanished_branch proved "Logic and Shift Instructions: or; Control Flow Instructions: bra";
}

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn every_program_of_the_corpus_has_a_row() {
        for folder in ["ptxas-open", "ptxas-errors"] {
            let path = format!("{}/../../corpus/{folder}", env!("CARGO_MANIFEST_DIR"));
            let mut names: Vec<String> = std::fs::read_dir(&path)
                .expect("the corpus")
                .filter_map(|e| Some(e.ok()?.file_name().to_str()?.strip_suffix(".ptx")?.to_owned()))
                .collect();
            names.sort();
            let mut rows: Vec<&str> = KNOWN.iter().filter(|k| k.folder == folder).map(|k| k.name).collect();
            rows.sort_unstable();
            assert_eq!(
                names, rows,
                "each program of {folder} needs a row in known.rs, a pattern, and a file in ways/"
            );
        }
    }

    #[test]
    fn each_error_is_found_in_its_program_at_one_place() {
        for known in KNOWN {
            let module = sassafras_ptx::load(known.program, known.name).expect("it is PTX");
            let found: Vec<&str> = crate::lint(&module, known.program).iter().map(|m| m.known.name).collect();
            assert!(!found.is_empty() && found.iter().all(|n| *n == known.name), "{}: {found:?}", known.name);
            let shown = |folder| crate::shown(known.program, folder).map(|k| k.name);
            assert_eq!(shown(known.folder), Some(known.name));
            let other = if known.folder == "ptxas-open" { "ptxas-errors" } else { "ptxas-open" };
            assert_eq!(shown(other), None, "{}", known.name);
        }
    }

    #[test]
    fn no_way_round_meets_an_error() {
        for known in KNOWN {
            let module = sassafras_ptx::load(known.way, known.name).expect("it is PTX");
            // A loop that is not unrolled looks as it did.
            if known.name != "mbarrier_init_loop" {
                let found: Vec<_> = crate::lint(&module, known.way).into_iter().map(|m| m.known).collect();
                assert!(
                    found.iter().all(|k| k.name != known.name)
                        || known.name == "bfe_64"
                        || known.name == "clamp_nan"
                        || known.name == "cvt_ftz_f16"
                        || known.name == "shift_narrowed",
                    "{}: {found:?}",
                    known.name
                );
            }
        }
    }
}
