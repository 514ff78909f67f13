//! Operations on floats, as far as assumptions tell them from others.

use sassafras_semantics::term::Node;

/// Whether an operation computes with floats: A-FP. What moves bits or asks what they are (a relation is exact) does not.
pub fn is_float(node: &Node) -> bool {
    matches!(
        node,
        Node::Float { .. }
            | Node::FloatToFloat { .. }
            | Node::FloatToInt { .. }
            | Node::IntToFloat { .. }
            | Node::Approximate { .. }
    )
}
