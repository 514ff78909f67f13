//! `measure CHIP [MNEMONIC]`: how the recorded words of a chip fare, failures by mnemonic with an example; with a mnemonic every
//! word of it that fails, and a form of another chip that has the word.

use sassafras_chip::Chip;
use sassafras_reference::traces;
use sassafras_words as measure;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let chip: Chip = arguments.next().ok_or("usage: measure CHIP [MNEMONIC]")?.parse()?;
    let only = arguments.next();
    let words =
        traces::words(&sassafras_oracle::workspace_root(), &chip.to_string()).ok_or("no words recorded")?;
    if let Some(only) = only {
        for w in words.iter().filter(|w| measure::mnemonic(w) == only) {
            if let Err(f) = measure::word(w, chip) {
                let text = w.text.as_deref().unwrap_or("-");
                let other = measure::elsewhere(w, chip).map(|form| format!("; `{form}` has it elsewhere"));
                let other = other.unwrap_or_default();
                println!("{:032x} {text}\n    {} {}{other}", w.bits, measure::STAGES[f.stage], f.message);
            }
        }
        return Ok(());
    }
    let fare = measure::all(&words, chip, 1);
    let mut list: Vec<_> = fare.failures.iter().collect();
    list.sort_by_key(|(key, n)| (std::cmp::Reverse(**n), (*key).clone()));
    for (key, n) in list {
        let (w, message) = &fare.examples[key];
        let text = w.text.as_deref().unwrap_or("-");
        println!("{n:6} {:8} {:10} {:032x} {text} | {message}", measure::STAGES[key.0], key.1, w.bits);
    }
    let past: Vec<String> = (0..4).map(|s| format!("{} {}", fare.past(s), measure::STAGES[s])).collect();
    println!("{chip}: {} words, {}", fare.asked, past.join(", "));
    Ok(())
}
