//! Holds the table against nvdisasm: `live NVDISASM [WORDS-PER-FORM [PREFIX-OF-FORM…]]`.

use sassafras_isa::{Chip, FormId, forms, live};
use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(nvdisasm) = arguments.first() else {
        eprintln!("usage: live NVDISASM [WORDS-PER-FORM [PREFIX-OF-FORM…]]");
        std::process::exit(2);
    };
    let n = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    let prefixes = arguments.get(2..).unwrap_or_default();
    let wanted: Vec<FormId> = (0..forms().len() as u16)
        .map(FormId)
        .filter(|id| id.get().chips.contains(Chip::Sm90))
        .filter(|id| prefixes.is_empty() || prefixes.iter().any(|p| id.get().id.starts_with(p.as_str())))
        .collect();
    let report = live::compare(&wanted, Chip::Sm90, n, 1, Path::new(nvdisasm))?;
    for &(form, equal) in &report.equal {
        if equal == n {
            continue;
        }
        println!("{form}: {equal} of {n} equal");
        for d in report.differences.iter().filter(|d| d.form == form).take(6) {
            println!(
                "  {:#034x}\n    ours   {}\n    theirs {}",
                d.word,
                d.ours,
                d.theirs.as_deref().unwrap_or("(illegal)")
            );
        }
    }
    let whole = report.equal.iter().filter(|(_, equal)| *equal == n).count();
    println!("{whole} of {} forms equal on all {n} words", report.equal.len());
    Ok(())
}
