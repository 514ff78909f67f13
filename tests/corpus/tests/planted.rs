//! Faults that are made on purpose, as the SASS executor sees them: kernels are compiled with a fault in them and run in timing
//! mode, in several orders. Of what the judges object to at least half must change a result, poison a register, hang or trap; and
//! what no judge objects to must change nothing.

use sassafras_chip::{Chip, Target};
use sassafras_corpus::{Program, differences, prepare, programs};
use sassafras_cubin::Cubin;
use sassafras_driver::observe::{Nobody, Observer};
use sassafras_driver::options::{Arch, Options, RegisterLimit};
use sassafras_driver::{Failure as NotCompiled, Stage, Warning, plant, session};
use sassafras_execute::{Failure, Options as Run, Outcome, sass};
use std::collections::BTreeMap;

/// Lanes part and meet, and vote wherever they meet: in a branch inside a branch, and behind a loop of another length for each lane.
const MEETINGS: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)
{
    .reg .pred p, q, r, s;
    .reg .b32 i, a, b, c, d, w, x, y, z;
    .reg .b64 to, from, at;
    mov.u32 w, %ctaid.x;
    mov.u32 x, %ntid.x;
    mov.u32 y, %tid.x;
    mad.lo.u32 i, w, x, y;
    ld.param.u64 to, [out];
    ld.param.u64 from, [in];
    mul.wide.u32 at, i, 16;
    add.u64 to, to, at;
    add.u64 from, from, at;
    ld.global.v4.u32 {a, b, c, d}, [from];
    mov.u32 z, 0;
    and.b32 w, y, 1;
    setp.eq.u32 p, w, 0;
    @p bra EVEN;
    and.b32 w, y, 2;
    setp.eq.u32 q, w, 0;
    @q bra INNER;
    st.global.u32 [to], b;
    add.u32 z, z, c;
INNER:
    setp.gt.s32 r, a, 0;
    vote.sync.ballot.b32 w, r, 0xaaaaaaaa;
    add.u32 z, z, w;
    bra MEET;
EVEN:
    st.global.u32 [to+4], b;
    add.u32 z, z, d;
MEET:
    setp.gt.s32 r, b, 0;
    vote.sync.ballot.b32 w, r, 0xffffffff;
    add.u32 z, z, w;
    and.b32 x, y, 7;
TURN:
    st.global.u32 [to+8], x;
    add.u32 z, z, x;
    sub.u32 x, x, 1;
    setp.gt.s32 p, x, 0;
    @p bra TURN;
    setp.gt.s32 r, c, 0;
    vote.sync.ballot.b32 w, r, 0xffffffff;
    add.u32 z, z, w;
    st.global.v4.u32 [to], {z, w, a, b};
    ret;
}
";

/// Kernels that are small and between them have loops, divergence, votes, shared memory, spills with few registers, and frames.
const KERNELS: [(&str, Option<u32>); 9] = [
    ("meetings", None),
    ("saxpy", None),
    ("reduce", None),
    ("transpose", None),
    ("spmv", None),
    ("localarray", None),
    ("switchcase", None),
    ("wide", Some(24)),
    ("compact", None),
];

/// Interleavings.
const ORDERS: u32 = 4;

/// Seeds per fault and kernel in a test, and in the search.
const SEEDS: (u64, u64) = (1, 12);

fn compile(
    program: &Program,
    chip: Chip,
    registers: Option<u32>,
    plant: Option<String>,
    observer: &dyn Observer,
) -> Result<(Cubin, Vec<Warning>), NotCompiled> {
    let options = Options {
        arch: Some(Arch::Real(Target::base(chip))),
        jobs: 1,
        registers: registers.map(RegisterLimit::Count),
        plant,
        ..Options::default()
    };
    let made = session::compile(&program.text, &program.name, &options, None, observer)?;
    Ok((made.cubin.expect("a cubin is asked for").0, made.warnings))
}

/// Runs the first launch.
fn run(program: &Program, cubin: &Cubin, order: u32, step_limit: u64) -> Result<Outcome, Failure> {
    let from = &program.launches[0];
    let options = Run { order, timing: true, step_limit, ..Run::default() };
    prepare(from, &sass::layout(cubin, &from.entry))
        .and_then(|launch| sass::run(cubin, &from.entry, &launch, &options))
}

#[derive(Default)]
struct Tally {
    applied: usize,
    caught: usize,
    shown: usize,
    silent: usize,
}

fn search(chip: Chip, seeds: u64) {
    let mut all = programs(&sassafras_reference::workspace_root()).expect("the corpus reads");
    let feature = all.iter().find(|p| p.name.starts_with("features/")).expect("there are features");
    let text = MEETINGS.to_owned();
    all.push(Program { name: "kernels/meetings/meetings".into(), text, ..feature.clone() });
    let mut table: BTreeMap<(Stage, &str), Tally> = BTreeMap::new();
    let mut missed = Vec::new();
    for (kernel, registers) in KERNELS {
        let name = format!("kernels/{kernel}/{kernel}");
        let program = all.iter().find(|p| p.name == name).expect("the kernel is there");
        let (good, _) = compile(program, chip, registers, None, &Nobody).expect("it compiles");
        let wanted: Vec<Outcome> =
            (0..ORDERS).map(|order| run(program, &good, order, 10_000_000).expect("it runs")).collect();
        for fault in plant::faults() {
            // Every barrier of the program that votes.
            let most = if kernel == "meetings" && fault.stage == Stage::Converge { 6 * seeds } else { seeds };
            for seed in 0..most {
                let plant = Some(format!("{}:{seed}", fault.name));
                let Ok((bad, warnings)) = compile(program, chip, registers, plant.clone(), &Nobody) else {
                    continue;
                };
                if warnings.iter().any(|w| matches!(w, Warning::NoPlace { .. })) {
                    break;
                }
                let tally = table.entry((fault.stage, fault.name)).or_default();
                tally.applied += 1;
                let judges = sassafras::judges::Judges::default();
                let caught = matches!(
                    compile(program, chip, registers, plant, &judges),
                    Err(NotCompiled::Objection(_))
                );
                let seen = wanted.iter().zip(0..).find_map(|(wanted, order)| {
                    let limit = 4 * wanted.steps + 1000;
                    match run(program, &bad, order, limit) {
                        Err(e) => Some(e.to_string()),
                        Ok(got) => differences(program, &program.launches[0], wanted, &got)
                            .err()
                            .map(|e| e.to_string()),
                    }
                });
                match (caught, seen) {
                    (true, Some(_)) => tally.shown += 1,
                    (true, None) => {}
                    (false, None) => tally.silent += 1,
                    (false, Some(what)) => missed.push(format!("{}:{seed} in {kernel}: {what}", fault.name)),
                }
                tally.caught += usize::from(caught);
            }
        }
    }
    eprintln!("{:<26} {:>8} {:>8} {:>8} {:>8}", "fault", "applied", "caught", "shown", "harmless");
    let mut of_stage: BTreeMap<Stage, (usize, usize)> = BTreeMap::new();
    for ((stage, name), t) in &table {
        eprintln!("{name:<26} {:>8} {:>8} {:>8} {:>8}", t.applied, t.caught, t.shown, t.silent);
        sassafras_oracle::fault::planted("all fast judges", &chip, name, t.applied, t.caught);
        let sum = of_stage.entry(*stage).or_default();
        *sum = (sum.0 + t.caught, sum.1 + t.shown);
    }
    assert!(missed.is_empty(), "no judge objects, and the executor shows it: {missed:#?}");
    for (stage, (caught, shown)) in of_stage {
        eprintln!("{stage:?}: {caught} caught, {shown} shown");
        // What a container says beside the code is for drivers. Lanes that meet too late give another result only where they
        // vote before they meet by themselves.
        let demanded = !matches!(stage, Stage::Assemble | Stage::Converge);
        assert!(shown > 0 || stage == Stage::Assemble, "{stage:?}: nothing is shown");
        assert!(
            !demanded || 2 * shown >= caught,
            "{stage:?}: of {caught} that are caught, only {shown} are shown"
        );
    }
}

#[test]
fn the_executor_shows_what_judges_catch() {
    search(Chip::Sm90, SEEDS.0);
}

#[test]
fn the_executor_shows_what_judges_catch_on_ampere() {
    search(Chip::Sm80, SEEDS.0);
}

#[test]
fn the_executor_shows_what_judges_catch_on_blackwell_rtx() {
    search(Chip::Sm120, SEEDS.0);
}

#[test]
#[ignore = "many minutes"]
fn the_executor_shows_what_judges_catch_at_more_places() {
    search(Chip::Sm90, SEEDS.1);
}
