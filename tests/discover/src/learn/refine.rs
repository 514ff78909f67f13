//! Corrects what was learned: random words are predicted, each wrong prediction is made as small as it can be, and what is left of it
//! is joined.

use super::Learner;
use crate::model::{Edit, Variable, compose, fill};
use crate::text::Token;
use anyhow::Result;
use sassafras_isa::Rng;
use std::collections::BTreeMap;

/// Random words per round.
const WORDS: usize = 700;
/// Rounds.
const ROUNDS: usize = 6;
/// Wrong predictions looked at per round.
const LOOKED_AT: usize = 8;

/// A random choice: a class for each variable by index, and values for fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    classes: Vec<usize>,
    values: BTreeMap<usize, u64>,
}

impl Sample {
    /// Puts every number back to the base word's, so that registers stay far apart.
    pub fn plain(&mut self, learner: &Learner<'_>) {
        self.values.clear();
        for (class, variable) in self.classes.iter_mut().zip(&learner.variables) {
            let digits = variable.digits(*class);
            let special =
                variable.atoms.iter().zip(digits).any(|(atom, digit)| atom.field.is_some() && digit > 0);
            if special {
                *class = 0;
            }
        }
    }
}

/// One thing of a sample that is not as in the base word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Variable(usize),
    Field(usize),
}

impl Learner<'_> {
    /// A random choice among what is legal.
    pub fn sample(&self, rng: &mut Rng) -> Sample {
        let chance = [64, 154, 230][(rng.bits() % 3) as usize];
        let mut sample =
            Sample { classes: Vec::with_capacity(self.variables.len()), values: BTreeMap::new() };
        for variable in &self.variables {
            let mut class = 0;
            if rng.bits() % 256 < chance {
                for _ in 0..20 {
                    let pick = (rng.bits() % variable.classes() as u64) as usize;
                    if variable.effects[pick].is_some() {
                        class = pick;
                        break;
                    }
                }
            }
            sample.classes.push(class);
            for (atom, digit) in variable.atoms.iter().zip(variable.digits(class)) {
                let Some(field) = atom.field.filter(|_| atom.values[digit].is_none()) else { continue };
                if rng.bits().is_multiple_of(5) {
                    continue;
                }
                let known = &self.fields[field];
                let width = known.bits.len() as u32;
                for _ in 0..40 {
                    let value = rng.bits() & 1u64.checked_shl(width).map_or(u64::MAX, |v| v - 1);
                    if !atom.values.contains(&Some(value)) && !known.illegal.contains(&value) {
                        sample.values.insert(field, value);
                        break;
                    }
                }
            }
        }
        sample
    }

    /// The word of a sample.
    pub fn word(&self, sample: &Sample) -> u128 {
        let word =
            self.variables.iter().zip(&sample.classes).fold(self.base, |w, (v, class)| v.put(w, *class));
        sample
            .values
            .iter()
            .fold(word, |w, (field, value)| crate::model::put(w, &self.fields[*field].bits, *value))
    }

    /// The text that is expected of a sample; `None` where effects stand in each other's way.
    pub fn predict(&self, sample: &Sample) -> Option<Vec<Token>> {
        let effects: Option<Vec<(usize, &[Edit])>> = self
            .variables
            .iter()
            .zip(&sample.classes)
            .map(|(v, class)| v.effects[*class].as_deref().map(|edits| (v.id, edits)))
            .collect();
        let (general, _) = compose(&self.text, &effects?, &|a, b| self.order.contains(&(a, b))).ok()?;
        Some(fill(&general, &self.values(self.word(sample)), &self.fields, self.uniform_constant))
    }

    /// How many samples have the text that is expected of them.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn equal(&mut self, samples: &[Sample]) -> Result<usize> {
        Ok(self.wrong(samples)?.into_iter().filter(|wrong| !wrong).count())
    }

    fn wrong(&mut self, samples: &[Sample]) -> Result<Vec<bool>> {
        let words: Vec<u128> = samples.iter().map(|sample| self.word(sample)).collect();
        let texts = self.ask(&words)?;
        Ok(samples
            .iter()
            .zip(texts)
            .map(|(sample, text)| text.is_none() || self.predict(sample).as_deref() != text.as_deref())
            .collect())
    }

    fn parts(sample: &Sample) -> Vec<Part> {
        let variables = sample.classes.iter().enumerate().filter(|(_, class)| **class != 0);
        variables
            .map(|(i, _)| Part::Variable(i))
            .chain(sample.values.keys().map(|f| Part::Field(*f)))
            .collect()
    }

    fn without(&self, sample: &Sample, parts: &[Part]) -> Sample {
        let mut sample = sample.clone();
        for part in parts {
            match *part {
                Part::Variable(i) => sample.classes[i] = 0,
                Part::Field(field) => {
                    sample.values.remove(&field);
                }
            }
        }
        sample
    }

    /// Takes away from wrong predictions what is not needed for them to be wrong.
    fn smallest(&mut self, mut list: Vec<Sample>, rng: &mut Rng) -> Result<Vec<Sample>> {
        let mut open = vec![true; list.len()];
        for _ in 0..8 {
            let mut tried: Vec<(usize, usize, Sample)> = Vec::new();
            for (i, sample) in list.iter().enumerate().filter(|(i, _)| open[*i]) {
                let parts = Self::parts(sample);
                tried.extend(parts.iter().map(|part| (i, 1, self.without(sample, &[*part]))));
                if parts.len() > 3 {
                    for k in 0..48u64 {
                        let share = [77, 128, 179, 218][(k % 4) as usize];
                        let some: Vec<Part> =
                            parts.iter().copied().filter(|_| rng.bits() % 256 < share).collect();
                        tried.push((i, some.len(), self.without(sample, &some)));
                    }
                }
            }
            if tried.is_empty() {
                break;
            }
            let samples: Vec<Sample> = tried.iter().map(|(.., sample)| sample.clone()).collect();
            let wrong = self.wrong(&samples)?;
            let mut best: BTreeMap<usize, (usize, Sample)> = BTreeMap::new();
            for ((i, count, sample), wrong) in tried.into_iter().zip(wrong) {
                if wrong && count > 0 && best.get(&i).is_none_or(|(most, _)| count > *most) {
                    best.insert(i, (count, sample));
                }
            }
            for i in 0..list.len() {
                match best.remove(&i) {
                    Some((_, sample)) => list[i] = sample,
                    None => open[i] = false,
                }
            }
        }
        Ok(list)
    }

    /// Rounds of prediction and correction, until a round has nothing wrong.
    pub(super) fn refine(&mut self) -> Result<()> {
        let mut rng = Rng(99);
        for _ in 0..ROUNDS {
            let samples: Vec<Sample> = (0..WORDS).map(|_| self.sample(&mut rng)).collect();
            let wrong = self.wrong(&samples)?;
            let failed: Vec<Sample> = samples
                .into_iter()
                .zip(wrong)
                .filter(|(_, wrong)| *wrong)
                .map(|(s, _)| s)
                .take(LOOKED_AT)
                .collect();
            if failed.is_empty() {
                return Ok(());
            }
            let smallest = self.smallest(failed, &mut rng)?;
            if !self.correct(&smallest)? {
                return Ok(());
            }
            self.join()?;
        }
        Ok(())
    }

    /// Joins what stands together in the smallest wrong predictions, and adds values of fields that are written otherwise. Tells
    /// whether anything changed.
    fn correct(&mut self, smallest: &[Sample]) -> Result<bool> {
        let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut stale = Vec::new();
        let home = |list: &[Variable], field: usize| {
            list.iter().position(|v| v.atoms.iter().any(|atom| atom.field == Some(field)))
        };
        for sample in smallest {
            let mut together = Vec::new();
            for part in Self::parts(sample) {
                match part {
                    Part::Variable(i) => together.push(i),
                    Part::Field(field) => {
                        let Some(i) = home(&self.variables, field) else { continue };
                        together.push(i);
                        let value = sample.values[&field];
                        let atoms = &mut self.variables[i].atoms;
                        for atom in atoms.iter_mut().filter(|atom| atom.field == Some(field)) {
                            if !atom.values.contains(&Some(value)) && atom.values.len() < 20 {
                                atom.values.push(Some(value));
                                stale.push(i);
                            }
                        }
                    }
                }
            }
            together.sort_unstable();
            together.dedup();
            for two in together.windows(2) {
                *pairs.entry((two[0], two[1])).or_insert(0) += 1;
            }
        }
        stale.sort_unstable();
        stale.dedup();
        for &i in &stale {
            let atoms = self.variables[i].atoms.clone();
            let mut new = [self.variable(atoms)];
            self.learn(&mut new)?;
            let [new] = new;
            self.variables[i] = new;
        }
        let joined = self.merge(&pairs)?;
        Ok(joined || !stale.is_empty())
    }
}
