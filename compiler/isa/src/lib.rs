//! SASS: one row per instruction form; encode, decode, print, parse, generate, def/use and meaning.
//!
//! A row of `table/*.tbl` states everything about a [`Form`]: chips, opcode, fixed bits, the text with its
//! fields in place, what it reads and writes, the pipe it runs on and the [`Meaning`] that `step` matches.
//! One engine reads the rows:
//!
//! * [`encode`] and [`decode`]: between [`Inst`] and the 128-bit word, closed by default.
//! * [`print`](print()) and [`parse`](parse()): the text of `nvdisasm -c`, with control bits on request.
//! * [`Inst::operands`]: every register read and written, with widths.
//! * [`generate`](generate()): a random legal instruction of a form.
//! * [`describe`](describe()): a form in words.
//!
//! ```
//! use sassafras_isa::{Chip, Inst, decode, encode, form, print, Style};
//! let add = Inst::new(form("iadd3.rrr").unwrap()).with("d", 0).with("a", 1).with("b", 2);
//! let word = encode(&add, Chip::Sm90).unwrap();
//! assert_eq!(decode(word, Chip::Sm90).unwrap(), add);
//! assert_eq!(print(&add, &Style::default()), "IADD3 R0, R1, R2, RZ");
//! ```

mod control;
mod decode;
mod describe;
mod encode;
mod float;
mod form;
mod generate;
mod inst;
mod meaning;
pub mod notation;
mod operand;
mod parse;
mod plan;
mod print;
pub mod special;
pub mod step;
mod table;

pub use control::{Control, Guard};
pub use decode::{DecodeError, decode};
pub use describe::describe;
pub use encode::{EncodeError, encode, encode_anywhere};
pub use float::{Format as FloatFormat, text as float_text};
pub use form::{
    ControlFlowKind, ControlLimits, Field, FieldKind, Form, FormId, Memory, MemoryKind, MemorySpace, Node,
    Pipe, RegClass, Scoreboard, Test, Units,
};
pub use generate::{Draw, Rng, generate};
pub use inst::{Inst, PT, RZ, URZ, UnknownField, VIRTUAL};
pub use meaning::Meaning;
pub use operand::{Access, Operand};
pub use parse::{ParseError, parse};
pub use print::{Lines, Style, Targets, Text, print, print_to};
pub use sassafras_chip::{Chip, ChipRange};
pub use step::{Outcome, Output, Register, guard, step};
pub use table::{Forms, families, form, form_on, forms, mark, may_name_a_place};
