//! Generated PTX with some passes of the optimiser alone; both executors agree.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::optimise_pass(&mut Unstructured::new(data));
});
