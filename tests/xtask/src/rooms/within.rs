//! Circles of modules within crates, a parent and its children among them: a child that takes a name from the file that imports the child, say. Such a
//! name belongs into a module of its own. `circles.txt` has how many each crate has, which only shrinks.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// Circles by crate, as they were when the rule came; a crate that is not listed has none.
const COUNTED: &str = include_str!("circles.txt");

/// Circles of modules, by crate.
type Circles = BTreeMap<String, Vec<BTreeSet<String>>>;

/// Prints the circles, and says which crate has not the number that is listed.
///
/// # Errors
/// A list that is none.
pub fn within(found: &Circles) -> Result<Vec<String>> {
    let sum: usize = found.values().map(Vec::len).sum();
    println!("circles of modules within crates: {sum}");
    for (name, circles) in found.iter().filter(|(_, circles)| !circles.is_empty()) {
        println!("{:6} {name}", circles.len());
        for circle in circles {
            println!("       {}", circle.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
        }
    }
    against(&found.iter().map(|(name, circles)| (name.clone(), circles.len())).collect(), COUNTED)
}

/// Holds numbers against a list of lines `N crate`, both ways.
fn against(found: &BTreeMap<String, usize>, counted: &str) -> Result<Vec<String>> {
    let mut listed = BTreeMap::new();
    for line in counted.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (circles, name) =
            line.trim().split_once(' ').with_context(|| format!("circles.txt: `{line}`"))?;
        listed.insert(name.to_owned(), circles.parse::<usize>()?);
    }
    let mut faults = Vec::new();
    for name in found.keys().chain(listed.keys().filter(|name| !found.contains_key(*name))) {
        let number = |of: &BTreeMap<String, usize>| of.get(name).copied().unwrap_or(0);
        let (is, was) = (number(found), number(&listed));
        if is > was {
            faults.push(format!("{name}: {is} circles of modules, and there may be {was}"));
        } else if is < was {
            faults.push(format!("{name}: {is} circles of modules, and rooms/circles.txt still has {was}"));
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_only_shrinks() {
        let found = BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 0)]);
        let faults = |list: &str| against(&found, list).expect("a list").len();
        assert_eq!(faults("# crates\n2 a\n"), 0);
        assert_eq!(faults("1 a\n"), 1);
        assert_eq!(faults("3 a\n"), 1);
        assert_eq!(faults("2 a\n1 b\n"), 1);
        assert_eq!(faults("2 a\n1 c\n"), 1);
        assert_eq!(faults(""), 1);
        assert!(against(&found, "two a").is_err());
    }
}
