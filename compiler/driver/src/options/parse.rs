//! A command line, read by the table.

use super::row::{Argument, Effect, Row};
use super::table::ROWS;
use super::{Input, Options};

/// What is wrong with a command line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be understood.
    #[error("{0}")]
    Usage(String),
    /// An option that is not supported yet.
    #[error("option `{option}` is not supported yet: {sentence}")]
    Unsupported {
        /// The option as it was written.
        option: String,
        /// What is missing.
        sentence: &'static str,
    },
}

const FILE_DEPTH: usize = 16;

/// Reads a command line (without the program's name).
///
/// `read_file` opens the files that `-optf` names.
///
/// # Errors
/// An unknown option, a missing or wrong argument, an option that is refused, an options file that cannot be read.
pub fn parse(
    arguments: &[String],
    read_file: &dyn Fn(&str) -> std::io::Result<String>,
) -> Result<Options, Fault> {
    let mut options = Options::default();
    let mut seen = Vec::new();
    read(&mut options, arguments, read_file, &mut seen, 0)?;
    Ok(options)
}

type Seen = Vec<(&'static str, String)>;

fn read(
    options: &mut Options,
    arguments: &[String],
    read_file: &dyn Fn(&str) -> std::io::Result<String>,
    seen: &mut Seen,
    depth: usize,
) -> Result<(), Fault> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "-" || !argument.starts_with('-') {
            options
                .inputs
                .extend(argument.split(',').filter(|f| !f.is_empty()).map(|f| Input::File(f.into())));
            continue;
        }
        let (row, attached) = find(argument)?;
        let value = match (row.argument, attached) {
            (Argument::None, None) => String::new(),
            (Argument::None, Some(_)) => {
                return Err(Fault::Usage(format!("option `--{}` takes no argument", row.long)));
            }
            (Argument::Joined, None) if !argument.starts_with("--") => {
                return Err(Fault::Usage(format!(
                    "option `-{}` expects its value right after it",
                    row.short
                )));
            }
            (_, Some(value)) => value,
            (_, None) => match rest.next() {
                Some(value) => value.clone(),
                None => return Err(Fault::Usage(format!("option `--{}` expects an argument", row.long))),
            },
        };
        if row.long == "options-file" {
            if depth == FILE_DEPTH {
                return Err(Fault::Usage("options files name one another without end".into()));
            }
            for file in value.split(',') {
                let text = read_file(file)
                    .map_err(|e| Fault::Usage(format!("options file `{file}` cannot be read: {e}")))?;
                read(options, &words(&text), read_file, seen, depth + 1)?;
            }
            continue;
        }
        apply(options, row, argument, &value, seen)?;
    }
    Ok(())
}

fn apply(
    options: &mut Options,
    row: &'static Row,
    written: &str,
    value: &str,
    seen: &mut Seen,
) -> Result<(), Fault> {
    let wrong = |what: String| Fault::Usage(format!("option `--{}`: {what}", row.long));
    if row.argument == Argument::Bool && value != "true" && value != "false" {
        return Err(wrong(format!("`{value}` is neither `true` nor `false`")));
    }
    if matches!(row.argument, Argument::One | Argument::Bool | Argument::Joined) {
        match seen.iter_mut().find(|(long, _)| *long == row.long) {
            Some((_, before)) if before != value => {
                let text =
                    format!("option `--{}` was given `{before}` and `{value}`; the last counts", row.long);
                options.warnings.push(text);
                value.clone_into(before);
            }
            Some(_) => {}
            None => seen.push((row.long, value.to_owned())),
        }
    }
    match row.effect {
        Effect::Set(set) => set(options, value).map_err(wrong),
        Effect::Holds(sentence) => {
            options.remarks.push(format!("option `--{}` changes nothing: {sentence}", row.long));
            Ok(())
        }
        Effect::Only(values, _) if values.contains(&value) => Ok(()),
        Effect::Only(_, sentence) | Effect::Refused(sentence) => {
            Err(Fault::Unsupported { option: written.to_owned(), sentence })
        }
    }
}

/// The row of an argument, and the value that is attached to it.
fn find(argument: &str) -> Result<(&'static Row, Option<String>), Fault> {
    let unknown = || Fault::Usage(format!("unknown option `{argument}`"));
    let long = argument.strip_prefix("--");
    let name = long.unwrap_or(&argument[1..]);
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (name, None),
    };
    // ptxas takes a long name after one dash too.
    let is = |row: &&&Row| row.long == name || (long.is_none() && !name.is_empty() && row.short == name);
    if let Some(row) = ROWS.iter().find(is) {
        return Ok((row, value));
    }
    // A value that touches its option: -O3.
    let joined =
        |row: &&&Row| row.argument == Argument::Joined && long.is_none() && name.starts_with(row.short);
    match ROWS.iter().find(joined) {
        Some(row) if value.is_none() => Ok((row, Some(name[row.short.len()..].to_owned()))),
        _ => Err(unknown()),
    }
}

/// The words of an options file: separated by white space, quotes keep it.
fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => out.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    out.extend(word);
    out
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::options::{Arch, RegisterLimit};

    fn of(words: &str) -> Result<Options, Fault> {
        let files = |name: &str| match name {
            "more" => Ok("-v  -e 'a b',c\n".to_owned()),
            "loop" => Ok("-optf loop".to_owned()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        };
        parse(&words.split(' ').map(str::to_owned).collect::<Vec<_>>(), &files)
    }

    #[test]
    fn spellings_of_ptxas() {
        let sm_90 = Some(Arch::Real("sm_90".parse().expect("a known target")));
        for words in ["-arch=sm_90", "-arch sm_90", "--gpu-name sm_90", "--gpu-name=sm_90", "-gpu-name=sm_90"]
        {
            assert_eq!(of(words).expect(words).arch, sm_90, "{words}");
        }
        let o = of("-O1 -maxrregcount 32 -v -w in.ptx -o out.cubin -maxntid 128,2").expect("all known");
        assert_eq!((o.level, o.registers), (1, Some(RegisterLimit::Count(32))));
        assert!(o.verbose && o.no_warnings);
        assert_eq!((o.threads, o.output), (Some([128, 2, 1]), Some(PathBuf::from("out.cubin"))));
        assert_eq!(o.inputs, [Input::File("in.ptx".into())]);
        assert_eq!(of("-optf more").expect("the file is there").entries, ["a b", "c"]);
    }

    #[test]
    fn faults_are_named() {
        let usage = |words: &str, part: &str| match of(words) {
            Err(Fault::Usage(text)) => assert!(text.contains(part), "{words}: {text}"),
            other => panic!("{words}: {other:?}"),
        };
        usage("--nonsense", "unknown option `--nonsense`");
        usage("-arch=sm_20", "`sm_20` is no known target");
        usage("-arch", "expects an argument");
        usage("-O x.ptx", "right after it");
        usage("-Ox", "no level");
        usage("-fmad x.ptx", "neither `true` nor `false`");
        usage("-v=1", "takes no argument");
        usage("-maxrregcount=abc", "archmax");
        usage("-optf nowhere", "cannot be read");
        usage("-optf loop", "without end");
        for words in ["-g", "-c", "-sanitize memcheck", "-dlcm=cg", "--regAllocOptLevel=2"] {
            assert!(matches!(of(words), Err(Fault::Unsupported { .. })), "{words}");
        }
    }

    #[test]
    fn nothing_is_ignored_in_silence() {
        assert_eq!(of("-opt-fp-atomics").expect("it holds").remarks.len(), 1);
        assert_eq!(of("-O3 -O2").expect("the last counts").warnings.len(), 1);
        assert_eq!(of("-O3 -O3").expect("no conflict").warnings.len(), 0);
        assert_eq!(of("-func-maxrregcount 20").expect("ignored aloud").warnings.len(), 1);
    }
}
