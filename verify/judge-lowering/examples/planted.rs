//! Plants each fault of lowering into the programs of a folder: `planted FOLDER [SEEDS]`. Prints for each fault in how many places it was planted,
//! in how many of them the judge objects, and the programs in which it does.

use sassafras_driver::Stage;
use sassafras_driver::plant::{faults, named};
use sassafras_judge_lowering::{Finding, judge};

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "corpus/features".into());
    let seeds: u64 = words.next().and_then(|w| w.parse().ok()).unwrap_or(1);
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    let load = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        let name = path.file_stem()?.to_str()?.to_owned();
        let ptx = sassafras_ptx::load(&text, &name).ok()?;
        let ir = sassafras_lower::lower(&ptx, &sassafras_lower::Options::default()).ok()?;
        Some((name, ptx, ir))
    };
    let programs: Vec<_> = files.iter().filter_map(load).collect();
    for fault in faults().iter().filter(|f| f.stage == Stage::Lower) {
        let (mut planted, mut seen, mut earlier, mut caught) = (0, 0, 0, Vec::new());
        for (name, ptx, ir) in &programs {
            for seed in 0..seeds {
                let Ok(plant) = named(&format!("{}:{seed}", fault.name)) else { continue };
                let mut wrong = ir.clone();
                if !plant.in_ir(&mut wrong) {
                    continue;
                }
                planted += 1;
                earlier += u32::from(sassafras_check::ir::check(&wrong) != sassafras_check::Verdict::Passed);
                let objects = |f: &sassafras_ir::Function| {
                    matches!(judge(ptx, &wrong, &f.name), Some(Finding::Differs(_)))
                };
                if wrong.functions.iter().any(objects) {
                    seen += 1;
                    caught.push(name.as_str());
                }
            }
        }
        caught.dedup();
        let some = caught.iter().take(8).copied().collect::<Vec<_>>().join(" ");
        println!(
            "{:20} planted {planted:4} objected {seen:4} by an earlier judge {earlier:3}  {some}",
            fault.name
        );
    }
}
