//! What a test of a judge says of each fault that it planted, for `cargo xtask mutants`.

use std::io::Write;

/// Set where somebody listens; otherwise nothing is said.
pub const VARIABLE: &str = "SASSAFRAS_FAULTS";

/// A fault that was planted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The judge that has to object.
    pub judge: String,
    /// The chip whose code it was planted in; `-` where there is none.
    pub chip: String,
    /// Its name.
    pub name: String,
    /// How often it was planted.
    pub planted: usize,
    /// How often a judge objected. Where it does no harm nobody has to.
    pub caught: usize,
}

const START: &str = "fault: ";
const BETWEEN: &str = " | ";

/// Says that a fault was planted so often and caught so often, past the test runner's capture, if somebody listens.
pub fn planted(judge: &str, chip: &dyn std::fmt::Display, name: &str, planted: usize, caught: usize) {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let name = name.replace('\n', " ").replace(BETWEEN, " / ");
    let line = format!("{START}{judge}{BETWEEN}{chip}{BETWEEN}{name}{BETWEEN}{planted}{BETWEEN}{caught}\n");
    // A closed standard error leaves nobody to tell.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

impl Fault {
    /// Reads a line of output; none where it is another. Other output may stand before it on the line.
    pub fn read(line: &str) -> Option<Fault> {
        let words: Vec<&str> = line.split_once(START)?.1.split(BETWEEN).collect();
        let [judge, chip, name, planted, caught] = words[..] else { return None };
        let (planted, caught) = (planted.parse().ok()?, caught.parse().ok()?);
        Some(Fault { judge: judge.into(), chip: chip.into(), name: name.into(), planted, caught })
    }
}

#[cfg(test)]
mod tests {
    use super::Fault;

    #[test]
    fn other_lines_are_no_faults() {
        let fault = Fault::read("..fault: lines | sm_90 | a shorter function | 3 | 2").expect("a fault");
        assert_eq!(
            (fault.judge.as_str(), fault.chip.as_str(), fault.planted, fault.caught),
            ("lines", "sm_90", 3, 2)
        );
        for line in [
            "fault: lines | sm_90 | a",
            "fault                    planted  caught",
            "fault: a | b | c | 1 | x",
        ] {
            assert_eq!(Fault::read(line), None, "{line}");
        }
    }
}
