//! Faults of allocation, convergence and layout: a judge objects to each.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::allocate(&mut Unstructured::new(data));
});
