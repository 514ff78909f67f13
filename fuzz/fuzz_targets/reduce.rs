//! Reduction of generated PTX ends, and each of its steps is valid.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras_generate::reduction(&mut Unstructured::new(data));
});
