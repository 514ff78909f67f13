//! Lines of the source between the instructions, as `nvdisasm -g` and `-gi` print them.

use flate2::read::GzDecoder;
use sassafras::listing::{Look, Source, chip, listing};
use sassafras_cubin::elf;
use sassafras_emit::line_table::lines;
use std::io::Read;
use std::path::Path;

fn recorded(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lines").join(format!("{name}.gz"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    bytes
}

const CUBINS: [&str; 5] =
    ["11.8.89.sm_80", "12.9.86.sm_90", "13.0.88.sm_75", "13.0.88.sm_90", "13.0.88.sm_120"];

#[test]
fn lines_are_nvdisasms() {
    for name in CUBINS {
        let bytes = recorded(&format!("{name}.cubin"));
        let image = elf::read(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let chip = chip(&image).expect("a chip of the table");
        for (kind, source) in [("g", Source::Lines), ("gi", Source::Inlined)] {
            let theirs = String::from_utf8(recorded(&format!("{name}.{kind}.txt"))).expect("text");
            assert!(theirs.matches("//## File").count() > 50, "{name}: lines are recorded");
            let look = Look { source, ..Look::default() };
            let ours = listing(&image, chip, look).unwrap_or_else(|e| panic!("{name}: {e}")).text;
            let place = ours.lines().zip(theirs.lines()).enumerate().find(|(_, (a, b))| a != b);
            assert!(ours == theirs, "{name} -{kind}: {place:#?}");
        }
    }
}

/// A line table that is cut or changed gives an error or other lines, and no panic.
#[test]
fn broken_tables_are_errors() {
    let good = elf::read(&recorded("13.0.88.sm_90.cubin")).expect("it reads");
    let index = good.section(".debug_line").expect("it has lines");
    let table = good.sections[index].bytes().to_vec();
    let mut refused = 0;
    for at in 0..table.len() {
        for value in [0, 0x7f, 0xff, table[at] ^ 1] {
            let mut image = good.clone();
            let mut bytes = table.clone();
            bytes[at] = value;
            image.sections[index].data = elf::Data::Bytes(bytes);
            refused += usize::from(lines(&image).is_err());
        }
        let mut image = good.clone();
        image.sections[index].data = elf::Data::Bytes(table[..at].to_vec());
        refused += usize::from(lines(&image).is_err());
    }
    assert!(refused > 50, "{refused} tables were refused");
}
