//! Copies of boxes of tensors, and the groups of bulk copies.
//!
//! Addresses in shared memory and coordinates stand side by side in uniform registers. A group ends with UTMACMDFLUSH, whose scoreboard DEPBAR counts;
//! where what was written is waited for, the first cache is emptied behind it (ptxas 13.0.88).

use super::Error;
use super::emit::Emitter;
use sassafras_ir::{self as ir, Value};
use sassafras_isa::RegClass;
use sassafras_machine::{MInst, Place, Reg};
use sassafras_semantics::Opaque;

/// Whether an operation is made here, and not by a row.
pub(super) fn is_own(op: Opaque) -> bool {
    let group = matches!(op.name(), "bulk.commit" | "bulk.wait" | "bulk.wait.read");
    group || (op.head() == "tensor" || is_bulk_reduction(op)) && !op.has("each")
}

fn is_bulk_reduction(op: Opaque) -> bool {
    op.name().starts_with("bulk.reduce.")
}

/// How UBLKRED spells a type.
fn reduced(ty: &str) -> &'static str {
    match ty {
        "s32" => ".S32",
        "u64" => ".U64",
        "s64" => ".S64",
        "f16" => ".F16.RN",
        "bf16" => ".BF16.RN",
        "f32" => ".F32.RN",
        "f64" => ".F64.RN",
        _ => "",
    }
}

impl Emitter<'_> {
    /// A reduction of global memory by shared memory: both addresses, units of 16 bytes and a policy, in uniform registers.
    fn bulk_reduction(&mut self, at: ir::Inst, op: Opaque) -> Result<(), Error> {
        let args = self.source.insts[at].args.to_vec();
        let mut words = op.name().split('.').skip(2);
        let (what, ty) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut inst = self.form(if op.has("hint") { "ublkred.desc" } else { "ublkred" })?;
        let texts = [
            ("to", ".G.S".to_owned()),
            ("op", format!(".{}", what.to_uppercase())),
            ("ty", reduced(ty).to_owned()),
        ];
        for (field, text) in texts {
            inst.set_enum(field, &text).map_err(|e| self.fail(e))?;
        }
        for ((field, words), &arg) in [("b", 2), ("a", 1), ("c", 1), ("e", 2)].into_iter().zip(&args) {
            let reg = self.uniform_row(&[arg], words)?;
            let index = inst.row().field(field).ok_or_else(|| self.fail(format!("no field `{field}`")))?;
            inst.fields[index] = reg.to_field();
        }
        self.push(MInst::new(inst));
        Ok(())
    }

    pub(super) fn tensor(&mut self, at: ir::Inst, op: Opaque) -> Result<(), Error> {
        self.rule = "tensor";
        let source = self.source;
        match op.name() {
            "bulk.commit" => {
                let inst = self.form("utmacmdflush")?;
                self.push(MInst::new(inst));
                return Ok(());
            }
            "bulk.wait" | "bulk.wait.read" => {
                let n = self.constant(source.insts[at].args[0]).unwrap_or(0);
                let inst = self.form("depbar")?.try_with("n", n as u64).map_err(|e| self.fail(e))?;
                self.push(MInst::new(inst));
                if !op.has("read") {
                    let inst = self.form("cctl.ivall")?;
                    self.push(MInst::new(inst));
                }
                return Ok(());
            }
            _ if is_bulk_reduction(op) => return self.bulk_reduction(at, op),
            _ => {}
        }
        let mut words = op.name().split('.').skip(1);
        let (what, dimensions) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut args = source.insts[at].args.to_vec();
        let policy = if op.has("hint") { args.pop() } else { None };
        let (im2col, several) = (op.has("im2col"), op.has("multi"));
        let (map, mut side, coordinates, word) = match what {
            "in" => (args[2], args[..2].to_vec(), &args[4..], Some(args[3])),
            "prefetch" => (args[0], Vec::new(), &args[2..], Some(args[1])),
            _ => (args[0], vec![args[1]], &args[2..], None),
        };
        side.extend_from_slice(coordinates);
        let word = word.filter(|_| im2col || several);
        let mnemonic = match what {
            "in" => "utmaldg",
            "out" => "utmastg",
            "reduce" => "utmaredg",
            _ => "utmapf",
        };
        let offsets = if word.is_some() { ".c" } else { "" };
        let hint = if policy.is_some() { ".desc" } else { "" };
        let mut inst = self.form(&format!("{mnemonic}{offsets}{hint}"))?;
        let mut texts = vec![("dim", format!(".{dimensions}D"))];
        if im2col && inst.row().field("mode").is_some() {
            texts.push(("mode", ".IM2COL".into()));
        }
        if several {
            texts.push(("mc", ".MULTICAST".into()));
        }
        if let Some(operation) = words.next().filter(|_| what == "reduce") {
            texts.push(("op", format!(".{}", operation.to_uppercase())));
        }
        for (field, text) in texts {
            inst.set_enum(field, &text).map_err(|e| self.fail(e))?;
        }
        let mut registers = vec![("b", self.uniform_row(&side, 1)?), ("a", self.uniform_row(&[map], 2)?)];
        if let Some(word) = word {
            registers.push(("c", self.uniform_row(&[word], 1)?));
        }
        if let Some(policy) = policy {
            registers.push(("u", self.uniform_row(&[policy], 2)?));
        }
        for (field, reg) in registers {
            let index = inst.row().field(field).ok_or_else(|| self.fail(format!("no field `{field}`")))?;
            inst.fields[index] = reg.to_field();
        }
        self.push(MInst::new(inst));
        Ok(())
    }

    /// Values of so many words each, side by side in uniform registers.
    fn uniform_row(&mut self, values: &[Value], words: u8) -> Result<Reg, Error> {
        let mut parts = Vec::new();
        for &value in values {
            for unit in 0..words {
                let from = self.value(value, Some(unit))?;
                let reg = self.uniform_word(from)?;
                parts.push(Place { class: RegClass::UR, reg, units: 1 });
            }
        }
        match parts[..] {
            [only] => Ok(only.reg),
            _ => Ok(self.builder().pack(&parts).into()),
        }
    }
}
