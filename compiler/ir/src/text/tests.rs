//! Every operation and every field survives the text.

use super::*;
use crate::Builder;
use crate::function::*;
use crate::op::{Compare, Type};
use proptest::prelude::*;
use sassafras_semantics::Space;

/// A generator of random bits.
fn bits(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

fn random_module(seed: u64) -> Module {
    let mut random = bits(seed);
    let mut module = Module::default();
    for i in 0..random() % 3 {
        let id = module.variables.next_key();
        module.variables.push(Variable {
            name: format!("va\"r\\{i}\n"),
            space: Space::Shared,
            size: random() % 4096,
            align: 16,
            init: (random() & 1 == 0).then(|| vec![1, 0xff, random() as u8]),
            init_addresses: vec![(8, id, -3)],
            init_offsets: vec![(0, id, 4, 8), (16, id, -4, 4)],
            visible: random() & 1 == 0,
            weak: random() & 1 == 0,
            managed: random() & 1 == 0,
            owner: (random() & 1 == 0).then_some(0),
        });
    }
    let mut f = Function::new(format!("k{seed}"));
    f.params.push(Param { offset: 0, size: 8, align: 8 });
    f.param_size = 8;
    f.visible = random() & 1 == 0;
    f.weak = random() & 1 == 0;
    f.maxntid = (random() & 1 == 0).then_some([1, 2, 3]);
    f.reqntid = (random() & 1 == 0).then_some([4, 5, 6]);
    f.minnctapersm = (random() & 1 == 0).then_some(2);
    f.maxnreg = (random() & 1 == 0).then_some(64);
    // Only variables that the module has: the parser refuses others.
    let variables = module.variables.len() as u64;
    f.shared = (0..random() % (variables + 1)).map(|i| VariableId(i as u32)).collect();
    f.reqnctapercluster = (random() & 1 == 0).then_some([2, 1, 1]);
    f.explicitcluster = random() & 1 == 0;
    f.maxclusterrank = (random() & 1 == 0).then_some(8);
    let entry = f.entry;
    let exit = f.add_block();
    let param = f.add_param(exit, Type::I64);
    let mut b = Builder::new(&mut f, entry);
    let mut values = vec![b.constant(Type::I32, 7)];
    for _ in 0..20 {
        let types = [Type::I1, Type::I16, Type::I32, Type::I64, Type::I128];
        let results: Vec<Type> = (0..random() % 3).map(|_| types[random() as usize % 5]).collect();
        let args: Vec<Value> = (0..random() % 4).map(|_| values[random() as usize % values.len()]).collect();
        b.line = random() as u32 % 3;
        let inst = b.emit(sample_op(&mut random), &args, &results);
        let data = &mut b.function.insts[inst];
        if random() & 3 == 0 {
            data.guard = Some(Guard { value: values[0], negate: random() & 1 == 0 });
        }
        values.extend(data.results.iter().copied());
    }
    let wide = b.i64(1);
    let c = b.compare(Compare::ULt, wide, wide);
    match random() % 3 {
        0 => b.jump(exit, &[wide]),
        1 => b.branch(c, Edge::new(exit, &[wide]), Edge::new(exit, &[wide])),
        _ => b.terminate(Terminator::Switch {
            index: values[0],
            targets: vec![Edge::new(exit, &[wide]), Edge::new(exit, &[wide])],
        }),
    }
    b.block = exit;
    b.add(param, param);
    b.terminate([Terminator::Exit, Terminator::Trap, Terminator::Unreachable][random() as usize % 3].clone());
    f.blocks[exit].line = random() as u32 % 3;
    f.blocks[exit].nounroll = random() & 1 == 0;
    f.compact();
    module.functions.push(f);
    module
}

proptest! {
    #[test]
    fn modules_survive(seed: u64) {
        let module = random_module(seed);
        let text = print(&module, "test");
        let (again, phase) = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(phase, "test");
        prop_assert_eq!(&again, &module, "{}", text);
    }

    #[test]
    fn operations_survive(seed: u64) {
        let mut random = bits(seed);
        for _ in 0..50 {
            let op = sample_op(&mut random);
            prop_assert_eq!(parse_op(&print_op(&op)), Some(op));
        }
    }

    #[test]
    fn damaged_text_is_an_error_or_prints_again(seed: u64, at in 0usize..3000, byte in 32u8..127) {
        let mut text = print(&random_module(seed), "test").into_bytes();
        let at = at % text.len();
        text[at] = byte;
        let Ok(text) = String::from_utf8(text) else { return Ok(()) };
        if let Ok((module, phase)) = parse(&text) {
            let once = print(&module, &phase);
            let (again, _) = parse(&once).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(print(&again, &phase), once);
        }
    }
}

#[test]
fn all_rows_are_sampled() {
    let mut random = bits(1);
    let mut seen: std::collections::BTreeSet<String> = Default::default();
    for _ in 0..20_000 {
        let text = print_op(&sample_op(&mut random));
        seen.insert(text.split('.').next().unwrap_or("").to_string());
    }
    assert_eq!(seen.len(), NAMES.len());
}

#[test]
fn errors_name_the_line() {
    for (text, line) in [
        ("", 1),
        ("sassafras ir 9 phase=x", 1),
        ("sassafras ir 1 phase=x\nrubbish", 2),
        (
            "sassafras ir 1 phase=x\nfunction \"k\" param_size=0 entry=bb0\nbb0():\n  v0:32 = nonsense\n  exit\nend",
            4,
        ),
        (
            "sassafras ir 1 phase=x\nfunction \"k\" param_size=0 entry=bb0\nbb0():\n  v0:33 = undef\n  exit\nend",
            4,
        ),
        ("sassafras ir 1 phase=x\nfunction \"k\" param_size=0 entry=bb0\nbb0():\n  jump bb7()\nend", 5),
        (
            "sassafras ir 1 phase=x\nfunction \"k\" param_size=0 entry=bb0\nbb0():\n  nanosleep v3\n  exit\nend",
            6,
        ),
        ("sassafras ir 1 phase=x\nfunction \"k\" param_size=0 entry=bb0\nbb0():\n  exit", 4),
    ] {
        assert_eq!(parse(text).map_err(|e| e.line), Err(line), "{text}");
    }
}
