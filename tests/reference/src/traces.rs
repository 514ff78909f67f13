//! Reading `reference-traces/`: what NVIDIA's tools made of the corpus, recorded by `cargo xtask record`.

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Set of tools that recorded every file of the corpus.
pub const RECORDED: &str = "13.0.88";
/// Set of tools that recorded `ptxas-errors` again, rightly.
pub const RECORDED_NEWER: &str = "13.5.37";

/// ptxas's cubin of `corpus/NAME.ptx` for sm_90, as recorded with the tools `set`; `None` when it is not recorded.
///
/// `name` is as in `kernels/vadd/vadd`, `kernels/vadd/vadd.fmad`, `features/add_s32`, `ptxas-errors/rotate64`.
pub fn cubin(root: &Path, set: &str, name: &str) -> Option<Vec<u8>> {
    unpack(root, set, name, "cubin")
}

/// The text of `nvdisasm -c` of that cubin.
pub fn sass(root: &Path, set: &str, name: &str) -> Option<String> {
    unpack(root, set, name, "sass").and_then(|b| String::from_utf8(b).ok())
}

/// The cubin of `corpus/NAME.ptx` for `chip` (as `sm_120`) by [`RECORDED`]'s tools. Chips other than sm_90 have the kernels only.
pub fn cubin_for(root: &Path, chip: &str, name: &str) -> Option<Vec<u8>> {
    read(&root.join("reference-traces").join(RECORDED).join(chip).join(format!("{name}.cubin.gz")))
}

/// The names of the kernels of `corpus/older`, for [`older`].
pub fn older_names(root: &Path) -> Vec<String> {
    stems(&root.join("corpus/older"))
}

fn stems(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        files.filter_map(|f| Some(f.file_name().to_str()?.strip_suffix(".ptx")?.to_owned())).collect();
    names.sort();
    names
}

/// The cubin of `corpus/older/NAME.ptx` by an earlier version of ptxas, for sm_75, sm_80 or sm_90, and its text by `nvdisasm -c`.
pub fn older(root: &Path, version: &str, chip: &str, name: &str) -> Option<(Vec<u8>, String)> {
    let place = root.join("reference-traces").join(version).join(chip).join("older");
    let cubin = read(&place.join(format!("{name}.cubin.gz")))?;
    let text = read(&place.join(format!("{name}.sass.gz")))?;
    Some((cubin, String::from_utf8(text).ok()?))
}

/// The names of the programs of `corpus/toolkits`, for [`toolkit`].
pub fn toolkit_names(root: &Path) -> Vec<String> {
    stems(&root.join("corpus/toolkits"))
}

/// The cubin of `corpus/toolkits/NAME.ptx` by a version of ptxas, for sm_90, sm_75 (before 12.8) or sm_120 (from 12.8 on), and its text by `nvdisasm -c`.
pub fn toolkit(root: &Path, version: &str, chip: &str, name: &str) -> Option<(Vec<u8>, String)> {
    let place = root.join("reference-traces").join(version).join(chip).join("toolkits");
    let cubin = read(&place.join(format!("{name}.cubin.gz")))?;
    let text = read(&place.join(format!("{name}.sass.gz")))?;
    Some((cubin, String::from_utf8(text).ok()?))
}

/// The text of `nvdisasm -c` of that cubin.
pub fn sass_for(root: &Path, chip: &str, name: &str) -> Option<String> {
    let bytes =
        read(&root.join("reference-traces").join(RECORDED).join(chip).join(format!("{name}.sass.gz")))?;
    String::from_utf8(bytes).ok()
}

/// A word of ptxas, and nvdisasm's text of it at [`Word::address`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The 128 bits.
    pub bits: u128,
    /// The text without the semicolon; `None` where nvdisasm refuses the word.
    pub text: Option<String>,
    /// Where the text has the word, in bytes: branches name targets by address.
    pub address: u64,
}

/// How many words ptxas made for each chip, by its number: those of which [`words`] gives the distinct ones.
pub fn totals(root: &Path) -> BTreeMap<u32, usize> {
    let path = root.join("reference-traces").join(RECORDED).join("words.csv");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| line.split_once(',').and_then(|(c, n)| Some((c.parse().ok()?, n.parse().ok()?)));
    text.lines().filter_map(line).collect()
}

/// The distinct words that ptxas made for `chip` (as `sm_120`) of generated PTX and of the corpus.
pub fn words(root: &Path, chip: &str) -> Option<Vec<Word>> {
    let bytes = read(&root.join("reference-traces").join(RECORDED).join(chip).join("words.gz"))?;
    let text = String::from_utf8(bytes).ok()?;
    let word = |(i, line): (usize, &str)| {
        let (bits, text) = line.split_once(' ')?;
        let bits = u128::from_str_radix(bits, 16).ok()?;
        let text = (text != "-").then(|| text.to_owned());
        Some(Word { bits, text, address: 16 * (i as u64 % 20_000) })
    };
    text.lines().enumerate().map(word).collect()
}

/// Names of the recorded cubins of `chip`, as [`cubin_for`] takes them.
pub fn names(root: &Path, chip: &str) -> Vec<String> {
    let folder = root.join("reference-traces").join(RECORDED).join(chip);
    let mut found = Vec::new();
    let mut open = vec![folder.clone()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
            match name.strip_suffix(".cubin.gz") {
                Some(name) => found.push(name.to_owned()),
                None if path.is_dir() => open.push(path),
                None => {}
            }
        }
    }
    found.sort();
    found
}

fn unpack(root: &Path, set: &str, name: &str, kind: &str) -> Option<Vec<u8>> {
    read(&root.join("reference-traces").join(set).join("sm_90").join(format!("{name}.{kind}.gz")))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
