//! Developer commands: `cargo xtask demo`, `cargo xtask test`.

fn main() {}
