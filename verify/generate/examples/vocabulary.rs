//! Our verdicts on the vocabulary: `VERSION TARGET…` prints, for each line, a letter for each target (`a`ccepted, `u`nsupported,
//! `r`efused), the line, and what was said first.
use sassafras_generate::vocabulary::{all, module};
fn main() {
    let mut args = std::env::args().skip(1);
    let version = args.next().unwrap_or("9.5".into());
    let (major, minor) = version.split_once('.').expect("a version");
    let version = (major.parse().expect("a number"), minor.parse().expect("a number"));
    let targets: Vec<String> = args.collect();
    let lines: Vec<String> = match std::env::var("LINES_FROM") {
        Ok(path) => std::fs::read_to_string(path).expect("readable").lines().map(str::to_owned).collect(),
        Err(_) => all().into_iter().map(|e| e.line).collect(),
    };
    for line in lines {
        let (mut letters, mut said) = (String::new(), String::new());
        for target in &targets {
            let (text, first) = module(version, target, std::slice::from_ref(&line));
            match sassafras_ptx::load(&text, "line") {
                Ok(_) => letters.push('a'),
                Err(d) => {
                    let records = d.records();
                    let at = records.iter().find(|r| r.line as usize >= first).or(records.first());
                    letters.push(if at.is_some_and(|r| r.severity == "unsupported") { 'u' } else { 'r' });
                    if let Some(r) = at {
                        said = format!("{}: {}", r.code, r.message);
                    }
                }
            }
        }
        println!("{letters}\t{line}\t{said}");
    }
}
