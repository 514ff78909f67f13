//! The examples of rules: what is taken is taken, and what is objected to is objected to under the rule's name.

use sassafras_check::rules::{EXAMPLES, GROUPS};
use sassafras_check::{Finding, Verdict, allocation, hazard, machine, schedule};
use sassafras_isa::{Chip, Style, encode, parse};
use sassafras_machine::{Function, text};

/// A function from the lines of an example; see the text of `sassafras_check::rules`.
fn function(phase: &str, lines: &[&str]) -> Function {
    let mut head = vec![
        format!("sassafras machine 1 {phase} sm_90"),
        "function \"k\"".into(),
        "entry b0".into(),
        "layout b0".into(),
        "frame local 0 spill 0".into(),
        "shared 0".into(),
        "params 0".into(),
        "registers 32".into(),
    ];
    // v0, v1 and v3 are words, v2 a pair, v4 and v5 predicates.
    head.extend(["v0 R 1", "v1 R 1", "v2 R 2", "v3 R 1", "v4 P 1", "v5 P 1"].map(String::from));
    let mut body = vec!["b0():".to_owned()];
    for line in lines {
        if let Some(line) = line.strip_prefix('!') {
            let word = line.split(' ').next().unwrap_or_default();
            let place = head.iter_mut().find(|l| l.starts_with(word)).expect("a line of the head");
            *place = line.to_owned();
        } else if let Some((origin, inst)) = line.split_once(": ") {
            body.push(format!("  {inst} ; origin {origin}"));
        } else if line.starts_with('b') {
            body.push((*line).to_owned());
        } else {
            body.push(format!("  {line}"));
        }
    }
    let all = [head, body].concat().join("\n") + "\n";
    text::parse(&all).unwrap_or_else(|e| panic!("{e}\n{all}"))
}

fn judge(rule: &str, example: &str) -> Verdict {
    if rule.starts_with("hazard") {
        let style = Style { control: true, ..Style::default() };
        let word = |line| {
            let inst = parse(line, &style).unwrap_or_else(|e| panic!("{line}: {e}"));
            encode(&inst, Chip::Sm90).unwrap_or_else(|e| panic!("{line}: {e}"))
        };
        let words: Vec<u128> = example.lines().map(word).collect();
        return hazard::check_words(&words, Chip::Sm90);
    }
    let lines: Vec<&str> = example.lines().collect();
    if rule.starts_with("machine") || rule.starts_with("converge") {
        return machine::check(&function("placed", &lines));
    }
    let middle = lines.iter().position(|line| *line == "=>").expect("before and after");
    let (before, after) = (&lines[..middle], &lines[middle + 1..]);
    if rule.starts_with("allocation") {
        allocation::check(&function("ssa", before), &function("allocated", after))
    } else {
        schedule::check(&function("placed", before), &function("scheduled", after))
    }
}

#[test]
fn examples_say_what_they_are_for() {
    for (rule, good, bad) in EXAMPLES {
        assert_eq!(judge(rule, good), Verdict::Passed, "{rule}");
        let verdict = judge(rule, bad);
        let findings: Vec<&Finding> = verdict.objections().iter().chain(verdict.unknown()).collect();
        assert!(!findings.is_empty() && findings.iter().all(|f| f.rule == *rule), "{rule}: {findings:?}");
    }
}

/// Rules of these judges that no line of text breaks: how they come about is said with them.
const WITHOUT: [&str; 6] = [
    "hazard-shape",
    "hazard-undecoded",
    "hazard-unreached",
    "hazard-partial",
    "hazard-latency",
    "hazard-control",
];

#[test]
fn every_rule_of_these_judges_has_examples() {
    let judges = ["Allocation", "Schedule", "Hazards"];
    let rules = GROUPS.iter().filter(|(group, _)| judges.contains(group)).flat_map(|(_, rules)| rules.iter());
    for (id, _) in rules {
        let has = EXAMPLES.iter().any(|(rule, ..)| rule == id);
        assert_eq!(has, !WITHOUT.contains(id), "{id}");
    }
}
