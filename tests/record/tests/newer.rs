//! A sample of the words of the newer ptxas, held against its own nvdisasm and the table; `cargo xtask long newer` takes all of them.

use sassafras_oracle::{Tools, skip, table};
use std::process::Command;

#[test]
fn words_of_the_newer_ptxas() {
    let (tools, set) = (Tools::here(), table::CUDA_NEWER);
    if let Err(reason) = tools.nvdisasm_of(set) {
        return skip("words_of_the_newer_ptxas", &reason);
    }
    let mut record = Command::new(env!("CARGO_BIN_EXE_sassafras-record"));
    record.args(["--check", set, "--every", "300", "sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]);
    let out = record.output().expect("the program starts");
    let said = String::from_utf8_lossy(&out.stdout);
    println!("{said}");
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(said.matches(" parsed").count(), 5, "{said}");
}
