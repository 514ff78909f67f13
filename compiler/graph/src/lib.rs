//! Entity indices, the ControlFlow trait and every graph algorithm, once.
