//! Which bits must be known together: every pair of variables is tried, and those whose effects do not compose are joined.

use super::Learner;
use crate::model::{Atom, Body, Variable, compose, edits};
use crate::text::Token;
use anyhow::Result;
use std::collections::BTreeMap;

/// Classes that a joint variable may have.
const LARGEST: usize = 1 << 11;
/// Rounds of joining.
const ROUNDS: usize = 8;

impl Learner<'_> {
    /// One variable per bit that belongs to no field, and one per field.
    pub(super) fn single_bits(&mut self) -> Result<()> {
        let taken: Vec<u8> = self.fields.iter().flat_map(|f| f.bits.clone()).collect();
        let mut atoms: Vec<Atom> = Vec::new();
        for bit in self.bits().into_iter().filter(|bit| !taken.contains(bit)) {
            let now = (self.base >> bit & 1) as u64;
            atoms.push(Atom { bits: vec![bit], field: None, values: vec![Some(now), Some(1 - now)] });
        }
        for (i, field) in self.fields.iter().enumerate() {
            let values = std::iter::once(None).chain(field.special.iter().copied().map(Some)).collect();
            atoms.push(Atom { bits: field.bits.clone(), field: Some(i), values });
        }
        let mut list = Vec::new();
        for atom in atoms {
            list.push(self.variable(vec![atom]));
        }
        self.learn(&mut list)?;
        self.variables = list;
        Ok(())
    }

    pub(super) fn variable(&mut self, atoms: Vec<Atom>) -> Variable {
        self.next += 1;
        Variable { id: self.next, atoms, effects: Vec::new() }
    }

    /// Asks for every class of variables.
    pub(super) fn learn(&mut self, list: &mut [Variable]) -> Result<()> {
        let words: Vec<u128> = list
            .iter()
            .flat_map(|v| (0..v.classes()).map(|c| v.put(self.base, c)).collect::<Vec<_>>())
            .collect();
        self.ask(&words)?;
        for variable in list {
            let mut effects = Vec::with_capacity(variable.classes());
            for class in 0..variable.classes() {
                let text = self.one(variable.put(self.base, class))?;
                effects.push(text.map(|text| {
                    // Where a field has a value of its own, its token must not be taken for a field.
                    let mut general = self.general(&text);
                    let digits = variable.digits(class);
                    for (atom, digit) in variable.atoms.iter().zip(digits) {
                        if let (Some(field), Some(_)) = (atom.field, atom.values[digit]) {
                            for (sym, token) in general.iter_mut().zip(text.iter()) {
                                if matches!(sym.body, Body::Field(i, _) if i == field) {
                                    sym.body = Body::Text(token.text.clone());
                                }
                            }
                        }
                    }
                    edits(&self.text, &general)
                }));
            }
            variable.effects = effects;
        }
        Ok(())
    }

    /// Joins until every pair composes, or nothing more can be joined.
    pub(super) fn join(&mut self) -> Result<()> {
        for _ in 0..ROUNDS {
            let apart = self.apart()?;
            if apart.is_empty() || !self.merge(&apart)? {
                break;
            }
        }
        Ok(())
    }

    /// Pairs of variables, by index, that do not compose, with how often.
    fn apart(&mut self) -> Result<BTreeMap<(usize, usize), usize>> {
        let mut tests: Vec<(usize, usize, usize, usize)> = Vec::new();
        let samples: Vec<Vec<usize>> = self.variables.iter().map(Variable::sample).collect();
        for i in 0..self.variables.len() {
            for j in i + 1..self.variables.len() {
                if self.settled.contains(&(self.variables[i].id, self.variables[j].id)) {
                    continue;
                }
                for &c in samples[i].iter().filter(|c| **c != 0) {
                    tests.extend(samples[j].iter().filter(|d| **d != 0).map(|&d| (i, j, c, d)));
                }
            }
        }
        let word = |s: &Self, &(i, j, c, d): &(usize, usize, usize, usize)| {
            s.variables[j].put(s.variables[i].put(s.base, c), d)
        };
        let words: Vec<u128> = tests.iter().map(|test| word(self, test)).collect();
        let texts = self.ask(&words)?;
        let mut bad = BTreeMap::new();
        for (test, text) in tests.iter().zip(&texts) {
            let &(i, j, c, d) = test;
            if !self.composes(i, j, c, d, text.as_deref()) {
                *bad.entry((i, j)).or_insert(0) += 1;
            }
        }
        for i in 0..self.variables.len() {
            for j in i + 1..self.variables.len() {
                if !bad.contains_key(&(i, j)) {
                    self.settled.insert((self.variables[i].id, self.variables[j].id));
                }
            }
        }
        Ok(bad)
    }

    fn composes(&mut self, i: usize, j: usize, c: usize, d: usize, text: Option<&[Token]>) -> bool {
        let (one, two) = (&self.variables[i], &self.variables[j]);
        let (Some(e), Some(f)) = (&one.effects[c], &two.effects[d]) else { return text.is_none() };
        let Some(text) = text else { return false };
        let ids = (one.id, two.id);
        let both = [(ids.0, e.as_slice()), (ids.1, f.as_slice())];
        let values = self.values(two.put(one.put(self.base, c), d));
        let fill = |general: &[_]| crate::model::fill(general, &values, &self.fields, self.uniform_constant);
        let Ok((general, ambiguous)) = compose(&self.text, &both, &|a, b| self.order.contains(&(a, b)))
        else {
            return false;
        };
        if fill(&general) == text {
            return true;
        }
        if ambiguous && !self.order.contains(&ids) && !self.order.contains(&(ids.1, ids.0)) {
            let turned = compose(&self.text, &both, &|a, b| (a, b) == (ids.1, ids.0));
            if turned.is_ok_and(|(general, _)| fill(&general) == text) {
                self.order.insert((ids.1, ids.0));
                return true;
            }
        }
        false
    }

    /// Joins variables that do not compose, the most frequent first. Tells whether any were joined.
    pub(super) fn merge(&mut self, pairs: &BTreeMap<(usize, usize), usize>) -> Result<bool> {
        let mut parent: Vec<usize> = (0..self.variables.len()).collect();
        let mut size: Vec<usize> = self.variables.iter().map(Variable::classes).collect();
        fn find(parent: &[usize], mut i: usize) -> usize {
            while parent[i] != i {
                i = parent[i];
            }
            i
        }
        let mut order: Vec<_> = pairs.iter().collect();
        order.sort_by_key(|(pair, count)| (std::cmp::Reverse(**count), **pair));
        let mut joined = false;
        for (&(i, j), _) in order {
            let (a, b) = (find(&parent, i), find(&parent, j));
            if a == b {
                continue;
            }
            if size[a] * size[b] > LARGEST {
                let bits = |v: &Variable| v.atoms.iter().flat_map(|a| a.bits.clone()).collect::<Vec<_>>();
                let note =
                    format!("not joined: {:?} {:?}", bits(&self.variables[i]), bits(&self.variables[j]));
                if self.notes.len() < 20 {
                    self.notes.push(note);
                }
                continue;
            }
            parent[b] = a;
            size[a] *= size[b];
            joined = true;
        }
        if joined {
            let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for i in 0..parent.len() {
                groups.entry(find(&parent, i)).or_default().push(i);
            }
            let old = std::mem::take(&mut self.variables);
            let (mut kept, mut new) = (Vec::new(), Vec::new());
            for group in groups.values() {
                if let [only] = group[..] {
                    kept.push(old[only].clone());
                } else {
                    let atoms = group.iter().flat_map(|&i| old[i].atoms.clone()).collect();
                    new.push(self.variable(atoms));
                }
            }
            self.learn(&mut new)?;
            kept.append(&mut new);
            self.variables = kept;
        }
        Ok(joined)
    }
}
