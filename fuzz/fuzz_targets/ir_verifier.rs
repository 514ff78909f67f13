//! The judge of the IR takes what stages made, and objects to a fault in it.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::ir_verifier(&mut Unstructured::new(data));
});
