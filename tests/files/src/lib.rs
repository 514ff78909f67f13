//! File tests that state their own commands.
//!
//! A test is a file in `cases/`. Lines that begin with `// ` and a word in capitals say what to do:
//!
//! ```text
//! // RUN: check %s                 a command; %s is this file, %t a path for output
//! // EXIT: 1                       the exit code (default 0)
//! // OUT: text                     the next line of standard output, exactly; all of them or none
//! // HAS: text                     a part of standard output or standard error
//! // THEN: text                    a part of standard output, behind that of the THEN above
//! // NOT: text                     what is in neither
//! // NEEDS: solver                 without one the test is skipped, but not where CI=true
//! // FILE: name                    what follows is a file of this name in the folder of the commands, and no part of %s
//!     mov.u32 %r1, %q;  //~ P0301 not declared       a finding on this line: code, and part of the message
//! //~^ P0301 not declared                            the same, about the line above
//! ```
//!
//! Findings are matched both ways: each one that is expected must come, and each one that comes must be expected, with
//! its line. A file without `RUN`, an unknown word in capitals, and an expectation that nothing can meet are failures.
//! `BLESS=1 cargo test -p sassafras-files` rewrites the `OUT` lines.
//!
//! Commands are those of `sassafras`, and stages alone ([`stage`]): `opt PASS,… IR`, `select IR`, `allocate MACHINE` and the other phases,
//! `prove A.sass --against B.ptx`, and `same FILE FILE …` of bytes. Forms without a text are judged by `tree IR [FAULT]`, `words MACHINE WORDS` and
//! `cubin PTX [FIELD=VALUE …]`.

mod case;
mod compare;
mod judge;
pub mod stage;
mod text;

pub use case::{Case, Expected, parse};
pub use compare::{Found, bless, compare};
