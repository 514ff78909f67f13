//! `sassafras isa`: forms, in words.

use clap::Args;
use sassafras_chip::Target;
use sassafras_isa::{Chip, Form, FormId, Style, decode, describe, forms, print};

use super::Context;
use crate::{Exit, Failure, files};

/// Describe instruction forms: their fields, what they read and write, and where the facts come from.
#[derive(Args)]
pub struct Isa {
    /// A mnemonic, the name of a form, or a word as 0x…; all forms without one.
    name: Option<String>,
    /// Only forms of this chip; the chip of a word.
    #[arg(long = "arch", value_name = "sm_XX")]
    arch: Option<Target>,
}

pub(super) fn run(arguments: &Isa, context: &Context) -> Result<Exit, Failure> {
    let chip = arguments.arch.map(|t| t.chip);
    let rows = || forms().iter().enumerate().map(|(i, form)| (FormId(i as u16), form));
    let on_chip = |form: &Form| chip.is_none_or(|c| form.chips.contains(c));
    let Some(name) = &arguments.name else {
        for (_, form) in rows().filter(|(_, form)| on_chip(form)) {
            files::print(&format!("{:<24} {:<12} {}\n", form.id, form.mnemonic, form.chips));
        }
        return Ok(Exit::Done);
    };
    if let Some(digits) = name.strip_prefix("0x") {
        let word = u128::from_str_radix(digits, 16)
            .map_err(|e| Failure::usage(format!("`{name}` is no word: {e}")))?;
        let inst = decode(word, chip.unwrap_or(Chip::Sm90)).map_err(|e| Failure::word(e.to_string()))?;
        let exact = print(&inst, &Style { control: true, exact: true, ..Style::default() });
        show(context, &[(Some(exact), inst.form)]);
        return Ok(Exit::Done);
    }
    let same = |text: &str| text.eq_ignore_ascii_case(name);
    let found: Vec<_> = rows()
        .filter(|(_, form)| on_chip(form) && (same(form.id) || same(form.mnemonic)))
        .map(|(id, _)| (None, id))
        .collect();
    if found.is_empty() {
        return Err(Failure::wrong(format!("no form is called `{name}`")));
    }
    show(context, &found);
    Ok(Exit::Done)
}

fn show(context: &Context, list: &[(Option<String>, FormId)]) {
    if context.json {
        let list: Vec<_> = list
            .iter()
            .map(|(text, id)| serde_json::json!({ "text": text, "form": id.to_string(), "description": describe(*id) }))
            .collect();
        files::print(&format!("{}\n", serde_json::json!({ "schema": 1, "forms": list })));
        return;
    }
    for (text, id) in list {
        if let Some(text) = text {
            files::print(&format!("{text}\n"));
        }
        files::print(&format!("{}\n", describe(*id)));
    }
}
