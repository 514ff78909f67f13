//! Moves at once in sequence, on what each place holds.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::parallel_move(&mut Unstructured::new(data));
});
