//! `sassafras-gpu OURS PTXAS OUT.json`: two folders of cubins named after the kernels of the corpus; either may be `-`.

use anyhow::{Context, Result, bail};
use sassafras_gpu::{cuda::Cuda, session};
use sassafras_reference::{kernels, workspace_root};
use std::path::Path;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [ours, ptxas, out] = &args[..] else { bail!("usage: sassafras-gpu OURS PTXAS OUT.json") };
    let root = std::env::var_os("SASSAFRAS_ROOT").map_or_else(workspace_root, Into::into);
    let cuda = Cuda::open()?;
    let device = cuda.device_name()?;
    let (mut records, mut disagree) = (Vec::new(), 0);
    for kernel in kernels(&root)? {
        for (maker, folder) in [("ours", ours), ("ptxas", ptxas)] {
            let path = Path::new(folder).join(format!("{}.cubin", kernel.name));
            if folder == "-" || !path.exists() {
                continue;
            }
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            match session::run(&cuda, &kernel, maker, &bytes) {
                Ok(list) => {
                    disagree += list.iter().filter(|r| r.verdict != "agrees").count();
                    records.extend(list);
                }
                Err(e) => {
                    disagree += 1;
                    eprintln!("{} of {maker}: {e:#}", kernel.name);
                }
            }
        }
    }
    let json = serde_json::json!({ "schema": 1, "device": device, "records": records });
    std::fs::write(out, serde_json::to_string_pretty(&json)?)?;
    println!("{} launches on {device}, {disagree} that do not agree", records.len());
    if records.is_empty() || disagree > 0 {
        bail!("not everything agrees");
    }
    Ok(())
}
