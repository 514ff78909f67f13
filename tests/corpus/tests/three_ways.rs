//! Instructions that are younger than the matrices' reports: each form alone, executed as PTX, as our code, and as ptxas's. Three that agree on
//! words of all kinds are three readings of the PTX ISA, of which none was made from another.

mod forms;

use forms::{Fate, against, first_line, launch, prepared, sources};
use sassafras_chip::{Chip, Features, Target};
use sassafras_driver::options::{Arch, Options};
use sassafras_driver::session;
use sassafras_generate::exercise::{self, Exercise};

const VERSION: &str = "13.0.88";
const NAME: &str = "young_forms_mean_the_same_three_ways";

/// What a form's text begins with, what it has besides, and on which chips it is tried.
const FORMS: [(&str, &str, &[Chip]); 17] = [
    ("ld.", ".v8.", &[Chip::Sm100, Chip::Sm120]),
    ("st.", ".v8.", &[Chip::Sm100, Chip::Sm120]),
    ("ld.", ".v4.b64", &[Chip::Sm100, Chip::Sm120]),
    ("ld.", ".v4.f64", &[Chip::Sm100]),
    ("st.", ".v4.u64", &[Chip::Sm100, Chip::Sm120]),
    ("ld.", ".L2::cache_hint.b128", &[Chip::Sm90]),
    ("cvt.", ".ftz.bf16.f32", &[Chip::Sm80, Chip::Sm90, Chip::Sm120]),
    ("cvt.", ".f32.bf16", &[Chip::Sm80, Chip::Sm90, Chip::Sm120]),
    ("cvt.", ".f64.bf16", &[Chip::Sm90, Chip::Sm100]),
    ("cvt.", ".f16.bf16", &[Chip::Sm90, Chip::Sm120]),
    ("cvt.", ".bf16.f16", &[Chip::Sm90, Chip::Sm120]),
    ("set.", ".f16.s32", &[Chip::Sm80, Chip::Sm90]),
    ("set.", ".f16.f32", &[Chip::Sm80, Chip::Sm120]),
    ("set.", ".bf16.", &[Chip::Sm90, Chip::Sm120]),
    ("red.", "L2::cache_hint.v4.f32", &[Chip::Sm90]),
    ("wmma.", "m8n8k32", &[Chip::Sm80]),
    ("redux.sync", ".f32", &[Chip::Sm100]),
];

/// Most kernels of one row of [`FORMS`] on a chip.
const MOST: usize = 12;

fn ours(text: &str, target: Target) -> anyhow::Result<sassafras_cubin::Cubin> {
    let options = Options { arch: Some(Arch::Real(target)), jobs: 1, ..Options::default() };
    let made = session::compile(text, "three", &options, None, &sassafras::judges::Judges::default());
    made?.cubin.map(|(cubin, _)| cubin).ok_or_else(|| anyhow::anyhow!("no cubin"))
}

#[test]
fn young_forms_mean_the_same_three_ways() {
    let ptxas = sassafras_oracle::Tools::here().ptxas(VERSION);
    if let Err(why) = &ptxas {
        sassafras_oracle::skip(NAME, why);
    }
    let every: Vec<Exercise> = exercise::all().iter().filter(|e| e.row.is_some()).map(prepared).collect();
    let (mut wrong, mut counts) = (Vec::new(), [0; 2]);
    for (start, has, chips) in FORMS {
        let bare = |e: &Exercise| match e.line.starts_with('@') {
            true => e.line.split_once(' ').map_or(String::new(), |(_, rest)| rest.to_owned()),
            false => e.line.clone(),
        };
        let fits = |e: &&Exercise| {
            let mnemonic = bare(e).split(' ').next().unwrap_or_default().to_owned() + ".";
            mnemonic.starts_with(start) && mnemonic.contains(&format!("{has}.").replace("..", "."))
        };
        let all: Vec<&Exercise> = every.iter().filter(fits).collect();
        let mut tried = 0;
        for &chip in chips {
            for e in all.iter().step_by(all.len().div_ceil(MOST).max(1)) {
                let target = match e.need.features {
                    Features::Base => Target::base(chip),
                    _ => exercise::target(chip),
                };
                let text = exercise::module(target, [*e]);
                let Ok(module) = sassafras_ptx::load(&text, "three") else { continue };
                let launch = launch(&module, &e.entry);
                let expected = sources(&module, &e.entry, &launch);
                // Addresses and masks that the source may not have.
                if expected.is_err() {
                    continue;
                }
                tried += 1;
                let mut say = |who: &str, fate: Fate| {
                    if fate != Fate::Agrees {
                        wrong.push(format!("{chip:?} {}: {who}: {fate:?}", e.id));
                    }
                };
                match ours(&text, target) {
                    Ok(cubin) => say("ours", against(&expected, &cubin, e, &launch, true)),
                    Err(why) => say("ours", Fate::Refused(first_line(&why))),
                }
                counts[0] += 1;
                let Ok(ptxas) = &ptxas else { continue };
                match ptxas.compile_text(&text, &target.to_string(), &[]) {
                    Ok((bytes, _)) => {
                        let cubin = sassafras_cubin::read(&bytes).expect("ptxas writes cubins");
                        say("ptxas", against(&expected, &cubin, e, &launch, false));
                        counts[1] += 1;
                    }
                    Err(why) => say("ptxas", Fate::Refused(first_line(&why))),
                }
            }
        }
        assert!(tried > 0, "no form begins with {start} and has {has}");
    }
    assert!(wrong.is_empty(), "{} of {counts:?}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(counts[0] > 250, "{counts:?}");
    eprintln!("{counts:?} kernels of ours and of ptxas agree with the source");
}
