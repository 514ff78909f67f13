//! Holds the table against nvdisasm: `live NVDISASM [WORDS-PER-FORM [CHIP] [PREFIX-OF-FORM…]]`. With a prefix, rows are tried on the chip even
//! where they do not claim to hold, so that a range can be widened.

use sassafras_isa::{Chip, FormId, forms};
use sassafras_live as live;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(nvdisasm) = arguments.first() else {
        eprintln!("usage: live NVDISASM [WORDS-PER-FORM [CHIP] [PREFIX-OF-FORM…]]");
        std::process::exit(2);
    };
    let n = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    let named = arguments.get(2).and_then(|name| name.parse::<Chip>().ok());
    let chip = named.unwrap_or(Chip::Sm90);
    let prefixes = arguments.get(2 + usize::from(named.is_some())..).unwrap_or_default();
    let wanted: Vec<FormId> = (0..forms().len() as u16)
        .map(FormId)
        .filter(|id| !prefixes.is_empty() || id.get().chips.contains(chip))
        .filter(|id| prefixes.is_empty() || prefixes.iter().any(|p| id.get().id.starts_with(p.as_str())))
        .collect();
    let report = live::compare(&wanted, chip, n, 1, Path::new(nvdisasm))?;
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
