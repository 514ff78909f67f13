//! Two small blocks: the solver says of them what every input says.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::tv_smt(&mut Unstructured::new(data));
});
