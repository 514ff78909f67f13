//! Random programs whose lanes wait for the whole warp in arms and loops, while others have ended or end meanwhile: where the source
//! comes to its end, so does the code, in every order, and with the same words.

use super::graphs::Rng;
use super::run::compile;
use sassafras_execute::{Argument, Failure, Launch, Options, ptx, sass};
use std::fmt::Write;

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 seed)\n{\n\
    .reg .pred p, q;\n.reg .b32 a, s, t, m, x;\n.reg .b64 to, w;\n\
    ld.param.u64 to, [out];\nld.param.u32 s, [seed];\nmov.u32 t, %tid.x;\nmul.wide.u32 w, t, 4;\nadd.u64 to, to, w;\n\
    mad.lo.u32 a, t, 0x9e3779b1, s;\nmov.u32 m, 0;\nmov.u32 x, 0;\n";

/// A program in the making.
struct Text<'r> {
    rng: &'r mut Rng,
    text: String,
    labels: usize,
    counters: usize,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("X{}", self.labels)
    }

    /// Draws a predicate of each lane's own.
    fn decide(&mut self) {
        let (more, mask) = (self.rng.below(1000), [1, 1, 3, 7][self.rng.below(4)]);
        let lines = format!(
            "mad.lo.u32 a, a, 1664525, {more};\nshr.u32 m, a, 27;\nand.b32 m, m, {mask};\nsetp.eq.u32 p, m, 0;"
        );
        self.line(&lines);
    }

    /// Waits for all lanes.
    fn wait(&mut self, guard: &str) {
        let inst = match self.rng.below(4) {
            0 => "vote.sync.ballot.b32 m, 1, -1;",
            1 => "bar.warp.sync -1;",
            2 => "redux.sync.add.u32 m, t, -1;",
            _ => "match.any.sync.b32 m, 5, -1;",
        };
        self.line(&format!("{guard}{inst}\nmad.lo.u32 x, x, 31, m;\nst.global.u32 [to], x;"));
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..=self.rng.below(2) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.rng.below(10) {
            0..=2 => self.wait(""),
            3 => {
                self.decide();
                self.wait("@p ");
            }
            4 => {
                self.decide();
                self.line("@p exit;");
            }
            5..=7 if depth > 0 => {
                self.decide();
                let (other, end) = (self.label(), self.label());
                self.line(&format!("@p bra {other};"));
                self.block(depth - 1);
                let over = self.rng.below(3) == 0;
                self.line(&if over { "exit;".to_owned() } else { format!("bra {end};") });
                self.line(&format!("{other}:"));
                self.block(depth - 1);
                self.line(&format!("{end}:"));
            }
            8 | 9 if depth > 0 => {
                let (begin, n) = (self.label(), self.counters);
                self.counters += 1;
                self.line(&format!(
                    ".reg .b32 c{n}, l{n};\nshr.u32 l{n}, a, 30;\nmov.u32 c{n}, 0;\n{begin}:"
                ));
                self.block(depth - 1);
                self.line(&format!("add.u32 c{n}, c{n}, 1;\nsetp.le.u32 q, c{n}, l{n};\n@q bra {begin};"));
            }
            _ => self.line("mad.lo.u32 x, x, 5, t;"),
        }
    }
}

fn program(rng: &mut Rng) -> String {
    let mut made = Text { rng, text: HEAD.to_owned(), labels: 0, counters: 0 };
    for _ in 0..4 {
        made.statement(3);
    }
    made.line("mad.lo.u32 x, x, 7, 1;\nst.global.u32 [to], x;\nret;\n}");
    made.text
}

#[test]
fn the_code_ends_where_the_source_does() {
    let (mut ended, mut waited) = (0, 0);
    for seed in 0..120u32 {
        let text = program(&mut Rng(u64::from(seed) + 1));
        let module = sassafras_ptx::load(&text, "waits").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        let mut launch = Launch::new([1, 1, 1], [32, 1, 1]);
        let slots = ptx::layout(&module, "k").expect("an entry");
        let arguments = [Argument::Buffer(vec![0; 128]), Argument::Value(seed.to_le_bytes().to_vec())];
        launch.arguments(&slots, &arguments).expect("they fit");
        let wanted = match ptx::run(&module, "k", &launch, &Options::default()) {
            Ok(outcome) => outcome.buffers,
            Err(Failure::Deadlock(_)) => {
                waited += 1;
                continue;
            }
            Err(other) => panic!("{other}\n{text}"),
        };
        ended += 1;
        let cubin = compile(&text);
        for order in 0..8 {
            let options = Options { order, ..Options::default() };
            let found = sass::run(&cubin, "k", &launch, &options);
            let found = found.unwrap_or_else(|e| panic!("seed {seed}, order {order}: {e}\n{text}"));
            assert_eq!(found.buffers, wanted, "seed {seed}, order {order}\n{text}");
        }
    }
    println!("{ended} programs end, {waited} wait for ever");
    assert!(ended > 5, "{ended}");
}
