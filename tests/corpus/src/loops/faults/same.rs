//! Edits that keep the meaning.

use super::body::{Make, guarded, line, negated, parts, target};

/// Names and edits.
pub const KINDS: &[(&str, Make)] = &[
    ("registers-renamed", |b| {
        let used = |r: &str| b.lines.iter().any(|l| tokens(l).any(|t| t == r));
        let (x, y) = (1..60).zip(2..61).find_map(|(i, j)| {
            let pair = (format!("%r{i}"), format!("%r{j}"));
            (used(&pair.0) && used(&pair.1)).then_some(pair)
        })?;
        Some(b.lines.iter().map(|l| rename(l, &x, &y)).collect())
    }),
    ("peeled", |b| {
        let (start, end) = (*b.inner.start(), *b.inner.end());
        let mut copy = b.is_straight().then(|| b.lines[start + 1..end].to_vec())?;
        copy.push(negated(&b.lines[end])?.replace(target(&b.lines[end])?, "EDIT_OUT"));
        let mut lines = b.insert(end + 1, &["EDIT_OUT:".into()]);
        lines.splice(start..start, copy);
        Some(lines)
    }),
    ("unrolled-by-2", |b| {
        let (start, end) = (*b.inner.start(), *b.inner.end());
        let mut copy = b.is_straight().then(|| b.lines[start + 1..end].to_vec())?;
        copy.push(negated(&b.lines[end])?.replace(target(&b.lines[end])?, "EDIT_OUT"));
        let mut lines = b.insert(end + 1, &["EDIT_OUT:".into()]);
        lines.splice(start + 1..start + 1, copy);
        Some(lines)
    }),
    ("tested-at-the-head", |b| {
        // The test is made by a predicate that is carried, and the branch back has no guard.
        let end = *b.inner.end();
        let leave = negated(&b.lines[end])?.replace(target(&b.lines[end])?, "EDIT_OUT");
        let back = format!("\tbra.uni \t{};", target(&b.lines[end])?);
        let mut lines = b.with(end, leave);
        lines.splice(end + 1..end + 1, [back, "EDIT_OUT:".into()]);
        Some(lines)
    }),
    ("independent-exchanged", |b| {
        let (start, end) = (*b.inner.start(), *b.inner.end());
        (start + 1..end - 1).find_map(|at| {
            let plain = |text: &str| {
                let arithmetic = ["add.", "mul.", "fma.", "shl.", "and.", "xor.", "cvt.", "setp."];
                let known = parts(text).is_some_and(|(n, _)| arithmetic.iter().any(|a| n.starts_with(a)));
                known && !guarded(text) && !text.contains(".cc")
            };
            let (x, y) = (&b.lines[at], &b.lines[at + 1]);
            if !plain(x) || !plain(y) {
                return None;
            }
            let (dx, dy) = (parts(x)?.1[0], parts(y)?.1[0]);
            if tokens(y).any(|t| t == dx) || tokens(x).any(|t| t == dy) {
                return None;
            }
            let mut lines = b.lines.clone();
            lines.swap(at, at + 1);
            Some(lines)
        })
    }),
    ("operands-commuted", |b| {
        b.inside().find_map(|(at, text)| {
            let (name, o) = parts(text).filter(|_| !guarded(text))?;
            let commutes = ["add.s", "add.f", "mul.lo", "mul.f", "and.b", "xor.b", "or.b"];
            let fits = commutes.iter().any(|c| name.starts_with(c)) && o.len() == 3 && o[2].starts_with('%');
            fits.then(|| b.with(at, line(name, &[o[0], o[2], o[1]])))
        })
    }),
    ("comparison-turned", |b| {
        let test = b.test()?;
        let turned = match &*test.compare {
            "lt" => "gt",
            "gt" => "lt",
            "le" => "ge",
            "ge" => "le",
            same => same,
        };
        let name = format!("setp.{turned}.{}", test.ty);
        test.b.starts_with('%').then(|| b.with(test.at, line(&name, &[&test.predicate, &test.b, &test.a])))
    }),
    ("predicate-inverted", |b| {
        let test = b.test()?;
        let inverse = match &*test.compare {
            "lt" => "ge",
            "gt" => "le",
            "le" => "gt",
            "ge" => "lt",
            "eq" => "ne",
            "ne" => "eq",
            _ => return None,
        };
        // Others may read the predicate, and unordered floats have no such inverse.
        let read = b.lines.iter().filter(|l| tokens(l).any(|t| t == test.predicate)).count();
        if read != 2 || test.ty.starts_with('f') {
            return None;
        }
        let name = format!("setp.{inverse}.{}", test.ty);
        let mut lines = b.with(test.at, line(&name, &[&test.predicate, &test.a, &test.b]));
        lines[*b.inner.end()] = negated(&b.lines[*b.inner.end()])?;
        Some(lines)
    }),
    ("dead-code", |b| {
        let counter = b.test().map(|t| t.a).filter(|a| is_word(a))?;
        let more = [
            line("mul.lo.s32", &["%edit_r2", &counter, "77"]),
            line("xor.b32", &["%edit_r2", "%edit_r2", "5"]),
        ];
        Some(b.insert(*b.inner.end(), &more))
    }),
    ("sum-as-difference", |b| {
        b.inside().find_map(|(at, text)| {
            let (name, o) = parts(text).filter(|_| !guarded(text))?;
            let n: i64 = o.get(2)?.parse().ok()?;
            let to = match name {
                "add.s32" => "sub.s32",
                "add.s64" => "sub.s64",
                _ => return None,
            };
            Some(b.with(at, line(to, &[o[0], o[1], &(-n).to_string()])))
        })
    }),
    ("product-as-shift", |b| {
        b.lines.iter().enumerate().find_map(|(at, text)| {
            let (name, o) = parts(text).filter(|_| !guarded(text))?;
            let n: u64 = o.get(2)?.parse().ok().filter(|n: &u64| n.is_power_of_two())?;
            if name != "mul.wide.s32" {
                return None;
            }
            let mut lines = b.with(at, line("cvt.s64.s32", &["%edit_d1", o[1]]));
            lines.insert(at + 1, line("shl.b64", &[o[0], "%edit_d1", &n.trailing_zeros().to_string()]));
            Some(lines)
        })
    }),
    ("constant-in-register", |b| {
        let test = b
            .test()
            .filter(|t| t.ty.ends_with("32") && t.b.parse::<i64>().is_ok() && !t.ty.starts_with('f'))?;
        let mut lines = b.with(
            test.at,
            line(&format!("setp.{}.{}", test.compare, test.ty), &[&test.predicate, &test.a, "%edit_r3"]),
        );
        lines.insert(test.at, line("mov.u32", &["%edit_r3", &test.b]));
        Some(lines)
    }),
];

/// Whether a register has 32 bits, by nvcc's names.
fn is_word(register: &str) -> bool {
    register.strip_prefix("%r").is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit()))
}

/// The words of a line: registers, names and numbers.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '%' || c == '_')).filter(|t| !t.is_empty())
}

/// The line with two registers in each other's place.
fn rename(line: &str, x: &str, y: &str) -> String {
    if line.trim().starts_with(".reg") {
        return line.into();
    }
    let (mut text, mut word) = (String::new(), String::new());
    let flush = |text: &mut String, word: &mut String| {
        text.push_str(if word == x {
            y
        } else if word == y {
            x
        } else {
            word
        });
        word.clear();
    };
    for c in line.chars() {
        if c.is_ascii_alphanumeric() || c == '%' || c == '_' {
            word.push(c);
        } else {
            flush(&mut text, &mut word);
            text.push(c);
        }
    }
    flush(&mut text, &mut word);
    text
}
