//! Loops around a compare-and-swap that stand for one atomic operation (A-RETRY).
//!
//! What the hardware has no instruction for is done by a loop: the word is loaded, a new one is made of it, and `CAS` puts the new one in
//! its place if the old one is there still; else the loop goes on with what was there. Such a loop is taken for one change of the
//! word, whose answer is the word that the last `CAS` found: the round that ends the loop is gone through with this word as the one
//! that was expected.
//!
//! Why that is the same: a `CAS` that fails stores nothing, and what it answered goes into the next round alone. In the last round the word found
//! is the one expected, whatever it was that was expected first, and that is how the loop is left. So what it leaves in registers and in
//! memory is what the last round makes of the word found, and the change is as atomic as the `CAS`. What was there in
//! between does not matter (a word that came back is the same word). A failing `CAS` is a relaxed read more, which allows nothing that
//! was not allowed. The first load has no other use than to be expected, which is looked at here; its address is that of the `CAS`. That the loop
//! ends is A-RETRY: a `CAS` fails only where another thread has changed the word since it was looked at, so that somebody always gets on.
//!
//! What is asked of the code, by its text (everything else is no such loop, and is gone through like others):
//! - one piece of straight code with one way in and one branch back; behind a `BSSY` its `BSYNC` is where it is left for, else lanes are taken to be
//!   apart behind it;
//! - nothing in it but arithmetic without guards, the one `CAS`, and the branches;
//! - what a round reads was written outside of it, or before in the same round, or is the word expected;
//! - the word expected is what the round started from, it becomes what the `CAS` found (or is loaded anew), and nothing else is written
//!   on the way back alone;
//! - the loop is left if, and only if, what was found is what was expected, as integers; by `CAST`, if it says so;
//! - the address does not depend on the word.
//!
//! Loops that expect something else than the word they started from are those of `guess`.

pub mod guess;

use crate::inputs::Inputs;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_chip::Chip;
use sassafras_isa::{Access, ControlFlowKind, Inst, RegClass, Register, Style, decode, print};
use sassafras_semantics::{Domain, Scope, Space, TermId};
use std::collections::BTreeSet;

/// The first of the registers that hold what is known of loops.
const KNOWN: u32 = 0x1_0000;

/// How many there are for each.
const KEPT: u32 = 5;

/// Mnemonics of what may be computed in a round.
const COMPUTES: [&str; 21] = [
    "DADD", "DMUL", "FADD", "FFMA", "FMNMX", "FMUL", "FSEL", "HADD2", "HFMA2", "HMUL2", "IADD3", "IMAD",
    "IMNMX", "ISETP", "LEA", "LOP3", "MOV", "PRMT", "SEL", "SHF", "VIADD",
];

/// A loop around a compare-and-swap. Places are indices of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The load of the word that is expected first, or in each round; none if that is any value.
    pub load: Option<usize>,
    /// Where a round begins.
    pub first: usize,
    /// The compare-and-swap.
    pub swap: usize,
    /// The branch that decides whether there is another round.
    pub decides: usize,
    /// The branch back.
    pub last: usize,
    /// Where the loop is left for.
    pub out: usize,
    /// Whether the lanes meet there.
    pub meets: bool,
    /// Whether lanes that wait there may be let go on without those in the loop, which `YIELD` (C11).
    pub yields: bool,
    /// Where the word lies, and who sees the change.
    pub kind: (Space, Scope),
    /// Registers of the word that is expected, the low one first; of the guess, where the word expected is made of one.
    pub expected: Vec<u32>,
    /// What is known besides of a loop that makes the word expected of a guess.
    pub guess: Option<Guess>,
    /// The register that holds the address of the load, for the prover.
    pub address: Register,
    /// The register that holds the word found, for the prover.
    pub found: Register,
}

/// What is known besides of a loop that makes the word expected of a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// What a round writes.
    pub written: Vec<Register>,
    /// Registers of the word that is expected, the low one first.
    pub expects: Vec<u32>,
    /// Registers of the word that is put in its place.
    pub makes: Vec<u32>,
    /// Registers of the word found.
    pub finds: Vec<u32>,
    /// The register that holds the guess, for the prover.
    pub guess: Register,
    /// The one that holds the word expected.
    pub expected: Register,
    /// The one that holds the word put in its place.
    pub made: Register,
}

impl Retry {
    /// The registers that a round starts from, where the word expected is the word found; or where it is made of a guess.
    pub fn words(
        &self,
        inputs: &Inputs<'_>,
        registers: &FxHashMap<Register, TermId>,
    ) -> Vec<(Register, TermId)> {
        let from = self.guess.as_ref().map_or(self.found, |g| g.guess);
        let Some(found) = registers.get(&from) else { return Vec::new() };
        let part = |i: usize| inputs.terms.extract(found, 32 * i as u32, 32);
        let of = |(i, number): (usize, &u32)| (Register { class: RegClass::R, number: *number }, part(i));
        self.expected.iter().enumerate().map(of).collect()
    }
}

/// A register that holds what is known of the loop around a swap.
fn kept(swap: usize, which: u32) -> Register {
    Register { class: RegClass::R, number: KNOWN + KEPT * swap as u32 + which }
}

/// What an instruction reads or writes, each register by itself.
fn registers(inst: &Inst, access: Access) -> Vec<(RegClass, u32)> {
    let all = inst.operands().filter(|o| o.access == access);
    all.flat_map(|o| (0..u32::from(o.units)).map(move |i| (o.class, o.number + i))).collect()
}

/// The registers of an operand by its name; none for RZ.
fn named(inst: &Inst, name: &str, access: Access) -> Option<Vec<u32>> {
    let own = inst.operands().find(|o| o.name == name && o.access == access && o.class == RegClass::R)?;
    Some((0..u32::from(own.units)).map(|i| own.number + i).collect())
}

/// Code with what is asked of it again and again.
struct Code {
    insts: Vec<Inst>,
    texts: Vec<String>,
    /// From where each place is jumped to.
    jumps: Vec<(usize, usize)>,
}

impl Code {
    /// None if some jump goes nobody knows where.
    fn of(words: &[u128], chip: Chip) -> Option<Code> {
        let insts: Vec<Inst> = words.iter().map(|w| decode(*w, chip).ok()).collect::<Option<_>>()?;
        let texts = insts.iter().map(|i| print(i, &Style::default()).replace(".reuse", "")).collect();
        let mut jumps = Vec::new();
        for (at, inst) in insts.iter().enumerate() {
            use ControlFlowKind as K;
            match inst.row().control_flow {
                None
                | Some(K::Branch | K::Exit | K::Trap | K::Push | K::Sync | K::Break | K::Warp | K::Block) => {
                }
                Some(_) => return None,
            }
            if let Some(offset) = inst.get("t") {
                let to = (at as i64 + 1).checked_add(offset as i64 / 16)?;
                jumps.push((at, usize::try_from(to).ok()?));
            }
        }
        Some(Code { insts, texts, jumps })
    }

    /// Whether nothing but `from` jumps to a place.
    fn reached_from(&self, to: usize, from: Option<usize>) -> bool {
        self.jumps.iter().all(|(f, t)| *t != to || Some(*f) == from)
    }

    fn reads(&self, at: usize) -> Vec<(RegClass, u32)> {
        registers(&self.insts[at], Access::Read)
    }

    fn writes(&self, at: usize) -> Vec<(RegClass, u32)> {
        registers(&self.insts[at], Access::Write)
    }

    fn writes_any(&self, at: usize, registers: &[u32]) -> bool {
        self.writes(at).iter().any(|(class, n)| *class == RegClass::R && registers.contains(n))
    }

    fn reads_any(&self, at: usize, registers: &[u32]) -> bool {
        self.reads(at).iter().any(|(class, n)| *class == RegClass::R && registers.contains(n))
    }

    /// The mnemonic with its modifiers.
    fn head(&self, at: usize) -> &str {
        self.texts[at].split(' ').next().unwrap_or_default()
    }

    /// Whether it waits for nobody and goes nowhere else.
    fn is_straight(&self, at: usize) -> bool {
        match self.insts[at].row().control_flow {
            None | Some(ControlFlowKind::Block) => true,
            Some(_) => self.texts[at] == "YIELD",
        }
    }

    /// A load of words of a memory into just these registers, by an address as the swap has it.
    fn loads(&self, at: usize, swap: usize, space: Space, registers: &[u32]) -> bool {
        let generic = self.insts[swap].row().mnemonic == "ATOM";
        let heads: &[&str] = match space {
            Space::Shared => &["LDS", "LDS.64"],
            _ if generic => &["LD.E", "LD.E.64", "LD.E.STRONG.GPU", "LD.E.64.STRONG.GPU"],
            _ => &["LDG.E", "LDG.E.64", "LDG.E.STRONG.GPU", "LDG.E.64.STRONG.GPU"],
        };
        let wide = self.head(at).contains(".64");
        heads.contains(&self.head(at))
            && wide == (registers.len() == 2)
            && self.writes(at) == registers.iter().map(|n| (RegClass::R, *n)).collect::<Vec<_>>()
    }

    /// The branches of a loop around the swap: that which decides, that which goes back, and where the loop is left for.
    fn branches(&self, swap: usize) -> Option<[usize; 4]> {
        let (last, first) = self.jumps.iter().copied().find(|(from, to)| *from > swap && *to <= swap)?;
        let branch = |at: usize| {
            let text = self.texts[at].rsplit_once("BRA pc(").map(|(guard, _)| guard);
            text.is_some_and(|guard| {
                guard.is_empty() || guard.starts_with('@') && guard.matches(' ').count() == 1
            })
        };
        let inside: Vec<usize> =
            self.jumps.iter().map(|j| j.0).filter(|f| (first..last).contains(f)).collect();
        if !branch(last) || inside.iter().any(|at| !branch(*at)) {
            return None;
        }
        match inside[..] {
            [] => Some([first, last, last, last + 1]),
            [leaves] if leaves > swap && self.texts[last].starts_with("BRA") => {
                let out = self.jumps.iter().find(|j| j.0 == leaves)?.1;
                Some([first, leaves, last, out])
            }
            _ => None,
        }
    }

    /// The predicate that holds, or fails, if what was found is what was expected: the loop is left then.
    fn decides(&self, swap: usize, decides: usize, expected: &[u32], found: &[u32], tells: bool) -> bool {
        let compares: Vec<usize> =
            (swap + 1..decides).filter(|i| self.insts[*i].row().mnemonic == "ISETP").collect();
        let guard = self.insts[decides].guard;
        if guard.uniform || guard.pred == 7 || compares.len() != expected.len() {
            return false;
        }
        // The branch goes back, or leaves.
        let back = self.jumps.iter().any(|j| j.0 == decides && j.1 <= swap);
        let p = guard.pred;
        let equal = |relation: &str| {
            compares.iter().enumerate().all(|(i, at)| {
                let word = |n: u32| {
                    if tells { if i == 0 { "0x1".into() } else { "RZ".into() } } else { format!("R{n}") }
                };
                let (a, b) = (format!("R{}", found[i]), word(expected[i]));
                let end = |x: &str, y: &str| match i {
                    0 => format!("ISETP.{relation}.U32.AND P{p}, PT, {x}, {y}, PT"),
                    _ => format!("ISETP.{relation}.U32.AND.EX P{p}, PT, {x}, {y}, PT, P{p}"),
                };
                self.texts[*at] == end(&a, &b) || self.texts[*at] == end(&b, &a)
            })
        };
        let Some(&end) = compares.last() else { return false };
        // What is compared is what was found and expected, and the answer is the last thing that the predicate is.
        let kept = (swap + 1..=end).all(|i| !self.writes_any(i, expected) && !self.writes_any(i, found));
        let once = |i: usize| compares.contains(&i) || !self.writes(i).contains(&(RegClass::P, p));
        let holds = if equal("EQ") {
            !guard.negate
        } else if equal("NE") {
            guard.negate
        } else {
            return false;
        };
        kept && (swap + 1..decides).all(once) && holds != back
    }

    /// Who sees a compare-and-swap of global memory, or by a generic address (that it is global is seen where it is done), if it is one that answers nothing but the word found.
    fn global(&self, swap: usize) -> Option<Scope> {
        let head = self.head(swap);
        let scopes = [("GPU", Scope::Gpu), ("SYS", Scope::Sys)];
        let own = scopes.into_iter().find(|(name, _)| {
            let of = |memory: &str| ["", ".64"].map(|ty| format!("{memory}.E.CAS{ty}.STRONG.{name}"));
            let heads = [of("ATOMG"), of("ATOM")].concat();
            heads.iter().any(|h| h == head) && self.texts[swap].starts_with(&format!("{head} PT, "))
        });
        own.map(|(_, scope)| scope)
    }

    /// The loop around a compare-and-swap, if it is one.
    fn retry(&self, swap: usize) -> Option<Retry> {
        let head = self.head(swap);
        let cast = ["ATOMS.CAST.SPIN", "ATOMS.CAST.SPIN.64"].contains(&head);
        let plain = ["ATOMS.CAS", "ATOMS.CAS.64"].contains(&head);
        let kind = match self.global(swap) {
            Some(scope) => (Space::Global, scope),
            None if cast || plain => (Space::Shared, Scope::Cta),
            None => return None,
        };
        let own = &self.insts[swap];
        let expected = named(own, "b", Access::Read)?;
        let found = named(own, "d", Access::Write)?;
        let [first, decides, last, out] = self.branches(swap)?;
        let apart = expected.len() == found.len() && expected.iter().all(|e| !found.contains(e));
        let entered =
            self.reached_from(first, Some(last)) && (first + 1..=last).all(|i| self.reached_from(i, None));
        if !apart || !entered || !self.decides(swap, decides, &expected, &found, cast) {
            return None;
        }
        let anew = self.loads(first, swap, kind.0, &expected);
        if cast && !anew || !self.round(first, swap, decides, last, &expected, anew) {
            return None;
        }
        if !anew && !self.goes_on(swap, last, &expected, &found) {
            return None;
        }
        let (load, barrier) = self.before(first, swap, kind.0, &expected);
        let meets = self.meets(out, barrier)?;
        let load = if anew { Some(first) } else { load };
        Some(Retry {
            kind,
            load,
            first,
            swap,
            decides,
            last,
            out,
            meets,
            yields: self.yields(first, last),
            expected,
            guess: None,
            address: kept(swap, 0),
            found: kept(swap, 1),
        })
    }

    /// Whether an instruction does nothing but compute, without a guard.
    fn computes(&self, i: usize) -> bool {
        let row = self.insts[i].row();
        let quiet = row.memory.is_none() && row.control_flow.is_none() && COMPUTES.contains(&row.mnemonic);
        let idle = ["YIELD", "NOP"].contains(&self.texts[i].as_str());
        let files = self.writes(i).iter().all(|(class, _)| matches!(class, RegClass::R | RegClass::P));
        (quiet && files || idle) && !self.texts[i].starts_with('@')
    }

    /// Whether a round does nothing but compute, from what it may read, without guards; and the address is no matter of the word.
    fn round(
        &self,
        first: usize,
        swap: usize,
        decides: usize,
        last: usize,
        expected: &[u32],
        anew: bool,
    ) -> bool {
        let start = if anew { first + 1 } else { first };
        let all = start..=last;
        let branches = [decides, last];
        let swaps = |i: usize| i == swap && !self.texts[i].starts_with('@');
        if anew && self.texts[first].starts_with('@')
            || !all.clone().all(|i| branches.contains(&i) || swaps(i) || self.computes(i))
        {
            return false;
        }
        let word = |r: &(RegClass, u32)| r.0 == RegClass::R && expected.contains(&r.1);
        let changed: FxHashSet<(RegClass, u32)> = (first..=last).flat_map(|i| self.writes(i)).collect();
        let mut written: FxHashSet<(RegClass, u32)> = FxHashSet::default();
        let mut of_word: BTreeSet<(RegClass, u32)> = expected.iter().map(|n| (RegClass::R, *n)).collect();
        if anew && self.reads(first).iter().any(|r| changed.contains(r)) {
            return false;
        }
        for i in all {
            let reads = self.reads(i);
            if reads.iter().any(|r| changed.contains(r) && !written.contains(r) && !word(r)) {
                return false;
            }
            if i == swap {
                let values =
                    ["b", "c"].map(|n| named(&self.insts[i], n, Access::Read).unwrap_or_default()).concat();
                let address = self.insts[i]
                    .operands()
                    .filter(|o| o.access == Access::Read && !["b", "c"].contains(&o.name));
                let mut address =
                    address.flat_map(|o| (0..u32::from(o.units)).map(move |n| (o.class, o.number + n)));
                if address.any(|r| of_word.contains(&r)) || values.is_empty() {
                    return false;
                }
            }
            // Only the word expected is written on the way back, and before the swap it is not.
            let writes = self.writes(i);
            if i <= swap && writes.iter().any(word) || i > decides && !writes.iter().all(word) {
                return false;
            }
            let tells = i == swap || reads.iter().any(|r| of_word.contains(r));
            for w in writes {
                if tells {
                    of_word.insert(w)
                } else {
                    of_word.remove(&w)
                };
                written.insert(w);
            }
        }
        true
    }

    /// Whether the next round expects what the swap found.
    fn goes_on(&self, swap: usize, last: usize, expected: &[u32], found: &[u32]) -> bool {
        let writes: Vec<usize> = (swap + 1..last).filter(|i| self.writes_any(*i, expected)).collect();
        writes.len() == expected.len()
            && expected.iter().zip(found).all(|(e, f)| {
                let moves = [format!("MOV R{e}, R{f}"), format!("IMAD.MOV.U32 R{e}, RZ, RZ, R{f}")];
                writes.iter().any(|at| {
                    moves.contains(&self.texts[*at]) && (swap + 1..=*at).all(|i| !self.writes_any(i, found))
                })
            })
    }

    /// The straight code before the loop: the load of the first word that is expected, if it has no other use, and the barrier that is set.
    fn before(
        &self,
        first: usize,
        swap: usize,
        space: Space,
        expected: &[u32],
    ) -> (Option<usize>, Option<String>) {
        let (mut load, mut barrier, mut looking) = (None, None, true);
        for at in (0..first).rev() {
            let text = &self.texts[at];
            let sets = text.strip_prefix("BSSY B").and_then(|t| t.split(',').next());
            if let Some(number) = sets.filter(|_| barrier.is_none()) {
                barrier = Some(number.to_owned());
            } else if !self.is_straight(at) {
                break;
            }
            // A move of a register to itself is no use of it.
            let idle = expected.iter().any(|e| *text == format!("MOV R{e}, R{e}"));
            if looking && !idle && (self.writes_any(at, expected) || self.reads_any(at, expected)) {
                looking = false;
                // A load whose address is made of what it overwrites reads these registers before.
                load = Some(at).filter(|at| self.loads(*at, swap, space, expected));
            }
            if !self.reached_from(at, None) {
                break;
            }
        }
        (load, barrier)
    }

    /// Whether lanes yield in a round.
    fn yields(&self, first: usize, last: usize) -> bool {
        (first..=last).any(|i| self.texts[i] == "YIELD")
    }

    /// Whether the lanes meet where a loop is left for, by the barrier that was set before it; none if they wait elsewhere.
    fn meets(&self, out: usize, barrier: Option<String>) -> Option<bool> {
        let text = self.texts.get(out)?;
        match barrier {
            Some(number) => (*text == format!("BSYNC B{number}")).then_some(true),
            None => Some(false),
        }
    }
}

/// The loops of code that stand for one atomic operation each.
pub fn loops(words: &[u128], chip: Chip) -> Vec<Retry> {
    let Some(code) = Code::of(words, chip) else { return Vec::new() };
    (0..words.len()).filter_map(|i| code.retry(i).or_else(|| code.guess(i))).collect()
}
