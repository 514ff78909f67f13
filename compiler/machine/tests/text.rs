//! `parse(print(f)) == f`, and damaged text gives errors, never a panic.

use proptest::prelude::*;
use sassafras_isa::{Draw, Rng};
use sassafras_machine::generate::function;
use sassafras_machine::text::{parse, print, print_inst};

#[test]
fn round_trip() {
    for seed in 0..2_000 {
        let f = function(&mut Rng(seed));
        let text = print(&f);
        let back = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(back, f, "seed {seed}\n{text}");
        assert_eq!(print(&back), text);
    }
}

/// A pseudo-instruction and a form of the same name could not be told apart when read.
#[test]
fn words_of_pseudo_instructions_name_no_form() {
    let mut words = std::collections::BTreeSet::new();
    for seed in 0..500 {
        let f = function(&mut Rng(seed));
        for inst in f.blocks.values().flat_map(|block| &block.insts).filter(|inst| inst.inst().is_none()) {
            let text = print_inst(inst);
            words.extend(text.split_whitespace().next().map(str::to_owned));
        }
    }
    let forms: Vec<_> = words.iter().filter(|word| sassafras_isa::form(word).is_some()).collect();
    assert!(words.len() == 13 && forms.is_empty(), "{words:?}: {forms:?}");
}

#[test]
fn damage_is_an_error_or_another_function() {
    let mut r = Rng(7);
    let mut errors = 0;
    for seed in 0..500 {
        let mut text = print(&function(&mut Rng(seed))).into_bytes();
        for _ in 0..1 + r.draw(3) {
            let at = r.draw(text.len() as u64) as usize;
            text[at] = b" v0b(),.;=@!x9\nR:"[r.draw(17) as usize];
        }
        errors += usize::from(parse(&String::from_utf8_lossy(&text)).is_err());
    }
    assert!(errors > 100, "{errors}");
}

proptest! {
    #[test]
    fn noise(text in "\\PC*") {
        prop_assert!(parse(&text).is_err());
    }
}
