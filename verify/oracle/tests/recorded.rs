//! The recorded traces and the PTX of the corpus are what the tools of the table say today.

use sassafras_oracle::{Tools, skip, table, workspace_root};
use sassafras_reference::{kernels, known, traces};

#[test]
fn the_table_and_the_traces_name_the_same_versions() {
    assert_eq!((table::CUDA, table::CUDA_NEWER), (traces::RECORDED, traces::RECORDED_NEWER));
}

#[test]
fn known_errors_compile_as_recorded() {
    let root = workspace_root();
    for set in [table::CUDA, table::CUDA_NEWER] {
        let ptxas = match Tools::here().ptxas(set) {
            Ok(p) => p,
            Err(e) => {
                skip("oracle::recorded", &e);
                continue;
            }
        };
        for e in known::ptxas_errors(&root).expect("the corpus") {
            // The options are in the cubin; these are the ones the recording used.
            let (cubin, _) = ptxas.compile(&e.ptx, "sm_90", &["-v"]).expect("ptxas accepts it");
            let recorded = traces::cubin(&root, set, &format!("ptxas-errors/{}", e.name)).expect("a trace");
            assert!(cubin == recorded, "{} by {set}: `cargo xtask record` gives another cubin", e.name);
        }
    }
}

#[test]
fn nvcc_writes_the_ptx_that_is_here() {
    let nvcc = match Tools::here().nvcc() {
        Ok(n) => n,
        Err(e) => return skip("oracle::nvcc", &e),
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out.ptx");
    for k in kernels(&workspace_root()).expect("the corpus").iter().filter(|k| k.name == "vadd") {
        for (options, file) in [(&["-fmad=false"][..], &k.ptx), (&[], &k.fmad_ptx)] {
            nvcc.ptx(&k.cu, "compute_75", options, &out).expect("nvcc accepts it");
            let [fresh, here] = [&out, file].map(|f| std::fs::read_to_string(f).expect("readable"));
            assert_eq!(fresh, here, "{}: `cargo xtask corpus` gives another text", k.name);
        }
    }
}
