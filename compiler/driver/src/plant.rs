//! Faults to make on purpose (`--plant NAME[:SEED]`), for tests of the judges.
//!
//! Those of machine code are [`sassafras_codegen::plant`]'s; those of the IR, of words and of the container stand here. Each leaves
//! a form that is well-formed by itself.

mod fault;
mod lines;
mod lowered;

pub use fault::Fault;

use fault::Make;
use sassafras_chip::Chip;
use sassafras_codegen::plant as machine;
use sassafras_cubin::Cubin;
use sassafras_emit::lines::Lines;
use sassafras_isa::{FieldKind, Inst, decode, encode};

use crate::phase::Stage;

/// A fault and where to make it.
#[derive(Clone, Copy)]
pub struct Planted {
    /// Which.
    pub fault: Fault,
    /// Chooses among its places.
    pub seed: u64,
}

const OWN: &[Fault] = &[
    Fault { name: "branch-one-short", stage: Stage::Emit, make: Make::Words(branch_one_short) },
    Fault { name: "wrong-destination", stage: Stage::Emit, make: Make::Words(wrong_destination) },
    Fault { name: "swapped-words", stage: Stage::Emit, make: Make::Words(swapped_words) },
    Fault { name: "lost-guard", stage: Stage::Emit, make: Make::Words(lost_guard) },
    Fault { name: "lost-wait", stage: Stage::Emit, make: Make::Words(lost_wait) },
    Fault { name: "short-parameters", stage: Stage::Assemble, make: Make::Cubin(short_parameters) },
    Fault { name: "lost-registers", stage: Stage::Assemble, make: Make::Cubin(lost_registers) },
    Fault { name: "lost-shared", stage: Stage::Assemble, make: Make::Cubin(lost_shared) },
    Fault { name: "swapped-code", stage: Stage::Assemble, make: Make::Cubin(swapped_code) },
    Fault { name: "swapped-addresses", stage: Stage::Assemble, make: Make::Cubin(swapped_addresses) },
    Fault { name: "crowded-block", stage: Stage::Assemble, make: Make::Cubin(crowded_block) },
    Fault { name: "lost-barriers", stage: Stage::Assemble, make: Make::Cubin(lost_barriers) },
    Fault { name: "wrong-place", stage: Stage::Assemble, make: Make::Lines(lines::wrong_place) },
    Fault { name: "wrong-ptx-line", stage: Stage::Assemble, make: Make::Lines(lines::wrong_ptx_line) },
    Fault { name: "shifted-lines", stage: Stage::Assemble, make: Make::Lines(lines::shifted) },
    Fault { name: "swapped-lines", stage: Stage::Assemble, make: Make::Lines(lines::swapped) },
    Fault { name: "lost-call-site", stage: Stage::Assemble, make: Make::Lines(lines::lost_call) },
    Fault { name: "wrong-file", stage: Stage::Assemble, make: Make::Lines(lines::wrong_file) },
];

fn stage(stage: machine::Stage) -> Stage {
    match stage {
        machine::Stage::Arrange => Stage::Arrange,
        machine::Stage::Allocate => Stage::Allocate,
        machine::Stage::Expand => Stage::Expand,
        machine::Stage::Converge => Stage::Converge,
        machine::Stage::Layout => Stage::Layout,
        machine::Stage::Schedule => Stage::Schedule,
    }
}

/// Every fault, in the order of stages.
pub fn faults() -> Vec<Fault> {
    let of_machine = machine::Fault::ALL.iter().map(|&f| Fault {
        name: f.name(),
        stage: stage(f.stage()),
        make: Make::Machine(f),
    });
    let mut all: Vec<Fault> =
        lowered::FAULTS.iter().copied().chain(of_machine).chain(OWN.iter().copied()).collect();
    all.sort_by_key(|f| f.stage);
    all
}

/// Reads `NAME[:SEED]`.
///
/// # Errors
/// There is none of this name, or the seed is no number.
pub fn named(text: &str) -> Result<Planted, PlantError> {
    let (name, seed) = text.split_once(':').unwrap_or((text, "0"));
    let seed = seed.parse().map_err(|_| PlantError::Seed(seed.to_owned()))?;
    match faults().into_iter().find(|f| f.name == name) {
        Some(fault) => Ok(Planted { fault, seed }),
        None => Err(PlantError::Unknown(name.to_owned())),
    }
}

/// Why a text names no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlantError {
    /// What stands behind the `:` is no number.
    #[error("`{0}` is no seed")]
    Seed(String),
    /// There is none of this name.
    #[error("no fault is called `{0}`; there are {names}", names = faults().iter().map(|f| f.name).collect::<Vec<_>>().join(", "))]
    Unknown(String),
}

impl Planted {
    /// Makes the fault in the IR that lowering leaves.
    pub fn in_ir(&self, module: &mut sassafras_ir::Module) -> bool {
        matches!(self.fault.make, Make::Ir(make) if make(module, self.seed))
    }

    /// Makes the fault in machine code behind `stage`; whether it belongs there and found a place.
    pub fn in_machine(&self, stage: Stage, f: &mut sassafras_machine::Function) -> bool {
        match self.fault.make {
            Make::Machine(fault) if self.fault.stage == stage => machine::plant(fault, f, self.seed),
            _ => false,
        }
    }

    /// Makes the fault in words.
    pub fn in_words(&self, words: &mut [u128], chip: Chip) -> bool {
        matches!(self.fault.make, Make::Words(make) if make(words, chip, self.seed))
    }

    /// Makes the fault in the line information that is written.
    pub fn in_lines(&self, lines: &mut Lines) -> bool {
        matches!(self.fault.make, Make::Lines(make) if make(lines, self.seed))
    }

    /// Makes the fault in what is written of a cubin.
    pub fn in_cubin(&self, cubin: &mut Cubin) -> bool {
        matches!(self.fault.make, Make::Cubin(make) if make(cubin, self.seed))
    }
}

/// Changes one of the words that `change` can change, chosen by seed.
fn change(words: &mut [u128], chip: Chip, seed: u64, change: impl Fn(&mut Inst) -> bool) -> bool {
    let mut places = Vec::new();
    for (i, &word) in words.iter().enumerate() {
        let Ok(mut inst) = decode(word, chip) else { continue };
        if change(&mut inst)
            && let Ok(new) = encode(&inst, chip)
            && new != word
        {
            places.push((i, new));
        }
    }
    let chosen = places.get((seed % places.len().max(1) as u64) as usize);
    chosen.is_some_and(|&(i, new)| {
        words[i] = new;
        true
    })
}

/// A branch goes to the instruction before its target.
fn branch_one_short(words: &mut [u128], chip: Chip, seed: u64) -> bool {
    let end = words.iter().position(|&w| is_own_loop(w, chip)).unwrap_or(words.len());
    change(&mut words[..end], chip, seed, |inst| {
        let target = inst.row().fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }));
        target.is_some_and(|t| {
            inst.fields[t] = inst.fields[t].wrapping_sub(16);
            true
        })
    })
}

/// `BRA .`, which ends a function's own instructions.
fn is_own_loop(word: u128, chip: Chip) -> bool {
    let Ok(inst) = decode(word, chip) else { return false };
    let fields = inst.row().fields.iter().zip(&inst.fields);
    fields.into_iter().any(|(f, &v)| matches!(f.kind, FieldKind::Target { .. }) && v == 16u64.wrapping_neg())
}

/// A result goes to the register beside its own.
fn wrong_destination(words: &mut [u128], chip: Chip, seed: u64) -> bool {
    change(words, chip, seed, |inst| {
        let fields = &inst.row().fields;
        let d = fields
            .iter()
            .position(|f| f.write && matches!(f.kind, FieldKind::Register { .. }) && f.name == "d");
        d.is_some_and(|d| {
            inst.fields[d] ^= 4;
            inst.fields[d] < 200
        })
    })
}

/// A guarded instruction always takes effect.
fn lost_guard(words: &mut [u128], chip: Chip, seed: u64) -> bool {
    change(words, chip, seed, |inst| {
        let guarded = !inst.guard.is_always();
        (inst.guard.pred, inst.guard.negate) = (7, false);
        guarded
    })
}

/// An instruction does not wait for its scoreboards.
fn lost_wait(words: &mut [u128], chip: Chip, seed: u64) -> bool {
    change(words, chip, seed, |inst| std::mem::take(&mut inst.control.wait_mask) != 0)
}

/// Two neighbours change places.
fn swapped_words(words: &mut [u128], _: Chip, seed: u64) -> bool {
    let places: Vec<usize> = (1..words.len()).filter(|&i| words[i] != words[i - 1]).collect();
    let chosen = places.get((seed % places.len().max(1) as u64) as usize);
    chosen.is_some_and(|&i| {
        words.swap(i - 1, i);
        true
    })
}

fn one_of(cubin: &mut Cubin, seed: u64, change: impl Fn(&mut sassafras_cubin::Function) -> bool) -> bool {
    let count = cubin.functions.len().max(1);
    (0..count).any(|k| {
        let at = (seed as usize).wrapping_add(k) % count;
        cubin.functions.get_mut(at).is_some_and(&change)
    })
}

/// The parameters' size leaves the last word out.
fn short_parameters(cubin: &mut Cubin, seed: u64) -> bool {
    one_of(cubin, seed, |f| {
        let fits = f.param_size > 4;
        f.param_size -= if fits { 4 } else { 0 };
        fits
    })
}

/// The register count leaves out what the hardware keeps.
fn lost_registers(cubin: &mut Cubin, seed: u64) -> bool {
    one_of(cubin, seed, |f| {
        let fits = f.registers > 4;
        f.registers -= if fits { 2 } else { 0 };
        fits
    })
}

/// A function's shared memory is not declared.
fn lost_shared(cubin: &mut Cubin, seed: u64) -> bool {
    one_of(cubin, seed, |f| f.shared.take().is_some())
}

/// A function is bound to the largest blocks, with a step more registers than a multiprocessor has for them.
fn crowded_block(cubin: &mut Cubin, seed: u64) -> bool {
    let Some(chip) = sassafras_chip::Chip::from_number(cubin.sm) else { return false };
    one_of(cubin, seed, |f| {
        let (limits, threads) = (chip.limits(), sassafras_chip::limits::THREADS_PER_BLOCK);
        let most = chip.registers_for_warps(threads / limits.warp_lanes);
        f.max_threads = Some([threads, 1, 1]);
        f.registers = f.registers.max(most + limits.register_allocation_unit);
        f.entry
    })
}

/// A function's barriers are not declared.
fn lost_barriers(cubin: &mut Cubin, seed: u64) -> bool {
    one_of(cubin, seed, |f| std::mem::take(&mut f.barriers) > 0)
}

/// Two functions have each other's code.
fn swapped_code(cubin: &mut Cubin, _: u64) -> bool {
    match &mut cubin.functions[..] {
        [a, b, ..] if a.code != b.code => {
            std::mem::swap(&mut a.code, &mut b.code);
            true
        }
        _ => false,
    }
}

/// Two address slots hold each other's address.
fn swapped_addresses(cubin: &mut Cubin, _: u64) -> bool {
    let fits = cubin.addresses.len() > 1;
    if fits {
        cubin.addresses.swap(0, 1);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        let all = faults();
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| b.name != a.name), "{} twice", a.name);
            assert_eq!(named(&format!("{}:3", a.name)).map(|p| (p.fault.name, p.seed)), Ok((a.name, 3)));
        }
        assert!(named("nothing").is_err_and(|e| e.to_string().contains("swapped-words")));
        assert!(named("swapped-words:x").is_err());
    }
}
