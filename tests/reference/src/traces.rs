//! Reading `reference-traces/`: what NVIDIA's tools made of the corpus, recorded by `cargo xtask record`.

use flate2::read::GzDecoder;
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

fn unpack(root: &Path, set: &str, name: &str, kind: &str) -> Option<Vec<u8>> {
    let path = root.join("reference-traces").join(set).join("sm_90").join(format!("{name}.{kind}.gz"));
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).ok()?).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
