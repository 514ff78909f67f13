//! Holds every row against nvdisasm and prints what belongs into `src/table/verified.csv`:
//! `verify BIN TOOL-VERSION WORDS [CHIP WORDS-OF-PTXAS]… > verified.csv`, where `BIN` is the folder of ptxas and nvdisasm, and the list of
//! words of ptxas for a chip, from which seeds are taken, has lines `HEX TEXT`. Seeds found before are kept.

use sassafras_isa::{Chip, Control, FormId, Inst, Rng, decode, form, forms, generate, live};
use std::collections::HashMap;
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
    for line in include_str!("../src/table/verified.csv").lines().skip(1) {
        let mut cells = line.split(',');
        if let (Some(id), Some(seed)) = (cells.next().and_then(form), cells.next().filter(|s| !s.is_empty()))
        {
            seeds.insert(id, seed.to_owned());
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
    println!("form,seed,tool,words,equal,operands,write,read,reuse");
    let mut homes: Vec<Chip> = ids.iter().map(|id| id.get().home()).collect();
    homes.sort_unstable();
    homes.dedup();
    for chip in homes.into_iter().rev() {
        let at_home: Vec<FormId> = ids.iter().copied().filter(|id| id.get().home() == chip).collect();
        sweep(&at_home, chip, n, tool, &seeds, &ptxas, &nvdisasm)?;
    }
    Ok(())
}

/// Prints the lines of the forms whose home is the chip.
fn sweep(
    ids: &[FormId],
    chip: Chip,
    n: usize,
    tool: &str,
    seeds: &HashMap<FormId, String>,
    ptxas: &Path,
    nvdisasm: &Path,
) -> std::io::Result<()> {
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
    let plain = Control { stall: 2, yield_: true, write_barrier: 7, read_barrier: 7, wait_mask: 0, reuse: 0 };
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
                swept.push(live::word(&inst, chip).map_err(std::io::Error::other)?);
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
            "{id},{},{tool},{n},{},{},{},{},{reuse}",
            seeds.get(&id).map_or("", String::as_str),
            report.equal[i].1,
            operands.get(&id).copied().unwrap_or(0),
            u8::from(legal[0]),
            u8::from(legal[1]),
        );
    }
    for d in report.differences.iter().take(20) {
        eprintln!("{}: {:#034x} ours `{}` theirs {:?}", d.form, d.word, d.ours, d.theirs);
    }
    Ok(())
}
