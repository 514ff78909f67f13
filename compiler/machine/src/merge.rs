//! What branch folding did, as its judge reads it.

use crate::Block;

/// Equal instructions of several blocks that became one copy. Records stand in the order in which it was done, and name blocks as the function
/// had them at that time. A name is never given to another block. Where a block is joined to its only successor, whose only predecessor it is,
/// the name of the first one stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merge {
    /// The block that has the copy. Of a tail: the one that begins with it, which is new or of `from`. Hoisted: the predecessor of `from`, in which it
    /// stands in front of the branch.
    pub tail: Block,
    /// The blocks that had the instructions: at the end, in front of the branch if there is one, and with the same successors. Hoisted: at the start.
    pub from: Vec<Block>,
    /// How many instructions it is. A branch at the end of a block is not counted, an `exit` is.
    pub length: usize,
    /// The instructions were the first of `from`, all successors of `tail`, and went up.
    pub hoisted: bool,
}
