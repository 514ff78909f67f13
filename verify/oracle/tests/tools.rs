//! The wrappers against the real programs, where they are installed.

use sassafras_oracle::{Tools, skip, status, table, workspace_root};

const VADD: &str = "corpus/kernels/vadd/vadd.ptx";

#[test]
fn the_table_is_sound() {
    for (i, set) in table::SETS.iter().enumerate() {
        assert!(!set.packages.is_empty() && !set.files.is_empty(), "{}", set.name);
        assert!(
            table::SETS[..i].iter().all(|s| s.name != set.name && s.folder != set.folder),
            "{}",
            set.name
        );
    }
    assert!(table::set(table::CUDA).is_some() && table::set(table::CUDA_NEWER).is_some());
}

#[test]
fn a_root_with_nothing_says_what_is_missing() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let tools = Tools::find(empty.path());
    let why = tools.ptxas(table::CUDA).expect_err("nothing is here").to_string();
    assert!(why.contains("oracle install 13.0.88"), "{why}");
    assert!(tools.ptxas("1.0").is_err() && tools.z3().is_err() && tools.nvdisasm().is_err());
    let status = status(empty.path());
    assert!(status.sets.iter().all(|s| !s.installed && !s.missing.is_empty()));
    assert!(serde_json::to_string(&status).is_ok_and(|t| t.contains("\"schema\":1")));
}

#[test]
fn an_unknown_set_is_an_error() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let e = sassafras_oracle::install(empty.path(), &["cuda-7"]).expect_err("no such set");
    assert!(e.to_string().contains("13.0.88"), "{e}");
}

#[test]
fn ptxas_compiles_and_nvdisasm_reads() {
    let tools = Tools::here();
    let (ptxas, nvdisasm, cuobjdump) = match (tools.ptxas(table::CUDA), tools.nvdisasm(), tools.cuobjdump()) {
        (Ok(a), Ok(b), Ok(c)) => (a, b, c),
        (Err(e), ..) | (_, Err(e), _) | (.., Err(e)) => return skip("oracle::ptxas", &e),
    };
    let (cubin, said) = ptxas.compile(&workspace_root().join(VADD), "sm_90", &["-v"]).expect("vadd compiles");
    assert!(said.stderr.contains("registers") || said.stdout.contains("registers"));
    let text = nvdisasm.disassemble_bytes(&cubin).expect("nvdisasm reads it");
    assert!(text.contains("FADD") && text.contains("STG.E"), "{text}");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &cubin).expect("written");
    assert!(cuobjdump.run(file.path(), &["-elf"]).is_ok_and(|o| o.ok() && o.stdout.contains(".text.vadd")));
    let refused = ptxas.compile_text(".version 9.0\n.target sm_90\nbad\n", "sm_90", &[]);
    assert!(refused.is_err_and(|e| e.to_string().contains("line 3")));
}

#[test]
fn raw_words_are_read_in_order_and_refused_ones_are_none() {
    let nvdisasm = match Tools::here().nvdisasm() {
        Ok(n) => n,
        Err(e) => return skip("oracle::words", &e),
    };
    // NOP, a word no form has, MOV R1, c[0x0][0x28], EXIT.
    let words = [
        0x000f_c000_0000_0000_0000_0000_0000_7918,
        u128::MAX,
        0x000f_e400_0000_0f00_0000_0a00_ff01_7624,
        0x000f_ea00_0380_0000_0000_0000_0000_794d,
    ];
    let texts = nvdisasm.words(&words, "sm_90").expect("nvdisasm runs");
    assert_eq!(texts.len(), 4);
    assert_eq!(texts[0].as_deref(), Some("NOP"));
    assert_eq!(texts[1], None);
    assert_eq!(texts[3].as_deref(), Some("EXIT"));
}
