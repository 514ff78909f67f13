//! What devices left is what the PTX executor leaves, where nothing is open.

use sassafras_corpus::prepare;
use sassafras_execute::{Options, ptx};
use sassafras_gpu::item::entries;
use sassafras_gpu::session::fnv;
use sassafras_gpu::table;
use sassafras_reference::{Compare, workspace_root};
use std::collections::HashMap;

#[test]
fn devices_left_what_the_executor_leaves() {
    let root = workspace_root();
    let folder = root.join("reference-traces/gpu");
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("corpus-")) {
            tables.push(table::read(&std::fs::read_to_string(&path).expect("a table")));
        }
    }
    assert!(!tables.is_empty(), "no table in {}", folder.display());
    let programs = entries(&root).expect("the corpus");
    let (mut same, mut wrong, mut open) = (0, Vec::new(), 0);
    for rows in tables {
        let mut left: HashMap<(&str, &str), Vec<&table::Row>> = HashMap::new();
        for row in rows.iter().filter(|row| row.agrees) {
            left.entry((&row.program, &row.launch)).or_default().push(row);
        }
        for program in &programs {
            // One launch of each is enough: CI runs this.
            let Some(from) = program.launches.first() else { continue };
            let Some(rows) = left.get(&(program.name.as_str(), from.label.as_str())) else { continue };
            let exact = |output: &(usize, Compare, _)| output.1 == Compare::Exact;
            let free = program.approximate || program.contracted || program.tolerance.is_some();
            if free || !program.outputs(from).iter().all(exact) {
                open += 1;
                continue;
            }
            let module = sassafras_ptx::load(&program.text, &program.name).expect("it was compiled");
            let launch = prepare(from, &ptx::layout(&module, &from.entry)).expect("it was launched");
            let ran = ptx::run(&module, &from.entry, &launch, &Options::default()).expect("it was run");
            let hashes: Vec<String> = ran.buffers.iter().map(|b| format!("{:016x}", fnv(b))).collect();
            match rows.iter().any(|row| row.buffers == hashes) {
                true => same += 1,
                false => wrong.push(program.name.clone()),
            }
        }
    }
    eprintln!("{same} programs leave what a device left, {open} are approximate or in any order");
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(same >= 300, "{same}");
}

#[test]
fn every_open_error_was_seen_on_a_device() {
    let root = workspace_root();
    let text = std::fs::read_to_string(root.join("reference-traces/gpu/open-h100.csv")).expect("the table");
    let rows = table::read(&text);
    let (mut seen, mut unseen) = (0, Vec::new());
    for entry in std::fs::read_dir(root.join("corpus/ptxas-open")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "ptx") {
            continue;
        }
        let name = format!("ptxas-open/{}", path.file_stem().expect("a name").to_string_lossy());
        let of = |maker: &str, agrees: bool| {
            let mut mine = rows.iter().filter(|r| r.program == name && r.agrees == agrees);
            mine.any(|r| r.makers.iter().any(|m| m.starts_with(maker)))
        };
        match of("ptxas", false) && of("ours", true) && !of("ours", false) {
            true => seen += 1,
            false => unseen.push(name),
        }
    }
    eprintln!("{seen} errors of ptxas were seen on a device, where our code does what it should");
    assert!(unseen.is_empty(), "{unseen:?}");
    assert!(seen >= 31, "{seen}");
}
