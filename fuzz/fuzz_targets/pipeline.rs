//! Generated PTX through the compiler with every fast judge; both executors agree.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::pipeline(&mut Unstructured::new(data));
});
