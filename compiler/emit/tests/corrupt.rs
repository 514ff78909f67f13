//! Corrupt input is an error with a place, never a panic and never a quiet success.

mod common;

use proptest::prelude::*;
use sassafras_cubin::{Attribute, Error, Place, attribute, read};
use sassafras_emit::write;

fn sample() -> Vec<u8> {
    write(&common::sample()).expect("the sample fits")
}

#[test]
fn empty_and_noise() {
    assert!(read(&[]).expect_err("no bytes").to_string().contains("empty"));
    let noise: Vec<u8> = (0u32..1 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    assert!(read(&noise).expect_err("noise").to_string().contains("magic"));
}

#[test]
fn every_header_field_is_checked() {
    // Offset and width of each field of the ELF header.
    let fields = [
        (0, 4),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 1),
        (8, 1),
        (9, 7),
        (0x10, 2),
        (0x12, 2),
        (0x14, 4),
        (0x18, 8),
        (0x20, 8),
        (0x28, 8),
        (0x30, 4),
        (0x34, 2),
        (0x36, 2),
        (0x38, 2),
        (0x3a, 2),
        (0x3c, 2),
        (0x3e, 2),
    ];
    let good = sample();
    for (at, width) in fields {
        for byte in at..at + width {
            for flip in [0x01, 0x40, 0xff] {
                let mut bad = good.clone();
                bad[byte] ^= flip;
                let Err(error) = read(&bad) else { panic!("byte {byte:#x} ^ {flip:#x} was not noticed") };
                assert!(matches!(error, Error::Malformed { place: Place::Offset(_), .. }), "{error}");
            }
        }
    }
}

#[test]
fn nothing_is_said_twice_of_a_function() {
    let mut noticed = 0;
    // Which of the symbols is the function's, the file says.
    for symbol in 0..32 {
        let mut cubin = common::sample();
        cubin.attributes.push(Attribute::words(attribute::REGCOUNT, &[symbol, 9]));
        let Err(error) = read(&write(&cubin).expect("it fits")) else { panic!("symbol {symbol}") };
        noticed += u32::from(error.to_string().contains("second time"));
    }
    assert!(noticed > 0);
}

#[test]
fn every_cut_is_noticed() {
    let good = sample();
    for len in 0..good.len() {
        assert!(read(&good[..len]).is_err(), "{len} of {} bytes were taken for the whole", good.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_damage(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = sample();
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(cubin) = read(&bytes) {
            let _ = write(&cubin);
        }
    }
}
