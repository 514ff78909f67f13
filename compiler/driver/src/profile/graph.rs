//! The graph of a function's words.

use sassafras_chip::Chip;
use sassafras_isa::{ControlFlowKind, DecodeError, FieldKind, Inst, decode};
use sassafras_placement::{self as placement, Edge, Flow, Kind, Node};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Why a function has no graph. Places are byte offsets in its code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A word is no instruction.
    #[error("{at:#06x}: {error}")]
    Word {
        /// Where it stands.
        at: u64,
        /// Why it is none.
        error: DecodeError,
    },
    /// No graph shows where control goes.
    #[error("{at:#06x}: {what} is in no graph")]
    NotShown {
        /// Where the instruction stands.
        at: u64,
        /// What it is.
        what: &'static str,
    },
    /// A branch leads behind the code.
    #[error("a branch leads to {to:#06x}, behind the code")]
    Beyond {
        /// Where it leads.
        to: u64,
    },
    /// Control goes on behind the last word, or to where no block begins.
    #[error("{at:#06x}: control leaves the code")]
    Leaves {
        /// Where the last instruction before that stands.
        at: u64,
    },
    /// Placement takes no such graph.
    #[error(transparent)]
    Flow(#[from] placement::Error),
}

/// A block, by indices of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its words.
    pub words: Range<usize>,
    /// Where its branch leads, if it ends by one.
    pub taken: Option<usize>,
    /// Whether the next word may follow.
    pub falls: bool,
    /// Whether its branch, if any, has a condition.
    pub conditional: bool,
}

impl Block {
    /// The last word.
    pub fn last(&self) -> usize {
        self.words.end - 1
    }
}

/// What a word does to the order of others.
struct End {
    taken: Option<usize>,
    falls: bool,
}

fn end(at: usize, inst: &Inst) -> Result<Option<End>, GraphError> {
    let fields = &inst.row().fields;
    let target = || {
        let field = fields.iter().position(|f| matches!(f.kind, FieldKind::Target { .. }))?;
        usize::try_from(at as i64 + 1 + inst.fields[field] as i64 / 16).ok()
    };
    // A branch may have a second condition among its operands, and `.DIV` and `.CONV` depend on the warp.
    let second = || {
        let given = |(f, &value): (&sassafras_isa::Field, &u64)| {
            matches!(f.kind, FieldKind::Register { .. }) && value != f.default
        };
        fields.iter().zip(&inst.fields).any(given) || matches!(inst.enum_text("mode"), Some(".DIV" | ".CONV"))
    };
    let always = inst.guard.is_always();
    let refused = |what| Err(GraphError::NotShown { at: 16 * at as u64, what });
    match inst.row().control_flow {
        Some(ControlFlowKind::Branch) => match target() {
            Some(to) => Ok(Some(End { taken: Some(to), falls: !always || second() })),
            None => refused("a branch without a target"),
        },
        Some(ControlFlowKind::Exit) => Ok(Some(End { taken: None, falls: !always || second() })),
        Some(ControlFlowKind::IndirectBranch) => refused("a branch to a computed address"),
        // Of a routine, which no block of the function leads to but by a call.
        Some(ControlFlowKind::Return) if inst.row().family == "ret" => {
            Ok(Some(End { taken: None, falls: false }))
        }
        Some(ControlFlowKind::Return) => refused("a return"),
        // One of an absolute address is of a function that the driver resolves, the other of a routine: both come back.
        Some(ControlFlowKind::Call) if !matches!(inst.row().family, "call.abs.r" | "call") => {
            refused("a call")
        }
        _ => Ok(None),
    }
}

/// The blocks of a function that control can reach, in the order of addresses.
///
/// # Errors
/// A word that is no instruction, or what no graph shows, with its address.
pub fn blocks(words: &[u128], chip: Chip) -> Result<Vec<Block>, GraphError> {
    let mut ends: HashMap<usize, End> = HashMap::new();
    let mut first: BTreeSet<usize> = BTreeSet::from([0]);
    for (at, &word) in words.iter().enumerate() {
        let inst = decode(word, chip).map_err(|error| GraphError::Word { at: 16 * at as u64, error })?;
        if let Some(found) = end(at, &inst)? {
            first.insert(at + 1);
            first.extend(found.taken);
            ends.insert(at, found);
        }
    }
    if let Some(beyond) = first.iter().find(|&&at| at > words.len()) {
        return Err(GraphError::Beyond { to: 16 * *beyond as u64 });
    }
    first.remove(&words.len());
    let starts: Vec<usize> = first.into_iter().collect();
    let all = starts.iter().enumerate().map(|(n, &start)| {
        let stop = starts.get(n + 1).copied().unwrap_or(words.len());
        let end = ends.get(&(stop - 1));
        let taken = end.and_then(|end| end.taken);
        let falls = end.is_none_or(|end| end.falls);
        Block { words: start..stop, taken, falls, conditional: taken.is_some() && falls }
    });
    Ok(reached(all.collect()))
}

/// Without padding behind the end, and what else is never run.
fn reached(all: Vec<Block>) -> Vec<Block> {
    let number: HashMap<usize, usize> =
        all.iter().enumerate().map(|(n, block)| (block.words.start, n)).collect();
    let mut seen = vec![false; all.len()];
    let mut work = vec![0];
    while let Some(n) = work.pop() {
        if n < all.len() && !std::mem::replace(&mut seen[n], true) {
            work.extend(all[n].falls.then_some(n + 1));
            work.extend(all[n].taken.and_then(|to| number.get(&to)));
        }
    }
    all.into_iter().zip(seen).filter_map(|(block, seen)| seen.then_some(block)).collect()
}

/// The graph as placement takes it, with counts: how often each word was issued, and how often control went on from a branch or a guarded exit to another
/// word. Without counts all are zero, and the flow says that nobody counted.
///
/// # Errors
/// As [`blocks`].
pub fn flow(
    words: &[u128],
    chip: Chip,
    counted: Option<(&[u64], &BTreeMap<(u64, u64), u64>)>,
) -> Result<Flow, GraphError> {
    let blocks = blocks(words, chip)?;
    let number: HashMap<usize, Node> =
        blocks.iter().enumerate().map(|(n, block)| (block.words.start, Node(n as u32))).collect();
    let issued = |at: usize| counted.and_then(|(counts, _)| counts.get(at).copied()).unwrap_or(0) as f64;
    let mut edges: Vec<Edge> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        let kind = if block.conditional { Kind::Conditional } else { Kind::Unconditional };
        let taken = block.taken.map(|to| (to, kind));
        let falls = block.falls.then_some((block.words.end, Kind::FallThrough));
        // The fall-through first: of a branch to the next word one edge is left.
        for (to, kind) in falls.into_iter().chain(taken) {
            let Some(&target) = number.get(&to) else {
                return Err(GraphError::Leaves { at: 16 * block.last() as u64 });
            };
            let from = Node(n as u32);
            if edges.iter().rev().take(2).any(|edge| edge.from == from && edge.to == target) {
                continue;
            }
            let went = counted.and_then(|(_, went)| went.get(&(block.last() as u64, to as u64)).copied());
            // Where nothing chooses, all that was issued went on.
            let plain = block.taken.is_none() && !decode(words[block.last()], chip).is_ok_and(|i| ends(&i));
            let frequency = if plain { issued(block.last()) } else { went.unwrap_or(0) as f64 };
            edges.push(Edge { from, to: target, frequency, kind });
        }
    }
    let data = blocks.iter().map(|block| placement::Block {
        size: 16 * block.words.len() as u64,
        frequency: issued(block.words.start),
        ..placement::Block::default()
    });
    Ok(Flow::new(Node(0), data.collect(), edges, Vec::new(), counted.is_some())?)
}

/// Whether the instruction may end the thread.
fn ends(inst: &Inst) -> bool {
    inst.row().control_flow == Some(ControlFlowKind::Exit)
}

/// FNV-1a of 64 bits of a function's words, so that a profile can say of which code it is.
pub fn hash(words: &[u128]) -> u64 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Cycles in which instructions were issued and the next one had to wait for their stall counts: what the control bits alone say.
///
/// # Errors
/// A word that is no instruction.
pub fn issue_cycles(words: &[u128], chip: Chip, counts: &[u64]) -> Result<u64, DecodeError> {
    words.iter().zip(counts).filter(|(_, count)| **count > 0).try_fold(0, |sum, (&word, &count)| {
        let inst = decode(word, chip)?;
        Ok(sum + count * u64::from(inst.control.stall.max(1)))
    })
}

/// How often a branch led elsewhere than to the next word.
pub fn taken_branches(edges: &BTreeMap<(u64, u64), u64>) -> u64 {
    edges.iter().filter(|((from, to), _)| *to != from + 1).map(|(_, count)| count).sum()
}
