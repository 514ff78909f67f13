//! Faults to inject behind a stage: named, realistic, and well-formed.
