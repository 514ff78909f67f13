//! A pair of source and code, what the checker says of steps about it, and the terms that it makes.

use crate::common::module;
use crate::learned::{Learned, asserted, step};
use sassafras_cubin::Cubin;
use sassafras_isa::{Chip, decode};
use sassafras_prove::{Answer, Limits, Solver, Verdict, prove, prove_within};
use sassafras_ptx::checked::Module;
use sassafras_solve::smt::Script;
use sassafras_witness::Entry;
use sassafras_witness::check::{Fault, check};
use sassafras_witness::rewrite::{Rewrite, Rewrites};
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What the checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Accepted,
    Rejected(String),
    Undecided(String),
    Panicked(String),
}

/// What a solver is asked falsely.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lies {
    None,
    /// Every step holds.
    Steps,
    /// Nothing that must not happen does.
    Obligations,
}

/// A solver that keeps questions and answers: most of what is asked about one pair is asked again.
pub struct Kept {
    pub inner: Box<dyn Solver>,
    pub texts: Vec<String>,
    pub answers: HashMap<(u8, String), Answer>,
    pub lies: Lies,
}

impl Kept {
    fn ask(&mut self, how: u8, script: &Script, ask: impl FnOnce(&mut dyn Solver) -> Answer) -> Answer {
        self.texts.push(script.text.clone());
        let inner = self.inner.as_mut();
        self.answers.entry((how, script.text.clone())).or_insert_with(|| ask(inner)).clone()
    }
}

impl Solver for Kept {
    fn check(&mut self, s: &Script) -> Answer {
        self.ask(0, s, |inner| inner.check(s))
    }
    fn check_short(&mut self, s: &Script, effort: u64) -> Answer {
        self.ask(1, s, |inner| inner.check_short(s, effort))
    }
    /// What must hold is asked so first, with more effort than what only saves work.
    fn check_bits(&mut self, s: &Script, effort: u64) -> Answer {
        if self.lies == Lies::Obligations && effort > 1000 {
            self.texts.push(s.text.clone());
            return Answer::Unsat;
        }
        self.ask(2, s, |inner| inner.check_bits(s, effort))
    }
    /// Only steps are asked about so.
    fn check_sums(&mut self, s: &Script, effort: u64) -> Answer {
        if self.lies == Lies::Steps {
            Answer::Unsat
        } else {
            self.ask(3, s, |inner| inner.check_sums(s, effort))
        }
    }
}

/// A source, code, and what a witness says of them.
pub struct Pair {
    pub module: Module,
    pub cubin: Cubin,
    pub entry: Entry,
    pub solver: Kept,
}

impl Pair {
    pub fn new(source: &str, cubin: Cubin, mut inner: Box<dyn Solver>) -> Option<Pair> {
        let module = module(source);
        let record = prove(&module, "k", &cubin, inner.as_mut());
        let entry = record.witness(4)?;
        let solver = Kept { inner, texts: Vec::new(), answers: HashMap::new(), lies: Lies::None };
        Some(Pair { module, cubin, entry, solver })
    }

    /// What the checker says of steps. They go through the file, as they would come.
    pub fn said(&mut self, rewrites: &Rewrites) -> Said {
        let mut entry = self.entry.clone();
        entry.rewrites = rewrites.clone();
        let text = serde_json::to_string(&entry).expect("it is plain");
        let Ok(entry) = serde_json::from_str::<Entry>(&text) else {
            return Said::Rejected("no witness".into());
        };
        let (module, cubin, solver) = (&self.module, &self.cubin, &mut self.solver);
        let result = catch_unwind(AssertUnwindSafe(|| check(module, cubin, &entry, solver)));
        match result {
            Ok(Ok(_)) => Said::Accepted,
            Ok(Err(Fault::Rejected(why))) => Said::Rejected(why.to_string()),
            Ok(Err(Fault::Undecided(why))) => Said::Undecided(why.to_string()),
            Err(e) => {
                let text = e.downcast_ref::<String>().cloned();
                Said::Panicked(
                    text.or_else(|| e.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default(),
                )
            }
        }
    }

    /// Steps as a proof gives them.
    pub fn explained(&mut self) -> Rewrites {
        let mut entry = self.entry.clone();
        let solver = self.solver.inner.as_mut();
        sassafras_prove::explain::explain(&self.module, &self.cubin, &mut entry, solver);
        entry.rewrites
    }

    /// How many facts are known before the first question, those of lemmas too.
    pub fn facts(&mut self, known: &Learned) -> usize {
        let of = |i: usize| Rewrites {
            terms: known.terms,
            steps: vec![Rewrite { by: vec![i], ..step(0, 0) }],
            ..Rewrites::default()
        };
        let least = known.known.len();
        (least..).find(|i| self.said(&of(*i)) == Said::Rejected("step 0 is none".into())).unwrap_or(least)
    }

    /// The terms that the checker makes, as its questions tell.
    pub fn learned(&mut self) -> Learned {
        self.knows().expect("the matching fits")
    }

    /// The same; none where the checker comes to no question.
    pub fn knows(&mut self) -> Option<Learned> {
        self.solver.texts.clear();
        let ahead = Rewrites { terms: u32::MAX, steps: vec![step(0, 0)], ..Rewrites::default() };
        let Said::Rejected(why) = self.said(&ahead) else { panic!("steps about other terms are taken") };
        let terms = why.strip_prefix("its steps are about ")?.rsplit(' ').next()?.parse().ok()?;
        let known = asserted(&self.solver.texts[0]);
        // Else it would stop at the first that does not hold.
        self.solver.lies = Lies::Obligations;
        let said = self.said(&Rewrites::default());
        assert_eq!(said, Said::Accepted);
        self.solver.lies = Lies::None;
        let mut all = Learned { terms, known, roots: Vec::new(), nodes: BTreeMap::new() };
        for text in &self.solver.texts {
            all.roots.extend(asserted(text).last());
            for line in text.lines() {
                all.line(line);
            }
        }
        all.roots.sort_unstable();
        all.roots.dedup();
        all.roots.retain(|r| !all.known.contains(r));
        Some(all)
    }
}

/// Code that differs from the right one in one bit and does something else: running it shows that. At most so many.
pub fn planted(pair: &mut Pair, most: usize) -> Vec<Cubin> {
    let chip = Chip::from_number(pair.cubin.sm).expect("a chip");
    let code = &pair.cubin.functions[0].code;
    let mut found = Vec::new();
    // All over the code, not from its head on.
    for at in (0..code.len()).map(|i| i * 7 % code.len()) {
        // Immediates and offsets, operands, and what negates them.
        for bit in [(at * 7) % 8 + 32, 40, 16, 24, 64, 72, 63] {
            let mut cubin = pair.cubin.clone();
            cubin.functions[0].code[at] ^= 1 << bit;
            if found.len() == most || decode(cubin.functions[0].code[at], chip).is_err() {
                continue;
            }
            let limits = Limits { effort: 100, ..Limits::default() };
            let record = prove_within(&pair.module, "k", &cubin, pair.solver.inner.as_mut(), limits);
            if matches!(record.verdict, Verdict::Refuted(_)) {
                found.push(cubin);
                break;
            }
        }
    }
    found
}
