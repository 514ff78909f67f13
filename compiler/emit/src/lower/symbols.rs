//! The symbol table, in ptxas's order.

use crate::plan::{Plan, home};
use sassafras_cubin::elf::{Symbol, constants as c};
use sassafras_cubin::implied::{addends_in_place, reserved};
use sassafras_cubin::{Binding, Cubin, Error, Function, Subroutine, layout};
use std::collections::HashSet;

const LOCAL: u8 = 0;
const GLOBAL: u8 = 1 << 4;
const WEAK: u8 = 2 << 4;
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;
const SECTION: u8 = 3;

fn bind(binding: Binding) -> u8 {
    match binding {
        Binding::Local => LOCAL,
        Binding::Global => GLOBAL,
        Binding::Weak => WEAK,
    }
}

/// The symbol of a function with a section of its own.
fn function(f: &Function, section: u16) -> Symbol {
    let other = if f.entry { c::STO_ENTRY } else { 0 };
    let size = f.code.len() as u64 * 16;
    Symbol { name: f.name.clone(), info: bind(f.binding) | FUNCTION, other, section, value: 0, size }
}

fn subroutine(s: &Subroutine, section: u16) -> Symbol {
    let bind = bind(s.binding);
    let (value, size) = (s.offset.into(), s.size.into());
    Symbol { name: s.name.clone(), info: bind | FUNCTION, other: 0, section, value, size }
}

pub(super) fn symbols(cubin: &Cubin, plan: &Plan) -> Result<Vec<Symbol>, Error> {
    let mut out = vec![Symbol::default()];
    let place = |name: &str| plan.index(name).map(|i| i as u16);
    let mut named = HashSet::new();
    let section = |named: &mut HashSet<String>, out: &mut Vec<Symbol>, name: &str| -> Result<(), Error> {
        if named.insert(name.to_owned()) {
            out.push(Symbol { name: name.into(), info: SECTION, section: place(name)?, ..Symbol::default() });
        }
        Ok(())
    };
    section(&mut named, &mut out, ".note.nv.tkinfo")?;
    section(&mut named, &mut out, ".note.nv.cuinfo")?;
    // Functions that are not global stand in front of their sections.
    let not_global = |out: &mut Vec<Symbol>, f: &Function| -> Result<(), Error> {
        if f.binding != Binding::Global {
            out.push(function(f, place(&format!(".text.{}", f.name))?));
        }
        Ok(())
    };
    if let Some(first) = cubin.functions.first() {
        not_global(&mut out, first)?;
        section(&mut named, &mut out, &format!(".text.{}", first.name))?;
    }
    let hopper = !addends_in_place(cubin.sm);
    if hopper {
        let system = layout(cubin.sm).map_or(0, |chip| chip.system_shared);
        out.extend(reserved(place(".nv.shared.reserved.0")?, system.into()));
    }
    if !cubin.addresses.is_empty() {
        section(&mut named, &mut out, ".nv.constant4")?;
    }
    for v in &cubin.variables {
        section(&mut named, &mut out, home(v))?;
        let bind = match (v.weak, v.exported) {
            (true, _) => WEAK,
            (false, true) => GLOBAL,
            (false, false) => LOCAL,
        };
        let (name, section) = (v.name.clone(), place(home(v))?);
        out.push(Symbol {
            name,
            info: bind | OBJECT,
            other: v.other,
            section,
            value: v.offset,
            size: v.size,
        });
    }
    for (i, f) in cubin.functions.iter().enumerate() {
        let text = format!(".text.{}", f.name);
        if i > 0 {
            not_global(&mut out, f)?;
        }
        section(&mut named, &mut out, &text)?;
        for s in f.subroutines.iter().filter(|s| s.binding != Binding::Global) {
            out.push(subroutine(s, place(&text)?));
        }
        for bank in &f.banks {
            section(&mut named, &mut out, &format!(".nv.constant{}.{}", bank.number, f.name))?;
        }
        if f.shared.is_some_and(|s| s.size > 0) {
            section(&mut named, &mut out, &format!(".nv.shared.{}", f.name))?;
        }
    }
    for s in &cubin.symbols {
        let section = s.section.as_deref().map_or(Ok(0), place)?;
        if s.info == SECTION {
            named.insert(s.name.clone());
        }
        out.push(Symbol {
            name: s.name.clone(),
            info: s.info,
            other: s.other,
            section,
            value: s.value,
            size: s.size,
        });
    }
    let banks = |named: &mut HashSet<String>, out: &mut Vec<Symbol>| {
        let entries = cubin.functions.iter().filter(|f| f.entry);
        entries.map(|f| format!(".nv.constant0.{}", f.name)).try_for_each(|name| section(named, out, &name))
    };
    if !hopper {
        banks(&mut named, &mut out)?;
    }
    section(&mut named, &mut out, ".debug_frame")?;
    for s in cubin.sections.iter().filter(|s| s.is_lines()) {
        section(&mut named, &mut out, &s.name)?;
    }
    section(&mut named, &mut out, ".nv.callgraph")?;
    if !hopper {
        section(&mut named, &mut out, ".nv.rel.action")?;
    }
    for f in &cubin.functions {
        let section = place(&format!(".text.{}", f.name))?;
        if f.binding == Binding::Global {
            out.push(function(f, section));
        }
        let global = f.subroutines.iter().filter(|s| s.binding == Binding::Global);
        out.extend(global.map(|s| subroutine(s, section)));
    }
    for e in &cubin.externs {
        let info = GLOBAL | if e.function { FUNCTION } else { OBJECT };
        out.push(Symbol { name: e.name.clone(), info, ..Symbol::default() });
    }
    if hopper {
        banks(&mut named, &mut out)?;
    }
    Ok(out)
}
