//! Cross-lane operations as pure functions of the participating lanes, from the PTX ISA's definitions. Who participates is
//! the executor's business.

use sassafras_semantics::state::{ShuffleMode, VoteMode};
use sassafras_semantics::{AtomicOp, FloatFormat, Trap};

/// Lanes of a mask in ascending order.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |l| mask >> l & 1 != 0)
}

/// Source lane of a shuffle and whether it is in range (`shfl.sync`, pseudo-code of the PTX ISA). `b` and `c` are the
/// operands of `lane`.
pub fn shuffle_source(mode: ShuffleMode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let low = lane & segment;
    let high = low | (clamp & !segment);
    let (source, in_range) = match mode {
        ShuffleMode::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= high as i32),
        ShuffleMode::Down => (lane + b, lane + b <= high),
        ShuffleMode::Bfly => (lane ^ b, lane ^ b <= high),
        ShuffleMode::Idx => (low | (b & !segment), low | (b & !segment) <= high),
    };
    (if in_range { source } else { lane }, in_range)
}

/// Ballot and decision of a vote: `predicates` is the mask of lanes whose predicate holds.
pub fn vote(mode: VoteMode, predicates: u32, participants: u32) -> (u32, bool) {
    let ballot = predicates & participants;
    let decision = match mode {
        VoteMode::All => ballot == participants,
        VoteMode::Any | VoteMode::Ballot => ballot != 0,
        VoteMode::Uniform => ballot == 0 || ballot == participants,
    };
    (ballot, decision)
}

/// `match.any`: the participants whose value equals that of `lane`.
pub fn match_any(values: &[u128; 32], participants: u32, lane: usize) -> u32 {
    lanes(participants).filter(|&l| values[l] == values[lane]).fold(0, |m, l| m | 1 << l)
}

/// `match.all`: the participants and true if all have one value, else zero and false.
pub fn match_all(values: &[u128; 32], participants: u32) -> (u32, bool) {
    let mut of = lanes(participants).map(|l| values[l]);
    let first = of.next();
    if of.all(|v| Some(v) == first) { (participants, true) } else { (0, false) }
}

/// `redux.sync` of 32-bit values.
///
/// # Errors
/// [`Trap::Unsupported`] for an operation that has no reduction.
pub fn redux(op: AtomicOp, values: &[u128; 32], participants: u32) -> Result<u32, Trap> {
    let of = lanes(participants).map(|l| values[l] as u32);
    if let AtomicOp::MinF32 { abs, nan } | AtomicOp::MaxF32 { abs, nan } = op {
        let least = matches!(op, AtomicOp::MinF32 { .. });
        return Ok(float_extremum(of.collect::<Vec<u32>>(), least, abs, nan));
    }
    let combine: fn(u32, u32) -> u32 = match op {
        AtomicOp::Add => u32::wrapping_add,
        AtomicOp::SMin => |a, b| (a as i32).min(b as i32) as u32,
        AtomicOp::SMax => |a, b| (a as i32).max(b as i32) as u32,
        AtomicOp::UMin => u32::min,
        AtomicOp::UMax => u32::max,
        AtomicOp::And => |a, b| a & b,
        AtomicOp::Or => |a, b| a | b,
        AtomicOp::Xor => |a, b| a ^ b,
        _ => return Err(Trap::Unsupported(format!("redux of {op:?}"))),
    };
    Ok(of.reduce(combine).unwrap_or(0))
}

/// The least or largest number, -0 being below +0 (PTX ISA, "redux.sync"): without `nan` of those that are no NaN; the canonical NaN if there is none,
/// or with `nan` if one is.
fn float_extremum(values: Vec<u32>, least: bool, abs: bool, nan: bool) -> u32 {
    let value = |bits: u32| f32::from_bits(if abs { bits & 0x7fff_ffff } else { bits });
    let numbers: Vec<f32> = values.iter().map(|&bits| value(bits)).filter(|v| !v.is_nan()).collect();
    if nan && numbers.len() < values.len() {
        return FloatFormat::F32.canonical_nan() as u32;
    }
    let all = numbers.into_iter();
    let found = if least { all.min_by(f32::total_cmp) } else { all.max_by(f32::total_cmp) };
    found.map_or(FloatFormat::F32.canonical_nan() as u32, f32::to_bits)
}

/// The leader that `elect.sync` names: which lane it is, the ISA leaves open; here it is the lowest.
pub fn elect(participants: u32) -> u32 {
    participants.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_of_a_whole_warp() {
        let c = 31;
        assert_eq!(shuffle_source(ShuffleMode::Bfly, 5, 1, c), (4, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 30, 1, c), (31, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 31, 1, c), (31, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 1, 1, 0), (0, true));
        assert_eq!(shuffle_source(ShuffleMode::Up, 0, 1, 0), (0, false));
        assert_eq!(shuffle_source(ShuffleMode::Idx, 9, 33, c), (1, true));
    }

    #[test]
    fn shuffles_of_segments() {
        // Width 8: the segment mask is 0b11000.
        let c = 0x181f;
        assert_eq!(shuffle_source(ShuffleMode::Idx, 13, 2, c), (10, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 13, 3, c), (13, false));
        assert_eq!(shuffle_source(ShuffleMode::Down, 13, 2, c), (15, true));
        assert_eq!(shuffle_source(ShuffleMode::Up, 9, 2, 0x1800), (9, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 10, 2, 0x1800), (8, true));
        assert_eq!(shuffle_source(ShuffleMode::Bfly, 8, 16, c), (8, false));
    }

    #[test]
    fn votes_see_only_participants() {
        assert_eq!(vote(VoteMode::All, 0b0111, 0b0011), (0b0011, true));
        assert_eq!(vote(VoteMode::Any, 0b0100, 0b0011), (0, false));
        assert_eq!(vote(VoteMode::Uniform, 0b0100, 0b0011), (0, true));
        assert_eq!(vote(VoteMode::Uniform, 0b0001, 0b0011), (1, false));
    }

    #[test]
    fn matches_and_reductions() {
        let mut values = [7; 32];
        values[3] = 0xffff_ffff;
        assert_eq!(match_any(&values, 0b1111, 0), 0b0111);
        assert_eq!(match_any(&values, 0b1111, 3), 0b1000);
        assert_eq!(match_all(&values, 0b0111), (0b0111, true));
        assert_eq!(match_all(&values, 0b1111), (0, false));
        assert_eq!(redux(AtomicOp::SMin, &values, 0b1111), Ok(u32::MAX));
        assert_eq!(redux(AtomicOp::UMin, &values, 0b1111), Ok(7));
        assert_eq!(redux(AtomicOp::Add, &values, 0b1111), Ok(20));
        assert!(redux(AtomicOp::Exch, &values, 1).is_err());
        assert_eq!(elect(0b1100), 2);
    }
}
