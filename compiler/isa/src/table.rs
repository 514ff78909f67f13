//! The table: rows as constant data that `build.rs` made of `table/*.tbl`; each form is read when it is first used.

use crate::form::{Form, FormId};
use crate::notation::{self, Row};
use crate::plan::Plan;
use rustc_hash::FxHashMap;
use sassafras_chip::{Chip, ChipRange};
use std::sync::OnceLock;

/// One row with macros and shapes gone; the fields of [`Row`].
struct StaticRow {
    id: &'static str,
    chips: &'static str,
    opcode: u16,
    fixed: &'static [(u8, u8, u64)],
    syntax: &'static str,
    aliases: &'static [(&'static str, &'static str)],
    attributes: &'static [(&'static str, &'static str)],
    /// Whether the word names a place in code.
    target: bool,
    /// A hash of the row, so that what is recorded of it can be told to be of this row.
    mark: u32,
}

#[allow(clippy::all)]
mod rows {
    use super::{FormId, StaticRow};
    include!(concat!(env!("OUT_DIR"), "/rows.rs"));
}

/// A form and what decoding and printing ask of it most.
struct Slot {
    form: Form,
    plan: Plan,
}

static SLOTS: [OnceLock<Box<Slot>>; rows::COUNT] = [const { OnceLock::new() }; rows::COUNT];

fn slot(id: FormId) -> &'static Slot {
    let i = usize::from(id.0);
    SLOTS[i].get_or_init(|| {
        let row = &rows::ROWS[i];
        let pairs = |list: &[(&str, &str)]| list.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        let row = Row {
            id: row.id.into(),
            chips: row.chips.into(),
            opcode: row.opcode,
            fixed: row.fixed.to_vec(),
            syntax: row.syntax.into(),
            aliases: pairs(row.aliases),
            attributes: pairs(row.attributes),
        };
        let mut form = match notation::build(&row) {
            Ok(form) => form,
            Err(error) => unreachable!("the table is part of the program and tested: {error}"),
        };
        verify(&mut form, rows::ROWS[i].mark);
        let plan = Plan::new(&form);
        Box::new(Slot { form, plan })
    })
}

/// The row of a form.
pub(crate) fn get(id: FormId) -> &'static Form {
    &slot(id).form
}

/// The plan of a form.
pub(crate) fn plan(id: FormId) -> &'static Plan {
    &slot(id).plan
}

/// A form that a word of a chip may be, as far as the bits tell that its row fixes. The form itself is read when a word has those.
pub(crate) struct Candidate {
    form: FormId,
    /// The bits that the row fixes, opcode included.
    pub mask: u128,
    /// Their values.
    pub value: u128,
    known: OnceLock<Known>,
}

/// A form that a word of a chip may be.
pub(crate) struct Known {
    pub form: FormId,
    pub row: &'static Form,
    pub plan: &'static Plan,
    /// As [`Form::mask_on`] the chip.
    pub mask: u128,
    pub value: u128,
}

impl Candidate {
    fn new(form: FormId, row: &StaticRow) -> Candidate {
        let (mut mask, mut value) = (0xfff, u128::from(row.opcode));
        for &(first, count, bits) in row.fixed {
            mask |= ((1 << count) - 1) << first;
            value |= u128::from(bits) << first;
        }
        Candidate { form, mask, value, known: OnceLock::new() }
    }

    /// The form; `chip` must be the one that the candidate is of.
    #[inline]
    pub fn known(&self, chip: Chip) -> &Known {
        self.known.get_or_init(|| {
            let Slot { form: row, plan } = slot(self.form);
            Known { form: self.form, row, plan, mask: row.mask_on(chip), value: row.value }
        })
    }
}

/// The forms of each opcode on one chip.
type Index = [OnceLock<Box<[Candidate]>>; 4096];

/// The forms of a chip with these bits 0 to 11, in the order of the table.
#[inline]
pub(crate) fn candidates(opcode: u16, chip: Chip) -> &'static [Candidate] {
    static CHIPS: [OnceLock<Box<Index>>; 128] = [const { OnceLock::new() }; 128];
    let index =
        CHIPS[chip.number() as usize & 127].get_or_init(|| Box::new([const { OnceLock::new() }; 4096]));
    index[usize::from(opcode & 0xfff)].get_or_init(|| {
        let rows = by_opcode(opcode).iter().map(|&form| (form, &rows::ROWS[usize::from(form.0)]));
        let here = rows.filter(|(_, row)| is_on(row, chip));
        here.map(|(form, row)| Candidate::new(form, row)).collect()
    })
}

/// What `examples/verify.rs` recorded: the form, the mark of its row, a seed word, the version of nvdisasm, random words at home and
/// how many were equal, the chips on which all were equal, words whose operands were compared, and which control bits are legal.
const VERIFIED: &str = include_str!("table/verified.csv");

/// Adds to a row what holding it against nvdisasm has shown.
fn verify(form: &mut Form, mark: u32) {
    static RECORDS: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
    let records =
        RECORDS.get_or_init(|| VERIFIED.lines().skip(1).filter_map(|line| line.split_once(',')).collect());
    let record: Option<Vec<&str>> = records.get(form.id).map(|rest| rest.split(',').collect());
    let Some([known, seed, tool, words, equal, chips, operands, write, read, reuse]) = record.as_deref()
    else {
        form.source = "not yet held against nvdisasm";
        return;
    };
    form.control.write_barrier = *write == "1";
    form.control.read_barrier = *read == "1";
    form.control.reuse = reuse.parse().unwrap_or(0);
    if u32::from_str_radix(known, 16) != Ok(mark) {
        form.source = "changed since it was held against nvdisasm";
        return;
    }
    let seed = if seed.is_empty() {
        "no word of ptxas seen".to_owned()
    } else {
        format!("seed {seed} from ptxas 13.0.88")
    };
    let text = format!(
        "{seed}; {equal} of {words} random words printed as nvdisasm {tool} does, all on sm_{}; reads and writes as its -plr on {operands} words",
        chips.replace('+', ", ")
    );
    form.source = Box::leak(text.into_boxed_str());
}

/// A hash of the row of a form.
pub fn mark(id: FormId) -> u32 {
    rows::ROWS[usize::from(id.0)].mark
}

/// Every form of every chip, in the order of their [`FormId`]s.
#[derive(Clone, Copy, Debug)]
pub struct Forms;

impl Forms {
    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(self) -> usize {
        rows::COUNT
    }

    /// Each form.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'static Form> + Clone {
        (0..rows::COUNT).map(|i| get(FormId(i as u16)))
    }
}

impl IntoIterator for Forms {
    type Item = &'static Form;
    type IntoIter = Box<dyn Iterator<Item = &'static Form>>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// Every form of every chip; a [`FormId`] is an index here.
pub fn forms() -> Forms {
    Forms
}

/// The form with this name, as in `iadd3.rrr`.
pub fn form(id: &str) -> Option<FormId> {
    rows::NAMES.binary_search_by_key(&id, |row| row.0).ok().map(|i| rows::NAMES[i].1)
}

/// The form that a chip has of a family, as in `ldg` or `iadd3.rrr`: its own way of writing what the name says on sm_90.
pub fn form_on(family: &str, chip: Chip) -> Option<FormId> {
    // A name of one row alone is its family's too.
    let found = rows::FAMILIES.binary_search_by_key(&family, |row| row.0).ok()?;
    rows::FAMILIES[found].1.iter().copied().find(|id| is_on(&rows::ROWS[usize::from(id.0)], chip))
}

/// Whether a chip has a row's form; the row is not read for that.
fn is_on(row: &StaticRow, chip: Chip) -> bool {
    match row.chips.parse::<ChipRange>() {
        Ok(chips) => chips.contains(chip),
        Err(error) => unreachable!("the table is part of the program and tested: {error}"),
    }
}

/// Every family with its forms.
pub fn families() -> impl Iterator<Item = (&'static str, &'static [FormId])> {
    rows::FAMILIES.iter().copied()
}

/// The forms with these bits 0 to 11.
pub(crate) fn by_opcode(opcode: u16) -> &'static [FormId] {
    let at = usize::from(opcode);
    &rows::BY_OPCODE[usize::from(rows::OPCODES[at])..usize::from(rows::OPCODES[at + 1])]
}

/// Whether a word with these bits 0 to 11 may name a place in code.
pub fn may_name_a_place(opcode: u16) -> bool {
    by_opcode(opcode & 0xfff).iter().any(|id| rows::ROWS[usize::from(id.0)].target)
}

/// The forms whose text begins with this mnemonic, up to the first dot.
pub(crate) fn by_mnemonic(mnemonic: &str) -> &'static [FormId] {
    rows::MNEMONICS.binary_search_by_key(&mnemonic, |row| row.0).map_or(&[], |i| rows::MNEMONICS[i].1)
}
