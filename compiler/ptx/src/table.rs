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
pub mod row;

use crate::checked::Op;
pub use row::{
    Choice, Element, Only, Row, Selector, Since, Slot, SlotKind, Texture, TypeRef, Value, columns,
    coordinates, dimensions,
};
use rustc_hash::FxHashMap;
use std::sync::{LazyLock, OnceLock};

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
