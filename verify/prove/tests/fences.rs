//! Fences and ordered accesses, each kind at each scope: what stands in our code is as strong as what ptxas makes of the
//! same, each is proved, and code of a weaker fence is not.

#![allow(missing_docs)]

mod common;

use common::{line, module, ours, z3};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, Style, decode, print};
use sassafras_oracle::Tools;
use sassafras_prove::{Verdict, prove};

/// The version that ptxas's column in [`fences`] is from.
const PTXAS: &str = "13.5.37";

fn program(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .b32 x, y;\n.reg .b64 at;\nld.param.u64 at, [p];\ncvta.to.global.u64 at, at;\nld.global.u32 x, [at];\n\
         st.global.u32 [at+8], x;\n{body}\nst.global.u32 [at+16], x;\nret;\n}}\n"
    )
}

/// Fences, caches emptied and strong accesses, in order, as `MEMBAR.SC.GPU`, `CCTL.IVALL`, `LDG.STRONG.GPU`.
fn ordered(cubin: &Cubin) -> Vec<String> {
    let code = &cubin.functions.iter().find(|f| f.name == "k").expect("the entry").code;
    let texts = code.iter().map(|w| print(&decode(*w, Chip::Sm90).expect("a word"), &Style::default()));
    let kept = texts.filter_map(|text| {
        let word =
            text.split_whitespace().find(|word| !word.starts_with('@'))?.trim_end_matches(';').to_owned();
        match word.split('.').next()? {
            "MEMBAR" | "CCTL" | "ERRBAR" | "CGAERRBAR" => Some(word),
            access if word.contains(".STRONG.") => {
                Some(format!("{access}.STRONG.{}", word.rsplit('.').next().unwrap_or_default()))
            }
            _ => None,
        }
    });
    kept.collect()
}

fn theirs(text: &str) -> Option<Cubin> {
    let ptxas = match Tools::here().ptxas(PTXAS) {
        Ok(ptxas) => ptxas,
        Err(why) => {
            sassafras_oracle::skip("fences", &why);
            return None;
        }
    };
    let (bytes, _) = ptxas.compile_text(text, "sm_90", &[]).expect("ptxas takes it");
    Some(sassafras_cubin::read(&bytes).expect("a sound cubin"))
}

/// Each fence of PTX, whether it is sequentially consistent, and the width of its scope in the hardware's words.
fn fences() -> Vec<(String, bool, &'static str)> {
    let mut all = Vec::new();
    for (scope, hardware) in [("cta", "CTA"), ("cluster", "GPU"), ("gpu", "GPU"), ("sys", "SYS")] {
        for kind in ["", ".acquire", ".release", ".acq_rel", ".sc"] {
            all.push((format!("fence{kind}.{scope};"), kind == ".sc", hardware));
        }
    }
    // PTX ISA, "membar": on sm_70 and above it is `fence.sc`.
    for (scope, hardware) in [("cta", "CTA"), ("gl", "GPU"), ("sys", "SYS")] {
        all.push((format!("membar.{scope};"), true, hardware));
    }
    all
}

/// The whole of a fence; `fence.acquire` and `.release` are made as if they were both, of which ptxas leaves out a half.
#[test]
fn each_fence_is_as_strong_as_ptxas_makes_it() {
    for (fence, sequential, scope) in fences() {
        let text = program(&fence);
        let mut wanted = vec![format!("MEMBAR.{}.{scope}", if sequential { "SC" } else { "ALL" })];
        if scope != "CTA" {
            wanted.extend(["ERRBAR", "CGAERRBAR", "CCTL.IVALL"].map(String::from));
        }
        assert_eq!(ordered(&ours(&text).expect("it compiles")), wanted, "{fence}");
        let Some(theirs) = theirs(&text) else { continue };
        let half = fence.contains("acquire") || fence.contains("release");
        let mut rest = ordered(&theirs);
        if half {
            rest.retain(|word| !wanted.contains(word));
            wanted.clear();
        }
        assert_eq!(rest, wanted, "{fence}: ptxas");
    }
}

/// What an ordered access has before and behind it. `atom.exch`, as ptxas lets one lane do sums for all.
#[test]
fn each_access_is_as_strong_as_ptxas_makes_it() {
    let mut compared = 0;
    for (scope, hardware) in [("cta", "SM"), ("cluster", "GPU"), ("gpu", "GPU"), ("sys", "SYS")] {
        for (order, access, with) in [
            ("relaxed", "ld", "ld.relaxed.S.global.u32 x, [at+4];"),
            ("acquire", "ld", "ld.acquire.S.global.u32 x, [at+4];"),
            ("relaxed", "st", "st.relaxed.S.global.u32 [at+4], x;"),
            ("release", "st", "st.release.S.global.u32 [at+4], x;"),
            ("relaxed", "atom", "atom.relaxed.S.global.exch.b32 x, [at+4], x;"),
            ("acquire", "atom", "atom.acquire.S.global.exch.b32 x, [at+4], x;"),
            ("release", "atom", "atom.release.S.global.exch.b32 x, [at+4], x;"),
            ("acq_rel", "atom", "atom.acq_rel.S.global.exch.b32 x, [at+4], x;"),
            ("relaxed", "cas", "atom.relaxed.S.global.cas.b32 x, [at+4], x, y;"),
            ("acq_rel", "cas", "atom.acq_rel.S.global.cas.b32 x, [at+4], x, y;"),
            ("relaxed", "red", "red.relaxed.S.global.max.u32 [at+4], x;"),
            ("release", "red", "red.release.S.global.max.u32 [at+4], x;"),
        ] {
            let text = program(&format!("mov.u32 y, 7;\n{}", with.replace(".S.", &format!(".{scope}."))));
            let mine = ordered(&ours(&text).expect("it compiles"));
            let what = || format!("{access}.{order}.{scope}: {mine:?}");
            let at = mine
                .iter()
                .position(|word| word.contains(".STRONG."))
                .unwrap_or_else(|| panic!("{}", what()));
            assert!(mine[at].ends_with(&format!(".STRONG.{hardware}")), "{}", what());
            let fence = format!("MEMBAR.ALL.{}", if scope == "cta" { "CTA" } else { hardware });
            let (before, behind) = (&mine[..at], &mine[at + 1..]);
            assert_eq!(before.contains(&fence), matches!(order, "release" | "acq_rel"), "{}", what());
            assert_eq!(behind.contains(&fence), matches!(order, "acquire" | "acq_rel"), "{}", what());
            let Some(theirs) = theirs(&text) else { continue };
            let theirs = ordered(&theirs);
            let there = theirs.iter().position(|word| word.contains(".STRONG.")).expect("a strong access");
            assert_eq!(
                theirs[there].rsplit('.').next(),
                mine[at].rsplit('.').next(),
                "{}, {theirs:?}",
                what()
            );
            assert!(theirs[..there].iter().all(|word| before.contains(word)), "{}, {theirs:?}", what());
            assert!(theirs[there + 1..].iter().all(|word| behind.contains(word)), "{}, {theirs:?}", what());
            compared += 1;
        }
    }
    eprintln!("{compared} accesses compared with ptxas {PTXAS}");
}

/// Ours is proved, and what was made of a weaker or a narrower fence is not.
#[test]
fn a_weaker_fence_is_not_proved() {
    let Some(mut z3) = z3("a_weaker_fence_is_not_proved") else { return };
    let made: Vec<_> = fences()
        .into_iter()
        .map(|(fence, sequential, scope)| {
            let text = program(&fence);
            let cubin = ours(&text).expect("it compiles");
            (fence, sequential, scope, module(&text), cubin)
        })
        .collect();
    let width = |scope: &str| ["CTA", "GPU", "SYS"].iter().position(|s| *s == scope);
    let mut refused = 0;
    for (fence, sequential, scope, source, _) in &made {
        for (other, other_sequential, other_scope, _, cubin) in &made {
            // An acquire reaches beyond the block or does not: no instruction has its scope.
            let narrower = match fence.contains("acquire") {
                true => *scope != "CTA" && *other_scope == "CTA",
                false => width(other_scope) < width(scope),
            };
            let weaker = *sequential && !other_sequential || narrower;
            if !weaker && fence != other {
                continue;
            }
            let record = prove(source, "k", cubin, &mut z3);
            if weaker {
                assert!(
                    !matches!(record.verdict, Verdict::Proved | Verdict::ProvedWithin(_)),
                    "{fence} by the code of {other}: {}",
                    line(&record)
                );
                refused += 1;
            } else {
                assert_eq!(record.verdict, Verdict::Proved, "{fence}: {}", line(&record));
            }
        }
    }
    eprintln!("{} fences proved, {refused} weaker ones not", made.len());
    assert!(refused > 100, "{refused}");
}
