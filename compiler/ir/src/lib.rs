//! The SSA intermediate representation, its editor, its text and what each operation means.
