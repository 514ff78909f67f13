//! What `Lanes` says of lanes, against the executor's groups, on random code: what it says is together is together in every order, and what it says ends, ends.

#![allow(missing_docs)]

mod graph;
mod holes;
mod maker;
mod patterns;
mod run;
mod uniform;
mod watch;

use run::{said, shows};
use watch::Wrong;

/// Orders of the executor: all that differ by more than a seed, and some more.
const ORDERS: u32 = 10;

/// So many wrong ones say enough, or as many as `SASSAFRAS_ENOUGH` says.
const ENOUGH: u64 = 10;

/// What was looked at.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Programs that are not followed.
    unknown: u64,
    /// Places at which all lanes are said to be together.
    together: u64,
    /// Operations across lanes of which it is said whose they are.
    asked: u64,
    /// Reads of registers of the warp that are said to find what lanes wrote elsewhere in the code.
    reads: u64,
    /// Programs of which a loop is gone through once.
    cut: u64,
    /// Programs that are said to end.
    ends: u64,
    wrong: u64,
}

fn look(seeds: std::ops::Range<u64>) -> Tally {
    let enough = std::env::var("SASSAFRAS_ENOUGH").map_or(ENOUGH, |n| n.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in seeds {
        let program = graph::program(seed);
        tally.programs += 1;
        let said = match said(&program, (seed / 8).is_multiple_of(2)) {
            Ok(said) => said,
            Err(_) => {
                tally.unknown += 1;
                continue;
            }
        };
        tally.together += said.together.len() as u64;
        tally.reads += said.reads.len() as u64;
        tally.cut += u64::from(said.cut);
        tally.asked += said.asked.len() as u64;
        tally.ends += u64::from(said.ends && program.waits_for_none);
        for order in 0..ORDERS {
            if let Some(wrong) = shows(&program, &said, order, seed.wrapping_add(order.into())) {
                tally.wrong += 1;
                let what = match wrong {
                    Wrong::Apart(at, here, wanted) => {
                        format!("{at:#06x} is executed by {here:#010x} of {wanted:#010x}")
                    }
                    Wrong::Lost(at, lane, [wanted, found]) => {
                        format!("{at:#06x} reads {found:#x} in lane {lane}, not {wanted:#x}")
                    }
                    Wrong::Waits => "lanes wait for ever".into(),
                };
                println!("seed {seed}, order {order}: {what}\n{}", program.text);
                break;
            }
        }
        if tally.wrong == enough {
            break;
        }
    }
    tally
}

fn none_is_wrong(tally: &Tally) {
    println!("{tally:?}");
    assert_eq!(tally.wrong, 0, "{tally:?}");
    assert!(tally.unknown * 2 < tally.programs, "most programs are followed: {tally:?}");
    assert!(tally.reads * 20 > tally.programs && tally.cut * 50 > tally.programs, "{tally:?}");
    assert!(tally.together > 4 * tally.programs && tally.ends * 3 > tally.programs, "{tally:?}");
}

#[test]
fn what_is_said_to_be_together_is() {
    none_is_wrong(&look(0..400));
}

/// `cargo xtask long lanes`; `SASSAFRAS_SEEDS=from-to` looks at others.
#[test]
#[ignore = "100,000 programs take minutes"]
fn what_is_said_of_many_programs_is() {
    let seeds = std::env::var("SASSAFRAS_SEEDS").ok();
    none_is_wrong(&look(seeds.as_deref().map_or(0..100_000, |text| {
        let (from, to) = text.split_once('-').expect("from-to");
        from.parse().expect("a number")..to.parse().expect("a number")
    })));
}
