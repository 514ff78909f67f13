//! Several modules, one cubin: the modules become one text before they are compiled.
//!
//! As ptxas 13.0.88 does it (black-box runs): what is `.visible` in one module can be named in the others, what is not
//! belongs to its module alone, and the newest `.version` and `.target` count.

use std::collections::HashMap;

use sassafras_ptx::ast::{Item, Name};
use sassafras_ptx::source::Span;
use sassafras_ptx::{self as ptx};

use super::front::demand;
use crate::Failure;
use crate::phase::Stage;

/// Modules as one text.
#[derive(Clone, Debug)]
pub struct Joined {
    /// The text.
    pub text: String,
    /// The first line of each module (1-based), and the module's name.
    starts: Vec<(u32, String)>,
}

impl Joined {
    /// The module and line (1-based) of a line of the text.
    pub fn place(&self, line: u32) -> Option<(&str, u32)> {
        let (first, name) = self.starts.iter().rev().find(|(first, _)| *first <= line)?;
        Some((name, line - first + 1))
    }
}

/// Makes one text of modules, each a name and a text.
///
/// # Errors
/// A module that does not parse, and names of two modules that only a linker could keep apart.
pub fn join(modules: &[(String, String)]) -> Result<Joined, Failure> {
    let mut joined = Joined { text: String::new(), starts: Vec::new() };
    let mut newest: Option<((u32, u32), String)> = None;
    let mut target: Option<(u32, String)> = None;
    let mut with_files = 0;
    let mut owners: HashMap<String, (usize, bool)> = HashMap::new();
    for (index, (name, text)) in modules.iter().enumerate() {
        let (syntax, findings) = ptx::parse(text, name);
        if findings.has_errors() {
            return Err(Failure::Ptx(findings));
        }
        // A text without a header is refused with its own name and lines.
        if !matches!(syntax.items[..], [Item::Version(_), Item::Target(_), ..]) {
            return super::front::parse(text, name).map(|_| joined);
        }
        // The indices of files are a module's own.
        with_files += usize::from(syntax.items.iter().any(|i| matches!(i, Item::File(_))));
        if with_files > 1 {
            let what = "line information of more than one module".to_owned();
            return Err(Failure::Unsupported { stage: Stage::Parse, function: None, what });
        }
        let mut body = text.clone().into_bytes();
        for item in &syntax.items {
            match item {
                Item::Version(version) => {
                    let numbers = version.text.split_once('.');
                    let numbers = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    if let Some(numbers) = numbers.filter(|n| newest.as_ref().is_none_or(|(old, _)| n > old))
                    {
                        newest = Some((numbers, version.text.clone()));
                    }
                    blank(&mut body, before(text, version.span));
                }
                Item::Target(names) => {
                    let Some((first, last)) = names.first().zip(names.last()) else { continue };
                    for name in names {
                        let Some((least, _)) = demand(&name.text) else { continue };
                        if target.as_ref().is_none_or(|(old, _)| least > *old) {
                            target = Some((least, name.text.clone()));
                        }
                    }
                    blank(&mut body, before(text, first.span.to(last.span)));
                }
                Item::AddressSize(bits) => blank(&mut body, before(text, bits.span)),
                Item::Variable(v) => {
                    let names = v.declarators.iter().map(|d| &d.name);
                    claim(&mut owners, index, v.linkage.as_ref(), names)?;
                }
                Item::Function(f) => {
                    // An entry without `.visible` still has a name that no other entry may have.
                    let linkage = f.linkage.as_ref();
                    if !f.entry {
                        claim(&mut owners, index, linkage, std::iter::once(&f.name))?;
                    }
                }
                _ => {}
            }
        }
        let body = String::from_utf8(body).unwrap_or_default();
        // The head takes one line of its own.
        let line = 2 + joined.text.matches('\n').count() as u32;
        joined.starts.push((line, name.clone()));
        joined.text.push_str(&body);
        if !body.ends_with('\n') {
            joined.text.push('\n');
        }
    }
    let (version, target) = (newest.map(|n| n.1), target.map(|t| t.1));
    let head = format!(
        ".version {} .target {} .address_size 64\n",
        version.unwrap_or_default(),
        target.unwrap_or_default()
    );
    joined.text.insert_str(0, &head);
    Ok(joined)
}

/// A directive's span, with its word, which stands before its first argument.
fn before(text: &str, span: Span) -> Span {
    let head = text.get(..span.start as usize).unwrap_or_default();
    Span { start: head.rfind('.').unwrap_or(0) as u32, ..span }
}

/// Overwrites a span with blanks; lines stay where they are.
fn blank(body: &mut [u8], span: Span) {
    for byte in body.get_mut(span.range()).into_iter().flatten().filter(|b| **b != b'\n') {
        *byte = b' ';
    }
}

/// Notes whose a name is.
fn claim<'a>(
    owners: &mut HashMap<String, (usize, bool)>,
    module: usize,
    linkage: Option<&Name>,
    names: impl Iterator<Item = &'a Name>,
) -> Result<(), Failure> {
    let shared = linkage.is_some();
    for name in names {
        match owners.get(&name.text) {
            Some(&(other, other_shared)) if other != module && !(shared && other_shared) => {
                let what = format!("`{}` in two modules, one of which keeps it to itself,", name.text);
                return Err(Failure::Unsupported { stage: Stage::Parse, function: None, what });
            }
            Some(_) => {}
            None => {
                owners.insert(name.text.clone(), (module, shared));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(head: &str, body: &str) -> (String, String) {
        (format!("{}.ptx", &body[..1]), format!("{head}\n.address_size 64\n// {body}\n{}", &body[1..]))
    }

    #[test]
    fn modules_become_one() {
        let one = module(".version 7.0\n.target sm_80", "a.visible .global .u32 g;");
        let two = module(
            ".version 8.0\n.target sm_90",
            "b.visible .entry k(){ .reg .b32 r; ld.global.u32 r, [g]; ret; }",
        );
        let joined = join(&[one, two]).expect("they go together");
        assert!(ptx::load(&joined.text, "joined").is_ok_and(|m| m.version == (8, 0) && m.target == "sm_90"));
        assert_eq!(joined.place(6), Some(("a.ptx", 5)));
        assert_eq!(joined.place(11), Some(("b.ptx", 5)));
    }

    #[test]
    fn names_that_clash_are_refused() {
        let head = ".version 8.0\n.target sm_90";
        let both = [module(head, "a.global .u32 g;"), module(head, "b.global .u32 g;")];
        assert!(matches!(join(&both), Err(Failure::Unsupported { .. })));
        let bad = [module(head, "a.global .u32 g;"), ("b.ptx".into(), "text".into())];
        assert!(matches!(join(&bad), Err(Failure::Ptx(_))));
    }
}
