//! `docs/options.md` and `docs/phases.md` say what the tables say. `BLESS=1 cargo test -p sassafras-driver` rewrites them.

use std::fmt::Write;
use std::path::Path;

use sassafras_driver::options::{Argument, Effect, Origin, ROWS};
use sassafras_driver::phase::PHASES;
use sassafras_driver::plant::faults;

fn held(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("docs can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/{name} is not what the table says; BLESS=1 rewrites it");
}

#[test]
fn options() {
    let mut out = String::from(
        "# Options of `compile`\n\nMade from the option table (`compiler/driver/src/options/table`). An option has its effect, \
         or holds already or has no effect and says so when it is\nused, or is refused with a sentence and exit code 4; none is ignored in silence.\n",
    );
    let groups = [
        (Origin::Ptxas, "ptxas 13.0.88"),
        (Origin::PtxasLater, "ptxas 13.5.37, besides"),
        (Origin::PtxasHidden, "ptxas, without listing it"),
        (Origin::Sassafras, "Sassafras"),
    ];
    for (origin, title) in groups {
        let _ = write!(
            out,
            "\n## {title}\n\n| option | argument | default | state | what |\n| --- | --- | --- | --- | --- |\n"
        );
        for row in ROWS.iter().filter(|row| row.origin == origin) {
            let short = if row.short.is_empty() || row.short == row.long {
                String::new()
            } else {
                format!(" `-{}`", row.short)
            };
            let (state, more) = match row.effect {
                Effect::Set(_) | Effect::Choice(_) => ("works", String::new()),
                Effect::Ignored(_, why) => ("no effect", format!(" Changes nothing: {why}")),
                Effect::Holds(why) => ("holds", format!(" {why}")),
                Effect::Only(values, why) => {
                    ("default only", format!(" Only {} works: {why}", values.join(", ")))
                }
                Effect::Refused(why) => ("refused", format!(" {why}")),
            };
            let value = if row.argument == Argument::None {
                String::new()
            } else {
                format!("`{}`", row.value.replace('|', "\\|"))
            };
            let _ = writeln!(
                out,
                "| `--{}`{short} | {value} | {} | {state} | {}{more} |",
                row.long, row.default, row.help
            );
        }
    }
    out += "\n## What runs at which level\n\nHow often each pass and part runs (`compiler/opt/src/pipeline.rs`, `compiler/driver/src/level.rs`). `-Ofc min` is \
            -O2, `mid` -O1, `max` -O0. What is\nexpensive runs from -O1 on with `--allow-expensive-optimizations true`, and at no level with `false`.\n\n";
    out += &sassafras_driver::level::table();
    out += "\n";
    for part in sassafras_driver::level::PARTS {
        let _ = writeln!(out, "- `{}` {}.", part.name, part.what);
    }
    held("options.md", &out);
}

#[test]
fn phases() {
    let mut out = String::from(
        "# Phases and faults\n\nMade from the tables in `compiler/driver`. `--print-after`, `--stop-after` and `--plant` take these names.\n\n\
         | phase | leaves behind | needs | promises | of the documents |\n| --- | --- | --- | --- | --- |\n",
    );
    for p in PHASES {
        let list = |list: &[_]| list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            out,
            "| `{}` | {:?} | {} | {} | {} |",
            p.name,
            p.form,
            list(p.needs),
            list(p.promises),
            p.carries.join(", ")
        );
    }
    out.push_str(
        "\nThe passes of `optimise`, in order. A pass runs from its level on. `--disable-phase` takes the names that can be left out.\n\n\
         | pass | level | promises | can be left out |\n| --- | --- | --- | --- |\n",
    );
    for p in sassafras_opt::PASSES {
        let promises: Vec<String> = p.promises.iter().map(|x| format!("{x:?}")).collect();
        let optional = if p.optional { "yes" } else { "" };
        let _ = writeln!(out, "| `{}` | {:?} | {} | {optional} |", p.name, p.level, promises.join(", "));
    }
    let parts = sassafras_driver::phase::optional();
    let parts: Vec<&str> =
        parts.into_iter().filter(|name| sassafras_opt::PASSES.iter().all(|p| p.name != *name)).collect();
    let _ = writeln!(out, "\nOf other phases these parts can be left out: {}.", parts.join(", "));
    out.push_str("\n| fault | made behind |\n| --- | --- |\n");
    for f in faults() {
        let _ = writeln!(out, "| `{}` | `{}` |", f.name, f.stage);
    }
    held("phases.md", &out);
}
