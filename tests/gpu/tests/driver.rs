//! With a GPU: ptxas's recorded vadd loads and runs. Without: said aloud.

use sassafras_gpu::{cuda::Cuda, session};
use sassafras_reference::{kernels, traces, workspace_root};

#[test]
fn recorded_vadd_runs() {
    let cuda = match Cuda::open() {
        Ok(cuda) => cuda,
        Err(e) => return sassafras_oracle::skip("gpu", &format!("{e:#}")),
    };
    let root = workspace_root();
    let all = kernels(&root).expect("the corpus");
    let kernel = all.iter().find(|k| k.name == "vadd").expect("vadd");
    let cubin = traces::cubin(&root, traces::RECORDED, "kernels/vadd/vadd").expect("the recorded cubin");
    let records = session::run(&cuda, kernel, "ptxas", &cubin).expect("a cubin that loads");
    assert!(records.iter().all(|r| r.verdict == "agrees"), "{records:#?}");
}
