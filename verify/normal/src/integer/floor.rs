//! Floors of sums, brought to one form.

use super::sum::{Atom, Monomial, Sum, balanced, gcd};
use super::{Integers, Kind, MOST};

/// Most steps of one floor; each makes the sum, the divisor or the nesting smaller, so this is a safety net.
const STEPS: u32 = 60;

impl Integers<'_> {
    /// ⌊sum / divisor⌋ for a positive divisor. `None` if it is too large for a form.
    pub(super) fn floor(&mut self, sum: &Sum, divisor: i128) -> Option<Sum> {
        let key = (sum.clone(), divisor);
        if let Some(known) = self.floors.get(&key) {
            return known.clone();
        }
        let made = self.floor_within(sum, divisor, STEPS);
        self.floors.insert(key, made.clone());
        made
    }

    fn floor_within(&mut self, sum: &Sum, divisor: i128, steps: u32) -> Option<Sum> {
        let steps = steps.checked_sub(1)?;
        if divisor == 1 {
            return Some(sum.clone());
        }
        if sum.terms.len() > MOST {
            return None;
        }
        if let Some((least, most)) = self.range_of_floor(sum, divisor)
            && least == most
        {
            return Some(Sum::constant(least));
        }
        if let Some(quotient) = self.magic(sum, divisor, steps) {
            return Some(quotient);
        }
        // Row `floor-split`.
        let (whole, rest) = sum.split(divisor)?;
        if whole != Sum::default() {
            return whole.and(&self.floor_within(&rest, divisor, steps)?, 1);
        }
        // Row `floor-factor`.
        let factor = rest.terms.values().fold(divisor, |g, c| gcd(g, *c));
        if factor > 1 {
            let terms = rest.terms.iter().map(|(m, c)| (m.clone(), c / factor)).collect();
            let smaller = Sum { constant: rest.constant.div_euclid(factor), terms };
            return self.floor_within(&smaller, divisor / factor, steps);
        }
        if let Some((upper, by)) = self.upper(&rest, divisor) {
            return self.floor_within(&upper, by, steps);
        }
        // Row `floor-complement`.
        if rest.terms.values().next().is_some_and(|c| *c < 0) {
            let floor = self.floor_within(&rest.complement()?, divisor, steps)?;
            return floor.complement();
        }
        // Row `floor-sign`: −1 where the sum is negative, whatever divides it.
        let range = self.range(&rest);
        if let Some((least, most)) = range
            && let Some(bound) = sign_bound(least, most)
            && least < 0
            && bound < divisor
        {
            return self.floor_within(&rest, bound, steps);
        }
        if let Some((flat, by)) = self.flattened(&rest, divisor) {
            let made = self.floor_within(&flat, by, steps)?;
            if let Some(atom) = single(&made) {
                self.nested.entry(atom).or_insert((rest, divisor));
            }
            return Some(made);
        }
        let range = self.range_of_floor(&rest, divisor);
        Some(self.atom(Kind::Floor(rest, divisor), range))
    }

    /// Row `floor-low`: ⌊(g·h + l) / (g·d)⌋ = ⌊(h + q) / d⌋ where ⌊l / g⌋ is q, whatever l is.
    fn upper(&self, sum: &Sum, divisor: i128) -> Option<(Sum, i128)> {
        let mut powers: Vec<u32> = sum.terms.values().map(|c| c.trailing_zeros()).collect();
        powers.sort_unstable();
        powers.dedup();
        let most = divisor.trailing_zeros();
        for g in powers.into_iter().rev().map(|p| p.min(most)).filter(|p| *p > 0).map(|p| 1i128 << p) {
            let (mut high, mut low) = (Sum::default(), Sum::constant(sum.constant.rem_euclid(g)));
            high.constant = sum.constant.div_euclid(g);
            for (m, c) in &sum.terms {
                match c % g {
                    0 => high.plus(m, c / g)?,
                    _ => low.plus(m, *c)?,
                }
            }
            if low.terms.is_empty() || high.terms.is_empty() {
                continue;
            }
            let Some((least, greatest)) = self.range(&low) else { continue };
            if least.div_euclid(g) == greatest.div_euclid(g) {
                high.constant = high.constant.checked_add(least.div_euclid(g))?;
                return Some((high, divisor / g));
            }
        }
        None
    }

    /// Row `floor-nested`: a floor that is a summand comes out of the sum around it.
    fn flattened(&self, sum: &Sum, divisor: i128) -> Option<(Sum, i128)> {
        let floors: Vec<(Atom, i128)> =
            sum.terms.iter().rev().filter_map(|(m, c)| self.floor_in(m, *c)).collect();
        let of = |a: Atom| match &self.atoms[a as usize].kind {
            Kind::Floor(inside, by) => Some((inside.clone(), *by)),
            Kind::Bits(..) => None,
        };
        // One that was taken out of a floor in this sum goes in there again: with it, more comes out.
        let again = floors.iter().find_map(|(a, sign)| {
            let (inside, by) = self.nested.get(a)?;
            let here =
                |m: &Monomial| m[..] != [*a] && sum.terms.contains_key(m) && self.floor_in(m, 1).is_some();
            inside.terms.keys().any(here).then(|| (*a, *sign, inside.clone(), *by))
        });
        let first =
            || floors.first().and_then(|(a, sign)| of(*a).map(|(inside, by)| (*a, *sign, inside, by)));
        let (atom, sign, inside, by) = again.or_else(first)?;
        let m = Monomial::from_slice(&[atom]);
        let mut rest = sum.clone();
        rest.terms.remove(&m);
        let mut flat = rest.times(by)?.and(&inside, sign)?;
        if sign < 0 {
            // −⌊r / a⌋ = ⌊(a − 1 − r) / a⌋.
            flat.constant = flat.constant.checked_add(by - 1)?;
        }
        Some((flat, divisor.checked_mul(by)?))
    }

    /// The floor that a summand is, as it is or negated.
    fn floor_in(&self, m: &Monomial, c: i128) -> Option<(Atom, i128)> {
        match (&m[..], c) {
            ([a], 1 | -1) if matches!(self.atoms[*a as usize].kind, Kind::Floor(..)) => Some((*a, c)),
            _ => None,
        }
    }

    /// Row `magic-floor`: ⌊k·r / 2^s⌋ = ⌊r / d⌋ for 0 ≤ r ≤ n where k·d = 2^s + e and n·e < 2^s; for −n ≤ r < 0 it is
    /// ⌊(r − 1) / d⌋ (T. Granlund and P. Montgomery, "Division by Invariant Integers using Multiplication", 1994). The condition is about
    /// exact numbers.
    fn magic(&mut self, sum: &Sum, power: i128, steps: u32) -> Option<Sum> {
        if power.count_ones() != 1 || power < 8 {
            return None;
        }
        let odd: Vec<i128> = sum.terms.values().copied().filter(|c| c % 2 != 0).take(3).collect();
        odd.into_iter().find_map(|c| self.magic_by(sum, power, c.rem_euclid(power), steps))
    }

    fn magic_by(&mut self, sum: &Sum, power: i128, k: i128, steps: u32) -> Option<Sum> {
        if k < 3 {
            return None;
        }
        let divisor = power / k + 1;
        let excess = k.checked_mul(divisor)? - power;
        // r = sum / k modulo the power; whole = (k·r − sum) / power.
        let inverse = inverse(k, power);
        let of = |c: i128| balanced((c as u128).wrapping_mul(inverse) as i128 & (power - 1), power);
        let (mut r, mut whole) = (Sum::constant(of(sum.constant)), Sum::default());
        whole.constant = k.checked_mul(r.constant)?.checked_sub(sum.constant)? / power;
        for (m, c) in &sum.terms {
            let part = of(*c);
            r.plus(m, part)?;
            whole.plus(m, k.checked_mul(part)?.checked_sub(*c)? / power)?;
        }
        let (least, most) = self.range(&r)?;
        let farthest = most.max(least.checked_neg()?);
        if farthest.checked_mul(excess)? >= power {
            return None;
        }
        if least < 0 {
            let sign = self.floor_within(&r, sign_bound(least, most)?, steps)?;
            r = r.and(&sign, 1)?;
        }
        self.floor_within(&r, divisor, steps)?.and(&whole, -1)
    }

    /// The quotient of signed numbers by a positive constant, rounded to zero: row `quotient-signed`.
    pub(super) fn quotient(&mut self, sum: &Sum, divisor: i128) -> Option<Sum> {
        let (least, most) = self.range(sum)?;
        if least >= 0 {
            return self.floor(sum, divisor);
        }
        let sign = self.floor(sum, sign_bound(least, most)?)?;
        self.floor(&sum.and(&sign, 1)?, divisor)?.and(&sign, -1)
    }
}

/// The least power of two above all values of a range without signs.
pub(super) fn sign_bound(least: i128, most: i128) -> Option<i128> {
    let above = most.checked_add(1)?.max(least.checked_neg()?).max(1);
    let bound = (above as u128).checked_next_power_of_two()?;
    i128::try_from(bound).ok()
}

/// The inverse of an odd number modulo a power of two.
fn inverse(k: i128, power: i128) -> u128 {
    let k = k as u128;
    // Each step doubles the bits that are right, from three.
    let inverse = (0..6).fold(k, |x, _| x.wrapping_mul(2u128.wrapping_sub(k.wrapping_mul(x))));
    inverse & (power as u128 - 1)
}

/// The atom that a sum is.
pub(super) fn single(sum: &Sum) -> Option<Atom> {
    let (m, c) = sum.terms.iter().next()?;
    (sum.terms.len() == 1 && sum.constant == 0 && *c == 1 && m.len() == 1).then(|| m[0])
}
