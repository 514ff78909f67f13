//! What there is to run.

use anyhow::{Result, anyhow, bail};
use sassafras_reference::{self as reference, Compare, Launch, Param, traces};
use std::collections::BTreeMap;
use std::path::Path;

/// A program of the corpus with its launches.
#[derive(Clone, Debug)]
pub struct Program {
    /// `kernels/vadd/vadd`, `kernels/vadd/vadd.fmad`, `features/add_s32`.
    pub name: String,
    /// The PTX text.
    pub text: String,
    /// All launches: shapes by seeds.
    pub launches: Vec<Launch>,
    /// Expected results come from `reference(kernel, launch)`; none for features and contracted kernels.
    pub reference: Option<String>,
    /// Products and sums may have been contracted differently on both sides: outputs are not compared bit by bit with a reference.
    pub contracted: bool,
    /// It uses approximate functions.
    pub approximate: bool,
    /// How far two executions may differ because of them, from `approximate.toml`.
    pub tolerance: Option<Tolerance>,
}

/// How far two executions of one feature may differ, each being within the bound of an approximate function.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Type of the values that the feature writes.
    #[serde(rename = "type")]
    pub ty: reference::Type,
    /// Units in the last place, both sides together.
    pub ulp: u64,
    /// The instruction, and the bound that the PTX ISA gives it.
    pub because: String,
}

impl Program {
    /// Index among the launch's buffers, comparison and type of each output.
    pub fn outputs(&self, launch: &Launch) -> Vec<(usize, Compare, reference::Type)> {
        let buffers = launch.params.iter().filter_map(|p| match p {
            Param::Buffer(b) => Some(b),
            Param::Scalar(_) => None,
        });
        buffers.enumerate().filter_map(|(i, b)| Some((i, b.output.clone()?, b.data.ty()))).collect()
    }

    /// ptxas's recorded cubin.
    pub fn recorded(&self, root: &Path) -> Option<Vec<u8>> {
        traces::cubin(root, traces::RECORDED, &self.name)
    }
}

/// Every kernel, every contracted kernel, every feature.
///
/// # Errors
/// When a file of the corpus cannot be read.
pub fn programs(root: &Path) -> Result<Vec<Program>> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| anyhow!("{}: {e}", path.display()));
    let mut all = Vec::new();
    for kernel in reference::kernels(root)? {
        let launches = kernel.spec.launches()?;
        let approximate = launches
            .iter()
            .flat_map(|l| &l.params)
            .any(|p| matches!(p, Param::Buffer(b) if matches!(b.output, Some(Compare::Ulp { .. }))));
        let name = &kernel.name;
        all.push(Program {
            name: format!("kernels/{name}/{name}"),
            text: read(&kernel.ptx)?,
            launches: launches.clone(),
            reference: Some(name.clone()),
            contracted: false,
            approximate,
            tolerance: None,
        });
        all.push(Program {
            name: format!("kernels/{name}/{name}.fmad"),
            text: read(&kernel.fmad_ptx)?,
            launches,
            reference: None,
            contracted: true,
            approximate,
            tolerance: None,
        });
    }
    let path = root.join("tests/corpus/approximate.toml");
    let mut tolerances: BTreeMap<String, Tolerance> = toml::from_str(&read(&path)?)?;
    let spec = reference::feature_spec(root)?;
    for feature in reference::features(root)? {
        all.push(Program {
            name: format!("features/{}", feature.name),
            text: read(&feature.ptx)?,
            launches: spec.launches()?,
            reference: None,
            contracted: false,
            approximate: !feature.approx.is_empty(),
            tolerance: tolerances.remove(&feature.name),
        });
    }
    match tolerances.keys().next() {
        Some(name) => bail!("{}: there is no feature `{name}`", path.display()),
        None => Ok(all),
    }
}
