//! What the tests of the normal form have in common.

#![allow(dead_code)]

pub mod laws;

use sassafras_oracle::workspace_root;
use sassafras_solve::Z3;

/// z3, or a skip that is heard.
pub fn z3(test: &str) -> Option<Z3> {
    let root = workspace_root();
    let found = Z3::find(&[&root], 30, 20);
    if found.is_none() {
        sassafras_oracle::skip(test, &"z3 is not installed");
    }
    found
}
