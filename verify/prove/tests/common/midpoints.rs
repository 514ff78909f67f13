//! Numbers of binary64 whose square roots are next to the middle between two numbers.

/// Odd numbers m of 54 bits with m² = `square` modulo 2^`bits`, where `bits` is 54 or 55: roots modulo 8, lifted bit by bit.
fn middles(square: i128, bits: u32) -> Vec<u64> {
    let mut roots: Vec<u128> = vec![1, 3, 5, 7];
    for k in 4..=bits {
        let fits = |m: &u128| (m * m).wrapping_sub(square as u128) & ((1 << k) - 1) == 0;
        roots = roots.iter().flat_map(|m| [*m, m + (1 << (k - 1))]).filter(fits).collect();
        roots.sort_unstable();
        roots.dedup();
    }
    let mut all: Vec<u64> = roots.iter().map(|m| *m as u64).collect();
    all.retain(|m| (1 << 53..1 << 54).contains(m));
    all
}

/// Numbers whose roots are next to a midpoint. The midpoint is m/2 for an odd m of 54 bits, if x is written as n·2^52 or n·2^53, n of 53 bits, so that its root
/// has 53 bits before the point; and 4x - m² = j, where |j| is small.
pub fn hard(most: i128) -> Vec<u64> {
    let mut all = Vec::new();
    for j in (-most..=most).filter(|j| j.rem_euclid(8) == 7) {
        for scale in [52, 53] {
            for m in middles(-j, scale + 2) {
                let x = (i128::from(m) * i128::from(m) + j) >> (scale + 2);
                if (1 << 52..1 << 53).contains(&x) {
                    let fraction = x as u64 & ((1 << 52) - 1);
                    all.push(u64::from(1023 + scale % 2) << 52 | fraction);
                }
            }
        }
    }
    all
}
