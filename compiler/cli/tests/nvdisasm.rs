//! Our listings against nvdisasm's, on our own container.

mod common;

use common::{cubin, sassafras};
use sassafras_oracle::{Tools, skip};
use tempfile::tempdir;

#[test]

fn our_container_and_listing_are_nvdisasms() {
    let tools = Tools::here();
    let nvdisasm = match tools.nvdisasm() {
        Ok(nvdisasm) => nvdisasm,
        Err(reason) => return skip("our_container_and_listing_are_nvdisasms", &reason),
    };
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("in.cubin");
    std::fs::write(&path, cubin()).expect("the folder is ours");
    let theirs = nvdisasm.run(&path, &["-c"]).expect("nvdisasm runs");
    let ours = sassafras(folder.path(), &["disasm", "in.cubin"]);
    assert_eq!(ours.out, theirs.stdout, "nvdisasm said: {}", theirs.stderr);
}
