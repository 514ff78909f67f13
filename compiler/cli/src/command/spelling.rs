//! How NVIDIA's readers spell their options: a name after one dash or two, its value behind `=` or as the next word.

use crate::{Exit, Failure};

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Flag,
    Value,
    /// The tool has it, and here it is not supported yet.
    Refused,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    long: &'static str,
    short: &'static str,
    use_: Use,
}

impl Spelling {
    /// One without a value.
    pub const fn flag(long: &'static str, short: &'static str) -> Spelling {
        Spelling { long, short, use_: Use::Flag }
    }

    /// One with a value.
    pub const fn value(long: &'static str, short: &'static str) -> Spelling {
        Spelling { long, short, use_: Use::Value }
    }

    /// One that the tool has, and here is not supported yet.
    pub const fn refused(long: &'static str, short: &'static str) -> Spelling {
        Spelling { long, short, use_: Use::Refused }
    }
}

/// A tool of NVIDIA's.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its options.
    pub options: &'static [Spelling],
}

/// A command line, read.
#[derive(Debug, Default)]
pub struct Found {
    /// Words that are no options.
    pub inputs: Vec<String>,
    options: Vec<(&'static str, String)>,
}

impl Found {
    /// Whether an option is given, by its long name.
    pub fn has(&self, long: &str) -> bool {
        self.options.iter().any(|o| o.0 == long)
    }

    /// The last value of an option.
    pub fn value(&self, long: &str) -> Option<&str> {
        self.options.iter().rfind(|o| o.0 == long).map(|o| o.1.as_str())
    }

    /// The value as a number, decimal or after `0x`.
    ///
    /// # Errors
    /// It is none.
    pub fn number(&self, long: &str) -> Result<Option<u64>, Failure> {
        let Some(text) = self.value(long) else { return Ok(None) };
        let parsed = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        parsed.map(Some).map_err(|_| Failure::wrong(format!("Value '{text}' is no number")))
    }
}

/// Reads a command line.
///
/// # Errors
/// An option that the tool does not have, or lacks its value, or is not supported yet.
pub fn words(tool: &Tool, arguments: &[String]) -> Result<Found, Failure> {
    let mut found = Found::default();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') || word == "-" {
            found.inputs.push(word.clone());
            continue;
        }
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
        let (bare, double) = match name.strip_prefix("--") {
            Some(bare) => (bare, true),
            None => (name.trim_start_matches('-'), false),
        };
        let fits = |o: &&Spelling| o.long == bare || !double && o.short == bare;
        let option = tool.options.iter().find(fits);
        let option = option.ok_or_else(|| Failure::wrong(format!("Unknown option '{bare}'")))?;
        let value = match (option.use_, value) {
            (Use::Refused, _) => {
                return Err(Failure::unsupported(format!("option '{word}' is not supported yet")));
            }
            (Use::Flag, _) => String::new(),
            (Use::Value, Some(value)) => value.to_owned(),
            (Use::Value, None) => rest
                .next()
                .cloned()
                .ok_or_else(|| Failure::wrong(format!("Missing value for option '{bare}'")))?,
        };
        found.options.push((option.long, value));
    }
    Ok(found)
}

impl Tool {
    /// Prints a failure as the tool does; what is not supported keeps our exit code.
    pub fn fatal(&self, failure: &Failure) -> Exit {
        eprintln!("{} fatal   : {}", self.name, failure.message);
        match failure.exit {
            Exit::Unsupported | Exit::Internal => failure.exit,
            _ => Exit::Wrong,
        }
    }

    /// The text of `--version`.
    pub fn version(&self) -> String {
        super::compile::version_of(self.name, "an open reader of cubins")
    }

    /// The text of `--help`.
    pub fn help(&self) -> String {
        let mut out = format!("\nUsage  : {} [options] <file>\n\nOptions\n=======\n\n", self.name);
        for option in self.options {
            let refused = if option.use_ == Use::Refused { "  (not supported yet)" } else { "" };
            let value = if option.use_ == Use::Value { " <value>" } else { "" };
            out.push_str(&format!(
                "--{:<44} (-{}){refused}\n",
                format!("{}{value}", option.long),
                option.short
            ));
        }
        out
    }
}
