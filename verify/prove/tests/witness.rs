//! Witnesses: what is proved can be checked, and nothing else.

#![allow(missing_docs)]

mod common;

use common::{line, ours, recorded, report, solver, table, text};
use sassafras_cubin::Cubin;
use sassafras_prove::{Answer, Solver, Verdict, prove};
use sassafras_ptx::checked::Module;
use sassafras_solve::smt::Script;
use sassafras_witness::check::{Fault, check, inputs_are, read};
use sassafras_witness::{Form, Input, Tools, Witness};

/// Programs whose witnesses are checked on every run; on a whole one it is the corpus.
const SAMPLE: [&str; 10] = [
    "sub_s32",
    "red",
    "const",
    "st_sizes",
    "if_nested",
    "exit_early",
    "setp_f32",
    "min_max_f32",
    "fma_f32_ftz",
    "mul_hi_16",
];
/// The same of our own code: carries of 64 bits by halves, and quotients by code that a lemma is about; both need steps.
const OWN: [&str; 2] = ["carry_64", "div_u32"];
/// Effort for each question of the checker, as `check-witness` has it by itself, in millions of z3's `rlimit`.
const CHECKER: u64 = 30;
/// The same of the prover.
const PROVER: u64 = 4;

/// The one-feature programs of the corpus.
fn features() -> Vec<String> {
    let folder = sassafras_oracle::workspace_root().join("corpus/features");
    let files = std::fs::read_dir(folder).expect("the corpus").flatten().map(|e| e.path());
    let ptx = files.filter(|p| p.extension().is_some_and(|e| e == "ptx"));
    let mut names: Vec<String> =
        ptx.filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    names
}

/// Who made the code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compiler {
    Ptxas,
    Ours,
}

struct Proof {
    module: Module,
    ptx: String,
    cubin: Cubin,
    bytes: Vec<u8>,
    witness: Witness,
}

/// The solvers of the prover and of the checker: what `sassafras prove` and `check-witness` ask.
struct Solvers {
    prover: Box<dyn Solver>,
    checker: Box<dyn Solver>,
}

impl Solvers {
    /// Both, or a skip that is heard.
    fn of(test: &str) -> Option<Solvers> {
        Some(Solvers { prover: solver(test, PROVER)?, checker: solver(test, CHECKER)? })
    }
}

fn proof(name: &str, by: Compiler, solvers: &mut Solvers) -> Option<Proof> {
    let path = format!("features/{name}");
    let ptx = text(&path);
    let cubin = match by {
        Compiler::Ptxas => recorded("13.0.88", &path)?,
        Compiler::Ours => ours(&ptx)?,
    };
    let module = match sassafras_driver::session::parse(&ptx, name) {
        Ok((module, _)) => module,
        Err(_) => {
            eprintln!("{name}: it is not taken");
            return None;
        }
    };
    let record = prove(&module, "k", &cubin, &mut *solvers.prover);
    if record.verdict != Verdict::Proved {
        eprintln!("{name}: {}", line(&record));
        return None;
    }
    let bytes = sassafras_emit::write(&cubin).expect("it was read");
    let mut entry = record.witness(4).expect("it was proved");
    // With less than the checker has, what it shows of whole numbers is not found.
    sassafras_prove::explain::explain(&module, &cubin, &mut entry, &mut *solvers.checker);
    let witness = Witness {
        format: sassafras_witness::FORMAT,
        form: Form::Ptx,
        source: Input::new("k.ptx", ptx.as_bytes()),
        target: Input::new("k.cubin", &bytes),
        tools: Tools { sassafras: "test".into(), solver: "z3".into() },
        entries: vec![entry],
    };
    Some(Proof { module, ptx, cubin, bytes, witness })
}

impl Proof {
    /// What the checker says of a text.
    fn check(&self, text: &str, cubin: &Cubin, bytes: &[u8], solver: &mut dyn Solver) -> Result<(), Fault> {
        let witness = read(text)?;
        inputs_are(&witness, self.ptx.as_bytes(), bytes)?;
        witness.entries.iter().try_for_each(|e| check(&self.module, cubin, e, solver).map(|_| ()))
    }

    fn json(&self, change: impl FnOnce(&mut Witness)) -> String {
        let mut witness = self.witness.clone();
        change(&mut witness);
        serde_json::to_string(&witness).expect("it is plain")
    }
}

#[test]
fn witnesses_of_proofs_are_accepted() {
    let Some(solvers) = Solvers::of("witnesses_of_proofs_are_accepted") else { return };
    accepted(Compiler::Ptxas, &SAMPLE, "Witnesses of proofs", solvers);
}

#[test]
fn witnesses_of_our_proofs_are_accepted() {
    let Some(solvers) = Solvers::of("witnesses_of_our_proofs_are_accepted") else { return };
    accepted(Compiler::Ours, &OWN, "Witnesses of proofs of our code", solvers);
}

/// Checks the witness of each program that is proved: of a sample, or of all on a whole run, which may leave some undecided and says so.
fn accepted(by: Compiler, sample: &[&str], title: &str, mut solvers: Solvers) {
    let whole = std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some();
    let names = if whole { features() } else { sample.iter().map(|n| (*n).to_owned()).collect() };
    let (mut proved, mut accepted, mut undecided, mut faults) = (0, 0, Vec::new(), Vec::new());
    for name in &names {
        let Some(proof) = proof(name, by, &mut solvers) else {
            // What is not proved has no witness; those of the sample are.
            if !whole {
                faults.push(format!("{name}: not proved"));
            }
            continue;
        };
        proved += 1;
        let result = proof.check(&proof.json(|_| ()), &proof.cubin, &proof.bytes, &mut *solvers.checker);
        eprintln!("{name}: {result:?}");
        match result {
            Ok(()) => accepted += 1,
            Err(Fault::Undecided(why)) if whole => undecided.push(format!("{name}: {why}")),
            Err(e) => faults.push(format!("{name}: {e}")),
        }
    }
    let who = match by {
        Compiler::Ptxas => "ptxas 13.0.88 compiles",
        Compiler::Ours => "Sassafras compiles",
    };
    let mut text = format!(
        "Of {} programs of `corpus/features` as {who} them, {proved} are proved. `check-witness` accepts the witness of {accepted}, rejects {}, \
         and its solver cannot tell of {}.\n",
        names.len(),
        faults.len(),
        undecided.len()
    );
    eprint!("{text}");
    undecided.iter().for_each(|u| text += &format!("\n- {}\n", table::class(u)));
    report::section(title, &text);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A solver that calls everything impossible.
struct Unsat;
impl Solver for Unsat {
    fn check(&mut self, _: &Script) -> Answer {
        Answer::Unsat
    }
}

#[test]
fn corrupted_witnesses_are_rejected() {
    let Some(mut solvers) = Solvers::of("corrupted_witnesses_are_rejected") else { return };
    let p = proof("red", Compiler::Ptxas, &mut solvers).expect("it is proved");
    let nested = proof("if_nested", Compiler::Ptxas, &mut solvers).expect("it is proved");
    let solver = &mut *solvers.prover;
    let good = p.json(|_| ());
    let mut rejected = 0;
    let mut wrong = Vec::new();
    let mut see = |name: &str, result: Result<(), Fault>| match result {
        Err(Fault::Rejected(why)) => {
            eprintln!("{name}: {why}");
            rejected += 1;
        }
        other => wrong.push(format!("{name}: {other:?}")),
    };
    let texts: Vec<(&str, String)> = vec![
        ("an empty file", String::new()),
        ("a file cut off", good[..good.len() / 2].to_owned()),
        ("another format", p.json(|w| w.format = 1)),
        ("no format", good.replacen("\"format\":2,", "", 1)),
        ("a field that nobody knows", good.replacen("\"format\":2,", "\"format\":2,\"trust\":true,", 1)),
        ("no entry", p.json(|w| w.entries.clear())),
        ("an entry twice", p.json(|w| w.entries.push(w.entries[0].clone()))),
        ("another entry", p.json(|w| w.entries[0].entry = "l".into())),
        ("another hash of the source", p.json(|w| w.source.sha256.replace_range(0..1, "x"))),
        ("the hash of the source for the target", p.json(|w| w.target.sha256 = w.source.sha256.clone())),
        ("an assumption left out", p.json(|w| w.entries[0].assumptions.retain(|a| a != "A-BANK"))),
        ("no assumption", p.json(|w| w.entries[0].assumptions.clear())),
        ("an assumption that nobody knows", p.json(|w| w.entries[0].assumptions.push("A-MOON".into()))),
        ("a lemma that nobody knows", p.json(|w| w.entries[0].lemmas.push("division".into()))),
        ("an event left out", p.json(|w| w.entries[0].matching.events.truncate(3))),
        (
            "an event twice",
            p.json(|w| {
                let e = w.entries[0].matching.events[0];
                w.entries[0].matching.events.push(e)
            }),
        ),
        ("events that change places", p.json(|w| swap(&mut w.entries[0].matching.events))),
        ("an event that is not there", p.json(|w| w.entries[0].matching.events[0].1.at += 16)),
        ("an event's other occurrence", p.json(|w| w.entries[0].matching.events[0].0.nth += 1)),
        ("a store left out", p.json(|w| w.entries[0].matching.stores.clear())),
        ("accesses that nothing covers", p.json(|w| w.entries[0].matching.covers.clear())),
    ];
    for (name, text) in &texts {
        see(name, p.check(text, &p.cubin, &p.bytes, solver));
    }
    let stores = nested.json(|w| swap(&mut w.entries[0].matching.stores));
    see("stores that change places", nested.check(&stores, &nested.cubin, &nested.bytes, solver));
    let mut bytes = p.bytes.clone();
    *bytes.last_mut().expect("it has bytes") ^= 1;
    see("another cubin", p.check(&good, &p.cubin, &bytes, solver));
    // The same hash, and other code: the checker does not go by hashes alone.
    let mut cubin = p.cubin.clone();
    let code = &mut cubin.functions.iter_mut().find(|f| f.name == "k").expect("the entry").code;
    let chip = sassafras_isa::Chip::Sm90;
    let at =
        code.iter().position(|w| sassafras_isa::decode(*w, chip).is_ok_and(|i| i.row().mnemonic == "STG"));
    code[at.expect("a store")] ^= 4 << 40;
    see("another offset of a store", p.check(&good, &cubin, &p.bytes, solver));
    see("a solver that always says unsat", p.check(&good, &p.cubin, &p.bytes, &mut Unsat));
    assert!(wrong.is_empty(), "not rejected: {wrong:#?}");
    assert!(rejected >= 20, "{rejected}");
    let text = format!(
        "{rejected} witnesses that were corrupted, each in another way: {rejected} rejected, 0 accepted.\n"
    );
    report::section("Corrupted witnesses", &text);
}

/// The targets of the first two pairs change places.
fn swap<T: Copy>(pairs: &mut [(T, T)]) {
    assert!(pairs.len() > 1, "there are two");
    (pairs[0].1, pairs[1].1) = (pairs[1].1, pairs[0].1);
}
