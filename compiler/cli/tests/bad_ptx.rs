//! Every wrong module of `corpus/bad`: the exit code, the place, the words of the message, and no output.

mod common;

use std::path::Path;

use common::sassafras;
use tempfile::tempdir;

fn strings(table: &toml::Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(|v| v.as_array()).cloned().unwrap_or_default();
    list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

#[test]
fn wrong_modules() {
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/bad");
    let mut files: Vec<_> =
        std::fs::read_dir(&bad).expect("the corpus is here").flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() > 50, "only {} descriptions", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let table: toml::Table =
            std::fs::read_to_string(&file).expect("it reads").parse().expect("it is TOML");
        let folder = tempdir().expect("a folder");
        let input = folder.path().join("in.ptx");
        match table.get("noise") {
            Some(noise) => std::fs::write(&input, self::noise(noise)).expect("the folder is ours"),
            None => drop(std::fs::copy(file.with_extension("ptx"), &input).expect("it is beside")),
        }
        let mut words = vec!["compile".to_owned(), "in.ptx".into(), "-o".into(), "out.cubin".into()];
        words.extend(strings(&table, "arguments"));
        let run = sassafras(folder.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
        let exits: Vec<i64> =
            table["exit"].as_array().into_iter().flatten().filter_map(|v| v.as_integer()).collect();
        let all = format!("{}{}", run.out, run.err);
        let mut say = |what: String| wrong.push(format!("{name}: {what}\n{all}"));
        if !exits.contains(&run.code.into()) {
            say(format!("exit code {}, not one of {exits:?}", run.code));
        }
        if all.contains("panicked") || all.contains("C0009") {
            say("an internal error".into());
        }
        if let Some(line) = table.get("line").and_then(|v| v.as_integer())
            && !all.contains(&format!("in.ptx:{line}:"))
        {
            say(format!("line {line} is not named"));
        }
        for mention in strings(&table, "mentions") {
            if !all.contains(&mention) {
                say(format!("`{mention}` is not mentioned"));
            }
        }
        let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
        if left.len() != 1 {
            say(format!("output was left behind: {left:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of the wrong modules:\n{}", wrong.len(), wrong.join("\n"));
}

fn noise(description: &toml::Value) -> Vec<u8> {
    let number = |key: &str| description.get(key).and_then(|v| v.as_integer()).unwrap_or(1) as u64;
    let mut state = number("seed") | 1;
    let next = |state: &mut u64| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 32) as u8
    };
    (0..number("bytes")).map(|_| next(&mut state)).collect()
}

const GOOD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

#[test]

fn outputs_that_cannot_be_written() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), GOOD).expect("the folder is ours");
    for (output, part) in [("nowhere/out.cubin", "cannot be written"), (".", "is a folder")] {
        sassafras(folder.path(), &["compile", "in.ptx", "-o", output]).expect(1, part).expect(1, "C0003");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn the_command_line_itself() {
    let folder = tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.ptx"), GOOD).expect("the folder is ours");
    let run = |words: &[&str]| sassafras(folder.path(), &[&["compile"], words].concat());
    run(&["nowhere.ptx"]).expect(1, "`nowhere.ptx` cannot be read");
    run(&["in.ptx", "--nonsense"]).expect(2, "Unknown option '-nonsense'");
    run(&["in.ptx", "-arch=sm_20"]).expect(2, "Value 'sm_20' is not defined");
    run(&["in.ptx", "-g"]).expect(4, "not supported yet");
    run(&["in.ptx", "-e", "nobody"]).expect(2, "Unknown function nobody");
    run(&["in.ptx", "-arch=sm_80"]).expect(1, "does not run on sm_80");
    run(&["in.ptx", "--stop-after", "nothing"]).expect(2, "no phase is called `nothing`");
    run(&["in.ptx", "in.ptx", "-o", "x"]).expect(1, "in.ptx, in.ptx");
    run(&["in.ptx", "-arch=compute_90"]).expect(0, "");
    run(&["-o", "x"]).expect(2, "no input");
    run(&["--help"]).expect(0, "--maxrregcount");
    run(&["-V"]).expect(0, "sassafras");
    run(&["--list-version"]).expect(0, "9.0");
    run(&["--list-arch"]).expect(0, "sm_90a");
    run(&["in.ptx", "-g", "--format", "json"]).expect(4, "\"schema\":1");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
