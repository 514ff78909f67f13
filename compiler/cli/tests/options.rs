//! Each option of which the handbook says that it works changes what a run leaves behind: its exit code, its texts or the file.

mod common;

use common::{Run, sassafras};
use sassafras_driver::options::{Effect, ROWS};
use std::path::Path;
use tempfile::tempdir;

/// Branches, a contraction, equal sums, binary64, a local variable, loads and stores without cache operators.
const SOURCE: &str = "
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
.maxntid 256, 1, 1
{
    .local .align 4 .b8 own[64];
    .reg .pred %q;
    .reg .b32 %r<40>;
    .reg .b64 %d<8>;
    .reg .f32 %f<4>;
    .reg .f64 %g<3>;
    .loc 1 3 0
    ld.param.u64 %d0, [p];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %q, %r1, %r0;
    @%q bra END;
    mul.wide.u32 %d1, %r1, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.f32 %f0, [%d2];
    ld.global.f32 %f1, [%d2+128];
    mul.f32 %f2, %f0, %f1;
    add.f32 %f3, %f2, %f0;
    cvt.f64.f32 %g0, %f3;
    add.f64 %g1, %g0, %g0;
    cvt.rn.f32.f64 %f3, %g1;
    cvta.local.u64 %d3, own;
    and.b32 %r2, %r1, 60;
    cvt.u64.u32 %d4, %r2;
    add.u64 %d5, %d3, %d4;
    st.f32 [%d5], %f3;
    ld.f32 %f2, [%d5];
    add.u32 %r3, %r1, 4;
    add.u32 %r4, %r3, -4;
    sub.u32 %r5, %r4, %r1;
    cvt.rn.f32.u32 %f1, %r5;
    add.f32 %f2, %f2, %f1;
    add.u32 %r6, %r1, %r0;
    xor.b32 %r7, %r6, 5;
    add.u32 %r8, %r1, %r0;
    xor.b32 %r9, %r8, 9;
    mul.lo.u32 %r10, %r7, %r9;
    bra NEXT;
NEXT:
    ld.global.u32 %r11, [%d2+256];
    ld.global.u32 %r12, [%d2+260];
    mul.lo.u32 %r13, %r11, %r12;
    st.global.u32 [%d2+512], %r13;
    st.global.u32 [%d2+516], %r10;
    st.global.f32 [%d2], %f2;
END:
    ret;
}
.visible .entry other(.param .u64 p)
{
    ret;
}
.file 1 \"k.cu\"
";

/// More live values than 24 registers hold.
fn wide() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<64>;\n.reg .b64 %d;\n\
         ld.param.u64 %d, [p];\n",
    );
    for i in 0..48 {
        text += &format!("ld.global.u32 %r{i}, [%d+{}];\n", 4 * i);
    }
    for i in (0..48).rev() {
        text += &format!("st.global.u32 [%d+{}], %r{i};\n", 4 * (48 - i));
    }
    text + "ret;\n}\n"
}

/// Loads, each of which is used at once: the later they are used the more registers are taken. Its last line becomes one LOP3.
fn tight() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<64>, %s, %t;\n.reg .b64 %d;\n\
         ld.param.u64 %d, [p];\nmov.u32 %s, 1;\n",
    );
    for i in 0..32 {
        text += &format!("ld.global.u32 %r{i}, [%d+{}];\nmad.lo.u32 %s, %s, 5, %r{i};\n", 4 * i);
    }
    text + "xor.b32 %t, %r1, %r2;\nand.b32 %t, %t, %s;\nst.global.u32 [%d], %t;\nret;\n}\n"
}

/// Two runs: words of both, of the first alone, of the second alone with its exit code; that of the first is 0, or as stated.
struct Trial {
    option: &'static str,
    both: &'static [&'static str],
    without: (&'static [&'static str], i32),
    with: (&'static [&'static str], i32),
}

const TO: &[&str] = &["-arch=sm_90", "-o", "out"];
const K: &[&str] = &["in.ptx", "-arch=sm_90", "-o", "out"];
/// With a warning: no kernel has so few registers.
const FEW: &[&str] = &["in.ptx", "-arch=sm_90", "-o", "out", "-maxrregcount", "5"];
const REPORT: &[&str] = &["in.ptx", "-arch=sm_90", "-o", "out", "--report", "report.json"];
const WIDE: &[&str] = &["wide.ptx", "-arch=sm_90", "-o", "out"];
const NARROW: &[&str] = &["wide.ptx", "-arch=sm_90", "-o", "out", "-maxrregcount", "24"];
/// In which an order costs registers, and operations on bits become one.
const TIGHT: &[&str] = &["tight.ptx", "-arch=sm_90", "-o", "out"];
const SMALL: &[&str] = &["in.ptx", "-arch=sm_90", "-o", "out", "-maxntid", "64,1,1"];
const LINES: &[&str] = &["in.ptx", "-arch=sm_90", "-o", "out", "-lineinfo"];
const EMPTY: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry a() { ret; }";

macro_rules! trials {
    ($($option:literal $both:expr, $without:expr, $a:literal => $with:expr, $b:literal;)*) => {
        const TRIALS: &[Trial] =
            &[$(Trial { option: $option, both: $both, without: (&$without, $a), with: (&$with, $b) }),*];
    };
}

trials! {
    "allow-expensive-optimizations" TIGHT, [], 0 => ["--allow-expensive-optimizations", "false"], 0;
    "register-usage-level" TIGHT, [], 0 => ["-regUsageLevel", "0"], 0;
    "Ofast-compile" K, [], 0 => ["-Ofc", "max"], 0;
    "def-load-cache" K, [], 0 => ["-dlcm", "cg"], 0;
    "def-store-cache" K, [], 0 => ["-dscm", "cs"], 0;
    "disable-warnings" FEW, [], 0 => ["-w"], 0;
    "dont-merge-basicblocks" K, [], 0 => ["-no-bb-merge"], 0;
    "entry" K, [], 0 => ["-e", "other"], 0;
    "fmad" K, [], 0 => ["-fmad", "false"], 0;
    "force-load-cache" K, [], 0 => ["-flcm", "cs"], 0;
    "force-store-cache" K, [], 0 => ["-fscm", "cg"], 0;
    "generate-line-info" WIDE, [], 0 => ["-lineinfo"], 0;
    "gpu-name" &["in.ptx", "-o", "out"], ["-arch=sm_90"], 0 => ["-arch=sm_80"], 0;
    "help" K, [], 0 => ["-h"], 0;
    "input-as-string" TO, ["in.ptx"], 0 => ["-ias", EMPTY], 0;
    "list-version" K, [], 0 => ["-version-ls"], 0;
    "machine" K, ["-m", "64"], 0 => ["-m", "32"], 2;
    "maxntid" WIDE, [], 0 => ["-maxntid", "64,1,1"], 0;
    "maxrregcount" WIDE, [], 0 => ["-maxrregcount", "24"], 0;
    "minnctapersm" SMALL, [], 0 => ["-minnctapersm", "16"], 0;
    "opt-level" K, ["-O3"], 0 => ["-O0"], 0;
    "options-file" K, [], 0 => ["-optf", "options.txt"], 0;
    "output-file" &["in.ptx", "-arch=sm_90"], ["-o", "out"], 0 => ["-o", "elsewhere"], 0;
    "override-directive-values" SMALL, [], 0 => ["--override-directive-values"], 0;
    "split-compile" K, ["-split-compile", "2"], 0 => ["-split-compile", "many"], 2;
    "suppress-debug-info" LINES, [], 0 => ["--suppress-debug-info"], 0;
    "verbose" K, [], 0 => ["-v"], 0;
    "version" K, [], 0 => ["-V"], 0;
    "warn-on-double-precision-use" K, [], 0 => ["-warn-double-usage"], 0;
    "warn-on-local-memory-usage" K, [], 0 => ["-warn-lmem-usage"], 0;
    "warn-on-spills" NARROW, [], 0 => ["-warn-spills"], 0;
    "warning-as-error" FEW, [], 0 => ["-Werror"], 1;
    "list-arch" K, [], 0 => ["-arch-ls"], 0;
    "verbose2" K, [], 0 => ["-v2"], 0;
    "disable-phase" K, [], 0 => ["--disable-phase", "number"], 0;
    "dump-cfg" K, [], 0 => ["--dump-cfg", "edges"], 0;
    "format" K, [], 0 => ["--format", "json"], 0;
    "jobs" K, ["--jobs", "2"], 0 => ["--jobs", "many"], 2;
    "judge" K, ["--plant", "wrong-unit"], 3 => ["--plant", "wrong-unit", "--judge", "none"], 0;
    "certify" K, ["--stop-after", "lower"], 0 => ["--stop-after", "lower", "--certify"], 2;
    "budget" K, [], 0 => ["--budget", "3"], 2;
    "hints" K, [], 0 => ["--hints", "hints.json"], 0;
    "plant" K, [], 0 => ["--plant", "wrong-unit"], 3;
    "knob" REPORT, [], 0 => ["--knob", "enable-block-placement-stats=true"], 0;
    "list-knobs" K, [], 0 => ["--list-knobs"], 0;
    "print-after" K, [], 0 => ["--print-after", "lower"], 0;
    "profile" K, [], 0 => ["--profile", "in.ptx"], 1;
    "quiet" FEW, [], 0 => ["--quiet"], 0;
    "report" K, [], 0 => ["--report", "report.json"], 0;
    "start-from" TO, ["in.ptx"], 0 => ["--start-from", "lower.ir"], 0;
    "stop-after" K, [], 0 => ["--stop-after", "lower"], 0;
}

/// Everything that a run leaves behind, but for the seconds that it took.
fn left(words: &[&str]) -> (i32, String, Vec<(String, Vec<u8>)>) {
    let folder = tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("it is ours");
    write("in.ptx", SOURCE);
    write("wide.ptx", &wide());
    write("tight.ptx", &tight());
    write("options.txt", "-O0");
    let lower = sassafras(
        folder.path(),
        &["compile", "wide.ptx", "-arch=sm_90", "--stop-after", "lower", "-o", "lower.ir"],
    );
    lower.expect(0, "");
    let Run { code, out, err } = sassafras(folder.path(), &[&["compile"], words].concat());
    let texts = format!("{out}{err}");
    let lines = texts.lines().filter(|line| !line.contains("Compile time"));
    (code, lines.collect::<Vec<_>>().join("\n"), files(folder.path()))
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("it is there").map(|e| e.expect("it can be read").path());
    let mut all: Vec<(String, Vec<u8>)> = entries
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = std::fs::read(&path).unwrap_or_default();
            if !name.ends_with(".json") {
                return (name, bytes);
            }
            // Times differ from run to run.
            let text = String::from_utf8_lossy(&bytes);
            let kept: Vec<&str> =
                text.lines().filter(|l| !l.contains("seconds") && !l.contains("bytes\"")).collect();
            (name, kept.join("\n").into_bytes())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn an_option_that_works_changes_what_a_run_leaves() {
    let mut wrong = Vec::new();
    for row in ROWS.iter().filter(|row| matches!(row.effect, Effect::Set(_) | Effect::Choice(_))) {
        let Some(trial) = TRIALS.iter().find(|trial| trial.option == row.long) else {
            wrong.push(format!("--{} has no trial", row.long));
            continue;
        };
        let run = |(words, _): (&[&str], i32)| left(&[trial.both, words].concat());
        let (without, with) = (run(trial.without), run(trial.with));
        if without == with {
            wrong.push(format!("--{} changes nothing: {:?}", row.long, trial.with.0));
        }
        for (run, stated) in [(&without, trial.without), (&with, trial.with)] {
            if run.0 != stated.1 {
                wrong.push(format!("--{} with {:?} ends with {}: {}", row.long, stated.0, run.0, run.1));
            }
        }
    }
    let unknown = TRIALS.iter().filter(|trial| ROWS.iter().all(|row| row.long != trial.option));
    wrong.extend(unknown.map(|trial| format!("--{} is no option", trial.option)));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What options state that they do not change.
#[test]
fn threads_do_not_change_bytes() {
    let one = left(K);
    for more in [["-split-compile", "4"], ["--jobs", "3"]] {
        assert_eq!(left(&[K, &more].concat()), one, "{more:?}");
    }
}

/// Each level does something that the one below does not, and so does each of `-Ofc`.
#[test]
fn levels_differ() {
    let of = |words: &[&str]| {
        let file = |input| left(&[&[input, "-arch=sm_90", "-o", "out"], words].concat());
        ["in.ptx", "tight.ptx"].map(file)
    };
    let levels = ["-O0", "-O1", "-O2", "-O3"].map(|level| of(&[level]));
    for (n, level) in levels.iter().enumerate() {
        assert!(level.iter().all(|(code, ..)| *code == 0), "{level:?}");
        assert!(levels[..n].iter().all(|other| other != level), "-O{n} is a level below");
    }
    for (name, level) in [("0", 3), ("min", 2), ("mid", 1), ("max", 0)] {
        assert!(of(&["-Ofc", name]) == levels[level], "-Ofc {name}");
    }
    assert!(of(&["-O1", "--allow-expensive-optimizations", "true"]) != levels[1]);
}
