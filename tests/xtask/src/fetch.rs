//! Getting what is missing before anything else.

use anyhow::Result;
use std::path::Path;

/// Fetches the sets `what` of the oracle's table (all that are not optional when empty). What cannot be fetched is said aloud and gone without.
pub fn fetch(root: &Path, what: &[&str]) -> Result<()> {
    println!("== tools");
    let report = sassafras_oracle::install(root, what)?;
    for set in &report.sets {
        match (&set.problem, set.fetched) {
            (Some(why), _) => println!("   {:<9} NOT HERE, going on without: {why}", set.name),
            (None, true) => println!("   {:<9} fetched in {:.1} s", set.name, set.seconds),
            (None, false) => println!("   {:<9} is here", set.name),
        }
    }
    Ok(())
}
