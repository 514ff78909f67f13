//! The kernel around variants: loads, the instruction, stores.
//!
//! Every instruction has the slowest control bits and a NOP behind it, so that only meanings are tried. Registers: R2:R3 outputs of the lane,
//! R4:R5 its inputs, R6:R7 those of its warp's first lane, R8 and R80 on scratch, blocks from R16 on; UR4:UR5 the descriptor, UR6 and UR7
//! scratch, blocks from UR8 on.

use super::inputs::{self, Flavor};
use super::variant::{BLOCKS, CHIP, CONSTANTS, FIRST, FIRST_UNIFORM, PARAMETERS, Variant};
use sassafras_cubin::{Cubin, Function, Param};
use sassafras_isa::{Control, Draw, Inst, RegClass, Rng, Style, encode, parse};
use std::cell::RefCell;
use std::collections::HashMap;

/// Words of input of a lane for a variant: eight for each block, then predicates and uniform predicates.
pub const INPUT: usize = 8 * BLOCKS + 4;
/// Words of output: eight for each of two results, predicates, uniform predicates.
pub const OUTPUT: usize = 20;
/// Where the predicates are in inputs and outputs.
pub const PREDICATES: (usize, usize) = (8 * BLOCKS, 16);
/// Threads of a block: four warps.
pub const LANES: usize = 128;
/// The entry.
pub const ENTRY: &str = "k";

thread_local! {
    static PARSED: RefCell<HashMap<String, Inst>> = RefCell::new(HashMap::new());
}

struct Code(Vec<u128>);

impl Code {
    fn word(&mut self, inst: &Inst) {
        match encode(inst, CHIP) {
            Ok(word) => self.0.push(word),
            Err(e) => panic!("{inst:?}: {e}"),
        }
    }

    /// An instruction by text; `variable`: it sets a scoreboard for its result or for its sources.
    fn text(&mut self, text: &str, variable: bool) {
        // An offset of zero has no text.
        let text = &text.replace("+0x0]", "]");
        let mut inst = PARSED.with_borrow_mut(|parsed| {
            parsed
                .entry(text.to_owned())
                .or_insert_with(|| parse(text, &Style::default()).unwrap_or_else(|e| panic!("{text}: {e}")))
                .clone()
        });
        let limits = inst.row().control;
        inst.control = limits.safe();
        if variable {
            inst.control.write_barrier = if limits.write_barrier { 0 } else { 7 };
            inst.control.read_barrier = if limits.read_barrier { 1 } else { 7 };
        }
        self.word(&inst);
    }

    fn line(&mut self, text: &str) {
        self.text(text, false);
        self.nop();
    }

    /// Waits for everything and 15 cycles.
    fn nop(&mut self) {
        self.text("NOP", false);
    }
}

/// A cubin with one entry that tries the variants in order.
pub fn cubin(variants: &[Variant]) -> Cubin {
    let mut c = Code(Vec::new());
    c.text("S2R R0, SR_TID.X", true);
    c.text("LDC.64 R2, c[0x0][0x210]", true);
    c.text("LDC.64 R4, c[0x0][0x218]", true);
    c.line("ULDC.64 UR4, c[0x0][0x208]");
    c.line(&format!("IMAD.WIDE.U32 R2, R0, {:#x}, R2", 4 * OUTPUT));
    c.line("LOP3.LUT R8, R0, 0xffffffe0, RZ, 0xc0, !PT");
    c.line(&format!("IMAD.WIDE.U32 R6, R8, {:#x}, R4", 4 * INPUT));
    c.line(&format!("IMAD.WIDE.U32 R4, R0, {:#x}, R4", 4 * INPUT));
    for (i, variant) in variants.iter().enumerate() {
        one(&mut c, variant, 4 * INPUT * LANES * i, 4 * OUTPUT * LANES * i);
    }
    let exit = 16 * c.0.len() as u32;
    c.text("EXIT", false);
    while !c.0.len().is_multiple_of(8) {
        let mut nop = parse("NOP", &Style::default()).expect("a NOP");
        nop.control = Control { stall: 0, ..nop.row().control.safe() };
        nop.control.wait_mask = 0;
        c.word(&nop);
    }
    let parameters = 2 + CONSTANTS;
    let function = Function {
        name: ENTRY.into(),
        entry: true,
        code: c.0,
        registers: 98,
        params: (0..parameters as u16)
            .map(|n| Param { ordinal: n, offset: 8 * n, size: 8, ..Param::default() })
            .collect(),
        param_base: PARAMETERS as u32,
        param_size: 8 * parameters as u32,
        min_stack: Some(0),
        exit_offsets: vec![exit],
        max_registers: 0xff,
        ..Function::default()
    };
    Cubin { sm: CHIP.number(), functions: vec![function], ..Cubin::default() }
}

fn one(c: &mut Code, v: &Variant, input: usize, output: usize) {
    for (number, block) in v.blocks(RegClass::R) {
        debug_assert_eq!(number, FIRST + 8 * block as u64);
        for part in 0..2 {
            let (r, o) = (number + 4 * part, input + 32 * block + 16 * part as usize);
            c.text(&format!("LDG.E.128 R{r}, desc[UR4][R4.64+{o:#x}]"), true);
        }
    }
    for (number, block) in v.blocks(RegClass::UR) {
        debug_assert_eq!(number, FIRST_UNIFORM + 4 * block as u64);
        c.text(&format!("LDG.E.128 R80, desc[UR4][R6.64+{:#x}]", input + 32 * block), true);
        c.nop();
        for j in 0..4 {
            c.line(&format!("R2UR UR{}, R{}", number + j, 80 + j));
        }
    }
    if v.uniform_predicates() {
        c.text(&format!("LDG.E R84, desc[UR4][R6.64+{:#x}]", input + 4 * PREDICATES.0 + 4), true);
        c.nop();
        c.line("R2UR UR6, R84");
        for k in 0..7 {
            c.line(&format!("ULOP3.LUT UR7, UR6, {:#x}, URZ, 0xc0, !UPT", 1 << k));
            c.line(&format!("UISETP.NE.AND UP{k}, UPT, UR7, URZ, UPT"));
        }
    }
    c.text(&format!("LDG.E R85, desc[UR4][R4.64+{:#x}]", input + 4 * PREDICATES.0), true);
    c.nop();
    c.line("R2P PR, R85, 0x7f");
    c.nop();

    c.0.push(v.word);
    for _ in 0..4 {
        c.nop();
    }

    for (i, (class, number)) in v.results().into_iter().take(2).enumerate() {
        let at = output + 32 * i;
        if class == RegClass::UR {
            for j in 0..4 {
                c.line(&format!("MOV R{}, UR{}", 88 + j, number + j));
            }
            c.text(&format!("STG.E.128 desc[UR4][R2.64+{at:#x}], R88"), true);
        } else {
            for part in 0..2 {
                let (r, o) = (number + 4 * part, at + 16 * part as usize);
                c.text(&format!("STG.E.128 desc[UR4][R2.64+{o:#x}], R{r}"), true);
            }
        }
    }
    c.line("P2R R86, PR, RZ, 0x7f");
    c.text(&format!("STG.E desc[UR4][R2.64+{:#x}], R86", output + 4 * PREDICATES.1), true);
    if v.uniform_predicates() {
        c.line("MOV R87, RZ");
        for k in 0..7 {
            c.line(&format!("USEL UR7, URZ, {:#x}, !UP{k}", 1 << k));
            c.line("LOP3.LUT R87, R87, UR7, RZ, 0xfc, !PT");
        }
        c.text(&format!("STG.E desc[UR4][R2.64+{:#x}], R87", output + 4 * PREDICATES.1 + 4), true);
    }
    c.nop();
}

/// The inputs of a variant: [`INPUT`] words for each lane.
pub fn inputs(v: &Variant) -> Vec<u32> {
    let mut rng = Rng(v.seed);
    let mut all = Vec::with_capacity(INPUT * LANES);
    for _ in 0..LANES {
        let mut lane = [0u32; INPUT];
        for block in 0..BLOCKS {
            // Some lanes have a block that is another's, as it is or a bit away.
            if block > 0 && rng.draw(7) == 0 {
                let from = rng.draw(block as u64) as usize;
                lane.copy_within(8 * from..8 * from + 8, 8 * block);
                match rng.draw(5) {
                    0 => lane[8 * block] ^= 1,
                    1 => lane[8 * block] ^= 0x8000_0000,
                    2 => lane[8 * block + 1] ^= 0x8000_0000,
                    3 => lane[8 * block] ^= 1 << rng.draw(32),
                    _ => {}
                }
                continue;
            }
            for j in 0..4 {
                let two = if v.flavor == Flavor::Double || rng.draw(3) == 0 {
                    inputs::pair(&mut rng, v.flavor)
                } else {
                    [inputs::word(&mut rng, v.flavor), inputs::word(&mut rng, v.flavor)]
                };
                lane[8 * block + 2 * j..8 * block + 2 * j + 2].copy_from_slice(&two);
            }
        }
        lane[PREDICATES.0] = rng.draw(128) as u32;
        lane[PREDICATES.0 + 1] = rng.draw(128) as u32;
        all.extend(lane);
    }
    all
}

/// The constants behind the pointers.
pub fn constants(seed: u64) -> [u64; CONSTANTS] {
    let mut rng = Rng(seed ^ 0x5a5a);
    let flavors = [Flavor::Integer, Flavor::Single, Flavor::Double, Flavor::Half];
    std::array::from_fn(|i| {
        let [low, high] = inputs::pair(&mut rng, flavors[i % 4]);
        u64::from(high) << 32 | u64::from(low)
    })
}
