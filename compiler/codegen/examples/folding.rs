//! What branch folding saves: `folding [NAME=VALUE …] FILE …`, texts of machine code behind `expand`
//! (`sassafras compile --stop-after expand`). Prints a line for each that changes, and the sums.

use sassafras_codegen::fold::{self, Gate, Knobs};
use std::collections::BTreeMap;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut knobs = Knobs::default();
    let mut rejected: BTreeMap<Gate, usize> = BTreeMap::new();
    let (mut files, mut before, mut after, mut tails, mut hoists, mut rounds) = (0, 0, 0, 0, 0, 0);
    for word in std::env::args().skip(1) {
        if let Some((name, value)) = word.split_once('=') {
            knobs.set(name, value)?;
            continue;
        }
        let mut f = sassafras_machine::text::parse(&std::fs::read_to_string(&word)?)?;
        let old = f.insts().count();
        let stats = fold::fold(&mut f, &knobs)?;
        let new = f.insts().count();
        files += 1;
        before += old;
        after += new;
        let hoisted = stats.merges.iter().filter(|merge| merge.hoisted).count();
        hoists += hoisted;
        tails += stats.merges.len() - hoisted;
        rounds = stats.rounds.max(rounds);
        stats.rejected.into_iter().for_each(|gate| *rejected.entry(gate).or_default() += 1);
        if old != new {
            println!("{word}: {old} instructions, {new} behind folding");
        }
    }
    println!(
        "{files} functions, {before} instructions, {after} behind folding; {} bytes saved",
        16 * (before - after)
    );
    println!(
        "{tails} tails merged, {hoists} beginnings hoisted, {rounds} rounds at most; rejected: {rejected:?}"
    );
    Ok(())
}
