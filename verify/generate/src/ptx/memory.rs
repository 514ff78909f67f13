//! Loads and stores: of the thread's own record of `out`, of its input, of local, constant and shared memory, and atomics.

use super::classes::CLASSES;
use super::features::Feature;
use super::maker::Maker;
use super::request::{COUNTERS, READ, SCRATCH};
use arbitrary::Result;

/// Bytes of the local variable.
const LOCAL: usize = 32;
/// Bytes of the constant variable.
const CONSTANT: usize = 32;
/// Bytes of shared memory of each thread.
pub(super) const SLOT: usize = 16;
/// Bytes up to which `%al` lies behind `%to`.
const APART: usize = 24;

/// The variables of every module. Shared memory is for 64 threads.
pub(super) const VARIABLES: &str = ".const .align 8 .b32 cm[8] = {1, 0xffffffff, 0x80000000, 31, 0x3f800000, 0x7fffffff, 12345, 0};\n\
     .shared .align 16 .b8 sm[1024];\n";

/// What an access moves: type, class, bytes.
const SCALARS: [(&str, char, usize); 12] = [
    ("u32", 'r', 4),
    ("u32", 'r', 4),
    ("u32", 'r', 4),
    ("u8", 'r', 1),
    ("s8", 'r', 1),
    ("u16", 'r', 2),
    ("s16", 'r', 2),
    ("u64", 'd', 8),
    ("u16", 'h', 2),
    ("f32", 'f', 4),
    ("f64", 'g', 8),
    ("s8", 'h', 1),
];

/// What accesses need before the first of them.
pub(super) fn prepare(m: &mut Maker<'_, '_>) -> Result<()> {
    if m.has(Feature::Aliases) {
        m.fill(&format!("and.b32 %t0, <r>, {APART}; cvt.u64.u32 %al, %t0; add.s64 %al, %al, %to;"))?;
    }
    if m.has(Feature::Local) {
        m.put(format!(".local .align 16 .b8 lm[{LOCAL}];"));
        for at in (0..LOCAL).step_by(4) {
            m.fill(&format!("st.local.u32 [lm+{at}], <r>;").replace("<r>", "%r2"))?;
        }
    }
    if m.has(Feature::Shared) {
        m.put("mov.u32 %t0, %tid.x; mov.u32 %me, sm;");
        m.put(format!("mad.lo.u32 %me, %t0, {SLOT}, %me;"));
        for at in (0..SLOT).step_by(4) {
            m.put(format!("st.shared.u32 [%me+{at}], %r{};", at / 4));
        }
        m.put("bar.sync 0;");
    }
    Ok(())
}

/// A scalar whose class the module has.
fn scalar(m: &mut Maker<'_, '_>) -> Result<(&'static str, char, usize)> {
    let chosen = m.pick(&SCALARS)?;
    let class = CLASSES.iter().find(|c| c.letter == chosen.1).expect("a class");
    Ok(if m.class(class) { chosen } else { SCALARS[0] })
}

/// An offset of an aligned access of some bytes within others.
fn offset(m: &mut Maker<'_, '_>, bytes: usize, within: usize) -> Result<usize> {
    // Few places, so that accesses meet.
    let places = (within - bytes) / bytes + 1;
    Ok(m.below(places)? * bytes)
}

/// An address of an access in the record: the space's suffix, and the text between brackets.
fn record(m: &mut Maker<'_, '_>, bytes: usize) -> Result<(&'static str, String)> {
    if m.has(Feature::Aliases) && m.one_in(3)? {
        let at = offset(m, bytes, SCRATCH - APART)?;
        return Ok((".global", format!("%al+{at}")));
    }
    if m.one_in(4)? {
        let last = (SCRATCH / bytes).next_power_of_two() / 2 - 1;
        m.fill(&format!("and.b32 %t0, <r>, {last}; mad.wide.u32 %at, %t0, {bytes}, %to;"))?;
        return Ok((".global", "%at".into()));
    }
    if m.one_in(6)? {
        m.put("cvta.global.u64 %gen, %to;");
        return Ok(("", format!("%gen+{}", offset(m, bytes, SCRATCH)?)));
    }
    Ok((".global", format!("%to+{}", offset(m, bytes, SCRATCH)?)))
}

/// A load or a store.
pub(super) fn access(m: &mut Maker<'_, '_>) -> Result<()> {
    match m.below(10)? {
        0 | 1 => input(m),
        2 if m.has(Feature::Local) => variable(m, ".local", "lm", LOCAL, true),
        3 if m.has(Feature::Constant) => variable(m, ".const", "cm", CONSTANT, false),
        4 if m.has(Feature::Shared) => variable(m, ".shared", "%me", SLOT, true),
        5 if m.has(Feature::Atomics) => atomic(m),
        6 => vector(m),
        _ => {
            let (ty, letter, bytes) = scalar(m)?;
            let (space, address) = record(m, bytes)?;
            let store = m.one_in(2)?;
            moved(m, store, space, &address, ty, letter)
        }
    }
}

/// One access.
fn moved(
    m: &mut Maker<'_, '_>,
    store: bool,
    space: &str,
    address: &str,
    ty: &str,
    letter: char,
) -> Result<()> {
    if !store {
        return m.fill(&format!("ld{space}.{ty} <={letter}>, [{address}];"));
    }
    // The bits of a NaN are open, and others may load them.
    let from = if matches!(letter, 'f' | 'g') { letter.to_ascii_uppercase() } else { letter };
    m.fill(&format!("st{space}.{} [{address}], <{from}>;", ty.replace('s', "u")))
}

fn input(m: &mut Maker<'_, '_>) -> Result<()> {
    let (ty, letter, bytes) = scalar(m)?;
    let at = offset(m, bytes, READ)?;
    let space = m.pick(&[".global", ".global.nc", ".global"])?;
    moved(m, false, space, &format!("%from+{at}"), ty, letter)
}

/// An access of a variable, at a constant place or at one that a register says.
fn variable(m: &mut Maker<'_, '_>, space: &str, name: &str, size: usize, writes: bool) -> Result<()> {
    let (ty, letter, bytes) = scalar(m)?;
    let store = writes && m.one_in(2)?;
    if m.one_in(3)? {
        m.fill(&format!(
            "and.b32 %t0, <r>, {}; mul.lo.u32 %t0, %t0, {bytes}; mov.u32 %t1, {name}; add.u32 %t1, %t1, %t0;",
            size / bytes - 1
        ))?;
        return moved(m, store, space, "%t1", ty, letter);
    }
    let at = offset(m, bytes, size)?;
    moved(m, store, space, &format!("{name}+{at}"), ty, letter)
}

/// Several registers at once.
fn vector(m: &mut Maker<'_, '_>) -> Result<()> {
    let (ty, letter, bytes, count) = match m.below(3)? {
        0 if m.has(Feature::Wide) => ("u64", 'd', 8, 2),
        1 => ("u32", 'r', 4, 4),
        _ => ("u32", 'r', 4, 2),
    };
    let store = m.one_in(2)?;
    let at = offset(m, bytes * count, SCRATCH)?;
    let list = |blank: &str| vec![blank.to_owned(); count].join(", ");
    if store {
        m.fill(&format!("st.global.v{count}.{ty} [%to+{at}], {{{}}};", list(&format!("<{letter}>"))))
    } else {
        let from = m.pick(&["%to", "%from"])?;
        m.fill(&format!("ld.global.v{count}.{ty} {{{}}}, [{from}+{at}];", list(&format!("<={letter}>"))))
    }
}

/// A counter that all threads change, by its own operation; or the thread's own word, whose old value is read.
fn atomic(m: &mut Maker<'_, '_>) -> Result<()> {
    const COMMUTE: [&str; COUNTERS] = ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"];
    if m.one_in(2)? {
        let n = m.below(COUNTERS)?;
        return m.fill(&format!("red.global.{} [%end+{}], <ri>;", COMMUTE[n], 4 * n));
    }
    let op =
        m.pick(&["add.u32", "exch.b32", "min.s32", "max.u32", "inc.u32", "dec.u32", "xor.b32", "cas.b32"])?;
    let at = offset(m, 4, SCRATCH)?;
    let second = if op.starts_with("cas") { ", <r>" } else { "" };
    if m.has(Feature::Shared) && m.one_in(3)? {
        return m.fill(&format!("atom.shared.{op} <=r>, [%me+{}], <r>{second};", at % SLOT));
    }
    m.fill(&format!("atom.global.{op} <=r>, [%to+{at}], <r>{second};"))
}
