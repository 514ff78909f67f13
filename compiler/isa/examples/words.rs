//! Reads lines `HEX TEXT` from standard input: decodes each word, prints it, encodes it again, and says what differs.

use sassafras_isa::{Chip, Style, Targets, decode, encode, parse, print};
use std::collections::BTreeMap;
use std::io::{self, BufRead};

fn main() -> io::Result<()> {
    let (mut count, mut good) = (0, 0);
    let mut faults: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((hex, text)) = line.split_once(' ') else { continue };
        let Ok(word) = u128::from_str_radix(hex.trim_start_matches("0x"), 16) else { continue };
        count += 1;
        let style = Style { targets: Targets::At(0), ..Style::default() };
        let fault = match decode(word, Chip::Sm90) {
            Err(error) => Some(error.to_string()),
            Ok(inst) => {
                let ours = print(&inst, &style);
                let exact = Style { exact: true, control: true, ..style };
                let whole = print(&inst, &exact);
                if encode(&inst, Chip::Sm90) != Ok(word) {
                    Some(format!("{}: encodes to another word", inst.form))
                } else if text != ours {
                    Some(format!("{}: text differs: {ours}", inst.form))
                } else if parse(&whole, &exact).as_ref() != Ok(&inst) {
                    Some(format!("{}: does not parse back: {whole}", inst.form))
                } else {
                    None
                }
            }
        };
        match fault {
            None => good += 1,
            Some(fault) => {
                let key = format!(
                    "{} {}",
                    text.split([' ', '.']).find(|w| !w.starts_with('@')).unwrap_or(""),
                    fault.split(": text").next().unwrap_or("")
                );
                faults.entry(key).or_insert((0, format!("{hex} {text} | {fault}"))).0 += 1;
            }
        }
    }
    for (count, example) in faults.values() {
        println!("{count:6} {example}");
    }
    println!("{good} of {count} words decode, print, encode and parse alike");
    Ok(())
}
