//! Which rows are tried, and random instructions of them with operands in known places.

use super::inputs::{self, Flavor};
use sassafras_isa::{
    Access, Chip, Draw, FieldKind, Form, FormId, Guard, Inst, Meaning, PT, Pipe, RegClass, Rng, encode,
    forms, generate, special,
};

/// The chip.
pub const CHIP: Chip = Chip::Sm90;
/// First general register of block 0; each block is 8 registers.
pub const FIRST: u64 = 16;
/// First uniform register of block 0; each block is 4 registers.
pub const FIRST_UNIFORM: u64 = 8;
/// Blocks of input registers.
pub const BLOCKS: usize = 8;
/// Constants in bank 0 behind the pointers, of 8 bytes.
pub const CONSTANTS: usize = 16;
/// Offset in constant bank 0 of the parameters.
pub const PARAMETERS: u64 = 0x210;

/// Special registers that a launch determines.
const SPECIAL: [&str; 10] = [
    "SRZ",
    "SR_LANEID",
    "SR_TID.X",
    "SR_TID.Y",
    "SR_CTAID.X",
    "SR_EQMASK",
    "SR_LTMASK",
    "SR_LEMASK",
    "SR_GTMASK",
    "SR_GEMASK",
];

/// One instruction to try.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The instruction, with control bits.
    pub inst: Inst,
    /// Its word.
    pub word: u128,
    /// Seed of its inputs.
    pub seed: u64,
    /// What its inputs are mostly taken for.
    pub flavor: Flavor,
}

/// Whether the row computes from registers, predicates and constants alone. It may have no meaning: the device tells what it does.
pub fn computes(row: &Form) -> bool {
    use Meaning as M;
    let excluded = matches!(
        row.meaning,
        M::Nop
            | M::Depbar
            | M::Ldgdepbar
            | M::Errbar
            | M::Membar
            | M::Fence
            | M::Cctl
            | M::Lepc
            | M::Rpcmov
            | M::Bmov
            | M::Bar
            | M::B2r
            | M::Yield
            | M::Nanosleep
            | M::Pmtrig
            | M::Preexit
            | M::Acqbulk
            | M::ClusterBarrier
            | M::Usetmaxreg
            | M::Gmma
            | M::GmmaFence
            | M::GmmaWait
            | M::SparseMma
            | M::Bulk
            | M::Qspc
            | M::Bpt
            | M::Elect
            | M::Collective
    );
    let files = row.fields.iter().all(|f| {
        !matches!(f.kind, FieldKind::Register { class: RegClass::B, .. } | FieldKind::Target { .. })
    });
    row.chips.contains(CHIP)
        && !excluded
        && files
        && row.control_flow.is_none()
        && row.memory.is_none()
        && !matches!(row.pipe, Pipe::Control | Pipe::Convergence)
        && (row.meaning != M::Unmodelled || row.has_result() && row.pipe != Pipe::Memory)
        && !matches!(row.meaning, M::Tex | M::Tld | M::Tld4 | M::Txd | M::Txq | M::Suld | M::Sust | M::Sured)
}

/// Every row that is tried.
pub fn rows() -> Vec<FormId> {
    (0..forms().len() as u16).map(FormId).filter(|id| computes(id.get())).collect()
}

/// What the inputs of the instruction are taken for.
fn flavor(inst: &Inst, rng: &mut Rng) -> Flavor {
    let row = inst.row();
    let name = row.mnemonic;
    let bfloat = row.fields.iter().enumerate().any(|(i, f)| {
        f.kind == FieldKind::Enum
            && f.texts.get(inst.fields[i] as usize).copied().flatten().is_some_and(|t| t.contains("BF16"))
    });
    match row.meaning {
        Meaning::Dmma => Flavor::TameDouble,
        Meaning::Hmma if row.id.contains("tf32") => Flavor::TameSingle,
        Meaning::Hmma if bfloat => Flavor::TameBfloat,
        Meaning::Hmma => Flavor::TameHalf,
        _ if name.starts_with('D') => Flavor::Double,
        _ if bfloat => Flavor::Bfloat,
        _ if row.id.contains("f64") || (name == "F2F" && row.id.contains("narrow")) => Flavor::Double,
        _ if name.starts_with('H') || row.id.contains("f16") => Flavor::Half,
        _ if name.starts_with('F') && name != "FLO" || name == "MUFU" => Flavor::Single,
        _ => match rng.draw(6) {
            0 => Flavor::Single,
            _ => Flavor::Integer,
        },
    }
}

/// A random variant of the row; `None` if no word could be made.
pub fn draw(form: FormId, seed: u64) -> Option<Variant> {
    let mut rng = Rng(seed ^ u64::from(form.0).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..50 {
        let mut inst = generate(form, &mut rng);
        if !settle(&mut inst, &mut rng) {
            continue;
        }
        let Ok(word) = encode(&inst, CHIP) else { continue };
        let flavor = flavor(&inst, &mut rng);
        return Some(Variant { inst, word, seed: rng.bits(), flavor });
    }
    None
}

/// Puts operands into their places and sets control bits; false if the instruction is not one to try.
fn settle(inst: &mut Inst, rng: &mut Rng) -> bool {
    let row = inst.row();
    // Half of the instructions have no guard: what is guarded off shows nothing.
    if rng.draw(2) == 0 {
        inst.guard.pred = 7;
        inst.guard.negate = false;
    }
    if inst.guard.pred == 7 {
        inst.guard.negate = false;
    }
    // The lanes of a product are all there.
    if row.pipe == Pipe::Matrix || matches!(row.meaning, Meaning::Dmma | Meaning::Movm) {
        inst.guard = Guard::ALWAYS;
    }
    let operands: Vec<_> = inst.operands().collect();
    let mut next = 0;
    let mut placed: Vec<(usize, RegClass, u64)> = Vec::new();
    for o in &operands {
        let Some(field) = o.field else { continue };
        if placed.iter().any(|p| p.0 == field)
            || !matches!(
                row.fields[field].kind,
                FieldKind::Register { class: RegClass::R | RegClass::UR, .. }
            )
        {
            continue;
        }
        let (first, step) = match o.class {
            RegClass::R if o.units <= 8 => (FIRST, 8),
            RegClass::UR if o.units <= 4 => (FIRST_UNIFORM, 4),
            _ => return false,
        };
        let same: Vec<u64> = placed.iter().filter(|p| p.1 == o.class).map(|p| p.2).collect();
        // A register field may hold what an earlier one holds: a source twice, or the result over a source.
        let number = if !same.is_empty() && rng.draw(6) == 0 {
            same[rng.draw(same.len() as u64) as usize]
        } else {
            next += 1;
            if next > BLOCKS {
                return false;
            }
            first + step * (next as u64 - 1)
        };
        placed.push((field, o.class, number));
    }
    for &(field, _, number) in &placed {
        inst.fields[field] = number;
    }
    // Results of one instruction do not overlap: which of two comes last is nobody's business.
    let writes: Vec<_> = inst.operands().filter(|o| o.access == Access::Write && o.name != "mask").collect();
    for (i, a) in writes.iter().enumerate() {
        for b in &writes[i + 1..] {
            if a.class == b.class
                && a.field != b.field
                && a.number / 4 == b.number / 4
                && (matches!(a.class, RegClass::R | RegClass::UR) || a.number == b.number)
            {
                return false;
            }
        }
    }
    for (i, field) in row.fields.iter().enumerate() {
        match field.kind {
            FieldKind::ConstantOffset { .. } => {
                inst.fields[i] = PARAMETERS + 16 + 8 * rng.draw(CONSTANTS as u64);
                let wide = row.mnemonic.starts_with('D')
                    || ["wide", ".hi.", "64"].iter().any(|p| row.id.contains(p));
                if !wide && rng.draw(2) == 0 {
                    inst.fields[i] += 4;
                }
            }
            FieldKind::Bank => inst.fields[i] = 0,
            FieldKind::Special { .. } => {
                let name = SPECIAL[rng.draw(SPECIAL.len() as u64) as usize];
                let Some(number) = special::number(name) else { return false };
                inst.fields[i] = number;
            }
            FieldKind::Signed { scale: 1 } if field.bits.len() == 32 && rng.draw(2) == 0 => {
                inst.fields[i] = inputs::word(rng, Flavor::Integer) as i32 as u64;
            }
            FieldKind::Unsigned { scale: 1 }
                if field.bits.len() == 32 && inst.shows(i) && rng.draw(2) == 0 =>
            {
                inst.fields[i] = u64::from(inputs::word(rng, Flavor::Integer));
            }
            FieldKind::Float32 if inst.shows(i) => {
                inst.fields[i] = u64::from(inputs::word(rng, Flavor::Single));
            }
            FieldKind::Float64High if inst.shows(i) => {
                inst.fields[i] = u64::from(inputs::pair(rng, Flavor::Double)[1]);
            }
            FieldKind::Half { .. } | FieldKind::Float16 if inst.shows(i) => {
                inst.fields[i] = u64::from(inputs::word(rng, Flavor::Half) & 0xffff);
            }
            _ => {}
        }
    }
    inst.control = row.control.safe();
    if row.control.write_barrier && row.pipe.variable(CHIP) {
        inst.control.write_barrier = 0;
    }
    if row.control.read_barrier && row.pipe.variable(CHIP) {
        inst.control.read_barrier = 1;
    }
    !inst.is_denied() && !illegal(inst)
}

/// Whether the hardware refuses the word with "illegal instruction", though nvdisasm reads it. Source: experiment on an H100 (sm_90).
pub fn illegal(inst: &Inst) -> bool {
    let text = sassafras_isa::print(inst, &sassafras_isa::Style::default());
    let mnemonic = inst.row().mnemonic;
    let unsigned = [".U32", ".U16x2", ".U16.", ".U8."].iter().any(|t| text.contains(t));
    if text.contains("RELU") && unsigned && (mnemonic.starts_with('V') || mnemonic == "I2IP") {
        return true;
    }
    // Formats of packed halves.
    let bfloat = |how: &str| text.contains(&format!("BF16_V2.{how}"));
    if mnemonic == "HFMA2" && (text.contains(".F32") || bfloat("FMZ") || bfloat("FTZ")) {
        return true;
    }
    if mnemonic.starts_with('H') && bfloat("FMZ") {
        return true;
    }
    if !["IADD3", "UIADD3", "LEA", "ULEA"].contains(&mnemonic) {
        return false;
    }
    // The first two sources are both negated or inverted.
    let operands = text.split_once(' ').map_or("", |(first, rest)| {
        if first.starts_with('@') { rest.split_once(' ').map_or("", |r| r.1) } else { rest }
    });
    let no_predicate = |o: &&str| !o.starts_with(['P', '!']) && !o.starts_with("UP");
    let sources: Vec<&str> = operands.split(", ").filter(no_predicate).skip(1).take(2).collect();
    sources.len() == 2 && sources.iter().all(|s| s.starts_with(['-', '~']))
}

impl Variant {
    /// Registers of a class that are loaded before: first register and block.
    pub fn blocks(&self, class: RegClass) -> Vec<(u64, usize)> {
        let mut all: Vec<(u64, usize)> = self
            .inst
            .operands()
            .filter(|o| o.class == class)
            .map(|o| {
                let n = u64::from(o.number);
                let block = if class == RegClass::R { (n - FIRST) / 8 } else { (n - FIRST_UNIFORM) / 4 };
                (n, block as usize)
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Registers written, first ones, by class: R and UR.
    pub fn results(&self) -> Vec<(RegClass, u64)> {
        let mut all: Vec<(RegClass, u64)> = self
            .inst
            .operands()
            .filter(|o| o.access == Access::Write && matches!(o.class, RegClass::R | RegClass::UR))
            .map(|o| (o.class, u64::from(o.number)))
            .collect();
        all.dedup();
        all
    }

    /// Whether it names a uniform predicate.
    pub fn uniform_predicates(&self) -> bool {
        self.inst.operands().any(|o| o.class == RegClass::UP)
            || (self.inst.guard.uniform && u64::from(self.inst.guard.pred) != PT)
    }
}
