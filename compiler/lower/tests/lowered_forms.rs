//! Every form of PTX is lowered by an arm that names its types and modifiers, or refused by name: nothing is compiled by the meaning of another type.

use sassafras_lower::{Options, lower};
use sassafras_ptx::checked::{Inst, Mods, Module, Op, Type};
use sassafras_ptx::table::{self, Row, example};
use std::collections::{BTreeMap, BTreeSet};

/// A module with this instruction, at 1-based line [`LINE`].
fn module(row: &Row, instruction: &str) -> Option<Module> {
    let target = row.since.example_target();
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64\n{}.entry k() {{\n{}{instruction}\nret; }}\n",
        example::MODULE,
        example::DECLARATIONS
    );
    sassafras_ptx::load(&text, "forms").ok()
}

/// The one instruction of a form's module; those that come of one in several are left out.
fn instruction(module: &mut Module) -> Option<&mut Inst> {
    let entry = module.functions.iter_mut().find(|f| f.entry)?;
    match entry.insts.as_deref_mut()? {
        [inst, end] if end.op == Op::Ret => Some(inst),
        _ => None,
    }
}

/// What lowering says of a module: nothing if it takes it.
fn said(module: &Module) -> Option<String> {
    lower(module, &Options::default()).err().map(|errors| errors[0].why.to_string())
}

/// The rows of which some forms are refused, and with which words.
#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    ("createpolicy.fractional.<$policies>.b64", "a fraction that is not constant is not supported"),
    ("fma.rn.oob{.relu}.<f16|f16x2|bf16|bf16x2>", "`.oob` is not supported"),
    ("suq.<width|height|depth|channel_data_type|channel_order|array_size^4.1|memory_layout^4.2>.b32", "what stands in a table of the driver is not supported"),
    ("tex.grad.3d.v4.$texel.f32", "slopes in three dimensions are not supported"),
    ("tex.grad.acube.v4.$texel.f32", "slopes in three dimensions are not supported"),
    ("tex.grad.cube.v4.$texel.f32", "slopes in three dimensions are not supported"),
    ("txq.<width|height|depth|channel_data_type|channel_order|normalized_coords|array_size^4.1|num_mipmap_levels^4.1|num_samples^4.1/30>.b32", "what stands in a table of the driver is not supported"),
];

#[test]
fn every_form_is_lowered_or_refused_by_name() {
    let (mut lowered, mut refused) = (0, BTreeMap::<(&str, String), usize>::new());
    for row in table::rows().iter().chain(table::legacy()) {
        for form in row.variants() {
            let Some(module) = module(row, &row.instruction(&form)) else { continue };
            match said(&module) {
                None => lowered += 1,
                Some(why) => {
                    *refused.entry((row.text.split(' ').next().unwrap_or_default(), why)).or_default() += 1
                }
            }
        }
    }
    let found: BTreeSet<(&str, &str)> = refused.keys().map(|(form, why)| (*form, why.as_str())).collect();
    let wanted: BTreeSet<(&str, &str)> = REFUSED.iter().copied().collect();
    let list: String = found.iter().map(|(form, why)| format!("    ({form:?}, {why:?}),\n")).collect();
    assert!(lowered > 4000, "{lowered} forms are lowered");
    assert_eq!(found, wanted, "{lowered} lowered; refused:\n{list}");
    for row in table::unmodelled() {
        let Some(mut module) = module(row, &row.example()) else { continue };
        // The text of some fits a row with a model as well.
        if instruction(&mut module).is_none_or(|inst| inst.op != Op::Unmodelled) {
            continue;
        }
        assert!(said(&module).is_some(), "{} has no model and is lowered", row.text);
    }
}

/// Every type there is.
fn all_types() -> Vec<Type> {
    let rows = table::rows().iter().chain(table::unmodelled());
    let named = rows.flat_map(|row| &row.elements).flat_map(|e| &e.choices).filter_map(|c| c.ty);
    named.collect::<BTreeSet<Type>>().into_iter().collect()
}

/// The types with which the table has each operation, and all words that it has with them.
fn signatures() -> BTreeMap<(Op, Vec<Type>), BTreeSet<&'static str>> {
    let mut all: BTreeMap<(Op, Vec<Type>), BTreeSet<&str>> = BTreeMap::new();
    for row in table::rows().iter().chain(table::legacy()) {
        let mut types = vec![Vec::new()];
        for element in row.elements.iter().filter(|e| e.is_type()) {
            let choices = element.choices.iter().filter_map(|c| c.ty);
            let each = |ty| types.iter().map(move |before: &Vec<Type>| [&before[..], &[ty]].concat());
            types = choices.flat_map(each).collect();
        }
        let words =
            row.elements.iter().filter(|e| !e.is_type()).flat_map(|e| &e.choices).flat_map(|c| &c.words);
        let words: Vec<&str> = words.copied().collect();
        for types in types {
            all.entry((row.op, types)).or_default().extend(&words);
        }
    }
    all
}

/// What makes no value: `flatten` takes it by its operation alone.
const FLOW: [Op; 7] = [Op::Bra, Op::BrxIdx, Op::Call, Op::Ret, Op::Exit, Op::Trap, Op::Brkpt];

/// A type in the place of another makes an instruction that no row has: it's refused, whatever the operation.
#[test]
fn a_type_that_no_row_has_is_refused() {
    let (types, signatures) = (all_types(), signatures());
    let (mut tried, mut wrong) = (0, BTreeSet::new());
    for row in table::rows() {
        let Some(form) = row.variants().into_iter().next() else { continue };
        let Some(mut module) = module(row, &row.instruction(&form)) else { continue };
        let Some(inst) = instruction(&mut module) else { continue };
        let (op, before) = (inst.op, inst.types.clone());
        for at in 0..before.len() {
            for &ty in &types {
                let mut changed = before.clone();
                changed[at] = ty;
                if signatures.contains_key(&(row.op, changed.to_vec())) {
                    continue;
                }
                instruction(&mut module).expect("it was there").types = changed.clone();
                tried += 1;
                if said(&module).is_none() {
                    wrong.insert(format!("`{op:?}` of {changed:?}: {}", row.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} are lowered:\n{wrong:#?}", wrong.len());
    assert!(tried > 5000, "{tried} changes");
}

/// The modifiers that a lane's arithmetic may have, each put where it was not.
fn added(mods: &Mods) -> Vec<(&'static str, Mods)> {
    let mut all = Vec::new();
    let mut push = |name, change: fn(&mut Mods)| {
        let mut changed = mods.clone();
        change(&mut changed);
        if changed != *mods {
            all.push((name, changed));
        }
    };
    push("ftz", |m| m.ftz = true);
    push("sat", |m| m.sat = true);
    push("satfinite", |m| m.satfinite = true);
    push("relu", |m| m.relu = true);
    push("approx", |m| m.approx = true);
    push("full", |m| m.full = true);
    push("NaN", |m| m.nan = true);
    push("abs", |m| m.xorsign_abs = true);
    push("oob", |m| m.oob = true);
    push("cc", |m| m.carry_out = true);
    push("shiftamt", |m| m.shiftamt = true);
    push("noftz", |m| m.noftz = true);
    push("?", |m| m.hints.push("something.new"));
    all
}

/// A modifier that no row has with these types is refused, and so is a word that nobody knows.
#[test]
fn a_modifier_that_no_row_has_is_refused() {
    let (mut tried, mut wrong) = (0, BTreeSet::new());
    let words = signatures();
    for row in table::rows() {
        for form in row.variants() {
            let Some(mut module) = module(row, &row.instruction(&form)) else { continue };
            let Some(inst) = instruction(&mut module) else { continue };
            if inst.op.is_spelled() || inst.op == Op::Unmodelled || FLOW.contains(&inst.op) {
                continue;
            }
            let has = &words[&(row.op, inst.types.to_vec())];
            let op = inst.op;
            for (name, mods) in added(&inst.mods.clone()) {
                // A clamp to a range that holds all values of the source clamps nothing.
                let clamps_nothing = op == Op::Cvt && name == "sat" && mods.rounding.is_none();
                if has.contains(name) || clamps_nothing {
                    continue;
                }
                instruction(&mut module).expect("it was there").mods = mods;
                tried += 1;
                if said(&module).is_none() {
                    wrong.insert(format!("`{op:?}` with {name}: {}", row.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried} are lowered:\n{wrong:#?}", wrong.len());
    assert!(tried > 5000, "{tried} changes");
}
