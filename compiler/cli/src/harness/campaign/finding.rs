//! A program about which a compiler errs, reduced, and the folder that shows it.

use super::report::{self, Row};
use super::signature::{last, mnemonics, signature};
use crate::harness::case::Case;
use crate::harness::compiler::{Compiler, Made, Name, installed};
use crate::harness::oracle::{self, Decision, Kind, Oracle, decide};
use crate::listing::{Look, listing};
use crate::report::{Files, report as verdict};
use crate::{Failure, files};
use sassafras_chip::Chip;
use sassafras_generate::ptx::inputs;
use sassafras_generate::reduce::reduce;
use sassafras_oracle::table::CUDA_NEWER;
use sassafras_prove::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// Most bytes of a name.
const NAME: usize = 80;

/// A finding, reduced.
pub struct Finding {
    compiler: Compiler,
    kind: Kind,
    how: String,
    oracle: Oracle,
    /// As it was generated.
    whole: Case,
    /// Reduced.
    small: Case,
    /// Root of the first instruction that goes wrong, where the prover says it.
    first: Option<String>,
    /// Other compilers, chips and levels that err about the reduced program as well.
    also: Vec<String>,
}

impl Finding {
    /// Reduces a case as long as the same kind of error shows.
    pub fn reduced(case: &Case, compiler: &Compiler, kind: Kind, how: String, oracle: Oracle) -> Finding {
        // A refutation is kept by the prover, what executors show by them, whoever was asked at first.
        let oracle = match kind {
            Kind::Refuted => Oracle::Prove,
            Kind::Differs | Kind::Broken => match oracle {
                Oracle::Prove => Oracle::Prove,
                Oracle::Run | Oracle::All => Oracle::Run,
            },
        };
        let with = |text: &str| Case { text: text.to_owned(), ..case.clone() };
        let keep =
            |text: &str| matches!(decide(&with(text), compiler, oracle), Decision::Wrong(k, _) if k == kind);
        let small = match reduce(&case.text, &keep, 1, &mut |_, _| {}) {
            Ok(small) => with(&small.text),
            // A generated text checks; if it does not, the finding is still one.
            Err(_) => case.clone(),
        };
        let how = match decide(&small, compiler, oracle) {
            Decision::Wrong(_, how) => how,
            _ => how,
        };
        let first = first(&small, compiler);
        let (compiler, whole) = (compiler.clone(), case.clone());
        Finding { compiler, kind, how, oracle, whole, small, first, also: Vec::new() }
    }

    /// By what it is folded.
    pub fn sign(&self) -> Sign {
        let text = &self.small.text;
        Sign { name: self.name(), about: signature(text), last: last(text), first: self.first.clone() }
    }

    /// Whether another compiler errs about the reduced program in the same manner.
    pub fn shows(&self, compiler: &Compiler, kind: Kind) -> bool {
        kind == self.kind
            && compiler.is_ours() == self.compiler.is_ours()
            && matches!(decide(&self.small, compiler, self.oracle), Decision::Wrong(k, _) if k == kind)
    }
    /// Notes a compiler for which [`Finding::shows`].
    pub fn also(&mut self, compiler: &Compiler) {
        self.also.push(compiler.label());
    }
    /// The compiler, chip and level for which it was reduced.
    pub fn compiler(&self) -> String {
        self.compiler.label()
    }
    /// All compilers, chips and levels that it shows.
    pub fn compilers(&self) -> Vec<String> {
        let mut all = vec![self.compiler.label()];
        all.extend(self.also.iter().cloned());
        all
    }
    /// The reduced program.
    pub fn case(&self) -> &Case {
        &self.small
    }

    /// The program of `corpus/ptxas-open` that shows the error already, of ptxas; or of `corpus/ptxas-errors`, of an earlier one than the newest.
    pub fn known(&self) -> Option<&'static str> {
        let Name::Ptxas(version) = self.compiler.name() else { return None };
        let text = &self.small.text;
        let shown = |text, folder| sassafras_lint::shown(text, folder).map(|known| known.name);
        match self.kind {
            Kind::Broken => None,
            _ if version == CUDA_NEWER => shown(text, "ptxas-open"),
            _ => shown(text, "ptxas-open").or_else(|| shown(text, "ptxas-errors")),
        }
    }

    /// The folder's name: who errs, how, and about which instructions.
    pub fn name(&self) -> String {
        let who = match self.compiler.name() {
            Name::Ours => "ours",
            Name::Ptxas(_) => "ptxas",
            Name::Program(_) => "program",
        };
        let how = match self.kind {
            Kind::Broken => "breaks-",
            Kind::Differs | Kind::Refuted => "",
        };
        let about: Vec<String> = signature(&self.small.text).into_iter().collect();
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".@".contains(c) { c } else { '-' };
        let name: String = format!("{who}-{how}{}", about.join("-")).chars().map(plain).collect();
        // What is long is told apart by what was cut off.
        match name.len() > NAME {
            true => {
                let hash =
                    name.bytes().fold(0x811c_9dc5u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
                format!("{}-{hash:08x}", &name[..NAME - 9])
            }
            false => name,
        }
    }

    /// Writes the folder. A sentence where our own tools contradict each other about the finding.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &Path, chips: &[u32]) -> Result<Option<String>, Failure> {
        std::fs::create_dir_all(folder).map_err(|e| Failure::unwritable(e.to_string()).about(folder))?;
        let put = |name: &str, bytes: &[u8]| files::write(&folder.join(name), bytes);
        let text = self.small.file();
        put("program.ptx", self.whole.file().as_bytes())?;
        put("reduced.ptx", text.as_bytes())?;
        put("in.bin", &inputs(self.small.seed, self.small.input))?;
        let mut contradiction = None;
        let (mut said, mut code, mut first, mut run) = (None, None, None, None);
        if let Made::Cubin(cubin, bytes) = self.compiler.compile(&self.small.text) {
            put("code.cubin", &bytes)?;
            code = sass(&bytes);
            if let Some(code) = &code {
                put("code.sass", code.as_bytes())?;
            }
            // Lines are those of the file.
            if let Ok(module) = (Case { text: text.clone(), ..self.small.clone() }).module() {
                let record = oracle::record(&module, &cubin);
                let of =
                    Files { source: "reduced.ptx", target: "code.cubin", text: Ok(&text), cubin: &cubin };
                let told = verdict(&record, &of);
                put("verdict.txt", told.as_bytes())?;
                match &record.verdict {
                    Verdict::Refuted(found) => {
                        first = found.text.clone().map(|text| (found.instruction.unwrap_or_default(), text));
                        run.clone_from(&found.run);
                    }
                    Verdict::Proved if self.kind == Kind::Differs => {
                        contradiction = Some(format!(
                            "{}: proved, and the executors differ: {}",
                            self.compiler.label(),
                            self.how
                        ));
                    }
                    _ => {}
                }
                said = Some(told);
            }
        }
        let rows = self.rows(chips);
        let finding = report::Told {
            compiler: &self.compiler,
            kind: self.kind,
            how: &self.how,
            proved: self.oracle == Oracle::Prove,
            case: &self.small,
            about: &mnemonics(&self.small.text),
            verdict: said.as_deref(),
            first: first.as_ref(),
            code: code.as_deref(),
            rows: &rows,
        };
        let document = report::document(&finding);
        put("report.md", document.markdown().as_bytes())?;
        put("report.html", document.html().as_bytes())?;
        let record = json!({
            "schema": 1,
            "compiler": self.compiler.label(),
            "build": self.compiler.build(),
            "sassafras": env!("CARGO_PKG_VERSION"),
            "kind": Decision::Wrong(self.kind, String::new()).word(),
            "oracle": self.oracle.name(),
            "how": self.how,
            "also": self.also,
            "seed": self.small.seed,
            "instructions": mnemonics(&self.small.text),
            "first_wrong": first.map(|(at, text)| json!({ "offset": at, "text": text })),
            "run": run,
            "lines": [self.whole.text.lines().count(), self.small.text.lines().count()],
            "matrix": rows.iter().map(|r| json!({
                "compiler": r.compiler, "build": r.build, "chip": r.sm, "level": r.level, "outcome": r.word,
            })).collect::<Vec<_>>(),
        });
        let json = serde_json::to_string_pretty(&record).map_err(|e| Failure::internal(e.to_string()))?;
        put("finding.json", format!("{json}\n").as_bytes())?;
        Ok(contradiction)
    }

    /// What other versions, chips and levels make of the reduced program.
    fn rows(&self, chips: &[u32]) -> Vec<Row> {
        let mut names = vec![self.compiler.name().clone()];
        names.extend(installed());
        names.push(Name::Ours);
        let mut seen: Vec<Name> = Vec::new();
        names.retain(|name| {
            let new = !seen.contains(name);
            seen.push(name.clone());
            new
        });
        let mut chips: Vec<u32> = chips.iter().copied().filter(|sm| *sm >= self.compiler.sm).collect();
        chips.sort_unstable();
        chips.dedup();
        let mut rows = Vec::new();
        for name in names {
            for &sm in &chips {
                for level in 0..=3 {
                    let Ok(compiler) = Compiler::find(&name, sm, level) else { continue };
                    let word = decide(&self.small, &compiler, self.oracle).word();
                    rows.push(Row { compiler: name.to_string(), build: compiler.build(), sm, level, word });
                }
            }
        }
        rows
    }
}

/// By what findings are folded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    /// The folder's name.
    pub name: String,
    /// Instructions of the reduced program, without types.
    pub about: BTreeSet<String>,
    /// The last of them in the text, with its types: what is stored.
    #[serde(default)]
    pub last: Option<String>,
    /// Root of the first instruction that goes wrong.
    pub first: Option<String>,
}

impl Sign {
    /// Whether two findings are of one kind: they are about the same instructions; or the same instruction of the machine code goes wrong first, and one
    /// is about more instructions than the other, or the same instruction's result is stored.
    pub fn same(&self, other: &Sign) -> bool {
        let who = |sign: &Sign| sign.name.split('-').next().map(str::to_owned);
        let within = self.about.is_subset(&other.about) || other.about.is_subset(&self.about);
        let last = self.last.is_some() && self.last == other.last;
        let first = self.first.is_some() && self.first == other.first;
        self.name == other.name || who(self) == who(other) && first && (within || last)
    }
}

/// Root of the instruction of a case's code that goes wrong first, as the prover says it.
fn first(case: &Case, compiler: &Compiler) -> Option<String> {
    let module = case.module().ok()?;
    let Made::Cubin(cubin, _) = compiler.compile(&case.text) else { return None };
    let Verdict::Refuted(found) = oracle::record(&module, &cubin).verdict else { return None };
    let text = found.text?;
    let word = text.split_whitespace().find(|word| !word.starts_with('@'))?;
    Some(word.split('.').next().unwrap_or_default().to_owned())
}

/// The listing of a cubin; none of one with words that we do not know.
fn sass(bytes: &[u8]) -> Option<String> {
    let image = sassafras_cubin::elf::read(bytes).ok()?;
    let chip: Chip = crate::listing::chip(&image)?;
    listing(&image, chip, Look::default()).ok().map(|l| l.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(who: &str, about: &[&str], last: &str, first: &str) -> Sign {
        let name = format!("{who}-{}", about.join("-"));
        let first = (!first.is_empty()).then(|| first.to_owned());
        Sign { name, about: about.iter().map(|a| (*a).to_owned()).collect(), last: Some(last.into()), first }
    }

    #[test]
    fn findings_of_one_kind_are_folded() {
        let one = sign("ptxas", &["vsub.sat"], "vsub.u32.u32.s32.sat", "SEL");
        assert!(one.same(&sign("ptxas", &["vsub.sat"], "vsub.u32.u32.s32.sat", "")), "the same instructions");
        assert!(one.same(&sign("ptxas", &["cvt", "vsub.sat"], "cvt.u32.u16", "SEL")), "one more");
        assert!(!one.same(&sign("ptxas", &["cvt", "vsub.sat"], "cvt.u32.u16", "MOV")), "another goes wrong");
        assert!(!one.same(&sign("ours", &["cvt", "vsub.sat"], "cvt.u32.u16", "SEL")), "another compiler's");
        let other = sign("ptxas", &["min", "vsub.sat"], "vsub.u32.u32.s32.sat", "SEL");
        assert!(
            other.same(&sign("ptxas", &["div", "vsub.sat"], "vsub.u32.u32.s32.sat", "SEL")),
            "the same is stored"
        );
        assert!(!other.same(&sign("ptxas", &["div"], "div.s32", "SEL")));
    }
}
