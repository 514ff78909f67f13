//! A cubin reads as what was written; with bytes changed it is read or refused.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::container(&mut Unstructured::new(data));
});
