//! Faults of counters, bounds, exits, barriers and what is carried from one iteration to the next.

use super::body::{Body, Make, guarded, line, negated, parts, target};

/// Names and edits.
pub const KINDS: &[(&str, Make)] = &[
    ("bound-plus-one", |b| bound(b, "add", 1)),
    ("bound-minus-one", |b| bound(b, "add", -1)),
    ("bound-doubled", |b| bound(b, "shl", 1)),
    ("stride-plus-one", |b| stride(b, |n| n + n.signum())),
    ("stride-doubled", |b| stride(b, |n| n * 2)),
    ("stride-negated", |b| stride(b, |n| -n)),
    ("start-plus-one", |b| start(b, 1)),
    ("start-minus-one", |b| start(b, -1)),
    ("compare-next", |b| {
        compare(b, |c| match c {
            "lt" => "le",
            "le" => "lt",
            "gt" => "ge",
            "ge" => "gt",
            "ne" => "lt",
            "eq" => "ge",
            other => other,
        })
    }),
    ("compare-signedness", |b| {
        let test = b.test()?;
        let other = match test.ty.split_at(1) {
            ("s", bits) => format!("u{bits}"),
            ("u", bits) => format!("s{bits}"),
            _ => return None,
        };
        // What is equal is so in either.
        let ordered = !matches!(&*test.compare, "eq" | "ne");
        let text = line(&format!("setp.{}.{other}", test.compare), &[&test.predicate, &test.a, &test.b]);
        ordered.then(|| b.with(test.at, text))
    }),
    ("compare-not-equal", |b| compare(b, |c| if matches!(c, "lt" | "gt") { "ne" } else { c })),
    ("compare-operands-exchanged", |b| {
        let test = b.test()?;
        let ordered = !matches!(&*test.compare, "eq" | "ne") && test.b.starts_with('%');
        let text = line(&format!("setp.{}.{}", test.compare, test.ty), &[&test.predicate, &test.b, &test.a]);
        ordered.then(|| b.with(test.at, text))
    }),
    ("branch-back-inverted", |b| Some(b.with(*b.inner.end(), negated(&b.lines[*b.inner.end()])?))),
    ("one-iteration-only", |b| Some(b.without(*b.inner.end()))),
    ("endless", |b| {
        let back = &b.lines[*b.inner.end()];
        guarded(back)
            .then(|| b.with(*b.inner.end(), format!("\tbra.uni \t{};", target(back).unwrap_or_default())))
    }),
    ("exits-exchanged", |b| {
        let mut exits = forward(b);
        let (one, to_one) = exits.next()?;
        let (other, to_other) = exits.find(|(_, to)| *to != to_one)?;
        let mut lines = b.with(one, b.lines[one].replace(to_one, to_other));
        lines[other] = b.lines[other].replace(to_other, to_one);
        Some(lines)
    }),
    ("exit-inverted", |b| {
        let (at, _) = forward(b).find(|(at, _)| guarded(&b.lines[*at]))?;
        Some(b.with(at, negated(&b.lines[at])?))
    }),
    ("exit-dropped", |b| forward(b).next().map(|(at, _)| b.without(at))),
    ("entry-guard-dropped", |b| Some(b.without(entry_guard(b)?))),
    ("entry-guard-inverted", |b| {
        let at = entry_guard(b)?;
        Some(b.with(at, negated(&b.lines[at])?))
    }),
    ("entry-guard-next", |b| {
        let at = entry_guard(b)?;
        let guard = b.lines[at].trim().trim_start_matches(['@', '!']).split_whitespace().next()?;
        let test = b.test_of(guard, at)?;
        let n: i64 = test.b.parse().ok()?;
        let text = line(
            &format!("setp.{}.{}", test.compare, test.ty),
            &[&test.predicate, &test.a, &(n + 1).to_string()],
        );
        Some(b.with(test.at, text))
    }),
    ("differs-at-iteration-2-20", |b| at_count(b, 1 << 20, false)),
    ("differs-at-iteration-77", |b| at_count(b, 77, false)),
    ("leaves-at-2-31", |b| at_count(b, (1 << 31) - 1, true)),
    ("leaves-at-3", |b| at_count(b, 3, true)),
    ("body-doubled", |b| {
        let (start, end) = (*b.inner.start(), *b.inner.end());
        b.is_straight().then(|| b.insert(start + 1, &b.lines[start + 1..end]))
    }),
    ("carried-stale", |b| moves(b).next().map(|(at, ..)| b.without(at))),
    ("carried-exchanged", |b| {
        let mut all = moves(b);
        let (one, name, to, from) = all.next()?;
        let (other, _, to_other, from_other) = all.find(|(_, n, _, f)| *n == name && *f != from)?;
        let mut lines = b.with(one, line(name, &[to, from_other]));
        lines[other] = line(name, &[to_other, from]);
        Some(lines)
    }),
    ("start-of-float", |b| initial(b, "mov.f32", |o| (o == "0f00000000").then(|| "0f3F800000".into()))),
    ("start-of-double", |b| {
        initial(b, "mov.f64", |o| (o == "0d0000000000000000").then(|| "0d3FF0000000000000".into()))
    }),
    ("start-of-number", |b| {
        let counter = b.test().map(|t| t.a).unwrap_or_default();
        let (at, to, n) = b.ahead().find_map(|(at, text)| {
            let (name, operands) = parts(text)?;
            let [to, from] = operands[..] else { return None };
            let n: i64 = from.parse().ok()?;
            (name == "mov.u32" && to != counter).then_some((at, to, n))
        })?;
        Some(b.with(at, line("mov.u32", &[to, &(n ^ 1).to_string()])))
    }),
    ("not-reset-in-outer", |b| {
        let outer = b.outer.clone()?;
        let (at, _) = b.ahead().find(|(at, text)| {
            let constant = parts(text).is_some_and(|(n, o)| {
                n.starts_with("mov.") && o.len() == 2 && o[1].starts_with(|c: char| c.is_ascii_digit())
            });
            constant && outer.contains(at)
        })?;
        let mut lines = b.lines.clone();
        let text = lines.remove(at);
        lines.insert(*outer.start(), text);
        Some(lines)
    }),
    ("barrier-dropped", |b| barrier(b).map(|at| b.without(at))),
    ("barrier-before-loop", |b| {
        let at = barrier(b)?;
        let mut lines = b.lines.clone();
        let text = lines.remove(at);
        lines.insert(*b.inner.start(), text);
        Some(lines)
    }),
    ("barrier-behind-loop", |b| {
        let at = barrier(b)?;
        let mut lines = b.lines.clone();
        let text = lines.remove(at);
        lines.insert(*b.inner.end(), text);
        Some(lines)
    }),
    ("case-exchanged", |b| {
        let back = b.test().map(|t| t.at);
        b.inside().find_map(|(at, text)| {
            let (name, o) = parts(text).filter(|_| Some(at) != back)?;
            let fits = name.starts_with("setp.eq.s") || name.starts_with("setp.ne.s");
            let n: i64 = o.get(2).filter(|_| fits)?.parse().ok()?;
            Some(b.with(at, line(name, &[o[0], o[1], &(n ^ 1).to_string()])))
        })
    }),
];

/// The bound of the test that goes back, put through an operation with an immediate.
fn bound(b: &Body, operation: &str, by: i64) -> Option<Vec<String>> {
    let test = b.test()?;
    let name = format!("setp.{}.{}", test.compare, test.ty);
    if let Ok(n) = test.b.parse::<i64>() {
        let n = if operation == "add" { n + by } else { n << by };
        return Some(b.with(test.at, line(&name, &[&test.predicate, &test.a, &n.to_string()])));
    }
    let register = match test.ty.get(1..)? {
        "32" => "%edit_r0",
        "64" => "%edit_d0",
        _ => return None,
    };
    let ty = if operation == "add" { test.ty.clone() } else { format!("b{}", &test.ty[1..]) };
    let mut lines = b.with(test.at, line(&name, &[&test.predicate, &test.a, register]));
    lines.insert(test.at, line(&format!("{operation}.{ty}"), &[register, &test.b, &by.to_string()]));
    Some(lines)
}

fn stride(b: &Body, change: impl Fn(i64) -> i64) -> Option<Vec<String>> {
    let (at, by) = b.step()?;
    let (name, operands) = parts(&b.lines[at])?;
    Some(b.with(at, line(name, &[operands[0], operands[1], &change(by).to_string()])))
}

/// The counter's first value.
fn start(b: &Body, by: i64) -> Option<Vec<String>> {
    let test = b.test()?;
    // What the counter is made from, where it is carried by another register.
    let from =
        b.step().and_then(|(at, _)| parts(&b.lines[at]).map(|(_, o)| o[1].to_owned())).unwrap_or(test.a);
    let (at, name, n) = b.ahead().find_map(|(at, text)| {
        let (name, operands) = parts(text)?;
        let [to, value] = operands[..] else { return None };
        (name.starts_with("mov.") && to == from).then_some((at, name, value.parse::<i64>().ok()?))
    })?;
    Some(b.with(at, line(name, &[&from, &(n + by).to_string()])))
}

fn compare(b: &Body, change: impl Fn(&str) -> &str) -> Option<Vec<String>> {
    let test = b.test()?;
    let name = format!("setp.{}.{}", change(&test.compare), test.ty);
    Some(b.with(test.at, line(&name, &[&test.predicate, &test.a, &test.b])))
}

/// Branches of the loop to labels behind the line.
fn forward(b: &Body) -> impl Iterator<Item = (usize, &str)> {
    b.inside().filter_map(|(at, text)| {
        let label = target(text)?;
        let to = b.lines.iter().position(|l| l.trim().strip_suffix(':') == Some(label))?;
        (to > at).then_some((at, label))
    })
}

/// The branch before the loop that leads past it.
fn entry_guard(b: &Body) -> Option<usize> {
    b.ahead().find_map(|(at, text)| {
        let label = target(text).filter(|_| guarded(text))?;
        let to = b.lines.iter().position(|l| l.trim().strip_suffix(':') == Some(label))?;
        (to > *b.inner.end()).then_some(at)
    })
}

/// When the counter has a value, the loop is left, or a computed value is another.
fn at_count(b: &Body, n: i64, leave: bool) -> Option<Vec<String>> {
    let counter = b.test()?.a;
    let ty = if counter.starts_with("%rd") { "s64" } else { "s32" };
    let (step, _) = b.step()?;
    let asked = line(&format!("setp.eq.{ty}"), &["%edit_p0", &counter, &n.to_string()]);
    if leave {
        let mut lines = b.insert(*b.inner.end(), &[asked, "\t@%edit_p0 bra \tEDIT_OUT;".into()]);
        lines.insert(b.inner.end() + 3, "EDIT_OUT:".into());
        return Some(lines);
    }
    let (at, to, float) = b.computed().filter(|(at, ..)| *at != step)?;
    let change = match float {
        true => format!("\t@%edit_p0 add.rn.f32 \t{to}, {to}, 0f3F800000;"),
        false => format!("\t@%edit_p0 add.s32 \t{to}, {to}, 1;"),
    };
    Some(b.insert(at + 1, &[asked, change]))
}

/// Moves from register to register in the loop: line, name, to, from.
fn moves(b: &Body) -> impl Iterator<Item = (usize, &str, &str, &str)> {
    b.inside().filter_map(|(at, text)| {
        let (name, operands) = parts(text)?;
        let [to, from] = operands[..] else { return None };
        (name.starts_with("mov.") && from.starts_with('%') && !from.contains('.'))
            .then_some((at, name, to, from))
    })
}

/// The nearest move of an immediate before the loop whose value has another in its place.
fn initial(b: &Body, wanted: &str, change: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let (at, to, value) = b.ahead().find_map(|(at, text)| {
        let (name, operands) = parts(text)?;
        let [to, from] = operands[..] else { return None };
        (name == wanted).then_some((at, to, change(from)?))
    })?;
    Some(b.with(at, line(wanted, &[to, &value])))
}

fn barrier(b: &Body) -> Option<usize> {
    b.inside().find(|(_, text)| text.trim().starts_with("bar.")).map(|(at, _)| at)
}
