//! Expansion into what selection accepts.
//!
//! # The selectable set
//! Widths are those of the first result, for comparisons, counts and stores those of the first argument.
//!
//! | operations | accepted |
//! | --- | --- |
//! | `And Or Xor Not` | 1, 32, 64 bits |
//! | `Add Sub Neg Mul` `Shl Shr` | 32, 64 bits |
//! | `MulHigh Min Max Abs AddCarry SubBorrow Lop3 FunnelShift Popcount BitReverse FindHighest BitExtract BitInsert Permute Dot4` | 32 bits |
//! | `MulWide` | 32 to 64 bits |
//! | `Select` | 1, 16, 32, 64 bits |
//! | `Compare` | 32, 64 bits; 1 bit for `Eq Ne` |
//! | `Truncate ZeroExtend SignExtend` | between 16, 32, 64 bits; from one bit; to one bit |
//! | `Extract` | whole words of a wider value; a half of 32 bits |
//! | `Concat` | two halves to 32; words or doublewords to 64 or 128 |
//! | `FAdd FMul Fma FNeg FAbs FloatCompare` | all formats |
//! | `FMin FMax` | `F16 Bf16 F32` |
//! | `FRound` | `F16 F32 F64` |
//! | `Packed` | all |
//! | `FloatToFloat` | `F32` from and to all; `F64` from and to `F16 F32`, to `Bf16`; `.sat` only to `F32` |
//! | `FloatToInt` | from `F32`: 8 to 64 bits; from `F64` and `F16`: 32 and 64 |
//! | `IntToFloat` | to `F32 F64 F16`: 32 and 64 bits; to `Bf16`: 32 bits |
//! | `Approximate` | all but `Sin Cos`; with `ftz` but for `SinTurns CosTurns Tanh` |
//! | `Load Store Atomic` | weak, relaxed, volatile, non-coherent; of constants eight bytes at most |
//! | `Fence`, addresses, lanes | all; `Redux Match Elect` where all lanes name one mask; constants of `Shuffle` of no more bits than are read |
//! | `Atomic` | what [`atomic::native`] says |
//! | terminators | all but `Switch` |
//!
//! Everything else is expanded, one file per subject:
//!
//! - `divide`: integer quotients and remainders. `float_divide`, `float_root`: correctly rounded quotients and roots.
//! - `routine`: what of these a kernel has once and calls.
//! - `each`: what the hardware does once for a warp. `warpgroup`: what products of a warpgroup take from uniform registers. `wide`: 64-bit forms. `convert`: conversions. `approximate`: ranges of the multi-function unit. `switch`, `atomic`, `memory`, `lanes`.

mod approximate;
pub mod atomic;
mod convert;
mod divide;
mod each;
mod expansion;
mod float_divide;
mod float_root;
mod lanes;
mod memory;
mod parts;
mod quotient;
mod routine;
mod selectable;
mod switch;
#[cfg(test)]
mod tests;
mod warpgroup;
mod wide;

pub use routine::body;
pub use selectable::{Refused, selectable};

use crate::Stats;
use expansion::Expansion;
use sassafras_graph::{ControlFlow, SecondaryMap};
use sassafras_ir::{Block, Builder, CfgEditor, Function, InstData, Op, Value};

/// Expands until nothing is left that can be expanded.
///
/// `routines` says whether the function may call routines; it does where it would have the same long sequence twice, or in a loop.
///
/// Does not remove what it replaces ([`crate::dead`] does). Needs SSA. Preserves SSA; adds blocks.
pub fn legalize(function: &mut Function, lane_handles: bool, routines: bool) -> Stats {
    let mut editor = CfgEditor::new(function);
    let mut changes = switch::switches(&mut editor)
        + each::expand(&mut editor, lane_handles)
        + warpgroup::expand(&mut editor);
    // Expansions make operations that are expanded in turn, four deep at most: quotient, conversion, product, shift.
    for _ in 0..12 {
        let mut round = once(&mut editor, &wanted, expand);
        if round == 0 {
            let rewritten = routine::rewritten(&mut editor, routines);
            round = once(&mut editor, &|_, data| rewritten(data), routine::in_place);
        }
        changes += round;
        if round == 0 {
            break;
        }
    }
    Stats::new(changes)
}

/// Expands what is wanted, once.
fn once(
    editor: &mut CfgEditor,
    wanted: &dyn Fn(&Function, &InstData) -> bool,
    expand: fn(&mut Builder, &InstData) -> Expansion,
) -> usize {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changes = 0;
    for block in editor.function().blocks() {
        let f = editor.function();
        if f.blocks[block].insts.iter().all(|&inst| !wanted(f, &f.insts[inst])) {
            continue;
        }
        editor.rewrite(block, |b, insts| {
            for inst in insts {
                let data = &b.function.insts[inst];
                let needed = wanted(b.function, data);
                if needed {
                    let data = data.clone();
                    b.line = data.line;
                    if let Some(values) = expand(b, &data) {
                        for (&old, new) in data.results.iter().zip(values) {
                            map[old] = Some(new);
                        }
                        changes += 1;
                        continue;
                    }
                }
                let end: Block = b.block;
                b.function.blocks[end].insts.push(inst);
            }
        });
    }
    if changes != 0 {
        editor.edit_values(|function| function.replace_all(&map));
    }
    changes
}

/// Whether an instruction is outside the selectable set.
fn wanted(f: &Function, data: &InstData) -> bool {
    selectable::reason(f, data).is_some()
}

fn expand(b: &mut Builder, data: &InstData) -> Expansion {
    match data.op {
        Op::Div { .. } | Op::Rem { .. } => divide::expand(b, data),
        Op::FDiv(..) => float_divide::expand(b, data),
        Op::FSqrt(..) => float_root::expand(b, data),
        Op::Approximate { .. } => approximate::expand(b, data),
        Op::FloatToFloat { .. } | Op::FloatToInt { .. } | Op::IntToFloat { .. } | Op::FRound(..) => {
            convert::expand(b, data)
        }
        Op::FMin { .. } | Op::FMax { .. } => convert::extremum(b, data),
        _ if memory::reason(&data.op).is_some() => memory::expand(b, data),
        Op::Atomic { .. } => atomic::expand(b, data),
        Op::Shuffle(_) | Op::Redux(_) | Op::Match { .. } | Op::Elect => lanes::expand(b, data),
        _ => wide::expand(b, data),
    }
}
