//! The listing of generated code assembles to the same words.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::asm(&mut Unstructured::new(data));
});
