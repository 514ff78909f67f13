//! Opaque operations that have a meaning for executors: barrier objects (PTX ISA, "mbarrier"), copies, which are done at once, textures and
//! products of sparse matrices, which are drawn from the lane's operands, and surfaces, which have no edge.

use crate::memory::{Deed, Lane as View, drawn};
use sassafras_semantics::opaque::next_phase;
use sassafras_semantics::{Access, AtomicOp, Bits, Concrete, Opaque, Ordering, Scope, Space, Trap};

/// Bits of each count of arrivals, and where they begin.
const ARRIVALS: u128 = (1 << 20) - 1;
const EXPECTED: u32 = 1;
const PENDING: u32 = 43;
/// Bits of the count of bytes, signed, and where they begin.
const BYTES: u32 = 21;
const BYTES_AT: u32 = 21;
const PHASE: u32 = 63;

/// A barrier object (PTX ISA, "Contents of the mbarrier object").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    phase: bool,
    pending: u32,
    expected: u32,
    bytes: i32,
}

impl Object {
    fn read(word: u128) -> Object {
        let count = |at: u32| ((ARRIVALS + 1) - (word >> at & ARRIVALS)) as u32 & ARRIVALS as u32;
        let bytes = ((word >> BYTES_AT) as i32) << (32 - BYTES) >> (32 - BYTES);
        Object { phase: word >> PHASE & 1 == 1, pending: count(PENDING), expected: count(EXPECTED), bytes }
    }

    fn word(self) -> u128 {
        let count = |n: u32, at: u32| ((ARRIVALS + 1 - u128::from(n)) & ARRIVALS) << at;
        let bytes = u128::from(self.bytes as u32 & ((1 << BYTES) - 1)) << BYTES_AT;
        u128::from(self.phase) << PHASE
            | count(self.pending, PENDING)
            | count(self.expected, EXPECTED)
            | bytes
    }

    /// A phase ends when nobody is awaited and no bytes are.
    fn end(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
    }

    /// Awaits more bytes, or fewer. The count wraps in its field, as the object holds no more of it.
    fn expect(&mut self, bytes: i32) {
        self.bytes = self.bytes.wrapping_add(bytes) << (32 - BYTES) >> (32 - BYTES);
    }

    fn arrive(&mut self, arrivals: u32, bytes: i32, drop: bool) -> Result<(), Trap> {
        let more = || Trap::Unsupported("an arrival at a barrier object that awaits fewer".into());
        self.expect(bytes);
        self.pending = self.pending.checked_sub(arrivals).ok_or_else(more)?;
        if drop {
            self.expected = self.expected.checked_sub(arrivals).ok_or_else(more)?;
        }
        self.end();
        Ok(())
    }
}

fn shared(bytes: u32) -> Access {
    Access { space: Space::Shared, bytes, ordering: Ordering::Weak, scope: Scope::Cta }
}

/// Changes an object; its word before.
fn change(
    view: &mut View<'_>,
    address: u64,
    with: impl FnOnce(&mut Object) -> Result<(), Trap>,
) -> Result<u128, Trap> {
    let before = view.load(&shared(8), address)?;
    let mut object = Object::read(before);
    with(&mut object)?;
    view.store(&shared(8), address, object.word())?;
    Ok(before)
}

fn complete(view: &mut View<'_>, address: u64, bytes: i32) -> Result<(), Trap> {
    change(view, address, |o| {
        o.expect(bytes.wrapping_neg());
        o.end();
        Ok(())
    })?;
    Ok(())
}

/// Words of which each that is a NaN of binary32 is the same one: no payload of a coordinate or a level means anything, and PTX leaves those of
/// `neg` and `abs` open.
fn any_nan(words: u128) -> u128 {
    (0..4).fold(0, |all, i| {
        let word = (words >> (32 * i)) as u32;
        let word = if f32::from_bits(word).is_nan() { 0x7fff_ffff } else { word };
        all | u128::from(word) << (32 * i)
    })
}

/// What an operation is that is written for every lane's own: here each lane does its own in any case.
fn for_a_lane(op: Opaque) -> Opaque {
    op.name().strip_suffix(".each").and_then(Opaque::named).unwrap_or(op)
}

/// Performs one.
///
/// # Errors
/// One that has no meaning here; faults of memory.
pub(crate) fn perform(view: &mut View<'_>, op: Opaque, arguments: &[Bits]) -> Result<Vec<Bits>, Trap> {
    let op = for_a_lane(op);
    view.memory.did(Deed::Opaque(op));
    let at = |i: usize| arguments.get(i).map_or(0, |a| a.bits());
    let (address, word) = (at(0) as u64, |i: usize| at(i) as u32);
    let name = op.name().strip_suffix(".drop").unwrap_or(op.name());
    match name {
        // Accesses take effect at once, in program order, and no other grid runs.
        _ if op.family().timing => {}
        "mbarrier.init" => view.store(&shared(8), address, at(1))?,
        "mbarrier.inval" => view.store(&shared(8), address, 0)?,
        "mbarrier.arrive" | "mbarrier.remote.arrive" => {
            let before = change(view, address, |o| o.arrive(word(1), word(2) as i32, op.has("drop")))?;
            if name == "mbarrier.arrive" {
                return Ok(vec![Bits::new(64, before)]);
            }
        }
        "mbarrier.expect_tx" => {
            change(view, address, |o| {
                o.expect(word(1) as i32);
                Ok(())
            })?;
        }
        "mbarrier.complete_tx" => complete(view, address, word(1) as i32)?,
        "mbarrier.test_wait" | "mbarrier.try_wait" => {
            let object = Object::read(view.load(&shared(8), address)?);
            let ended = object.phase != (word(1) >> 31 == 1);
            return Ok(vec![Bits::new(1, ended.into())]);
        }
        "mbarrier.copies.arrive" => {
            change(view, address, |o| o.arrive(1, 0, false))?;
        }
        "mbarrier.copies.complete_tx" => complete(view, address, 1)?,
        "mbarrier.words.arrive" | "mbarrier.words.copies" => {
            let before = Bits::new(64, view.load(&shared(8), address)?);
            let after = next_phase(&Concrete::default(), &before);
            view.store(&shared(8), address, after.bits())?;
            return Ok(op.family().results.iter().map(|_| before).collect());
        }
        "inclusterspace" => {
            return Ok(vec![Bits::new(1, View::is_space(Space::Shared, address).into())]);
        }
        "bulk.prefetch" => {}
        _ if matches!(op.head(), "texture" | "fetch" | "gather" | "texquery" | "sparse") => {
            let name = op.name().bytes().map(u128::from);
            let numbers = matches!(op.head(), "texture" | "gather");
            let handle = arguments.iter().take(1).map(|a| a.bits());
            let rest = arguments.iter().skip(1).map(|a| if numbers { any_nan(a.bits()) } else { a.bits() });
            let value = drawn(name.chain(handle).chain(rest));
            view.memory.surfaces.drawn += 1;
            let parts = op.family().results.iter();
            return Ok(parts.map(|&width| Bits::new(width, value >> (128 - width))).collect());
        }
        _ if op.head() == "surface" => return surface(view, op, arguments),
        "bulk.in" | "bulk.in.hint" | "bulk.across" => {
            let units = at(3) as u64 & 0xffff;
            let space = if name == "bulk.across" { Space::Shared } else { Space::Global };
            for unit in 0..units {
                let value = view.load(&Access { space, ..shared(16) }, at(2) as u64 + 16 * unit)?;
                view.store(&shared(16), address + 16 * unit, value)?;
            }
            complete(view, at(1) as u64, 16 * units as i32)?;
        }
        "bulk.prefetch.hint" => {}
        "bulk.out" | "bulk.out.hint" => {
            for unit in 0..at(2) as u64 & 0xffff {
                let value = view.load(&shared(16), at(1) as u64 + 16 * unit)?;
                view.store(&Access { space: Space::Global, ..shared(16) }, address + 16 * unit, value)?;
            }
        }
        _ if name.starts_with("bulk.reduce.") => bulk_reduce(view, op, arguments)?,
        _ => match name.strip_prefix("sharedasync.").and_then(|n| n.rsplit_once(".b")) {
            Some((what, width)) => {
                let bytes = width.parse::<u32>().map_or(0, |w| w / 8);
                match reduction(what) {
                    Some(op) => {
                        view.atomic(&shared(bytes), op, address, &[at(1)])?;
                    }
                    None => view.store(&shared(bytes), address, at(1))?,
                }
                complete(view, at(2) as u64, bytes as i32)?;
            }
            None => return Err(Trap::Unsupported(op.name().into())),
        },
    }
    Ok(Vec::new())
}

/// Reduces elements of global memory by those of shared memory, in order. Sums of `.f32` flush, as PTX has it of global memory.
fn bulk_reduce(view: &mut View<'_>, op: Opaque, arguments: &[Bits]) -> Result<(), Trap> {
    let at = |i: usize| arguments.get(i).map_or(0, |a| a.bits()) as u64;
    let mut words = op.name().split('.').skip(2);
    let (what, ty) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let integer = |what: &str, signed: bool| match what {
        "min" => reduction(if signed { "smin" } else { "umin" }),
        "max" => reduction(if signed { "smax" } else { "umax" }),
        other => reduction(other),
    };
    let found = match (what, ty) {
        ("add", "f32") => Some((AtomicOp::AddF32 { ftz: true }, 4)),
        ("add", "f64") => Some((AtomicOp::AddF64, 8)),
        ("add", "f16") => Some((AtomicOp::AddF16, 2)),
        ("add", "bf16") => Some((AtomicOp::AddBf16, 2)),
        (_, "u32" | "s32") => integer(what, ty == "s32").map(|op| (op, 4)),
        (_, "u64" | "s64") => integer(what, ty == "s64").map(|op| (op, 8)),
        _ => None,
    };
    let (reduction, bytes) = found.ok_or_else(|| Trap::Unsupported(op.name().into()))?;
    for offset in (0..16 * (at(2) & 0xffff)).step_by(bytes as usize) {
        let value = view.load(&shared(bytes), at(1) + offset)?;
        let access = Access { space: Space::Global, ordering: Ordering::Relaxed, ..shared(bytes) };
        view.atomic(&access, reduction, at(0) + offset, &[value])?;
    }
    Ok(())
}

/// Performs one on a surface, of which nothing lies outside. The format of pixels is the surface's own, and nobody says it here.
fn surface(view: &mut View<'_>, op: Opaque, arguments: &[Bits]) -> Result<Vec<Bits>, Trap> {
    let at = |i: usize| arguments.get(i).map_or(0, |a| a.bits());
    // The coordinates are one argument or three.
    let (place, value) = match op.family().arguments.as_slice() {
        [32, 32, 32, 32, ..] => (at(1) | at(2) << 32 | at(3) << 64, at(4)),
        _ => (at(1), at(2)),
    };
    let (handle, x, others) = (at(0) as u32, place as u32, place >> 32);
    let size = op.name().split('.').find_map(|w| w.strip_prefix('b')?.parse::<u32>().ok());
    let (Some(bits), false) = (size, op.has("pixels") || op.has("pixel")) else {
        return Err(Trap::Unsupported(op.name().into()));
    };
    let bytes = bits / 8;
    let surfaces = &mut view.memory.surfaces;
    let old = surfaces.load(handle, others, x, bytes);
    if op.has("load") {
        let width = op.family().results.first().copied().unwrap_or(bits);
        return Ok(vec![Bits::new(width, old)]);
    }
    let new = match op.name().split('.').find_map(reduction).filter(|_| op.has("reduce")) {
        Some(reduction) => crate::atomic::apply(reduction, bytes, old, &[value])?,
        None => value,
    };
    surfaces.store(handle, others, x, bytes, new);
    Ok(Vec::new())
}

fn reduction(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "add" => AtomicOp::Add,
        "umin" => AtomicOp::UMin,
        "umax" => AtomicOp::UMax,
        "smin" => AtomicOp::SMin,
        "smax" => AtomicOp::SMax,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Object, any_nan};

    #[test]
    fn payloads_of_nans_are_one() {
        let words = |words: [u32; 4]| words.iter().rev().fold(0u128, |all, w| all << 32 | u128::from(*w));
        let some = words([0x7f80_0001, 0xffc0_0000, 0x7f80_0000, 0x3f80_0000]);
        assert_eq!(any_nan(some), words([0x7fff_ffff, 0x7fff_ffff, 0x7f80_0000, 0x3f80_0000]));
    }

    #[test]
    fn phases_end_when_all_have_arrived_and_all_bytes_are_there() {
        // What `mbarrier.init` of two leaves.
        let left = (1u128 << 20) - 2;
        let mut object = Object::read(left << 1 | left << 43);
        assert_eq!(object, Object { phase: false, pending: 2, expected: 2, bytes: 0 });
        object.arrive(1, 64, false).expect("two are awaited");
        object.arrive(1, 0, false).expect("one is awaited");
        assert!(!object.phase && object.pending == 0, "bytes are awaited");
        object = Object::read(object.word());
        assert!(object.arrive(1, 0, false).is_err(), "nobody is awaited");
        object.bytes -= 64;
        object.end();
        assert_eq!(object, Object { phase: true, pending: 2, expected: 2, bytes: 0 });
        object.arrive(1, 0, true).expect("two are awaited");
        object.arrive(1, 0, false).expect("one is awaited");
        assert_eq!(Object::read(object.word()), Object { phase: false, pending: 1, expected: 1, bytes: 0 });
    }

    #[test]
    fn counts_of_bytes_wrap_in_their_field() {
        let mut object = Object { phase: false, pending: 1, expected: 1, bytes: 0 };
        for bytes in [i32::MAX, i32::MAX, 2] {
            object.expect(bytes);
            assert_eq!(Object::read(object.word()), object);
        }
        assert_eq!(object.bytes, 0);
        object.expect(i32::MIN.wrapping_neg());
        assert_eq!(object.bytes, 0);
    }
}
