//! Why an edit is refused.

use super::{Jump, List, Node};
use crate::function::{Block, Inst, Value};

/// Why an edit is refused. The tree is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Refused {
    #[error("{0} is no node of this tree")]
    NoSuchNode(Node),
    #[error("{0} is no block of this tree")]
    NoSuchBlock(Block),
    #[error("{0} stands in no block of this tree")]
    NoSuchInst(Inst),
    #[error("{0} is no value of this function")]
    NoSuchValue(Value),
    #[error("{0:?} is no list of this tree")]
    NoSuchList(List),
    #[error("{0} has no parameter {1}")]
    NoSuchParam(Block, usize),
    #[error("{0} stands in an extracted list")]
    Loose(Node),
    #[error("{0} is neither an if nor a loop")]
    NotANode(Node),
    #[error("{0} stands in a block already")]
    Placed(Inst),
    #[error("the place is behind the jump of {0}")]
    BehindJump(Block),
    #[error("{0} has a jump already")]
    HasJump(Block),
    #[error("{0} has no jump")]
    NoJump(Block),
    #[error("a jump would stand in {0}, which is not the last of its list")]
    NotLast(Block),
    #[error("there is no loop around {0}")]
    NoLoop(Block),
    #[error("{1:?} of {0} would leave its loop")]
    LeavesLoop(Block, Jump),
    #[error("{target} takes {expected} parameters; the {found} arguments do not fit them")]
    Arguments { target: Block, expected: usize, found: usize },
    #[error("{0} has not the type that is wanted")]
    Type(Value),
    #[error("{0} cannot have parameters: it stands neither behind an if or a loop nor at a loop's head")]
    NoPhi(Block),
    #[error("begin and end are in different lists")]
    DifferentLists,
    #[error("the begin lies behind the end")]
    Backwards,
    #[error("the list belongs to another tree")]
    OtherTree,
    #[error("{0} extracted lists are neither put back nor deleted")]
    Outstanding(usize),
    #[error("the tree is unstructured")]
    Unstructured,
    #[error("the tree is structured")]
    Structured,
    #[error("{0} ends in a switch")]
    Switch(Block),
    #[error("something else leads to {0}")]
    Reached(Block),
    #[error("both ways out of {0} lead to one block")]
    SameTargets(Block),
    #[error("a loop with several entries, {0} among them")]
    Irreducible(Block),
    #[error("{0} lies deeper than trees are made")]
    Deep(Block),
    #[error("an edge to {0} cannot be written without a variable that says where to go on")]
    NeedsSelector(Block),
}
