//! Faults of scheduling and encoding: a judge objects to each.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::schedule(&mut Unstructured::new(data));
});
