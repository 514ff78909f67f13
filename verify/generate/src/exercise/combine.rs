//! Which modifiers are tried together.

use sassafras_ptx::table::{Choice, Element, Row};

/// Mnemonics of a row that are tried at most, beyond those that [`Row::variants`] gives.
const MOST: usize = 160;

/// The suffixes of a row's forms: all combinations of types, each value of each modifier, and pairs of values of two
/// modifiers, a sample of them where they are many. No form comes twice.
pub fn forms(row: &Row) -> Vec<Vec<&'static str>> {
    let mut all = row.variants();
    let mut pairs = Vec::new();
    for (i, a) in row.elements.iter().enumerate() {
        for (j, b) in row.elements.iter().enumerate().skip(i + 1) {
            if a.is_type() && b.is_type() {
                continue;
            }
            for x in values(a) {
                for y in values(b) {
                    pairs.push(
                        row.elements
                            .iter()
                            .enumerate()
                            .flat_map(|(k, e)| match k {
                                _ if k == i => words(x),
                                _ if k == j => words(y),
                                _ => words(values(e)[0]),
                            })
                            .collect::<Vec<_>>(),
                    );
                }
            }
        }
    }
    // Every n-th, with a step that shares no factor with the number of values of a modifier.
    let step = pairs.len().div_ceil(MOST).max(1);
    let step = if step > 1 { step | 1 } else { step };
    all.extend(pairs.into_iter().step_by(step));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|form| seen.insert(form.clone()));
    all
}

/// The choices of a place, nothing first where nothing may stand there.
fn values(element: &Element) -> Vec<Option<&Choice>> {
    let nothing = element.optional.then_some(None);
    nothing.into_iter().chain(element.choices.iter().map(Some)).collect()
}

fn words(choice: Option<&Choice>) -> Vec<&'static str> {
    choice.map_or_else(Vec::new, |c| c.words.clone())
}
