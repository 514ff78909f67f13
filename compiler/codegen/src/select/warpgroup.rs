//! Products of a warpgroup.
//!
//! Accumulators become one register of as many units, which the product reads and writes; descriptors go to four uniform registers. What ends a group is
//! a mark of its last product (ptxas 13.0.88 for sm_90a): a group that nothing in the block was added to ends with a product of nothing.

use super::Error;
use super::emit::Emitter;
use sassafras_ir::{self as ir, Op, Value};
use sassafras_isa::{Inst, Meaning, RegClass};
use sassafras_machine::{MInst, Place, Reg, Tied, VReg};
use sassafras_semantics::Opaque;
use smallvec::smallvec;

const RZ: Reg = Reg::Physical(255);
const UPT: u64 = 7;

/// How many arguments of a product stand for accumulators that are not read.
pub(super) fn kept(f: &ir::Function, inst: &ir::InstData) -> usize {
    let Op::Opaque(op) = inst.op else { return 0 };
    let sums = inst.results.len();
    let keeps = if op.has("rs") { sums + 5 } else { sums + 2 };
    let keeps = inst.args.get(keeps).and_then(|&v| f.constant(v));
    if keeps == Some(0) { sums } else { 0 }
}

fn place(class: RegClass, reg: Reg) -> Place {
    Place { class, reg, units: 1 }
}

/// The form of a product and the texts of its fields, by the words of its name.
struct Product {
    form: String,
    texts: Vec<(&'static str, String)>,
}

fn product(op: Opaque) -> Option<Product> {
    let mut words = op.name().split('.').skip(1);
    let kind = match words.next()? {
        "rs" => "rs",
        _ => "sr",
    };
    let sparse = op.has("sp");
    let mut words = words.filter(|w| *w != "sp");
    let n = words.next()?.strip_prefix('n')?;
    let (d, a, b) = (words.next()?, words.next()?, words.next()?);
    let sp = if sparse { ".sp" } else { "" };
    let upper = |t: &str| format!(".{}", t.to_uppercase());
    let (form, k, texts) = match a {
        "f16" => (format!("hgmma{sp}.{d}.{kind}"), 16, vec![]),
        "bf16" => (format!("hgmma{sp}.{d}.{kind}"), 16, vec![("ty", ".BF16".to_owned())]),
        "tf32" => (format!("hgmma{sp}.tf32.{kind}"), 8, vec![]),
        "e4m3" | "e5m2" => (format!("qgmma{sp}.{d}.{kind}"), 32, vec![("ta", upper(a)), ("tb", upper(b))]),
        "s8" | "u8" => (format!("igmma{sp}.{kind}"), 32, vec![("sa", upper(a)), ("sb", upper(b))]),
        "b1" => (format!("bgmma.{kind}"), 256, vec![]),
        _ => return None,
    };
    let k = if sparse { 2 * k } else { k };
    let mut texts = texts;
    texts.push(("shape", format!(".64x{n}x{k}")));
    Some(Product { form, texts })
}

impl Emitter<'_> {
    /// Emits a `wgmma` operation.
    pub(super) fn warpgroup(&mut self, at: ir::Inst, op: Opaque) -> Result<(), Error> {
        self.rule = "warpgroup";
        match op.name() {
            "wgmma.fence" => {
                let inst = self.form("warpgroup.arrive")?;
                self.push(MInst::new(inst));
            }
            "wgmma.commit" => self.commit()?,
            "wgmma.wait" => {
                let n = self.constant(self.source.insts[at].args[0]).unwrap_or(0);
                let inst = self.form("warpgroup.depbar")?;
                let inst = inst.try_with("n", n as u64).map_err(|e| self.fail(e))?;
                self.push(MInst::new(inst));
            }
            _ => self.warpgroup_product(at, op)?,
        }
        Ok(())
    }

    /// Ends a group: with the last product of the block, unless it ends one, or something waits in between.
    fn commit(&mut self) -> Result<(), Error> {
        let insts = &mut self.out.blocks[self.block].insts;
        let meaning = |inst: &MInst| inst.inst().map(|i| i.row().meaning);
        let last = insts
            .iter_mut()
            .rev()
            .find(|inst| matches!(meaning(inst), Some(Meaning::Gmma | Meaning::GmmaWait)));
        if let Some(inst) = last.and_then(MInst::inst_mut)
            && inst.row().meaning == Meaning::Gmma
            && inst.enum_text("gsb") != Some("gsb0")
        {
            return inst.set_enum("gsb", "gsb0").map_err(|e| self.fail(e));
        }
        let inst = crate::warpgroup::empty_group(self.chip).map_err(|e| self.fail(e))?;
        self.push(MInst::new(inst));
        Ok(())
    }

    /// Four uniform registers of two descriptors; the one of A is any where A stands in registers.
    fn descriptors(&mut self, a: Option<Value>, b: Value) -> Result<VReg, Error> {
        let mut parts = Vec::new();
        for value in [a.unwrap_or(b), b] {
            for unit in 0..2 {
                let from = self.value(value, Some(unit))?;
                parts.push(place(RegClass::UR, self.uniform_word(from)?));
            }
        }
        Ok(self.builder().pack(&parts))
    }

    /// The registers of A.
    fn fragment(&mut self, values: &[Value]) -> Result<VReg, Error> {
        if let Some(&known) = self.fragments.get(values) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        for &value in values {
            parts.push(place(RegClass::R, self.value(value, Some(0))?));
        }
        let made = self.builder().pack(&parts);
        self.fragments.insert(values.to_vec(), made);
        Ok(made)
    }

    pub(super) fn uniform_word(&mut self, from: Reg) -> Result<Reg, Error> {
        let v = self.out.add_vreg(RegClass::UR, 1);
        let inst = self.form("r2ur")?;
        let inst = inst.try_with("d", Reg::from(v).to_field()).and_then(|i| i.try_with("a", from.to_field()));
        self.push(MInst::new(inst.map_err(|e| self.fail(e))?));
        Ok(v.into())
    }

    /// A predicate that all lanes agree on, in a uniform predicate, and whether its complement is meant.
    fn uniform_predicate(&mut self, value: Value) -> Result<(Reg, bool), Error> {
        let (reg, negate) = self.predicate(value)?;
        if reg.is_constant(RegClass::P) {
            return Ok((Reg::Physical(UPT as u16), negate));
        }
        let (word, uniform) = (self.out.add_vreg(RegClass::R, 1), self.out.add_vreg(RegClass::UP, 1));
        let choose = self.form("sel.ri")?;
        let choose = [("d", Reg::from(word).to_field()), ("b", 1), ("q", reg.to_field()), ("q.not", 1)]
            .into_iter()
            .try_fold(choose, |i, (name, value)| i.try_with(name, value));
        self.push(MInst::new(choose.map_err(|e| self.fail(e))?));
        let word = self.uniform_word(word.into())?;
        let compare = self.form("uisetp.ui")?;
        let compare = (|| {
            let mut compare = compare;
            compare.set_enum("cmp", ".NE")?;
            compare.set_enum("sg", ".U32")?;
            compare.set("a", word.to_field())?;
            compare.try_with("d", Reg::from(uniform).to_field())
        })();
        self.push(MInst::new(compare.map_err(|e| self.fail(e))?));
        Ok((uniform.into(), negate))
    }

    fn warpgroup_product(&mut self, at: ir::Inst, op: Opaque) -> Result<(), Error> {
        let source = self.source;
        let data = &source.insts[at];
        let sums = data.results.len();
        let Product { form, texts } = product(op).ok_or_else(|| self.fail(format!("no form of {op}")))?;
        let (old, rest) = data.args.split_at(sums);
        let (a, rest) = rest.split_at(if op.has("rs") { 4 } else { 1 });
        let (b, keeps, rest) = (rest[0], rest[1], &rest[2..]);
        let keeps_none = kept(source, data) > 0;

        let old = if keeps_none {
            None
        } else {
            let mut parts = Vec::with_capacity(sums);
            for &value in old {
                parts.push(place(RegClass::R, self.value(value, Some(0))?));
            }
            Some(self.builder().pack(&parts))
        };
        let fragment = if op.has("rs") { Some(self.fragment(a)?) } else { None };
        let descriptors = self.descriptors(fragment.is_none().then(|| a[0]), b)?;
        let (keeps, not) =
            if keeps_none { (Reg::Physical(UPT as u16), true) } else { self.uniform_predicate(keeps)? };
        let metadata = match rest {
            [metadata, _] => Some(self.value(*metadata, Some(0))?),
            _ => None,
        };
        let flags = rest.last().and_then(|&v| self.constant(v)).unwrap_or(0) as u64;

        let mut inst = self.form(&form)?;
        let d = self.out.add_vreg(RegClass::R, sums as u8);
        let filled = (|| {
            for (field, text) in &texts {
                inst.set_enum(field, text)?;
            }
            signs(&mut inst, flags)?;
            inst.set("q.not", u64::from(not))?;
            Ok::<_, sassafras_isa::UnknownField>(())
        })();
        filled.map_err(|e| self.fail(e))?;
        let ur = if fragment.is_some() { "b" } else { "a" };
        let mut registers = vec![
            ("d", Reg::from(d)),
            ("c", old.map_or(RZ, Reg::from)),
            (ur, Reg::from(descriptors)),
            ("q", keeps),
        ];
        registers.extend(fragment.map(|a| ("a", Reg::from(a))));
        registers.extend(metadata.map(|e| ("e", e)));
        let mut minst = None;
        for (field, reg) in registers {
            let index = inst.row().field(field).ok_or_else(|| self.fail(format!("no field `{field}`")))?;
            inst.fields[index] = reg.to_field();
            if field == "d" {
                minst = old.map(|old| Tied { field: index, old: old.into() });
            }
        }
        let mut made = MInst::new(inst);
        if let Some(tied) = minst {
            made.tied = smallvec![tied];
        }
        self.push(made);
        for (unit, &value) in (0..).zip(&data.results) {
            self.places[value] = Some(Reg::part(d, unit));
        }
        Ok(())
    }
}

/// Signs, transposes, saturation and the selector, from `opaque::product_flags`.
fn signs(inst: &mut Inst, flags: u64) -> Result<(), sassafras_isa::UnknownField> {
    let bit = |n: u32| flags >> n & 1 == 1;
    let pick = |a: bool, b: bool, name: &str| match (a, b) {
        (false, false) => String::new(),
        (true, false) => format!(".{name}A"),
        (false, true) => format!(".{name}B"),
        (true, true) => format!(".{name}A.{name}B"),
    };
    let registers = inst.row().field("a.neg").is_some();
    if registers && bit(0) {
        inst.set("a.neg", 1)?;
    }
    let neg = pick(bit(0) && !registers, bit(1), "neg");
    if !neg.is_empty() {
        inst.set_enum("neg", &neg)?;
    }
    let tnsp = pick(bit(2), bit(3), "tnsp");
    if !tnsp.is_empty() {
        inst.set_enum("tnsp", &tnsp)?;
    }
    if bit(4) {
        inst.set("sat", 1)?;
    }
    if flags >> 8 != 0 {
        inst.set("sel", flags >> 8)?;
    }
    Ok(())
}
