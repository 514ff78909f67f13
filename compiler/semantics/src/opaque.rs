//! Opaque operations: what the machine is known to do by name, operands, results and effects alone.
//!
//! A PTX instruction whose result no model here computes (a texture fetch, a barrier object, a bulk copy) is one of these. `ptx` and `isa`
//! each say by their own sources which one an instruction is, the IR carries it through, selection finds its row by its words, executors
//! may give it a meaning, and the prover takes it as an event with all operands, whose results are the same on both sides
//! where names and operands are.
//!
//! The rows stand in `opaque/families.txt`, whose head describes the notation; every alternative is one operation. An operation that has no row
//! does not exist: [`Opaque::named`] is `None`.

use crate::domain::{BinaryOp, Domain};
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

const FAMILIES: &str = include_str!("opaque/families.txt");

/// One opaque operation: a full name of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opaque(u16);

/// What a row says of all its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Widths of the arguments in bits.
    pub arguments: Vec<u32>,
    /// Widths of the results in bits.
    pub results: Vec<u32>,
    /// The results are a function of the arguments.
    pub pure: bool,
    /// No access to memory moves across it.
    pub orders: bool,
    /// All lanes of the warp execute it together.
    pub of_whole_warp: bool,
    /// A machine that performs every access at once does nothing at it.
    pub timing: bool,
    /// The hardware does it once for all lanes that execute it, with operands from uniform registers.
    pub alone: bool,
    /// The first argument is one for all lanes that execute it, from a uniform register.
    pub handle: bool,
    /// It changes nothing, and what it gives depends on what effects came before.
    pub reads: bool,
    /// Done again with the same operands it changes nothing.
    pub idempotent: bool,
}

struct Table {
    families: Vec<Family>,
    /// Name and index of the family.
    all: Vec<(&'static str, usize)>,
    by_name: HashMap<&'static str, Opaque>,
    heads: Vec<&'static str>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let (mut families, mut all) = (Vec::new(), Vec::new());
    for line in FAMILIES.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        for line in by_columns(line) {
            let (head, family) = row(line);
            all.extend(expansions(head).into_iter().map(|name| (&*name.leak(), families.len())));
            families.push(family);
        }
    }
    let by_name: HashMap<_, _> = all.iter().zip(0..).map(|((name, _), i)| (*name, Opaque(i))).collect();
    assert_eq!(by_name.len(), all.len(), "two opaque operations have one name");
    let mut heads: Vec<&str> = all.iter().map(|(name, _)| head(name)).collect();
    heads.sort_unstable();
    heads.dedup();
    Table { families, all, by_name, heads }
});

/// The name up to its first dot.
fn head(name: &'static str) -> &'static str {
    name.split('.').next().unwrap_or(name)
}

/// The rows that one with `%n` or `%d` stands for: one for each number of columns or dimensions.
fn by_columns(line: &'static str) -> Vec<&'static str> {
    if line.contains("%d") {
        return (1..=5).map(|d| &*line.replace("%d", &d.to_string()).leak()).collect();
    }
    if !line.contains("%n") {
        return vec![line];
    }
    let with = |n: u32| {
        let line = line.replace("%n/2", &(n / 2).to_string()).replace("%n/4", &(n / 4).to_string());
        &*line.replace("%n", &n.to_string()).leak()
    };
    (8..=256).step_by(8).map(with).collect()
}

/// Reads a row. One that cannot be read is a mistake in this program, which any test that touches the table finds.
fn row(line: &'static str) -> (&'static str, Family) {
    let bad = "an opaque operation's row can be read";
    let (left, effects) = line.split_once(';').expect(bad);
    let (left, results) = left.split_once("->").expect(bad);
    let (head, arguments) = left.trim().split_once(' ').unwrap_or((left.trim(), ""));
    let widths = |text: &str| {
        let mut all = Vec::new();
        for word in text.split_whitespace() {
            let (width, count) = word.split_once('*').unwrap_or((word, "1"));
            let number = |t: &str| t.parse::<u32>().expect(bad);
            all.extend(vec![number(width); number(count) as usize]);
        }
        all
    };
    let mut family = Family {
        arguments: widths(arguments),
        results: widths(results),
        pure: false,
        orders: false,
        of_whole_warp: false,
        timing: false,
        alone: false,
        handle: false,
        reads: false,
        idempotent: false,
    };
    for effect in effects.split_whitespace() {
        match effect {
            "pure" => family.pure = true,
            "orders" => family.orders = true,
            "warp" => family.of_whole_warp = true,
            "timing" => family.timing = true,
            "alone" => family.alone = true,
            "handle" => family.handle = true,
            "reads" => family.reads = true,
            "idempotent" => family.idempotent = true,
            _ => panic!("{bad}: {line}"),
        }
    }
    (head, family)
}

/// Every name that a head with alternatives stands for.
fn expansions(head: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut rest = head;
    while !rest.is_empty() {
        let (inner, optional, after) = if let Some(r) = rest.strip_prefix('{') {
            let (inner, after) = r.split_once('}').expect("`}` closes `{`");
            (inner, true, after)
        } else if rest.starts_with(".<") || rest.starts_with('<') {
            let at = rest.find('>').expect("`>` closes `<`") + 1;
            (&rest[..at], false, &rest[at..])
        } else {
            let at = rest[1..].find(['.', '{', '<']).map_or(rest.len(), |i| i + 1);
            (&rest[..at], false, &rest[at..])
        };
        let (dot, words) = inner.strip_prefix('.').map_or(("", inner), |w| (".", w));
        let words = words.strip_prefix('<').and_then(|w| w.strip_suffix('>')).unwrap_or(words);
        let mut longer = Vec::new();
        for start in all {
            if optional {
                longer.push(start.clone());
            }
            longer.extend(words.split('|').map(|word| format!("{start}{dot}{word}")));
        }
        all = longer;
        rest = after;
    }
    all
}

impl Opaque {
    /// The operation of a name.
    pub fn named(name: &str) -> Option<Opaque> {
        TABLE.by_name.get(name).copied()
    }

    /// Every operation.
    pub fn all() -> impl Iterator<Item = Opaque> {
        (0..TABLE.all.len() as u16).map(Opaque)
    }

    /// The first words of all names, sorted.
    pub fn heads() -> &'static [&'static str] {
        &TABLE.heads
    }

    /// Its full name, words joined by dots.
    pub fn name(self) -> &'static str {
        TABLE.all[usize::from(self.0)].0
    }

    /// The first word of its name.
    pub fn head(self) -> &'static str {
        head(self.name())
    }

    /// What its row says.
    pub fn family(self) -> &'static Family {
        &TABLE.families[TABLE.all[usize::from(self.0)].1]
    }

    /// Whether a word stands in its name, the first aside.
    pub fn has(self, word: &str) -> bool {
        self.name().split('.').skip(1).any(|w| w == word)
    }
}

impl fmt::Display for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Opaque {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The word of a barrier object that waits for `count` arrivals, 32 bits, as the machine holds it (what ptxas 13.0 stores for `mbarrier.init`): bits 1 to 20
/// and 43 to 62 hold 2^20 less the count, of each phase and of this one; the carry of the arrivals flips the phase, bit 63. Between them bits 21 to 41 count bytes.
pub fn barrier_word<D: Domain>(d: &D, count: &D::V) -> D::V {
    let left = d.sub(&d.constant(32, 1 << 20), count);
    let shifted = |n: u128| d.binary(BinaryOp::Shl, &left, &d.constant(32, n));
    d.concat(&shifted(11), &shifted(1))
}

/// The word of a barrier object that waits for `count` arrivals, 32 bits, on a machine without a unit for such objects (what ptxas 13.0.88 makes of
/// `mbarrier` for sm_80). The low half is 2^30 less the count of each phase. The high half is 2^31 less that of this one, and the carry of the last
/// arrival flips bit 31, the phase; [`next_phase`] says what an arrival makes of it.
pub fn barrier_words<D: Domain>(d: &D, count: &D::V) -> D::V {
    let less = |all: u128| d.sub(&d.constant(32, all), count);
    d.concat(&less(1 << 31), &less(1 << 30))
}

/// What an arrival makes of such a word: one more in the high half. Where its low 31 bits become zero the phase has ended, and the count of the low half
/// begins anew.
pub fn next_phase<D: Domain>(d: &D, word: &D::V) -> D::V {
    let (low, high) = (d.extract(word, 0, 32), d.extract(word, 32, 32));
    let high = d.add(&high, &d.constant(32, 1));
    let ended = d.eq(&d.extract(&high, 0, 31), &d.constant(31, 0));
    // The phase stays as the carry has left it, also where everybody has dropped out and nobody is awaited.
    let again = d.extract(&d.add(&low, &d.constant(32, 1 << 30)), 0, 31);
    let again = d.concat(&d.extract(&high, 31, 1), &again);
    d.concat(&d.ite(&ended, &again, &high), &low)
}

/// The offsets of a box that is read by images to columns, 16 bits wide, in a word, as the machine holds them (what ptxas 13.0.88 makes of such copies):
/// one offset stands as it is, two have eight bits each, three have five. `None` for other numbers.
pub fn im2col_offsets<D: Domain>(d: &D, offsets: &[D::V]) -> Option<D::V> {
    let word = |v: &D::V| d.zext(v, 32);
    let low = |v: &D::V| d.zext(&d.extract(v, 0, 16), 32);
    Some(match offsets {
        [] => d.constant(32, 0),
        [only] => word(only),
        [a, b] => d.concat(&d.constant(16, 0), &d.concat(&d.extract(b, 0, 8), &d.extract(a, 0, 8))),
        [a, b, c] => {
            let shifted = |v: &D::V, n: u128| d.binary(BinaryOp::Shl, &word(v), &d.constant(32, n));
            low(&d.add(&d.add(&shifted(b, 5), &word(a)), &shifted(c, 10)))
        }
        _ => return None,
    })
}

/// The last argument of a warpgroup's product. Bit 0: A is negated. 1: B is. 2: A is transposed. 3: B is. 4: sums saturate. From 8 on: the
/// selector of the metadata. `rest` is what PTX says behind the predicate: two signs, if any, and transposes, of B alone where A stands in registers.
/// `None` for anything else.
pub fn product_flags(rest: &[u64], registers: bool, saturates: bool, selector: u64) -> Option<u32> {
    let sign = |n: u64| match n as i64 {
        1 => Some(0),
        -1 => Some(1),
        _ => None,
    };
    let bit = |n: u64| (n < 2).then_some(n as u32);
    let (a, b, rest) = match rest {
        [] => (0, 0, rest),
        [a, b, rest @ ..] => (sign(*a)?, sign(*b)?, rest),
        _ => return None,
    };
    let (ta, tb) = match (rest, registers) {
        ([], _) => (0, 0),
        ([b], true) => (0, bit(*b)?),
        ([a, b], false) => (bit(*a)?, bit(*b)?),
        _ => return None,
    };
    let selector = u32::try_from(selector).ok().filter(|s| *s < 4)?;
    Some(a | b << 1 | ta << 2 | tb << 3 | u32::from(saturates) << 4 | selector << 8)
}

/// The cache policy of `createpolicy.fractional` with these words and fraction, as the machine holds it (what ptxas 13.0 makes of constants): the kind in bits 56 to 60, in
/// bits 52 to 55 the sixteenths of the fraction, rounded up, less one.
pub fn cache_policy(words: &[&str], fraction: f32) -> Option<u64> {
    let mut kinds = words.iter().filter_map(|w| w.strip_prefix("L2::evict_"));
    let first = match kinds.next()? {
        "unchanged" => 0x100,
        "first" => 0x120,
        "last" => 0x140,
        "normal" => 0x160,
        _ => return None,
    };
    let second = match kinds.next() {
        None | Some("unchanged") => 0,
        Some("first") => 0x10,
        Some(_) => return None,
    };
    if !(fraction > 0.0 && fraction <= 1.0) {
        return None;
    }
    let sixteenths = (fraction * 16.0).ceil() as u64;
    Some(((first | second | (sixteenths - 1)) << 20) << 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alternative_is_an_operation() {
        let of = |head: &str| expansions(head);
        assert_eq!(of("a.<b|c>{.d}"), ["a.b", "a.b.d", "a.c", "a.c.d"]);
        assert_eq!(of("a{.<b|c::d>}.e"), ["a.e", "a.b.e", "a.c::d.e"]);
        assert_eq!(of("a"), ["a"]);
    }

    /// As ptxas 13.0 makes them of `createpolicy.fractional` and of `mbarrier.init`.
    #[test]
    fn words_of_the_machine() {
        assert_eq!(cache_policy(&["L2::evict_last"], 1.0), Some(0x14f0_0000_0000_0000));
        assert_eq!(
            cache_policy(&["L2::evict_first", "L2::evict_unchanged"], 0.5),
            Some(0x1270_0000_0000_0000)
        );
        assert_eq!(cache_policy(&["L2::evict_last", "L2::evict_first"], 0.25), Some(0x1530_0000_0000_0000));
        for (fraction, sixteenths) in [(0.01, 0), (0.0625, 0), (0.09, 1), (0.33, 5), (0.75, 11), (0.95, 15)] {
            let kind = cache_policy(&["L2::evict_last"], fraction).map(|p| p >> 52);
            assert_eq!(kind, Some(0x140 | sixteenths), "{fraction}");
        }
        let d = crate::Concrete::default();
        assert_eq!(barrier_word(&d, &d.constant(32, 32)).bits(), 0x7fff_0000_001f_ffc0);
        assert_eq!(barrier_words(&d, &d.constant(32, 9)).bits(), 0x7fff_fff7_3fff_fff7);
    }

    #[test]
    fn phases_of_words_end_by_the_last_arrival() {
        let d = crate::Concrete::default();
        for count in [1u32, 2, 9] {
            let first = barrier_words(&d, &d.constant(32, count.into()));
            let (mut word, mut phases) = (first, 0);
            for arrival in 1..=4 * count {
                word = next_phase(&d, &word);
                phases += u32::from(arrival % count == 0);
                let high = (word.bits() >> 32) as u32;
                assert_eq!(high >> 31, phases & 1, "{arrival} of {count}");
                assert_eq!((1 << 31) - (high & 0x7fff_ffff), count - arrival % count);
            }
            assert_eq!(word, first, "after four phases of {count}");
        }
    }

    #[test]
    fn names_are_found_and_say_their_words() {
        let wait = Opaque::named("griddepcontrol.wait").expect("a row");
        assert!(wait.has("wait") && !wait.has("launch_dependents") && !wait.has("griddepcontrol"));
        assert!(wait.family().orders && wait.family().results.is_empty());
        assert_eq!(wait.head(), "griddepcontrol");
        assert_eq!(Opaque::named("griddepcontrol"), None);
        assert!(Opaque::all().all(|o| Opaque::named(o.name()) == Some(o)));
        assert!(Opaque::all().all(|o| !(o.family().pure && (o.family().orders || o.family().of_whole_warp))));
    }
}
