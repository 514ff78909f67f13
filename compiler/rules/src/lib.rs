//! Lowering, rewrite and selection rules as rows.
