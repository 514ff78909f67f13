//! SHA-256 compression as FIPS 180-4 states it, with the constants computed from the primes.

use super::outputs;
use crate::{Launch, Outputs};

/// First 32 bits of the fractional part of the cube (or square) root of `p`, by whole-number search.
fn root_bits(p: u128, power: u32) -> u32 {
    // The largest r with r^power <= p * 2^(32 * power).
    let target = p << (32 * power);
    let mut r = 0u128;
    for bit in (0..40).rev() {
        let next = r | 1 << bit;
        if next.pow(power) <= target {
            r = next;
        }
    }
    r as u32
}

fn primes() -> impl Iterator<Item = u128> {
    (2u128..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

pub fn sha256(l: &Launch) -> Outputs {
    let k: Vec<u32> = primes().take(64).map(|p| root_bits(p, 3)).collect();
    let start: Vec<u32> = primes().take(8).map(|p| root_bits(p, 2)).collect();
    let (message, mut digest) = (l.input::<u32>(0), l.input::<u32>(1).to_vec());
    for (m, d) in message.chunks_exact(16).zip(digest.chunks_exact_mut(8)) {
        let mut w: Vec<u32> = m.iter().map(|x| x.swap_bytes()).collect();
        for t in 16..64 {
            let (p, q) = (w[t - 15], w[t - 2]);
            let s0 = p.rotate_right(7) ^ p.rotate_right(18) ^ p >> 3;
            let s1 = q.rotate_right(17) ^ q.rotate_right(19) ^ q >> 10;
            w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
        }
        let mut s: [u32; 8] = start.as_slice().try_into().expect("eight words");
        for t in 0..64 {
            let [a, b, c, dd, e, f, g, h] = s;
            let t1 = h
                .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
                .wrapping_add((e & f) ^ (!e & g))
                .wrapping_add(k[t])
                .wrapping_add(w[t]);
            let t2 = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
                .wrapping_add((a & b) ^ (a & c) ^ (b & c));
            s = [t1.wrapping_add(t2), a, b, c, dd.wrapping_add(t1), e, f, g];
        }
        for (j, x) in d.iter_mut().enumerate() {
            *x = start[j].wrapping_add(s[j]);
        }
    }
    outputs![1 => digest]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_constants_are_those_of_the_standard() {
        let k: Vec<u32> = primes().take(2).map(|p| root_bits(p, 3)).collect();
        assert_eq!(k, [0x428a_2f98, 0x7137_4491]);
        assert_eq!(root_bits(2, 2), 0x6a09_e667);
    }
}
