//! Any bytes as a cubin, through every mode of the listing.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    sassafras::checks::cubin(data);
});
