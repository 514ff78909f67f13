//! Takes a model apart: which bits are signs of operands, which are enums, which are fixed, what is denied.

use super::name::name;
use crate::learn::Learner;
use crate::model::{Body, Edit, FloatKind, Sym, Way, get};
use crate::text::{Kind, flag};
use std::collections::{BTreeMap, BTreeSet};

/// A bit that is a sign of an operand.
pub struct Flag {
    /// The operand.
    pub field: usize,
    /// Which sign.
    pub flag: u8,
    /// The bit.
    pub bit: u8,
    /// The enum that turns the minus into a tilde.
    pub tilde: Option<String>,
}

/// Bits whose values have names.
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Lowest first.
    pub bits: Vec<u8>,
    /// Values that occur in a legal class.
    pub legal: BTreeSet<u64>,
}

/// A stretch of the base text that a variable changes.
pub struct Region {
    /// First token of the base text.
    pub from: usize,
    /// One after the last.
    pub to: usize,
    /// The variable, by index.
    pub variable: usize,
    /// By class: what stands there; `None` for refused classes.
    pub contents: Vec<Option<Vec<Sym>>>,
    /// The parts of the variable that it depends on.
    pub parts: Vec<usize>,
}

/// See the module.
pub struct Shape {
    /// Names of the fields.
    pub names: Vec<String>,
    /// Signs.
    pub flags: Vec<Flag>,
    /// Enums.
    pub enums: Vec<Enum>,
    /// Regions in order of place.
    pub regions: Vec<Region>,
    /// By field: the value of an operand that the text leaves out.
    pub defaults: BTreeMap<usize, u64>,
    /// By field: the ways it is shown.
    pub ways: Vec<Vec<Way>>,
    /// Conditions that no instruction meets.
    pub denied: Vec<String>,
    /// A word with what never matters as the seed has it.
    pub still: u128,
    /// What could not be taken apart.
    pub notes: Vec<String>,
}

impl Shape {
    /// Takes a learner's model apart.
    pub fn of(learner: &Learner<'_>) -> Shape {
        let mut names: Vec<String> = Vec::new();
        for field in &learner.fields {
            names.push(name(field.kind, &field.bits, &names));
        }
        let mut shape = Shape {
            names,
            flags: Vec::new(),
            enums: Vec::new(),
            regions: Vec::new(),
            defaults: BTreeMap::new(),
            ways: vec![vec![Way::Usual]; learner.fields.len()],
            denied: Vec::new(),
            still: learner.base,
            notes: Vec::new(),
        };
        for index in 0..learner.variables.len() {
            shape.variable(learner, index);
        }
        shape.regions.sort_by_key(|r| (r.from, r.to));
        // What several variables insert at one place stands in the order that was learned.
        let mut sorted = false;
        while !sorted {
            sorted = true;
            for i in 1..shape.regions.len() {
                let (a, b) = (&shape.regions[i - 1], &shape.regions[i]);
                let id = |r: &Region| learner.variables[r.variable].id;
                let insertions = a.from == a.to && b.from == b.to && a.from == b.from;
                if insertions && learner.before(id(b), id(a)) && !learner.before(id(a), id(b)) {
                    shape.regions.swap(i - 1, i);
                    sorted = false;
                }
            }
        }
        for pair in shape.regions.windows(2) {
            if pair[1].from < pair[0].to {
                shape.notes.push(format!("regions overlap at token {}", pair[1].from));
            }
        }
        shape
    }

    fn variable(&mut self, learner: &Learner<'_>, index: usize) {
        let variable = &learner.variables[index];
        let legal: Vec<bool> = variable.effects.iter().map(Option::is_some).collect();
        let mut regions = regions(learner, index);
        self.signs(learner, index, &mut regions);
        for region in &mut regions {
            region.parts =
                (0..variable.atoms.len()).filter(|&a| depends(learner, index, region, a)).collect();
        }
        regions.retain(|region| !region.parts.is_empty());
        let groups = self.groups(learner, index, &regions, &legal);
        let mut here: Vec<(usize, Vec<usize>)> = Vec::new();
        for members in groups {
            let bits: Vec<u8> = members.iter().map(|&a| variable.atoms[a].bits[0]).collect();
            let value = |c: usize| get(variable.put(learner.base, c), &bits);
            let values = (0..variable.classes()).filter(|&c| legal[c]).map(value).collect();
            here.push((self.enums.len(), members));
            self.enums.push(Enum { name: format!("m{}", bits[0]), bits, legal: values });
        }
        for &a in regions.iter().flat_map(|r| &r.parts) {
            self.default(learner, &variable.atoms[a]);
        }
        self.deny(learner, index, &here, &legal);
        for sym in regions.iter().flat_map(|r| r.contents.iter().flatten().flatten()) {
            if let Body::Field(i, way) = sym.body
                && !self.ways[i].contains(&way)
            {
                self.ways[i].push(way);
            }
        }
        self.regions.extend(regions);
    }

    /// Finds the bits that are signs, and takes the signs out of the contents.
    fn signs(&mut self, learner: &Learner<'_>, index: usize, regions: &mut [Region]) {
        let variable = &learner.variables[index];
        let value = |c: usize, a: usize| get(variable.put(learner.base, c), &variable.atoms[a].bits) == 1;
        let bits: Vec<usize> =
            (0..variable.atoms.len()).filter(|&a| variable.atoms[a].field.is_none()).collect();
        for i in 0..learner.fields.len() {
            let shown: Vec<(usize, u8)> = regions
                .iter()
                .flat_map(|r| r.contents.iter().enumerate())
                .flat_map(|(c, content)| content.iter().flatten().map(move |sym| (c, sym)))
                .filter(|(_, sym)| matches!(sym.body, Body::Field(f, _) if f == i))
                .map(|(c, sym)| (c, sym.flags))
                .collect();
            let any = shown.iter().fold(0, |all, (_, flags)| all | flags);
            let mut found: Vec<(u8, Flag)> = Vec::new();
            for flag in [flag::NEG, flag::ABS, flag::NOT, flag::INV].into_iter().filter(|f| any & f != 0) {
                let alone =
                    bits.iter().find(|&&a| shown.iter().all(|&(c, f)| (f & flag != 0) == value(c, a)));
                if let Some(&a) = alone {
                    found.push((flag, Flag { field: i, flag, bit: variable.atoms[a].bits[0], tilde: None }));
                }
            }
            if any & flag::NEG != 0 && any & flag::INV != 0 && found.is_empty() {
                let pairs = bits.iter().flat_map(|&n| bits.iter().map(move |&x| (n, x)));
                let fits = |n: usize, x: usize| {
                    shown.iter().all(|&(c, f)| {
                        (f & flag::NEG != 0) == (value(c, n) && !value(c, x))
                            && (f & flag::INV != 0) == (value(c, n) && value(c, x))
                    })
                };
                if let Some((n, x)) = pairs.into_iter().find(|&(n, x)| n != x && fits(n, x)) {
                    let tilde = Some(format!("m{}", variable.atoms[x].bits[0]));
                    let bit = variable.atoms[n].bits[0];
                    found.push((flag::NEG | flag::INV, Flag { field: i, flag: flag::NEG, bit, tilde }));
                }
            }
            for (flags, known) in found {
                for sym in regions.iter_mut().flat_map(|r| r.contents.iter_mut().flatten().flatten()) {
                    if matches!(sym.body, Body::Field(f, _) if f == i) {
                        sym.flags &= !flags;
                    }
                }
                self.flags.push(known);
            }
        }
    }

    /// The bits that make up enums, by part of the variable: those on which one literal text depends together.
    fn groups(
        &mut self,
        learner: &Learner<'_>,
        index: usize,
        regions: &[Region],
        legal: &[bool],
    ) -> Vec<Vec<usize>> {
        let variable = &learner.variables[index];
        let mut group: Vec<usize> = (0..variable.atoms.len()).collect();
        let flags = &self.flags;
        let bit = |a: usize| {
            variable.atoms[a].field.is_none() && !flags.iter().any(|f| f.bit == variable.atoms[a].bits[0])
        };
        for region in regions {
            let words = |sym: &Sym| matches!(sym.body, Body::Text(_));
            if !region.contents.iter().flatten().all(|content| content.iter().all(words)) {
                continue;
            }
            let members: Vec<usize> = region.parts.iter().copied().filter(|&a| bit(a)).collect();
            for two in members.windows(2) {
                let (from, to) = (group[two[1]], group[two[0]]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
        // Bits that alone change the same place by fixed characters are one enum too.
        let alone = |a: usize| -> Option<(usize, usize)> {
            let mut digits = vec![0; variable.atoms.len()];
            digits[a] = 1;
            match variable.effects[variable.class(&digits)].as_deref()? {
                [(from, to, new)] if new.iter().all(|sym| matches!(sym.body, Body::Text(_))) => {
                    Some((*from, *to))
                }
                _ => None,
            }
        };
        for a in (0..variable.atoms.len()).filter(|&a| bit(a)) {
            for b in (0..a).filter(|&b| bit(b)) {
                if alone(a).is_some() && alone(a) == alone(b) {
                    let (from, to) = (group[a], group[b]);
                    group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
                }
            }
        }
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for a in (0..variable.atoms.len()).filter(|&a| bit(a)) {
            let flipped = |c: usize| variable.digits(c)[a] == 1;
            if !(0..variable.classes()).any(|c| flipped(c) && legal[c]) {
                continue;
            }
            let shown = regions.iter().any(|r| r.parts.contains(&a));
            let decides = (0..variable.classes()).any(|c| {
                let mut digits = variable.digits(c);
                digits[a] = 1 - digits[a];
                legal[c] != legal[variable.class(&digits)]
            });
            // Where the seed's value of a bit without a text is legal with all that the other is legal with, it stays.
            let bit = variable.atoms[a].bits[0];
            let seed = usize::from((learner.seed ^ learner.base) >> bit & 1 == 1);
            let enough = (0..variable.classes()).filter(|&c| legal[c]).all(|c| {
                let mut digits = variable.digits(c);
                digits[a] = seed;
                legal[variable.class(&digits)]
            });
            if shown || decides && !enough {
                found.entry(group[a]).or_default().push(a);
            } else {
                self.still = self.still & !(1u128 << bit) | (learner.seed >> bit & 1) << bit;
            }
        }
        let mut list: Vec<Vec<usize>> = found.into_values().collect();
        list.iter_mut().for_each(|members| members.sort_by_key(|&a| variable.atoms[a].bits[0]));
        list
    }

    /// Notes the value at which an operand is left out, where it is not the constant of its kind.
    fn default(&mut self, learner: &Learner<'_>, atom: &crate::model::Atom) {
        let (Some(field), Some(value)) = (atom.field, atom.values.iter().skip(1).flatten().next()) else {
            return;
        };
        let known = &learner.fields[field];
        let shown = if known.inverted { 7u64.saturating_sub(*value) } else { *value };
        let constant = match known.kind {
            Kind::R => 255,
            Kind::UR => learner.uniform_constant as u64,
            Kind::P | Kind::UP => 7,
            _ => 0,
        };
        if shown != constant {
            self.defaults.insert(field, shown);
        }
    }

    /// Classes that are refused though each enum's value occurs elsewhere.
    fn deny(&mut self, learner: &Learner<'_>, index: usize, here: &[(usize, Vec<usize>)], legal: &[bool]) {
        let variable = &learner.variables[index];
        let mut names: Vec<(String, Vec<usize>)> =
            here.iter().map(|(e, members)| (self.enums[*e].name.clone(), members.clone())).collect();
        for (a, atom) in variable.atoms.iter().enumerate().filter(|(_, atom)| atom.values.len() > 1) {
            if let Some(field) = atom.field {
                names.push((self.names[field].clone(), vec![a]));
            }
        }
        for known in &self.flags {
            let place = (0..variable.atoms.len()).find(|&a| variable.atoms[a].bits == [known.bit]);
            if let Some(a) = place {
                let suffix = match known.flag {
                    flag::NEG => "neg",
                    flag::ABS => "abs",
                    flag::NOT => "not",
                    _ => "inv",
                };
                names.push((format!("{}.{suffix}", self.names[known.field]), vec![a]));
            }
        }
        let value = |c: usize, members: &[usize]| -> Option<u64> {
            if let [a] = members
                && variable.atoms[*a].field.is_some()
            {
                return variable.atoms[*a].values[variable.digits(c)[*a]];
            }
            let bits: Vec<u8> = members.iter().map(|&a| variable.atoms[a].bits[0]).collect();
            Some(get(variable.put(learner.base, c), &bits))
        };
        let table: Vec<(Vec<Option<u64>>, bool)> = (0..variable.classes())
            .map(|c| (names.iter().map(|(_, m)| value(c, m)).collect::<Vec<_>>(), legal[c]))
            .filter(|(values, _)| {
                here.iter().zip(values).all(|((e, _), v)| v.is_none_or(|v| self.enums[*e].legal.contains(&v)))
            })
            .collect();
        let covers = |rule: &[Option<u64>], values: &[Option<u64>]| {
            rule.iter().zip(values).all(|(r, v)| r.is_none() || r == v)
        };
        let mut rules: Vec<Vec<Option<u64>>> = Vec::new();
        for (values, _) in table.iter().filter(|(_, legal)| !legal) {
            let sound = |rule: &[Option<u64>]| !table.iter().any(|(v, legal)| *legal && covers(rule, v));
            if rules.iter().any(|rule| covers(rule, values)) || !sound(values) {
                continue;
            }
            let mut rule = values.clone();
            for i in 0..rule.len() {
                let kept = rule[i].take();
                if !sound(&rule) {
                    rule[i] = kept;
                }
            }
            if rule.iter().any(Option::is_some) {
                rules.push(rule);
            }
        }
        if rules.len() > 40 {
            self.notes.push(format!("{} denied combinations, 40 kept", rules.len()));
            rules.truncate(40);
        }
        for rule in rules {
            let tests = rule.iter().zip(&names);
            let tests: Vec<String> =
                tests.filter_map(|(value, (name, _))| value.map(|value| format!("{name}={value}"))).collect();
            self.denied.push(tests.join("&"));
        }
    }

    /// The kind of a floating-point immediate: one that may be of two kinds names the enum that decides.
    pub fn float(&self, field: usize, usual: FloatKind) -> String {
        let both = self.ways[field].contains(&Way::Float(FloatKind::Bfloat));
        match usual {
            FloatKind::Half if both => "h16:m85".to_owned(),
            FloatKind::Half => "f16".to_owned(),
            FloatKind::Bfloat => "bf16".to_owned(),
            FloatKind::Single => "f32".to_owned(),
            FloatKind::DoubleHigh => "f64h".to_owned(),
        }
    }
}

/// Whether what stands in a region depends on a part of the variable.
fn depends(learner: &Learner<'_>, index: usize, region: &Region, atom: usize) -> bool {
    let variable = &learner.variables[index];
    (0..variable.classes()).any(|c| {
        let mut digits = variable.digits(c);
        (0..variable.atoms[atom].values.len()).any(|other| {
            digits[atom] = other;
            let c2 = variable.class(&digits);
            matches!((&region.contents[c], &region.contents[c2]), (Some(a), Some(b)) if a != b)
        })
    })
}

/// The stretches of the base text that a variable changes, with what each class puts there.
fn regions(learner: &Learner<'_>, index: usize) -> Vec<Region> {
    let variable = &learner.variables[index];
    let mut spans: Vec<(usize, usize)> =
        variable.effects.iter().flatten().flatten().map(|&(from, to, _)| (from, to)).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (from, to) in spans {
        match joined.last_mut() {
            Some(last) if from < last.1 || from == last.0 || from == last.1 && from == to => {
                last.1 = last.1.max(to);
            }
            _ => joined.push((from, to)),
        }
    }
    let fill = |from: usize, to: usize| -> Vec<Option<Vec<Sym>>> {
        let one =
            |effect: &Option<Vec<Edit>>| effect.as_ref().map(|edits| content(&learner.text, edits, from, to));
        variable.effects.iter().map(one).collect()
    };
    let region =
        |(from, to)| Region { from, to, variable: index, contents: fill(from, to), parts: Vec::new() };
    joined.into_iter().map(region).collect()
}

/// A stretch of the text after edits.
fn content(base: &[Sym], edits: &[Edit], from: usize, to: usize) -> Vec<Sym> {
    let mut out = Vec::new();
    let mut at = from;
    for (start, end, new) in edits.iter().filter(|e| e.0 >= from && e.1 <= to) {
        out.extend_from_slice(&base[at..*start]);
        out.extend_from_slice(new);
        at = *end;
    }
    out.extend_from_slice(&base[at..to]);
    out
}
