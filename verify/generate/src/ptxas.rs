//! What ptxas 13.0.88 and 13.5.37 are known to compile wrongly, for those who hold its code against single instructions: by
//! program of `corpus/ptxas-open`, which shows each.

/// An error of ptxas.
#[derive(Clone, Copy, Debug)]
pub struct Error {
    /// The program of `corpus/ptxas-open` that shows it.
    pub program: &'static str,
    /// How the mnemonics begin.
    pub mnemonics: &'static [&'static str],
    /// It errs under a guard alone.
    pub guarded: bool,
    /// It errs where an operand comes through this instruction alone.
    pub through: Option<&'static str>,
    /// It errs with these operands alone.
    pub operands: Option<&'static str>,
}

/// All that single instructions show.
pub const ERRORS: &[Error] = &[
    Error { program: "set_guarded_f32", mnemonics: &["set."], guarded: true, through: None, operands: None },
    Error { program: "testp_guarded", mnemonics: &["testp."], guarded: true, through: None, operands: None },
    Error {
        program: "bfe_64",
        mnemonics: &["bfe.u64", "bfe.s64", "bfi.b64"],
        guarded: false,
        through: None,
        operands: None,
    },
    Error { program: "fns_far", mnemonics: &["fns.b32"], guarded: false, through: None, operands: None },
    Error {
        program: "slct_abs_nan",
        mnemonics: &["slct."],
        guarded: false,
        through: Some("abs.f32"),
        operands: None,
    },
    Error {
        program: "cvt_ftz_f16",
        mnemonics: &["cvt.rp.ftz.f16.f32", "cvt.rm.ftz.f16.f32"],
        guarded: false,
        through: None,
        operands: None,
    },
    Error {
        program: "cvt_sat_neg",
        mnemonics: &["cvt.sat."],
        guarded: false,
        through: Some("neg.s32"),
        operands: None,
    },
    Error {
        program: "slct_neg",
        mnemonics: &["slct."],
        guarded: false,
        through: Some("neg.s32"),
        operands: None,
    },
    Error {
        program: "unpack_symbol",
        mnemonics: &["mov.b64"],
        guarded: false,
        through: None,
        operands: Some("}, global_memory;"),
    },
    Error {
        program: "video_guarded",
        mnemonics: &["vsub4.u32.u32.u32.add", "vadd4.u32.u32.u32.add"],
        guarded: true,
        through: None,
        operands: None,
    },
    Error {
        program: "video_mad_unsigned",
        mnemonics: &["vmad.u32.u32.u32.", "vmad.s32.u32.u32."],
        guarded: false,
        through: None,
        operands: None,
    },
    Error {
        program: "video_mad_mixed",
        mnemonics: &["vmad.u32.s32.u32.", "vmad.s32.s32.u32.", "vmad.u32.u32.s32.", "vmad.s32.u32.s32."],
        guarded: false,
        through: None,
        operands: None,
    },
];

/// The error that an instruction may show. `how` says how its operands come about, as the name of an exercise does.
pub fn error(line: &str, how: &str) -> Option<&'static Error> {
    let guarded = line.starts_with('@');
    let mnemonic = line.split(' ').nth(guarded.into()).unwrap_or_default();
    ERRORS.iter().find(|e| {
        e.mnemonics.iter().any(|m| mnemonic.starts_with(m))
            && (guarded || !e.guarded)
            && e.through.is_none_or(|t| how.contains(&format!("through {t}")))
            && e.operands.is_none_or(|operands| line.ends_with(operands))
    })
}

/// An error that shows between instructions, or with operands that the first part of a mnemonic does not tell.
struct Pattern {
    /// The program of `corpus/ptxas-open` that shows it.
    program: &'static str,
    /// Whether an instruction is the one that errs: mnemonic and operands.
    errs: fn(&str, &[&str]) -> bool,
    /// How the mnemonic of another instruction begins that has to be there.
    with: Option<&'static str>,
}

const PATTERNS: &[Pattern] = &[
    Pattern {
        program: "max_same_nan",
        errs: |m, o| is_extremum(m) && o.get(1).is_some_and(|a| o.get(2) == Some(a)),
        with: None,
    },
    Pattern {
        program: "shift_narrowed",
        errs: |m, _| matches!(m, "shr.s16" | "shr.u16" | "shl.b16"),
        with: Some("cvt."),
    },
    Pattern {
        program: "video_second_min",
        errs: |m, _| m.starts_with('v') && (m.ends_with(".min") || m.ends_with(".max")),
        with: None,
    },
    Pattern {
        program: "video_part_sat",
        errs: |m, o| m.starts_with('v') && m.contains(".sat") && o.first().is_some_and(|d| d.contains('.')),
        with: None,
    },
    // Declarations are lines as instructions are.
    Pattern {
        program: "unpack_symbol",
        errs: |m, o| m == "mov.b64" && o.first().is_some_and(|d| d.starts_with('{')),
        with: Some(".global"),
    },
    // Any sum or difference whose type is u32.
    Pattern {
        program: "video_sum_sat",
        errs: |m, _| {
            ["vadd.u32", "vsub.u32", "vabsdiff.u32"].iter().any(|v| m.starts_with(v)) && m.contains(".sat")
        },
        with: None,
    },
    Pattern {
        program: "clamp_minus_zero",
        errs: |m, o| m.starts_with("max.") && is_one_of(o, &["0f80000000"]),
        with: Some("min."),
    },
    Pattern {
        program: "clamp_nan",
        errs: |m, o| m.starts_with("max.") && is_one_of(o, &["0f00000000"]),
        with: Some("min."),
    },
    Pattern { program: "borrow_abs", errs: |m, _| m == "abs.s64", with: Some("sub.cc.") },
    Pattern { program: "bfi_masked", errs: |m, _| m == "bfi.b32", with: Some("and.b32") },
    Pattern { program: "cvt_sat_cnot", errs: |m, _| m == "cnot.b32", with: Some("cvt.sat.s") },
    Pattern { program: "cvt_abs_unsigned", errs: |m, _| m == "abs.s32", with: Some("cvt.") },
    Pattern { program: "mbarrier_init_loop", errs: |m, _| m.starts_with("mbarrier.init"), with: Some("bra") },
];

/// What `corpus/ptxas-errors` shows: errors of earlier versions than the newest.
const MENDED: &[Pattern] = &[
    Pattern { program: "bfe_sign", errs: |m, _| m == "bfe.s32", with: None },
    Pattern { program: "rotate64", errs: |m, _| m == "sub.s64", with: Some("shl.b64") },
    Pattern { program: "carry_folded", errs: |m, _| m == "add.cc.u32", with: Some("addc.") },
    Pattern { program: "max_neg", errs: |m, _| m.starts_with("max."), with: Some("neg.") },
];

/// Whether one of the operands is one of these.
fn is_one_of(operands: &[&str], all: &[&str]) -> bool {
    operands.iter().any(|o| all.contains(o))
}

/// `min` and `max` of floats.
fn is_extremum(mnemonic: &str) -> bool {
    ["min.", "max."].iter().any(|m| mnemonic.starts_with(m)) && mnemonic.contains('f')
}

/// The program of `corpus/ptxas-open` that shows the error of a reduced one, in which every instruction matters.
pub fn known(text: &str) -> Option<&'static str> {
    shown(text, PATTERNS, true)
}

/// The program of `corpus/ptxas-errors` that does.
pub fn mended(text: &str) -> Option<&'static str> {
    shown(text, MENDED, false)
}

fn shown(text: &str, patterns: &[Pattern], instructions: bool) -> Option<&'static str> {
    let lines: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap_or_default().trim()).collect();
    let mnemonic = |line: &str| {
        let guarded = line.starts_with('@');
        line.split_whitespace().nth(guarded.into()).unwrap_or_default().to_owned()
    };
    let mnemonics: Vec<String> = lines.iter().map(|l| mnemonic(l)).collect();
    let how = mnemonics.iter().map(|m| format!("through {m}")).collect::<Vec<_>>().join(" ");
    lines.iter().zip(&mnemonics).find_map(|(line, m)| {
        let operands = line.split_once(m.as_str()).map_or("", |l| l.1).trim_end_matches(';');
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let pattern = patterns.iter().find(|p| {
            (p.errs)(m, &operands) && p.with.is_none_or(|with| mnemonics.iter().any(|m| m.starts_with(with)))
        });
        let single = error(line, &how).filter(|_| instructions).map(|e| e.program);
        single.or(pattern.map(|p| p.program))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_known_again() {
        let folder = format!("{}/../../corpus/ptxas-open", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(&folder).expect("the corpus") {
            let path = file.expect("an entry").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            // One row stands for every `set` under a guard.
            let wanted = if name.starts_with("set_guarded") { "set_guarded_f32" } else { name.as_str() };
            assert_eq!(known(&text), Some(wanted));
        }
        assert_eq!(
            known("max.f32 %f1, %f2, %f3;\nshr.s16 %rs1, %rs2, %r1;\nset.gt.u32.f32 %r1, %f2, %f3;"),
            None
        );
    }

    #[test]
    fn each_is_shown_by_a_program() {
        for e in ERRORS {
            let path = format!("{}/../../corpus/ptxas-open/{}.ptx", env!("CARGO_MANIFEST_DIR"), e.program);
            let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"));
            let root = e.mnemonics[0].split('.').next().unwrap_or_default();
            assert!(text.contains(&format!("{root}.")), "{path} has no `{root}`");
        }
    }

    #[test]
    fn what_errs_under_a_guard_does_not_without() {
        assert!(error("set.eq.f32.s32 %f1, %r2, %r3;", "").is_none());
        assert!(error("@!%p1 set.eq.f32.s32 %f1, %r2, %r3;", "").is_some());
        assert!(error("slct.b32.f32 %r1, %r2, %r3, %f4;", "").is_none());
        assert!(error("slct.b32.f32 %r1, %r2, %r3, %f4;", "%f4 through abs.f32").is_some());
        assert!(error("bfe.u32 %r1, %r2, %r3, %r4;", "").is_none());
        assert!(error("mov.b64 {%r1, %r2}, global_memory;", "").is_some());
        assert!(error("mov.b64 {%r1, %r2}, %rd3;", "").is_none());
    }
}
