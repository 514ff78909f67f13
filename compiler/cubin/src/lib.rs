//! The ELF container: sections, symbols, relocations and nv.info; reader and writer.
