//! Which of several places.

/// One of the places, by seed.
pub(super) fn choose<T>(mut places: Vec<T>, seed: u64) -> Option<T> {
    if places.is_empty() {
        return None;
    }
    // Fibonacci hashing spreads neighbouring seeds.
    let index = (seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % places.len() as u64;
    Some(places.swap_remove(index as usize))
}
