//! The modules of a crate, and which of them import which.

use super::circles::Graph;
use super::imports::{code, paths};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules of a crate by name, such as `trace::side::access`; the root has none. Those for tests alone are left out.
#[derive(Debug, Default)]
pub struct Modules {
    /// The code of each.
    code: BTreeMap<String, String>,
    /// First names of modules that have a folder.
    folders: BTreeSet<String>,
}

impl Modules {
    /// Reads the files of a crate.
    ///
    /// # Errors
    /// A folder or a file that cannot be read.
    pub fn read(source: &Path) -> Result<Modules> {
        let mut modules = Modules::default();
        let mut folders = vec![source.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let name = path.strip_prefix(source)?.with_extension("");
                    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                    modules.insert(&name.to_string_lossy(), &text);
                }
            }
        }
        Ok(modules)
    }

    /// Adds a module by its file's name, without extension.
    fn insert(&mut self, file: &str, text: &str) {
        let mut parts: Vec<&str> = file.split(['/', '\\']).collect();
        if parts.len() > 1 {
            self.folders.insert(parts[0].to_owned());
        }
        if parts.last().is_some_and(|last| *last == "mod") || parts == ["lib"] || parts == ["main"] {
            parts.pop();
        }
        if parts.last().is_none_or(|last| *last != "tests" && !last.ends_with("_tests")) {
            self.code.insert(parts.join("::"), code(text));
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// The folder beside the root that a module lies in, with the file of the same name; none for a module that is one file.
    pub fn folder<'m>(&self, module: &'m str) -> &'m str {
        let first = module.split("::").next().unwrap_or_default();
        if self.folders.contains(first) { first } else { "" }
    }

    /// Who imports whom by paths from the root, from `super` or from `self`. What the root hands on is imported from where it is; that a module
    /// declares others is no import.
    pub fn graph(&self) -> Graph {
        self.graph_of(|_| Vec::new())
    }

    /// The same, and what modules import from their children by paths that begin with the child: `child::Name`.
    pub fn graph_with_children(&self) -> Graph {
        self.graph_of(|name| {
            let parent = |module: &str| module.rsplit_once("::").map_or("", |(parent, _)| parent).to_owned();
            let children = self.code.keys().filter(|m| !m.is_empty() && parent(m) == name);
            children.filter_map(|m| m.rsplit("::").next()).collect()
        })
    }

    /// Who imports whom; `children` gives the names of modules that stand for themselves at the beginning of a path.
    fn graph_of<'m>(&'m self, children: impl Fn(&str) -> Vec<&'m str>) -> Graph {
        let shown = self.shown();
        let mut graph = Graph::new();
        for (name, code) in &self.code {
            let to = graph.entry(name.clone()).or_default();
            let heads = [&["crate", "super", "self"][..], &children(name)].concat();
            for path in paths(code, &heads) {
                let Some(path) = absolute(name, &path) else { continue };
                let path = match path.first().and_then(|first| shown.get(first)) {
                    Some(real) => {
                        real.split("::").map(str::to_owned).chain(path[1..].iter().cloned()).collect()
                    }
                    None => path,
                };
                let found = self.module(&path);
                if found != *name && !(name.is_empty() || found.is_empty()) {
                    to.insert(found);
                }
            }
        }
        graph
    }

    /// Names that the root hands on from its modules, and the module of each.
    fn shown(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let Some(root) = self.code.get("") else { return all };
        for statement in root.split("pub use ").skip(1) {
            let statement = format!("crate::{}", statement.split(';').next().unwrap_or_default());
            let statement =
                statement.replace("crate::crate::", "crate::").replace("crate::self::", "crate::");
            for path in paths(&statement, &["crate"]) {
                let module = self.module(&path[1..]);
                if let Some(last) =
                    path.last().filter(|_| !module.is_empty() && module != path[1..].join("::"))
                {
                    all.insert(last.clone(), module);
                }
            }
        }
        all
    }

    /// The module that a path from the root leads to: the longest head that is one.
    fn module(&self, path: &[String]) -> String {
        let heads = (0..=path.len()).rev().map(|n| path[..n].join("::"));
        heads.into_iter().find(|head| self.code.contains_key(head)).unwrap_or_default()
    }
}

/// A path as it is from the root.
fn absolute(module: &str, path: &[String]) -> Option<Vec<String>> {
    let mut from: Vec<String> = module.split("::").filter(|n| !n.is_empty()).map(str::to_owned).collect();
    let mut rest = path;
    while let Some((head, behind)) = rest.split_first() {
        match head.as_str() {
            "crate" => from.clear(),
            "self" => {}
            "super" => {
                from.pop()?;
            }
            _ => break,
        }
        rest = behind;
    }
    from.extend(rest.iter().cloned());
    Some(from)
}

#[cfg(test)]
mod tests {
    use super::super::circles::circles;
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Modules {
        let mut all = Modules::default();
        files.iter().for_each(|(name, text)| all.insert(name, text));
        all
    }

    #[test]
    fn a_planted_circle_is_seen() {
        let sound = [
            ("lib", "mod a;\nmod b;\npub use b::Thing;"),
            ("a/mod", "mod inner;\npub fn f() {}"),
            ("a/inner", "use super::f;"),
            ("b", "pub struct Thing;\npub fn g() { crate::a::f() }"),
        ];
        assert!(circles(&modules(&sound).graph()).is_empty());
        // By a path in code, by `super`, and by a name that the root hands on.
        for back in ["fn h() { crate::b::g() }", "use super::super::b::g;", "use crate::Thing;"] {
            let mut planted = sound;
            planted[2].1 = back;
            planted[1].1 = "mod inner;\npub use self::inner::h as f;";
            let modules = modules(&planted);
            let found = circles(&modules.graph());
            assert_eq!(found.len(), 1, "{back}");
            let folders: BTreeSet<&str> = found[0].iter().map(|m| modules.folder(m)).collect();
            assert_eq!(folders, ["", "a"].into(), "{back}");
        }
    }

    #[test]
    fn a_child_and_the_parent_that_imports_it_are_a_circle() {
        let sound = [
            ("lib", "mod a;"),
            ("a", "mod inner;\nuse inner::g;\npub fn f() { inner::h() }"),
            ("a/inner", ""),
        ];
        let circles_of = |child: &str| {
            let mut files = sound;
            files[2].1 = child;
            let modules = modules(&files);
            (circles(&modules.graph()).len(), circles(&modules.graph_with_children()).len())
        };
        assert_eq!(circles_of("pub fn g() {}"), (0, 0));
        assert_eq!(circles_of("use super::f;"), (0, 1));
        assert_eq!(circles_of("fn g() { crate::a::f() }"), (0, 1));
    }

    #[test]
    fn tests_import_what_they_like() {
        let all = modules(&[
            ("lib", ""),
            ("a/mod", "pub fn f() {}"),
            ("a/tests", "use crate::b;"),
            ("b", "use crate::a::f;"),
        ]);
        assert_eq!(all.len(), 3);
        assert!(circles(&all.graph()).is_empty());
    }
}
