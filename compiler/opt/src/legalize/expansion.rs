//! What an operation becomes.

use sassafras_ir::Value;
use smallvec::SmallVec;

/// The values that stand for an instruction's results; `None` if the instruction stays.
pub(super) type Expansion = Option<SmallVec<[Value; 2]>>;
