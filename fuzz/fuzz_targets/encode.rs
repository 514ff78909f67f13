//! Any instruction of the table: word and text read back as it.
#![no_main]

use libfuzzer_sys::{arbitrary::Unstructured, fuzz_target};

fuzz_target!(|data: &[u8]| {
    let _ = sassafras_generate::encode(&mut Unstructured::new(data));
});
