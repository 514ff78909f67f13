//! Any text through the assembler.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    sassafras::checks::text(data);
});
