//! Faults in what a cubin says.

use crate::faults::Make;
use sassafras_cubin::{Cubin, Function};
use sassafras_isa::{Chip, FieldKind, decode};

pub const FAULTS: &[(&str, &str, Make)] = &[
    ("one-register-less", "cubin", Make::Cubin(|c| all(c, |f| minus(&mut f.registers, 1)))),
    (
        "exit-one-on",
        "cubin",
        Make::Cubin(|c| all(c, |f| f.exit_offsets.last_mut().map(|at| *at += 16).is_some())),
    ),
    ("lost-exit", "cubin", Make::Cubin(|c| all(c, |f| f.exit_offsets.pop().is_some()))),
    ("lost-collective", "cubin", Make::Cubin(lost_collective)),
    ("one-barrier-less", "cubin", Make::Cubin(one_barrier_less)),
    ("longer-parameters", "cubin", Make::Cubin(longer_parameters)),
    ("overlapping-parameters", "cubin", Make::Cubin(overlapping_parameters)),
    ("undeclared-shared", "cubin", Make::Cubin(|c| all(c, |f| f.shared.take().is_some_and(|s| s.size > 0)))),
    ("smaller-shared", "cubin", Make::Cubin(smaller_shared)),
    ("smaller-frame", "cubin", Make::Cubin(|c| all(c, |f| minus(&mut f.frame_size, 16)))),
    ("lost-address-slot", "cubin", Make::Cubin(lost_slot)),
    ("unpadded-code", "cubin", Make::Cubin(|c| all(c, |f| f.code.pop().is_some()))),
];

/// Changes the first function that can be changed.
fn all(cubin: &mut Cubin, change: impl Fn(&mut Function) -> bool) -> bool {
    cubin.functions.iter_mut().any(change)
}

fn minus(number: &mut u32, by: u32) -> bool {
    let fits = *number >= by;
    *number -= if fits { by } else { 0 };
    fits
}

fn lost_collective(cubin: &mut Cubin) -> bool {
    all(cubin, |f| {
        f.coop_group_masks.pop();
        f.coop_group_offsets.pop().is_some()
    })
}

fn one_barrier_less(cubin: &mut Cubin) -> bool {
    all(cubin, |f| {
        let some = f.barriers > 0;
        f.barriers -= u8::from(some);
        some
    })
}

fn longer_parameters(cubin: &mut Cubin) -> bool {
    all(cubin, |f| {
        f.param_size += 4;
        true
    })
}

fn overlapping_parameters(cubin: &mut Cubin) -> bool {
    all(cubin, |f| {
        let several = f.params.len() > 1;
        if several {
            f.params[1].offset = f.params[0].offset;
        }
        several
    })
}

fn smaller_shared(cubin: &mut Cubin) -> bool {
    all(cubin, |f| f.shared.as_mut().is_some_and(|shared| minus(&mut shared.size, 4)))
}

/// The slots end before one that the code names.
fn lost_slot(cubin: &mut Cubin) -> bool {
    let code = cubin.functions.iter().flat_map(|f| &f.code);
    let used = code.filter_map(|&word| decode(word, Chip::Sm90).ok()).find_map(|inst| {
        let fields = inst.row().fields.iter().enumerate();
        let mut offsets = fields.filter(|(_, field)| matches!(field.kind, FieldKind::ConstantOffset { .. }));
        let of_bank = offsets.find(|(_, field)| inst.get(&format!("{}.bank", field.name)) == Some(4));
        of_bank.map(|(i, _)| inst.fields[i] / 8)
    });
    used.is_some_and(|slot| {
        cubin.addresses.truncate(slot as usize);
        true
    })
}
