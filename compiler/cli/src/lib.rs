//! A session that compiles with judges, and the sassafras binary.
