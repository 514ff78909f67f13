//! Agreement with ptxas 13.0.88 on what is PTX: every row's forms must be accepted by both, and mutated ones must be judged
//! alike, but for the differences that `exceptions.txt` explains. Skips aloud without ptxas.

mod ptxas;

use ptxas::{Judge, Verdict};
use sassafras_ptx::table::{self, example};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A module for sm_90 whose body has one of `lines` per line, and the number of the first of these lines.
fn module(lines: &[String]) -> (String, usize) {
    module_of("sm_90", lines)
}

/// A module for a target whose body has one of `lines` per line, and the number of the first of these lines.
fn module_of(target: &str, lines: &[String]) -> (String, usize) {
    let mut text = format!(".version 9.0\n.target {target}\n.address_size 64\n");
    text += example::MODULE;
    text += ".visible .entry k (.param .align 16 .b8 parameter[64])\n{\n";
    text += example::DECLARATIONS;
    let first = text.lines().count() + 1;
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text += "\tret;\n}\n";
    (text, first)
}

/// Our verdict on each line in a module for sm_90, and the first message.
fn ours(lines: &[String]) -> Vec<Verdict> {
    ours_for("sm_90", lines)
}

/// The same in a module for a target.
fn ours_for(target: &str, lines: &[String]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    // Few enough at a time that every line's message is kept.
    for chunk in lines.chunks(20) {
        let (text, first) = module_of(target, chunk);
        let records = match sassafras_ptx::load(&text, "lines") {
            Ok(_) => Vec::new(),
            Err(diagnostics) => diagnostics.records(),
        };
        verdicts.extend((0..chunk.len()).map(
            |i| match records.iter().find(|r| r.line as usize == first + i) {
                None => Verdict::Accepted,
                Some(r) if r.severity == "unsupported" => Verdict::Unsupported,
                Some(r) => Verdict::Rejected(format!("{}: {}", r.code, r.message)),
            },
        ));
        let outside = records.iter().find(|r| (r.line as usize) < first);
        assert!(outside.is_none(), "{outside:?}");
    }
    verdicts
}

/// Every form of every row, by a target that has it.
fn by_target() -> BTreeMap<&'static str, Vec<String>> {
    let mut lines: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for row in table::rows() {
        for suffixes in row.variants() {
            let since = row.matches(&suffixes).expect("a variant fits").since;
            lines.entry(since.example_target()).or_default().push(row.instruction(&suffixes));
        }
    }
    lines
}

#[test]
fn every_row_is_accepted() {
    let lines = by_target();
    for (target, lines) in &lines {
        let all = lines.iter().zip(ours_for(target, lines));
        let refused: Vec<_> = all.filter(|(_, v)| *v != Verdict::Accepted).collect();
        assert!(refused.is_empty(), "refused by us for {target}: {refused:#?}");
    }
    let Some(judge) = Judge::find() else { return };
    for (target, lines) in &lines {
        let theirs = judge.verdicts(lines, |lines| module_of(target, lines));
        let refused: Vec<_> = lines.iter().zip(&theirs).filter(|(_, v)| **v != Verdict::Accepted).collect();
        assert!(
            refused.is_empty(),
            "{} of {} forms refused by ptxas: {refused:#?}",
            refused.len(),
            lines.len()
        );
        eprintln!("{} forms accepted by both for {target}", lines.len());
    }
}

/// A small generator of numbers: a linear congruence, whose high bits are taken.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
    /// The word of the least hash: another word in the table seldom changes which one it is.
    fn word<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let seed = self.below(1 << 30) as u64;
        words.iter().min_by_key(|word| hash(&format!("{seed} {word}"))).copied().unwrap_or_default()
    }
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// One mistake, or what may be one, in a valid instruction.
fn mutate(random: &mut Random, line: &str, words: &[&str]) -> String {
    let (mnemonic, operands) =
        line.trim_end_matches(';').split_once(' ').unwrap_or((line.trim_end_matches(';'), ""));
    let mut parts: Vec<&str> = mnemonic.split('.').collect();
    let mut operands: Vec<String> = split_operands(operands);
    let registers =
        ["%p1", "%rs1", "%r1", "%rd1", "%f1", "%fd1", "1", "1.0", "0f3f800000", "%tid.x", "global_memory"];
    match random.below(5) {
        0 => {
            let word = random.word(words);
            if !parts.contains(&word) {
                parts.insert(1 + random.below(parts.len()), word);
            }
        }
        1 if parts.len() > 1 => {
            let at = 1 + random.below(parts.len() - 1);
            parts[at] = random.word(words);
        }
        2 if parts.len() > 1 => {
            parts.remove(1 + random.below(parts.len() - 1));
        }
        3 if !operands.is_empty() => {
            operands.remove(random.below(operands.len()));
        }
        _ if !operands.is_empty() => {
            let at = random.below(operands.len());
            operands[at] = (*random.pick(&registers)).to_owned();
        }
        _ => operands.push("%r1".into()),
    }
    format!("{} {};", parts.join("."), operands.join(", ")).replace(" ;", ";")
}

/// Splits at commas outside of braces and brackets.
fn split_operands(text: &str) -> Vec<String> {
    let mut list = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                list.push(String::new());
                continue;
            }
            _ => {}
        }
        list.last_mut().expect("never empty").push(c);
    }
    list.iter().map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

#[test]
fn mutants_are_judged_alike() {
    let Some(judge) = Judge::find() else { return };
    let mut words: Vec<&str> = table::rows()
        .iter()
        .flat_map(|r| &r.elements)
        .flat_map(|e| &e.choices)
        .flat_map(|c| c.words.clone())
        .collect();
    words.sort_unstable();
    words.dedup();
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in table::rows() {
        // A row's mutants do not hang on the rows before it.
        let mut random = Random(hash(row.text));
        let variants = row.variants();
        for _ in 0..12 {
            let suffixes = random.pick::<Vec<_>>(&variants);
            let target = row.matches(suffixes).expect("a variant fits").since.example_target();
            let line = row.instruction(suffixes);
            lines.entry(target).or_default().push(mutate(&mut random, &line, &words));
        }
    }
    let judged = lines.iter().flat_map(|(target, lines)| {
        let theirs = judge.verdicts(lines, |lines| module_of(target, lines));
        lines.iter().map(|line| (*target, line)).zip(ours_for(target, lines)).zip(theirs)
    });
    let exceptions = exceptions();
    let (mut same, mut listed, mut differ) = ([0; 2], 0, String::new());
    let mut used = BTreeSet::new();
    for (((target, line), ours), mut theirs) in judged {
        // What it takes and we refuse it has to make code of.
        if matches!(ours, Verdict::Rejected(_)) && theirs == Verdict::Accepted {
            theirs = judge.compiles(line, |lines| module_of(target, lines));
        }
        let accepted = theirs == Verdict::Accepted;
        match ours {
            Verdict::Unsupported => {}
            Verdict::Accepted if accepted => same[0] += 1,
            Verdict::Rejected(_) if !accepted => same[1] += 1,
            _ => match exceptions.iter().position(|(pattern, _)| fits(pattern, accepted, line)) {
                Some(row) => {
                    listed += 1;
                    used.insert(row);
                }
                None => {
                    let _ = writeln!(differ, "{line}\n    ours: {ours:?}\n    theirs: {theirs:?}");
                }
            },
        }
    }
    // Rows with `.reg` are about types of registers, which another test tries.
    let idle =
        exceptions.iter().enumerate().filter(|(row, (p, _))| !used.contains(row) && !p.contains(".reg"));
    for (_, (pattern, _)) in idle {
        let _ = writeln!(differ, "explains nothing: {pattern}");
    }
    eprintln!(
        "{} mutants: both accept {}, both reject {}, listed differences {listed}",
        lines.values().map(Vec::len).sum::<usize>(),
        same[0],
        same[1]
    );
    assert!(differ.is_empty(), "judged differently:\n{differ}");
}

/// What `exceptions.txt` says: patterns and reasons.
fn exceptions() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("exceptions.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty());
    let rows = lines.map(|l| l.split_once(" # ").expect("an exception has a reason"));
    rows.map(|(pattern, reason)| (pattern.trim(), reason)).collect()
}

/// Whether a line on which the two differ has all words of a pattern, whose first says what ptxas does; `a/b` is
/// either word.
fn fits(pattern: &str, accepted: bool, line: &str) -> bool {
    let mut words = pattern.split_whitespace();
    let ptxas = words.next().expect("a pattern is not empty");
    assert!(["accepts", "refuses"].contains(&ptxas), "{pattern}");
    (ptxas == "accepts") == accepted && words.all(|word| word.split('/').any(|choice| line.contains(choice)))
}

#[test]
fn types_of_registers_are_judged_alike() {
    let Some(judge) = Judge::find() else { return };
    let registers = [
        "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
        "f16", "f16x2", "f32", "f64",
    ];
    let forms = [
        ("mov", "x, x"),
        ("ld.global", "x, [%rd1]"),
        ("st.global", "[%rd1], x"),
        ("add", "x, x, x"),
        ("and", "x, x, x"),
        ("setp.eq", "%p1, x, x"),
        ("selp", "x, x, x, %p1"),
        ("shl", "x, x, 1"),
        ("cvt.u32", "%r1, x"),
        ("cvt.rn.f32", "%f1, x"),
        ("cvt.f64", "%fd1, x"),
        ("atom.global.exch", "x, [%rd1], x"),
        ("min", "x, x, x"),
        ("fma.rn", "x, x, x, x"),
    ];
    let types = [
        "pred", "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64",
        "f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "u16x2",
    ];
    let mut lines = Vec::new();
    for register in registers {
        for (form, operands) in forms {
            lines.extend(types.map(|ty| format!("{{ .reg .{register} x; {form}.{ty} {operands}; }}")));
        }
    }
    let mut differ = String::new();
    let exceptions = exceptions();
    for ((line, ours), theirs) in lines.iter().zip(ours(&lines)).zip(judge.verdicts(&lines, module)) {
        let accepted = theirs == Verdict::Accepted;
        let listed = || exceptions.iter().any(|(pattern, _)| fits(pattern, accepted, line));
        if (ours == Verdict::Accepted) != accepted && !listed() {
            let _ = writeln!(differ, "{line}\n    ours: {ours:?}\n    theirs: {theirs:?}");
        }
    }
    eprintln!("{} lines judged", lines.len());
    assert!(differ.is_empty(), "judged differently:\n{differ}");
}

#[test]
fn modules_are_judged_alike() {
    let judge = Judge::find();
    let mut differ = String::new();
    let (mut same, mut listed, mut unsupported) = (0, 0, 0);
    for line in include_str!("modules.txt").lines().filter(|l| !l.starts_with('#')) {
        let (body, exception) = match line.split_once(" ## ") {
            Some((body, reason)) => (body, Some(reason)),
            None => (line, None),
        };
        let text = format!(".version 8.0\n.target sm_75\n.address_size 64\n{}\n", body.replace("\\n", "\n"));
        let ours = sassafras_ptx::load(&text, "module");
        if ours.as_ref().is_err_and(|d| d.exit_code() == 4) {
            unsupported += 1;
            continue;
        }
        let Some(judge) = &judge else { continue };
        let theirs = judge.module(&text).map_err(|refused| refused.stderr);
        match (ours.is_ok() == theirs.is_ok(), exception) {
            (true, None) => same += 1,
            (false, Some(_)) => listed += 1,
            (true, Some(reason)) => differ += &format!("no longer differs: {body} ({reason})\n"),
            (false, None) => {
                let ours = ours.err().map_or("accepts".to_owned(), |d| d.render());
                let _ = writeln!(differ, "{body}\n    ours: {ours}\n    theirs: {theirs:?}");
            }
        }
    }
    eprintln!("{same} modules judged alike, {listed} differences listed, {unsupported} not supported here");
    assert!(differ.is_empty(), "{differ}");
}

/// A module of one version and target with `lines` in its body.
fn module_for(version: (u32, u32), target: &str, lines: &[String]) -> (String, usize) {
    let (text, _) = module(&[]);
    let body = text.split_once(".address_size").expect("a module has an address size").1;
    let mut text = format!(".version {}.{}\n.target {target}\n.address_size{body}", version.0, version.1);
    let old = |text: String, word: &str| -> String {
        text.lines().filter(|l| !l.contains(word)).map(|l| format!("{l}\n")).collect()
    };
    let sm: u32 = target.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number");
    if version < (8, 3) || sm < 70 {
        text = old(text, ".b128");
    }
    if version < (6, 0) || sm < 30 {
        text = old(text, ".branchtargets");
    }
    if version < (2, 3) {
        text = old(text, ".address_size");
    }
    if version < (2, 0) {
        // The entry's parameter takes the name of the variable, which only later versions have.
        text = old(text, "\t.param");
        text = text.replace("parameter[64]", "argument[64]");
    }
    if version < (1, 4) {
        text = text
            .replace("k (.param .align 16 .b8 argument[64])\n{", "k { .param .align 16 .b8 argument[64];\n");
    }
    let text = text.trim_end().trim_end_matches("\tret;\n}").to_owned();
    let first = text.lines().count() + 1;
    (format!("{text}{}\n\tret;\n}}\n", lines.join("\n")), first)
}

#[test]
fn rows_need_what_ptxas_says() {
    use sassafras_ptx::check::{TARGETS, VERSIONS};
    let (Some(judge), Some(newer_judge)) = (Judge::find(), Judge::of("13.5.37")) else { return };
    let mut by_since: BTreeMap<table::Since, Vec<String>> = BTreeMap::new();
    let mut gone: BTreeMap<table::Since, Vec<String>> = BTreeMap::new();
    for row in table::rows().iter().chain(table::unmodelled()).chain(table::legacy()) {
        for suffixes in row.variants() {
            let since = row.matches(&suffixes).expect("a variant fits").since;
            if let Some(until) = row.until {
                gone.entry(until).or_default().push(row.instruction(&suffixes));
            }
            by_since.entry(since).or_default().push(row.instruction(&suffixes));
        }
    }
    // Targets that ptxas 13.0 compiles for sm_90, in order, and newer ones.
    let plain: Vec<_> =
        TARGETS.iter().filter(|(name, sm, _)| *sm <= 90 && !name.ends_with('a') && *sm != 88).collect();
    let newer: Vec<_> = TARGETS.iter().filter(|(_, sm, _)| *sm >= 90 && *sm != 101).collect();
    let exceptions = include_str!("versions.txt");
    let mut differ = String::new();
    let mut judged = 0;
    for (since, lines) in by_since {
        let targets = if since.sm > 90 || !since.only.any() { &newer } else { &plain };
        let wanted = |old: (u32, u32), sm: u32| {
            // The oldest target from `sm` on, with the oldest version that has both.
            let (name, _, first) = targets.iter().find(|(name, n, _)| *n >= sm && since.only.has(name))?;
            Some((old.max(*first), *name))
        };
        let mut judge_all = |place: Option<((u32, u32), &str)>, accepted: bool| {
            let Some((version, target)) = place else { return };
            judged += lines.len();
            // 13.0.88 ends with PTX 9.0, and takes some forms before their time.
            let judge = if version > (9, 0) { &newer_judge } else { &judge };
            let verdicts = judge.verdicts(&lines, |lines| module_for(version, target, lines));
            for (line, verdict) in lines.iter().zip(verdicts) {
                let mnemonic = line.split([' ', ';']).next().unwrap_or("");
                let listed = exceptions.lines().any(|l| l.split_whitespace().next() == Some(mnemonic));
                if (verdict == Verdict::Accepted) != accepted && !listed {
                    let _ = writeln!(differ, "{line} at {version:?} {target}, needs {since:?}: {verdict:?}");
                }
            }
        };
        judge_all(wanted(since.version, since.sm), true);
        // One version less, where the target has it; one target less, with the same version.
        if let Some((version, target)) = wanted(since.version, since.sm) {
            let at = VERSIONS.iter().position(|v| *v == version).unwrap_or(0);
            let (_, _, first) = targets.iter().find(|(n, ..)| *n == target).expect("it was found there");
            if version == since.version && at > 0 && VERSIONS[at - 1] >= *first {
                judge_all(Some((VERSIONS[at - 1], target)), false);
            }
            let lacks = |name: &str, sm: u32| sm < since.sm || !since.only.has(name);
            let below = targets.iter().rposition(|(name, n, first)| lacks(name, *n) && *first <= version);
            judge_all(below.map(|i| (version, targets[i].0)), false);
        }
    }
    for (until, lines) in gone {
        let (target, _, first) = plain.iter().find(|(_, n, _)| *n >= until.sm).expect("a target");
        judged += lines.len();
        let verdicts = judge.verdicts(&lines, |lines| module_for(until.version.max(*first), target, lines));
        for (line, verdict) in lines.iter().zip(verdicts).filter(|(_, v)| *v == Verdict::Accepted) {
            let _ = writeln!(differ, "{line} is gone since {until:?}: {verdict:?}");
        }
    }
    eprintln!("{judged} forms judged at their first version and target, and just before");
    assert!(differ.is_empty(), "{} differences:\n{differ}", differ.lines().count());
}
