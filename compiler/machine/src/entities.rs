//! What has an index.

sassafras_graph::entity!(Block, "b", "A basic block.");
sassafras_graph::entity!(VReg, "v", "A virtual register of 1, 2, 4 or 8 units.");
