//! Which elements of a matrix a lane holds, and the loads and stores of them.
//!
//! Every fragment is one of `mma.sync`: with g = lane / 4 and t = lane mod 4, a register of A or B holds elements of row g (of
//! the column g of B) of a block of eight, those numbered t, or the 2 t and 2 t + 1, or the 4 t to 4 t + 3. Registers stand for
//! blocks. Here "row" is what g counts and "column" what t counts, whatever the matrix calls them.

use super::shape::{Element, Role, Shape};
use std::fmt::Write;

/// The default distance between rows, or columns, in elements (PTX ISA, "wmma.load": the matrix lies without gaps).
pub(super) fn extent(shape: Shape, role: Role, column: bool) -> u32 {
    let (rows, columns) = match role {
        Role::A => (shape.m, shape.k),
        Role::B => (shape.k, shape.n),
        Role::Sum => (shape.m, shape.n),
    };
    if column { rows } else { columns }
}

/// A fragment and where it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub shape: Shape,
    pub role: Role,
    pub element: Element,
    /// `.col`
    pub column: bool,
    /// The space with its dot, or nothing.
    pub space: &'static str,
}

/// The registers that hold something: of the 16 halves of a fragment a lane may have fewer, and repeats them.
fn each(registers: &[String], of: usize, mut one: impl FnMut(usize, &str) -> std::fmt::Result) -> Option<()> {
    if registers.is_empty() || of == 0 || !registers.len().is_multiple_of(of) {
        return None;
    }
    registers.iter().take(of).enumerate().try_for_each(|(i, name)| one(i, name)).ok()
}

/// The registers behind the first `of`, which repeat them.
fn repeat(registers: &[String], of: usize, out: &mut String) -> Option<()> {
    let mut more = registers.iter().enumerate().skip(of);
    more.try_for_each(|(i, name)| writeln!(out, "mov.b32 {name}, {};", registers[i % of])).ok()
}

impl Place {
    /// Whether the left factor of the `mma.sync` is this one: rows come in blocks of 16.
    fn left(self) -> bool {
        (self.role == Role::A) != self.shape.transposed()
    }

    /// How many rows there are, in the sense of this module.
    fn rows(self) -> u32 {
        match self.role {
            Role::A => self.shape.m,
            Role::B => self.shape.n,
            Role::Sum if self.shape.transposed() => self.shape.n,
            Role::Sum => self.shape.m,
        }
    }

    /// Whether the elements of a row lie side by side in memory.
    fn natural(self) -> bool {
        match self.role {
            Role::A => !self.column,
            Role::B => self.column,
            Role::Sum => self.column == self.shape.transposed(),
        }
    }

    /// Row and column of the block of eight rows that each register stands for.
    fn blocks(self) -> Vec<(u32, u32)> {
        let (rows, mut all) = (self.rows(), Vec::new());
        let deep: &[u32] = match (self.role, self.element) {
            (Role::Sum, _) => &[0],
            (_, Element::Half) => &[0, 8],
            (_, Element::Tf32) => &[0, 4],
            _ => &[0],
        };
        if self.role == Role::Sum {
            let wide = if self.shape.transposed() { self.shape.m } else { self.shape.n };
            for top in (0..rows).step_by(16) {
                for column in (0..wide).step_by(8) {
                    all.extend((top..rows.min(top + 16)).step_by(8).map(|row| (row, column)));
                }
            }
        } else if self.left() {
            for top in (0..rows).step_by(16) {
                for column in deep {
                    all.extend((top..rows.min(top + 16)).step_by(8).map(|row| (row, *column)));
                }
            }
        } else {
            for row in (0..rows).step_by(8) {
                all.extend(deep.iter().map(|column| (row, *column)));
            }
        }
        all
    }

    pub(super) fn text(self, store: bool, registers: &[String], out: &mut String) -> Option<()> {
        if !store && self.space == ".shared" && self.role != Role::Sum {
            let by_matrix = self.element == Element::Half || self.element == Element::Byte && self.natural();
            if by_matrix {
                return self.matrices(registers, out);
            }
        }
        out.push_str("mov.u32 $wl, %laneid;\nshr.u32 $wg, $wl, 2;\nand.b32 $wt, $wl, 3;\n");
        match (self.role, self.element) {
            (Role::Sum, Element::Word | Element::Double) => self.sums(store, registers, out),
            (_, Element::Half) => self.halves(store, registers, out),
            (_, Element::Tf32) => self.singles(registers, out),
            (_, Element::Double) => self.double(registers, out),
            (_, Element::Byte) => self.bytes(registers, out),
            (_, Element::Bit) if self.natural() => self.words(5, registers, out),
            (_, Element::Nibble) if self.natural() => self.words(3, registers, out),
            _ => None,
        }
    }

    /// The address of g · `scale` rows and `within` of `size` bytes each into `$wa`.
    fn start(self, scale: &str, row: &str, within: &str, size: u32, out: &mut String) -> std::fmt::Result {
        writeln!(out, "cvt.u64.u32 $wx, {within};\nmad.wide.u32 $wx, {row}, {scale}, $wx;")?;
        let shift = size.trailing_zeros();
        if shift > 0 {
            writeln!(out, "shl.b64 $wx, $wx, {shift};")?;
        }
        out.push_str("add.s64 $wa, $wb, $wx;\n");
        Ok(())
    }

    /// Two halves of a row in a word; where they do not lie side by side, those of the transposed block of 8 by 8.
    fn halves(self, store: bool, registers: &[String], out: &mut String) -> Option<()> {
        out.push_str("shr.u32 $wh, $ws, 1;\n");
        self.start("$wh", "$wg", "$wt", 4, out).ok()?;
        let (blocks, natural, space) = (self.blocks(), self.natural(), self.space);
        // The distance of eight rows is counted from whole rows in C and D, from elements in A and B.
        let (unit, eight) = if self.role == Role::Sum { ("$wh", 4) } else { ("$ws", 2) };
        each(registers, blocks.len(), |i, name| {
            let (row, column) = blocks[i];
            let (far, near) = if natural { (row, column) } else { (column, row) };
            let base = if far == 0 { "$wa" } else { "$wr" };
            if far != 0 {
                writeln!(out, "mad.wide.u32 $wr, {unit}, {}, $wa;", far * eight)?;
            }
            match (store, natural) {
                (false, true) => writeln!(out, "ld{space}.b32 {name}, [{base}+{}];", near * 2),
                (false, false) => writeln!(
                    out,
                    "ld{space}.b32 $wy, [{base}+{}];\nmovmatrix.sync.aligned.m8n8.trans.b16 {name}, $wy;",
                    near * 2
                ),
                (true, true) => writeln!(out, "st{space}.b32 [{base}+{}], {name};", near * 2),
                (true, false) => writeln!(
                    out,
                    "movmatrix.sync.aligned.m8n8.trans.b16 $wy, {name};\nst{space}.b32 [{base}+{}], $wy;",
                    near * 2
                ),
            }
        })?;
        if store { Some(()) } else { repeat(registers, blocks.len(), out) }
    }

    /// Sums: two neighbours of a row in two registers.
    fn sums(self, store: bool, registers: &[String], out: &mut String) -> Option<()> {
        let size = if self.element == Element::Double { 8 } else { 4 };
        let (blocks, space) = (self.blocks(), self.space);
        let bits = 8 * size;
        if registers.len() != 2 * blocks.len() {
            return None;
        }
        if self.natural() {
            if size == 8 {
                out.push_str("shl.b32 $wy, $wt, 1;\n");
                self.start("$ws", "$wg", "$wy", 8, out).ok()?;
            } else {
                out.push_str("shr.u32 $wh, $ws, 1;\n");
                self.start("$wh", "$wg", "$wt", 8, out).ok()?;
            }
        } else {
            out.push_str("shl.b32 $wy, $wt, 1;\n");
            self.start("$ws", "$wy", "$wg", size, out).ok()?;
        }
        for ((row, column), pair) in blocks.into_iter().zip(registers.chunks(2)) {
            let (far, near) = if self.natural() { (row, column) } else { (column, row) };
            let base = if far == 0 { "$wa" } else { "$wr" };
            if far != 0 {
                let (unit, scale) = if self.natural() { ("$wh", 2) } else { ("$ws", 1) };
                writeln!(out, "mad.wide.u32 $wr, {unit}, {}, $wa;", far * size * scale).ok()?;
            }
            let [a, b] = pair else { return None };
            let at = near * size;
            if self.natural() {
                match store {
                    false => writeln!(out, "ld{space}.v2.b{bits} {{{a}, {b}}}, [{base}+{at}];"),
                    true => writeln!(out, "st{space}.v2.b{bits} [{base}+{at}], {{{a}, {b}}};"),
                }
                .ok()?;
            } else {
                writeln!(out, "mad.wide.u32 $wn, $ws, {size}, {base};").ok()?;
                for (base, name) in [(base, a), ("$wn", b)] {
                    match store {
                        false => writeln!(out, "ld{space}.b{bits} {name}, [{base}+{at}];"),
                        true => writeln!(out, "st{space}.b{bits} [{base}+{at}], {name};"),
                    }
                    .ok()?;
                }
            }
        }
        Some(())
    }

    /// One number a register. ptxas counts elements in 32 bits here.
    fn singles(self, registers: &[String], out: &mut String) -> Option<()> {
        let (blocks, space) = (self.blocks(), self.space);
        each(registers, blocks.len(), |i, name| {
            let (row, column) = blocks[i];
            writeln!(out, "add.s32 $wi, $wg, {row};\nadd.s32 $wj, $wt, {column};")?;
            let (far, near) = if self.natural() { ("$wi", "$wj") } else { ("$wj", "$wi") };
            writeln!(out, "mad.lo.s32 $wy, {far}, $ws, {near};\nmul.wide.s32 $wx, $wy, 4;")?;
            writeln!(out, "add.s64 $wr, $wb, $wx;\nld{space}.b32 {name}, [$wr];")
        })
    }

    fn double(self, registers: &[String], out: &mut String) -> Option<()> {
        let (far, near) = if self.natural() { ("$wg", "$wt") } else { ("$wt", "$wg") };
        self.start("$ws", far, near, 8, out).ok()?;
        let [name] = registers else { return None };
        writeln!(out, "ld{}.b64 {name}, [$wa];", self.space).ok()
    }

    /// Four bytes of a row in a word.
    fn bytes(self, registers: &[String], out: &mut String) -> Option<()> {
        let (blocks, space) = (self.blocks(), self.space);
        out.push_str("shl.b32 $wy, $wt, 2;\n");
        let natural = self.natural();
        let (far, near) = if natural { ("$wg", "$wy") } else { ("$wy", "$wg") };
        self.start("$ws", far, near, 1, out).ok()?;
        each(registers, blocks.len(), |i, name| {
            let (row, _) = blocks[i];
            if natural {
                if row == 0 {
                    return writeln!(out, "ld{space}.b32 {name}, [$wa];");
                }
                return writeln!(out, "mad.wide.u32 $wr, $ws, {row}, $wa;\nld{space}.b32 {name}, [$wr];");
            }
            writeln!(out, "ld{space}.u8 $wu0, [$wa+{row}];")?;
            for n in 1..4 {
                writeln!(out, "mad.wide.u32 $wr, $ws, {n}, $wa;\nld{space}.u8 $wu{n}, [$wr+{row}];")?;
                writeln!(out, "shl.b32 $wu{n}, $wu{n}, {};\nor.b32 $wu0, $wu0, $wu{n};", 8 * n)?;
            }
            writeln!(out, "mov.b32 {name}, $wu0;")
        })
    }

    /// 32 bits of a row in a word, of 2^`shift` elements.
    fn words(self, shift: u32, registers: &[String], out: &mut String) -> Option<()> {
        writeln!(out, "shr.u32 $wh, $ws, {shift};").ok()?;
        self.start("$wh", "$wg", "$wt", 4, out).ok()?;
        let [name] = registers else { return None };
        writeln!(out, "ld{}.b32 {name}, [$wa];", self.space).ok()
    }

    /// Factors in shared memory, by `ldmatrix`: lane 8 i + r gives row r of the matrix that register i is of.
    fn matrices(self, registers: &[String], out: &mut String) -> Option<()> {
        let blocks = self.blocks();
        let size = if self.element == Element::Half { 2 } else { 1 };
        // Two rows of matrices at a time, of which two fill the depth of a product of halves and one that of bytes.
        let count = blocks.len().min(if self.element == Element::Half { 4 } else { 2 });
        out.push_str("mov.u32 $wl, %laneid;\n");
        if count < 4 {
            writeln!(out, "and.b32 $wl, $wl, {};", 8 * count - 1).ok()?;
        }
        out.push_str("and.b32 $wg, $wl, 7;\nshr.u32 $wt, $wl, 3;\n");
        // Which of the matrices lies eight further down and which to the right, the first of two or of pairs being `$wi`.
        // Bytes fill one matrix from left to right, so that all lie one below the other.
        out.push_str(if self.element == Element::Byte {
            "shl.b32 $wi, $wt, 3;\nmov.u32 $wj, 0;\n"
        } else {
            "and.b32 $wi, $wt, 1;\nshl.b32 $wi, $wi, 3;\nshr.u32 $wj, $wt, 1;\nshl.b32 $wj, $wj, 3;\n"
        });
        let downward = self.left() || self.element == Element::Byte;
        let (rows, columns) = if downward { ("$wi", "$wj") } else { ("$wj", "$wi") };
        // The rows of a matrix are rows of eight elements in memory.
        let (far, near) = if self.natural() { (rows, columns) } else { (columns, rows) };
        writeln!(out, "add.u32 $wh, {far}, $wg;\nmad.lo.s32 $wy, $wh, $ws, {near};").ok()?;
        writeln!(out, "mul.wide.s32 $wx, $wy, {size};\nadd.s64 $wa, $wb, $wx;").ok()?;
        let trans = if self.natural() { "" } else { ".trans" };
        let parts: Vec<String> = (0..blocks.len()).map(|i| format!("$wu{i}")).collect();
        for (n, part) in parts.chunks(count).enumerate() {
            let (row, _) = blocks[n * count];
            let mut at = "$wa".to_owned();
            if row != 0 && self.natural() {
                writeln!(out, "mad.wide.u32 $wr, $ws, {}, $wa;", row * size).ok()?;
                "$wr".clone_into(&mut at);
            } else if row != 0 {
                write!(at, "+{}", row * size).ok()?;
            }
            let list = part.join(", ");
            writeln!(out, "ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{list}}}, [{at}];")
                .ok()?;
        }
        each(registers, blocks.len(), |i, name| writeln!(out, "mov.b32 {name}, $wu{i};"))?;
        repeat(registers, blocks.len(), out)
    }
}
