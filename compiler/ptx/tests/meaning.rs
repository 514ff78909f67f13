//! Every row of the table has a meaning, or is listed here; and its meaning over terms is that over bits.

use sassafras_ptx::checked::{FunctionId, Inst, Module, Op, RegisterId, VariableId};
use sassafras_ptx::step::{Outcome, Place, PtxState, step};
use sassafras_ptx::table::{self, example};
use sassafras_semantics::concrete::{Bits, Concrete};
use sassafras_semantics::term::{Node, Terms};
use sassafras_semantics::{
    Access, AtomicOp, Domain, Opaque, Ordering, Scope, Space, SpecialRegister, State, Trap,
};
use std::collections::BTreeMap;

/// Forms without a meaning here, by how they begin, and why.
const WITHOUT: [(&str, &str); 16] = [
    ("fma.rn.oob", "the special NaN is not defined with the instruction"),
    ("discard", "makes memory undefined"),
    ("createpolicy.fractional", "a fraction that is not constant"),
    ("tex.grad.3d", "slopes in three dimensions"),
    ("tex.grad.cube", "slopes in three dimensions"),
    ("tex.grad.acube", "slopes in three dimensions"),
    ("txq.channel_data_type", "a table of the driver"),
    ("txq.channel_order", "a table of the driver"),
    ("txq.normalized_coords", "a table of the driver"),
    ("txq.array_size", "a table of the driver"),
    ("txq.num_mipmap_levels", "a table of the driver"),
    ("txq.num_samples", "a table of the driver"),
    ("suq.channel_data_type", "a table of the driver"),
    ("suq.channel_order", "a table of the driver"),
    ("suq.array_size", "a table of the driver"),
    ("suq.memory_layout", "a table of the driver"),
];

/// A lane that reads variables, and logs what the instruction does.
struct Log<D: Domain, F> {
    register: F,
    done: Vec<D::V>,
    written: BTreeMap<RegisterId, D::V>,
}

impl<D: Domain, F: FnMut(&D, RegisterId) -> D::V> State<D> for Log<D, F> {
    type Register = RegisterId;
    fn read(&mut self, d: &D, r: RegisterId) -> Result<D::V, Trap> {
        Ok((self.register)(d, r))
    }
    fn write(&mut self, d: &D, r: RegisterId, v: D::V) {
        self.done.push(d.constant(32, r.0.into()));
        self.done.push(v.clone());
        self.written.insert(r, v);
    }
    fn aligned(&mut self, _: &D, _: Space, at: &D::V, _: u32) -> Result<(), Trap> {
        self.done.push(at.clone());
        Ok(())
    }
    fn load(&mut self, d: &D, access: &Access, at: &D::V) -> Result<D::V, Trap> {
        self.done.push(at.clone());
        // Every byte has its top bit set, so that extensions show.
        Ok(d.constant(8 * access.bytes, 0xfedc_ba98_8765_4321_89ab_cdef_91a2_b3c4))
    }
    fn store(&mut self, _: &D, _: &Access, at: &D::V, v: &D::V) -> Result<(), Trap> {
        self.done.extend([at.clone(), v.clone()]);
        Ok(())
    }
    fn atomic(&mut self, d: &D, access: &Access, _: AtomicOp, at: &D::V, of: &[D::V]) -> Result<D::V, Trap> {
        self.done.extend(of.iter().cloned());
        self.load(d, access, at)
    }
    fn fence(&mut self, _: &D, _: Ordering, _: Scope) -> Result<(), Trap> {
        Ok(())
    }
    fn opaque(&mut self, d: &D, op: Opaque, arguments: &[D::V]) -> Result<Vec<D::V>, Trap> {
        let family = op.family();
        assert_eq!(arguments.iter().map(|a| d.width(a)).collect::<Vec<_>>(), family.arguments, "{op}");
        self.done.extend(arguments.iter().cloned());
        Ok(family.results.iter().map(|w| d.constant(*w, 0x5a5a_1234_8765_4321)).collect())
    }
    fn special(&mut self, d: &D, r: SpecialRegister) -> Result<D::V, Trap> {
        // A launch without clusters.
        Ok(d.constant(r.width(), if r == SpecialRegister::IsExplicitCluster { 0 } else { 3 }))
    }
    fn cvta(&mut self, d: &D, _: Space, at: &D::V) -> Result<D::V, Trap> {
        Ok(d.add(at, &d.constant(64, 1 << 40)))
    }
    fn cvta_to(&mut self, d: &D, _: Space, at: &D::V) -> Result<D::V, Trap> {
        Ok(d.sub(at, &d.constant(64, 1 << 40)))
    }
    fn is_space(&mut self, d: &D, _: Space, at: &D::V) -> Result<D::V, Trap> {
        Ok(d.extract(at, 40, 1))
    }
}

impl<D: Domain, F: FnMut(&D, RegisterId) -> D::V> PtxState<D> for Log<D, F> {
    fn symbol_address(&mut self, d: &D, _: VariableId) -> Result<D::V, Trap> {
        Ok(d.constant(64, 0x100))
    }
    fn param_address(&mut self, d: &D, _: u32, _: bool) -> Result<D::V, Trap> {
        Ok(d.constant(64, 0x10))
    }
    fn function_address(&mut self, d: &D, f: FunctionId) -> Result<D::V, Trap> {
        Ok(d.constant(64, f.0.into()))
    }
}

/// All that an instruction does, as values in order.
fn effects<D: Domain>(
    d: &D,
    module: &Module,
    inst: &Inst,
    register: impl FnMut(&D, RegisterId) -> D::V,
) -> Result<Vec<D::V>, Trap> {
    let mut log = Log { register, done: Vec::new(), written: BTreeMap::new() };
    let function = module.functions.last().expect("the entry");
    match step(d, module, function, inst, &mut log)? {
        Outcome::Collective { arguments, .. } => log.done.extend(arguments),
        Outcome::Switch { index, .. } => log.done.push(index),
        Outcome::Call { arguments, .. } => {
            log.done.extend(arguments.into_iter().filter_map(|a| match a {
                Place::Value(v) => Some(v),
                _ => None,
            }));
        }
        _ => {}
    }
    Ok(log.done)
}

/// The instructions of every form of every row, in a module for each target that examples need.
fn everything() -> Vec<(Vec<String>, Module)> {
    let mut lines: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in table::rows() {
        for suffixes in row.variants() {
            let since = row.matches(&suffixes).expect("a variant fits").since;
            lines.entry(since.example_target()).or_default().push(row.instruction(&suffixes));
        }
    }
    let module = |(target, lines): (&str, Vec<String>)| {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n{}.visible .entry k (.param .align 16 .b8 parameter[64])\n{{\n{}{}\n}}\n",
            example::MODULE,
            example::DECLARATIONS,
            lines.join("\n")
        );
        let module =
            sassafras_ptx::load(&text, "rows").unwrap_or_else(|e| panic!("{:?}", e.records().first()));
        (lines, module)
    };
    lines.into_iter().map(module).collect()
}

/// The instructions with the lines they stand for: one each, or several where the checker puts others in the place of one.
fn by_line<'m>(lines: &'m [String], module: &'m Module) -> Vec<(&'m String, &'m Inst)> {
    let insts = module.functions.last().and_then(|f| f.insts.as_ref()).expect("a body");
    let first = insts.first().expect("an instruction").line;
    let all: Vec<_> = insts.iter().map(|inst| (&lines[(inst.line - first) as usize], inst)).collect();
    let mut seen: Vec<u32> = insts.iter().map(|inst| inst.line).collect();
    seen.dedup();
    assert_eq!(seen.len(), lines.len(), "every line is an instruction");
    all
}

/// Bits that tell meanings apart: small numbers, edges, floats of every class, noise.
fn interesting(n: u64) -> u128 {
    const SOME: [u64; 16] = [
        0,
        1,
        2,
        31,
        32,
        0x8000_0000_8000_8080,
        0x7fff_ffff_7fff_7f7f,
        u64::MAX,
        0x3f80_0000_3f80_0000,
        0x7ff0_0000_7f80_0000,
        0x7ff8_0000_7fc0_0001,
        0x0000_0001_8000_0001,
        0x4009_21fb_5444_2d18,
        0xc008_0000_4248_0000,
        0x3c00_7e00_fc00_8001,
        0x41e0_0000_4f00_0000,
    ];
    let mix = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let one = if mix >> 60 < 10 { SOME[(mix >> 40) as usize % 16] } else { mix ^ mix >> 29 };
    u128::from(mix ^ mix << 7) << 64 | u128::from(one)
}

#[test]
fn every_row_has_a_meaning_or_is_listed() {
    for (lines, module) in everything() {
        has_a_meaning_or_is_listed(&lines, &module);
    }
}

fn has_a_meaning_or_is_listed(lines: &[String], module: &Module) {
    let registers = &module.functions.last().expect("the entry").registers;
    let width = |r: RegisterId| registers.get(r.0 as usize).map_or(1, |r| r.ty.width());
    let (mut wrong, mut without) = (Vec::new(), 0);
    for (line, inst) in by_line(lines, module) {
        let listed = WITHOUT.iter().any(|(start, _)| line.starts_with(start));
        let found = effects(&Concrete::default(), module, inst, |_, r| Bits::new(width(r), 7));
        let unsupported = matches!(found, Err(Trap::Unsupported(_)));
        without += u32::from(unsupported);
        if unsupported != listed {
            wrong.push(format!("{line} {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    eprintln!("{} forms have a meaning, {without} are listed as without", lines.len() as u32 - without);
}

#[test]
fn meanings_over_terms_are_those_over_bits() {
    let all = everything();
    let compared: usize = all.iter().map(|(lines, module)| terms_are_as_bits(lines, module)).sum();
    assert!(compared > all.iter().map(|(lines, _)| lines.len()).sum());
}

/// How many values were compared.
fn terms_are_as_bits(lines: &[String], module: &Module) -> usize {
    let registers = &module.functions.last().expect("the entry").registers;
    let width = |r: RegisterId| registers.get(r.0 as usize).map_or(1, |r| r.ty.width());
    let (mut n, mut compared) = (0u64, 0);
    for (line, inst) in by_line(lines, module) {
        if matches!(inst.op, Op::Trap | Op::Brkpt) || WITHOUT.iter().any(|(start, _)| line.starts_with(start))
        {
            continue;
        }
        if inst.op == Op::CpAsync && inst.operands.len() > 3 {
            // How much is read must be known.
            continue;
        }
        let terms = Terms::new();
        let name = |r: RegisterId| r.0.to_string();
        let symbolic = effects(&terms, module, inst, |t, r| t.variable(&name(r), width(r))).expect(line);
        for _ in 0..12 {
            n += 1;
            let value = |r: RegisterId| interesting(n.wrapping_mul(64) ^ u64::from(r.0));
            // Where all is undefined, both sides take zeros.
            let d = Concrete::default();
            let concrete = effects(&d, module, inst, |_, r| Bits::new(width(r), value(r))).expect(line);
            assert_eq!(symbolic.len(), concrete.len(), "{line}");
            compared += concrete.len();
            for (s, c) in symbolic.iter().zip(&concrete) {
                let found = terms.evaluate(&d, *s, |free| match terms.node(free) {
                    Node::Variable(v) => value(RegisterId(terms.name(v).parse().expect("a number"))),
                    _ => 0,
                });
                assert_eq!(found, *c, "{line} with {:?}", inst.operands);
            }
        }
    }
    eprintln!("{compared} values of {n} evaluations agree");
    compared
}
