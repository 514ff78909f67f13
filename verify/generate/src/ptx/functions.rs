//! Functions that the entry calls: integers of 32 and 64 bits in, one word out.

use super::classes::CLASSES;
use super::flow;
use super::maker::Maker;
use arbitrary::Result;
use std::fmt::Write;

/// The text of some functions. Each may call those before it.
pub(super) fn functions(m: &mut Maker<'_, '_>) -> Result<String> {
    let mut text = String::new();
    let count = m.below(3)?;
    for n in 0..count {
        m.start_counters();
        load(m);
        let size = 2 + m.below(12)?;
        m.depth = 1;
        flow::region(m, size)?;
        m.depth = 0;
        let _ = writeln!(
            text,
            ".func (.param .b32 f{n}_r) f{n} (.param .b32 f{n}_a, .param .b64 f{n}_b, .param .b32 f{n}_c)\n{{"
        );
        text += &m.declarations();
        for line in m.take() {
            let _ = writeln!(text, "\t{}", line.replace("f_PARAM", &format!("f{n}")));
        }
        let result = m.below(8)?;
        let _ = writeln!(text, "\tst.param.b32 [f{n}_r], %r{result};\n\tret;\n}}");
        m.functions = n + 1;
    }
    m.start_counters();
    Ok(text)
}

/// Every register of a function gets a value from its parameters.
fn load(m: &mut Maker<'_, '_>) {
    for line in [
        "ld.param.b32 %r0, [f_PARAM_a];",
        "ld.param.b64 %u0, [f_PARAM_b];",
        "ld.param.b32 %r1, [f_PARAM_c];",
        "cvt.u32.u64 %r2, %u0; shr.u64 %u1, %u0, 32; cvt.u32.u64 %r3, %u1;",
        "add.u32 %r4, %r0, %r1; xor.b32 %r5, %r0, %r2; mov.b32 %r6, 7; sub.u32 %r7, %r2, %r3; mov.b32 %n, %r1;",
    ] {
        m.put(line);
    }
    for class in CLASSES {
        if !m.class(&class) || class.letter == 'r' {
            continue;
        }
        for n in 0..class.count {
            let to = format!("{}{n}", class.name);
            m.put(match class.letter {
                'd' => format!("shl.b64 {to}, %u0, {};", 8 * n),
                'h' => format!("cvt.u16.u32 {to}, %r{n};"),
                'x' | 'z' => format!("cvt.u16.u32 {to}, %r{};", 2 + n),
                'f' | 'y' | 'w' => format!("mov.b32 {to}, %r{};", 3 + n),
                'g' => format!("mov.b64 {to}, {{%r{n}, %r{}}};", n + 2),
                _ => format!("setp.gt.s32 {to}, %r{}, {n};", n + 1),
            });
        }
    }
}
