//! `.debug_frame`: where a debugger finds the caller's frame. 64-bit DWARF, one entry for each function.

use crate::model::{Function, Relocation};
use crate::relocation;

// Version 3, code alignment 4, data alignment -4, no return register; the frame is R1, and R255 and R1 keep their values.
const COMMON: [u8; 28] = [
    3, 0, 4, 0x7c, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0c, 0x81, 0x80, 0x80, 0x28, 0, 8, 0xff, 0x81, 0x80, 0x28,
    8, 0x81, 0x80, 0x80, 0x28, 0, 0, 0,
];

/// The section's bytes and relocations for `functions`, in order.
pub fn frames(functions: &[Function], hopper: bool) -> (Vec<u8>, Vec<Relocation>) {
    let mut out = Vec::new();
    let mut relocations = Vec::new();
    let quad = |out: &mut Vec<u8>, v: u64| out.extend(v.to_le_bytes());
    for function in functions {
        let common = out.len() as u64;
        out.extend([0xff; 4]);
        quad(&mut out, 0x24);
        quad(&mut out, u64::MAX);
        out.extend(COMMON);
        out.extend([0xff; 4]);
        quad(&mut out, if hopper { 0x2c } else { 0x34 });
        quad(&mut out, common);
        relocations.push(Relocation {
            offset: out.len() as u64,
            kind: relocation::ADDRESS_64,
            symbol: function.name.clone(),
            addend: 0,
        });
        quad(&mut out, 0);
        quad(&mut out, function.code.len() as u64 * 16);
        // The frame is set up by the first instruction and stays until the last exit; steps count 4 bytes.
        let last = function.exit_offsets.iter().copied().max().unwrap_or(0) / 4;
        let first = last.min(4);
        out.push(4);
        out.extend(first.to_le_bytes());
        if !hopper {
            // A step to where the frame stands, which is where it is set up.
            out.extend([4, 0, 0, 0, 0]);
        }
        out.extend([0x0c, 0x81, 0x80, 0x80, 0x28, 0]);
        out.push(4);
        out.extend((last - first).to_le_bytes());
        out.extend(if hopper { &[0; 4][..] } else { &[0; 7][..] });
    }
    (out, relocations)
}
