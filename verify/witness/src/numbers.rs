//! Questions about words as whole numbers: what is computed in parts with carries is linear arithmetic then, which is hard to see bit by bit.
//!
//! A word of n bits is a whole number from 0 to 2^n - 1; what wraps is that less a multiple of 2^n. Bits of a word are pieces of which it is the
//! sum. Of products of 32 bits it is known that they commute and how large they are; of what else is not linear, that it is a function of its
//! operands. So more can be than is: what cannot be here cannot be at all, and nothing else follows.

use super::script::{binary, needed, operation, place};
use rustc_hash::FxHashMap;
use sassafras_semantics::term::Node;
use sassafras_semantics::{BinaryOp as B, CompareOp as C, TermId, Terms, UnaryOp as U};
use sassafras_solve::smt::Script;
use sassafras_symbolic::inputs::Inputs;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most operations that move bits alone within each other that are looked through.
const DEPTH: u32 = 100;
/// Most runs of ones of a mask whose bits are told one by one.
const RUNS: usize = 8;
/// Bits of what is multiplied.
const LIMB: u32 = 32;

/// The question whether all of `asserted`, one bit each, can hold.
pub fn script(inputs: &Inputs<'_>, asserted: &[TermId]) -> Script {
    let terms = inputs.terms;
    let (order, _) = needed(inputs, &[], asserted, &[]);
    let (text, functions, constants, most, pieces, named, quotients, products, next) = Default::default();
    let mut all =
        Numbers { terms, text, functions, constants, most, pieces, named, quotients, products, next };
    for &t in &order {
        all.declare(&t.to_string(), terms.width_of(t));
        match inputs.settled(t) {
            Some(bits) => {
                all.most.insert(t, bits);
                all.constants.insert(t, bits);
                all.is(t, &bits.to_string());
            }
            None if terms.node(t).is_free() => {}
            None => all.define(t),
        }
    }
    for t in asserted {
        all.is(*t, "1");
    }
    // Nobody looks at the model.
    Script { text: all.text, ..Default::default() }
}

/// 2^n.
fn power(n: u32) -> String {
    match n {
        128.. => format!("(* {} {})", 1u128 << 127, 1u128 << (n - 127)),
        _ => (1u128 << n).to_string(),
    }
}

/// 2^n - 1.
fn ones(n: u32) -> u128 {
    if n >= 128 { u128::MAX } else { (1 << n) - 1 }
}

/// What a factor's words are.
enum Limb {
    Zero,
    Number(u128),
    /// One bit, and what it stands for.
    Bit(String, u128),
    /// A number, how many bits it has, and the term and the bit that it begins at.
    Word(String, u32, (TermId, u32)),
}

struct Numbers<'t> {
    terms: &'t Terms,
    text: String,
    functions: BTreeSet<String>,
    /// The values of terms that hang on nothing.
    constants: FxHashMap<TermId, u128>,
    /// The greatest value of terms.
    most: FxHashMap<TermId, u128>,
    /// Of terms that are taken apart: lowest bit, width and name of each piece.
    pieces: FxHashMap<TermId, Vec<(u32, u32, String)>>,
    /// Quotients and remainders, by their operands and width.
    quotients: FxHashMap<(String, String, u32), (String, String)>,
    /// Bits that have a name: of a term, from one on, so many.
    named: FxHashMap<(TermId, u32, u32), String>,
    /// Products, what words have in common, and magnitudes, by their operands.
    products: FxHashMap<(String, String), String>,
    next: u32,
}

impl Numbers<'_> {
    fn declare(&mut self, name: &str, width: u32) {
        let _ = writeln!(self.text, "(declare-const {name} Int)");
        let _ = writeln!(self.text, "(assert (and (<= 0 {name}) (< {name} {})))", power(width));
    }

    fn fresh(&mut self, width: u32) -> String {
        self.next += 1;
        let name = format!("n{}", self.next);
        self.declare(&name, width);
        name
    }

    fn is(&mut self, t: TermId, value: &str) {
        let _ = writeln!(self.text, "(assert (= {t} {value}))");
    }

    /// The greatest value of a term.
    fn most(&self, t: TermId) -> u128 {
        self.most.get(&t).copied().unwrap_or_else(|| ones(self.terms.width_of(t)))
    }

    /// A term is a number, which is not more than `most` and not negative if that is known, less a multiple of 2^n.
    fn wraps(&mut self, t: TermId, value: &str, most: Option<u128>) {
        if let Some(most) = most.filter(|m| *m <= ones(self.terms.width_of(t))) {
            self.most.insert(t, most);
            self.is(t, value);
            return;
        }
        self.next += 1;
        let times = format!("n{}", self.next);
        let _ = writeln!(self.text, "(declare-const {times} Int)");
        let width = self.terms.width_of(t);
        self.is(t, &format!("(- {value} (* {} {times}))", power(width)));
    }

    fn constant(&self, t: TermId) -> Option<u128> {
        self.constants.get(&t).copied()
    }

    fn define(&mut self, t: TermId) {
        let d = self.terms;
        let (node, width) = (d.node(t), d.width_of(t));
        match &node {
            Node::Extract { low, a } => {
                let bits = self.bits(*a, *low, width, DEPTH);
                self.is(t, &bits);
            }
            Node::Zext(a) => {
                self.most.insert(t, self.most(*a));
                self.is(t, &a.to_string());
            }
            Node::Concat(h, l) => self.is(t, &format!("(+ (* {} {h}) {l})", power(d.width_of(*l)))),
            Node::Sext(a) => {
                let n = d.width_of(*a);
                let sign = self.sign(*a);
                self.is(t, &format!("(+ {a} (* (- {} {}) {sign}))", power(width), power(n)));
            }
            Node::Ite(c, a, b) => {
                self.most.insert(t, self.most(*a).max(self.most(*b)));
                self.is(t, &format!("(ite (= {c} 1) {a} {b})"));
            }
            Node::Unary(U::Not, a) => self.is(t, &format!("(- {} 1 {a})", power(width))),
            Node::Unary(U::Neg, a) => self.wraps(t, &format!("(- {a})"), None),
            Node::Compare(op, a, b) => self.comparison(t, *op, *a, *b),
            Node::Binary(op, a, b) => self.operation(t, *op, *a, *b, width),
            _ => self.function(t, &operation(&node), &node.operands()),
        }
    }

    fn comparison(&mut self, t: TermId, op: C, a: TermId, b: TermId) {
        let whole = power(self.terms.width_of(a));
        let mut side = |x: TermId| match op {
            C::SLt | C::SLe => {
                let sign = self.sign(x);
                format!("(- {x} (* {whole} {sign}))")
            }
            _ => x.to_string(),
        };
        let (x, y) = (side(a), side(b));
        let op = match op {
            C::Eq => "=",
            C::ULt | C::SLt => "<",
            C::ULe | C::SLe => "<=",
        };
        self.is(t, &format!("(ite ({op} {x} {y}) 1 0)"));
    }

    fn operation(&mut self, t: TermId, op: B, a: TermId, b: TermId, width: u32) {
        let by = self.constant(b);
        match (op, by) {
            (B::Add, _) => {
                let most = self.most(a).checked_add(self.most(b));
                self.wraps(t, &format!("(+ {a} {b})"), most);
            }
            (B::Sub, _) => self.wraps(t, &format!("(- {a} {b})"), None),
            (B::Mul, _) => self.product(t, a, b, width),
            (B::And, _) if width == 1 => self.is(t, &format!("(ite (= {a} 1) {b} 0)")),
            (B::Or, _) if width == 1 => self.is(t, &format!("(ite (= {a} 1) 1 {b})")),
            (B::Xor, _) if width == 1 => self.is(t, &format!("(ite (= {a} 1) (- 1 {b}) {b})")),
            (B::And | B::Or | B::Xor, _) => {
                let both = self.both(a, b, width);
                match op {
                    B::And => self.is(t, &both),
                    B::Or => self.is(t, &format!("(- (+ {a} {b}) {both})")),
                    _ => self.is(t, &format!("(- (+ {a} {b}) (* 2 {both}))")),
                }
            }
            (B::Shl | B::LShr, Some(c)) if c >= width.into() => self.is(t, "0"),
            (B::Shl, Some(c)) => {
                let bits = self.bits(a, 0, width - c as u32, DEPTH);
                self.is(t, &format!("(* {} {bits})", power(c as u32)));
            }
            (B::LShr, Some(c)) => {
                let bits = self.bits(a, c as u32, width - c as u32, DEPTH);
                self.is(t, &bits);
            }
            (B::AShr, Some(c)) => {
                let c = c.min(u128::from(width - 1)) as u32;
                let (bits, sign) = (self.bits(a, c, width - c, DEPTH), self.sign(a));
                self.is(t, &format!("(+ {bits} (* (- {} {}) {sign}))", power(width), power(width - c)));
            }
            (B::UDiv | B::URem | B::SDiv | B::SRem, _) => self.division(t, op, a, b),
            _ => self.function(t, binary(op), &[a, b]),
        }
    }

    /// Some function of the operands.
    fn function(&mut self, t: TermId, name: &str, operands: &[TermId]) {
        let widths: Vec<u32> = operands.iter().map(|o| self.terms.width_of(*o)).collect();
        let name = format!("|{name} {widths:?} {}|", self.terms.width_of(t));
        if self.functions.insert(name.clone()) {
            let _ = writeln!(self.text, "(declare-fun {name} ({}) Int)", "Int ".repeat(operands.len()));
        }
        let operands: Vec<String> = operands.iter().map(TermId::to_string).collect();
        self.is(t, &format!("({name} {})", operands.join(" ")));
    }

    /// A word's upper bit.
    fn sign(&mut self, t: TermId) -> String {
        self.bits(t, self.terms.width_of(t) - 1, 1, DEPTH)
    }

    /// Bits of a word. `depth`: how many operations may be looked through.
    fn bits(&mut self, mut t: TermId, mut low: u32, width: u32, depth: u32) -> String {
        let d = self.terms;
        for _ in 0..depth {
            let whole = d.width_of(t);
            if low == 0 && width == whole {
                return t.to_string();
            }
            match self.terms.node(t) {
                Node::Constant(c) => {
                    return (c >> low & ones(width)).to_string();
                }
                Node::Extract { low: more, a } => (t, low) = (a, low + more),
                Node::Zext(a) if low + width <= d.width_of(a) => t = a,
                Node::Zext(a) if low >= d.width_of(a) => return "0".into(),
                Node::Zext(a) => return self.bits(a, low, d.width_of(a) - low, depth - 1),
                Node::Sext(a) if low + width <= d.width_of(a) => t = a,
                Node::Concat(_, l) if low + width <= d.width_of(l) => t = l,
                Node::Concat(h, l) if low >= d.width_of(l) => (t, low) = (h, low - d.width_of(l)),
                Node::Concat(h, l) => {
                    let own = d.width_of(l) - low;
                    let (below, above) =
                        (self.bits(l, low, own, depth / 2), self.bits(h, 0, width - own, depth / 2));
                    return format!("(+ (* {} {above}) {below})", power(own));
                }
                _ => break,
            }
        }
        if low == 0 && width == d.width_of(t) {
            return t.to_string();
        }
        if let Some(name) = self.named.get(&(t, low, width)) {
            return name.clone();
        }
        self.cut(t, low);
        self.cut(t, low + width);
        if let Some(name) = self.named.get(&(t, low, width)) {
            return name.clone();
        }
        let inside = self.pieces[&t].iter().filter(|p| p.0 >= low && p.0 < low + width);
        let all: Vec<String> = inside.map(|p| format!("(* {} {})", power(p.0 - low), p.2)).collect();
        let name = self.fresh(width);
        let _ = writeln!(self.text, "(assert (= {name} (+ 0 {})))", all.join(" "));
        self.named.insert((t, low, width), name.clone());
        name
    }

    /// The bit that some bits of a word all are, where its operations say so: a sign that was spread, or a choice of a mask.
    fn repeated(&mut self, mut t: TermId, mut low: u32, width: u32, depth: u32) -> Option<String> {
        let d = self.terms;
        for _ in 0..depth {
            if width == 1 {
                return Some(self.bits(t, low, 1, DEPTH));
            }
            match self.terms.node(t) {
                Node::Extract { low: more, a } => (t, low) = (a, low + more),
                Node::Sext(a) if low + 1 >= d.width_of(a) => return Some(self.sign(a)),
                Node::Sext(a) | Node::Zext(a) if low + width <= d.width_of(a) => t = a,
                Node::Concat(_, l) if low + width <= d.width_of(l) => t = l,
                Node::Concat(h, l) if low >= d.width_of(l) => (t, low) = (h, low - d.width_of(l)),
                Node::Concat(h, l) => {
                    let own = d.width_of(l) - low;
                    let below = self.repeated(l, low, own, depth / 2)?;
                    return self.repeated(h, 0, width - own, depth / 2).filter(|above| *above == below);
                }
                Node::Binary(B::AShr, a, c) => {
                    let by = self.constant(c)?.saturating_add(u128::from(low) + 1);
                    return (by >= d.width_of(a).into()).then(|| self.sign(a));
                }
                Node::Ite(c, a, b) => {
                    let ones = ones(width);
                    let run = |t: TermId| Some(self.constant(t)? >> low & ones);
                    return match (run(a)?, run(b)?) {
                        (a, 0) if a == ones => Some(c.to_string()),
                        (0, b) if b == ones => Some(format!("(- 1 {c})")),
                        _ => None,
                    };
                }
                _ => return None,
            }
        }
        None
    }

    /// Takes a term apart before a bit.
    fn cut(&mut self, t: TermId, at: u32) {
        let whole = self.terms.width_of(t);
        let pieces = self.pieces.entry(t).or_insert_with(|| vec![(0, whole, t.to_string())]);
        let Some(i) = pieces.iter().position(|p| p.0 < at && at < p.0 + p.1) else { return };
        let (low, width, name) = pieces[i].clone();
        let (below, above) = (self.fresh(at - low), self.fresh(low + width - at));
        let _ = writeln!(self.text, "(assert (= {name} (+ (* {} {above}) {below})))", power(at - low));
        self.named.insert((t, low, at - low), below.clone());
        self.named.insert((t, at, low + width - at), above.clone());
        let two = [(low, at - low, below), (at, low + width - at, above)];
        self.pieces.get_mut(&t).expect("it is there").splice(i..=i, two);
    }

    /// What two words have in common.
    fn both(&mut self, a: TermId, b: TermId, width: u32) -> String {
        if self.apart(a, b) || self.apart(b, a) {
            return "0".into();
        }
        for (x, mask) in [(a, b), (b, a)] {
            if let Some(bit) = self.repeated(mask, 0, width, DEPTH) {
                return format!("(ite (= {bit} 1) {x} 0)");
            }
        }
        for (x, mask) in [(a, self.constant(b)), (b, self.constant(a))] {
            let Some(mask) = mask else { continue };
            let ones: Vec<u32> = (0..width).filter(|i| mask >> i & 1 == 1).collect();
            let runs: Vec<&[u32]> = ones.chunk_by(|i, j| i + 1 == *j).collect();
            if runs.len() > RUNS {
                continue;
            }
            let run = |r: &&[u32]| {
                let bits = self.bits(x, r[0], r.len() as u32, DEPTH);
                format!("(* {} {bits})", power(r[0]))
            };
            let all: Vec<String> = runs.iter().map(run).collect();
            return format!("(+ 0 {})", all.join(" "));
        }
        let (x, y) = if a <= b { (a, b) } else { (b, a) };
        let key = (format!("and {x}"), y.to_string());
        if let Some(known) = self.products.get(&key) {
            return known.clone();
        }
        let both = self.fresh(width);
        let _ = writeln!(self.text, "(assert (and (<= {both} {x}) (<= {both} {y})))");
        self.products.insert(key, both.clone());
        both
    }

    /// Whether one number has no bits where the other, which is small, has some.
    fn apart(&self, shifted: TermId, small: TermId) -> bool {
        let d = self.terms;
        let low = match self.terms.node(shifted) {
            Node::Binary(B::Shl, _, c) => self.constant(c).unwrap_or(0),
            Node::Concat(_, l) if self.constant(l) == Some(0) => d.width_of(l).into(),
            _ => 0,
        };
        let bits = match self.terms.node(small) {
            Node::Zext(a) => d.width_of(a),
            Node::Binary(B::LShr, _, c) => {
                let width = u128::from(d.width_of(small));
                (width - self.constant(c).unwrap_or(0).min(width)) as u32
            }
            Node::Binary(B::And, _, c) => {
                self.constant(c).map_or(d.width_of(small), |c| 128 - c.leading_zeros())
            }
            _ => d.width_of(small),
        };
        low >= bits.into()
    }

    /// Quotients and remainders by those of the magnitudes, as SMT-LIB defines them (theory FixedSizeBitVectors, logic QF_BV).
    fn division(&mut self, t: TermId, op: B, a: TermId, b: TermId) {
        let signed = matches!(op, B::SDiv | B::SRem);
        let ((x, minus), (y, less)) = (self.magnitude(a, signed), self.magnitude(b, signed));
        let (quotient, rest) = self.quotient(x, y, self.terms.width_of(a));
        match op {
            B::UDiv => self.is(t, &quotient),
            B::URem => self.is(t, &rest),
            B::SDiv => self.wraps(t, &format!("(ite (= {minus} {less}) {quotient} (- {quotient}))"), None),
            _ => self.wraps(t, &format!("(ite (= {minus} 1) (- {rest}) {rest})"), None),
        }
    }

    /// How large a number is, and whether it is negative.
    fn magnitude(&mut self, t: TermId, signed: bool) -> (String, String) {
        let width = self.terms.width_of(t);
        match self.constant(t) {
            Some(c) if signed && c >> (width - 1) == 1 => {
                return ((c.wrapping_neg() & ones(width)).to_string(), "1".into());
            }
            Some(c) => return (c.to_string(), "0".into()),
            None if !signed => return (t.to_string(), "0".into()),
            None => {}
        }
        let (sign, key) = (self.sign(t), ("magnitude".to_owned(), t.to_string()));
        if let Some(known) = self.products.get(&key) {
            return (known.clone(), sign);
        }
        let all = self.fresh(width);
        let _ = writeln!(self.text, "(assert (= {all} (ite (= {sign} 1) (- {} {t}) {t})))", power(width));
        self.products.insert(key, all.clone());
        (all, sign)
    }

    /// A number by another, and what is left: of words of any width the same, but for a divisor of zero.
    fn quotient(&mut self, x: String, y: String, width: u32) -> (String, String) {
        if let Some(known) = self.quotients.get(&(x.clone(), y.clone(), width)) {
            return known.clone();
        }
        let (q, r) = (self.fresh(width), self.fresh(width));
        let text = match y.parse::<u128>() {
            Ok(1..) => format!("(and (< {r} {y}) (= {x} (+ (* {y} {q}) {r})))"),
            _ => {
                for name in ["quotient", "rest"] {
                    if self.functions.insert(name.to_owned()) {
                        let _ = writeln!(self.text, "(declare-fun |{name}| (Int Int) Int)");
                    }
                }
                let by = format!("(and (= {q} (|quotient| {x} {y})) (= {r} (|rest| {x} {y})))");
                let most = format!("(and (<= {q} {x}) (<= {r} {x}) (< {r} {y}))");
                let none = format!("(and (= {q} {}) (= {r} {x}))", ones(width));
                format!("(ite (= {y} 0) {none} (and {by} {most}))")
            }
        };
        let _ = writeln!(self.text, "(assert {text})");
        self.quotients.insert((x, y, width), (q.clone(), r.clone()));
        (q, r)
    }

    fn product(&mut self, t: TermId, a: TermId, b: TermId, width: u32) {
        for (c, x) in [(self.constant(a), b), (self.constant(b), a)] {
            let Some(c) = c else { continue };
            // A coefficient of the upper half is a negative one.
            let minus = c.wrapping_neg() & ones(width);
            match c > minus {
                true => self.wraps(t, &format!("(* (- {minus}) {x})"), None),
                false => self.wraps(t, &format!("(* {c} {x})"), c.checked_mul(self.most(x))),
            }
            return;
        }
        // Of a number with a sign the greatest is its own.
        let most = self
            .most(a)
            .checked_mul(self.most(b))
            .filter(|_| ![a, b].iter().any(|x| matches!(self.terms.node(*x), Node::Sext(_))));
        let (a, b) = (self.factor(a), self.factor(b));
        let mut sum = vec!["0".to_owned()];
        for ((i, minus, x), (j, less, y)) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
            if i + j < width
                && let Some(part) = self.part(x, y)
            {
                let scaled = format!("(* {} {part})", power(i + j));
                sum.push(if minus == less { scaled } else { format!("(- {scaled})") });
            }
        }
        self.wraps(t, &format!("(+ {} 0)", sum.join(" ")), most);
    }

    /// A factor as a sum of words: where each begins, and whether it is taken away.
    fn factor(&mut self, t: TermId) -> Vec<(u32, bool, Limb)> {
        let d = self.terms;
        let (inner, sign) = match self.terms.node(t) {
            Node::Sext(a) => (a, Some((d.width_of(a), true, Limb::Bit(self.sign(a), 1)))),
            Node::Zext(a) => (a, None),
            _ => (t, None),
        };
        let width = d.width_of(inner);
        let low = (0..width).step_by(LIMB as usize);
        let limbs: Vec<_> =
            low.map(|low| (low, false, self.limb(inner, low, LIMB.min(width - low)))).collect();
        limbs.into_iter().chain(sign).collect()
    }

    /// A word of a factor.
    fn limb(&mut self, mut t: TermId, mut low: u32, mut width: u32) -> Limb {
        let d = self.terms;
        for _ in 0..DEPTH {
            match self.terms.node(t) {
                Node::Constant(c) => return Limb::Number(c >> low & ((1 << width) - 1)),
                Node::Extract { low: more, a } => (t, low) = (a, low + more),
                Node::Zext(a) if low >= d.width_of(a) => return Limb::Zero,
                Node::Zext(a) => (t, width) = (a, width.min(d.width_of(a) - low)),
                Node::Sext(a) if low + width <= d.width_of(a) => t = a,
                Node::Sext(a) if low >= d.width_of(a) => {
                    return Limb::Bit(self.sign(a), (1 << width) - 1);
                }
                Node::Concat(_, l) if low + width <= d.width_of(l) => t = l,
                Node::Concat(h, l) if low >= d.width_of(l) => (t, low) = (h, low - d.width_of(l)),
                _ => break,
            }
        }
        match d.width_of(t) {
            1 => Limb::Bit(t.to_string(), 1),
            _ => Limb::Word(self.bits(t, low, width, DEPTH), width, place(d, t, low)),
        }
    }

    /// The product of two words.
    fn part(&mut self, a: &Limb, b: &Limb) -> Option<String> {
        let value = |l: &Limb| match l {
            Limb::Zero => "0".to_owned(),
            Limb::Number(c) => c.to_string(),
            Limb::Bit(text, scale) => format!("(* {scale} {text})"),
            Limb::Word(text, ..) => text.clone(),
        };
        Some(match (a, b) {
            (Limb::Zero | Limb::Number(0), _) | (_, Limb::Zero | Limb::Number(0)) => return None,
            (Limb::Number(c), x) | (x, Limb::Number(c)) => format!("(* {c} {})", value(x)),
            (Limb::Bit(bit, scale), x) | (x, Limb::Bit(bit, scale)) => {
                format!("(ite (= {bit} 1) (* {scale} {}) 0)", value(x))
            }
            (Limb::Word(x, n, p), Limb::Word(y, m, q)) => {
                // Which comes first does not hang on the order in the product.
                let (x, y) = if p <= q { (x, y) } else { (y, x) };
                let key = (x.clone(), y.clone());
                if let Some(known) = self.products.get(&key) {
                    return Some(known.clone());
                }
                let product = self.fresh(n + m);
                let _ = writeln!(self.text, "(assert (<= {product} {}))", ones(*n) * ones(*m));
                self.products.insert(key, product.clone());
                product
            }
        })
    }
}
