//! Reports that whole runs write.

use std::sync::Mutex;

/// Tests of one program run side by side.
static WRITING: Mutex<()> = Mutex::new(());

const CONTROLS: &str = "\
# Controls of the prover

Written by `cargo xtask long controls` (`verify/prove/tests/controls`): what is done to code that is proved, and what the prover says then. A change \
that is proved\nand not listed as benign fails the run.
";

/// Puts a section into `reports/controls.md`, if this is a whole run.
pub fn section(title: &str, text: &str) {
    if std::env::var_os("SASSAFRAS_ALL_CONTROLS").is_some() {
        replace("controls.md", CONTROLS, title, text);
    }
}

/// Puts a section of a page in the place of the one with its title.
pub fn replace(page: &str, head: &str, title: &str, text: &str) {
    let _alone = WRITING.lock();
    let path = sassafras_oracle::workspace_root().join("reports").join(page);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    let mut parts: Vec<(String, String)> = old
        .split("\n## ")
        .skip(1)
        .filter_map(|s| s.split_once('\n').map(|(t, b)| (t.to_owned(), b.trim().to_owned())))
        .collect();
    match parts.iter_mut().find(|p| p.0 == title) {
        Some(part) => part.1 = text.trim().to_owned(),
        None => parts.push((title.to_owned(), text.trim().to_owned())),
    }
    parts.sort();
    let body: String = parts.iter().map(|(t, b)| format!("\n## {t}\n\n{b}\n")).collect();
    std::fs::write(path, format!("{head}{body}")).expect("written");
}
