//! With a GPU: ptxas's recorded vadd loads and runs. Without: said aloud.

use sassafras_gpu::cuda::Cuda;
use sassafras_gpu::item::{Item, Suite, entries};
use sassafras_gpu::session;
use sassafras_reference::{traces, workspace_root};

#[test]
fn recorded_vadd_runs() {
    let cuda = match Cuda::open() {
        Ok(cuda) => cuda,
        Err(e) => return sassafras_oracle::skip("gpu", &format!("{e:#}")),
    };
    let root = workspace_root();
    let number = entries(&root).expect("the corpus").iter().position(|e| e.name == "kernels/vadd/vadd");
    let item = Item::new(&Suite::Corpus, &root, number.expect("vadd") as u64).expect("vadd");
    let cubin = traces::cubin(&root, traces::RECORDED, "kernels/vadd/vadd").expect("the recorded cubin");
    let (records, lost) = session::run(&cuda, &item, "ptxas", &cubin);
    assert!(!lost && records.iter().all(|r| r.verdict == "agrees"), "{records:#?}");
}
