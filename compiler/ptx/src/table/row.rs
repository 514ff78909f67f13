//! What a row of the table says.

use super::features;
use crate::checked::{Op, Type};

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
    /// Whether each of its forms is a vector of more than 128 bits.
    pub fn is_wide(&self) -> bool {
        let lanes = |word: &&str| word.strip_prefix('v')?.parse::<u32>().ok();
        let vectors = self.elements.iter().filter(|e| !e.optional).filter_map(|e| {
            let counts: Option<Vec<u32>> = e.choices.iter().map(|c| c.words.iter().find_map(lanes)).collect();
            counts?.into_iter().min()
        });
        let types = self.elements.iter().find(|e| e.is_type()).into_iter().flat_map(|e| &e.choices);
        let narrowest = types.filter_map(|c| c.ty).map(|ty| ty.width()).min().unwrap_or(0);
        vectors.min().is_some_and(|lanes| lanes * narrowest > 128)
    }

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
