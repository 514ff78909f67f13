//! Matrices spread over the registers of a warp.
//!
//! Source: PTX `mma.sync`, `ldmatrix`, `stmatrix` and `movmatrix` of one instruction through ptxas, which hands the
//! registers of the operands on as they are; nvdisasm's modifier names give shapes and elements.

use super::lane::Lane;
use super::outcome::{Outcome, Output, Step};
use super::register::Register;
use sassafras_semantics::matrix::{Element, Matrices, Mma, Operand, Product};
use sassafras_semantics::{Collective, Domain, Rounding, State, Trap};
use smallvec::SmallVec;

/// Rows, columns and inner size of the digits of a text such as `16832`: two small numbers, the rest is the inner size.
fn shape(digits: &str) -> Option<(u32, u32, u32)> {
    let (m, rest) = match digits.strip_prefix("16") {
        Some(rest) => (16, rest),
        None => (8, digits.strip_prefix('8')?),
    };
    Some((m, 8, rest.strip_prefix('8')?.parse().ok()?))
}

fn integer(text: &str) -> Option<Element> {
    Some(match text.trim_start_matches('.') {
        "U8" => Element::U8,
        "S8" => Element::S8,
        "U4" => Element::U4,
        "S4" => Element::S4,
        _ => return None,
    })
}

impl<D: Domain, S: State<D, Register = Register>> Lane<'_, D, S> {
    /// The literal text in front of the operands, as `HMMA.16816`.
    fn shape(&self) -> Result<(u32, u32, u32), Trap> {
        let literal = self.inst.row().syntax.iter().find_map(|n| match n {
            crate::form::Node::Literal(text) => text.split(['.', ' ']).nth(1),
            _ => None,
        });
        let found = literal.and_then(|text| if text == "8x8x4" { Some((8, 8, 4)) } else { shape(text) });
        found.ok_or_else(|| self.unsupported("the shape"))
    }

    /// The registers of an operand, each of the width that its elements have.
    fn fragment(&mut self, name: &str, mma: &Mma, operand: Operand) -> Result<SmallVec<[D::V; 4]>, Trap> {
        let (count, width) = (mma.registers(operand), mma.element(operand).register());
        let units = count * width / 32;
        let (absolute, negate) = (self.absolute(name), self.negated(name));
        let index = self.inst.row().field(name);
        if index.is_none_or(|i| u32::from(self.inst.units(i)) != units) {
            return Err(self.unsupported(&format!("{units} registers of `{name}`")));
        }
        let all = self.bits(name, units)?;
        // Every element has its sign in its highest bit.
        let element = mma.element(operand).width();
        let signs = (0..width / element).fold(0, |all, n| all | 1 << (element * (n + 1) - 1));
        let signs = self.constant(width, signs);
        Ok((0..count)
            .map(|n| {
                let v = self.d.extract(&all, n * width, width);
                let v = if absolute { self.d.and(&v, &self.d.not(&signs)) } else { v };
                if negate { self.d.xor(&v, &signs) } else { v }
            })
            .collect())
    }

    fn multiply(mut self, mma: Mma) -> Step<D> {
        let mut args = self.fragment("a", &mma, Operand::A)?;
        args.extend(self.fragment("b", &mma, Operand::B)?);
        args.extend(self.fragment("c", &mma, Operand::C)?);
        let results = self.registers("d", mma.registers(Operand::D), mma.d.register());
        Ok(Outcome::Collective { op: Collective::Mma(mma), args, results })
    }

    /// `count` results of `width` bits from a register on.
    fn registers(&mut self, name: &str, count: u32, width: u32) -> SmallVec<[Output; 2]> {
        let first = self.target(name);
        let of = |n: u32| first.map(|r| Register { number: r.number + n * width / 32, ..r });
        (0..count).map(|n| Output { register: of(n), width }).collect()
    }

    /// `HMMA`: f16, bf16 and tf32 factors, sums in f16 or f32.
    pub(super) fn hmma(mut self) -> Step<D> {
        let (m, n, k) = self.shape()?;
        let tf32 = self.inst.row().id.contains(".tf32");
        let a = match self.text("ty") {
            ".BF16" => Element::Bf16,
            _ if tf32 => Element::Tf32,
            _ => Element::F16,
        };
        let c = if self.text("acc") == ".F16" { Element::F16 } else { Element::F32 };
        let rounding = Rounding::NearestEven;
        self.multiply(Mma {
            m,
            n,
            k,
            a,
            b: a,
            c,
            d: c,
            product: Product::Multiply,
            saturate: false,
            rounding,
        })
    }

    /// `IMMA`: bytes and nibbles, sums of 32 bits.
    pub(super) fn imma(mut self) -> Step<D> {
        let (m, n, k) = self.shape()?;
        let (Some(a), Some(b)) = (integer(self.text("sa")), integer(self.text("sb"))) else {
            return Err(self.unsupported("the type of a factor"));
        };
        let (c, saturate) = (Element::S32, self.flag("sat"));
        let rounding = Rounding::NearestEven;
        self.multiply(Mma { m, n, k, a, b, c, d: c, product: Product::Multiply, saturate, rounding })
    }

    /// `BMMA`: bits, their matches counted.
    pub(super) fn bmma(mut self) -> Step<D> {
        let (m, n, k) = self.shape()?;
        let xor =
            if self.has("op") { self.text("op") == ".XOR" } else { self.inst.row().id.ends_with(".75") };
        let product = if xor { Product::XorPopc } else { Product::AndPopc };
        let (a, c) = (Element::B1, Element::S32);
        let rounding = Rounding::NearestEven;
        self.multiply(Mma { m, n, k, a, b: a, c, d: c, product, saturate: false, rounding })
    }

    /// `DMMA`: binary64.
    pub(super) fn dmma(mut self) -> Step<D> {
        let (m, n, k) = self.shape()?;
        let rounding = match self.text("rnd") {
            "" => Rounding::NearestEven,
            ".RM" => Rounding::Down,
            ".RP" => Rounding::Up,
            ".RZ" => Rounding::Zero,
            other => return Err(self.unsupported(&format!("rounding {other}"))),
        };
        let a = Element::F64;
        self.multiply(Mma {
            m,
            n,
            k,
            a,
            b: a,
            c: a,
            d: a,
            product: Product::Multiply,
            saturate: false,
            rounding,
        })
    }

    /// `HMMA.SP`, `IMMA.SP`: an opaque operation of the registers of A, B, C and of what says which elements A has.
    pub(super) fn sparse_product(mut self) -> Step<D> {
        let id = self.inst.row().id;
        let shape = match id.split('.').nth(2) {
            Some("1688") => "m16n8k8",
            Some("16816") => "m16n8k16",
            Some("16832") => "m16n8k32",
            Some("16864") => "m16n8k64",
            _ => return Err(self.unsupported("the shape")),
        };
        if self.negated("a") {
            return Err(self.unsupported("a negated factor"));
        }
        let lower = |text: &str| text.trim_start_matches('.').to_lowercase();
        let types = if id.starts_with("imma") {
            format!("s32.{}.{}", lower(self.text("sa")), lower(self.text("sb")))
        } else if id.contains(".tf32") {
            "f32.tf32.tf32".to_owned()
        } else {
            let factor = if self.text("ty") == ".BF16" { "bf16" } else { "f16" };
            format!("{}.{factor}.{factor}", lower(self.text("acc")))
        };
        let sat = if self.has("sat") && self.flag("sat") { ".sat" } else { "" };
        let name = format!("sparse.{shape}.{types}{sat}.s{}", self.raw("sel"));
        let mut args = Vec::new();
        for operand in ["a", "b", "c"] {
            let index = self.inst.row().field(operand).ok_or_else(|| self.unsupported(operand))?;
            let units = u32::from(self.inst.units(index));
            args.push(self.bits(operand, units)?);
        }
        args.push(self.bits32("e")?);
        let target = self.target("d");
        let result = self.ask(&name, &args)?.pop().ok_or_else(|| self.unsupported("no result"))?;
        if let Some(first) = target {
            for unit in 0..self.d.width(&result) / 32 {
                let register = Register { number: first.number + unit, ..first };
                self.state.write(self.d, register, self.d.extract(&result, 32 * unit, 32));
            }
        }
        Ok(Outcome::Next)
    }

    fn matrices(&mut self) -> Result<Matrices, Trap> {
        let count = match self.text("n") {
            "" => 1,
            ".2" => 2,
            ".4" => 4,
            other => return Err(self.unsupported(&format!("count {other}"))),
        };
        Ok(Matrices { count, transpose: self.text("tr") == ".MT88" })
    }

    /// `LDSM`: the lanes' addresses are those of rows.
    pub(super) fn load_matrix(mut self) -> Step<D> {
        let matrices = self.matrices()?;
        let args = SmallVec::from_iter([self.address(32)?]);
        let results = self.registers("d", matrices.count, 32);
        Ok(Outcome::Collective { op: Collective::MatrixLoad(matrices), args, results })
    }

    /// `STSM`.
    pub(super) fn store_matrix(mut self) -> Step<D> {
        let matrices = self.matrices()?;
        let mut args = SmallVec::from_iter([self.address(32)?]);
        let all = self.bits("b", matrices.count)?;
        args.extend((0..matrices.count).map(|n| self.d.extract(&all, 32 * n, 32)));
        Ok(Outcome::Collective { op: Collective::MatrixStore(matrices), args, results: SmallVec::new() })
    }

    /// `MOVM`.
    pub(super) fn transpose_matrix(mut self) -> Step<D> {
        let args = SmallVec::from_iter([self.bits32("a")?]);
        let results = self.registers("d", 1, 32);
        Ok(Outcome::Collective { op: Collective::MatrixTranspose, args, results })
    }
}
