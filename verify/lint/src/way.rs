//! How to write it otherwise: the difference of two programs.

use crate::known::Known;

/// Lines that a way round takes out, and those that it puts in, without blanks around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// In place of these,
    pub instead: Vec<&'static str>,
    /// write these.
    pub write: Vec<&'static str>,
}

fn instructions(text: &'static str) -> Vec<&'static str> {
    let declaration = |l: &&str| l.is_empty() || l.starts_with("//") || l.starts_with(".reg");
    text.lines().map(str::trim).filter(|l| !declaration(l)).collect()
}

/// What differs between the program that shows an error and the one with the way round, but for declarations.
pub fn way(known: &Known) -> Way {
    let (before, after) = (instructions(known.program), instructions(known.way));
    let first = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let most = before.len().min(after.len()) - first;
    let last = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    Way {
        instead: before[first..before.len() - last].to_vec(),
        write: after[first..after.len() - last].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::way;
    use crate::known::KNOWN;

    #[test]
    fn each_way_writes_something_else() {
        for known in KNOWN {
            assert!(!way(known).write.is_empty(), "{}", known.name);
        }
        let known = KNOWN.iter().find(|k| k.name == "slct_neg").expect("a row");
        assert_eq!(way(known).instead, ["slct.s32.s32 z, 1, 2, y;"]);
        assert_eq!(way(known).write, ["setp.ge.s32 p, y, 0;", "selp.s32 z, 1, 2, p;"]);
    }
}
