//! What both tests of rows need.

use sassafras_oracle::{Tools, skip};
use sassafras_solve::Z3;

/// z3, or a skip that is heard.
pub fn z3(test: &str) -> Option<Z3> {
    match Tools::here().z3() {
        Ok(path) => Some(Z3 { path, budget: 30, timeout: 600 }),
        Err(reason) => {
            skip(test, &reason);
            None
        }
    }
}
