//! `sassafras isa`: forms, in words.

mod facts;

use clap::Args;
use sassafras_chip::Target;
use sassafras_isa::{Chip, Form, FormId, Inst, Style, decode, describe, forms, print};
use std::fmt::Write;

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
        if context.json {
            let all: Vec<_> = rows().filter(|(_, form)| on_chip(form)).map(|(id, _)| (None, id)).collect();
            show(context, &all, chip);
            return Ok(Exit::Done);
        }
        for (_, form) in rows().filter(|(_, form)| on_chip(form)) {
            files::print(&format!("{:<24} {:<12} {}\n", form.id, form.mnemonic, form.chips));
        }
        return Ok(Exit::Done);
    };
    if let Some(digits) = name.strip_prefix("0x") {
        let word = u128::from_str_radix(digits, 16)
            .map_err(|e| Failure::usage(format!("`{name}` is no word: {e}")))?;
        let inst = decode(word, chip.unwrap_or(Chip::Sm90)).map_err(|e| Failure::word(e.to_string()))?;
        let form = inst.form;
        show(context, &[(Some(inst), form)], Some(chip.unwrap_or(Chip::Sm90)));
        return Ok(Exit::Done);
    }
    let same = |text: &str| text.eq_ignore_ascii_case(name);
    let found: Vec<_> = rows()
        .filter(|(_, form)| on_chip(form) && (same(form.id) || same(form.mnemonic)))
        .map(|(id, _)| (None, id))
        .collect();
    if found.is_empty() {
        return Err(Failure::usage(format!("no form is called `{name}`")));
    }
    show(context, &found, chip);
    Ok(Exit::Done)
}

fn show(context: &Context, list: &[(Option<Inst>, FormId)], chip: Option<Chip>) {
    let style = Style { control: true, exact: true, chip, ..Style::default() };
    if context.json {
        let list: Vec<_> = list
            .iter()
            .map(|(inst, id)| {
                let mut record = facts::record(*id, chip);
                if let Some(inst) = inst {
                    let fields = id.get().fields.iter().zip(&inst.fields);
                    record["instruction"] = print(inst, &style).into();
                    record["values"] = fields
                        .map(|(f, v)| (f.name.to_owned(), (*v).into()))
                        .collect::<serde_json::Map<_, _>>()
                        .into();
                }
                record
            })
            .collect();
        files::print(&format!("{}\n", serde_json::json!({ "schema": 1, "forms": list })));
        return;
    }
    let mut out = String::new();
    if list.len() > 1 {
        let _ = writeln!(out, "{} forms", list.len());
        for (_, id) in list {
            let form = id.get();
            let text = print(&Inst::new(*id), &Style::default());
            let _ = writeln!(out, "  {:<24} {:<16} {text}", form.id, form.chips.to_string());
        }
        out.push('\n');
    }
    for (inst, id) in list {
        if let Some(inst) = inst {
            let _ = writeln!(out, "{}", print(inst, &style));
            // Only what is not as in a new instruction.
            for (field, value) in id.get().fields.iter().zip(&inst.fields) {
                let text = field.texts.get(*value as usize).copied().flatten().unwrap_or_default();
                if *value != field.default {
                    let _ = writeln!(out, "  {} = {value:#x} {text}", field.name);
                }
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{}{}", describe(*id), facts::waits(id.get(), chip));
    }
    files::print(&out);
}
