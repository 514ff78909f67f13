//! Surfaces and textures: every handle names one, as large as anybody asks, whose contents are drawn from handle and place.

use rustc_hash::FxHashMap;

/// A value drawn from words: the same for the same words.
pub fn drawn(words: impl IntoIterator<Item = u128>) -> u128 {
    let mix = |mut x: u64| {
        // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for word in words {
        state = mix(state ^ word as u64);
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ (word >> 64) as u64);
    }
    u128::from(mix(state ^ 1)) << 64 | u128::from(state)
}

/// What was written to surfaces.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// By handle, the other coordinates, and the byte in the row.
    written: FxHashMap<(u32, u128, u32), u8>,
    /// Values that were drawn, since nobody wrote them: texels, bytes of surfaces, sparse products.
    pub drawn: u64,
}

impl Surfaces {
    /// The bytes of a row from `x` on, the first lowest; `others` are the coordinates but x.
    pub fn load(&mut self, handle: u32, others: u128, x: u32, bytes: u32) -> u128 {
        let mut open = false;
        let mut byte = |i: u32| {
            let at = (handle, others, x.wrapping_add(i));
            let written = self.written.get(&at).copied();
            written.unwrap_or_else(|| {
                open = true;
                drawn([u128::from(at.0), at.1, u128::from(at.2)]) as u8
            })
        };
        let value = (0..bytes).map(|i| u128::from(byte(i)) << (8 * i)).sum();
        self.drawn += u64::from(open);
        value
    }

    /// Stores bytes where [`Surfaces::load`] finds them.
    pub fn store(&mut self, handle: u32, others: u128, x: u32, bytes: u32, value: u128) {
        for i in 0..bytes {
            self.written.insert((handle, others, x.wrapping_add(i)), (value >> (8 * i)) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_the_rest_stays() {
        let mut all = Surfaces::default();
        let before = all.load(7, 3, 8, 8);
        all.store(7, 3, 10, 2, 0xbeef);
        assert_eq!(all.load(7, 3, 8, 8), before & !0xffff_0000 | 0xbeef_0000);
        let count = all.drawn;
        assert_eq!(all.load(7, 3, 10, 2), 0xbeef);
        assert_eq!(all.drawn, count, "both bytes are written");
        assert_eq!(all.load(7, 4, 10, 2), Surfaces::default().load(7, 4, 10, 2));
        assert_ne!(drawn([1, 2]), drawn([2, 1]));
    }
}
