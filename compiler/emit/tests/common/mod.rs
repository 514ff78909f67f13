//! A cubin with one of everything that the model has a field for.

use sassafras_cubin::{
    Address, Bank, Binding, Cubin, Extern, Function, Param, Relocation, Shared, Space, Subroutine, Symbol,
    Variable,
};

/// `EXIT`, `BRA .` and `NOP`s on sm_90, as ptxas pads a section.
pub fn code(words: usize) -> Vec<u128> {
    let mut code = vec![0x000fe20000000000_000000000000794du128 | 0x03800000 << 64; 1];
    code.resize(words, 0x000fc00000000000_0000000000007918);
    code
}

/// The sample.
pub fn sample() -> Cubin {
    let entry = Function {
        name: "kernel".into(),
        entry: true,
        binding: Binding::Weak,
        code: code(16),
        subroutines: [(0x40, Binding::Local), (0x80, Binding::Weak), (0xc0, Binding::Global)]
            .map(|(offset, binding)| Subroutine {
                name: format!("$kernel$helper{offset}"),
                offset,
                size: 0x40,
                binding,
                frame_size: Some(0),
            })
            .to_vec(),
        registers: 10,
        barriers: 1,
        params: vec![
            Param { ordinal: 0, offset: 0, size: 8, pointee_align: 4, pointee_space: 1 },
            Param { ordinal: 1, offset: 8, size: 4, ..Param::default() },
        ],
        param_base: 0x210,
        param_size: 12,
        shared: Some(Shared { size: 512, align: 16 }),
        frame_size: 16,
        min_stack: Some(16),
        exit_offsets: vec![0],
        coop_group_offsets: vec![0x10],
        coop_group_masks: vec![u32::MAX],
        max_registers: 0xff,
        max_threads: Some([128, 1, 1]),
        required_threads: None,
        crs_stack_size: Some(0),
        banks: vec![Bank { number: 2, data: vec![1, 2, 3, 4], align: 4 }],
        relocations: Vec::new(),
        attributes: Vec::new(),
    };
    let plain = Function {
        name: "plain".into(),
        entry: true,
        binding: Binding::Local,
        code: code(8),
        registers: 4,
        param_base: 0x210,
        min_stack: Some(0),
        exit_offsets: vec![0],
        max_registers: 0xff,
        ..Function::default()
    };
    let variable = |name: &str, space, offset, init: Option<Vec<u8>>| Variable {
        name: name.into(),
        space,
        offset,
        size: 8,
        align: if offset == 0 { 8 } else { offset.min(8) },
        init,
        relocations: Vec::new(),
        exported: false,
        weak: false,
        other: 0,
    };
    let mut pointer = variable("pointer", Space::Global, 8, Some(vec![0; 8]));
    pointer.relocations = vec![Relocation { offset: 0, kind: 4, symbol: "zeros".into(), addend: 4 }];
    Cubin {
        sm: 90,
        functions: vec![plain, entry],
        variables: vec![
            variable("table", Space::Constant, 0, Some(vec![9; 8])),
            variable("zeros", Space::Global, 0, None),
            variable("start", Space::Global, 0, Some(vec![7; 8])),
            pointer,
        ],
        addresses: vec![
            Address { symbol: "zeros".into(), addend: 0 },
            Address { symbol: "vprintf".into(), addend: 0 },
        ],
        externs: vec![Extern { name: "vprintf".into(), function: true }],
        calls: [vec![("kernel".into(), "vprintf".into())], vec![], vec![], vec![]],
        symbols: vec![Symbol {
            name: "mark".into(),
            section: Some(".text.plain".into()),
            ..Symbol::default()
        }],
        ..Cubin::default()
    }
}
