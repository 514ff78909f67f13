//! How many rows each chip can carry out, and what it lacks for the others: `chips [sm_80 …]`.

use sassafras_chip::Chip;
use sassafras_rules::select::Rules;

fn main() {
    let named: Vec<Chip> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let rows = Rules::written();
    for chip in Chip::ALL {
        let able = rows.iter().filter(|row| row.forms_on(chip).is_ok()).count();
        println!("{chip}: {able} of {} rows", rows.len());
        for row in rows.iter().filter(|_| named.contains(&chip)) {
            if let Err(why) = row.forms_on(chip) {
                println!("  {}: {why}", row.name);
            }
        }
    }
}
