//! What a reduced program is about: its instructions but for those that find the thread's data.

use std::collections::BTreeSet;

/// An instruction of a text, one a line, as the reducer prints it.
struct Instruction<'a> {
    guarded: bool,
    mnemonic: &'a str,
    operands: &'a str,
}

fn instructions(text: &str) -> impl Iterator<Item = Instruction<'_>> {
    text.lines().filter_map(|line| {
        let line = line.split("//").next()?.trim().strip_suffix(';')?;
        if line.starts_with('.') || line.starts_with("ret") {
            return None;
        }
        let (guarded, line) = match line.strip_prefix('@') {
            Some(rest) => (true, rest.split_once(char::is_whitespace)?.1),
            None => (false, line),
        };
        let (mnemonic, operands) = line.split_once(char::is_whitespace)?;
        Some(Instruction { guarded, mnemonic, operands: operands.trim() })
    })
}

/// Names in operands.
fn names(operands: &str) -> impl Iterator<Item = &str> {
    operands
        .split(|c: char| !c.is_alphanumeric() && !"%_$".contains(c))
        .filter(|w| w.starts_with(|c: char| !c.is_ascii_digit()) && !w.is_empty())
}

/// Of each instruction whether it computes an address: its result is read by nothing but addresses, seen from the end of the text.
fn addresses(all: &[Instruction<'_>]) -> Vec<bool> {
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    let mut found = vec![false; all.len()];
    for (i, inst) in all.iter().enumerate().rev() {
        let (to, from) = inst.operands.split_once(',').unwrap_or((inst.operands, ""));
        found[i] = wanted.contains(to.trim());
        if found[i] {
            if !inst.guarded {
                wanted.remove(to.trim());
            }
            wanted.extend(names(from));
        }
        if let Some((inside, _)) = inst.operands.split_once('[').and_then(|(_, rest)| rest.split_once(']')) {
            wanted.extend(names(inside));
        }
    }
    found
}

/// Whether a part of a mnemonic is a type.
fn is_type(part: &str) -> bool {
    let (kind, bits) = part.split_at_checked(1).unwrap_or_default();
    let number = matches!(kind, "s" | "u" | "b" | "f") && bits.parse::<u32>().is_ok();
    number || matches!(part, "f16x2" | "bf16" | "bf16x2" | "pred")
}

/// Mnemonics with all their parts, in the order of the text, `@` before one under a guard.
fn ordered(text: &str) -> Vec<String> {
    let all: Vec<Instruction<'_>> = instructions(text).collect();
    let addresses = addresses(&all);
    let name = |i: &Instruction<'_>| format!("{}{}", if i.guarded { "@" } else { "" }, i.mnemonic);
    let computes = |(i, address): (&Instruction<'_>, &bool)| {
        let moves = ["ld.", "st.", "mov.", "cvta", "bra"].iter().any(|start| i.mnemonic.starts_with(start));
        (!moves && !address).then(|| name(i))
    };
    let found: Vec<String> = all.iter().zip(&addresses).filter_map(computes).collect();
    match found.is_empty() {
        // An error of loads, stores and moves alone.
        true => all.iter().filter(|i| !i.mnemonic.starts_with("ld.param")).map(name).collect(),
        false => found,
    }
}

/// Mnemonics with all their parts, sorted, `@` before one under a guard.
pub fn mnemonics(text: &str) -> BTreeSet<String> {
    ordered(text).into_iter().collect()
}

/// The last of [`mnemonics`] in the text.
pub fn last(text: &str) -> Option<String> {
    ordered(text).pop()
}

/// [`mnemonics`] without types: by which findings are folded.
pub fn signature(text: &str) -> BTreeSet<String> {
    let plain = |name: &String| {
        let parts = name.split('.').filter(|p| !is_type(p));
        parts.collect::<Vec<_>>().join(".")
    };
    mnemonics(text).iter().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_the_data_does_not_count() {
        let text = "
    ld.param.u64 %to, [k_out];
    mov.u32 %t0, %tid.x;
    mad.wide.u32 %to, %t0, 256, %to;
    neg.s32 %t1, %r2;
    @%p1 slct.s32.s32 %r1, 1, 2, %t1;
    st.global.u32 [%to+64], %r1;
    ret;
";
        let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(mnemonics(text), set(&["@slct.s32.s32", "neg.s32"]));
        assert_eq!(signature(text), set(&["@slct", "neg"]));
        assert_eq!(last(text).as_deref(), Some("@slct.s32.s32"));
    }

    /// What was part of an address holds a value later.
    #[test]
    fn a_register_may_be_both() {
        let text = "mad.wide.u32 %to, %t0, 256, %to;\nselp.u32 %t0, 1, 0, %p2;\nst.u32 [%to], %t0;";
        assert_eq!(signature(text), BTreeSet::from(["selp".to_owned()]));
    }

    #[test]
    fn an_error_of_moves_alone_has_a_signature() {
        assert_eq!(mnemonics("mov.b64 {%r0, %r1}, v;\nst.global.u32 [%to], %r0;\nret;").len(), 2);
    }
}
