//! Every fault finds places in the corpus, and the judge sees each.

use crate::collect::{Kept, corpus, forms};
use crate::{plant_cubin, plant_machine, plant_words};
use sassafras_check::{Verdict, cubin, encode, ir, machine};
use sassafras_machine::Phase;

/// How a fault is made; false where it finds no place.
#[derive(Clone, Copy)]
pub enum Make {
    Ir(fn(&mut sassafras_ir::Module) -> bool),
    Machine(Phase, fn(&mut sassafras_machine::Function) -> bool),
    Words(fn(&sassafras_machine::Function, &mut [u128]) -> bool),
    Cubin(fn(&mut sassafras_cubin::Cubin) -> bool),
}

fn objected(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Objected(_))
}

/// What the judge says of the form with the fault in it; none where it finds no place.
fn judged(make: Make, form: &Kept, made: &[cubin::Made]) -> Option<Verdict> {
    match (make, form) {
        (Make::Ir(make), Kept::Ir(module)) => {
            let mut module = module.clone();
            make(&mut module).then(|| ir::check(&module))
        }
        (Make::Machine(phase, make), Kept::Machine(f)) if f.phase == phase => {
            let mut f = f.clone();
            make(&mut f).then(|| machine::check(&f))
        }
        (Make::Words(make), Kept::Words(f, routines, words)) => {
            let mut words = words.clone();
            make(f, &mut words).then(|| encode::check(f, routines, &words, f.chip))
        }
        (Make::Cubin(make), Kept::Cubin(cubin)) => {
            let mut cubin = cubin.clone();
            make(&mut cubin).then(|| cubin::check(&cubin, made))
        }
        _ => None,
    }
}

#[test]
fn each_is_caught_wherever_it_is_planted() {
    let of_ir: Vec<_> = ir::plant::FAULTS.iter().map(|&(name, make)| (name, "ir", Make::Ir(make))).collect();
    let all: Vec<(&str, &str, Make)> =
        [&of_ir[..], plant_machine::FAULTS, plant_words::FAULTS, plant_cubin::FAULTS].concat();
    let mut counts = vec![(0, 0); all.len()];
    let mut missed = Vec::new();
    for (name, text) in corpus() {
        let Ok(forms) = forms(&text, &name) else { continue };
        let mut made = Vec::new();
        for (stage, form) in &forms {
            if let Kept::Words(f, _, words) = form {
                made.push(cubin::Made::of(f, words));
            }
            for (&(fault, _, make), count) in all.iter().zip(&mut counts) {
                let Some(verdict) = judged(make, form, &made) else { continue };
                count.0 += 1;
                count.1 += usize::from(objected(&verdict));
                if !objected(&verdict) {
                    missed.push(format!("{fault} in {name} after {stage}"));
                }
            }
        }
    }
    eprintln!("{:24} {:10} {:>7} {:>7}", "fault", "judge", "planted", "caught");
    for ((fault, judge, _), (planted, caught)) in all.iter().zip(&counts) {
        eprintln!("{fault:24} {judge:10} {planted:7} {caught:7}");
        sassafras_oracle::fault::planted(judge, &"sm_90", fault, *planted, *caught);
    }
    let idle: Vec<&str> = all.iter().zip(&counts).filter(|(_, c)| c.0 == 0).map(|(f, _)| f.0).collect();
    assert!(idle.is_empty(), "found no place: {idle:?}");
    assert!(missed.is_empty(), "{} not caught:\n{}", missed.len(), missed[..missed.len().min(20)].join("\n"));
}

/// A branch that was turned round and kept its condition is seen against the function before.
#[test]
fn the_sense_of_branches_is_kept() {
    let mut planted = 0;
    for (name, text) in corpus() {
        let Ok(forms) = forms(&text, &name) else { continue };
        let placed = forms.iter().filter_map(|(stage, form)| match form {
            Kept::Machine(f) if *stage == sassafras_driver::Stage::Layout => Some(f),
            _ => None,
        });
        for f in placed {
            let mut wrong = f.clone();
            let mut turned = wrong
                .layout
                .clone()
                .into_iter()
                .flat_map(|b| (0..f.blocks[b].insts.len()).map(move |i| (b, i)));
            let place = turned.find(|&(b, i)| {
                let inst = &f.blocks[b].insts[i];
                let branch = inst.target.is_some() && inst.inst().is_some_and(|x| !x.guard.is_always());
                let ends =
                    f.blocks[b].succs.len() == 2 && f.blocks[b].succs[0].block != f.blocks[b].succs[1].block;
                branch && ends
            });
            let Some((b, i)) = place else { continue };
            let Some(inst) = wrong.blocks[b].insts[i].inst_mut() else { continue };
            inst.guard.negate ^= true;
            planted += 1;
            assert!(objected(&machine::check_placement(f, &wrong)), "{name}");
        }
    }
    eprintln!("branch-not-inverted: {planted} planted, all caught");
    assert!(planted > 20);
}
