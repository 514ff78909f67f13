//! What names the parts of a module.

use sassafras_graph::entity;

entity!(Block, "bb", "A basic block.");
entity!(Inst, "i", "An instruction.");
entity!(Value, "v", "An SSA value.");
entity!(VariableId, "g", "A variable of the module or of a function.");
