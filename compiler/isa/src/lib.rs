//! SASS: one row per instruction form; encode, decode, print, parse, generate, def/use and meaning.
