//! Learns one form from one word: shows hidden operands, finds the numbers, then the bits that change the text, then what of
//! these must be known together, and last corrects itself on random words.

mod fields;
mod joint;
mod refine;

use crate::model::{self, Field, Sym, Variable};
use crate::pool::Pool;
use crate::text::{Kind, Token, tokens};
use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use sassafras_isa::{Chip, Control};
use std::sync::Arc;

/// Bits below which stand opcode and guard.
const FIRST: u8 = 16;
/// Bits from which on stand the control bits.
const LAST: u8 = 105;
/// The bit that says that a source is uniform: part of which form it is.
const UNIFORM: u8 = 91;

/// A learner and what it knows.
pub struct Learner<'a> {
    pool: &'a Pool,
    /// The word it began with.
    pub seed: u128,
    /// The word that shows every operand, each field at a value of its own.
    pub base: u128,
    /// First word of the text.
    pub mnemonic: Arc<str>,
    /// The number of the uniform register that reads zero.
    pub uniform_constant: i64,
    relative: bool,
    /// The numbers.
    pub fields: Vec<Field>,
    /// The base word's text with fields for numbers.
    pub text: Vec<Sym>,
    /// What else changes the text.
    pub variables: Vec<Variable>,
    /// Pairs of variables found not to disturb each other.
    settled: FxHashSet<(usize, usize)>,
    /// Of two insertions at one place, which stands first.
    order: FxHashSet<(usize, usize)>,
    next: usize,
    /// Bits that make another form of the word, and a word with each flipped.
    pub variants: Vec<(u8, u128)>,
    known: FxHashMap<u128, Option<Arc<[Token]>>>,
    /// Words asked.
    pub asked: usize,
    /// Whether the guard is a uniform predicate.
    pub uniform_guard: bool,
    /// What was given up.
    pub notes: Vec<String>,
}

impl<'a> Learner<'a> {
    /// Begins with a word.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn new(pool: &'a Pool, word: u128, chip: Chip) -> Result<Option<Learner<'a>>> {
        let plain = Control { wait_mask: 0, ..Control::SAFE };
        let seed = word & ((1u128 << LAST) - 1) & !0xf000 | 0x7000 | u128::from(plain.bits()) << LAST;
        let answers = pool.ask(&[seed, seed])?;
        let [Some((one, at)), Some((two, next))] = &answers[..] else { return Ok(None) };
        let last = |text: &str| text.rsplit([' ', ',']).next().map(str::to_owned);
        let relative = one != two && at != next && last(one) != last(two);
        let Some(mnemonic) = tokens(one, false, 0).first().map(|t| t.text.clone()) else { return Ok(None) };
        Ok(Some(Learner {
            pool,
            seed,
            base: seed,
            mnemonic,
            uniform_constant: if chip.uniform_field_bits() == 8 { 255 } else { 63 },
            relative,
            fields: Vec::new(),
            text: Vec::new(),
            variables: Vec::new(),
            settled: FxHashSet::default(),
            order: FxHashSet::default(),
            next: 0,
            variants: Vec::new(),
            known: FxHashMap::default(),
            asked: 0,
            uniform_guard: false,
            notes: Vec::new(),
        }))
    }

    /// Learns.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn run(&mut self) -> Result<()> {
        // Again at a general word: an operand at its default hides others.
        for _ in 0..3 {
            self.show_all()?;
            self.find_fields()?;
            self.generalise()?;
        }
        self.find_variants()?;
        self.text = match &self.one(self.base)? {
            Some(tokens) => self.general(tokens),
            None => return Ok(()),
        };
        let guarded = self.pool.ask(&[self.base & !0x7000])?.remove(0);
        self.uniform_guard = guarded.is_some_and(|(text, _)| text.starts_with("@UP"));
        self.sweep()?;
        self.single_bits()?;
        self.join()?;
        self.refine()
    }

    /// Whether what variable `a` inserts stands before what `b` inserts at the same place.
    pub fn before(&self, a: usize, b: usize) -> bool {
        self.order.contains(&(a, b))
    }

    /// The tokens of each word; `None` where it is refused or is another instruction.
    fn ask(&mut self, words: &[u128]) -> Result<Vec<Option<Arc<[Token]>>>> {
        let mut new: Vec<u128> = words.iter().copied().filter(|w| !self.known.contains_key(w)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            self.asked += new.len();
            for (word, answer) in new.iter().zip(self.pool.ask(&new)?) {
                let tokens = answer.and_then(|(text, address)| {
                    let list = tokens(&text, self.relative, address);
                    list.first().is_some_and(|t| t.text == self.mnemonic).then(|| Arc::from(list))
                });
                self.known.insert(*word, tokens);
            }
        }
        Ok(words.iter().map(|w| self.known[w].clone()).collect())
    }

    fn one(&mut self, word: u128) -> Result<Option<Arc<[Token]>>> {
        Ok(self.ask(&[word])?.remove(0))
    }

    fn general(&self, tokens: &[Token]) -> Vec<Sym> {
        model::general(tokens, &self.fields, self.uniform_constant)
    }

    /// Bits that the form may give a meaning to: not those that make another form of it.
    fn bits(&self) -> Vec<u8> {
        let variant = |bit: u8| self.variants.iter().any(|(known, _)| *known == bit);
        (FIRST..LAST).filter(|&bit| bit != UNIFORM && !variant(bit)).collect()
    }

    /// Bits whose flip changes which registers the text names and how it addresses memory: with them set otherwise it is another
    /// form, to be learned by itself.
    fn find_variants(&mut self) -> Result<()> {
        let Some(now) = self.one(self.base)? else { return Ok(()) };
        let uniform_constant = self.uniform_constant;
        let skeleton = |tokens: &[Token]| -> Vec<Kind> {
            let kind = |t: &Token| match t.number(uniform_constant) {
                Some((kind @ (Kind::R | Kind::UR), _)) => Some(kind),
                None if matches!(&*t.text, "desc" | "gdesc" | "cx" | "c" | "tmem") => Some(Kind::Special),
                _ => None,
            };
            tokens.iter().filter_map(kind).collect()
        };
        let wanted = skeleton(&now);
        let taken: Vec<u8> = self.fields.iter().flat_map(|f| f.bits.clone()).collect();
        let bits: Vec<u8> = self.bits().into_iter().filter(|bit| !taken.contains(bit)).collect();
        let words: Vec<u128> = bits.iter().map(|bit| self.base ^ 1 << bit).collect();
        let texts = self.ask(&words)?;
        let mut found = Vec::new();
        for (bit, (word, text)) in bits.iter().zip(words.iter().zip(texts)) {
            if text.is_some_and(|text| skeleton(&text) != wanted) {
                found.push((*bit, *word));
            }
        }
        self.variants = found;
        Ok(())
    }

    fn numbers(&self, tokens: &[Token]) -> usize {
        tokens.iter().filter(|t| t.number(self.uniform_constant).is_some()).count()
    }

    /// Flips single bits as long as each brings an operand to light.
    fn show_all(&mut self) -> Result<()> {
        for _ in 0..12 {
            let Some(now) = self.one(self.base)? else { return Ok(()) };
            let count = self.numbers(&now);
            let words: Vec<u128> = self.bits().into_iter().map(|bit| self.base ^ 1 << bit).collect();
            let texts = self.ask(&words)?;
            let better = words
                .iter()
                .zip(&texts)
                .find(|(_, text)| text.as_ref().is_some_and(|text| self.numbers(text) > count));
            match better {
                Some((word, _)) => self.base = *word,
                None => break,
            }
        }
        Ok(())
    }

    /// The opcode and what kinds of operands the base word's text names, in order: two words with one outline are of one form.
    pub fn outline(&self) -> String {
        let known = self.known.get(&self.base).cloned().flatten();
        self.outline_of(self.base, &known.unwrap_or_else(|| Arc::from([])))
    }

    fn outline_of(&self, word: u128, tokens: &[Token]) -> String {
        outline(word, tokens, self.uniform_constant)
    }

    /// The outlines of the forms one bit away, each with a word.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn outlines(&mut self) -> Result<Vec<(String, u128)>> {
        let words: Vec<u128> = self.variants.iter().map(|(_, word)| *word).collect();
        let texts = self.ask(&words)?;
        let both = words.iter().zip(texts);
        Ok(both.filter_map(|(word, text)| Some((self.outline_of(*word, &text?), *word))).collect())
    }

    /// Those of the words that are legal and of this form.
    ///
    /// # Errors
    /// When nvdisasm cannot be run.
    pub fn legal(&mut self, words: &[u128]) -> Result<Vec<u128>> {
        let texts = self.ask(words)?;
        Ok(words.iter().zip(texts).filter(|(_, text)| text.is_some()).map(|(word, _)| *word).collect())
    }

    /// The values of all fields in a word.
    pub fn values(&self, word: u128) -> Vec<u64> {
        self.fields.iter().map(|field| model::get(word, &field.bits)).collect()
    }
}

/// The opcode and what kinds of operands a text names, in order.
pub fn outline(word: u128, tokens: &[Token], uniform_constant: i64) -> String {
    let mut out = format!("{:03x} {} ", word & 0xfff, word >> UNIFORM & 1);
    for token in tokens {
        match token.number(uniform_constant) {
            Some((Kind::Float | Kind::Decimal, _)) => out += "Number",
            Some((kind, _)) => out += &format!("{kind:?}"),
            None if token.text.starts_with('.') => {}
            None => out += &token.text,
        }
    }
    out
}
