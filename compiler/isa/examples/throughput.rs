//! `throughput FILE CHIP`: decodes, prints, lists and encodes the bare words of a file, over and over for a second each, in one
//! thread, and prints JSON: words per second of processor time, and bytes of memory for each decoded word.

use sassafras_isa::{Chip, Inst, Lines, Style, Targets, Text, decode, encode};
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, chip] = &arguments[..] else {
        eprintln!("usage: throughput FILE CHIP");
        return ExitCode::from(2);
    };
    let (Ok(bytes), Ok(chip)) = (std::fs::read(file), chip.parse::<Chip>()) else {
        eprintln!("{file} cannot be read, or {chip} is no chip");
        return ExitCode::from(2);
    };
    let words: Vec<u128> =
        bytes.chunks_exact(16).map(|b| u128::from_le_bytes(b.try_into().expect("chunks of 16"))).collect();
    // The first use of a form reads its row; that is start-up.
    let started = Instant::now();
    let insts: Vec<Inst> = words.iter().filter_map(|&w| decode(w, chip).ok()).collect();
    let first = processor(started);
    if insts.len() != words.len() || words.is_empty() {
        eprintln!("{} of {} words have a form", insts.len(), words.len());
        return ExitCode::from(1);
    }
    let decoding = rate(&words, |&word| drop(black_box(decode(black_box(word), chip))));
    let mut text = Text::new();
    let mut bytes = 0;
    let mut at = 0;
    let mut print = |inst: &Inst| {
        if text.len() > 1_000_000 {
            text.clear();
        }
        let before = text.len();
        text.print(inst, &Style { targets: Targets::At(at), spaced: true, ..Style::default() });
        text.push_str(" ;\n");
        bytes += text.len() - before;
        at += 16;
    };
    let both = rate(&words, |&word| {
        if let Ok(inst) = decode(word, chip) {
            print(&inst);
        }
    });
    let mut lines = Lines::new(chip, true, words.len());
    let (mut list, mut address) = (Text::new(), 0);
    let listing = rate(&words, |&word| {
        if list.len() > 1_000_000 {
            list.clear();
        }
        if lines.print(word, address, Targets::At(address), &mut list).is_ok() {
            list.push_str(" ;\n");
        }
        address += 16;
    });
    let encoding = rate(&insts, |inst| drop(black_box(encode(black_box(inst), chip))));
    println!(
        "{{\"words\":{},\"first_pass_s\":{first:.6},\"decode_words_per_s\":{decoding:.0},\"decode_print_words_per_s\":{both:.0},\
         \"list_words_per_s\":{listing:.0},\
         \"encode_words_per_s\":{encoding:.0},\"bytes_per_decoded_word\":{},\"text_bytes_per_word\":{:.1}}}",
        words.len(),
        size_of::<Inst>(),
        bytes as f64 / (at / 16) as f64
    );
    ExitCode::SUCCESS
}

/// Seconds that this process has had a processor; wall time where the system does not tell.
fn processor(started: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| started.elapsed().as_secs_f64(), |n| n / 1e9)
}

/// Items per second of processor time, over whole passes for at least a second.
fn rate<T>(items: &[T], mut f: impl FnMut(&T)) -> f64 {
    let started = Instant::now();
    let before = processor(started);
    let mut done = 0usize;
    while processor(started) - before < 1.0 {
        items.iter().for_each(&mut f);
        done += items.len();
    }
    done as f64 / (processor(started) - before)
}
