//! Holds rows against nvdisasm and prints what belongs into `src/table/verified.csv`:
//! `verify BIN TOOL-VERSION WORDS [CHIP WORDS-OF-PTXAS]… > verified.csv`, where `BIN` is the folder of ptxas and nvdisasm, and the list of
//! words of ptxas for a chip, from which seeds are taken, has lines `HEX TEXT`. Each row is tried on every chip it claims: on WORDS
//! random words at home, on a tenth of them elsewhere. Rows that stand as they were recorded are left as they are, and so are
//! seeds found before.

use sassafras_isa::{Chip, Control, FormId, Inst, Rng, decode, form, forms, generate, mark};
use sassafras_live as live;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Instructions of each form whose operands are compared.
const OPERANDS: usize = 25;
/// Instructions of each form in the sweep over control bits.
const ROUNDS: usize = 8;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [bin, tool, words, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: verify BIN TOOL-VERSION WORDS [CHIP WORDS-OF-PTXAS]…");
        std::process::exit(2);
    };
    let (ptxas, nvdisasm) = (Path::new(bin).join("ptxas"), Path::new(bin).join("nvdisasm"));
    let n: usize = words.parse().unwrap_or(2000);
    let ids: Vec<FormId> = (0..forms().len() as u16).map(FormId).collect();
    let mut seeds: HashMap<FormId, String> = HashMap::new();
    let mut kept: HashMap<FormId, &str> = HashMap::new();
    for line in include_str!("../src/table/verified.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let Some(id) = form(cells[0]) else { continue };
        if let Some(seed) = cells.get(2).filter(|seed| !seed.is_empty()) {
            seeds.insert(id, (*seed).to_owned());
        }
        if cells.get(1) == Some(&format!("{:08x}", mark(id)).as_str()) && cells.get(4) == cells.get(5) {
            kept.insert(id, line);
        }
    }
    for pair in rest.chunks(2) {
        let [chip, path] = pair else { break };
        let chip: Chip = chip.parse().map_err(std::io::Error::other)?;
        for line in std::fs::read_to_string(path)?.lines() {
            let hex = line.split(' ').next().unwrap_or_default();
            let inst = u128::from_str_radix(hex, 16).ok().and_then(|word| decode(word, chip).ok());
            if let Some(inst) = inst.filter(|inst| inst.row().home() == chip) {
                seeds.entry(inst.form).or_insert_with(|| format!("0x{hex}"));
            }
        }
    }
    let new: Vec<FormId> = ids.iter().copied().filter(|id| !kept.contains_key(id)).collect();
    let mut chips: HashMap<FormId, Vec<String>> = HashMap::new();
    let mut wrong: HashSet<FormId> = HashSet::new();
    for chip in Chip::ALL {
        let there: Vec<FormId> = new
            .iter()
            .copied()
            .filter(|id| id.get().chips.contains(chip) && id.get().home() != chip)
            .collect();
        let report = live::compare(&there, chip, n / 10, 21, &nvdisasm)?;
        for &(id, equal) in &report.equal {
            if equal == n / 10 {
                chips.entry(id).or_default().push(chip.number().to_string());
            } else {
                wrong.insert(id);
            }
        }
        for &id in new.iter().filter(|id| id.get().home() == chip) {
            chips.entry(id).or_default().push(chip.number().to_string());
        }
        complain(&report, chip);
    }
    println!("form,mark,seed,tool,words,equal,chips,operands,write,read,reuse");
    for id in &ids {
        if let Some(line) = kept.get(id) {
            println!("{line}");
        }
    }
    let mut homes: Vec<Chip> = new.iter().map(|id| id.get().home()).collect();
    homes.sort_unstable();
    homes.dedup();
    for chip in homes.into_iter().rev() {
        let at_home: Vec<FormId> = new.iter().copied().filter(|id| id.get().home() == chip).collect();
        let sweep = Sweep { chip, n, tool, seeds: &seeds, chips: &chips, ptxas: &ptxas, nvdisasm: &nvdisasm };
        sweep.print(&at_home)?;
    }
    eprintln!("{} rows kept, {} tried, {} not equal elsewhere", kept.len(), new.len(), wrong.len());
    Ok(())
}

/// Differences, a few of each form.
fn complain(report: &live::Report, chip: Chip) {
    let mut shown: HashMap<FormId, usize> = HashMap::new();
    for d in &report.differences {
        let count = shown.entry(d.form).or_default();
        *count += 1;
        if *count <= 3 {
            eprintln!("{chip} {}: {:#034x} ours `{}` theirs {:?}", d.form, d.word, d.ours, d.theirs);
        }
    }
}

/// What the lines of one home need.
struct Sweep<'s> {
    chip: Chip,
    n: usize,
    tool: &'s str,
    seeds: &'s HashMap<FormId, String>,
    chips: &'s HashMap<FormId, Vec<String>>,
    ptxas: &'s Path,
    nvdisasm: &'s Path,
}

impl Sweep<'_> {
    /// Prints the lines of the forms whose home is the chip.
    fn print(&self, ids: &[FormId]) -> std::io::Result<()> {
        let &Sweep { chip, n, tool, seeds, chips, ptxas, nvdisasm } = self;
        let registers = live::registers(ids, chip, OPERANDS, 7, ptxas, nvdisasm)?;
        for d in &registers.disagreements {
            eprintln!("{}: {:#034x} reads {:?} writes {:?}", d.form, d.word, d.reads, d.writes);
        }
        let operands: HashMap<FormId, usize> = registers
            .compared
            .iter()
            .map(|&(form, n)| (form, n - registers.disagreements.iter().filter(|d| d.form == form).count()))
            .collect();
        let report = live::compare(ids, chip, n, 20, nvdisasm)?;
        // Control bits: an ordinary instruction of each form, with one thing set at a time.
        let plain =
            Control { stall: 2, yield_: true, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };
        let variants = [
            Control { write_barrier: 0, ..plain },
            Control { read_barrier: 0, ..plain },
            Control { reuse: 1, ..plain },
            Control { reuse: 2, ..plain },
            Control { reuse: 4, ..plain },
        ];
        let mut rng = Rng(3);
        let mut swept = Vec::new();
        for &id in ids {
            // Several, because an operand that happens to be RZ cannot be reused.
            for _ in 0..ROUNDS {
                let inst: Inst = generate(id, &mut rng);
                for control in variants {
                    let inst = Inst { control, ..inst.clone() };
                    let safe = Control { wait_mask: 0, ..Control::SAFE };
                    let plain = live::word(&Inst { control: safe, ..inst.clone() }, chip);
                    let word = plain.map_err(std::io::Error::other)? & !(((1 << 20) - 1) << 105);
                    swept.push(word | u128::from(control.bits()) << 105);
                }
            }
        }
        let texts = live::disassemble(&swept, chip, nvdisasm)?;
        for (i, &id) in ids.iter().enumerate() {
            let round = |r: usize, k: usize| texts[(i * ROUNDS + r) * 5 + k].as_deref();
            let legal = [0, 1].map(|k| (0..ROUNDS).all(|r| round(r, k).is_some()));
            let shown = |k: usize| (0..ROUNDS).any(|r| round(r, k).is_some_and(|t| t.contains(".reuse")));
            let reuse = u8::from(shown(2)) | u8::from(shown(3)) << 1 | u8::from(shown(4)) << 2;
            println!(
                "{id},{:08x},{},{tool},{n},{},{},{},{},{},{reuse}",
                mark(id),
                seeds.get(&id).map_or("", String::as_str),
                report.equal[i].1,
                chips.get(&id).map_or(String::new(), |list| list.join("+")),
                operands.get(&id).copied().unwrap_or(0),
                u8::from(legal[0]),
                u8::from(legal[1]),
            );
        }
        complain(&report, chip);
        Ok(())
    }
}
