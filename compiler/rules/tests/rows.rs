//! Every row names operations, forms and fields that exist.

use sassafras_chip::Chip;
use sassafras_isa::{FieldKind, form_on};
use sassafras_rules::select::{Action, Arg, Emit, FormPiece, Kinds, Pattern, Row, Rules, Value};
use std::collections::{HashMap, HashSet};

fn operands(pattern: &Pattern, all: &mut HashMap<String, Kinds>) {
    for arg in &pattern.args {
        match arg {
            Arg::Bind { name, kinds } => {
                assert!(all.insert(name.clone(), *kinds).is_none(), "`{name}` is bound twice");
            }
            Arg::Node(node) => operands(node, all),
            Arg::Any | Arg::Integer(_) => {}
        }
    }
}

fn letters(kinds: &Kinds) -> Vec<char> {
    let immediate = kinds.immediate || kinds.byte || kinds.shift || kinds.count || kinds.float64;
    let all = [('r', kinds.register), ('i', immediate), ('c', kinds.constant)];
    all.into_iter().filter(|(_, on)| *on).map(|(letter, _)| letter).collect()
}

/// Every choice of letters for the operands whose kind is part of a form's name.
fn choices(row: &Row, names: &HashMap<String, Kinds>) -> Vec<HashMap<String, char>> {
    let mut used: Vec<&String> = Vec::new();
    for action in &row.actions {
        if let Action::Emit(emit) = action {
            for piece in &emit.form {
                if let FormPiece::Kind(name) = piece
                    && !used.contains(&name)
                {
                    used.push(name);
                }
            }
        }
    }
    let mut all = vec![HashMap::new()];
    for name in used {
        let kinds = names.get(name).unwrap_or_else(|| panic!("{}: `{{{name}}}` is no operand", row.name));
        all = all
            .into_iter()
            .flat_map(|choice| {
                letters(kinds).into_iter().map(move |letter| {
                    let mut choice: HashMap<String, char> = choice.clone();
                    choice.insert(name.clone(), letter);
                    choice
                })
            })
            .collect();
    }
    all
}

fn check_emit(
    row: &Row,
    emit: &Emit,
    choice: &HashMap<String, char>,
    names: &HashMap<String, Kinds>,
    faults: &mut Vec<String>,
) {
    let id: String = emit
        .form
        .iter()
        .map(|piece| match piece {
            FormPiece::Text(text) => text.clone(),
            FormPiece::Kind(name) => choice[name].to_string(),
        })
        .collect();
    let Some(home) = row.home() else {
        faults.push(format!("{}: no chip can carry it out", row.name));
        return;
    };
    if choice.values().any(|&letter| letter == 'c') && !home.has_constant_operands() {
        return;
    }
    let Some(form) = form_on(&id, home) else {
        faults.push(format!("{}: no form `{id}`", row.name));
        return;
    };
    let form = form.get();
    for (field, value) in &emit.fields {
        if field.trim_start_matches('!') == "guard" {
            continue;
        }
        // A chip without descriptors has no field for one.
        let absent = *value == Value::Descriptor && home.bank().global_descriptor.is_none();
        let Some(index) = form.field(field) else {
            if absent {
                continue;
            }
            faults.push(format!("{}: `{id}` has no field `{field}`", row.name));
            continue;
        };
        let kind = form.fields[index].kind;
        match value {
            Value::Text(text) if !form.fields[index].texts.contains(&Some(text.as_str())) => {
                faults.push(format!("{}: `{id}.{field}` has no text `{text}`", row.name));
            }
            Value::Operand(name, _) => {
                let Some(kinds) = names.get(name) else {
                    faults.push(format!("{}: no operand `{name}`", row.name));
                    continue;
                };
                let letter = choice.get(name).copied().unwrap_or('r');
                let register = matches!(kind, FieldKind::Register { .. });
                if register != (letter == 'r') && letters(kinds) != ['i'] {
                    faults.push(format!("{}: `{id}.{field}` and `{name}` as `{letter}`", row.name));
                }
                if kinds.modifiers && letter != 'i' {
                    for flag in ["neg", "abs"] {
                        if form.field(&format!("{field}.{flag}")).is_none() {
                            faults.push(format!("{}: `{id}` has no `{field}.{flag}`", row.name));
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_row_fits_the_instruction_table() {
    let mut faults = Vec::new();
    for row in &Rules::proved() {
        let mut names = HashMap::new();
        operands(&row.pattern, &mut names);
        for choice in choices(row, &names) {
            for action in &row.actions {
                if let Action::Emit(emit) = action {
                    check_emit(row, emit, &choice, &names, &mut faults);
                }
            }
        }
    }
    faults.dedup();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// What a chip can carry out of the rows; it only grows.
const ABLE: &[(Chip, usize)] =
    &[(Chip::Sm80, 410), (Chip::Sm89, 415), (Chip::Sm90, 517), (Chip::Sm100, 478), (Chip::Sm120, 478)];

#[test]
fn rows_stand_on_the_chips_that_have_code() {
    for &(chip, least) in ABLE {
        let proved = sassafras_rules::select::Proved::get();
        let able = Rules::written().iter().filter(|row| proved.stands_on(row, chip)).count();
        assert!(able >= least, "{chip}: {able} of {least}");
    }
    // Every row that stands on a chip can be carried out there.
    for row in &Rules::proved() {
        for chip in
            Chip::ALL.into_iter().filter(|&chip| sassafras_rules::select::Proved::get().stands_on(row, chip))
        {
            assert_eq!(row.forms_on(chip).map(|_| ()), Ok(()), "{} on {chip}", row.name);
        }
    }
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for row in &Rules::proved() {
        assert!(seen.insert(row.name.clone()), "two rows are called `{}`", row.name);
    }
    assert!(seen.len() > 50);
}
