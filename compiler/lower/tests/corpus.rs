//! Every PTX file of the corpus lowers.

use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "ptx") {
            found.push(path);
        }
    }
}

/// Valid, but without a lowering yet; each is refused with its place. A file that lowers after all must go from this list.
const REFUSED: [&str; 0] = [];

#[test]
fn every_file_lowers_and_its_text_survives() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    files(&corpus.join("kernels"), &mut found);
    files(&corpus.join("features"), &mut found);
    assert!(!found.is_empty(), "no PTX below {}", corpus.display());
    let mut problems = Vec::new();
    for path in &found {
        let text = std::fs::read_to_string(path).expect("a corpus file is text");
        let name = path.strip_prefix(&corpus).unwrap_or(path).display().to_string();
        let module = match sassafras_ptx::load(&text, &name) {
            Ok(module) => module,
            Err(diagnostics) => {
                // What the checker does not know yet is told there, not here.
                if diagnostics.records().iter().any(|d| d.code != "P0390") {
                    problems.push(format!("{name}: {diagnostics}"));
                }
                continue;
            }
        };
        match sassafras_lower::lower(&module, &sassafras_lower::Options::default()) {
            Ok(_) if REFUSED.contains(&name.as_str()) => {
                problems.push(format!("{name} lowers: take it from the list"))
            }
            Ok(ir) => {
                let text = sassafras_ir::text::print(&ir, "lower");
                let again = sassafras_ir::text::parse(&text).map(|(m, _)| m);
                if again.as_ref() != Ok(&ir) {
                    problems.push(format!("{name}: the text does not survive"));
                }
            }
            Err(_) if REFUSED.contains(&name.as_str()) => {}
            Err(errors) => problems.extend(errors.iter().map(|e| format!("{name}: {e}"))),
        }
    }
    eprintln!("{} files", found.len());
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}
