//! Control flow: branches, bounded loops, switches, and graphs whose edges go anywhere.

use super::features::Feature;
use super::maker::Maker;
use super::request::SCRATCH;
use super::{calls, memory, straight, warp};
use arbitrary::Result;

/// Loops and branches within one another.
const DEPTH: usize = 3;
/// Times that edges of a graph are taken, all together.
const FUEL: u32 = 12;

/// About `size` instructions.
pub(super) fn region(m: &mut Maker<'_, '_>, size: usize) -> Result<()> {
    let mut left = size;
    while left > 0 && !m.u.is_empty() {
        left -= one(m, left)?.clamp(1, left);
    }
    Ok(())
}

/// One thing of at most about `left` instructions; how many it has.
fn one(m: &mut Maker<'_, '_>, left: usize) -> Result<usize> {
    let entry = m.threads > 0;
    let nests = m.depth < DEPTH && left >= 3;
    let inner = |m: &mut Maker<'_, '_>| -> Result<usize> { Ok(1 + m.below((left - 2).min(24))?) };
    match m.below(32)? {
        20..=24 if entry && m.has(Feature::Memory) => {
            memory::access(m)?;
            Ok(1)
        }
        25 if nests && m.has(Feature::Branches) => {
            let size = inner(m)?;
            branch(m, size)
        }
        26 if nests && m.has(Feature::Loops) => {
            let size = inner(m)?;
            counted(m, size)
        }
        27 if nests && m.has(Feature::Switches) => {
            let size = inner(m)?;
            switch(m, size)
        }
        28 if nests && m.has(Feature::Graphs) => {
            let size = inner(m)?;
            graph(m, size)
        }
        29 if m.functions > 0 && m.has(Feature::Calls) => {
            calls::call(m)?;
            Ok(4)
        }
        30 if entry && m.uniform && m.has(Feature::Warp) => {
            warp::lanes(m)?;
            Ok(1)
        }
        31 if entry && m.uniform && m.has(Feature::Shared) => {
            warp::exchange(m)?;
            Ok(5)
        }
        19 if entry && m.depth > 0 && m.together == 0 && m.has(Feature::Exits) && m.one_in(4)? => {
            exit(m)?;
            Ok(1)
        }
        _ => {
            straight::straight(m)?;
            Ok(1)
        }
    }
}

/// A predicate to branch on, `!` or nothing before it.
fn condition(m: &mut Maker<'_, '_>) -> Result<String> {
    let negate = if m.one_in(2)? { "!" } else { "" };
    Ok(format!("{negate}{}", m.read('p')?))
}

/// What is inside is reached by some threads.
fn inside(
    m: &mut Maker<'_, '_>,
    uniform: bool,
    body: impl FnOnce(&mut Maker<'_, '_>) -> Result<()>,
) -> Result<()> {
    let around = m.uniform;
    m.uniform = around && uniform;
    m.depth += 1;
    body(m)?;
    m.depth -= 1;
    m.uniform = around && !m.ended;
    Ok(())
}

fn branch(m: &mut Maker<'_, '_>, size: usize) -> Result<usize> {
    let n = m.number();
    let uniform = m.one_in(4)?;
    let p = if uniform {
        m.put(format!("setp.lt.u32 %q1, %n, {};", 33 + 32 * (n % 3)));
        "%q1".to_owned()
    } else {
        condition(m)?
    };
    let both = m.one_in(2)?;
    m.put(format!("@{p} bra $THEN{n};"));
    let first = if both { size / 2 } else { size };
    // The threads that do not branch.
    inside(m, uniform, |m| region(m, first))?;
    if both {
        m.put(format!("bra $JOIN{n};"));
    }
    m.put(format!("$THEN{n}:"));
    if both {
        inside(m, uniform, |m| region(m, size - first))?;
        m.put(format!("$JOIN{n}:"));
    }
    Ok(size + 2)
}

/// A loop that a counter ends; perhaps a branch leaves it before.
fn counted(m: &mut Maker<'_, '_>, size: usize) -> Result<usize> {
    let n = m.number();
    let c = m.counter();
    let kind = m.below(4)?;
    let leaves = m.one_in(3)?;
    // Threads that leave on their own are not together inside.
    let uniform = kind < 3 && !leaves;
    match kind {
        0 | 1 => m.put(format!("mov.u32 {c}, {};", 1 + n % 5)),
        2 => m.put(format!("and.b32 {c}, %n, 3; add.u32 {c}, {c}, 1;")),
        _ => m.fill(&format!("and.b32 {c}, <r>, 3; add.u32 {c}, {c}, 1;"))?,
    }
    m.put(format!("$LOOP{n}:"));
    let together = usize::from(uniform && m.uniform);
    m.together += together;
    let first = if leaves { size / 2 } else { size };
    inside(m, uniform, |m| region(m, first))?;
    if leaves {
        let p = condition(m)?;
        m.put(format!("@{p} bra $LEFT{n};"));
        inside(m, uniform, |m| region(m, size - first))?;
    }
    m.together -= together;
    m.put(format!("sub.u32 {c}, {c}, 1; setp.ne.u32 %q1, {c}, 0;"));
    m.put(format!("@%q1 bra $LOOP{n};"));
    m.put(format!("$LEFT{n}:"));
    Ok(size + 4)
}

fn switch(m: &mut Maker<'_, '_>, size: usize) -> Result<usize> {
    let n = m.number();
    let sides = 2 + m.below(3)?;
    let labels: Vec<String> = (0..sides).map(|i| format!("$CASE{n}_{i}")).collect();
    m.fill(&format!("rem.u32 %t0, <r>, {sides}; mov.u32 %t3, 0;"))?;
    m.put(format!("$TABLE{n}: .branchtargets {};", labels.join(", ")));
    m.put(format!("brx.idx %t0, $TABLE{n};"));
    for (i, label) in labels.iter().enumerate() {
        m.put(format!("{label}:"));
        inside(m, false, |m| region(m, (size / sides).max(1)))?;
        // Some cases fall into the next one.
        if i + 1 < sides && !m.one_in(4)? {
            m.put(format!("bra $OVER{n};"));
        }
    }
    m.put(format!("$OVER{n}:"));
    Ok(size + 3)
}

/// Blocks that branch to any of them. Every block costs fuel, and without fuel a thread leaves.
fn graph(m: &mut Maker<'_, '_>, size: usize) -> Result<usize> {
    let n = m.number();
    let blocks = 3 + m.below(4)?;
    let c = m.counter();
    m.put(format!("mov.u32 {c}, {FUEL};"));
    // Two entries make cycles without a header.
    if m.one_in(2)? {
        let p = condition(m)?;
        let to = m.below(blocks)?;
        m.put(format!("@{p} bra $B{n}_{to};"));
    }
    for b in 0..blocks {
        m.put(format!("$B{n}_{b}:"));
        m.put(format!("sub.u32 {c}, {c}, 1; setp.eq.u32 %q1, {c}, 0; @%q1 bra $END{n};"));
        inside(m, false, |m| region(m, (size / blocks).max(1)))?;
        for _ in 0..m.below(3)? {
            let p = condition(m)?;
            let to = m.below(blocks)?;
            m.put(format!("@{p} bra $B{n}_{to};"));
        }
        if m.one_in(3)? {
            let to = m.below(blocks + 1)?;
            m.put(if to == blocks { format!("bra $END{n};") } else { format!("bra $B{n}_{to};") });
        }
    }
    m.put(format!("$END{n}:"));
    Ok(size + 2 * blocks)
}

/// Some threads end, having stored something. Nobody waits for them any more.
fn exit(m: &mut Maker<'_, '_>) -> Result<()> {
    (m.uniform, m.ended) = (false, true);
    let p = condition(m)?;
    m.fill(&format!("@{p} st.global.u32 [%to+{}], <r>;", SCRATCH))?;
    let how = m.pick(&["exit", "ret"])?;
    m.put(format!("@{p} {how};"));
    Ok(())
}
