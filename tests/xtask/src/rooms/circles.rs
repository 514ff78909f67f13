//! Strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// From a name to those it points to.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// Sets of more than one name of which each is reached from each other, in order.
pub fn circles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|n| (n.as_str(), reached(graph, n))).collect();
    let mut all: Vec<BTreeSet<String>> = Vec::new();
    for (name, to) in &reached {
        if all.iter().any(|c| c.contains(*name)) {
            continue;
        }
        let back = |n: &&&str| reached.get(**n).is_some_and(|from| from.contains(name));
        let circle: BTreeSet<String> = to.iter().filter(back).map(|n| (*n).to_owned()).collect();
        if circle.len() > 1 {
            all.push(circle);
        }
    }
    all
}

fn reached<'g>(graph: &'g Graph, from: &'g str) -> BTreeSet<&'g str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(name) = open.pop() {
        let next = graph.get(name).into_iter().flatten().map(String::as_str);
        open.extend(next.filter(|n| found.insert(*n)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_what_reaches_itself_by_others() {
        let arrows =
            [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"), ("f", "f"), ("f", "a")];
        let mut graph = Graph::new();
        for (from, to) in arrows {
            graph.entry(from.into()).or_default().insert(to.into());
        }
        let found: Vec<String> =
            circles(&graph).into_iter().map(|c| c.into_iter().collect::<String>()).collect();
        assert_eq!(found, ["abc", "de"]);
    }
}
