//! What `lint` says is so: held against ptxas where it is installed, and against the prover.

#![allow(missing_docs)]

mod common;

use common::sassafras;
use sassafras::judges::Judges;
use sassafras_cubin::Cubin;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_execute::{Argument, Launch, ptx, sass};
use sassafras_lint::known::{KNOWN, Known};
use sassafras_oracle::{Ptxas, Tools, workspace_root};
use sassafras_prove::{Limits, Verdict, Z3, prove_within};
use sassafras_ptx::checked::Module;
use std::path::Path;

fn z3(test: &str) -> Option<Z3> {
    let found = Z3::find(&[&workspace_root()], 10, 30);
    if found.is_none() {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}

fn ptxas(test: &str, version: &str) -> Option<Ptxas> {
    Tools::here().ptxas(version).map_err(|why| sassafras_oracle::skip(test, &why)).ok()
}

fn module(text: &str) -> Module {
    sassafras_ptx::load(text, "a program").unwrap_or_else(|e| panic!("{:?}\n{text}", e.records().first()))
}

fn compiled(ptxas: &Ptxas, text: &str, level: &str) -> Cubin {
    let (bytes, _) = ptxas.compile_text(text, "sm_90", &[level]).expect("ptxas takes it");
    sassafras_cubin::read(&bytes).expect("it is a cubin")
}

fn ours(text: &str) -> Cubin {
    let arch = Some(Arch::Real("sm_90".parse().expect("a target")));
    let options = Options { arch, jobs: 1, ..Options::default() };
    let made = session::compile(text, "a program", &options, None, &Judges::default());
    made.unwrap_or_else(|e| panic!("{e}\n{text}")).cubin.expect("nothing stopped it").0
}

fn verdict(module: &Module, cubin: &Cubin, z3: &mut Z3) -> Verdict {
    prove_within(module, "k", cubin, z3, Limits::default()).verdict
}

/// Whether code is the program's: by the prover, where the row says that it decides, else by running both.
fn is_of(known: &Known, module: &Module, cubin: &Cubin, z3: &mut Z3) -> bool {
    match known.proved {
        true => matches!(verdict(module, cubin, z3), Verdict::Proved),
        false => runs_equal(module, cubin),
    }
}

/// Whether both executors leave the same, for 64 threads and words at the edges of formats.
fn runs_equal(module: &Module, cubin: &Cubin) -> bool {
    const EDGES: [u32; 9] =
        [0, 1, 0x8000_0000, 0x7fff_ffff, 0xffff_ffff, 0x7fc0_0001, 0xbf80_0000, 0x00ff_8001, 0x8000_0001];
    let input = (0..256usize).flat_map(|i| EDGES[(i + i / 9 + i / 81) % 9].to_le_bytes()).collect();
    let mut launch = Launch::new([1, 1, 1], [64, 1, 1]);
    let n = Argument::Value(64u32.to_le_bytes().to_vec());
    let arguments = [Argument::Buffer(vec![0; 1024]), Argument::Buffer(input), n];
    launch.arguments(&ptx::layout(module, "k").expect("an entry"), &arguments).expect("they fit");
    let options = sassafras_execute::Options::default();
    let right = ptx::run(module, "k", &launch, &options).expect("the PTX runs");
    let found = sass::run(cubin, "k", &launch, &options).expect("the code runs");
    right.buffers[0] == found.buffers[0]
}

/// The newest ptxas that errs.
fn erring(known: &Known) -> &'static str {
    if known.folder == "ptxas-open" { "13.5.37" } else { "13.0.88" }
}

#[test]
fn what_matches_is_compiled_wrongly_and_what_nearly_does_rightly() {
    const NAME: &str = "what_matches_is_compiled_wrongly_and_what_nearly_does_rightly";
    let Some(mut z3) = z3(NAME) else { return };
    let cases = workspace_root().join("tests/files/cases/lint");
    let mut faults = Vec::new();
    for known in KNOWN {
        let Some(ptxas) = ptxas(NAME, erring(known)) else { return };
        for (file, right) in
            [(format!("{}.ptx", known.name), false), (format!("{}_near.ptx", known.name), true)]
        {
            let text = std::fs::read_to_string(cases.join(&file)).unwrap_or_else(|e| panic!("{file}: {e}"));
            let (module, cubin) = (module(&text), compiled(&ptxas, &text, "-O3"));
            let equal = match verdict(&module, &cubin, &mut z3) {
                Verdict::Proved | Verdict::ProvedWithin(_) => true,
                Verdict::Refuted(_) => false,
                _ => runs_equal(&module, &cubin),
            };
            if equal != right {
                faults.push(format!(
                    "{file} by {}: {}",
                    ptxas.version(),
                    if equal { "right" } else { "wrong" }
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The program is proved against our code for the way round: both are equal as PTX is. Where the row says that it is only run, it is run.
#[test]
fn ways_round_are_equal() {
    let Some(mut z3) = z3("ways_round_are_equal") else { return };
    let mut faults = Vec::new();
    for known in KNOWN {
        let (program, way) = (module(known.program), ours(known.way));
        let held = is_of(known, &program, &way, &mut z3);
        if !held {
            faults.push(known.name);
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}

/// And ptxas's code for the way round is that of the program.
#[test]
fn ptxas_compiles_the_ways_round_rightly() {
    const NAME: &str = "ptxas_compiles_the_ways_round_rightly";
    let Some(mut z3) = z3(NAME) else { return };
    let mut faults = Vec::new();
    for (version, levels) in [("13.0.88", &["-O3"][..]), ("13.5.37", &["-O0", "-O1", "-O2", "-O3"])] {
        let Some(ptxas) = ptxas(NAME, version) else { return };
        for known in KNOWN {
            let program = module(known.program);
            for level in levels {
                let cubin = compiled(&ptxas, known.way, level);
                if !is_of(known, &program, &cubin, &mut z3) {
                    faults.push(format!("{} by {version} {level}", known.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:?}");
}

fn lint(arguments: &[&str]) -> (i32, String, String) {
    let run = sassafras(&workspace_root(), &[&["lint"], arguments].concat());
    (run.code, run.out, run.err)
}

#[test]
fn a_match_names_line_versions_section_and_way() {
    let (code, out, _) = lint(&["corpus/ptxas-open/set_guarded_f32.ptx", "--ptxas", "13.5.37"]);
    assert_eq!(code, 10, "{out}");
    for part in [
        "corpus/ptxas-open/set_guarded_f32.ptx:22: set_guarded_f32: ",
        "    @p set.eq.f32.b32 a, c, d;\n  there are values on which ptxas's code is wrong here\n",
        "  wrong in ptxas 13.5.37 at -O0 -O1 -O2 -O3 for sm_90\n",
        "  PTX ISA, Comparison and Selection Instructions: set",
        "    - @p set.eq.f32.b32 a, c, d;\n    + set.eq.f32.b32 c, c, d;\n    + @p mov.b32 a, c;\n",
    ] {
        assert!(out.contains(part), "`{part}` is not in\n{out}");
    }
}

#[test]
fn versions_and_chips_decide() {
    let gone = "corpus/ptxas-errors/max_neg.ptx";
    let code = |more: &[&str]| lint(&[&[gone], more].concat()).0;
    assert_eq!(code(&["-arch", "sm_90", "--ptxas", "13.0.88"]), 10);
    assert_eq!(code(&["-arch", "sm_90", "--ptxas", "13.5.37"]), 0, "13.5.37 is right");
    assert_eq!(code(&["-arch", "sm_80", "--ptxas", "13.0.88"]), 0, "sm_80 has no maximum of three");
    let (code, _, err) = lint(&[gone, "--ptxas", "1.0"]);
    assert_eq!(code, 2);
    assert!(err.contains("13.0.88, 13.5.37"), "the versions that there are: {err}");
}

#[test]
fn json_and_sarif_have_the_line() {
    let file = "corpus/ptxas-open/bfe_64.ptx";
    let (code, out, _) = lint(&[file, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let found = &json["diagnostics"][0];
    assert_eq!((code, found["line"].as_u64(), found["code"].as_str()), (10, Some(22), Some("bfe_64")));
    assert_eq!(found["shows"], "can");
    let (code, out, _) = lint(&[file, "--format", "sarif"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let result = &json["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (code, place["region"]["startLine"].as_u64(), place["artifactLocation"]["uri"].as_str()),
        (10, Some(22), Some(file))
    );
    let rules = json["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|r| r["id"] == result["ruleId"]), "each result's rule is listed");
    let refused = sassafras(&workspace_root(), &["check", file, "--format", "sarif"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
}

/// What cannot show for any input is no finding, and `--all` shows it with the reason.
#[test]
fn a_proof_clears_a_match() {
    if z3("a_proof_clears_a_match").is_none() {
        return;
    }
    let file = Path::new("tests/files/cases/lint/bfe_64_near.ptx").display().to_string();
    assert_eq!(lint(&[&file]).0, 0);
    let (code, out, _) = lint(&[&file, "--all"]);
    assert_eq!(code, 0);
    assert!(out.contains("no values come here on which ptxas's code is wrong: proved"), "{out}");
}

#[test]
fn a_cubin_alone_is_refused_by_name() {
    let root = workspace_root();
    let bytes =
        sassafras_reference::traces::cubin(&root, "13.0.88", "features/sub_s32").expect("it is recorded");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.cubin"), bytes).expect("a place for it");
    let run = sassafras(folder.path(), &["lint", "k.cubin"]);
    assert_eq!(run.code, 4);
    assert!(run.err.contains("a cubin has no PTX"), "{}", run.err);
}
