//! NVIDIA's own tools, LLVM and solvers: fetched, versioned, used when present and skipped aloud when not.
