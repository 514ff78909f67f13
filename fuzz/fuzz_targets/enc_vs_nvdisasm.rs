//! Words of drawn forms: nvdisasm prints them as we do. Needs NVIDIA's nvdisasm.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::enc_vs_nvdisasm(&mut Unstructured::new(data));
});
