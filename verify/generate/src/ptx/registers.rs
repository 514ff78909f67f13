//! The register file of a module: loaded from `in` at the start, stored to `out` at the end.

use super::classes::{CLASSES, exported};
use super::maker::Maker;
use super::request::{RECORD, SCRATCH};

/// Every register of the entry gets a value: of its own thread's input, or of what all threads have alike.
pub(super) fn load(m: &mut Maker<'_, '_>) {
    for class in CLASSES {
        if !m.class(&class) {
            continue;
        }
        for n in 0..class.count {
            let name = format!("{}{n}", class.name);
            // Classes overlap in the input, and read it at their own alignment.
            let at = (class.bytes * (n + 1) + 4 * (class.letter as usize % 7)) / class.bytes * class.bytes;
            match (class.letter, n) {
                ('r', 0) => m.put(format!("mov.u32 {name}, %tid.x;")),
                ('r', 1) => m.put(format!("mov.u32 {name}, %n;")),
                ('p', _) => m.put(format!("setp.gt.s32 {name}, %r{}, {};", n + 2, 7 * n)),
                _ => {
                    let unsigned = format!("u{}", 8 * class.bytes);
                    let ty = if class.ty.starts_with('f') { class.ty } else { &unsigned };
                    m.put(format!("ld.global.{ty} {name}, [%from+{at}];"));
                }
            }
        }
    }
}

/// Every register goes to the record behind what is loaded and stored freely; a NaN as 1.
pub(super) fn store(m: &mut Maker<'_, '_>) {
    let mut at = SCRATCH;
    for class in CLASSES {
        if !m.class(&class) {
            continue;
        }
        at = at.next_multiple_of(class.bytes);
        for n in 0..class.count {
            let name = format!("{}{n}", class.name);
            for line in exported(class.letter, &name) {
                m.put(line);
            }
            let (ty, from) = match class.letter {
                'p' | 'y' | 'w' => ("u32", "%t0".to_owned()),
                'f' => ("f32", "%tf0".into()),
                'g' => ("f64", "%tg0".into()),
                'x' | 'z' => ("u16", "%ts0".into()),
                'd' => ("u64", name),
                'h' => ("u16", name),
                _ => ("u32", name),
            };
            m.put(format!("st.global.{ty} [%to+{at}], {from};"));
            at += class.bytes;
        }
    }
    debug_assert!(at <= RECORD, "{at}");
}
