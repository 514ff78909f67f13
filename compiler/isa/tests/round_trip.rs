//! Words, instructions and text, each way.

mod common;

use proptest::prelude::*;
use sassafras_isa::{
    Chip, Control, FieldKind, Inst, Node, RegClass, Rng, Style, Targets, VIRTUAL, decode, encode, form,
    forms, generate, parse, print,
};

fn exact() -> Style<'static> {
    Style { control: true, exact: true, targets: Targets::Relative, chip: None, spaced: false }
}

fn check(inst: &Inst) {
    let chip = inst.row().home();
    let word = encode(inst, chip).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(decode(word, chip).as_ref(), Ok(inst), "{word:#034x}");
    let text = print(inst, &exact());
    assert_eq!(parse(&text, &exact()).as_ref(), Ok(inst), "{text}");
}

#[test]
fn every_form_many_times() {
    let mut rng = Rng(11);
    for form in common::all() {
        for _ in 0..60 {
            check(&generate(form, &mut rng));
        }
    }
}

#[test]
fn plain_text_is_enough_but_for_control_bits() {
    let mut rng = Rng(12);
    let (mut same, mut count) = (0, 0);
    for form in common::all() {
        // The descriptor has no text on older chips.
        if form.get().syntax.iter().any(|node| matches!(node, Node::Hidden(_))) {
            continue;
        }
        let style = Style { chip: Some(form.get().home()), ..Style::default() };
        for _ in 0..20 {
            let inst = generate(form, &mut rng);
            let text = print(&inst, &style);
            let back = parse(&text, &style).unwrap_or_else(|e| panic!("{text}: {e}"));
            count += 1;
            same += usize::from(back.form == inst.form && back.fields == inst.fields);
            assert_eq!(print(&back, &Style::default()).replace(".reuse", ""), text.replace(".reuse", ""));
        }
    }
    // Forms may share a text (a constant has two homes), and NaNs lose their payload.
    assert!(same * 100 > count * 97, "{same} of {count}");
}

#[test]
fn virtual_registers_are_carried_by_text() {
    for id in common::all() {
        let mut inst = Inst::new(id);
        for (i, field) in id.get().fields.iter().enumerate() {
            if matches!(field.kind, FieldKind::Register { .. }) {
                inst.fields[i] = VIRTUAL + i as u64;
            }
        }
        inst.guard.pred = VIRTUAL as u32 + 90;
        let text = print(&inst, &exact());
        let style = exact();
        let back = parse(&text, &style);
        let uniform = inst.guard.uniform;
        let back = back.map(|mut b| {
            b.guard.uniform = uniform;
            b
        });
        assert_eq!(back.as_ref(), Ok(&inst), "{text}");
        assert!(inst.operands().all(|op| op.is_virtual() || op.name == "mask"), "{text}");
        assert!(encode(&inst, id.get().home()).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_instruction(seed: u64, pick in 0..forms().len()) {
        check(&generate(sassafras_isa::FormId(pick as u16), &mut Rng(seed)));
    }

    #[test]
    fn a_word_with_flipped_bits(seed: u64, pick in 0..forms().len(), a in 0..128u32, b in 0..128u32) {
        let inst = generate(sassafras_isa::FormId(pick as u16), &mut Rng(seed));
        let chip = inst.row().home();
        let word = encode(&inst, chip).expect("generated instructions are legal") ^ 1 << a ^ 1 << b;
        if let Ok(inst) = decode(word, chip) {
            prop_assert_eq!(encode(&inst, chip), Ok(word));
            let text = print(&inst, &exact());
            prop_assert_eq!(parse(&text, &exact()), Ok(inst), "{}", text);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(@!?U?P[0-7T] )?[A-Z]{2,7}[0-9]?(\\.[A-Z0-9]{1,5}){0,3} [-~!|RUPZT0-9x, \\[\\]+.c]{0,30}") {
        if let Ok(inst) = parse(&text, &Style::default()) {
            let again = print(&inst, &Style::default());
            prop_assert_eq!(parse(&again, &Style::default()).map(|i| i.fields), Ok(inst.fields));
        }
    }
}

#[test]
fn any_sixteen_bytes() {
    arbtest::arbtest(|u| {
        let word: u128 = u.arbitrary()?;
        for chip in Chip::ALL {
            if let Ok(inst) = decode(word, chip) {
                assert_eq!(encode(&inst, chip), Ok(word));
            }
        }
        let pick = u.choose_index(forms().len())?;
        check(&generate(sassafras_isa::FormId(pick as u16), u));
        Ok(())
    });
}

#[test]
fn control_bits_in_text() {
    let mut inst = Inst::new(form("iadd3.rrr").expect("a form")).with("d", 1).with("a", 2);
    inst.control =
        Control { stall: 4, yield_: true, write_barrier: 1, read_barrier: 7, wait_mask: 5, reuse: 1 };
    let text = print(&inst, &exact());
    assert_eq!(text, "[B0-2---:R-:W1:-:S04] IADD3 R1, R2.reuse, RZ, RZ");
    assert_eq!(parse(&text, &exact()), Ok(inst));
}

#[test]
fn branch_targets_by_name() {
    let name = |distance: i64, out: &mut String| {
        if distance == 0x40 {
            out.push_str("`(.L_x_1)");
        }
        distance == 0x40
    };
    let find = |text: &str| (text == "`(.L_x_1)").then_some(0x40);
    let style = Style { targets: Targets::Named { name: &name, find: &find }, ..Style::default() };
    let bra = Inst::new(form("bra").expect("a form")).with("t", 0x40).guarded(0, true);
    let text = print(&bra, &style);
    assert_eq!(text, "@!P0 BRA `(.L_x_1)");
    assert_eq!(parse(&text, &style), Ok(bra.clone()));
    let there = Style { targets: Targets::At(0x100), ..Style::default() };
    assert_eq!(print(&bra, &there), "@!P0 BRA 0x150");
    assert_eq!(parse("@!P0 BRA 0x150 ;", &there), Ok(bra));
}

#[test]
fn errors_have_a_column() {
    let error = parse("IADD3 R1, R2, Q3, RZ", &Style::default()).expect_err("no register");
    assert_eq!(error.column, 14, "{error}");
    assert!(parse("FROB R1", &Style::default()).expect_err("no mnemonic").message.contains("FROB"));
}

#[test]
fn operands_tell_reads_and_writes() {
    let inst = Inst::new(form("ldg").expect("a form"))
        .with_enum("sz", ".128")
        .with("d", 4)
        .with("a", 2)
        .with("u", 6)
        .guarded(3, true);
    let list: Vec<(String, RegClass, u32, u8)> =
        inst.operands().map(|op| (format!("{:?}", op.access), op.class, op.number, op.units)).collect();
    assert_eq!(
        list,
        [
            ("Read".to_owned(), RegClass::P, 3, 1),
            ("Write".to_owned(), RegClass::R, 4, 4),
            ("Read".to_owned(), RegClass::UR, 6, 2),
            ("Read".to_owned(), RegClass::R, 2, 2),
        ]
    );
}
