//! What ptxas 13.0.88 and 13.5.37 are known to compile wrongly, for those who hold its code against single instructions: by
//! program of `corpus/ptxas-open`, which shows each. What whole programs meet is `sassafras-lint`'s to say.

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

#[cfg(test)]
mod tests {
    use super::*;

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
