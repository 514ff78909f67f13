//! The table of instructions: one row per form, from which everything that is known about the syntax of instructions is
//! derived: which modifiers go together, how many operands of which kind and type, since which PTX version and target.
//!
//! # Notation
//!
//! The rows stand in small text files by family (`table/rows/*.txt`), one per line:
//!
//! ```text
//! mad.<lo|hi>.$int                    d:T a:T b:T c:T
//! add{.rn}{.ftz}{.sat}.<f16|f16x2>    d:T a:T b:T             @4.2/53
//! shfl.sync.<up|down|bfly|idx>.b32    d:b32{|p:pred} a:b32 b:b32 c:b32 m:b32   @6.0/30
//! ```
//!
//! **Head.** `.word` must be there, `{.word}` may be; `.<a|b>` is one of several; `$name` stands for the list of that
//! name in `groups.txt`; `a+b` is two words that only come together. Words that are types keep their order; the others
//! may come in any order, as ptxas has it; the order of the row is the one that is printed.
//! `word^7.8/90` needs PTX 7.8 and sm_90, whatever the row needs; `{.word}^2.0/20` needs them where the word is left out.
//!
//! **Operands.** `name:type`, in order; a name that begins with `d` is written. Types are `T U V` (first, second, third type
//! suffix), `W` (twice the width of `T`), `I` (an integer of the width of `T`), or a type by name. After the type:
//!
//! | mark | meaning |
//! | --- | --- |
//! | `~` | the register may be wider than the type |
//! | `*` | a vector of as many elements as `.v2` or `.v4` says |
//! | `*4` | a vector of four elements |
//! | `*n/2` | a vector of half as many elements as the shape, such as `m64n16k8`, has columns |
//! | `_` | `_` may stand here |
//! | `#` | a constant only |
//! | `%` | a register only |
//! | `<=15` | a constant is at most 15 |
//! | `>=24` | a constant is at least 24 |
//! | `/32` | a constant is a multiple of 32 |
//! | `^2` | a constant is a power of two |
//! | `=fraction` | a constant is more than 0 and at most 1 |
//! | `!` | the register is untyped, or of two halves |
//! | `=mov` | also a special register or a symbol's address |
//! | `=special` | also a special register |
//! | `=cvta` | a register or a symbol's address |
//! | `=sink` | `_` alone |
//! | `=sign` | the constants 1 and -1 alone |
//! | `=part` | also a part of a register: `r.b0` to `r.b3`, `r.h0`, `r.h1` |
//! | `=negated` | a value that may be negated: `-r` |
//! | `=signed` | both: `-r.h1` |
//! | `=mask2 =mask4` | also some of its halves or bytes: `r.h10`, `r.b3210` |
//! | `=lanes2 =lanes4` | a register, or two halves or four bytes of two registers: `r.h32`, `r.b7654` |
//! | <code>&#124;p:pred</code> | a second result after a bar; in braces if it may be left out |
//!
//! `*d-2` is a vector of two elements less than a word such as `4d` says, and `[m;d]` a tensor map with so many coordinates.
//! `{c:pred}` may be left out. `[a]` is an address; `[t:U*2]` a texture or surface with two coordinates of a type, the first of which is
//! the index of a layer in `[t:layer+U*2]`. `pack` and `unpack` are a vector whose elements fill `T`. `address` is a
//! register of 32 or 64 bits. `ids=2/2,1` is a vector of two constants, the first a multiple of 2 and at most 2, the second at most 1.
//! `[tmem]` is an address in tensor memory, `[handle]` a texture or surface without coordinates; `[barrier]` and `[generic]` are generic
//! addresses, and a variable that they name lies in shared, or global, memory. `label`, `targets` and `call` are what `bra`, `brx.idx` and `call` take.
//!
//! **Since.** `@7.8/90`: PTX 7.8 and sm_90; without it PTX 1.0. `@8.0/90a`: PTX 8.0 and sm_90a alone. `@8.6/100f+110f`: one of the
//! targets with a suffix of the families of sm_100 and sm_110 (PTX ISA, "Target directive: architecture- and family-specific").
//! `!6.4/70`: gone from PTX 6.4 on for sm_70 and later. Rows that are gone, and old spellings, stand in `legacy.txt`; [`rows`]
//! leaves them out, [`legacy`] gives them.
//!
//! **Unmodelled.** The files of [`unmodelled`] hold forms of which the syntax is known and the meaning has no model yet: the checker
//! takes them as ptxas does, and whatever would compile or execute them says that it does not support them.
//!
//! - [`features`]: sets of targets with a suffix
//! - [`notation`]: the reader of these lines
//! - [`matching`]: which rows a mnemonic fits
//! - [`document`]: the table as a page of the handbook
//! - [`example`]: valid instructions from rows
//! - [`known`]: instructions and modifiers that are PTX but have no row

pub mod document;
pub mod example;
pub mod features;
pub mod known;
pub mod matching;
pub mod notation;

use crate::checked::{Op, Type};
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, OnceLock};

/// What a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Since {
    /// PTX version.
    pub version: (u32, u32),
    /// Number of the `sm_NN` target, 0 for any.
    pub sm: u32,
    /// The targets with a suffix that have it, where plain ones do not.
    pub only: features::Only,
}

impl Since {
    /// A PTX version and the number of an `sm_NN` target, 0 for any.
    pub const fn new(major: u32, minor: u32, sm: u32) -> Since {
        Since { version: (major, minor), sm, only: features::Only::ANY }
    }

    /// What both need.
    pub fn and(self, other: Since) -> Since {
        Since {
            version: self.version.max(other.version),
            sm: self.sm.max(other.sm),
            only: self.only.and(other.only),
        }
    }

    /// What `text` says, such as `7.8/90` or `8.6/100f+110f`.
    ///
    /// # Panics
    /// When it is not in that notation: a mistake in a table, which every test that reads the table finds.
    pub fn parse(text: &str) -> Since {
        let (version, target) = text.split_once('/').unwrap_or((text, "0"));
        let (major, minor) = version.split_once('.').expect("a version has a dot");
        let number = |t: &str| t.parse().unwrap_or_else(|_| panic!("a bad version: {text}"));
        let only = features::Only::parse(target).unwrap_or_else(|| panic!("a bad target: {text}"));
        let sm = if only.any() { number(target) } else { only.least() };
        Since { version: (number(major), number(minor)), sm, only }
    }

    /// The targets in words, empty for all: `sm_90`, `sm_100f or sm_110f`.
    pub fn targets(self) -> String {
        match (self.only.any(), self.sm) {
            (true, 0) => String::new(),
            (true, sm) => format!("sm_{sm}"),
            (false, _) => self.only.to_string(),
        }
    }
}

/// A form of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The line.
    pub text: &'static str,
    /// File the line stands in, such as `integer`.
    pub family: &'static str,
    /// Mnemonic up to the first dot.
    pub root: &'static str,
    /// What it does.
    pub op: Op,
    /// What may follow the root, in the order that is printed.
    pub elements: Vec<Element>,
    /// Operands.
    pub slots: Vec<Slot>,
    /// What the form needs.
    pub since: Since,
    /// From which version and target on together it is gone.
    pub until: Option<Since>,
}

impl Row {
    /// Whether a module of this version and target still has the form.
    pub fn alive(&self, version: (u32, u32), sm: u32) -> bool {
        self.until.is_none_or(|gone| version < gone.version || sm < gone.sm)
    }
}

/// One place in a mnemonic.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// What may stand there.
    pub choices: Vec<Choice>,
    /// Whether nothing may.
    pub optional: bool,
    /// What the form needs if nothing stands there.
    pub absent: Option<Since>,
}

impl Element {
    /// Whether types stand here.
    pub fn is_type(&self) -> bool {
        self.choices[0].ty.is_some()
    }
}

/// One of the words of an [`Element`].
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The word, or two that come together.
    pub words: Vec<&'static str>,
    /// The type it names.
    pub ty: Option<Type>,
    /// What it needs.
    pub since: Option<Since>,
}

/// A place for an operand.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Letter used in the documentation.
    pub name: &'static str,
    /// What may stand there.
    pub kind: SlotKind,
    /// Whether it may be left out.
    pub optional: bool,
    /// A second result after a bar, and whether it may be left out.
    pub pair: Option<(TypeRef, bool)>,
}

impl Slot {
    /// Whether the instruction writes it.
    pub fn written(&self) -> bool {
        self.name.starts_with('d')
    }
}

/// What may stand in a [`Slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A register or constant.
    Value(Value),
    /// `[a]`
    Address,
    /// `[m, {x, y}]`: a tensor map and as many coordinates as a word such as `2d` says.
    Tensor,
    /// `[t, {x, y}]`
    Texture(Texture),
    /// A vector whose elements fill the first type.
    Pack,
    /// A register of 32 or 64 bits.
    AddressValue,
    /// `{a, b}` of registers or constants: which byte and which thread hold the scales of a block.
    Ids {
        /// The most that each may be.
        most: [u64; 2],
        /// What the first is a multiple of.
        step: u64,
    },
    /// A label.
    Label,
    /// A `.branchtargets` label.
    Targets,
    /// Everything that `call` takes.
    Call,
}

/// A texture or surface with coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The first of the coordinates is the index of a layer, 32 bits.
    pub layer: bool,
    /// The type of the others.
    pub ty: TypeRef,
    /// How many there are, the layer included; one may stand without braces.
    pub count: u8,
}

impl Texture {
    /// The type of each coordinate.
    pub fn types(&self, types: &[Type]) -> Vec<Type> {
        let each = |n| if n == 0 && self.layer { Type::U(32) } else { self.ty.resolve(types) };
        (0..self.count).map(each).collect()
    }
}

/// A register or constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its type.
    pub ty: TypeRef,
    /// The register may be wider than the type.
    pub relaxed: bool,
    /// A vector of as many elements as the mnemonic says.
    pub vector: bool,
    /// A vector of this many elements; 0 if the row does not say.
    pub count: u8,
    /// A vector of the columns of the shape divided by this; 0 if the shape does not say.
    pub per: u8,
    /// A vector of the shape's dimensions less two.
    pub offsets: bool,
    /// `_` may stand here.
    pub sink: bool,
    /// What may stand here.
    pub only: Only,
    /// A constant is at most this.
    pub most: u64,
    /// A constant is at least this.
    pub least: u64,
    /// A constant is a multiple of this.
    pub multiple: u64,
    /// A constant is a power of two.
    pub power: bool,
    /// A constant of `.f32` is more than 0 and at most 1.
    pub fraction: bool,
    /// A register is untyped, or of two halves.
    pub untyped: bool,
}

impl Value {
    /// How many elements the vector has, 0 if neither the row nor the shape among these words says.
    pub fn elements(&self, words: &[&str]) -> usize {
        if self.offsets {
            return dimensions(words).unwrap_or(0).saturating_sub(2);
        }
        if self.per == 0 {
            return self.count.into();
        }
        columns(words).unwrap_or(0) / usize::from(self.per)
    }

    /// Whether a constant of these bits may stand here.
    pub const fn admits(&self, bits: u64) -> bool {
        bits <= self.most
            && bits >= self.least
            && bits.is_multiple_of(self.multiple)
            && (!self.power || bits.is_power_of_two())
            && (!self.fraction || {
                let v = f32::from_bits(bits as u32);
                v > 0.0 && v <= 1.0
            })
    }

    /// A register or constant of a type, nothing more.
    pub const fn plain(ty: TypeRef) -> Value {
        Value {
            ty,
            relaxed: false,
            vector: false,
            count: 0,
            per: 0,
            offsets: false,
            sink: false,
            only: Only::Any,
            most: u64::MAX,
            least: 0,
            multiple: 1,
            power: false,
            fraction: false,
            untyped: false,
        }
    }
}

/// The columns of the result that a shape among these words says: 16 of `m64n16k8`.
pub fn columns(words: &[&str]) -> Option<usize> {
    words.iter().find_map(|word| {
        let (_, rest) = word.strip_prefix('m')?.split_once('n')?;
        rest.split_once('k')?.0.parse().ok()
    })
}

/// The dimensions that one of these words says: 2 of `2d`.
pub fn dimensions(words: &[&str]) -> Option<usize> {
    let digit = |word: &&str| word.strip_suffix('d')?.parse().ok().filter(|d| (1..=5).contains(d));
    words.iter().find_map(digit)
}

/// How many coordinates a copy has: four rows and a column where it gathers or scatters, one for each dimension elsewhere.
pub fn coordinates(words: &[&str]) -> Option<usize> {
    match words.iter().any(|w| matches!(*w, "tile::gather4" | "tile::scatter4")) {
        true => Some(5),
        false => dimensions(words),
    }
}

/// Which things may stand for a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Registers and constants.
    Any,
    /// Constants.
    Immediate,
    /// Registers.
    Register,
    /// Registers, constants, special registers and addresses of symbols.
    Mov,
    /// Registers, constants and special registers.
    Special,
    /// Registers and addresses of symbols.
    Cvta,
    /// `_`.
    Sink,
    /// 1 and -1.
    Sign,
    /// Registers and constants, and parts of registers of 32 bits.
    Part(Selector),
}

/// What may select a part of a register of 32 bits (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A byte or a half: `.b0` to `.b3`, `.h0`, `.h1`.
    Source,
    /// The same, and the value may be negated.
    Signed,
    /// No part; the value may be negated.
    Negated,
    /// Which halves of a result are written: `.h0 .h1 .h10`.
    HalfMask,
    /// Which bytes of a result are written: `.b0` to `.b3210`.
    ByteMask,
    /// Two of the four halves of two sources: `.h10`, each of 0 to 3.
    Halves,
    /// Four of the eight bytes of two sources: `.b3210`, each of 0 to 7.
    Bytes,
}

impl Selector {
    /// Whether the word without its dot is one of these.
    pub fn takes(self, word: &str) -> bool {
        let Some(kind) = word.as_bytes().first() else { return false };
        let digits = &word.as_bytes()[1..];
        let below = |n: u8| digits.iter().all(|d| (b'0'..b'0' + n).contains(d));
        let mask = |n: u8| !digits.is_empty() && below(n) && digits.windows(2).all(|w| w[0] > w[1]);
        match (self, kind) {
            (Selector::Source | Selector::Signed, b'b') => digits.len() == 1 && below(4),
            (Selector::Source | Selector::Signed, b'h') => digits.len() == 1 && below(2),
            (Selector::HalfMask, b'h') => mask(2),
            (Selector::ByteMask, b'b') => mask(4),
            (Selector::Halves, b'h') => digits.len() == 2 && below(4),
            (Selector::Bytes, b'b') => digits.len() == 4 && below(8),
            _ => false,
        }
    }
}

/// A type as a row names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// The n-th type suffix, from 0.
    Suffix(usize),
    /// Twice the width of the first type suffix.
    Wide,
    /// `.uN` of the width of the first type suffix: its registers are integers or untyped.
    Integer,
    /// This type.
    Fixed(Type),
}

impl TypeRef {
    /// The type, given the suffixes.
    pub fn resolve(self, types: &[Type]) -> Type {
        match self {
            TypeRef::Suffix(i) => types[i],
            TypeRef::Fixed(ty) => ty,
            TypeRef::Integer => Type::U(types[0].width() as u8),
            TypeRef::Wide => match types[0] {
                Type::U(n) => Type::U(n * 2),
                Type::S(n) => Type::S(n * 2),
                other => other,
            },
        }
    }
}

/// The files of rows, by family.
#[rustfmt::skip]
const FILES: [(&str, &str); 19] = [
    ("integer", include_str!("table/rows/integer.txt")),
    ("bits", include_str!("table/rows/bits.txt")),
    ("float", include_str!("table/rows/float.txt")),
    ("compare", include_str!("table/rows/compare.txt")),
    ("convert", include_str!("table/rows/convert.txt")),
    ("memory", include_str!("table/rows/memory.txt")),
    ("warp", include_str!("table/rows/warp.txt")),
    ("matrix", include_str!("table/rows/matrix.txt")),
    ("async", include_str!("table/rows/async.txt")),
    ("texture", include_str!("table/rows/texture.txt")),
    ("control", include_str!("table/rows/control.txt")),
    (VIDEO, include_str!("table/rows/video.txt")),
    // From here on without a model, which `unmodelled` relies on.
    (UNMODELLED, include_str!("table/rows/narrow.txt")),
    ("tensor", include_str!("table/rows/tensor.txt")),
    ("sparse", include_str!("table/rows/sparse.txt")),
    ("multimem", include_str!("table/rows/multimem.txt")),
    ("wide", include_str!("table/rows/wide.txt")),
    ("copies", include_str!("table/rows/copies.txt")),
    // The last, which `legacy` relies on.
    (LEGACY, include_str!("table/rows/legacy.txt")),
];

/// The family of rows that are gone.
const LEGACY: &str = "legacy";

/// The family whose rows are one operation, [`Op::Video`].
const VIDEO: &str = "video";

/// The first family of rows without a model.
const UNMODELLED: &str = "narrow";

/// The words behind `$name`.
const GROUPS: &str = include_str!("table/rows/groups.txt");

/// The operation of all rows of a file, where it is not the heads that say it.
fn operation(file: usize) -> Option<Op> {
    let unmodelled = FILES.iter().position(|(family, _)| *family == UNMODELLED).unwrap_or(FILES.len());
    match FILES[file].0 {
        VIDEO => Some(Op::Video),
        LEGACY => None,
        _ => (file >= unmodelled).then_some(Op::Unmodelled),
    }
}

static WORDS: LazyLock<notation::Groups> = LazyLock::new(|| notation::groups(GROUPS));

fn read(file: usize, line: &'static str) -> Row {
    notation::row(FILES[file].0, line, operation(file), &WORDS)
}

/// Every line with the index of its file.
fn lines() -> impl Iterator<Item = (usize, &'static str)> {
    FILES.iter().enumerate().flat_map(|(file, (_, text))| notation::lines(text).map(move |line| (file, line)))
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| lines().map(|(file, line)| read(file, line)).collect());

/// The lines of a root, and the rows that they are once one was asked for: a module has few of the roots, and to read all takes longer than to compile it.
#[derive(Default)]
struct Root {
    lines: Vec<(usize, &'static str)>,
    rows: OnceLock<Vec<Row>>,
}

static BY_ROOT: LazyLock<FxHashMap<&'static str, Root>> = LazyLock::new(|| {
    let mut map: FxHashMap<_, Root> = FxHashMap::default();
    for (file, line) in lines() {
        map.entry(notation::root(line)).or_default().lines.push((file, line));
    }
    map
});

/// Every row of today's PTX that has a model.
pub fn rows() -> &'static [Row] {
    &ROWS[..ROWS.len() - legacy().len() - unmodelled().len()]
}

/// The rows that are checked and have no model: [`Op::Unmodelled`].
pub fn unmodelled() -> &'static [Row] {
    let first = ROWS.iter().position(|row| row.op == Op::Unmodelled).unwrap_or(ROWS.len());
    &ROWS[first..ROWS.len() - legacy().len()]
}

/// The rows that newer versions or targets no longer have.
pub fn legacy() -> &'static [Row] {
    let first = ROWS.iter().position(|row| row.family == LEGACY).unwrap_or(ROWS.len());
    &ROWS[first..]
}

/// The rows of a root, such as `add`, those of older versions last.
pub fn rows_of(root: &str) -> impl Iterator<Item = &'static Row> {
    let read = |root: &'static Root| {
        root.rows.get_or_init(|| root.lines.iter().map(|&(file, line)| read(file, line)).collect())
    };
    BY_ROOT.get(root).into_iter().flat_map(read)
}

/// The roots that have rows, in alphabetical order.
pub fn roots() -> Vec<&'static str> {
    let mut roots: Vec<_> = BY_ROOT.keys().copied().collect();
    roots.sort_unstable();
    roots
}
