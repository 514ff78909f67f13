//! What a device left, as recorded in `reference-traces/gpu`: a row for each launch and each outcome that it had.

use crate::session::Record;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The columns.
pub const HEADER: &str = "program,launch,makers,verdict,buffers";

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The program.
    pub program: String,
    /// `shape S, seed N`.
    pub launch: String,
    /// Whose code left this: `ours -O3` and the like.
    pub makers: Vec<String>,
    /// Whether it is what the PTX executor and the CPU reference say.
    pub agrees: bool,
    /// FNV-1a of each buffer.
    pub buffers: Vec<String>,
}

/// The table of records, with what it was recorded on in the first line. Launches that left nothing are not in it.
pub fn write(device: &str, records: &[Record]) -> String {
    let mut rows: BTreeMap<(&str, &str, &[String]), (Vec<&str>, bool)> = BTreeMap::new();
    for r in records.iter().filter(|r| !r.buffers.is_empty()) {
        let row = rows.entry((&r.program, &r.launch, &r.buffers)).or_insert((Vec::new(), true));
        row.0.push(&r.maker);
        row.1 &= r.verdict == "agrees";
    }
    let mut text = format!("# {device}\n{HEADER}\n");
    for ((program, launch, buffers), (mut makers, agrees)) in rows {
        makers.sort_unstable();
        let verdict = if agrees { "agrees" } else { "differs" };
        // Launches have a comma in their names.
        let launch = launch.replace(", ", " ");
        let _ = writeln!(text, "{program},{launch},{},{verdict},{}", makers.join(";"), buffers.join(";"));
    }
    text
}

/// The rows of a table; what is no row is left out.
pub fn read(text: &str) -> Vec<Row> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && *line != HEADER);
    let rows = lines.filter_map(|line| {
        let [program, launch, makers, verdict, buffers] = line.split(',').collect::<Vec<_>>()[..] else {
            return None;
        };
        let list = |text: &str| text.split(';').map(str::to_owned).collect();
        Some(Row {
            program: program.into(),
            launch: launch.replace(" seed", ", seed"),
            makers: list(makers),
            agrees: verdict == "agrees",
            buffers: list(buffers),
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_kept_apart_and_come_back() {
        let record = |maker: &str, verdict: &str, buffer: &str| Record {
            program: "features/a".into(),
            maker: maker.into(),
            launch: "shape 0, seed 1".into(),
            verdict: verdict.into(),
            buffers: vec![buffer.into(), "ff".into()],
            time: None,
        };
        let records = [
            record("ptxas -O3", "agrees", "1"),
            record("ours -O3", "agrees", "1"),
            record("ours -O0", "differs: buffer 0", "2"),
        ];
        let rows = read(&write("a device", &records));
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].makers.len(), rows[0].agrees), (2, true));
        assert_eq!((rows[1].makers.as_slice(), rows[1].agrees), (&["ours -O0".to_owned()][..], false));
        assert_eq!(rows[1].launch, "shape 0, seed 1");
        assert_eq!(rows[1].buffers, ["2", "ff"]);
    }
}
