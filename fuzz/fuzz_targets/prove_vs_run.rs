//! Our own code with an instruction changed: what the prover proves never differs in the executors.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras::harness::targets::prove_vs_run(&mut Unstructured::new(data));
});
