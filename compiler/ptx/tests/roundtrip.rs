//! `parse(print(x)) == x`: on generated syntax, and on what nvcc makes.

mod generate;

use sassafras_ptx::{load, parse, print};

#[test]
fn generated_syntax_round_trips() {
    arbtest::arbtest(|u| {
        let module = generate::module(u)?;
        let text = print(&module);
        let (read, diagnostics) = parse(&text, "generated");
        assert!(diagnostics.is_empty(), "{diagnostics}\n{text}");
        assert_eq!(read, module, "{text}");
        Ok(())
    })
    .budget_ms(700);
}

/// Reads, prints, reads again; and both texts mean the same.
fn round_trip(text: &str, name: &str) {
    let (module, diagnostics) = parse(text, name);
    assert!(diagnostics.is_empty(), "{diagnostics}");
    let printed = print(&module);
    let (again, diagnostics) = parse(&printed, name);
    assert!(diagnostics.is_empty(), "{diagnostics}");
    assert_eq!(again, module);
    let (a, b) = (load(text, name), load(&printed, name));
    let (mut a, mut b) = (a.unwrap_or_else(|e| panic!("{e}")), b.unwrap_or_else(|e| panic!("{e}")));
    for module in [&mut a, &mut b] {
        for inst in module.functions.iter_mut().filter_map(|f| f.insts.as_mut()).flatten() {
            (inst.span, inst.line) = (0..0, 0);
        }
    }
    assert_eq!(a, b);
}

#[test]
fn what_nvcc_makes_round_trips() {
    round_trip(include_str!("nvcc/plain.ptx"), "plain.ptx");
    round_trip(include_str!("nvcc/lineinfo.ptx"), "lineinfo.ptx");
    round_trip(include_str!("nvcc/debug.ptx"), "debug.ptx");
}
