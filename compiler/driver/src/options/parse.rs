//! A command line, read by the table.

use super::row::{Argument, Effect, Row};
use super::table::ROWS;
use super::value_error::ValueError;
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
    together(&mut options);
    Ok(options)
}

/// What options say only together, whatever their order.
fn together(options: &mut Options) {
    if options.suppress_debug && !options.line_info {
        options.warnings.push(
            "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified"
                .into(),
        );
    }
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
        // ptxas names an option in these messages as it was written, up to the value.
        let written = argument.split('=').next().unwrap_or(argument);
        let value = match (row.argument, attached) {
            (Argument::None, None) => String::new(),
            (Argument::None, Some(_)) => {
                return Err(Fault::Usage(format!("no argument expected after '{written}'")));
            }
            // `-O 3` is level 0 and a file called `3`: ptxas reads the short name's value only where it touches.
            (Argument::Joined, None) if !argument.starts_with("--") => String::new(),
            (_, Some(value)) => value,
            (_, None) => match rest.next() {
                Some(value) => value.clone(),
                None => return Err(Fault::Usage(format!("argument expected after '{written}'"))),
            },
        };
        if row.long == "options-file" {
            if depth == FILE_DEPTH {
                return Err(Fault::Usage("options files name one another without end".into()));
            }
            for file in value.split(',') {
                let text = read_file(file)
                    .map_err(|e| Fault::Usage(format!("Could not open options file '{file}': {e}")))?;
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
    let wrong = |why: ValueError| match why.needs_option() {
        true => Fault::Usage(format!("option `--{}`: {why}", row.long)),
        false => Fault::Usage(why.to_string()),
    };
    if row.argument == Argument::Bool && value != "true" && value != "false" {
        return Err(Fault::Usage(format!("'{value}': expected true or false")));
    }
    if !matches!(row.argument, Argument::None | Argument::List) {
        match seen.iter_mut().find(|(long, _)| *long == row.long) {
            Some((_, before)) if before != value => {
                options.warnings.push(format!(
                    "incompatible redefinition for option '{}', the last value of this option was used",
                    row.long
                ));
                value.clone_into(before);
            }
            Some(_) => {}
            None => seen.push((row.long, value.to_owned())),
        }
    }
    match row.effect {
        Effect::Set(set) => set(options, value).map_err(wrong),
        Effect::Holds(sentence) => {
            options.remark(row.long, sentence);
            Ok(())
        }
        Effect::Ignored(check, sentence) => {
            check(options, value).map_err(wrong)?;
            options.remark(row.long, sentence);
            Ok(())
        }
        Effect::Choice(values) if values.contains(&value) => Ok(()),
        Effect::Choice(_) => {
            Err(Fault::Usage(format!("Value '{value}' is not defined for option '{}'", row.long)))
        }
        Effect::Only(values, _) if values.contains(&value) => Ok(()),
        Effect::Only(_, sentence) | Effect::Refused(sentence) => {
            Err(Fault::Unsupported { option: written.to_owned(), sentence })
        }
    }
}

/// The row of an argument, and the value that is attached to it.
fn find(argument: &str) -> Result<(&'static Row, Option<String>), Fault> {
    // ptxas names an unknown option without its first dash.
    let unknown = || Fault::Usage(format!("Unknown option '{}'", &argument[1..]));
    let long = argument.strip_prefix("--");
    let name = long.unwrap_or(&argument[1..]);
    let (name, value) = match name.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (name, None),
    };
    // A long name after one dash is ours alone; ptxas 13.0.88 knows only short ones there.
    let is = |row: &&&Row| row.long == name || (long.is_none() && !name.is_empty() && row.short == name);
    if let Some(row) = ROWS.iter().find(is) {
        return Ok((row, value));
    }
    // A value that touches its option: -O3, -m64.
    let joins = |row: &Row| matches!(row.argument, Argument::Joined | Argument::JoinedOrNext);
    let joined = |row: &&&Row| joins(row) && long.is_none() && name.starts_with(row.short);
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
        for words in ["-m64", "-m 64", "-m=64", "--machine 64", "--machine=64"] {
            assert!(of(words).is_ok_and(|o| o.warnings.is_empty() && o.inputs.is_empty()), "{words}");
        }
        // Each level as ptxas 13.0.88 reads it, told by the code that it makes.
        let levels =
            [("-O0", 0), ("-O=1", 1), ("--opt-level 2", 2), ("--opt-level=3", 3), ("-O", 0), ("-O=", 0)];
        for (words, level) in levels.into_iter().chain([("-O10", 3), ("-O-1", 3), ("-O4", 3)]) {
            assert_eq!(of(words).expect(words).level, level, "{words}");
        }
        let o = of("-O 3 -arch sm_90 -v -v -w -w").expect("all known");
        assert_eq!((o.level, &o.inputs[..], o.warnings.len()), (0, &[Input::File("3".into())][..], 0));
    }

    /// Refused by ptxas 13.0.88 with these words, which tools search for.
    #[test]
    fn faults_in_the_words_of_ptxas() {
        for (words, text) in [
            ("--nonsense", "Unknown option '-nonsense'"),
            ("-vv", "Unknown option 'vv'"),
            ("--m64", "Unknown option '-m64'"),
            ("--", "Unknown option '-'"),
            ("-oout.cubin", "Unknown option 'oout.cubin'"),
            ("-m32", "Value '32' is not defined for option 'machine'"),
            ("-m", "argument expected after '-m'"),
            ("-arch", "argument expected after '-arch'"),
            ("-v=true", "no argument expected after '-v'"),
            ("-fmad=maybe", "'maybe': expected true or false"),
            ("-arch=sm_99", "Value 'sm_99' is not defined for option 'gpu-name'"),
            ("-arch=sm_20", "Value 'sm_20' is not defined for option 'gpu-name'"),
            ("-maxrregcount=abc", "Invalid value 'abc' for option 'maxrregcount'"),
            ("-Ox", "'x': expected a number"),
            ("--regAllocOptLevel=x", "'x': expected a number"),
            ("-dlcm=wt", "Invalid default cache modifier on load specified: wt"),
            ("-fscm=cv", "Invalid default cache modifier on store specified: cv"),
            ("-split-compile=x", "'x': expected a number"),
            ("-Ofc=1", "Invalid value for --Ofast-compile/-Ofc (1), is not 'max', 'mid', 'min', or '0'"),
        ] {
            match of(words) {
                Err(Fault::Usage(found)) => assert!(found.contains(text), "{words}: {found}"),
                other => panic!("{words}: {other:?}"),
            }
        }
    }

    #[test]
    fn faults_are_named() {
        let usage = |words: &str, part: &str| match of(words) {
            Err(Fault::Usage(text)) => assert!(text.contains(part), "{words}: {text}"),
            other => panic!("{words}: {other:?}"),
        };
        usage("-fmad x.ptx", "'x.ptx': expected true or false");
        usage("-optf nowhere", "Could not open options file 'nowhere'");
        usage("-optf loop", "without end");
        for words in ["-g", "-c", "-ewp", "-pic=false", "-sanitize memcheck"] {
            assert!(matches!(of(words), Err(Fault::Unsupported { .. })), "{words}");
        }
    }

    #[test]
    fn nothing_is_ignored_in_silence() {
        assert_eq!(of("-opt-fp-atomics").expect("it holds").remarks.len(), 1);
        assert_eq!(of("-O3 -O2").expect("the last counts").warnings.len(), 1);
        assert_eq!(of("-O3 -O3").expect("no conflict").warnings.len(), 0);
        assert_eq!(of("-func-maxrregcount 20").expect("ignored aloud").remarks.len(), 1);
        assert_eq!(of("--regAllocOptLevel=2 -regUsageLevel=10").expect("they are taken").remarks.len(), 1);
        assert_eq!(of("-regUsageLevel=11").expect("as ptxas").warnings.len(), 1);
        assert_eq!(of("-suppress-debug-info").expect("as ptxas").warnings.len(), 1);
        assert_eq!(of("-suppress-debug-info -lineinfo").expect("they go together").warnings.len(), 0);
    }
}
