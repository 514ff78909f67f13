//! Writes the text part of a row.

use super::field::{Access, definition, place, signs};
use super::shape::{Region, Shape};
use crate::learn::Learner;
use crate::model::{Body, Sym, Way, get};
use crate::text::{Kind, flag};
use std::collections::{BTreeMap, BTreeSet};

struct Writer<'w, 'a> {
    learner: &'w Learner<'a>,
    shape: &'w Shape,
    accesses: &'w BTreeMap<usize, Access>,
    defined: BTreeSet<usize>,
    enums: BTreeSet<usize>,
    notes: Vec<String>,
}

/// The text with its fields in place.
pub fn write(
    learner: &Learner<'_>,
    shape: &Shape,
    accesses: &BTreeMap<usize, Access>,
    notes: &mut Vec<String>,
) -> String {
    let (defined, enums) = (BTreeSet::new(), BTreeSet::new());
    let mut writer = Writer { learner, shape, accesses, defined, enums, notes: Vec::new() };
    let mut out = String::new();
    let mut at = 0;
    for region in &shape.regions {
        if region.from < at {
            continue;
        }
        out += &writer.symbols(&learner.text[at..region.from]);
        out += &writer.region(region);
        at = region.to;
    }
    out += &writer.symbols(&learner.text[at..]);
    // Enums that only conditions name have no text of their own.
    let mut bare = String::new();
    for (_, known) in shape.enums.iter().enumerate().filter(|(e, _)| !writer.enums.contains(e)) {
        let text = |v| if known.legal.contains(&v) { "_" } else { "-" };
        let texts: Vec<&str> = (0..1u64 << known.bits.len()).map(text).collect();
        bare += &format!("<E {} {} {}>", known.name, place(&known.bits), texts.join(" "));
    }
    if !bare.is_empty() {
        let end = out.find([' ', '<', '{', '.']).unwrap_or(out.len());
        out.insert_str(end, &bare);
    }
    notes.append(&mut writer.notes);
    out
}

impl Writer<'_, '_> {
    fn symbols(&mut self, list: &[Sym]) -> String {
        let mut out = String::new();
        let mut i = 0;
        while i < list.len() {
            match self.constant(&list[i..]) {
                Some((text, used)) => {
                    out += &text;
                    i += used;
                }
                None => {
                    out += &self.symbol(&list[i]);
                    i += 1;
                }
            }
        }
        out
    }

    /// A constant operand of the ALU, `c[<bank>][<offset>]`, is one field in the notation.
    fn constant(&mut self, list: &[Sym]) -> Option<(String, usize)> {
        let [c, open, bank, close, open2, offset, close2, ..] = list else { return None };
        for (sym, want) in [(c, "c"), (open, "["), (close, "]"), (open2, "["), (close2, "]")] {
            if !matches!(&sym.body, Body::Text(text) if **text == *want) {
                return None;
            }
        }
        let (&Body::Field(bank, _), &Body::Field(offset, _)) = (&bank.body, &offset.body) else {
            return None;
        };
        let (b, o) = (&self.learner.fields[bank], &self.learner.fields[offset]);
        if b.bits.first() != Some(&54) || o.bits.first() != Some(&40) || o.shift != 2 {
            return None;
        }
        self.defined.insert(offset);
        let name = self.shape.names[bank].clone();
        if !self.defined.insert(bank) {
            return Some((format!("<C {name}>"), 7));
        }
        let signs = signs(self.shape, bank);
        Some((format!("<C {name} 32{signs}>"), 7))
    }

    fn symbol(&mut self, sym: &Sym) -> String {
        let mut signs = String::new();
        let known = match sym.body {
            Body::Field(i, _) => self
                .shape
                .flags
                .iter()
                .filter(|f| f.field == i)
                .fold(0, |all, f| all | f.flag | if f.tilde.is_some() { flag::INV } else { 0 }),
            Body::Text(_) => 0,
        };
        let sym = &Sym { flags: sym.flags & !known, ..sym.clone() };
        for (bit, sign) in [(flag::NOT, "!"), (flag::INV, "~"), (flag::NEG, "-"), (flag::ABS, "|")] {
            if sym.flags & bit != 0 {
                signs += sign;
            }
        }
        let bar = if sym.flags & flag::ABS != 0 { "|" } else { "" };
        let text = match &sym.body {
            Body::Text(text) => text.to_string(),
            Body::Field(i, way) => self.field(*i, *way),
        };
        format!("{signs}{text}{bar}")
    }

    fn field(&mut self, i: usize, way: Way) -> String {
        let field = &self.learner.fields[i];
        let name = &self.shape.names[i];
        let signed = field.signed || self.shape.ways[i].contains(&Way::Signed);
        let unsigned = way == Way::Unsigned || way == Way::Usual && !field.signed;
        if field.kind == Kind::Hex && signed && unsigned {
            return format!("<U {name}>");
        }
        if self.defined.insert(i) {
            return format!("<{}>", definition(self.learner, self.shape, i, self.accesses.get(&i)));
        }
        let kind = match field.kind {
            Kind::R => "R",
            Kind::UR => "UR",
            Kind::P | Kind::UP => "P",
            _ => "N",
        };
        format!("<{kind} {name}>")
    }

    fn region(&mut self, region: &Region) -> String {
        let variable = &self.learner.variables[region.variable];
        let is_field = |a: &usize| variable.atoms[*a].field.is_some();
        let fields: Vec<usize> = region.parts.iter().copied().filter(is_field).collect();
        let bits: Vec<u8> =
            region.parts.iter().filter(|a| !is_field(a)).map(|&a| variable.atoms[a].bits[0]).collect();
        let in_region = |e: &usize| self.shape.enums[*e].bits.iter().any(|bit| bits.contains(bit));
        let enums: Vec<usize> = (0..self.shape.enums.len()).filter(in_region).collect();
        let words = |sym: &Sym| matches!(sym.body, Body::Text(_));
        let literal = region.contents.iter().flatten().all(|content| content.iter().all(words));
        if let ([e], []) = (&enums[..], &fields[..])
            && literal
            && let Some(text) = self.enumeration(*e, region)
        {
            return text;
        }
        // An operand that is left out at its default, signs included.
        if let [a] = fields[..]
            && enums.is_empty()
            && let Some(text) = self.optional(region, a)
        {
            return text;
        }
        let classes: Vec<usize> = (0..variable.classes()).filter(|&c| region.contents[c].is_some()).collect();
        self.decide(region, &classes, &enums, &fields, &[])
    }

    /// `None` where a text has a blank, which an enum's cannot.
    fn enumeration(&mut self, e: usize, region: &Region) -> Option<String> {
        let variable = &self.learner.variables[region.variable];
        let known = &self.shape.enums[e];
        let text = |v| if known.legal.contains(&v) { "_" } else { "-" };
        let mut texts: Vec<String> = (0..1u64 << known.bits.len()).map(|v| text(v).to_owned()).collect();
        for (c, content) in region.contents.iter().enumerate() {
            let Some(content) = content else { continue };
            let plain = |sym: &Sym| match &sym.body {
                Body::Text(text) => text.to_string(),
                Body::Field(..) => String::new(),
            };
            let text: String = content.iter().map(plain).collect();
            let value = get(variable.put(self.learner.base, c), &known.bits) as usize;
            if text.contains([' ', '>', '<']) {
                return None;
            }
            texts[value] = if text.is_empty() { "_".to_owned() } else { text };
        }
        let texts = texts.join(" ");
        Some(if self.enums.insert(e) {
            format!("<E {} {} {texts}>", known.name, place(&known.bits))
        } else {
            format!("<V {} {texts}>", known.name)
        })
    }

    fn optional(&mut self, region: &Region, atom: usize) -> Option<String> {
        let variable = &self.learner.variables[region.variable];
        let field = variable.atoms[atom].field?;
        let name = self.shape.names[field].clone();
        let flags: Vec<u8> = self.shape.flags.iter().filter(|f| f.field == field).map(|f| f.bit).collect();
        let (mut usual, mut left_out): (Option<&Vec<Sym>>, Option<&Vec<Sym>>) = (None, None);
        let mut signs_then = false;
        let mut values = BTreeSet::new();
        for (c, content) in region.contents.iter().enumerate() {
            let Some(content) = content else { continue };
            let special = variable.atoms[atom].values[variable.digits(c)[atom]];
            let shows = content.iter().any(|s| matches!(s.body, Body::Field(f, _) if f == field))
                || special.is_some_and(|v| {
                    let text = self.learner.fields[field].text(v, Way::Usual, self.learner.uniform_constant);
                    content.iter().any(|s| matches!(&s.body, Body::Text(t) if **t == *text))
                });
            match special {
                Some(value) if !shows => {
                    if left_out.is_some_and(|known| known != content) {
                        return None;
                    }
                    left_out = Some(content);
                    values.insert(value);
                    let word = variable.put(self.learner.base, c);
                    signs_then |= flags.iter().any(|&bit| word >> bit & 1 == 1);
                }
                Some(_) => {}
                None if usual.is_none_or(|known| known == content) => usual = Some(content),
                None => return None,
            }
        }
        if values.len() != 1 {
            return None;
        }
        let (usual, left_out) = (usual?.clone(), left_out?.clone());
        if signs_then {
            self.notes.push(format!("`{name}` is left out when negated: its default may be 15"));
        }
        let shown = self.symbols(&usual);
        let mut out = format!("{{{name}?{shown}}}");
        if !left_out.is_empty() {
            let other = self.symbols(&left_out);
            out += &format!("{{!{name}?{other}}}");
        }
        Some(out)
    }

    /// One conditional text per distinct content, split on one enum or field after the other.
    fn decide(
        &mut self,
        region: &Region,
        classes: &[usize],
        enums: &[usize],
        fields: &[usize],
        under: &[String],
    ) -> String {
        let variable = &self.learner.variables[region.variable];
        let mut contents = classes.iter().filter_map(|&c| region.contents[c].as_ref());
        let Some(first) = contents.next().cloned() else { return String::new() };
        if contents.all(|content| *content == first) {
            let inside = self.symbols(&first);
            return if inside.is_empty() || under.is_empty() {
                inside
            } else {
                format!("{{{}?{inside}}}", under.join("&"))
            };
        }
        let mut parts: BTreeMap<Option<u64>, Vec<usize>> = BTreeMap::new();
        let (name, enums, fields) = if let [a, rest @ ..] = fields {
            for &c in classes {
                parts.entry(variable.atoms[*a].values[variable.digits(c)[*a]]).or_default().push(c);
            }
            let field = variable.atoms[*a].field.unwrap_or_default();
            (self.shape.names[field].clone(), enums, rest)
        } else if let [e, rest @ ..] = enums {
            if rest.is_empty()
                && let Some(inside) = self.inline(*e, region, classes)
            {
                return if under.is_empty() { inside } else { format!("{{{}?{inside}}}", under.join("&")) };
            }
            let known = &self.shape.enums[*e];
            for &c in classes {
                parts.entry(Some(get(variable.put(self.learner.base, c), &known.bits))).or_default().push(c);
            }
            (known.name.clone(), rest, fields)
        } else {
            self.notes.push(format!("undecided text at token {}", region.from));
            return self.symbols(&first);
        };
        // The contents that most values have are said with `!=`, the others with `=`.
        let same = |list: &[usize]| -> String {
            list.iter().map(|&c| format!("{:?};", region.contents[c])).collect()
        };
        let mut by_text: BTreeMap<String, Vec<Option<u64>>> = BTreeMap::new();
        for (value, list) in &parts {
            by_text.entry(same(list)).or_default().push(*value);
        }
        let most = by_text.into_values().max_by_key(|v| (v.contains(&None), v.len())).unwrap_or_default();
        let mut out = String::new();
        for (value, list) in parts.iter().filter(|(value, _)| !most.contains(value)) {
            let mut under = under.to_vec();
            under.extend(value.map(|value| format!("{name}={}", self.shown(&name, value))));
            out += &self.decide(region, list, enums, fields, &under);
        }
        let mut under = under.to_vec();
        if let ([Some(only)], true) = (&most[..], parts.len() > 2) {
            under.push(format!("{name}={}", self.shown(&name, *only)));
        } else {
            for other in parts.keys().flatten().filter(|v| !most.contains(&Some(**v))) {
                under.push(format!("{name}!={}", self.shown(&name, *other)));
            }
        }
        if let Some(list) = most.first().and_then(|value| parts.get(value)) {
            out += &self.decide(region, list, enums, fields, &under);
        }
        out
    }

    /// Contents that differ in fixed characters at one place: an enum between what is common.
    fn inline(&mut self, e: usize, region: &Region, classes: &[usize]) -> Option<String> {
        let variable = &self.learner.variables[region.variable];
        let list: Vec<(usize, &Vec<Sym>)> =
            classes.iter().filter_map(|&c| Some((c, region.contents[c].as_ref()?))).collect();
        let first = list.first()?.1.clone();
        let mut front = first.len();
        for (_, content) in &list {
            front = first.iter().zip(content.iter()).take_while(|(a, b)| a == b).count().min(front);
        }
        let shortest = list.iter().map(|(_, content)| content.len()).min()?;
        let mut back = shortest - front.min(shortest);
        for (_, content) in &list {
            let same = first.iter().rev().zip(content.iter().rev()).take_while(|(a, b)| a == b).count();
            back = back.min(same);
        }
        let known = &self.shape.enums[e];
        let mut texts = vec![String::from("-"); 1 << known.bits.len()];
        for value in &known.legal {
            texts[*value as usize] = "_".to_owned();
        }
        for (c, content) in &list {
            let mut text = String::new();
            for sym in &content[front..content.len() - back] {
                let Body::Text(part) = &sym.body else { return None };
                text += part;
            }
            if text.contains([' ', '<', '>']) {
                return None;
            }
            let value = get(variable.put(self.learner.base, *c), &known.bits) as usize;
            texts[value] = if text.is_empty() { "_".to_owned() } else { text };
        }
        let texts = texts.join(" ");
        let shown = if self.enums.insert(e) {
            format!("<E {} {} {texts}>", known.name, place(&known.bits))
        } else {
            format!("<V {} {texts}>", known.name)
        };
        let (before, after) = (first[..front].to_vec(), first[first.len() - back..].to_vec());
        Some(self.symbols(&before) + &shown + &self.symbols(&after))
    }

    /// The value that conditions compare with: the number, where the word holds its complement or its two's complement.
    fn shown(&self, name: &str, value: u64) -> u64 {
        let field = self.shape.names.iter().position(|n| n == name);
        match field.map(|i| &self.learner.fields[i]) {
            Some(field) if field.inverted => 7u64.saturating_sub(value),
            Some(field) if field.signed => {
                let unused = 64 - field.bits.len() as u32;
                (((value << unused) as i64 >> unused) << field.shift) as u64
            }
            Some(field) => value << field.shift,
            None => value,
        }
    }
}
