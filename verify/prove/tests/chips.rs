//! Which chips a source runs on: a cubin for another is not what it is about.

#![allow(missing_docs)]

mod common;

use common::{module, ours};
use sassafras_prove::{NoSolver, Verdict, prove};

#[test]
fn a_cubin_for_an_earlier_chip_is_inapplicable() {
    let text = |target: &str| {
        format!(".version 8.3\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n")
    };
    let cubin = ours(&text("sm_90")).expect("it compiles");
    let says = |target: &str, sm: u32, accelerated: bool| {
        let other = sassafras_cubin::Cubin { sm, accelerated, ..cubin.clone() };
        match prove(&module(&text(target)), "k", &other, &mut NoSolver).verdict {
            Verdict::Inapplicable(why) => Some(why),
            _ => None,
        }
    };
    assert_eq!(says("sm_90", 80, false).as_deref(), Some("the source is for sm_90, the target for sm_80"));
    assert_eq!(says("sm_90a", 90, false).as_deref(), Some("the source is for sm_90a, the target for sm_90"));
    assert_eq!(
        says("sm_90a", 100, true).as_deref(),
        Some("the source is for sm_90a, the target for sm_100a")
    );
    for (target, sm, accelerated) in [("sm_80", 90, false), ("sm_90", 90, true), ("sm_90a", 90, true)] {
        assert_eq!(says(target, sm, accelerated), None, "{target}");
    }
}
