//! Every arithmetic form of the PTX table, alone in a kernel, compiled by this compiler: the PTX executor on the text and
//! the SASS executor, with timing, on the cubin must agree. A form that is not supported yet must say so.

use sassafras::judges::Judges;
use sassafras_driver::options::parse;
use sassafras_driver::{Failure, session};
use sassafras_execute::{Approx, Argument, Launch, Options, ptx, sass};
use sassafras_generate::forms::{self, Form};

/// What became of a form.
enum Fate {
    Agrees,
    Unsupported(String),
    Wrong(String),
}

fn fate(form: &Form, inputs: &[u8]) -> Fate {
    let text = forms::module([form]);
    let wrong = |what: String| Fate::Wrong(format!("{}: {what}", form.line));
    let words: Vec<String> = ["-arch=sm_90", "-o", "x.cubin", "x.ptx"].map(String::from).to_vec();
    let options = parse(&words, &|_| unreachable!("no file is named")).unwrap_or_else(|e| panic!("{e}"));
    let made = session::compile(&text, &form.line, &options, None, &Judges::new(options.judges));
    let cubin = match made {
        Ok(artifact) => artifact.cubin.expect("nothing stopped it").0,
        Err(Failure::Unsupported { what, .. }) => return Fate::Unsupported(what),
        Err(Failure::Ptx(found)) if found.exit_code() == 4 => {
            let first = found.records().first().map(|r| r.message.clone());
            return Fate::Unsupported(first.unwrap_or_default());
        }
        Err(e) => return wrong(e.to_string()),
    };
    let module = sassafras_ptx::load(&text, &form.line).expect("it was compiled");
    let mut launch = Launch::new([1, 1, 1], [forms::THREADS as u32, 1, 1]);
    let arguments = [Argument::Buffer(vec![0; forms::OUTPUT]), Argument::Buffer(inputs.to_vec())];
    launch.arguments(&ptx::layout(&module, &form.entry).expect("an entry"), &arguments).expect("they fit");
    let sources = [Approx::Nearest, Approx::Low, Approx::High].map(|approx| {
        let run = ptx::run(&module, &form.entry, &launch, &Options { approx, ..Options::default() });
        run.unwrap_or_else(|e| panic!("{}: {e}", form.line)).buffers.swap_remove(0)
    });
    for approx in [Approx::Nearest, Approx::Seed(3)] {
        let options = Options { approx, timing: true, ..Options::default() };
        match sass::run(&cubin, &form.entry, &launch, &options) {
            Ok(outcome) => {
                if let Some(how) = forms::difference(form, &sources, &outcome.buffers[0], inputs) {
                    return Fate::Wrong(how);
                }
            }
            Err(e) => return wrong(e.to_string()),
        }
    }
    Fate::Agrees
}

#[test]
fn every_form_is_compiled_rightly_or_refused() {
    let inputs = forms::inputs();
    let (mut agree, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for form in forms::arithmetic() {
        match fate(&form, &inputs) {
            Fate::Agrees => agree += 1,
            Fate::Unsupported(what) => refused.push(format!("{}: {what}", form.line)),
            Fate::Wrong(how) => wrong.push(how),
        }
    }
    eprintln!("{agree} forms agree, {} are refused, {} are wrong", refused.len(), wrong.len());
    assert!(agree > 1000, "only {agree} of {} forms agree", agree + refused.len());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What every ptxas at hand compiles wrongly (`corpus/ptxas-open`), this compiler compiles rightly.
#[test]
fn open_errors_of_ptxas_are_not_ours() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ptxas-open");
    let inputs = forms::inputs();
    let mut n = 0;
    for file in std::fs::read_dir(folder).expect("the corpus") {
        let path = file.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        let name = path.display().to_string();
        let words: Vec<String> = ["-arch=sm_90", "-o", "x.cubin", "x.ptx"].map(String::from).to_vec();
        let options = parse(&words, &|_| unreachable!("no file is named")).unwrap_or_else(|e| panic!("{e}"));
        let made = session::compile(&text, &name, &options, None, &Judges::new(options.judges));
        let cubin = made.unwrap_or_else(|e| panic!("{name}: {e}")).cubin.expect("nothing stopped it").0;
        let module = sassafras_ptx::load(&text, &name).expect("it was compiled");
        let mut launch = Launch::new([1, 1, 1], [64, 1, 1]);
        let arguments = [
            Argument::Buffer(vec![0; 1024]),
            Argument::Buffer(inputs[..1024].to_vec()),
            Argument::Value(64u32.to_le_bytes().to_vec()),
        ];
        launch.arguments(&ptx::layout(&module, "k").expect("an entry"), &arguments).expect("they fit");
        let options = Options { timing: true, ..Options::default() };
        let right = ptx::run(&module, "k", &launch, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = sass::run(&cubin, "k", &launch, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(found.buffers[0], right.buffers[0], "{name}");
        n += 1;
    }
    assert!(n >= 5);
}
