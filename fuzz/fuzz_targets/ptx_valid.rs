//! Generated PTX is accepted.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras_generate::accepted(&mut Unstructured::new(data));
});
