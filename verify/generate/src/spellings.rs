//! Every spelling of every operand for every form of PTX: what the PTX ISA gives ("Operands", "Constants", "Using Addresses,
//! Arrays, and Vectors"), what looks like it, and what is near to it. Most are wrong; whether a reader says so is what they are for.

use sassafras_ptx::table::{Row, SlotKind, legacy, rows};
use std::collections::BTreeSet;
use std::fmt::Write;

/// One instruction with one operand spelled in some way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The row's line in the table.
    pub form: &'static str,
    /// The kind of spelling, such as `vector of one`.
    pub class: &'static str,
    /// The operand's name in the row, or `guard`.
    pub slot: &'static str,
    /// The instruction.
    pub line: String,
    /// Whether it is odd enough to be no syntax at all, so that a reader may give up there.
    pub odd: bool,
}

/// What the spellings name besides what [`sassafras_ptx::table::example`] declares.
pub const DECLARATIONS: &str = "\t.reg .u32 %u<4>;\n\t.reg .s32 %s<4>;\n\t.reg .s64 %sd<4>;\n\t.reg .u16 %us<4>;\n\
    \t.reg .v2 .b32 %v2;\n\t.reg .v4 .f32 %v4;\n";

/// What the module of the spellings declares besides: an array whose elements have 32 bits.
pub const MODULE: &str =
    ".global .align 4 .u32 words[16];\n.shared .align 4 .u32 box[16];\n.global .u32 word;\n";

/// Spellings of a value; `$` is the register that the form's example has there.
const VALUES: [(&str, bool, &[&str]); 20] = [
    ("vector of one", false, &["{$}", "{5}", "{_}"]),
    ("vector", false, &["{$, $}", "{$, _}", "{_, _}", "{$, $, $, $}", "%v2", "%v4"]),
    ("empty vector", true, &["{}", "{$,}", "{{$}}"]),
    ("sink", true, &["_"]),
    ("negated", false, &["!$", "! $"]),
    ("minus", false, &["-$", "- $"]),
    ("complement", true, &["~$", "+$"]),
    ("plus a constant", false, &["$+1", "$ + 1", "$+-1", "$+(2*3)", "$+0x10", "$+WARP_SZ"]),
    ("minus a constant", true, &["$-1", "1+$", "$*2", "$+%r1", "$+1.0"]),
    ("parentheses", true, &["($)", "($+1)"]),
    ("brackets", false, &["[$]", "[$+4]", "[words]"]),
    ("element", false, &["words[1]", "box[1]", "words[0]", "words[%r1]", "words[1+2]", "word[0]", "$[1]"]),
    ("elements", true, &["words[1][2]", "words[1]+4", "words[]", "words[-%r1]"]),
    ("address", false, &["words", "words+4", "box", "callee", "LABEL"]),
    (
        "special",
        false,
        &["%tid.x", "%tid", "%tid.w", "%tid.r", "%laneid", "%clock64", "%ntid.x", "%gridid", "WARP_SZ"],
    ),
    ("component", false, &["%v2.x", "%v2.y", "%v4.w", "%v4.r"]),
    ("no component", true, &["%laneid.x", "%tid.q", "%v2.xy", "$.x"]),
    (
        "integer",
        false,
        &[
            "5",
            "-5",
            "5U",
            "0x1F",
            "017",
            "0b101",
            "(2+3)*4",
            "~5",
            "!5",
            "1?2:3",
            "65536",
            "4294967296",
            "(.u64)5",
        ],
    ),
    (
        "float",
        false,
        &["1.0", "-1.0", "1.", ".5", "1e3", "1.5E-3", "0f3f800000", "0d3ff0000000000000", "1.0+2.0"],
    ),
    (
        "no number",
        true,
        &["08", "5u", "'a'", "1.0f", "0f3f8", "0x", "-0f3f800000", "(.u32)5", "1/0", "1e999"],
    ),
];

/// Registers of every type.
const REGISTERS: [&str; 12] =
    ["%p1", "%rb1", "%rs1", "%us1", "%r1", "%u1", "%s1", "%rd1", "%sd1", "%f1", "%fd1", "%rq1"];

/// Spellings of an address; `$` is what the example has in brackets.
const ADDRESSES: [(&str, bool, &[&str]); 9] = [
    (
        "offset",
        false,
        &[
            "[$]",
            "[$+4]",
            "[$+-4]",
            "[$ + 4]",
            "[$+(2*3)]",
            "[$+2*4]",
            "[$+0x10]",
            "[$+4U]",
            "[$+WARP_SZ]",
            "[$+4+4]",
        ],
    ),
    (
        "register and offset",
        false,
        &["[%rd1]", "[%rd1+4]", "[%rd1+-4]", "[%r1]", "[%rs1]", "[%f1]", "[%p1]", "[%sd1+8]"],
    ),
    (
        "symbolic offset",
        false,
        &["[words]", "[words+4]", "[words+-4]", "[box]", "[box+4]", "[callee]", "[LABEL]"],
    ),
    ("no offset", true, &["[$-4]", "[4+$]", "[$+1.0]", "[$+words]", "[$*4]", "[$+%r1]", "[-$]"]),
    ("parentheses", true, &["[($)]", "[($+4)]", "($)"]),
    ("constant address", false, &["[4]", "[0]", "[(4)]", "[4+4]"]),
    ("no brackets", false, &["$", "words[1]", "box[1]", "words[%r1]", "%rd1", "{%rd1}", "5", "word[0]"]),
    (
        "element in brackets",
        true,
        &["[words[1]]", "[%tid.x]", "[%v2.x]", "[_]", "[]", "[{%rd1}]", "[generic(words)]"],
    ),
    ("coordinates", false, &["[$, 4]", "[%rd1, %rd2]"]),
];

/// Spellings of a label.
const LABELS: [(&str, bool, &[&str]); 2] = [
    ("label", false, &["{LABEL}", "%r1", "5", "callee", "words"]),
    ("no label", true, &["LABEL+1", "[LABEL]", "(LABEL)", "!LABEL"]),
];

/// Spellings of a guard.
const GUARDS: [(&str, bool, &[&str]); 2] = [
    ("guard", false, &["@%p1", "@!%p1", "@ ! %p1", "@%r1"]),
    ("no guard", true, &["@1", "@{%p1}", "@-%p1", "%p1", "@!!%p1", "@_"]),
];

/// All of them, in the order of the table. Spellings that are hardly syntax stand with the first form of each instruction alone:
/// what they are does not depend on the rest of the line.
pub fn all() -> Vec<Spelling> {
    let mut list = Vec::new();
    let mut roots = BTreeSet::new();
    for row in rows().iter().chain(legacy().iter().filter(|row| row.until.is_none())) {
        if row.since.sm > 90 || !row.since.only.any() {
            continue;
        }
        let first = roots.insert(row.root);
        // The forms without and with the last choices of words, where vectors and types stand.
        let variants = row.variants();
        let chosen: BTreeSet<usize> = [0, variants.len() / 2, variants.len() - 1].into();
        for (n, i) in chosen.into_iter().enumerate() {
            of_form(row, &variants[i], first && n == 0, &mut list);
        }
    }
    list
}

/// The spellings of one form's operands and guard.
fn of_form(row: &'static Row, suffixes: &[&'static str], odd_too: bool, list: &mut Vec<Spelling>) {
    let operands = row.operands(suffixes);
    let whole = row.instruction(suffixes);
    let mnemonic = whole.split([' ', ';']).next().unwrap_or_default();
    let mut add = |slot: &'static str, class: &'static str, odd: bool, line: String| {
        if !odd || odd_too {
            list.push(Spelling { form: row.text, class, slot, line, odd });
        }
    };
    for (class, odd, texts) in GUARDS {
        texts.iter().for_each(|guard| add("guard", class, odd, format!("{guard} {whole}")));
    }
    for (i, slot) in row.slots.iter().enumerate() {
        let table: &[(&str, bool, &[&str])] = match slot.kind {
            SlotKind::Address => &ADDRESSES,
            SlotKind::Label | SlotKind::Targets => &LABELS,
            SlotKind::Call | SlotKind::Tensor | SlotKind::Ids { .. } | SlotKind::Texture(_) => continue,
            SlotKind::Value(_) | SlotKind::Pack | SlotKind::AddressValue => &VALUES,
        };
        let mut put = |class: &'static str, odd: bool, text: &str| {
            let mut changed = operands.clone();
            changed[i] = text.to_owned();
            add(slot.name, class, odd, format!("{mnemonic} {};", changed.join(", ")));
        };
        let plain = operands[i].trim_matches(['[', ']']).to_owned();
        let register =
            plain.trim_start_matches('{').split([',', '|', '}']).next().unwrap_or_default().to_owned();
        for (class, odd, texts) in table {
            texts.iter().for_each(|text| put(class, *odd, &text.replace('$', &register)));
        }
        if !matches!(slot.kind, SlotKind::Address) {
            REGISTERS.iter().for_each(|other| put("register of another type", false, other));
            for text in ["$|%p1", "$|_", "_|%p1", "%p1|%p2", "$|%r1"] {
                put("pair", false, &text.replace('$', &register));
            }
        }
        if plain.starts_with('{') {
            let parts: Vec<&str> = plain.trim_matches(['{', '}']).split(", ").collect();
            for n in 0..parts.len() {
                for (class, text) in [
                    ("gap", "_"),
                    ("constant in a vector", "5"),
                    ("special in a vector", "%tid.x"),
                    ("sum in a vector", "%r1+1"),
                ] {
                    let mut parts = parts.clone();
                    parts[n] = text;
                    put(class, class.starts_with("sum"), &format!("{{{}}}", parts.join(", ")));
                }
            }
            put("vector too long", false, &format!("{{{}, {}}}", parts.join(", "), parts[0]));
            put("vector too short", false, &format!("{{{}}}", parts[1..].join(", ")));
        }
    }
}

/// A module with one of `lines` per line in its body, and the number of the first.
pub fn module(lines: &[String]) -> (String, usize) {
    use sassafras_ptx::table::example;
    let mut text = String::from(".version 9.0\n.target sm_90\n.address_size 64\n");
    text += example::MODULE;
    text += MODULE;
    text += ".visible .entry k (.param .align 16 .b8 parameter[64])\n{\n";
    text += example::DECLARATIONS;
    text += DECLARATIONS;
    let first = text.lines().count() + 1;
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    text += "\tret;\n}\n";
    (text, first)
}
