//! Generated PTX: the PTX executor, our code and ptxas's, three votes.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::pipeline_ptxas(&mut Unstructured::new(data));
});
