//! PTX and SASS executors: warps of 32 lanes, convergence, blocks and memory.
