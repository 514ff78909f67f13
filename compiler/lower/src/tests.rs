//! Small modules built by hand: registers, guards, loops, calls, errors.

use crate::{Options, lower};
use indexmap::IndexMap;
use sassafras_ir::text::print_function;
use sassafras_ptx::checked::*;
use sassafras_semantics::{Axis, Space, SpecialRegister};
use smallvec::SmallVec;

fn inst(op: Op, types: &[Type], operands: Vec<Operand>) -> Inst {
    Inst {
        op,
        types: SmallVec::from_slice(types),
        mods: Mods::default(),
        guard: None,
        operands: operands.into(),
        span: 0..0,
        line: 1,
    }
}

fn register(n: u32) -> Operand {
    Operand::Register(RegisterId(n))
}

fn function(name: &str, entry: bool, types: &[Type], insts: Vec<Inst>, labels: &[u32]) -> Function {
    Function {
        name: name.into(),
        entry,
        returns: Vec::new(),
        params: Vec::new(),
        param_size: 0,
        maxntid: None,
        reqntid: None,
        minnctapersm: None,
        maxnreg: None,
        registers: types.iter().map(|&ty| Register { name: "%r".into(), ty }).collect(),
        variables: Vec::new(),
        labels: labels.iter().map(|&target| Label { name: "L".into(), target }).collect(),
        insts: Some(insts),
        branch_targets: IndexMap::new(),
    }
}

fn module(functions: Vec<Function>) -> Module {
    Module { version: (8, 0), target: "sm_90".into(), address_size: 64, variables: Vec::new(), functions }
}

fn text(module: &Module) -> String {
    let module = lower(module, &Options::default()).expect("the module lowers");
    print_function(&module.functions[0])
}

const U32: Type = Type::U(32);

/// `while (tid < 10) tid += 1`, then a guarded store.
#[test]
fn loops_and_guards() {
    let compare = Inst {
        mods: Mods { compare: Some(Comparison::Lt), ..Mods::default() },
        ..inst(Op::Setp, &[U32], vec![register(2), register(0), Operand::Immediate(10)])
    };
    let back = Inst {
        guard: Some(Guard { register: RegisterId(2), negate: false }),
        ..inst(Op::Bra, &[], vec![Operand::Label(LabelId(0))])
    };
    let store = Inst {
        guard: Some(Guard { register: RegisterId(2), negate: true }),
        mods: Mods { space: Some(Space::Global), ..Mods::default() },
        ..inst(Op::St, &[U32], vec![Operand::Address(AddressBase::Register(RegisterId(1)), 8), register(0)])
    };
    let guarded = Inst {
        guard: Some(Guard { register: RegisterId(2), negate: false }),
        ..inst(Op::Mov, &[U32], vec![register(0), Operand::Immediate(7)])
    };
    let body = vec![
        inst(Op::Mov, &[U32], vec![register(0), Operand::Special(SpecialRegister::Tid(Axis::X))]),
        inst(Op::Add, &[U32], vec![register(0), register(0), Operand::Immediate(1)]),
        compare,
        back,
        guarded,
        store,
        inst(Op::Ret, &[], vec![]),
    ];
    let out = text(&module(vec![function("k", true, &[U32, Type::U(64), Type::Pred], body, &[1])]));
    assert!(out.contains("add v"), "{out}");
    assert!(out.contains("@!v") && out.contains("store.global:u4x1:weak:cta:+8"), "{out}");
    assert!(out.contains("select v"), "{out}");
}

#[test]
fn a_guarded_load_gets_a_block() {
    let load = Inst {
        guard: Some(Guard { register: RegisterId(2), negate: false }),
        mods: Mods { space: Some(Space::Global), ..Mods::default() },
        ..inst(Op::Ld, &[U32], vec![register(0), Operand::Address(AddressBase::Register(RegisterId(1)), 0)])
    };
    let set = Inst {
        mods: Mods { compare: Some(Comparison::Eq), ..Mods::default() },
        ..inst(Op::Setp, &[U32], vec![register(2), register(0), Operand::Immediate(0)])
    };
    let body = vec![inst(Op::Mov, &[U32], vec![register(0), Operand::Immediate(1)]), set, load];
    let out = text(&module(vec![function("k", true, &[U32, Type::U(64), Type::Pred], body, &[])]));
    assert!(out.contains("branch ") && out.contains("bb2(v"), "{out}");
}

#[test]
fn calls_are_inlined_and_recursion_is_refused() {
    let param = |register| Param {
        name: "p".into(),
        ty: U32,
        offset: 0,
        size: 4,
        align: 4,
        pointer: None,
        register: Some(RegisterId(register)),
    };
    let mut callee = function(
        "f",
        false,
        &[U32, U32],
        vec![inst(Op::Add, &[U32], vec![register(1), register(0), register(0)]), inst(Op::Ret, &[], vec![])],
        &[],
    );
    callee.params = vec![param(0)];
    callee.returns = vec![param(1)];
    let call = inst(
        Op::Call,
        &[],
        vec![
            Operand::List(vec![register(0)]),
            Operand::Function(FunctionId(1)),
            Operand::List(vec![Operand::Immediate(21)]),
        ],
    );
    let kernel = function("k", true, &[U32], vec![call.clone()], &[]);
    let out = text(&module(vec![kernel.clone(), callee.clone()]));
    assert!(out.contains("const.0x15") && out.contains("add "), "{out}");

    callee.insts = Some(vec![call]);
    let errors = lower(&module(vec![kernel, callee]), &Options::default()).expect_err("recursion");
    assert!(errors[0].message.contains("recursion"), "{errors:?}");
}

#[test]
fn all_errors_at_once() {
    let body =
        vec![inst(Op::Fns, &[U32], vec![register(0)]), Inst { line: 7, ..inst(Op::CpAsync, &[], vec![]) }];
    let errors = lower(&module(vec![function("k", true, &[U32], body, &[])]), &Options::default());
    let lines: Vec<u32> = errors.expect_err("two forms").iter().map(|e| e.line).collect();
    assert_eq!(lines, [1, 7]);
}
