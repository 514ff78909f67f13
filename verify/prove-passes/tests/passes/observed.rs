//! The functions that a compilation has before and after each pass that changes one.

use sassafras_driver::Stage;
use sassafras_driver::observe::{Form, Notes, Objection, Observer};
use sassafras_driver::options::Options;
use sassafras_driver::session;
use sassafras_ir::Function;
use std::sync::Mutex;

/// A pass that changed a function.
pub struct Change {
    pub pass: &'static str,
    pub before: Function,
    pub after: Function,
}

#[derive(Default)]
struct Watcher(Mutex<Vec<Change>>);

impl Observer for Watcher {
    fn wants_before(&self, stage: Stage) -> bool {
        stage == Stage::Optimise
    }
    fn observe_pass(
        &self,
        pass: &'static str,
        before: Option<&Function>,
        after: &Function,
    ) -> Result<(), Objection> {
        let before = before.expect("it was asked for").clone();
        self.0.lock().expect("no one panics").push(Change { pass, before, after: after.clone() });
        Ok(())
    }
    fn observe(&self, _: Stage, _: Option<Form<'_>>, _: Form<'_>, _: &Notes) -> Result<(), Objection> {
        Ok(())
    }
}

/// What the passes make of a module, with options besides.
pub fn changes(text: &str, more: &[&str]) -> Vec<Change> {
    let mut words = vec!["-arch=sm_90".to_owned()];
    words.extend(more.iter().map(|&w| w.to_owned()));
    let options = sassafras_driver::options::parse(&words, &|_: &str| Ok(String::new())).expect("options");
    let options = Options { jobs: 1, stop_after: Some("optimise".into()), ..options };
    let watcher = Watcher::default();
    // What a module cannot be compiled for is the subject of other tests: here the passes that ran count.
    let _ = session::compile(text, "test", &options, None, &watcher);
    watcher.0.into_inner().expect("no one panicked")
}
