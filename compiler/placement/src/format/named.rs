//! Graphs with names.

use crate::Flow;

/// A graph with its name.
#[derive(Clone, PartialEq, Debug)]
pub struct Named {
    /// The name, which no other graph of the file has.
    pub name: String,
    /// The graph.
    pub flow: Flow,
    /// A hash of the code that was counted, if the file says of which code it is.
    pub code: Option<u64>,
}
