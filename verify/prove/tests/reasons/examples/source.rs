//! Sources that are not followed.

use super::super::code::{prepend, variable};
use super::super::example::{Example, Source, changed, example, of_code};
use super::{ptx, sass};

const IDENTITY: &str = ptx!("identity");
const PLAIN: &str = ptx!("plain");
const TAKEN: &str = ptx!("taken");

/// A source that is not followed, whatever it is held against.
const fn of(code: &'static str, source: &'static str) -> Example {
    example(code, source, IDENTITY)
}

/// A function that calls a function, and so on.
fn deep() -> String {
    let mut ptx = String::from(".version 8.0\n.target sm_90\n.address_size 64\n.func f0() { ret; }\n");
    for i in 1..300 {
        ptx += &format!(".func f{i}() {{ call f{}; ret; }}\n", i - 1);
    }
    ptx + ".visible .entry k(.param .u64 out, .param .u32 n) { call f299; ret; }"
}

pub const ALL: &[Example] = &[
    of("U0201", ptx!("form")),
    of("U0202", ptx!("nested_calls")),
    of("U0203", ptx!("printf_other")),
    Example { source: Source::Made(deep), ..of("U0204", IDENTITY) },
    of("U0205", ptx!("recursion")),
    of("U0206", ptx!("indexed_argument")),
    of("U0207", ptx!("behind_a_result")),
    changed("U0209", PLAIN, |cubin| cubin.variables.retain(|v| v.name != "scale")),
    changed("U0210", ptx!("local_constant"), |cubin| variable(cubin, "c").init = Some(vec![6, 0, 0, 0])),
    of("U0211", ptx!("generic_argument")),
    changed("U0214", TAKEN, |cubin| {
        let table = variable(cubin, "table").init.as_mut().expect("it has addresses");
        let (first, second) = table.split_at_mut(8);
        second.copy_from_slice(first);
        for f in &mut cubin.functions[0].subroutines {
            f.offset = 0x100;
        }
    }),
    of_code("U0219", PLAIN, |cubin| prepend(cubin, sass!("any_constant")), |_| {}),
];
