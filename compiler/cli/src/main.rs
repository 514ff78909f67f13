//! The `sassafras` binary.

fn main() {}
