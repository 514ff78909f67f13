//! File tests that state their own commands.
