//! What a cubin declares beside its code, the control bits of code, and sides between which there is nothing to compare.

use super::super::code::variable;
use super::super::example::{Example, changed, example, of_code, stored};
use super::ptx;
use sassafras_cubin::{Extern, Kind, Section};

const IDENTITY: &str = ptx!("identity");
const PLAIN: &str = ptx!("plain");
const POINTERS: &str = ptx!("pointers");
const STACK: &str = ptx!("stack");

/// A section of so many bytes without contents.
fn section(name: &str) -> Section {
    let name = name.to_owned();
    let (kind, flags, align, size) = (8, 3, 16, 16);
    let (link, info, data, entry_size, relocations) = (None, None, None, 0, Vec::new());
    Section { name, kind, flags, link, info, align, entry_size, data, size, relocations }
}

pub const ALL: &[Example] = &[
    changed("U0901", IDENTITY, |cubin| {
        // The padding behind the code goes on.
        let code = &mut cubin.functions[0].code;
        let end = code.len() - 1;
        code[end] = super::super::code::word("BRA pc(0x100)");
    }),
    stored("U0902", "wrong_pairs/waits/no_scoreboard"),
    stored("U0903", "wrong_pairs/waits/acquire_before_its_load"),
    changed("U0904", IDENTITY, |cubin| cubin.functions[0].registers = 1),
    changed("U0905", IDENTITY, |cubin| cubin.kind = Kind::Relocatable),
    changed("U0906", IDENTITY, |cubin| cubin.externs.push(Extern { name: "away".into(), function: false })),
    changed("U0907", PLAIN, |cubin| {
        let twice = variable(cubin, "count").clone();
        cubin.variables.push(twice);
    }),
    stored("U0908", "wrong_pairs/beyond/slot_of_another_symbol"),
    changed("U0909", IDENTITY, |cubin| cubin.sections.push(section(".nv.shared.k"))),
    changed("U0910", IDENTITY, |cubin| cubin.functions[0].barriers = 17),
    changed("U0911", PLAIN, |cubin| cubin.functions[0].barriers = 0),
    changed("U0912", PLAIN, |cubin| variable(cubin, "count").size = 2),
    changed("U0913", PLAIN, |cubin| variable(cubin, "count").init = Some(vec![6, 0, 0, 0])),
    changed("U0914", POINTERS, |cubin| variable(cubin, "p").relocations.clear()),
    changed("U0915", POINTERS, |cubin| variable(cubin, "p").relocations[0].symbol = "h".into()),
    of_code("U0916", PLAIN, |_| {}, |cubin| cubin.variables.retain(|v| v.name != "scale")),
    changed("U0917", PLAIN, |cubin| variable(cubin, "count").offset = 2),
    changed("U0918", PLAIN, |cubin| {
        variable(cubin, "scale").offset = 0;
        variable(cubin, "shift").offset = 4;
    }),
    changed("U0919", IDENTITY, |cubin| cubin.functions[0].required_threads = Some([32, 1, 1])),
    changed("U0920", IDENTITY, |cubin| cubin.functions[0].max_threads = Some([32, 1, 1])),
    example("U0921", IDENTITY, ptx!("cluster")),
    example("U0922", ptx!("cluster"), ptx!("cluster")),
    changed("U0923", IDENTITY, |cubin| cubin.functions[0].registers = 300),
    changed("U0924", ptx!("threads"), |cubin| cubin.functions[0].registers = 255),
    changed("U0925", IDENTITY, |cubin| cubin.functions[0].params[1].size = 2),
    changed("U0926", IDENTITY, |cubin| {
        let more = cubin.functions[0].params[1];
        cubin.functions[0].params.push(more);
    }),
    changed("U0927", IDENTITY, |cubin| cubin.functions[0].param_base = 0x160),
    changed("U0928", IDENTITY, |cubin| cubin.functions[0].param_size += 4),
    changed("U0929", PLAIN, |cubin| cubin.functions[0].shared = None),
    changed("U0930", PLAIN, |cubin| cubin.functions[0].shared.as_mut().expect("it has some").size += 4096),
    changed("U0931", IDENTITY, |cubin| cubin.functions[0].frame_size = 1 << 24),
    changed("U0932", STACK, |cubin| {
        (cubin.functions[0].frame_size, cubin.functions[0].min_stack) = (8, Some(8));
    }),
    example("U1301", ptx!("other_entry"), IDENTITY),
    changed("U1302", IDENTITY, |cubin| cubin.functions[0].name = "other".into()),
    changed("U1303", IDENTITY, |cubin| cubin.sm = 80),
];
