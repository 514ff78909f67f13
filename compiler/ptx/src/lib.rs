//! PTX: one row per instruction; lex, parse, print, check and meaning.
