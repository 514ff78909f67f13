//! Which crate needs which, as a document lists it: lines `crate -> crate, crate` in a block fenced by "```arrows". Circles between folders are listed
//! in the same way: `crate -> folder, folder`.

use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// By crate, the crates that it needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arrows(BTreeMap<String, BTreeSet<String>>);

impl Arrows {
    /// Says what a crate needs.
    pub fn insert(&mut self, name: &str, needs: BTreeSet<String>) {
        self.0.insert(name.to_owned(), needs);
    }

    /// Says more of what it needs.
    pub fn add(&mut self, name: &str, needs: impl Iterator<Item = String>) {
        self.0.entry(name.to_owned()).or_default().extend(needs);
    }

    /// How many crates are listed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reads the block of that name in a document.
    ///
    /// # Errors
    /// No block or more than one, a line that is none, a crate that is listed twice.
    pub fn parse(text: &str, name: &str) -> Result<Arrows> {
        let fence = format!("```{name}\n");
        let mut blocks = text.split(fence.as_str()).skip(1);
        let (Some(block), None) = (blocks.next(), blocks.next()) else {
            bail!("one block of {name} is wanted")
        };
        let (block, _) = block.split_once("```").context("a block ends nowhere")?;
        let mut all = Arrows::default();
        for line in block.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (name, needs) = line.split_once("->").with_context(|| format!("`{line}` is no arrow"))?;
            let needs = needs.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty());
            if all.0.insert(name.trim().to_owned(), needs.collect()).is_some() {
                bail!("{} is listed twice", name.trim());
            }
        }
        Ok(all)
    }

    /// Arrows that there are and that are not drawn, and the other way round.
    pub fn against(&self, drawn: &Arrows) -> Vec<String> {
        let mut faults = Vec::new();
        let none = BTreeSet::new();
        let names: BTreeSet<&String> = self.0.keys().chain(drawn.0.keys()).collect();
        for name in names {
            match (self.0.get(name), drawn.0.get(name)) {
                (Some(_), None) => faults.push(format!("{name} is not listed")),
                (None, _) => faults.push(format!("{name} is listed, and there is no such crate")),
                _ => {}
            }
            let is = self.0.get(name).unwrap_or(&none);
            let may = drawn.0.get(name).unwrap_or(&none);
            faults.extend(is.difference(may).map(|to| format!("{name} needs {to}, and no arrow says so")));
            faults.extend(
                may.difference(is)
                    .map(|to| format!("an arrow leads from {name} to {to}, which it does not need")),
            );
        }
        faults
    }
}

impl fmt::Display for Arrows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, needs) in &self.0 {
            let needs: Vec<&str> = needs.iter().map(String::as_str).collect();
            writeln!(f, "{}", format!("{name} -> {}", needs.join(", ")).trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: &str = "Text.\n```arrows\na ->\nb -> a\nc -> a, b\n```\nMore.";

    #[test]
    fn a_list_is_read_as_it_is_written() {
        let arrows = Arrows::parse(DRAWN, "arrows").expect("it is one");
        let again = format!("```arrows\n{arrows}```");
        assert_eq!(Arrows::parse(&again, "arrows").expect("it is one"), arrows);
        assert_eq!(arrows.against(&arrows), Vec::<String>::new());
        for wrong in ["no block", "```arrows\na b\n```", "```arrows\na ->\na ->\n```", "```arrows\na ->"] {
            assert!(Arrows::parse(wrong, "arrows").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_planted_arrow_is_seen() {
        let drawn = Arrows::parse(DRAWN, "arrows").expect("it is one");
        let faults = |is: &str| {
            Arrows::parse(&format!("```arrows\n{is}```"), "arrows").expect("it is one").against(&drawn)
        };
        assert_eq!(faults("a ->\nb -> a\nc -> a, b\n"), Vec::<String>::new());
        assert_eq!(faults("a -> c\nb -> a\nc -> a, b\n"), ["a needs c, and no arrow says so"]);
        assert_eq!(faults("a ->\nb -> a\nc -> a\n"), ["an arrow leads from c to b, which it does not need"]);
        assert_eq!(faults("a ->\nb -> a\nc -> a, b\nd ->\n"), ["d is not listed"]);
        assert_eq!(faults("a ->\nb -> a\n")[0], "c is listed, and there is no such crate");
    }
}
