//! Holds every row against nvdisasm and writes `src/table/verified.csv`:
//! `verify NVDISASM TOOL-VERSION WORDS [WORDS-OF-PTXAS [OPERANDS-FILE]] > verified.csv`. The list of words of ptxas has lines
//! `HEX TEXT`; the operands file lines `FORM COUNT`, from comparing operands with `nvdisasm -plr`. Run it with a header-only
//! `verified.csv`, so that nothing recorded before narrows the sweep.

use sassafras_isa::{Chip, Control, FormId, Inst, Rng, decode, forms, generate, live};
use std::collections::HashMap;
use std::path::Path;

/// Instructions of each form in the sweep over control bits.
const ROUNDS: usize = 8;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [nvdisasm, tool, words, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: verify NVDISASM TOOL-VERSION WORDS [WORDS-OF-PTXAS [OPERANDS-FILE]]");
        std::process::exit(2);
    };
    let nvdisasm = Path::new(nvdisasm);
    let n: usize = words.parse().unwrap_or(2000);
    let ids: Vec<FormId> = (0..forms().len() as u16).map(FormId).collect();
    let mut seeds: HashMap<FormId, String> = HashMap::new();
    if let Some(path) = rest.first() {
        for line in std::fs::read_to_string(path)?.lines() {
            let hex = line.split(' ').next().unwrap_or_default();
            if let Ok(inst) = u128::from_str_radix(hex, 16)
                .map_err(|_| ())
                .and_then(|w| decode(w, Chip::Sm90).map_err(|_| ()))
            {
                seeds.entry(inst.form).or_insert_with(|| format!("0x{hex}"));
            }
        }
    }
    let mut operands: HashMap<String, String> = HashMap::new();
    if let Some(path) = rest.get(1) {
        for line in std::fs::read_to_string(path)?.lines() {
            if let Some((form, count)) = line.split_once(' ') {
                operands.insert(form.to_owned(), count.to_owned());
            }
        }
    }
    let report = live::compare(&ids, Chip::Sm90, n, 20, nvdisasm)?;
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
    for &id in &ids {
        // Several, because an operand that happens to be RZ cannot be reused.
        for _ in 0..ROUNDS {
            let inst: Inst = generate(id, &mut rng);
            for control in variants {
                let inst = Inst { control, ..inst.clone() };
                swept.push(live::word(&inst).map_err(std::io::Error::other)?);
            }
        }
    }
    let texts = live::disassemble(&swept, Chip::Sm90, nvdisasm)?;
    println!("form,seed,tool,words,equal,operands,write,read,reuse");
    for (i, &id) in ids.iter().enumerate() {
        let round = |r: usize, k: usize| texts[(i * ROUNDS + r) * 5 + k].as_deref();
        let legal = [0, 1].map(|k| (0..ROUNDS).all(|r| round(r, k).is_some()));
        let shown = |k: usize| (0..ROUNDS).any(|r| round(r, k).is_some_and(|t| t.contains(".reuse")));
        let reuse = u8::from(shown(2)) | u8::from(shown(3)) << 1 | u8::from(shown(4)) << 2;
        println!(
            "{id},{},{tool},{n},{},{},{},{},{reuse}",
            seeds.get(&id).map_or("", String::as_str),
            report.equal[i].1,
            operands.get(id.get().id).map_or("0", String::as_str),
            u8::from(legal[0]),
            u8::from(legal[1]),
        );
    }
    for d in report.differences.iter().take(20) {
        eprintln!("{}: {:#034x} ours `{}` theirs {:?}", d.form, d.word, d.ours, d.theirs);
    }
    Ok(())
}
