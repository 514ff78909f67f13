//! What PTX allows on a chip compiles there and does what the PTX does, though the program says that it is for a later one: features of the corpus with
//! another `.target`. What has no code yet stands in `lower_chips.txt`, and has none.

use sassafras_chip::Chip;
use sassafras_corpus::{Program, compile_for, examine_code, expected, programs, runs_on};
use sassafras_reference::workspace_root;

/// Lines of a chip and a program: what PTX allows there, and we have no code for.
const LACKING: &str = include_str!("lower_chips.txt");

fn lacking(chip: Chip, name: &str) -> bool {
    LACKING.lines().filter_map(|l| l.split_once(' ')).any(|(c, n)| c == chip.to_string() && n == name)
}

/// The program for a chip that it is not written for.
fn lowered(program: &Program, chip: Chip) -> Program {
    let target = |line: &str| match line.trim().starts_with(".target") {
        true => format!(".target {chip}"),
        false => line.to_owned(),
    };
    let text = program.text.lines().map(target).collect::<Vec<_>>().join("\n");
    Program { text, ..program.clone() }
}

/// Textures and surfaces, and every third of the others: how many compile, and what is not as it should be.
fn run(chip: Chip, least: usize) {
    let all = programs(&workspace_root()).expect("the corpus");
    let later = all.iter().filter(|p| p.name.starts_with("features/") && !runs_on(p, chip));
    let (mut right, mut wrong) = (0, Vec::new());
    for (i, program) in later.enumerate() {
        let chosen = i % 3 == 0 || program.name.contains("texture") || program.name.contains("surface");
        if !chosen && !lacking(chip, &program.name) {
            continue;
        }
        let program = lowered(program, chip);
        // What PTX does not have on the chip is refused by its own rules.
        let Ok(expected) = expected(&program, 1) else { continue };
        match compile_for(&program, chip) {
            Ok((cubin, _)) => {
                let said = examine_code(&program, &cubin, &expected, true);
                match (lacking(chip, &program.name), said.as_str()) {
                    (true, _) => wrong.push(format!("{} has code now", program.name)),
                    (false, "agrees") => right += 1,
                    (false, said) => wrong.push(format!("{}: {said}", program.name)),
                }
            }
            Err(why) if lacking(chip, &program.name) => {
                assert!(why.to_string().contains("has no code yet"), "{}: {why}", program.name);
            }
            Err(why) => wrong.push(format!("{}: {why}", program.name)),
        }
    }
    assert!(wrong.is_empty(), "{chip}: {wrong:#?}");
    assert!(right >= least, "{chip}: {right} programs");
}

#[test]
fn turing() {
    run(Chip::Sm75, 14);
}

#[test]
fn ampere() {
    run(Chip::Sm80, 14);
}

#[test]
fn ada() {
    run(Chip::Sm89, 14);
}
