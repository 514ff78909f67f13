//! What of ptxas's code has no meaning here: `missing CUBIN...` counts instructions of the cubins that no form owns, or whose form has no meaning,
//! with the files that hold them, the most frequent first. `cargo xtask figures` has what runs and proves; this needs neither.

use anyhow::{Context, Result};
use sassafras_chip::Chip;
use sassafras_isa::{Meaning, decode};
use std::collections::{BTreeMap, BTreeSet};

fn main() -> Result<()> {
    let mut all: BTreeMap<String, (usize, BTreeSet<String>)> = BTreeMap::new();
    let (mut words, mut files) = (0, 0);
    for file in std::env::args().skip(1) {
        let bytes = std::fs::read(&file).with_context(|| file.clone())?;
        let Ok(cubin) = sassafras_cubin::read(&bytes) else {
            eprintln!("{file}: not read");
            continue;
        };
        files += 1;
        let chip = Chip::from_number(cubin.sm).with_context(|| format!("sm_{} is no chip", cubin.sm))?;
        for function in &cubin.functions {
            for &word in &function.code {
                words += 1;
                let what = match decode(word, chip) {
                    Ok(inst) if inst.row().meaning == Meaning::Unmodelled => inst.row().id.to_owned(),
                    Ok(_) => continue,
                    Err(e) => e.to_string(),
                };
                let entry = all.entry(what).or_default();
                entry.0 += 1;
                entry.1.insert(file.rsplit('/').next().unwrap_or_default().to_owned());
            }
        }
    }
    println!("{files} files, {words} instructions");
    let mut rows: Vec<_> = all.into_iter().collect();
    rows.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (what, (n, files)) in rows {
        let some: Vec<&str> = files.iter().take(3).map(String::as_str).collect();
        println!("{n:6} in {:3} files  {what}  ({})", files.len(), some.join(", "));
    }
    Ok(())
}
