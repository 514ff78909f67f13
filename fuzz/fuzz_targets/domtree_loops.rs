//! A drawn graph: every analysis equals its definition.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::domtree_loops(&mut Unstructured::new(data));
});
