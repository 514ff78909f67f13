//! Functions that are called: by all threads of a block with barriers inside, or by any lanes.

use super::maker::{Maker, put};
use super::place::Place;

/// A call; now and then of a function that was called before.
pub(super) fn call(m: &mut Maker, place: &Place) {
    let together = *place == Place::Block;
    let known = &m.callable[usize::from(together)];
    let name = match known.len() {
        // A function calls none: it would have to be written before.
        _ if m.inside => return super::spin::atomic(m, place),
        n if n > 0 && (n == 3 || m.one_in(3)) => {
            let which = m.below(n);
            m.callable[usize::from(together)][which].clone()
        }
        _ => function(m, together),
    };
    let (v, r, end) = (m.v(), m.r(), "}");
    m.put("{");
    put!(m, ".param .b32 result; .param .b32 value; .param .b32 same; .param .b64 place;");
    put!(m, "st.param.b32 [value], {v};");
    put!(m, "st.param.b32 [same], %u;");
    put!(m, "st.param.b64 [place], %g;");
    put!(m, "call (result), {name}, (value, same, place);");
    put!(m, "ld.param.b32 {r}, [result];");
    m.put(end);
    m.mix(&r);
}

/// Writes a function, and gives its name.
fn function(m: &mut Maker, together: bool) -> String {
    let name = format!("f{}", m.functions.len());
    let lines = m.swap(Vec::new());
    let own = m.label();
    let end = std::mem::replace(&mut m.end, own);
    let (depth, loops) = (m.depth, m.loops);
    // What loops are around its calls is not known.
    (m.inside, m.together, m.depth, m.loops) = (true, together, 1, 1);
    let size = 1 + m.below(3);
    super::flow::sequence(m, if together { &Place::Block } else { &Place::Alone }, size);
    (m.inside, m.depth, m.loops) = (false, depth, loops);
    let body = m.swap(lines);
    let text = m.function(&name, &body);
    m.end = end;
    m.functions.push(text);
    m.callable[usize::from(together)].push(name.clone());
    name
}
