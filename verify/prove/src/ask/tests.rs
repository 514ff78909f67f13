use super::local::Local;
use super::*;
use sassafras_execute::order::hash;
use sassafras_normal::normal::rows::ROWS;
use sassafras_semantics::{BinaryOp, Concrete, Domain, Terms};
use sassafras_solve::smt::Script;

/// Decides by trying all inputs of at most 16 bits, and knows nothing otherwise: `ask` has to give the same answers.
struct Trying {
    most: u32,
}

impl Solver for Trying {
    fn check(&mut self, script: &Script) -> Answer {
        let q = &script.question;
        let free: Vec<usize> = (0..q.definitions.len()).filter(|i| q.definitions[*i].0.is_free()).collect();
        let bits: u32 = free.iter().map(|i| q.definitions[*i].1).sum();
        if bits > self.most || !q.ties.is_empty() {
            return Answer::Unknown("it is too large".into());
        }
        let home = Concrete::default();
        for input in 0..1u128 << bits {
            let (mut at, mut values) = (0, Vec::new());
            let mut model = std::collections::BTreeMap::new();
            for (i, (node, width)) in q.definitions.iter().enumerate() {
                let value = if node.is_free() {
                    let value = sassafras_semantics::Bits::new(*width, input >> at);
                    at += width;
                    model.insert(script.symbols[&format!("t{i}")], value.bits());
                    value
                } else {
                    let operands: Vec<_> = node.operands().iter().map(|o| values[o.0 as usize]).collect();
                    Terms::apply(&home, node, *width, &operands)
                };
                values.push(value);
            }
            if q.asserted.iter().all(|a| values[a.0 as usize].is_true()) {
                return Answer::Sat(model);
            }
        }
        Answer::Unsat
    }

    fn check_short(&mut self, script: &Script, effort: u64) -> Answer {
        match hash(effort, &[script.text.len() as u64]) % 2 {
            0 => Answer::Unknown("it is tired".into()),
            _ => self.check(script),
        }
    }
}

#[test]
fn answers_are_those_of_the_whole_question() {
    let (mut sat, mut unsat) = (0, 0);
    for row in ROWS {
        for wrong in 0..3 {
            let terms = Terms::raw();
            let inputs = Inputs::raw(&terms);
            for law in (row.laws)(&terms, row.widths[0]) {
                let width = terms.width_of(law.right);
                let right = match wrong {
                    0 => law.right,
                    1 => terms.add(&law.right, &terms.constant(width, 1)),
                    _ => terms.ite(
                        &terms.eq(&law.left, &terms.constant(width, 1)),
                        &terms.not(&law.right),
                        &law.right,
                    ),
                };
                let differ = terms.not(&terms.eq(&law.left, &right));
                let other = terms.eq(&terms.variable("aside", 2), &terms.constant(2, 3));
                let mut assumptions: Vec<TermId> = law.given.into_iter().collect();
                assumptions.push(other);
                let mut solver = Trying { most: 16 };
                let answer =
                    ask(&inputs, &assumptions, Violated { normal: differ, executed: differ }, &mut solver);
                let mut all = assumptions.clone();
                all.push(differ);
                let whole = solver.check(&inputs.script(&all));
                match (answer, whole) {
                    (Answer::Unsat, Answer::Unsat) => unsat += 1,
                    (Answer::Sat(model), Answer::Sat(_)) => {
                        sat += 1;
                        let value = |t: TermId| model.get(&t).copied().unwrap_or(0);
                        let holds = |t: &TermId| terms.evaluate(&Concrete::default(), *t, value).is_true();
                        assert!(all.iter().all(holds), "{} {wrong}", row.name);
                    }
                    (a, b) => panic!("{} {wrong}: {a:?}, not {b:?}", row.name),
                }
            }
        }
    }
    assert!(sat > 80 && unsat > 80, "{sat} {unsat}");
}

#[test]
fn a_rebuilt_question_has_the_same_values() {
    for row in ROWS {
        let terms = Terms::raw();
        let inputs = Inputs::raw(&terms);
        for law in (row.laws)(&terms, row.widths[row.widths.len() - 1]) {
            let differ = terms.not(&terms.eq(&law.left, &law.right));
            let sum =
                terms.eq(&terms.sub(&law.left, &law.right), &terms.constant(terms.width_of(law.left), 1));
            for violated in [differ, sum, terms.and(&sum, &terms.not(&differ))] {
                let local = Local::new(&inputs, &[], violated);
                let parts = local.parts(local.violated);
                for seed in 0..16 {
                    let home = Concrete::default();
                    let of = |name: String| {
                        let text: Vec<u64> = name.bytes().map(u64::from).collect();
                        u128::from(hash(seed, &text)) % [2, 5, u128::MAX][seed as usize % 3]
                    };
                    let left = terms.evaluate(&home, violated, |v| of(v.to_string())).is_true();
                    let name = |v| match local.terms.node(v) {
                        sassafras_semantics::term::Node::Variable(n) => local.terms.name(n),
                        other => panic!("{other:?} is free"),
                    };
                    let value = |t: TermId| local.terms.evaluate(&home, t, |v| of(name(v))).is_true();
                    assert_eq!(left, value(local.violated), "{}", row.name);
                    assert_eq!(left, parts.iter().any(|p| value(*p)), "{}", row.name);
                }
            }
        }
    }
}

/// The upper half of a product of 64 bits, signed, by the unsigned one: less a factor where the other is negative. `all`: both are.
fn signed_upper(d: &Terms, all: bool) -> TermId {
    let (x, y) = (d.variable("x", 64), d.variable("y", 64));
    let upper = |a: TermId, b: TermId| d.extract(&d.mul(&a, &b), 64, 64);
    let negative = |a: &TermId| d.compare(sassafras_semantics::CompareOp::SLt, a, &d.constant(64, 0));
    let less =
        |from: TermId, by: &TermId, where_: &TermId| d.ite(&negative(where_), &d.sub(&from, by), &from);
    let unsigned = upper(d.zext(&x, 128), d.zext(&y, 128));
    let first = less(unsigned, &x, &y);
    let target = if all { less(first, &y, &x) } else { first };
    d.not(&d.eq(&upper(d.sext(&x, 128), d.sext(&y, 128)), &target))
}

#[test]
fn cases_exclude_what_never_is() {
    use sassafras_solvers::random::{Draw, term};
    let d = Terms::new();
    let excluded = |d: &Terms, t: TermId| {
        let local = Local::new(&Inputs::raw(d), &[], t);
        let left = cases::excluded(&local, &[local.violated]);
        local.terms_known(left[0]) == Some(0)
    };
    assert!(excluded(&d, signed_upper(&d, true)));
    assert!(!excluded(&d, signed_upper(&d, false)));
    // A quotient by 7 of signed numbers as ptxas writes it; without the sign it is wrong.
    let quotient = |signed: bool| {
        let x = d.variable("n", 32);
        let wide = d.mul(&d.sext(&x, 64), &d.constant(64, 0xffff_ffff_9249_2493));
        let sum = d.add(&d.extract(&wide, 32, 32), &x);
        let shifted = d.binary(BinaryOp::AShr, &sum, &d.constant(32, 2));
        let sign = d.binary(BinaryOp::LShr, &sum, &d.constant(32, 31));
        let target = if signed { d.add(&shifted, &sign) } else { shifted };
        d.not(&d.eq(&d.binary(BinaryOp::SDiv, &x, &d.constant(32, 7)), &target))
    };
    assert!(excluded(&d, quotient(true)));
    assert!(!excluded(&d, quotient(false)));
    let (mut known, mut wrong) = (0, 0);
    for seed in 0..600 {
        let mut r = Draw(seed);
        let d = Terms::new();
        let of = |r: &mut Draw, width| term(&d, r, width, 3);
        let (a, c) = (of(&mut r, 8), of(&mut r, 1));
        // The same, but for what is added in one case: never wrong, or wrong there.
        let other =
            d.ite(&c, &d.add(&a, &d.constant(8, u128::from(seed % 3 == 0))), &d.sub(&a, &d.constant(8, 0)));
        let normal = sassafras_normal::Normal::new(&d).of(other);
        for t in [other, normal] {
            let differ = d.not(&d.eq(&a, &t));
            if !excluded(&d, differ) {
                wrong += u32::from(seed % 3 == 0);
                continue;
            }
            known += 1;
            for input in 0..64 {
                let value = d.evaluate(&Concrete::default(), differ, |v| hash(input, &[v.0.into()]).into());
                assert!(!value.is_true(), "{}", d.listing(differ));
            }
        }
    }
    assert!(known > 300 && wrong > 100, "{known} {wrong}");
}

/// Whether every value of what a part depends on excludes it.
fn by_values(d: &Terms, t: TermId) -> bool {
    let local = Local::new(&Inputs::raw(d), &[], t);
    local.terms_known(values::excluded(&local, &[local.violated])[0]) == Some(0)
}

#[test]
fn every_value_excludes_what_never_is() {
    use sassafras_semantics::{Approximation, FloatFormat, FloatMode, FloatOp};
    let d = Terms::new();
    let x = d.variable("x", 64);
    // A remainder of 16 bits within a word, by a product; it is wrong at one number, or with one bit more than are looked at.
    let remainder = |wrong: Option<u128>, bits: u32| {
        let n = d.extract(&x, 20, bits);
        let wide = d.zext(&n, 64);
        let quotient =
            d.binary(BinaryOp::LShr, &d.mul(&wide, &d.constant(64, 0x1_2493)), &d.constant(64, 19));
        let rest = d.extract(&d.sub(&wide, &d.mul(&quotient, &d.constant(64, 7))), 0, bits);
        let rest = match wrong {
            Some(at) => d.ite(&d.eq(&n, &d.constant(bits, at)), &d.not(&rest), &rest),
            None => rest,
        };
        d.not(&d.eq(&d.binary(BinaryOp::URem, &n, &d.constant(bits, 7)), &rest))
    };
    assert!(by_values(&d, remainder(None, 16)));
    assert!(!by_values(&d, remainder(None, 17)));
    for at in [0, 1, 0x7fff, 0x8000, 0xfffe, 0xffff] {
        assert!(!by_values(&d, remainder(Some(at), 16)), "{at:#x}");
    }
    // A float that is computed: exact, but for payloads of NaNs, and for approximations.
    let wide = d.int_to_float(false, FloatFormat::F32, FloatMode::default(), &d.extract(&x, 3, 8));
    let doubled = d.float(FloatOp::Add, FloatFormat::F32, FloatMode::default(), &[&wide, &wide]);
    let twice = d.concat(&d.extract(&x, 3, 8), &d.constant(1, 0));
    let other = d.int_to_float(false, FloatFormat::F32, FloatMode::default(), &twice);
    let differ = |a: TermId, b: TermId| d.not(&d.eq(&a, &b));
    assert!(by_values(&d, differ(doubled, other)));
    assert!(!by_values(&d, differ(doubled, wide)));
    let approximate = d.approximate(Approximation::Rcp, false, &wide);
    let nearest = d.approximate(
        Approximation::Rcp,
        false,
        &d.int_to_float(true, FloatFormat::F32, FloatMode::default(), &d.zext(&d.extract(&x, 3, 8), 9)),
    );
    assert!(!by_values(&d, differ(approximate, nearest)));
    let infinite = d.constant(32, 0x7f80_0000);
    let nan = |by: u128| {
        let zero = d.and(&wide, &d.constant(32, 0));
        let zero =
            d.or(&zero, &d.and(&d.concat(&d.extract(&x, 3, 8), &d.constant(24, 0)), &d.constant(32, by)));
        d.float(FloatOp::Mul, FloatFormat::F32, FloatMode::default(), &[&infinite, &zero])
    };
    assert!(!by_values(&d, differ(nan(0x8000_0000), nan(0xc000_0000))));
    // An undefined value is none in particular.
    let (some, other) = (d.undef(4, "test"), d.undef(4, "test"));
    assert!(!by_values(&d, differ(some, other)) && !by_values(&d, differ(some, d.constant(4, 0))));
}

#[test]
fn a_number_that_selects_is_each_of_its_values() {
    let d = Terms::new();
    let (x, y) = (d.variable("x", 32), d.variable("y", 32));
    let number = d.and(&x, &d.constant(32, 0b1011));
    // A chain of choices and a tree of them: one product or the other.
    let product = |n: u128| d.add(&y, &d.mul(&y, &d.constant(32, 2 * n)));
    let chain = (0..16u128).fold(y, |rest, n| d.ite(&d.eq(&number, &d.constant(32, n)), &product(n), &rest));
    let whole = |wrong: u128| {
        let n = d.add(&number, &d.constant(32, 0));
        let of = |n: u128| {
            let all = d.mul(&y, &d.constant(32, 2 * n + 1));
            if n == wrong { d.add(&all, &d.constant(32, 1)) } else { all }
        };
        let tree = |low: u128| {
            (low..low + 8).fold(y, |rest, n2| d.ite(&d.eq(&n, &d.constant(32, n2)), &of(n2), &rest))
        };
        let upper = d.compare(sassafras_semantics::CompareOp::ULt, &n, &d.constant(32, 8));
        d.not(&d.eq(&chain, &d.ite(&upper, &tree(0), &tree(8))))
    };
    assert!(by_values(&d, whole(16)));
    // Bits that are zero make no number: 4 is not one of its values.
    assert!(by_values(&d, whole(4)));
    for wrong in [0, 1, 2, 3, 8, 9, 10, 11] {
        assert!(!by_values(&d, whole(wrong)), "{wrong}");
    }
}

/// The number is taken for what it is where terms are made of functions of it, and of single bits of it.
#[test]
fn functions_of_a_number_that_selects_are_known_for_each_of_its_values() {
    let d = Terms::new();
    let (x, y) = (d.variable("x", 32), d.variable("y", 32));
    let number = d.and(&x, &d.constant(32, 15));
    let most = d.constant(32, 11);
    let below = d.compare(sassafras_semantics::CompareOp::ULt, &number, &most);
    let clamped = d.ite(&below, &number, &most);
    let of = |n: u128| d.mul(&y, &d.constant(32, 2 * n + 1));
    let chain = (0..12).fold(y, |rest, n| d.ite(&d.eq(&clamped, &d.constant(32, n)), &of(n), &rest));
    // By its bits: a tree, from the highest.
    let tree = |wrong: u128, more: u128| {
        let mut leaves: Vec<TermId> = (0..16u128)
            .map(|n| of(if n == wrong { n.min(11) + 1 } else { n.min(11) }))
            .map(|t| d.add(&t, &d.constant(32, more)))
            .collect();
        for bit in 0..4 {
            let one = d.extract(&x, bit, 1);
            leaves = leaves.chunks(2).map(|pair| d.ite(&one, &pair[1], &pair[0])).collect();
        }
        d.not(&d.eq(&chain, &leaves[0]))
    };
    assert!(by_values(&d, tree(16, 0)));
    for wrong in 0..16 {
        assert!(!by_values(&d, tree(wrong, 0)), "{wrong}");
    }
    assert!(!by_values(&d, tree(16, 1)));
    // A bit that is not one of the number's is open.
    let other = d.ite(&d.extract(&x, 4, 1), &chain, &of(3));
    assert!(!by_values(&d, d.not(&d.eq(&chain, &other))));
}

/// Decides short questions too.
struct Sure(Trying);

impl Solver for Sure {
    fn check(&mut self, script: &Script) -> Answer {
        self.0.check(script)
    }
}

/// Whether two reads are known to be one where a choice in their addresses cannot be made.
fn are_one(divisor_is_known: bool, memories: [&'static str; 2], versions: [u128; 2], apart: u128) -> bool {
    let terms = Terms::new();
    let inputs = Inputs::raw(&terms);
    let (x, y) = (terms.variable("x", 64), terms.variable("y", 8));
    let is_zero = terms.eq(&y, &terms.constant(8, 0));
    let at = |name: &str, by: u128| {
        let there = terms.add(&x, &terms.constant(64, by));
        terms.ite(&is_zero, &terms.variable(name, 64), &there)
    };
    let [a, b] = [("u", 0), ("v", apart)].map(|(name, by)| at(name, by));
    let version = |n| terms.constant(64, n);
    let first = inputs.memory(memories[0], version(versions[0]), a, 8);
    let second = inputs.memory(memories[1], version(versions[1]), b, 8);
    let differ = terms.not(&terms.eq(&first, &second));
    let known = if divisor_is_known { vec![terms.not(&is_zero)] } else { Vec::new() };
    let local = Local::new(&inputs, &known, differ);
    let solver = &mut Sure(Trying { most: 16 });
    let settled = reads::settled(&local, solver);
    assert_eq!(settled.is_some(), divisor_is_known);
    let joined = reads::joined(&settled.unwrap_or(local), solver);
    joined.is_some_and(|j| j.terms_known(j.violated) == Some(0))
}

#[test]
fn reads_at_one_address_are_one() {
    let global = ["global"; 2];
    assert!(are_one(true, global, [0, 0], 0));
    assert!(!are_one(false, global, [0, 0], 0));
    assert!(!are_one(true, global, [0, 1], 0));
    assert!(!are_one(true, ["global", "shared"], [0, 0], 0));
    for apart in [1, 7, 8, 1 << 32] {
        assert!(!are_one(true, global, [0, 0], apart), "{apart}");
    }
}

#[test]
fn masks_of_many_runs_are_words() {
    let d = Terms::new();
    let (x, y) = (d.variable("x", 8), d.variable("y", 64));
    // A step of FNV-1a by halves, and one that has a bit of the mask wrong.
    let (basis, prime) = (0xcbf2_9ce4_8422_2325u128, 0x100_0000_01b3u128);
    let excluded = |wrong: u128, low: u32| {
        let state = d.xor(&d.xor(&d.zext(&x, 64), &y), &d.constant(64, basis));
        let whole = d.mul(&state, &d.constant(64, prime));
        let half = |at: u32, t: &TermId| d.extract(t, at, 32);
        let zero = d.constant(32, 0);
        let parts = [(0, d.zext(&x, 32)), (32, zero)].map(|(at, byte)| {
            let mask = d.constant(32, (basis >> at) & 0xffff_ffff ^ wrong);
            d.xor(&d.xor(&byte, &half(at, &y)), &mask)
        });
        let product = d.mul(&d.zext(&parts[0], 64), &d.constant(64, 0x1b3));
        let upper = d.add(&half(32, &product), &d.mul(&parts[1], &d.constant(32, 0x1b3)));
        let upper = d.add(&upper, &d.mul(&parts[0], &d.constant(32, 0x100)));
        let target = if low == 0 { half(0, &product) } else { upper };
        let differ = d.not(&d.eq(&half(low, &whole), &target));
        let local = Local::new(&Inputs::raw(&d), &[], differ);
        let merged = sweep::merge(&local, &[local.violated]);
        local.terms_known(merged[0]) == Some(0)
    };
    for low in [0, 32] {
        assert!(excluded(0, low), "{low}");
        for bit in [0, 7, 8, 31] {
            assert!(!excluded(1 << bit, low), "{low} {bit}");
        }
    }
}
