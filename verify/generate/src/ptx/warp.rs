//! What lanes of a warp and threads of a block do together, at points that all of them reach.

use super::features::Feature;
use super::maker::Maker;
use super::memory::SLOT;
use super::straight;
use arbitrary::Result;

/// With every lane of the warp.
const ALL: &[&str] = &[
    "shfl.sync.idx.b32 <=r>, <r>, <ri>, 31, 0xffffffff;",
    "shfl.sync.bfly.b32 <=r>, <r>, <k>, 31, 0xffffffff;",
    "shfl.sync.up.b32 <=r>|<=p>, <r>, <k>, 0, 0xffffffff;",
    "shfl.sync.down.b32 <=r>|<=p>, <r>, 1, 31, 0xffffffff;",
    "shfl.sync.down.b32 <=r>, <r>, <k>, 0x1807, 0xffffffff;",
    "vote.sync.all.pred <=p>, <p>, 0xffffffff;",
    "vote.sync.any.pred <=p>, !<p>, 0xffffffff;",
    "vote.sync.uni.pred <=p>, <p>, 0xffffffff;",
    "vote.sync.ballot.b32 <=r>, <p>, 0xffffffff;",
    "match.any.sync.b32 <=r>, <r>, 0xffffffff;",
    "match.all.sync.b32 <=r>|<=p>, <r>, 0xffffffff;",
];
/// The same from sm_80 on.
const ALL_80: &[&str] = &[
    "redux.sync.add.u32 <=r>, <r>, 0xffffffff;",
    "redux.sync.max.s32 <=r>, <r>, 0xffffffff;",
    "redux.sync.xor.b32 <=r>, <r>, 0xffffffff;",
];
/// With the lanes of a mask that `%t4` holds; `%t5` is the highest of them.
const SOME: &[&str] = &[
    "shfl.sync.idx.b32 <=r>, <r>, %t5, 31, %t4;",
    "vote.sync.any.pred <=p>, <p>, %t4;",
    "vote.sync.ballot.b32 <=r>, <p>, %t4;",
    "match.any.sync.b32 <=r>, <r>, %t4;",
    "bar.warp.sync %t4;",
];

/// An operation of all lanes, or of those for which a predicate holds.
pub(super) fn lanes(m: &mut Maker<'_, '_>) -> Result<()> {
    if m.has(Feature::Branches) && m.one_in(4)? {
        let n = m.number();
        let p = m.read('p')?;
        // The branch asks a copy: what the mask was made from may be written behind it.
        m.put(format!("mov.pred %q3, {p}; vote.sync.ballot.b32 %t4, %q3, 0xffffffff; bfind.u32 %t5, %t4;"));
        m.put(format!("@!%q3 bra $SOME{n};"));
        let row = m.pick(SOME)?;
        unguarded(m, row)?;
        m.put(format!("$SOME{n}:"));
        return Ok(());
    }
    let rows = if m.sm() >= 80 && m.one_in(4)? { ALL_80 } else { ALL };
    let row = m.pick(rows)?;
    unguarded(m, row)
}

/// A guard would leave lanes out that the mask names.
fn unguarded(m: &mut Maker<'_, '_>, row: &str) -> Result<()> {
    m.fill(&format!("{row} mov.u32 %t3, 0;"))
}

/// Each thread writes its slot of shared memory, and reads another's behind a barrier.
pub(super) fn exchange(m: &mut Maker<'_, '_>) -> Result<()> {
    let at = 4 * m.below(SLOT / 4)?;
    m.fill(&format!("st.shared.u32 [%me+{at}], <r>;"))?;
    m.put("bar.sync 0;");
    let last = m.threads - 1;
    let other = match m.below(3)? {
        0 => format!("mov.u32 %t0, %tid.x; xor.b32 %t0, %t0, {};", 1 + m.below(last as usize)?),
        1 => format!("mov.u32 %t0, %tid.x; sub.u32 %t0, {last}, %t0;"),
        _ => format!("and.b32 %t0, <r>, {last};"),
    };
    m.fill(&format!("{other} mov.u32 %t1, sm; mad.lo.u32 %t1, %t0, {SLOT}, %t1;"))?;
    let at = 4 * m.below(SLOT / 4)?;
    match m.below(4)? {
        0 if m.has(Feature::Wide) => m.fill(&format!("ld.shared.u64 <=d>, [%t1+{}];", at / 8 * 8))?,
        1 => m.fill("ld.shared.v4.u32 {<=r>, <=r>, <=r>, <=r>}, [%t1];")?,
        _ => m.fill(&format!("ld.shared.u32 <=r>, [%t1+{at}];"))?,
    }
    // Reads go on between the barriers.
    straight::few(m, 2)?;
    m.put("bar.sync 0;");
    Ok(())
}
