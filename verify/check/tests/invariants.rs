//! `docs/invariants.md` is what the table of rules says.

use sassafras_check::rules::{GROUPS, document};

#[test]
fn the_page_is_made_from_the_table() {
    let path = sassafras_reference::workspace_root().join("docs/invariants.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, document()).expect("the folder is there");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(page, document(), "run `BLESS=1 cargo test -p sassafras-check --test invariants`");
}

#[test]
fn names_are_unique() {
    let all: Vec<&str> = GROUPS.iter().flat_map(|(_, rules)| rules.iter().map(|(id, _)| *id)).collect();
    for (i, a) in all.iter().enumerate() {
        assert!(!all[i + 1..].contains(a), "{a} twice");
    }
}
