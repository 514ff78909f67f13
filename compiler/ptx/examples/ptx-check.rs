//! Checks PTX files: `cargo run -p sassafras-ptx --example ptx-check -- a.ptx b.ptx`.

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        match sassafras_ptx::load(&text, &path) {
            Ok(module) => {
                let count: usize =
                    module.functions.iter().filter_map(|f| f.insts.as_ref()).map(Vec::len).sum();
                println!("{path}: ok, {count} instructions");
            }
            Err(diagnostics) => println!("{diagnostics}{path}: exit {}", diagnostics.exit_code()),
        }
    }
}
