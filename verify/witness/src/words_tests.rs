//! Conditions by their words, against the concrete home.

use super::words::{by_words, cases};
use sassafras_semantics::{BinaryOp, Concrete, Domain, TermId, Terms};
use sassafras_solvers::random::Draw;

/// One case holds whatever the conditions are.
#[test]
fn one_case_holds() {
    let folder = Concrete::default();
    let d = Terms::raw();
    let [p, q, r] = ["p", "q", "r"].map(|n| d.variable(n, 1));
    let [x, y] = ["x", "y"].map(|n| d.variable(n, 32));
    let two = d.ite(&d.and(&p, &q), &d.ite(&q, &x, &y), &y);
    let three = d.ite(&r, &two, &x);
    for (word, many) in [(x, 1), (two, 4), (three, 8)] {
        let t = d.eq(&word, &d.ite(&d.yes(), &x, &y));
        let all = cases(&d, t);
        assert_eq!(all.len(), many);
        for inputs in 0..8u128 {
            let value = |v: TermId| [p, q, r].iter().position(|u| *u == v).map_or(5, |i| inputs >> i & 1);
            let holds = |case: &&Vec<TermId>| case.iter().all(|t| d.evaluate(&folder, *t, value).is_true());
            assert_eq!(all.iter().filter(holds).count(), 1);
        }
    }
    let five = (0..5).fold(x, |all, i| d.ite(&d.variable(&format!("c{i}"), 1), &all, &y));
    assert_eq!(cases(&d, d.eq(&five, &y)), [[]]);
}

/// What is joined by "or" is asked about one by one, with what else has to hold, and stays together where it is much.
#[test]
fn what_is_joined_is_asked_about_by_itself() {
    let d = Terms::raw();
    let bits: Vec<TermId> = (0..18).map(|i| d.variable(&format!("b{i}"), 1)).collect();
    let any = |bits: &[TermId]| bits[1..].iter().fold(bits[0], |all, b| d.or(&all, b));
    let guarded = d.and(&bits[0], &any(&bits[1..4]));
    let apart: Vec<TermId> = bits[1..4].iter().map(|b| d.and(&bits[0], b)).collect();
    assert_eq!(by_words(&d, guarded), apart);
    assert_eq!(by_words(&d, d.and(&any(&bits[..4]), &any(&bits[4..8]))).len(), 16);
    assert_eq!(by_words(&d, any(&bits[..16])).len(), 16);
    let many = any(&bits[..17]);
    assert_eq!(by_words(&d, d.or(&many, &bits[17])), [many, bits[17]]);
    // Of what differs, nothing holds by itself.
    assert!(by_words(&d, d.not(&any(&bits[..2]))).is_empty());
    assert!(by_words(&d, bits[0]).is_empty());
}

/// Where a condition holds, it holds for one of its words; and there are as many as the longest has.
#[test]
fn a_condition_holds_for_one_of_its_words() {
    let folder = Concrete::default();
    let (mut held, mut apart) = (0, 0);
    for seed in 0..2000 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let mut words: Vec<TermId> = (0..3).map(|i| d.variable(&format!("w{i}"), 32)).collect();
        let parts = ["high", "low"].map(|n| d.variable(n, 16));
        let variables = [&words[..], &parts].concat();
        words.push(d.concat(&parts[0], &parts[1]));
        let long = |r: &mut Draw, n: u32| {
            let one = |r: &mut Draw| words[r.below(4) as usize];
            let first = one(r);
            (1..n).fold(first, |all, _| d.concat(&all, &one(r)))
        };
        let n = 2 + r.below(3) as u32;
        let longest = d.eq(&long(&mut r, n), &long(&mut r, n));
        let mut all = vec![longest, d.eq(&words[0], &words[1]), d.eq(&long(&mut r, 2), &long(&mut r, 2))];
        for _ in 0..6 {
            let [a, b, c] = [0; 3].map(|_| all[r.below(all.len() as u64) as usize]);
            all.push(match r.below(5) {
                0 => d.not(&a),
                1 => d.binary(BinaryOp::Xor, &a, &b),
                2 => d.and(&a, &b),
                3 => d.or(&a, &b),
                _ => d.ite(&a, &b, &c),
            });
        }
        let t = d.binary(BinaryOp::Xor, all.last().expect("some"), &longest);
        let split = by_words(&d, t);
        assert!(split.is_empty() || split.len() >= 2, "{}", split.len());
        for inputs in 0..32u64 {
            // Words that are equal now and then.
            let value =
                |v: TermId| u128::from(inputs >> variables.iter().position(|w| *w == v).expect("one") & 1);
            let of = |t: &TermId| d.evaluate(&folder, *t, value).is_true();
            let hold = split.iter().filter(|t| of(t)).count();
            if of(&t) && !split.is_empty() {
                held += 1;
                apart += usize::from(hold < split.len());
                assert!(hold > 0, "seed {seed} {inputs}: {}", d.listing(t));
            }
        }
    }
    assert!(held > 5000 && apart > 500, "{held} {apart}");
}
