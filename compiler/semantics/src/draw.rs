//! Draws that are the same on every machine.

/// One draw as a function of a seed and of what it is for.
pub fn hash(seed: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)), |h, p| {
        mix((h ^ p).wrapping_mul(0xd1b5_4a32_d192_ed03).wrapping_add(0x9e37_79b9_7f4a_7c15))
    })
}

/// Mixes bits: one to one, each bit of the result from all.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
