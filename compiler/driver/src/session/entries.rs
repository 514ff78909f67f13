//! `-e`: what the chosen entries reach, so that the rest of the module cannot stop their compilation.

use std::collections::{HashMap, HashSet};

use sassafras_ptx::ast::{Item, Module};
use sassafras_ptx::lex::{Token, lex};

/// Drops the entries and functions that none of `names` reaches.
///
/// A function is reached when its name stands in one that is kept, in a variable's initialiser or in an alias.
pub(super) fn keep(module: &mut Module, names: &[String]) {
    let text = module.source.text().to_owned();
    // The words of each item, up to where the next one begins.
    let starts: Vec<usize> = module.items.iter().map(|i| i.span().start as usize).collect();
    let words = |index: usize| {
        let end = starts[index + 1..].iter().copied().find(|&s| s > starts[index]).unwrap_or(text.len());
        idents(text.get(starts[index]..end).unwrap_or_default())
    };
    let mut open: Vec<String> = names.to_vec();
    let mut functions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, item) in module.items.iter().enumerate() {
        match item {
            Item::Function(f) => functions.entry(&f.name.text).or_default().push(index),
            Item::Variable(_) | Item::Alias(..) => open.extend(words(index)),
            _ => {}
        }
    }
    let mut kept: HashSet<usize> = HashSet::new();
    while let Some(name) = open.pop() {
        for &index in functions.get(name.as_str()).into_iter().flatten() {
            // A variable's words may name an entry; it is compiled only when it was chosen.
            let chosen =
                !matches!(&module.items[index], Item::Function(f) if f.entry) || names.contains(&name);
            if chosen && kept.insert(index) {
                open.extend(words(index));
            }
        }
    }
    let mut index = 0;
    module.items.retain(|item| {
        index += 1;
        !matches!(item, Item::Function(_)) || kept.contains(&(index - 1))
    });
}

/// The names in a text.
fn idents(text: &str) -> Vec<String> {
    let tokens = lex(text).0.into_iter().filter(|(token, _)| *token == Token::Ident);
    tokens.filter_map(|(_, span)| text.get(span.range()).map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reached_stays() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n.func f(){ ret; }\n.func g(){ call f; ret; }\n\
                    .func h(){ ret; }\n.visible .entry a(){ call g; ret; }\n.visible .entry b(){ call h; ret; }\n";
        let mut module = sassafras_ptx::parse(text, "text").0;
        keep(&mut module, &["a".to_owned()]);
        let names: Vec<&str> = module
            .items
            .iter()
            .filter_map(|item| if let Item::Function(f) = item { Some(f.name.text.as_str()) } else { None })
            .collect();
        assert_eq!(names, ["f", "g", "a"]);
    }
}
