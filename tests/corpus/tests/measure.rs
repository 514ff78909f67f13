//! What [`sassafras_corpus::measure`] counts, on loops whose counts are known.

use sassafras_chip::{Chip, Target};
use sassafras_corpus::measure::{Inner, busiest};
use sassafras_driver::observe::Nobody;
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;

/// A sum over `n` words of 32 bits; `PRAGMA` stands at the loop.
const SUM: &str = r#".version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 out, .param .u32 n)
{
    .reg .u64 %x, %out; .reg .u32 %n, %i, %v, %sum; .reg .pred %p;
    ld.param.u64 %x, [x]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
    mov.u32 %i, 0; mov.u32 %sum, 0;
loop:
    PRAGMA
    ld.global.u32 %v, [%x];
    add.u32 %sum, %sum, %v;
    add.u64 %x, %x, 4;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, %n;
    @%p bra loop;
    st.global.u32 [%out], %sum;
    ret;
}
"#;

fn inner(pragma: &str) -> Option<Inner> {
    let options = Options { arch: Some(Arch::Real(Target::base(Chip::Sm90))), jobs: 1, ..Options::default() };
    let made = session::compile(&SUM.replace("PRAGMA", pragma), "sum", &options, None, &Nobody);
    let (cubin, _) = made.expect("it compiles").cubin.expect("a cubin");
    busiest(&cubin.functions[0], Chip::Sm90).expect("it decodes")
}

/// A turn loads one word; store and parameters lie outside.
#[test]
fn a_turn_is_counted() {
    let loop_ = inner(".pragma \"nounroll\";").expect("a loop");
    assert_eq!(loop_.bytes, 4);
    // Load, sum, address, counter, comparison, branch; an address of 64 bits takes two.
    assert!((6..=8).contains(&loop_.instructions), "{loop_:?}");
}

/// Four turns in one load four words, and cost less for each byte.
#[test]
fn unrolled_turns_are_counted_by_what_they_do() {
    let (one, four) = (inner(".pragma \"nounroll\";").expect("a loop"), inner("").expect("a loop"));
    assert_eq!(four.bytes, 16);
    assert!(four.instructions > one.instructions && four.cost() < one.cost(), "{one:?} {four:?}");
}
