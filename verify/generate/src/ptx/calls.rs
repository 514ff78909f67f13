//! Calls of functions.

use super::features::Feature;
use super::maker::Maker;
use arbitrary::Result;

/// A call of one of the functions.
pub(super) fn call(m: &mut Maker<'_, '_>) -> Result<()> {
    let f = m.below(m.functions)?;
    m.put("{");
    m.put(".param .b32 a; .param .b64 b; .param .b32 c; .param .b32 r;");
    m.fill("st.param.b32 [a], <r>; st.param.b32 [c], <r>;")?;
    if m.has(Feature::Wide) {
        m.fill("st.param.b64 [b], <d>; mov.u32 %t3, 0;")?;
    } else {
        m.fill("cvt.u64.u32 %u1, <r>; st.param.b64 [b], %u1;")?;
    }
    m.put(format!("call (r), f{f}, (a, b, c);"));
    m.fill("ld.param.b32 <=r>, [r]; mov.u32 %t3, 0;")?;
    m.put("}");
    Ok(())
}
