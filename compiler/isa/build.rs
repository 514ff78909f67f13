//! Turns the rows of `src/table` into constant data: macros put in, shapes spread, opcodes and names indexed. What a row
//! means is read when the form is first used.

#[path = "src/notation/lines.rs"]
mod lines;

use lines::Row;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The files of rows, in the order of the forms.
const FILES: &[&str] = &[
    "integer",
    "variable",
    "uniform",
    "float",
    "convert",
    "half",
    "memory",
    "control",
    "matrix",
    "ampere",
    "ampere_half",
    "turing",
    "blackwell",
    "extra",
    "rare",
    "surface",
    "texture",
    "warpgroup",
    "bulk",
    "blackwell_arithmetic",
    "blackwell_async",
    "blackwell_matrix",
    "blackwell_memory",
    "blackwell_rtx",
];

/// As the crate's own, without its libraries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotationError {
    /// The row's ID.
    pub row: String,
    /// What is wrong.
    pub message: String,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/notation/lines.rs");
    println!("cargo::rerun-if-changed=src/table");
    match data() {
        Ok(text) => {
            let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
            std::fs::write(Path::new(&out).join("rows.rs"), text).expect("cargo's folder can be written");
        }
        Err(why) => println!("cargo::error={}", why.to_string().replace('\n', " ")),
    }
}

/// FNV-1a of a row's text: what was found out about a row holds as long as the row stays as it is.
fn mark(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn data() -> Result<String, Box<dyn std::error::Error>> {
    let folder = Path::new("src/table");
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "tbl") && !FILES.contains(&stem.as_str()) {
            return Err(format!("{} is not in the list of build.rs", path.display()).into());
        }
    }
    let mut rows = Vec::new();
    for file in FILES {
        let path = folder.join(format!("{file}.tbl"));
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        rows.extend(lines::rows(&text).map_err(|e| format!("{}: {}: {}", path.display(), e.row, e.message))?);
    }
    let mut out = format!("/// How many forms there are.\npub const COUNT: usize = {};\n", rows.len());
    let mut opcodes = vec![Vec::new(); 4096];
    let (mut names, mut mnemonics) = (BTreeMap::new(), BTreeMap::<&str, Vec<usize>>::new());
    let mut families = BTreeMap::<String, Vec<usize>>::new();
    out.push_str("/// Every row.\npub static ROWS: &[StaticRow] = &[\n");
    for (i, row) in rows.iter().enumerate() {
        let Row { id, chips, opcode, fixed, syntax, aliases, attributes } = row;
        let target = syntax.contains("<pc") || aliases.iter().any(|a| a.1.contains("<pc"));
        let _ = writeln!(
            out,
            "    StaticRow {{ id: {id:?}, chips: {chips:?}, opcode: {opcode}, fixed: &{fixed:?}, syntax: {syntax:?}, \
             aliases: &{aliases:?}, attributes: &{attributes:?}, target: {target}, mark: {:#010x} }},",
            mark(&format!("{row:?}"))
        );
        opcodes.get_mut(usize::from(*opcode)).ok_or_else(|| format!("{id}: the opcode has 12 bits"))?.push(i);
        if names.insert(id.as_str(), i).is_some() {
            return Err(format!("two rows are called `{id}`").into());
        }
        families.entry(row.family()).or_default().push(i);
        let mnemonic = syntax.split(['.', ' ', '<', '{', '}']).next().unwrap_or_default();
        mnemonics.entry(mnemonic).or_default().push(i);
    }
    out.push_str(
        "];\n/// Where the forms of an opcode begin in `BY_OPCODE`.\npub static OPCODES: [u16; 4097] = [",
    );
    let mut all = Vec::new();
    for list in &opcodes {
        let _ = write!(out, "{}, ", all.len());
        all.extend(list);
    }
    let ids = |list: &[usize]| list.iter().map(|i| format!("FormId({i})")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        out,
        "{}];\n/// Forms by opcode.\npub static BY_OPCODE: &[FormId] = &[{}];",
        all.len(),
        ids(&all)
    );
    let _ = writeln!(out, "/// Forms by name, sorted.\npub static NAMES: &[(&str, FormId)] = &[");
    for (name, i) in &names {
        let _ = writeln!(out, "    ({name:?}, FormId({i})),");
    }
    let _ =
        writeln!(out, "];\n/// Forms by mnemonic, sorted.\npub static MNEMONICS: &[(&str, &[FormId])] = &[");
    for (name, list) in &mnemonics {
        let _ = writeln!(out, "    ({name:?}, &[{}]),", ids(list));
    }
    let _ = writeln!(out, "];\n/// Forms by family, sorted.\npub static FAMILIES: &[(&str, &[FormId])] = &[");
    for (name, list) in &families {
        let _ = writeln!(out, "    ({name:?}, &[{}]),", ids(list));
    }
    out.push_str("];\n");
    Ok(out)
}
