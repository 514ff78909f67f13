//! One row for each proof, as a line of a CSV file. A measurement that is started again skips what has a row.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The file, from `corpus`, without its extension.
    pub file: String,
    /// The entry.
    pub entry: String,
    /// The half of `corpus/loops`; `-` of other folders.
    pub half: String,
    /// The chip, as `sm_90`.
    pub chip: String,
    /// Whose code: `ours`, or `ptxas` with the version.
    pub side: String,
    /// How its loops lie.
    pub form: String,
    /// Whether their counts are constants.
    pub count: String,
    /// As `prove` says it; `not compiled`, `killed` and `no answer` besides.
    pub verdict: String,
    /// The code of the reason of what is unknown.
    pub code: String,
    /// `yes` if it is proved for any number of turns, `no` if that was tried and shows nothing, `-` if nothing was to be tried.
    pub turns: String,
    /// The code of why it shows nothing.
    pub turns_code: String,
    /// Processor seconds of the whole process.
    pub seconds: f64,
    /// The reason, or where a counterexample differs.
    pub why: String,
    /// Why turns show nothing.
    pub turns_why: String,
}

/// The first line of the file.
pub const HEAD: &str =
    "file,entry,half,chip,side,form,count,verdict,code,turns,turns_code,seconds,why,turns_why";

impl Row {
    /// What tells rows apart.
    pub fn key(&self) -> (&str, &str, &str, &str) {
        (&self.file, &self.entry, &self.chip, &self.side)
    }

    /// As a line. Commas and ends of lines in texts become blanks.
    pub fn line(&self) -> String {
        let seconds = format!("{:.2}", self.seconds);
        let fields = [
            &self.file,
            &self.entry,
            &self.half,
            &self.chip,
            &self.side,
            &self.form,
            &self.count,
            &self.verdict,
            &self.code,
            &self.turns,
            &self.turns_code,
            &seconds,
            &self.why,
            &self.turns_why,
        ];
        fields.map(|f| f.replace([',', '\n', '\r', '"'], " ")).join(",")
    }

    /// From a line; none if it is no whole row, as the last of an interrupted measurement.
    pub fn parse(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            file,
            entry,
            half,
            chip,
            side,
            form,
            count,
            verdict,
            code,
            turns,
            turns_code,
            seconds,
            why,
            turns_why,
        ] = fields[..]
        else {
            return None;
        };
        let text = str::to_owned;
        Some(Row {
            file: text(file),
            entry: text(entry),
            half: text(half),
            chip: text(chip),
            side: text(side),
            form: text(form),
            count: text(count),
            verdict: text(verdict),
            code: text(code),
            turns: text(turns),
            turns_code: text(turns_code),
            seconds: seconds.parse().ok()?,
            why: text(why),
            turns_why: text(turns_why),
        })
    }
}

/// The rows of a file; none if there is no such file.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<Row>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text.lines().skip(1).filter_map(Row::parse).collect()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(e),
    }
}

/// A file to which rows are added.
pub struct Writer(File);

impl Writer {
    /// Opens it, and ends a line that was interrupted.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub fn open(path: &Path) -> io::Result<Writer> {
        let old = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        if old.is_empty() {
            writeln!(file, "{HEAD}")?;
        } else if !old.ends_with('\n') {
            writeln!(file)?;
        }
        Ok(Writer(file))
    }

    /// Adds a row, which is in the file when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, row: &Row) -> io::Result<()> {
        writeln!(self.0, "{}", row.line())?;
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_and_a_torn_line_is_not() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("rows.csv");
        let row = Row { entry: "k".into(), seconds: 1.25, why: "a b".into(), ..Row::default() };
        Writer::open(&path)?.add(&row)?;
        let mut torn = OpenOptions::new().append(true).open(&path)?;
        write!(torn, "loops/x,torn")?;
        assert_eq!(read(&path)?, std::slice::from_ref(&row));
        let next = Row { entry: "l".into(), why: "one, two\nthree".into(), ..Row::default() };
        Writer::open(&path)?.add(&next)?;
        let all = read(&path)?;
        assert_eq!(all.len(), 2);
        assert_eq!(all[1].why, "one  two three");
        Ok(())
    }
}
