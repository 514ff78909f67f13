//! Terms of one form have one value: on all inputs where there are few, on many else. Wrong ones have others.

use super::Integers;
use rustc_hash::FxHashMap;
use sassafras_semantics::*;
use sassafras_solvers::random::{Draw, constant, term};

/// All terms of an arena by form: those of one form must agree on an input.
fn agree(d: &Terms, integers: &mut Integers<'_>, roots: &[TermId], inputs: &[Vec<u128>]) -> usize {
    let home = Concrete::default();
    let order = d.topological(roots);
    let free = d.free(roots);
    let mut classes: FxHashMap<u32, Vec<TermId>> = FxHashMap::default();
    for t in &order {
        classes.entry(integers.form(*t)).or_default().push(*t);
    }
    for input in inputs {
        let of = |v: TermId| input[free.binary_search(&v).expect("it is free") % input.len()];
        let values = d.evaluate_all(&home, &order, of);
        for (form, class) in &classes {
            let first = values[&class[0]];
            for t in class {
                assert_eq!(values[t], first, "{}\nand {}", d.listing(class[0]), d.listing(*t));
            }
            if let Some(c) = integers.constant(*form) {
                assert_eq!(first.bits(), c, "{}", d.listing(class[0]));
            }
        }
    }
    classes.values().filter(|c| c.len() > 1).count()
}

#[test]
fn terms_of_one_form_have_one_value() {
    let mut common = 0;
    for seed in 0..1200 {
        let mut r = Draw(seed);
        let d = Terms::raw();
        let mut roots = Vec::new();
        for _ in 0..3 {
            let width = [1, 8, 32, 32, 64, 64][r.below(6) as usize];
            let depth = 2 + r.below(4) as u32;
            roots.push(term(&d, &mut r, width, depth));
        }
        // The other normal form of each is another way to write it.
        let normal = crate::normal::Normal::new(&d);
        let others: Vec<TermId> = roots.iter().map(|t| normal.of(*t)).collect();
        roots.extend(others);
        let inputs: Vec<Vec<u128>> =
            (0..24).map(|_| (0..12).map(|_| constant(&mut r, 64)).collect()).collect();
        common += agree(&d, &mut Integers::new(&d), &roots, &inputs);
    }
    assert!(common > 2000, "{common}");
}

/// Products by every constant, shifted: those that have the form of a quotient are that quotient.
#[test]
fn quotients_of_bytes_are_exact() {
    let d = Terms::raw();
    let mut integers = Integers::new(&d);
    let x = d.variable("x", 8);
    let mut forms: FxHashMap<u32, Vec<TermId>> = FxHashMap::default();
    for by in 1..128u128 {
        for op in [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem] {
            let t = d.binary(op, &x, &d.constant(8, by));
            forms.entry(integers.form(t)).or_default().push(t);
        }
    }
    let divisions = forms.len();
    let mut met = 0;
    let sign = d.zext(&d.extract(&x, 7, 1), 24);
    for k in 1..520u128 {
        for shift in 8..16 {
            for wide in [d.zext(&x, 24), d.sext(&x, 24)] {
                let product = d.mul(&wide, &d.constant(24, k));
                let high = d.binary(BinaryOp::AShr, &product, &d.constant(24, shift));
                for sum in [high, d.add(&high, &sign)] {
                    let t = d.extract(&sum, 0, 8);
                    let class = forms.entry(integers.form(t)).or_default();
                    met += usize::from(class.first().is_some_and(|c| d.width_of(*c) == 8));
                    class.push(t);
                }
            }
        }
    }
    let home = Concrete::default();
    let all: Vec<TermId> = forms.values().flatten().copied().collect();
    let order = d.topological(&all);
    for value in 0..256u128 {
        let values = d.evaluate_all(&home, &order, |_| value);
        for class in forms.values() {
            let first = values[&class[0]];
            assert!(class.iter().all(|t| values[t] == first), "{value} {}", d.listing(class[0]));
        }
    }
    assert!(divisions > 200 && met > 400, "{divisions} {met}");
}

fn half(d: &Terms, t: &TermId, low: u32) -> TermId {
    d.extract(t, low, 32)
}

/// The upper half of a product by parts; `carry`: whether the middle sum keeps its carry.
fn upper(d: &Terms, x: TermId, y: TermId, carry: bool) -> TermId {
    let wide = |a: &TermId, b: &TermId| d.mul(&d.zext(a, 64), &d.zext(b, 64));
    let (x0, x1, y0, y1) = (half(d, &x, 0), half(d, &x, 32), half(d, &y, 0), half(d, &y, 32));
    let first = d.add(&wide(&x0, &y1), &d.zext(&half(d, &wide(&x0, &y0), 32), 64));
    let sum = d.add(&d.zext(&wide(&x1, &y0), 65), &d.zext(&first, 65));
    let over = d.extract(&sum, 64, 1);
    let over = if carry { over } else { d.no() };
    let upper = d.concat(&d.zext(&over, 32), &d.extract(&sum, 32, 32));
    d.add(&wide(&x1, &y1), &upper)
}

#[test]
fn parts_have_the_form_of_the_whole() {
    let d = Terms::new();
    let mut integers = Integers::new(&d);
    let (x, y) = (d.variable("x", 64), d.variable("y", 64));
    let product = d.mul(&d.zext(&x, 128), &d.zext(&y, 128));
    let whole = integers.form(d.extract(&product, 64, 64));
    assert_eq!(whole, integers.form(upper(&d, x, y, true)));
    assert_ne!(whole, integers.form(upper(&d, x, y, false)));
    // The signed product, by the unsigned one.
    let signed = d.mul(&d.sext(&x, 128), &d.sext(&y, 128));
    let signed = integers.form(d.extract(&signed, 64, 64));
    let zero = d.constant(64, 0);
    let negative = |a: &TermId, b: &TermId| d.ite(&d.compare(CompareOp::SLt, a, &zero), b, &zero);
    let high = upper(&d, x, y, true);
    let both = d.sub(&d.sub(&high, &negative(&x, &y)), &negative(&y, &x));
    assert_eq!(signed, integers.form(both));
    assert_ne!(signed, integers.form(d.sub(&high, &negative(&x, &y))));
    assert_ne!(signed, whole);
    // A quotient by 1000 of 64 bits, by a product in parts and a shift: with 2^71 / 1000 after a shift by 3.
    let thousandth = d.binary(BinaryOp::UDiv, &x, &d.constant(64, 1000));
    let k = |k: u128| d.constant(64, k);
    let eighth = d.binary(BinaryOp::LShr, &x, &k(3));
    let magic = (1u128 << 68).div_ceil(125);
    let by = |magic: u128, shift: u128| {
        let high = upper(&d, eighth, k(magic), true);
        d.binary(BinaryOp::LShr, &high, &k(shift))
    };
    let thousandth = integers.form(thousandth);
    assert_eq!(thousandth, integers.form(by(magic, 4)));
    for (magic, shift) in [(magic - 1, 4), (magic + 128, 4), (magic, 3), (magic, 5)] {
        assert_ne!(thousandth, integers.form(by(magic, shift)));
    }
}
