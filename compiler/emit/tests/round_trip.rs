//! Writing and reading again gives the same value.

mod common;

use proptest::prelude::*;
use sassafras_cubin::{Cubin, Function, Param, Shared, attribute::Attribute, read};
use sassafras_emit::write;

#[test]
fn sample_comes_back() {
    let cubin = common::sample();
    let bytes = write(&cubin).expect("the sample fits");
    assert_eq!(read(&bytes).expect("our own output reads"), cubin);
    assert_eq!(bytes, write(&cubin).expect("the sample fits"), "the same value gives the same bytes");
}

#[test]
fn other_chips_are_refused_by_name() {
    let error = write(&Cubin { sm: 42, ..Cubin::default() }).expect_err("there is no such row").to_string();
    assert!(error.contains("has no layout") && error.contains("sm_42"), "{error}");
}

#[test]
fn unknown_symbols_are_refused() {
    let mut cubin = common::sample();
    cubin.addresses[0].symbol = "nowhere".into();
    assert!(write(&cubin).expect_err("the symbol does not exist").to_string().contains("nowhere"));
}

prop_compose! {
    fn function()(
        words in prop::collection::vec(any::<u128>(), 1..40),
        sizes in prop::collection::vec(1u32..64, 0..6),
        registers in 4u32..256,
        barriers in 0u8..17,
        shared in prop::option::of((0u32..5000, 0u32..8)),
        frame in 0u32..4096,
        exits in prop::collection::vec(any::<u32>(), 0..4),
        masks in prop::collection::vec(any::<u32>(), 0..3),
        threads in prop::option::of(any::<[u32; 3]>()),
        required in prop::option::of(any::<[u32; 3]>()),
        crs in prop::option::of(any::<u32>()),
        unknown in prop::collection::vec((0x70u8.., prop::collection::vec(any::<u32>(), 0..3)), 0..3),
    ) -> Function {
        let mut at = 0u16;
        let params: Vec<Param> = sizes.iter().enumerate().map(|(i, &size)| {
            let offset = at;
            at += size as u16;
            Param { ordinal: i as u16, offset, size, pointee_align: i as u8, pointee_space: i as u8 }
        }).collect();
        Function {
            entry: true,
            code: words,
            registers,
            barriers,
            param_base: 0x210,
            param_size: at.into(),
            params,
            shared: shared.map(|(size, log)| Shared { size, align: 1 << log }),
            frame_size: frame,
            min_stack: Some(frame),
            exit_offsets: exits,
            coop_group_offsets: masks.clone(),
            coop_group_masks: masks,
            max_registers: 0xff,
            max_threads: threads,
            required_threads: required,
            crs_stack_size: crs,
            attributes: unknown.iter().map(|(id, words)| Attribute::words(*id, words)).collect(),
            ..Function::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_functions_come_back(functions in prop::collection::vec(function(), 0..4), accelerated: bool) {
        let mut cubin = Cubin { sm: 90, accelerated, functions, ..Cubin::default() };
        for (i, f) in cubin.functions.iter_mut().enumerate() {
            f.name = format!("k{i}");
        }
        let bytes = write(&cubin).expect("it fits");
        prop_assert_eq!(read(&bytes).expect("our own output reads"), cubin);
    }
}
