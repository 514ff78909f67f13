//! Code that is not followed.

use super::super::code::{put, replace, set, swap, word};
use super::super::example::{Example, Target, changed, example, stored};
use super::{ptx, sass};
use sassafras_cubin::Relocation;
use sassafras_isa::Meaning;

const IDENTITY: &str = ptx!("identity");

pub const ALL: &[Example] = &[
    stored("U0301", "wrong_pairs/beyond/discarded"),
    changed("U0302", IDENTITY, |cubin| cubin.functions[0].code[1] = u128::MAX),
    stored("U0303", "wrong_pairs/memory/copy_of_a_device"),
    stored("U0304", "wrong_pairs/lanes/return_that_counts"),
    changed("U0305", IDENTITY, |cubin| put(cubin, sass!("misaligned"))),
    changed("U0307", IDENTITY, |cubin| put(cubin, sass!("between_instructions"))),
    changed("U0308", IDENTITY, |cubin| put(cubin, sass!("jump"))),
    changed("U0309", ptx!("printf"), |cubin| set(cubin, "CALL.ABS", "q", 0)),
    changed("U0310", IDENTITY, |cubin| {
        replace(cubin, Meaning::Exit, "NOP");
        let code = &mut cubin.functions[0].code;
        let end = code.iter().rposition(|w| *w == word("NOP")).unwrap_or(0);
        code.truncate(end);
    }),
    changed("U0311", IDENTITY, |cubin| cubin.sm = 999),
    changed("U0312", IDENTITY, |cubin| put(cubin, sass!("bank_outside"))),
    changed("U0313", ptx!("plain"), |cubin| put(cubin, sass!("bank_misaligned"))),
    changed("U0314", IDENTITY, |cubin| put(cubin, sass!("bank_address"))),
    changed("U0315", IDENTITY, |cubin| put(cubin, sass!("bank_end"))),
    Example {
        target: Target::Ours(IDENTITY, "sm_100"),
        ..changed("U0316", IDENTITY, |cubin| put(cubin, sass!("bank_copies")))
    },
    example("U0317", ptx!("total_shared"), IDENTITY),
    stored("U0319", "wrong_pairs/waits/result_of_an_earlier_barrier"),
    changed("U0322", ptx!("copy"), |cubin| {
        put(cubin, sass!("copy"));
        swap(cubin, "DEPBAR.LE", "NOP");
    }),
    changed("U0323", ptx!("strong_copy"), |cubin| put(cubin, sass!("copy"))),
    example("U0324", ptx!("printf_large"), ptx!("printf_large")),
    example("U0327", ptx!("misaligned_copy"), ptx!("copy_of_some")),
    changed("U0399", IDENTITY, |cubin| {
        let (offset, kind, symbol, addend) = (0, 1, "away".to_owned(), 0);
        cubin.functions[0].relocations.push(Relocation { offset, kind, symbol, addend });
    }),
];
