//! Every recorded word through the table of instructions: decoded, printed, encoded, parsed.

use sassafras_chip::Chip;
use sassafras_isa::{FormId, Style, Targets, decode, encode, parse, print};
use sassafras_reference::traces::Word;
use std::collections::BTreeMap;

/// What is asked of a word, in this order; a word that fails one is not asked the rest.
pub const STAGES: [&str; 4] = ["decoded", "text", "encoded", "parsed"];

/// Where a word fails, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Index in [`STAGES`].
    pub stage: usize,
    /// What was found, for people.
    pub message: String,
}

/// Asks one word everything.
///
/// A word that nvdisasm refuses passes when the table refuses it too.
///
/// # Errors
/// The first stage that it fails.
pub fn word(word: &Word, chip: Chip) -> Result<(), Failure> {
    let fail = |stage, message| Err(Failure { stage, message });
    let inst = match decode(word.bits, chip) {
        Ok(inst) => inst,
        // Where nvdisasm refuses the word too, no text is owed.
        Err(_) if word.text.is_none() => return Ok(()),
        Err(e) => return fail(0, e.to_string()),
    };
    let at = Style { targets: Targets::At(word.address), chip: Some(chip), ..Style::default() };
    let text = print(&inst, &at);
    let theirs = spaceless(word.text.as_deref().unwrap_or_default());
    if theirs != text {
        return fail(1, text);
    }
    match encode(&inst, chip) {
        Ok(again) if again == word.bits => {}
        Ok(again) => return fail(2, format!("{again:032x}")),
        Err(e) => return fail(2, e.to_string()),
    }
    let control = Style { control: true, exact: true, ..at };
    let text = print(&inst, &control);
    match parse(&text, &control).map(|again| encode(&again, chip)) {
        Ok(Ok(again)) if again == word.bits => Ok(()),
        Ok(Ok(again)) => fail(3, format!("{text}: {again:032x}")),
        Ok(Err(e)) => fail(3, format!("{text}: {e}")),
        Err(e) => fail(3, format!("{text}: {e}")),
    }
}

/// A form of another chip that has the word with the same text, where this chip has none: its row may hold here too.
pub fn elsewhere(word: &Word, chip: Chip) -> Option<FormId> {
    let theirs = spaceless(word.text.as_deref()?);
    Chip::ALL.into_iter().filter(|c| *c != chip).find_map(|other| {
        let inst = decode(word.bits, other).ok()?;
        let style = Style { targets: Targets::At(word.address), ..Style::default() };
        (print(&inst, &style) == theirs).then_some(inst.form)
    })
}

/// Without the space that nvdisasm puts behind a number that is no ordinary one; `sassafras disasm` puts it there.
fn spaceless(text: &str) -> String {
    text.replace("INF ,", "INF,").replace("NAN ,", "NAN,").replace("-0.0 ,", "-0.0,")
}

/// The mnemonic by which failures are counted: the text up to the first dot, without a guard.
pub fn mnemonic(word: &Word) -> String {
    let text = word.text.as_deref().unwrap_or("refused");
    let text = if text.starts_with('@') { text.split_once(' ').map_or(text, |(_, rest)| rest) } else { text };
    text.split(['.', ' ']).next().unwrap_or_default().to_owned()
}

/// How the words of a chip fare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fare {
    /// Words asked.
    pub asked: usize,
    /// Words that fail each stage, by mnemonic.
    pub failures: BTreeMap<(usize, String), usize>,
    /// An example for each.
    pub examples: BTreeMap<(usize, String), (Word, String)>,
}

impl Fare {
    /// Words that get past a stage.
    pub fn past(&self, stage: usize) -> usize {
        let failed: usize = self.failures.iter().filter(|((s, _), _)| *s <= stage).map(|(_, n)| n).sum();
        self.asked - failed
    }
}

/// Asks every `step`-th word.
pub fn all(words: &[Word], chip: Chip, step: usize) -> Fare {
    let mut fare = Fare::default();
    for w in words.iter().step_by(step) {
        fare.asked += 1;
        if let Err(failure) = word(w, chip) {
            let key = (failure.stage, mnemonic(w));
            fare.examples.entry(key.clone()).or_insert_with(|| (w.clone(), failure.message));
            *fare.failures.entry(key).or_default() += 1;
        }
    }
    fare
}
