//! Faults of memory, addresses and arithmetic in a loop.

use super::body::{Body, Make, guarded, line, parts};

/// Names and edits.
pub const KINDS: &[(&str, Make)] = &[
    ("load-hoisted", |b| {
        let fixed = |text: &str| {
            let address = between(text)?.split('+').next()?;
            let writes = |t: &str| parts(t).is_some_and(|(_, o)| o.first() == Some(&address));
            Some(!guarded(text) && !b.inside().any(|(_, t)| writes(t)))
        };
        let (at, _) = b.inside().find(|(_, text)| is_load(text) && fixed(text) == Some(true))?;
        let mut lines = b.lines.clone();
        let text = lines.remove(at);
        lines.insert(*b.inner.start(), text);
        Some(lines)
    }),
    ("load-over-store", |b| {
        let (store, text) = b.inside().find(|(_, t)| t.trim().starts_with("st."))?;
        let space = text.trim().split('.').nth(1)?;
        // What lies in another space is no alias.
        let alias = |t: &str| is_load(t) && t.trim().split('.').nth(1) == Some(space);
        let (load, text) = b.inside().find(|(at, t)| *at > store && alias(t))?;
        let address = between(text)?.split('+').next()?.to_owned();
        let writes = |t: &String| parts(t).is_some_and(|(_, o)| o.first() == Some(&&*address));
        if b.lines[store..load].iter().any(|l| writes(l) || l.contains(':') || l.contains("bar.")) {
            return None;
        }
        let mut lines = b.lines.clone();
        let text = lines.remove(load);
        lines.insert(store, text);
        Some(lines)
    }),
    ("store-dropped", |b| b.inside().find(|(_, t)| t.trim().starts_with("st.")).map(|(at, _)| b.without(at))),
    ("store-offset", |b| offset(b, "st.")),
    ("load-offset", |b| offset(b, "ld.")),
    ("store-beyond", |b| {
        let (at, _) = b.inside().find(|(_, t)| t.trim().starts_with("st.global"))?;
        let lines = offset(b, "st.")?;
        Some(b.insert(at + 1, &lines[at..=at]))
    }),
    ("load-beyond", |b| {
        let (at, text) = b.inside().find(|(_, t)| t.trim().starts_with("ld.global"))?;
        let base = between(text)?.split('+').next()?;
        Some(b.insert(at + 1, &[format!("\tld.volatile.global.u8 \t%edit_r1, [{base}+1048576];")]))
    }),
    ("load-narrower", |b| {
        swap(
            b,
            &[
                ("ld.global.u32", "ld.global.u16"),
                ("ld.shared.u32", "ld.shared.u16"),
                ("ld.global.u64", "ld.global.u32"),
            ],
        )
    }),
    ("load-signedness", |b| swap(b, &[(".u8", ".s8"), (".s8", ".u8"), (".u16", ".s16"), (".s16", ".u16")])),
    ("address-stays", |b| pointer_step(b).map(|(at, ..)| b.without(at))),
    ("address-step", |b| {
        let (at, r, by) = pointer_step(b)?;
        Some(b.with(at, line("add.s64", &[r, r, &(by * 2).to_string()])))
    }),
    ("address-signedness", |b| {
        anywhere(b, &[("mul.wide.s32", "mul.wide.u32"), ("mul.wide.u32", "mul.wide.s32")])
    }),
    ("address-scale", |b| {
        let (at, to, from) = b.lines.iter().enumerate().find_map(|(at, text)| {
            let (name, operands) = parts(text)?;
            (name.starts_with("mul.wide") && operands.get(2) == Some(&"4"))
                .then(|| (at, operands[0], operands[1]))
        })?;
        Some(b.with(at, line("mul.wide.s32", &[to, from, "8"])))
    }),
    ("buffers-exchanged", |b| parameters(b, "ld.param.u64")),
    ("numbers-exchanged", |b| parameters(b, "ld.param.u32")),
    ("float-add-to-sub", |b| {
        swap(b, &[("add.f32", "sub.f32"), ("add.f64", "sub.f64"), ("sub.f32", "add.f32")])
    }),
    ("rounding", |b| {
        swap(
            b,
            &[
                ("fma.rn.", "fma.rz."),
                ("add.f32", "add.rz.f32"),
                ("mul.f32", "mul.rz.f32"),
                ("add.f64", "add.rz.f64"),
            ],
        )
    }),
    ("minimum-maximum", |b| swap(b, &[("min.", "max."), ("max.", "min.")])),
    ("number-add-to-sub", |b| {
        operation(b, "add.s32", |o| o.get(2).is_some_and(|r| r.starts_with('%')).then(|| line("sub.s32", &o)))
    }),
    ("product-high", |b| swap(b, &[("mul.lo.", "mul.hi.")])),
    ("logic", |b| swap(b, &[("xor.b", "or.b"), ("and.b", "or.b"), ("or.b", "xor.b")])),
    ("shift-direction", |b| {
        swap(b, &[("shl.b32", "shr.u32"), ("shr.u32", "shl.b32"), ("shr.u64", "shl.b64")])
    }),
    ("shift-signedness", |b| {
        swap(
            b,
            &[("shr.u32", "shr.s32"), ("shr.s32", "shr.u32"), ("shr.u64", "shr.s64"), ("shr.s64", "shr.u64")],
        )
    }),
    ("shift-distance", |b| immediate(b, &["shl.", "shr."], 1)),
    ("mask", |b| immediate(b, &["and.b", "xor.b"], 1)),
    ("selection-exchanged", |b| operation(b, "selp.", |o| Some(line("selp.b32", &[o[0], o[2], o[1], o[3]])))),
    ("fused-operands", |b| {
        let (at, name, o) = first(b, |n, o| n.starts_with("fma.rn") && o.len() == 4 && o[1] != o[3])?;
        Some(b.with(at, line(name, &[o[0], o[3], o[2], o[1]])))
    }),
    ("difference-turned", |b| {
        let (at, name, o) = first(b, |n, o| n.starts_with("sub.") && o.len() == 3 && o[1].starts_with('%'))?;
        Some(b.with(at, line(name, &[o[0], o[2], o[1]])))
    }),
    ("order-of-sum", |b| {
        let chain = |n: &str, o: &Vec<&str>| n.starts_with("fma.rn") && o.len() == 4;
        let (one, name, a) = first(b, chain)?;
        let (other, _, c) = b.inside().find_map(|(at, text)| {
            let (n, o) = parts(text)?;
            (at > one && chain(n, &o) && o[3] == a[0]).then_some((at, n, o))
        })?;
        // Factors that are read between the two stay where they are.
        let ready =
            b.lines[one..other].iter().all(|l| !parts(l).is_some_and(|(_, o)| o[0] == c[1] || o[0] == c[2]));
        let mut lines = b.with(other, line(name, &[c[0], a[1], a[2], c[3]]));
        if ready {
            lines[one] = line(name, &[a[0], c[1], c[2], a[3]]);
            return Some(lines);
        }
        // The first is done where the second is.
        lines[one] = String::new();
        lines[other] =
            format!("{}\n{}", line(name, &[a[0], c[1], c[2], a[3]]), line(name, &[c[0], a[1], a[2], a[0]]));
        Some(lines)
    }),
    ("quotient-remainder", |b| {
        swap(
            b,
            &[("div.u32", "rem.u32"), ("rem.u32", "div.u32"), ("rem.s32", "div.s32"), ("div.s32", "rem.s32")],
        )
    }),
    ("conversion-signedness", |b| {
        swap(
            b,
            &[
                ("cvt.rn.f32.s32", "cvt.rn.f32.u32"),
                ("cvt.rn.f32.u32", "cvt.rn.f32.s32"),
                ("cvt.s64.s32", "cvt.u64.u32"),
                ("cvt.s32.s8", "cvt.u32.u8"),
                ("cvt.s32.s16", "cvt.u32.u16"),
                ("cvt.u32.u16", "cvt.s32.s16"),
            ],
        )
    }),
    ("atomic-operation", |b| {
        anywhere(b, &[(".add.u32", ".max.u32"), (".add.f32", ".exch.b32"), (".max.s32", ".min.s32")])
    }),
    ("atomic-doubled", |b| {
        let at =
            b.lines.iter().position(|l| l.trim().starts_with("atom.") || l.trim().starts_with("red."))?;
        Some(b.insert(at, &b.lines[at..=at]))
    }),
    ("shuffle-mode", |b| anywhere(b, &["down", "up", "bfly", "idx"].map(|m| (shuffle(m).0, shuffle(m).1)))),
    ("shuffle-distance", |b| {
        let at = b.lines.iter().position(|l| l.contains("shfl.sync"))?;
        let mut words: Vec<String> = b.lines[at].split(", ").map(str::to_owned).collect();
        *words.get_mut(2)? = "3".into();
        Some(b.with(at, words.join(", ")))
    }),
    ("thread-axis", |b| anywhere(b, &[("%tid.x", "%tid.y")])),
    ("block-axis", |b| anywhere(b, &[("%ctaid.x", "%ctaid.y")])),
    ("grid-for-block", |b| anywhere(b, &[("%ntid.x", "%nctaid.x"), ("%nctaid.x", "%ntid.x")])),
    ("condition-in-loop", |b| {
        let back = b.test().map(|t| t.at);
        let from = [
            ("setp.lt", "setp.le"),
            ("setp.gt", "setp.ge"),
            ("setp.ge", "setp.gt"),
            ("setp.eq", "setp.ne"),
            ("setp.ne", "setp.eq"),
            ("setp.le", "setp.lt"),
        ];
        b.inside().filter(|(at, _)| Some(*at) != back).find_map(|(at, text)| {
            from.iter().find(|(f, _)| text.contains(f)).map(|(f, t)| b.with(at, text.replacen(f, t, 1)))
        })
    }),
    ("conditions-joined", |b| anywhere(b, &[("and.pred", "or.pred"), ("or.pred", "and.pred")])),
    ("immediate-of-add", |b| {
        let step = b.step().map(|(at, _)| at);
        let (at, name, o) =
            first(b, |n, o| n.starts_with("add.s32") && o.len() == 3 && o[2].parse::<i64>().is_ok())?;
        let n: i64 = o[2].parse().ok()?;
        (Some(at) != step).then(|| b.with(at, line(name, &[o[0], o[1], &(n + 1).to_string()])))
    }),
    ("call-dropped", |b| {
        let at = b.lines.iter().position(|l| l.contains("call.uni"))?;
        let end = (at..b.lines.len()).find(|k| b.lines[*k].trim().ends_with(';'))?;
        let mut lines = b.lines.clone();
        lines.drain(at..=end);
        Some(lines)
    }),
    ("constant-of-float", |b| {
        b.inside().find_map(|(at, text)| {
            // The sign of a constant.
            let place = text.find(" 0f")? + 3;
            let digit = u8::from_str_radix(text.get(place..=place)?, 16).ok()?;
            Some(b.with(at, format!("{}{:X}{}", &text[..place], digit ^ 8, &text[place + 1..])))
        })
    }),
];

fn is_load(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("ld.global.") || text.starts_with("ld.shared.")
}

/// What stands in square brackets.
fn between(text: &str) -> Option<&str> {
    Some(text.split_once('[')?.1.split_once(']')?.0)
}

/// Bytes of an access, by the type at the end of its name.
fn bytes(name: &str) -> Option<i64> {
    let ty = name.rsplit('.').next()?;
    Some(ty.get(1..)?.parse::<i64>().ok()? / 8)
}

/// The first access of the loop, an element further.
fn offset(b: &Body, prefix: &str) -> Option<Vec<String>> {
    b.inside().find_map(|(at, text)| {
        let (name, _) = parts(text)?;
        let place = between(text).filter(|_| name.starts_with(prefix) && !name.contains("param"))?;
        let (base, by) = place.split_once('+').unwrap_or((place, "0"));
        let to = format!("[{base}+{}]", by.parse::<i64>().ok()? + bytes(name)?);
        Some(b.with(at, text.replace(&format!("[{place}]"), &to)))
    })
}

/// The first line of the loop with one of the texts, which has another in its place.
fn swap(b: &Body, of: &[(&str, &str)]) -> Option<Vec<String>> {
    b.inside().find_map(|(at, text)| change(at, text, of, b))
}

/// The same, anywhere in the body.
fn anywhere(b: &Body, of: &[(&str, &str)]) -> Option<Vec<String>> {
    b.lines.iter().enumerate().find_map(|(at, text)| change(at, text, of, b))
}

fn change(at: usize, text: &str, of: &[(&str, &str)], b: &Body) -> Option<Vec<String>> {
    // Names of entries and registers hold no such texts; labels and declarations are left alone.
    let plain = !text.trim().starts_with('.') && !text.trim().ends_with(':');
    let (from, to) = of.iter().find(|(from, _)| plain && text.contains(from))?;
    Some(b.with(at, text.replacen(from, to, 1)))
}

/// The first instruction of the loop for which this holds.
fn first(b: &Body, holds: impl Fn(&str, &Vec<&str>) -> bool) -> Option<(usize, &str, Vec<&str>)> {
    b.inside().find_map(|(at, text)| {
        let (name, operands) = parts(text).filter(|_| !guarded(text))?;
        holds(name, &operands).then_some((at, name, operands))
    })
}

fn operation(b: &Body, prefix: &str, make: impl Fn(Vec<&str>) -> Option<String>) -> Option<Vec<String>> {
    b.inside().find_map(|(at, text)| {
        let (name, operands) = parts(text)?;
        let fits = name.starts_with(prefix) && !guarded(text);
        let text = fits.then(|| make(operands)).flatten()?;
        Some(b.with(at, text.replace("selp.b32", name)))
    })
}

/// The last operand of the first such instruction, changed in its lowest bit.
fn immediate(b: &Body, prefixes: &[&str], by: i64) -> Option<Vec<String>> {
    let fits = |n: &str, o: &Vec<&str>| {
        prefixes.iter().any(|p| n.starts_with(p)) && o.len() == 3 && o[2].parse::<i64>().is_ok()
    };
    let (at, name, o) = first(b, fits)?;
    Some(b.with(at, line(name, &[o[0], o[1], &(o[2].parse::<i64>().ok()? ^ by).to_string()])))
}

/// The line of the loop that moves a pointer, the pointer, and by how much.
fn pointer_step(b: &Body) -> Option<(usize, &str, i64)> {
    let (at, _, o) =
        first(b, |n, o| n == "add.s64" && o.len() == 3 && o[0] == o[1] && o[2].parse::<i64>().is_ok())?;
    Some((at, o[0], o[2].parse().ok()?))
}

/// Two parameters of one type, each in the other's place.
fn parameters(b: &Body, name: &str) -> Option<Vec<String>> {
    let mut all = b.lines.iter().enumerate().filter(|(_, l)| l.trim().starts_with(name));
    let ((one, first), (other, second)) = (all.next()?, all.next()?);
    let (x, y) = (between(first)?, between(second)?);
    let mut lines = b.with(one, first.replace(x, y));
    lines[other] = second.replace(y, x);
    Some(lines)
}

fn shuffle(mode: &str) -> (&'static str, &'static str) {
    match mode {
        "down" => ("shfl.sync.down", "shfl.sync.up"),
        "up" => ("shfl.sync.up", "shfl.sync.down"),
        "bfly" => ("shfl.sync.bfly", "shfl.sync.down"),
        _ => ("shfl.sync.idx", "shfl.sync.bfly"),
    }
}
