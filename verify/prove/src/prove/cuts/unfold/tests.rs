//! Which loops of both sides are taken for partners.

use super::*;

/// Innermost loops of one depth with these numbers of accesses.
fn bodies(accesses: &[usize]) -> Vec<Body> {
    accesses.iter().map(|&accesses| Body { gates: vec![0], accesses, size: 10, depth: 1 }).collect()
}

fn pairs(source: &[usize], target: &[usize]) -> Vec<Option<(usize, usize)>> {
    partners(&bodies(source), &bodies(target))
}

#[test]
fn a_loop_goes_with_what_it_became() {
    assert_eq!(pairs(&[3], &[12, 3]), [Some((0, 4)), Some((0, 1))]);
    assert_eq!(pairs(&[3], &[3, 12]), [Some((0, 1)), Some((0, 4))]);
    assert_eq!(pairs(&[3, 5], &[12, 3, 10, 5]), [Some((0, 4)), Some((0, 1)), Some((1, 2)), Some((1, 1))]);
}

/// The second loop of the source is the first one four times: what it became is taken for it, and not for sixteen times the first.
#[test]
fn a_loop_that_is_another_many_times_has_its_own() {
    assert_eq!(pairs(&[2, 8], &[2, 32, 8]), [Some((0, 1)), Some((1, 4)), Some((1, 1))]);
    assert_eq!(pairs(&[8, 2], &[32, 8, 2]), [Some((0, 4)), Some((0, 1)), Some((1, 1))]);
    assert_eq!(pairs(&[2, 8], &[2, 8]), [Some((0, 1)), Some((1, 1))]);
}

#[test]
fn what_fits_nothing_is_left_alone() {
    assert_eq!(pairs(&[3], &[4, 3]), [None, Some((0, 1))]);
    // Two of one number: the second cannot be the same version.
    assert_eq!(pairs(&[3], &[3, 3]).iter().flatten().count(), 1);
    assert_eq!(pairs(&[1], &[33, 1]), [None, Some((0, 1))]);
    assert_eq!(pairs(&[], &[3]), [None]);
    let mut deep = bodies(&[6]);
    deep[0].depth = 2;
    assert_eq!(partners(&bodies(&[3]), &deep), [None]);
}
