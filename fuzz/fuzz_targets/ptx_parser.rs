//! Any bytes through the PTX front end.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    sassafras_generate::parser(data);
});
