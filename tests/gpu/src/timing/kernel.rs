//! Many probes in one kernel.
//!
//! R0 the thread, R2:R3 outputs of the lane, R4:R5 its inputs, R6:R7 those of its warp's first lane, R8 the word that everything is mixed to,
//! R9 the gold one, R10 to R14 scratch; blocks of four words from R16 on, every eight registers; R144 to R149 scratch, R150 to R153 two
//! global addresses, R154 and R155 two shared ones, R156 to R163 what memory is set to, R168 all ones, R170 to R177 what memory holds afterwards.

use super::probe::{Probe, Scratch};
use crate::words::inputs::{self, Flavor};
use crate::words::variant::{CHIP, CONSTANTS, FIRST, FIRST_UNIFORM, PARAMETERS};
use sassafras_cubin::{Cubin, Function, Param, Shared};
use sassafras_isa::{Access, Control, Draw, Inst, RegClass, Rng, Style, encode, parse};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// Words of a lane's inputs of one flavor: 16 blocks of general registers, 14 of uniform ones, predicates, uniform predicates.
const INPUT: usize = 4 * 30 + 4;
/// Flavors, in the order of the inputs.
const FLAVORS: [Flavor; 9] = [
    Flavor::Integer,
    Flavor::Single,
    Flavor::Double,
    Flavor::Half,
    Flavor::Bfloat,
    Flavor::TameHalf,
    Flavor::TameBfloat,
    Flavor::TameSingle,
    Flavor::TameDouble,
];
/// Lanes that have inputs and outputs of their own.
pub const LANES: usize = 32;
/// Bytes of scratch memory of a thread.
pub const SLOTS: usize = 32;
/// Most threads of a block.
pub const BLOCK: usize = 256;
/// Tries at one distance.
const TRIES: usize = 4;
/// Most distances of a probe.
pub const DISTANCES: usize = 34;
/// Words of output of a probe: gold, stale, and what came at each distance if it was not gold, for each lane.
pub const OUTPUT: usize = (2 + DISTANCES) * LANES;
/// The entry.
pub const ENTRY: &str = "k";

thread_local! {
    static PARSED: RefCell<HashMap<String, (Inst, u128)>> = RefCell::new(HashMap::new());
}

/// What of a probe is in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything.
    All,
    /// The gold word and the stale one.
    Gold,
    /// The gold word, and one try at one distance.
    At(u8),
}

struct Code(Vec<u128>);

fn word(inst: &Inst) -> u128 {
    encode(inst, CHIP).unwrap_or_else(|e| panic!("{inst:?}: {e}"))
}

impl Code {
    /// An instruction by text, which sets scoreboards 0 and 1 where it can.
    fn text(&mut self, text: &str) {
        // An offset of zero has no text.
        let word = PARSED.with_borrow_mut(|parsed| {
            if let Some(known) = parsed.get(text) {
                return known.1;
            }
            let mut inst = parse(&text.replace("+0x0]", "]"), &Style::default())
                .unwrap_or_else(|e| panic!("{text}: {e}"));
            let row = inst.row();
            inst.control = row.control.safe();
            if row.pipe.variable(CHIP) {
                inst.control.write_barrier = if row.control.write_barrier { 0 } else { 7 };
                inst.control.read_barrier = if row.control.read_barrier { 1 } else { 7 };
            }
            let word = word(&inst);
            parsed.insert(text.to_owned(), (inst, word));
            word
        });
        self.0.push(word);
    }

    fn line(&mut self, text: &str) {
        self.text(text);
        self.nop();
    }

    /// Waits for everything and 15 cycles.
    fn nop(&mut self) {
        self.text("NOP");
    }

    /// Cycles that wait for nothing.
    fn idle(&mut self, cycles: u8) {
        let mut left = cycles;
        while left > 0 {
            let mut nop = parse("NOP", &Style::default()).expect("a NOP");
            nop.control = Control { stall: left.min(15), wait_mask: 0, ..nop.row().control.safe() };
            left -= nop.control.stall;
            self.0.push(word(&nop));
        }
    }

    /// A branch back to a word.
    fn back(&mut self, guard: u32, to: usize) {
        let at = self.0.len();
        let inst = super::texts::branch(16 * (to as i64 - at as i64 - 1)).guarded(guard, false);
        self.0.push(word(&inst));
    }
}

/// Where a flavor's inputs are in a lane's.
fn place(flavor: Flavor) -> usize {
    INPUT * FLAVORS.iter().position(|f| *f == flavor).unwrap_or(0)
}

/// Blocks of registers that a probe touches, and how many registers of each.
fn blocks(p: &Probe, class: RegClass) -> BTreeMap<u64, u64> {
    let (from, step, to) = match class {
        RegClass::R => (FIRST, 8, FIRST + 128),
        _ => (FIRST_UNIFORM, 4, FIRST_UNIFORM + 56),
    };
    let mut all = BTreeMap::new();
    let mut at = |n: u64, units: u64| {
        if n >= from && n < to {
            let need = (n - from) % step + units;
            let most = all.entry((n - from) / step).or_insert(0);
            *most = need.max(*most);
        }
    };
    for o in p.a.operands().chain(p.b.operands()).filter(|o| o.class == class) {
        at(u64::from(o.number), u64::from(o.units));
    }
    if class == RegClass::R {
        for line in p.around.before.iter().chain(&p.around.behind) {
            let Some(n) =
                line.split(' ').nth(1).and_then(|r| r.trim_matches(',').strip_prefix('R')?.parse().ok())
            else {
                continue;
            };
            at(n, 1);
        }
    }
    all
}

fn names(p: &Probe, class: RegClass) -> bool {
    let guard = class == RegClass::UP && [&p.a, &p.b].iter().any(|i| i.guard.uniform && i.guard.pred != 7);
    guard || p.a.operands().chain(p.b.operands()).any(|o| o.class == class)
}

/// Loads registers and sets memory.
fn load(c: &mut Code, p: &Probe) {
    for &block in blocks(p, RegClass::R).keys() {
        let flavor = p.flavors[usize::from(block >= 8)];
        let offset = 4 * (place(flavor) + 4 * block as usize);
        c.text(&format!("LDG.E.128 R{}, desc[UR4][R4.64+{offset:#x}]", FIRST + 8 * block));
    }
    for (&block, &units) in &blocks(p, RegClass::UR) {
        let flavor = p.flavors[usize::from(block >= 6)];
        let offset = 4 * (place(flavor) + 64 + 4 * block as usize);
        c.text(&format!("LDG.E.128 R144, desc[UR4][R6.64+{offset:#x}]"));
        c.nop();
        for j in 0..units.min(4) {
            c.line(&format!("R2UR UR{}, R{}", FIRST_UNIFORM + 4 * block + j, 144 + j));
        }
    }
    let predicates = 4 * (place(p.flavors[0]) + 120);
    if names(p, RegClass::UP) {
        c.text(&format!("LDG.E R148, desc[UR4][R6.64+{:#x}]", predicates + 4));
        c.nop();
        c.line("R2UR UR6, R148");
        for k in 0..7 {
            c.line(&format!("ULOP3.LUT UR7, UR6, {:#x}, URZ, 0xc0, !UPT", 1 << k));
            c.line(&format!("UISETP.NE.AND UP{k}, UPT, UR7, URZ, UPT"));
        }
    }
    match p.around.scratch {
        Scratch::None => {}
        Scratch::Global => {
            c.text("STG.E.128 desc[UR4][R150.64], R156");
            c.text("STG.E.128 desc[UR4][R152.64], R160");
        }
        Scratch::Shared => {
            c.text("STS.128 [R154], R156");
            c.text("STS.128 [R155], R160");
        }
    }
    if names(p, RegClass::P) {
        c.text(&format!("LDG.E R149, desc[UR4][R4.64+{predicates:#x}]"));
        c.nop();
        c.line("R2P PR, R149, 0x7f");
    }
    c.nop();
    for line in &p.around.before {
        c.line(line);
    }
}

/// An instruction of the probe, `stall` cycles before the next, with these scoreboards for its result and its sources.
fn tried(c: &mut Code, inst: &Inst, stall: u8, boards: [u8; 2], wait: u8) {
    let mut inst = inst.clone();
    let limits = inst.row().control;
    inst.control =
        Control { stall: stall.min(15), wait_mask: if limits.wait { wait } else { 0 }, ..limits.safe() };
    if inst.row().pipe.variable(CHIP) {
        inst.control.write_barrier = if limits.write_barrier { boards[0] } else { 7 };
        inst.control.read_barrier = if limits.read_barrier { boards[1] } else { 7 };
    }
    c.0.push(word(&inst));
    c.idle(stall.saturating_sub(15));
}

/// Both instructions, so far apart; 0: far enough for everything.
fn both(c: &mut Code, p: &Probe, distance: u8) {
    load(c, p);
    // Without a scoreboard for its sources: what overwrites them does not wait. One that has none for its result has one all the same, so that its end is known.
    let alone = p.a.row().control.write_barrier;
    let boards = [0, if alone { 7 } else { 1 }];
    if distance == 0 {
        tried(c, &p.a, 15, [0, 1], 0);
        c.nop();
        c.nop();
    } else {
        tried(c, &p.a, distance, boards, 0);
    }
    let wait = if distance > 0 && p.waits { 1 } else { 0 };
    tried(c, &p.b, 15, [2, 3], wait);
    behind(c, p);
}

fn behind(c: &mut Code, p: &Probe) {
    if let Some(line) = &p.around.behind {
        c.line(line);
    }
    for _ in 0..4 {
        c.nop();
    }
}

/// The second before the first.
fn swapped(c: &mut Code, p: &Probe) {
    load(c, p);
    tried(c, &p.b, 15, [0, 1], 0);
    behind(c, p);
    tried(c, &p.a, 15, [0, 1], 0);
    for _ in 0..4 {
        c.nop();
    }
}

/// Mixes what both leave behind into R8.
fn mix(c: &mut Code, p: &Probe) {
    let mut writes = Vec::new();
    for o in p.a.operands().chain(p.b.operands()).filter(|o| o.access == Access::Write) {
        let units = if matches!(o.class, RegClass::R | RegClass::UR) { u32::from(o.units) } else { 1 };
        writes.extend((0..units).map(|u| (o.class, o.number + u)));
    }
    if p.around.behind.is_some() {
        writes.push((RegClass::R, 104));
    }
    writes.sort_unstable();
    writes.dedup();
    let (mut predicates, mut uniform) = (false, false);
    c.line("MOV R8, 0x1234567");
    let add = |c: &mut Code, r: u32| {
        c.line("IMAD R8, R8, 0x10dcd1, RZ");
        c.line(&format!("LOP3.LUT R8, R8, R{r}, RZ, 0x3c, !PT"));
        c.line("SHF.L.W.U32.HI R8, R8, 0x5, R8");
    };
    for (class, n) in writes {
        match class {
            RegClass::R => add(c, n),
            RegClass::UR => {
                c.line(&format!("MOV R12, UR{n}"));
                add(c, 12);
            }
            RegClass::P => predicates = true,
            RegClass::UP => uniform = true,
            RegClass::B => {}
        }
    }
    if predicates {
        c.line("P2R R12, PR, RZ, 0x7f");
        add(c, 12);
    }
    if uniform {
        c.line("MOV R12, RZ");
        for k in 0..7 {
            c.line(&format!("USEL UR7, URZ, {:#x}, !UP{k}", 1 << k));
            c.line("LOP3.LUT R12, R12, UR7, RZ, 0xfc, !PT");
        }
        add(c, 12);
    }
    let slots: [&str; 2] = match p.around.scratch {
        Scratch::None => return,
        Scratch::Global => ["LDG.E.128 R170, desc[UR4][R150.64]", "LDG.E.128 R174, desc[UR4][R152.64]"],
        Scratch::Shared => ["LDS.128 R170, [R154]", "LDS.128 R174, [R155]"],
    };
    slots.iter().for_each(|l| c.line(l));
    (170..178).for_each(|r| add(c, r));
}

fn probe(c: &mut Code, p: &Probe, at: usize, part: Part) {
    both(c, p, 0);
    mix(c, p);
    c.line("MOV R9, R8");
    c.line(&format!("STG.E desc[UR4][R2.64+{at:#x}], R9"));
    if let Part::All | Part::Gold = part {
        swapped(c, p);
        mix(c, p);
        c.line(&format!("STG.E desc[UR4][R2.64+{:#x}], R8", at + 4 * LANES));
    }
    for (i, &distance) in p.distances.iter().enumerate() {
        let tries = match part {
            Part::All => TRIES,
            Part::At(d) if d == distance => 1,
            _ => continue,
        };
        c.line(&format!("MOV R14, {tries:#x}"));
        let begin = c.0.len();
        both(c, p, distance);
        mix(c, p);
        c.line("ISETP.NE.AND P0, PT, R8, R9, PT");
        c.line(&format!("@P0 STG.E desc[UR4][R2.64+{:#x}], R8", at + 4 * LANES * (2 + i)));
        c.line("IADD3 R14, R14, -0x1, RZ");
        if tries > 1 {
            c.line("ISETP.NE.AND P0, PT, R14, RZ, PT");
            c.back(0, begin);
        }
    }
}

/// A cubin with one entry that tries the probes.
pub fn cubin(probes: &[&Probe], part: Part) -> Cubin {
    let mut c = Code(Vec::new());
    c.text("S2R R0, SR_TID.X");
    c.text("S2R R15, SR_CTAID.X");
    c.text("LDC.64 R2, c[0x0][0x210]");
    c.text("LDC.64 R4, c[0x0][0x218]");
    c.text(&format!("LDC.64 R150, c[0x0][{:#x}]", PARAMETERS + 16 + 8 * CONSTANTS as u64));
    c.line("ULDC.64 UR4, c[0x0][0x208]");
    c.line("LOP3.LUT R8, R0, 0x1f, RZ, 0xc0, !PT");
    c.line("IMAD.MOV.U32 R6, RZ, RZ, R4");
    c.line("IMAD.MOV.U32 R7, RZ, RZ, R5");
    c.line("IMAD.WIDE.U32 R2, R8, 0x4, R2");
    c.line(&format!("IMAD.WIDE.U32 R4, R8, {:#x}, R4", 4 * INPUT * FLAVORS.len()));
    c.line(&format!("IMAD R15, R15, {BLOCK:#x}, R0"));
    c.line(&format!("IMAD.WIDE.U32 R150, R15, {SLOTS:#x}, R150"));
    c.line("IMAD.MOV.U32 R10, RZ, RZ, 0x10");
    c.line("IMAD.WIDE.U32 R152, R10, 0x1, R150");
    c.line(&format!("IMAD R154, R0, {SLOTS:#x}, RZ"));
    // The first KiB is the system's.
    c.line("IADD3 R154, R154, 0x400, RZ");
    c.line("IADD3 R155, R154, 0x10, RZ");
    for k in 0..8 {
        c.line(&format!("IMAD R{}, R8, {:#x}, RZ", 156 + k, 0x1003 + 0x101 * k));
        c.line(&format!("IADD3 R{0}, R{0}, {1:#x}, RZ", 156 + k, 0x70 * k + 3));
    }
    c.line("MOV R168, 0xffffffff");
    for (i, p) in probes.iter().enumerate() {
        probe(&mut c, p, 4 * OUTPUT * i, part);
    }
    let exit = 16 * c.0.len() as u32;
    c.text("EXIT");
    while !c.0.len().is_multiple_of(8) {
        c.idle(1);
    }
    let parameters = 3 + CONSTANTS;
    let function = Function {
        name: ENTRY.into(),
        entry: true,
        code: c.0,
        registers: 180,
        params: (0..parameters as u16)
            .map(|n| Param { ordinal: n, offset: 8 * n, size: 8, ..Param::default() })
            .collect(),
        param_base: PARAMETERS as u32,
        param_size: 8 * parameters as u32,
        shared: Some(Shared { size: (SLOTS * BLOCK) as u32, align: 16 }),
        min_stack: Some(0),
        exit_offsets: vec![exit],
        max_registers: 0xff,
        ..Function::default()
    };
    Cubin { sm: CHIP.number(), functions: vec![function], ..Cubin::default() }
}

/// The inputs of all lanes.
pub fn inputs() -> Vec<u8> {
    let mut rng = Rng(20);
    let mut all = Vec::new();
    for _ in 0..LANES {
        for flavor in FLAVORS {
            for _ in 0..(INPUT - 4) / 2 {
                let two = match flavor {
                    Flavor::Double | Flavor::TameDouble => inputs::pair(&mut rng, flavor),
                    _ => [inputs::word(&mut rng, flavor), inputs::word(&mut rng, flavor)],
                };
                all.extend(two);
            }
            all.extend([rng.draw(128) as u32, rng.draw(128) as u32, 0, 0]);
        }
    }
    all.into_iter().flat_map(u32::to_le_bytes).collect()
}
