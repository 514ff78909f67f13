//! Plants each fault of lowering into the programs of a folder: `planted FOLDER [SEEDS [why]]`. Prints for each fault in how many places it was
//! planted, in how many of them the judge objects, and some of the programs in which it does and does not; last what the judge compares and how long
//! it takes without a fault. With `why`, what it says where it does not object.

use sassafras_driver::Stage;
use sassafras_driver::plant::{Fault, faults, named};
use sassafras_judge_lowering::{Finding, judge, reasons};
use std::collections::BTreeMap;
use std::time::Instant;

type Program = (String, sassafras_ptx::checked::Module, sassafras_ir::Module);

fn load(path: &std::path::PathBuf) -> Option<Program> {
    let text = std::fs::read_to_string(path).ok()?;
    let name = path.file_stem()?.to_str()?.to_owned();
    let ptx = sassafras_ptx::load(&text, &name).ok()?;
    let ir = sassafras_lower::lower(&ptx, &sassafras_lower::Options::default()).ok()?;
    Some((name, ptx, ir))
}

/// Whether the judge objects to some entry, and why not.
fn objects(
    ptx: &sassafras_ptx::checked::Module,
    ir: &sassafras_ir::Module,
) -> Result<(), BTreeMap<String, u32>> {
    let mut why = BTreeMap::new();
    for found in ir.functions.iter().filter_map(|f| judge(ptx, ir, &f.name)) {
        match found {
            Finding::Differs(_) => return Ok(()),
            Finding::Same { skipped, .. } | Finding::Unknown(skipped) => why.extend(skipped),
        }
    }
    Err(why)
}

fn plant(fault: &Fault, programs: &[Program], seeds: u64, explain: bool) {
    let (mut planted, mut earlier) = (0, 0);
    let (mut caught, mut missed) = (Vec::new(), Vec::new());
    for (name, ptx, ir) in programs {
        for seed in 0..seeds {
            let Ok(plant) = named(&format!("{}:{seed}", fault.name)) else { continue };
            let mut wrong = ir.clone();
            if !plant.in_ir(&mut wrong) {
                continue;
            }
            planted += 1;
            earlier += u32::from(sassafras_check::ir::check(&wrong) != sassafras_check::Verdict::Passed);
            match objects(ptx, &wrong) {
                Ok(()) => caught.push(name.as_str()),
                Err(why) if explain => missed.push(format!("\n      {name}:{seed} {}", reasons(&why))),
                Err(_) => missed.push(format!("{name}:{seed}")),
            }
        }
    }
    let seen = caught.len();
    caught.dedup();
    println!("{:20} planted {planted:4} objected {seen:4} by an earlier judge {earlier:3}", fault.name);
    println!("    {}", caught[..caught.len().min(12)].join(" "));
    println!("    missed {}", missed[..missed.len().min(24)].join(" "));
}

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "corpus/features".into());
    let seeds: u64 = words.next().and_then(|w| w.parse().ok()).unwrap_or(1);
    let explain = words.next().is_some_and(|w| w == "why");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let programs: Vec<Program> = files.iter().filter_map(load).collect();
    for fault in faults().iter().filter(|f| f.stage == Stage::Lower) {
        plant(fault, &programs, seeds, explain);
    }
    let start = Instant::now();
    let (mut entries, mut launches, mut none) = (0u32, 0, 0);
    for (_, ptx, ir) in &programs {
        for f in &ir.functions {
            let Some(found) = judge(ptx, ir, &f.name) else { continue };
            entries += 1;
            match found {
                Finding::Same { compared, skipped } => {
                    launches += compared;
                    if explain {
                        println!("{}: {compared} compared; {}", f.name, reasons(&skipped));
                    }
                }
                Finding::Unknown(why) => {
                    none += 1;
                    println!("{}: nothing compared: {}", f.name, reasons(&why));
                }
                Finding::Differs(found) => println!("{} differs: {found}", f.name),
            }
        }
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / f64::from(entries.max(1));
    println!(
        "{entries} entries, {launches} launches compared, {none} entries without, {each:.2} ms an entry"
    );
}
