//! FNV-1a, the hash by which the documents' edge maps find a block (requirements CFG-05).

/// The hash of a block index: its four bytes, the lowest first.
pub const fn fnv1a(key: u32) -> u32 {
    let bytes = key.to_le_bytes();
    let mut hash: u32 = 0x811C_9DC5;
    let mut at = 0;
    while at < bytes.len() {
        hash = 16_777_619u32.wrapping_mul(hash ^ bytes[at] as u32);
        at += 1;
    }
    hash
}

/// The bucket of a key in a table of so many buckets, a power of two.
pub const fn bucket(key: u32, buckets: u32) -> u32 {
    fnv1a(key) & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_its_definition() {
        // The published vectors of four bytes: of the hash over the empty string, four rounds over "abcd" and zeros.
        assert_eq!(fnv1a(u32::from_le_bytes(*b"abcd")), 0xCE34_79BD);
        assert_eq!(fnv1a(0), 0x4B95_F515);
        for key in [0, 1, 7, 0xFF, 0x100, 0xDEAD_BEEF, u32::MAX] {
            let slow = key
                .to_le_bytes()
                .iter()
                .fold(2_166_136_261u64, |hash, &byte| (hash ^ u64::from(byte)) * 0x0100_0193 % (1 << 32));
            assert_eq!(u64::from(fnv1a(key)), slow);
            assert_eq!(u64::from(bucket(key, 8)), slow % 8);
        }
    }
}
