//! The table, read once.

use crate::form::{Form, FormId};
use crate::notation;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The files of rows.
const FILES: &[&str] = &[
    include_str!("table/integer.tbl"),
    include_str!("table/variable.tbl"),
    include_str!("table/uniform.tbl"),
    include_str!("table/float.tbl"),
    include_str!("table/convert.tbl"),
    include_str!("table/half.tbl"),
    include_str!("table/memory.tbl"),
    include_str!("table/control.tbl"),
    include_str!("table/matrix.tbl"),
    include_str!("table/ampere.tbl"),
    include_str!("table/turing.tbl"),
    include_str!("table/blackwell.tbl"),
    include_str!("table/extra.tbl"),
];

struct Table {
    forms: Vec<Form>,
    names: FxHashMap<&'static str, FormId>,
    opcodes: Vec<Vec<FormId>>,
    mnemonics: FxHashMap<&'static str, Vec<FormId>>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut forms = Vec::new();
        for text in FILES {
            match notation::forms(text) {
                Ok(list) => forms.extend(list),
                Err(error) => unreachable!("the table is part of the program and tested: {error}"),
            }
        }
        verify(&mut forms);
        let mut names = FxHashMap::default();
        let mut opcodes = vec![Vec::new(); 4096];
        let mut mnemonics: FxHashMap<&'static str, Vec<FormId>> = FxHashMap::default();
        for (i, form) in forms.iter().enumerate() {
            let id = FormId(i as u16);
            names.insert(form.id, id);
            opcodes[usize::from(form.opcode)].push(id);
            mnemonics.entry(form.mnemonic).or_default().push(id);
        }
        Table { forms, names, opcodes, mnemonics }
    })
}

/// What `examples/verify.rs` recorded: `form,seed,tool,words,equal,operands,write barrier,read barrier,reuse`.
const VERIFIED: &str = include_str!("table/verified.csv");

/// Adds to each row what holding it against nvdisasm has shown.
fn verify(forms: &mut [Form]) {
    let records: FxHashMap<&str, Vec<&str>> = VERIFIED
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','))
        .map(|(id, rest)| (id, rest.split(',').collect()))
        .collect();
    for form in forms {
        let Some([seed, tool, words, equal, operands, write, read, reuse]) =
            records.get(form.id).map(Vec::as_slice)
        else {
            form.source = "not yet held against nvdisasm";
            continue;
        };
        form.control.write_barrier = *write == "1";
        form.control.read_barrier = *read == "1";
        form.control.reuse = reuse.parse().unwrap_or(0);
        let seed = if seed.is_empty() {
            "no word of ptxas seen".to_owned()
        } else {
            format!("seed {seed} from ptxas 13.0.88")
        };
        let text = format!(
            "{seed}; {equal} of {words} random words printed as nvdisasm {tool} does; reads and writes as its -plr on {operands} words"
        );
        form.source = Box::leak(text.into_boxed_str());
    }
}

/// Every form of every chip; a [`FormId`] is an index here.
pub fn forms() -> &'static [Form] {
    &table().forms
}

/// The form with this name, as in `iadd3.rrr`.
pub fn form(id: &str) -> Option<FormId> {
    table().names.get(id).copied()
}

/// The forms with these bits 0 to 11.
pub(crate) fn by_opcode(opcode: u16) -> &'static [FormId] {
    &table().opcodes[usize::from(opcode)]
}

/// The forms whose text begins with this mnemonic, up to the first dot.
pub(crate) fn by_mnemonic(mnemonic: &str) -> &'static [FormId] {
    table().mnemonics.get(mnemonic).map_or(&[], Vec::as_slice)
}
