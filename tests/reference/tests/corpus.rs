//! Every kernel of the corpus is whole: four files, a description that holds, and a reference that agrees with it.

use sassafras_reference::{Param, kernels, reference, workspace_root};

#[test]
fn every_kernel_has_files_launches_and_a_reference() {
    let all = kernels(&workspace_root()).expect("corpus");
    assert!(!all.is_empty());
    for k in &all {
        for f in [&k.cu, &k.ptx, &k.fmad_ptx] {
            assert!(f.is_file(), "{} is missing", f.display());
        }
        assert_eq!(k.spec.seeds.len(), 3, "{}: three seeds", k.name);
        assert_eq!(k.spec.shapes.len(), 2, "{}: two shapes", k.name);
        for launch in k.spec.launches().expect(&k.name) {
            let expected = reference(&k.name, &launch).unwrap_or_else(|| panic!("{}: no reference", k.name));
            let declared: Vec<usize> = (0..launch.params.len())
                .filter(|p| matches!(&launch.params[*p], Param::Buffer(b) if b.output.is_some()))
                .collect();
            assert_eq!(expected.iter().map(|(p, _)| *p).collect::<Vec<_>>(), declared, "{}: outputs", k.name);
            let mut changed = false;
            for (p, data) in &expected {
                let Param::Buffer(b) = &launch.params[*p] else { unreachable!("filtered above") };
                assert_eq!(
                    (data.ty(), data.len()),
                    (b.data.ty(), b.data.len()),
                    "{}: output {}",
                    k.name,
                    b.name
                );
                changed |= data.to_bytes() != b.data.to_bytes();
            }
            assert!(changed, "{} ({}): the reference writes nothing", k.name, launch.label);
        }
    }
}

#[test]
fn every_feature_says_what_it_is_and_has_the_common_entry() {
    let root = workspace_root();
    let all = sassafras_reference::corpus::features(&root).expect("features");
    assert!(all.len() >= 80);
    for f in &all {
        let text = std::fs::read_to_string(&f.ptx).expect(&f.name);
        assert!(text.starts_with("// Feature: "), "{}: no description", f.name);
        assert!(
            text.contains(".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)"),
            "{}: entry",
            f.name
        );
        let approximate = text.lines().any(|l| l.contains(".approx") || l.contains("div.full"));
        let bounded = f.name == "approx_bounds";
        // Only sums of floats in a matrix and what a texture gives have an open rounding, and only these registers an open value.
        let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
        for open in &f.open {
            let shown = match open.as_str() {
                "rounding" => has(&["mma.sync", "tex.", "tld4."]) && has(&[".f32", ".f16"]),
                "registers" => has(&["%envreg", "%current_graph_exec", "%reserved_smem_offset_end"]),
                _ => false,
            };
            assert!(shown, "{}: `// open: {open}` line", f.name);
        }
        assert_eq!(approximate && !bounded, !f.approx.is_empty(), "{}: `// approx:` line", f.name);
    }
    let spec = sassafras_reference::corpus::feature_spec(&root).expect("launch.toml");
    for launch in spec.launches().expect("launches") {
        assert_eq!((launch.params.len(), launch.threads() % 32), (3, 0));
    }
}

#[test]
fn wrong_inputs_name_a_place_that_is_there() {
    let all = sassafras_reference::known::bad(&workspace_root()).expect("bad");
    assert!(all.len() >= 60);
    for b in &all {
        assert!(!b.exit.is_empty() && b.exit.iter().all(|e| [1, 4].contains(e)), "{}", b.name);
        if let (Some(line), Some(column)) = (b.line, b.column) {
            let text = String::from_utf8_lossy(&b.bytes);
            let line = text.lines().nth(line - 1).unwrap_or_else(|| panic!("{}: no line {line}", b.name));
            assert!(line.len() >= column, "{}: `{line}` has no column {column}", b.name);
        }
    }
    assert!(all.iter().any(|b| b.bytes.is_empty()) && all.iter().any(|b| b.bytes.len() == 1 << 20));
}

#[test]
fn known_errors_have_examples_that_differ_and_both_recordings() {
    use sassafras_reference::traces;
    let root = workspace_root();
    let all = sassafras_reference::known::ptxas_errors(&root).expect("ptxas-errors");
    assert_eq!(all.len(), 5);
    for e in &all {
        assert!(e.ptx.is_file() && e.example.right != e.example.wrong, "{}", e.name);
        let name = format!("ptxas-errors/{}", e.name);
        let [wrong, right] = [traces::RECORDED, traces::RECORDED_NEWER]
            .map(|set| traces::sass(&root, set, &name).expect(&name));
        assert_ne!(wrong, right, "{}", e.name);
    }
}

#[test]
fn every_program_is_recorded() {
    use sassafras_reference::traces;
    let root = workspace_root();
    let mut names: Vec<String> = sassafras_reference::corpus::features(&root)
        .expect("features")
        .into_iter()
        .map(|f| format!("features/{}", f.name))
        .collect();
    for k in kernels(&root).expect("kernels") {
        names.push(format!("kernels/{0}/{0}", k.name));
        names.push(format!("kernels/{0}/{0}.fmad", k.name));
    }
    for name in names {
        let cubin = traces::cubin(&root, traces::RECORDED, &name).unwrap_or_default();
        assert!(cubin.starts_with(b"\x7fELF"), "{name} is not recorded; `cargo xtask record` does it");
        let sass = traces::sass(&root, traces::RECORDED, &name).unwrap_or_default();
        assert!(sass.contains("EXIT"), "{name}: no listing");
    }
}
