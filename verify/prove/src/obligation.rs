//! What has to hold between two sides: assumptions, and goals whose negation is asked for.

use crate::inputs::{AXES, Inputs};
use crate::side::{Event, byte_at, within};
use sassafras_ptx::checked::Function;
use sassafras_semantics::{CompareOp, Domain, TermId, Terms};

/// Something that must not be possible.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What it says, for people.
    pub what: String,
    /// One bit; where it is one the obligation is violated.
    pub violated: TermId,
}

fn implies(d: &Terms, a: &TermId, b: &TermId) -> TermId {
    d.or(&d.not(a), b)
}

fn differ(d: &Terms, a: &TermId, b: &TermId) -> TermId {
    d.not(&d.eq(a, b))
}

/// An address is a multiple of the size of an access.
fn aligned(d: &Terms, event: &Event) -> TermId {
    let bits = event.bytes.ilog2();
    if bits == 0 {
        return d.yes();
    }
    d.eq(&d.extract(&event.address, 0, bits), &d.constant(bits, 0))
}

/// A-LAUNCH and A-UB: the launch is one that a device takes, and the source does nothing undefined.
pub fn assumptions(inputs: &Inputs<'_>, function: &Function, source: &[Event], lanes: bool) -> Vec<TermId> {
    let d = inputs.terms;
    let word = |v: u32| d.constant(32, v.into());
    let mut all = Vec::new();
    for (i, axis) in AXES.into_iter().enumerate() {
        let (ntid, nctaid) = (inputs.ntid(axis), inputs.nctaid(axis));
        all.push(d.compare(CompareOp::ULt, &inputs.tid(axis), &ntid));
        all.push(d.compare(CompareOp::ULt, &inputs.ctaid(axis), &nctaid));
        all.push(d.compare(CompareOp::ULe, &ntid, &word([1024, 1024, 64][i])));
        all.push(d.compare(CompareOp::ULe, &nctaid, &word([0x7fff_ffff, 65535, 65535][i])));
        if let Some(n) = function.reqntid {
            all.push(d.eq(&ntid, &word(n[i])));
        }
    }
    if lanes {
        let [x, y, z] = AXES.map(|a| inputs.tid(a));
        let [nx, ny, _] = AXES.map(|a| inputs.ntid(a));
        let linear = d.add(&x, &d.mul(&nx, &d.add(&y, &d.mul(&ny, &z))));
        all.push(d.eq(&inputs.laneid(), &d.zext(&d.extract(&linear, 0, 5), 32)));
    }
    for e in source {
        all.push(implies(d, &e.guard, &aligned(d, e)));
    }
    all.retain(|a| d.as_constant(a) != Some(1));
    all
}

/// Stores one to one and in order; `None` if the two sides do not even have as many of the same sizes.
pub fn pairs(d: &Terms, source: &[Event], target: &[Event]) -> Option<Vec<Obligation>> {
    let stores = |all: &[Event]| all.iter().filter(|e| e.store).copied().collect::<Vec<_>>();
    let (source, target) = (stores(source), stores(target));
    if source.len() != target.len() || source.iter().zip(&target).any(|(s, t)| s.bytes != t.bytes) {
        return None;
    }
    let pair = |(s, t): (&Event, &Event)| {
        let wrong = d.or(&differ(d, &s.address, &t.address), &differ(d, &s.value, &t.value));
        let violated = d.or(&differ(d, &s.guard, &t.guard), &d.and(&s.guard, &wrong));
        let what = format!("the store of line {} is that at {:#06x}", s.place, t.place);
        Obligation { what, violated }
    };
    Some(source.iter().zip(&target).map(pair).collect())
}

/// Whatever the order and number of stores: the same bytes are written, with the same last values. Asked for one byte at an
/// address that is free.
pub fn memory(inputs: &Inputs<'_>, source: &[Event], target: &[Event]) -> Obligation {
    let d = inputs.terms;
    let at = inputs.variable("address", 64, false);
    let fold = |all: &[Event]| {
        let start = (d.no(), d.constant(8, 0));
        all.iter().filter(|e| e.store).fold(start, |(written, value), e| {
            let here = d.and(&e.guard, &within(d, at, e));
            (d.or(&written, &here), d.ite(&here, &byte_at(d, at, e), &value))
        })
    };
    let ((ws, vs), (wt, vt)) = (fold(source), fold(target));
    let violated = d.or(&differ(d, &ws, &wt), &d.and(&ws, &differ(d, &vs, &vt)));
    Obligation { what: "both sides leave the same memory".into(), violated }
}

/// Each access of the target is aligned, and each load reads bytes that the source reads or writes there.
pub fn covered(d: &Terms, source: &[Event], target: &[Event]) -> Vec<Obligation> {
    let mut all = Vec::new();
    for t in target {
        let same = |s: &&Event| s.address == t.address && s.bytes >= t.bytes && s.guard == t.guard;
        if source.iter().any(|s| same(&s)) {
            continue;
        }
        let mut bad = d.not(&aligned(d, t));
        for i in 0..t.bytes {
            if t.store {
                break;
            }
            let at = d.add(&t.address, &d.constant(64, i.into()));
            let none = source
                .iter()
                .fold(d.yes(), |none, s| d.and(&none, &d.not(&d.and(&s.guard, &within(d, at, s)))));
            bad = d.or(&bad, &none);
        }
        let violated = d.and(&t.guard, &bad);
        all.push(Obligation {
            what: format!("the source accesses what is read at {:#06x}", t.place),
            violated,
        });
    }
    all
}
