//! Any 16 bytes through the SASS codec.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: [u8; 16]| {
    sassafras_generate::codec(data);
});
