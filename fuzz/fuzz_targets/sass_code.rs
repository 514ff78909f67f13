//! Any words through the listing of `disasm --control` and back through `asm`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: Vec<u128>| {
    sassafras::checks::code(&data, sassafras_isa::Chip::Sm90);
});
