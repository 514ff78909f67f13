//! The code of lemmas: text to words, and its run over terms.

use super::form::{Lemma, Yield};
use super::unusable::Unusable;
use crate::inputs::Inputs;
use crate::sass::target;
use rustc_hash::FxHashMap;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{Chip, RegClass, Register, Style, Targets, encode, parse};
use sassafras_semantics::{Domain, TermId};

/// Code that can be run.
#[derive(Clone, Debug)]
pub struct Code {
    cubin: Cubin,
    function: Function,
}

/// Bytes per instruction.
const WORD: i64 = 16;
/// The chip that lemmas are written for; only meanings matter.
const CHIP: u32 = 90;

/// Reads a lemma's text.
///
/// # Errors
/// A line that is no instruction, a label that is not there.
pub fn code(text: &str) -> Result<Code, Unusable> {
    let lines =
        || text.lines().map(|l| l.split("//").next().unwrap_or_default().trim()).filter(|l| !l.is_empty());
    let mut labels: FxHashMap<&str, i64> = FxHashMap::default();
    let mut at = 0;
    for line in lines() {
        match line.strip_suffix(':') {
            Some(label) => {
                labels.insert(label, at);
            }
            None => at += WORD,
        }
    }
    let chip = Chip::from_number(CHIP).ok_or(Unusable::Chip)?;
    let mut words = Vec::new();
    for line in lines().filter(|l| !l.ends_with(':')) {
        let next = WORD * (words.len() as i64 + 1);
        let find = |name: &str| {
            let bare = name.trim_start_matches("`(").trim_end_matches(')');
            labels.get(bare).map(|to| to - next)
        };
        let style =
            Style { targets: Targets::Named { name: &|_, _| false, find: &find }, ..Style::default() };
        let wrong = |said: String| Unusable::Line { line: line.to_owned(), said };
        let inst = parse(line, &style).map_err(|e| wrong(e.to_string()))?;
        words.push(encode(&inst, chip).map_err(|e| wrong(e.to_string()))?);
    }
    let cubin = Cubin { sm: CHIP, ..Cubin::default() };
    Ok(Code { cubin, function: Function { code: words, ..Function::default() } })
}

/// The register of a name such as `R4` or `P0`.
pub(super) fn register(name: &str) -> Option<Register> {
    let (class, digits) = match name.strip_prefix('P') {
        Some(digits) => (RegClass::P, digits),
        None => (RegClass::R, name.strip_prefix('R')?),
    };
    Some(Register { class, number: digits.parse().ok()? })
}

impl Code {
    /// The words of a lemma's results, as terms in the inputs' arena, from its operands: which result, which word of it, and the term.
    ///
    /// # Errors
    /// Operands that do not fit the registers; code that cannot be run.
    pub fn results(
        &self,
        lemma: &Lemma,
        inputs: &Inputs<'_>,
        operands: &[TermId],
    ) -> Result<Vec<(Yield, u32, TermId)>, Unusable> {
        let d = inputs.terms;
        let mut words = Vec::new();
        for o in operands {
            let width = d.width_of(*o);
            let wide = d.zext(o, width.next_multiple_of(32));
            words.extend((0..width.div_ceil(32)).map(|i| inputs.normal.of(d.extract(&wide, 32 * i, 32))));
        }
        if words.len() != lemma.given.len() {
            return Err(Unusable::Operands);
        }
        let name = |n: &str| register(n).ok_or_else(|| Unusable::Register(n.to_owned()));
        let mut given = Vec::new();
        for (n, word) in lemma.given.iter().zip(words) {
            given.push((name(n)?, word));
        }
        let left = target::piece(inputs, &self.cubin, &self.function, &given)
            .map_err(|why| Unusable::Stops(Box::new(why)))?;
        let mut results = Vec::new();
        for (registers, which) in lemma.yields {
            for (i, n) in registers.iter().enumerate() {
                let word = *left.get(&name(n)?).ok_or_else(|| Unusable::Unwritten((*n).to_owned()))?;
                results.push((*which, i as u32, word));
            }
        }
        Ok(results)
    }
}
