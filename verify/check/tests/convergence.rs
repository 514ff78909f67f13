//! Convergence barriers on random graphs, reducible or not: what the placement makes, the judge of P1 and P2 accepts.

use proptest::prelude::*;
use sassafras_check::machine;
use sassafras_codegen as codegen;
use sassafras_machine::text;

/// A function of one branch or jump for each block: `succs[b]` of block `b`, one to two each; none ends the thread.
/// `work` says which blocks do something besides.
fn function(succs: &[Vec<usize>], work: &[bool], uniform: &[bool]) -> String {
    let names: Vec<String> = (0..succs.len()).map(|b| format!("b{b}")).collect();
    let mut out = format!(
        "sassafras machine 1 allocated sm_90\nfunction \"k\"\nentry b0\nlayout {}\nframe local 0 spill 0\nshared 0\n\
         params 0\nregisters 253\n",
        names.join(" ")
    );
    for (b, ways) in succs.iter().enumerate() {
        out += &format!("b{b}():\n");
        if work[b] {
            out += "  mov.i d=R0 b=0x1\n";
        }
        match ways[..] {
            [] => out += "  exit\n",
            [to] => out += &format!("  -> b{to}()\n"),
            [a, b, ..] => {
                let mark = if uniform[a] { " ; uniform" } else { "" };
                out += &format!("  @P0 bra ; target b{a}{mark}\n  -> b{a}(), b{b}()\n");
            }
        }
    }
    out
}

/// Compiles the placement and asks the judge; the number of barriers.
fn judged(
    succs: &[Vec<usize>],
    work: &[bool],
    uniform: &[bool],
) -> Result<usize, Box<dyn std::error::Error>> {
    let source = function(succs, work, uniform);
    let mut f = text::parse(&source).map_err(|error| format!("{error}\n{source}"))?;
    f.remove_unreachable();
    let stats = codegen::converge(&mut f)?;
    let converged = text::print(&f);
    codegen::layout(&mut f)?;
    let verdict = machine::check(&f);
    let found: Vec<String> = verdict
        .objections()
        .iter()
        .filter(|x| x.rule.starts_with("converge"))
        .map(ToString::to_string)
        .collect();
    if found.is_empty() {
        Ok(stats.placed)
    } else {
        Err(format!("{}\n{source}\n{converged}", found.join("\n")).into())
    }
}

fn graph(blocks: usize) -> impl Strategy<Value = (Vec<Vec<usize>>, Vec<bool>, Vec<bool>)> {
    let ways = prop::collection::vec(prop::collection::vec(1..blocks, 0..=2), blocks);
    let flags = || prop::collection::vec(any::<bool>(), blocks);
    (ways, flags(), flags()).prop_map(|(mut succs, work, uniform)| {
        let last = succs.len() - 1;
        for (b, ways) in succs.iter_mut().enumerate() {
            // One way forward keeps most blocks reached; both ways to one block are no branch.
            if b < last {
                ways.insert(0, b + 1);
                ways.truncate(2);
            }
            ways.dedup();
        }
        (succs, work, uniform)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]
    #[test]
    fn small((succs, work, uniform) in (3usize..9).prop_flat_map(graph)) {
        if let Err(why) = judged(&succs, &work, &uniform) {
            prop_assert!(false, "{}", why);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]
    #[test]
    fn large((succs, work, uniform) in (9usize..30).prop_flat_map(graph)) {
        if let Err(why) = judged(&succs, &work, &uniform) {
            prop_assert!(false, "{}", why);
        }
    }
}

/// Loop with a fall-through switch and a `continue`; loop with two entries: each has its meeting places.
#[test]
fn switches_in_loops_and_loops_with_two_entries() {
    // 1: loop head; 2..5: cases 0 to 3, of which 3 continues; 6 → 7 → 8: cases that fall through; 9: bottom; 10: behind.
    let switch: Vec<Vec<usize>> = vec![
        vec![1],
        vec![6, 2],
        vec![7, 3],
        vec![8, 4],
        vec![9, 5],
        vec![10, 8],
        vec![7],
        vec![8],
        vec![9],
        vec![1, 10],
        vec![11],
        vec![],
    ];
    let placed = judged(&switch, &[true; 12], &[false; 12]).unwrap_or_else(|why| panic!("{why}"));
    assert!(placed >= 2, "{placed} barriers");
    let entries: Vec<Vec<usize>> = vec![vec![2, 1], vec![2, 3], vec![1, 3], vec![4], vec![]];
    let placed = judged(&entries, &[true; 5], &[false; 5]).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(placed, 1, "one barrier behind the loop");
}
