//! Matrix operations of a warp: shapes, elements, and how matrices are spread over the registers of the lanes.
//!
//! Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", the figures of fragment layouts of `mma.sync`
//! and of the 8×8 matrices of `ldmatrix`. One rule gives all of them: a row of 8 is spread over the eight groups of four
//! lanes, and within a group the elements of one row lie in order, as many as fit a register per lane.

pub mod split;

use crate::vocabulary::Rounding;

/// What a matrix is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// binary32 of which the low 13 bits are ignored.
    Tf32,
    /// FP8 with 4 exponent bits.
    E4m3,
    /// FP8 with 5 exponent bits.
    E5m2,
    /// binary32.
    F32,
    /// binary64.
    F64,
    /// 32-bit integer.
    S32,
    /// Unsigned byte.
    U8,
    /// Signed byte.
    S8,
    /// Unsigned nibble.
    U4,
    /// Signed nibble.
    S4,
    /// One bit.
    B1,
}

impl Element {
    /// Width in bits.
    pub const fn width(self) -> u32 {
        match self {
            Element::F64 => 64,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E4m3 | Element::E5m2 | Element::U8 | Element::S8 => 8,
            Element::U4 | Element::S4 => 4,
            Element::B1 => 1,
        }
    }

    /// Width in bits of the registers that hold it: 64 for binary64, else 32.
    pub const fn register(self) -> u32 {
        if matches!(self, Element::F64) { 64 } else { 32 }
    }

    /// Elements in one register.
    pub const fn per_register(self) -> u32 {
        self.register() / self.width()
    }
}

/// How elements are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Product {
    /// Arithmetic product.
    Multiply,
    /// Bits that differ, counted.
    XorPopc,
    /// Bits that are both set, counted.
    AndPopc,
}

/// `D = A × B + C` of a warp: A is `m` by `k`, B is `k` by `n`.
///
/// Sums of binary32 and binary16 are a relation: PTX leaves their order and rounding open, to at least binary32 precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mma {
    /// Rows of A, C and D.
    pub m: u32,
    /// Columns of B, C and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of C.
    pub c: Element,
    /// Elements of D.
    pub d: Element,
    /// How elements are multiplied.
    pub product: Product,
    /// Sums of integers are clamped instead of wrapping.
    pub saturate: bool,
    /// Rounding of binary64 sums.
    pub rounding: Rounding,
}

/// One of the four matrices of an [`Mma`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The left factor.
    A,
    /// The right factor.
    B,
    /// What is added.
    C,
    /// The result.
    D,
}

impl Mma {
    /// Elements of an operand.
    pub const fn element(&self, operand: Operand) -> Element {
        match operand {
            Operand::A => self.a,
            Operand::B => self.b,
            Operand::C => self.c,
            Operand::D => self.d,
        }
    }

    /// Rows and columns of an operand.
    pub const fn size(&self, operand: Operand) -> (u32, u32) {
        match operand {
            Operand::A => (self.m, self.k),
            Operand::B => (self.k, self.n),
            Operand::C | Operand::D => (self.m, self.n),
        }
    }

    /// Registers of an operand in each lane, of [`Element::register`] bits.
    pub const fn registers(&self, operand: Operand) -> u32 {
        let (rows, columns) = self.size(operand);
        rows * columns / 32 / self.element(operand).per_register()
    }

    /// Row and column of element `part` of register `register` of a lane.
    pub const fn place(&self, operand: Operand, lane: u32, register: u32, part: u32) -> (u32, u32) {
        let (group, within) = (lane / 4, lane % 4);
        let per = self.element(operand).per_register();
        match operand {
            Operand::A => {
                let halves = self.m / 8;
                (group + 8 * (register % halves), per * within + part + 4 * per * (register / halves))
            }
            Operand::B => (per * within + part + 4 * per * register, group),
            // Two neighbours of a row lie in one lane, in one register or in two.
            Operand::C | Operand::D => {
                let n = register * per + part;
                (group + 8 * (n / 2), 2 * within + n % 2)
            }
        }
    }
}

/// What moves between a warp's registers and 8×8 matrices of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Matrices {
    /// How many: 1, 2 or 4, one register each.
    pub count: u32,
    /// Rows become columns.
    pub transpose: bool,
}

/// Row and column of half `part` of a lane's register for an 8×8 matrix of 16 bits.
pub const fn place_16(lane: u32, part: u32, transpose: bool) -> (u32, u32) {
    let (row, column) = (lane / 4, 2 * (lane % 4) + part);
    if transpose { (column, row) } else { (row, column) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn mma(m: u32, n: u32, k: u32, a: Element, c: Element) -> Mma {
        let rounding = Rounding::NearestEven;
        Mma { m, n, k, a, b: a, c, d: c, product: Product::Multiply, saturate: false, rounding }
    }

    #[test]
    fn every_element_has_one_place() {
        for mma in [
            mma(16, 8, 16, Element::F16, Element::F32),
            mma(16, 8, 8, Element::Bf16, Element::F32),
            mma(16, 8, 16, Element::F16, Element::F16),
            mma(16, 8, 4, Element::Tf32, Element::F32),
            mma(16, 8, 8, Element::Tf32, Element::F32),
            mma(8, 8, 4, Element::F64, Element::F64),
            mma(16, 8, 16, Element::F64, Element::F64),
            mma(8, 8, 16, Element::U8, Element::S32),
            mma(16, 8, 32, Element::S8, Element::S32),
            mma(16, 8, 64, Element::U4, Element::S32),
            mma(16, 8, 256, Element::B1, Element::S32),
        ] {
            for operand in [Operand::A, Operand::B, Operand::C, Operand::D] {
                let (rows, columns) = mma.size(operand);
                let mut seen = BTreeSet::new();
                for lane in 0..32 {
                    for register in 0..mma.registers(operand) {
                        for part in 0..mma.element(operand).per_register() {
                            let (row, column) = mma.place(operand, lane, register, part);
                            assert!(row < rows && column < columns, "{mma:?} {operand:?}");
                            assert!(seen.insert((row, column)), "{mma:?} {operand:?}: {row}, {column} twice");
                        }
                    }
                }
                assert_eq!(seen.len() as u32, rows * columns, "{mma:?} {operand:?}");
            }
        }
    }

    #[test]
    fn places_are_those_of_the_ptx_isa() {
        // Figures of m16n8k16 with .f16, m16n8k8 with .tf32 and m16n8k32 with .s8.
        let half = mma(16, 8, 16, Element::F16, Element::F32);
        assert_eq!(half.place(Operand::A, 5, 1, 1), (9, 3));
        assert_eq!(half.place(Operand::A, 5, 2, 0), (1, 10));
        assert_eq!(half.place(Operand::B, 6, 1, 1), (13, 1));
        assert_eq!(half.place(Operand::C, 7, 3, 0), (9, 7));
        let tf32 = mma(16, 8, 8, Element::Tf32, Element::F32);
        assert_eq!(tf32.place(Operand::A, 5, 2, 0), (1, 5));
        assert_eq!(tf32.place(Operand::B, 5, 1, 0), (5, 1));
        let byte = mma(16, 8, 32, Element::S8, Element::S32);
        assert_eq!(byte.place(Operand::A, 5, 3, 2), (9, 22));
        assert_eq!(byte.place(Operand::B, 5, 1, 3), (23, 1));
    }
}
