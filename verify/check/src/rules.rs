//! Every rule of the judges of forms: its name and what it says, once. `docs/invariants.md` is made from this table.

macro_rules! rules {
    ($($group:literal: { $($rule:ident $id:literal $says:literal,)* })*) => {
        /// A rule.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Rule {
            $($(#[doc = $says] $rule,)*)*
        }

        /// Every group of rules: what they are about, and name and sentence of each.
        pub const GROUPS: &[(&str, &[(&str, &str)])] = &[$(($group, &[$(($id, $says)),*])),*];

        impl Rule {
            /// Its name in findings.
            pub const fn id(self) -> &'static str {
                match self {
                    $($(Rule::$rule => $id,)*)*
                }
            }
        }
    };
}

rules! {
    "The intermediate form": {
        IrName "ir-name" "Every block, instruction, value and variable that is named exists.",
        IrSingleDefinition "ir-single-definition" "An instruction stands in one place; a value has one definition and knows it.",
        IrEntry "ir-entry" "The entry has neither parameters nor predecessors.",
        IrEdge "ir-edge" "An edge passes one argument of the right width for each parameter; edges of a switch to one block pass the same.",
        IrGuard "ir-guard" "A guard is one bit wide and stands on an operation without results.",
        IrWidth "ir-width" "Arguments and results have the number and the widths that the operation says.",
        IrParameter "ir-parameter" "Reads of parameters lie inside the parameter block.",
        IrDominance "ir-dominance" "Every path to a use passes its definition.",
    }
    "Machine code": {
        MachineLayout "machine-layout" "The layout lists each block once, the entry first, and every block that is named is in it.",
        MachineEntry "machine-entry" "The entry has neither parameters nor predecessors.",
        MachineEdge "machine-edge" "An edge passes a register of the same class and units for each parameter.",
        MachineShape "machine-shape" "Before placement a block without successors ends the thread, one with one has no branch, one with two ends in a guarded branch to the first.",
        MachineSsa "machine-ssa" "In SSA a virtual register has one definition, which writes all its units and lies on every path to a use.",
        MachineClass "machine-class" "An operand names units that its virtual register has, of the class that the field wants.",
        MachineTied "machine-tied" "The old value of a definition belongs to a register that the instruction writes; after allocation it is that register.",
        MachineVirtual "machine-virtual" "After allocation no virtual register, parameter or argument of an edge is left.",
        MachineAlignment "machine-alignment" "An operand of several registers starts at a multiple of their number.",
        MachineLimit "machine-limit" "Registers lie below the function's limit and inside their file.",
        MachinePseudo "machine-pseudo" "From placement on no pseudo-instruction is left; ParallelCopy and Pack are gone after allocation.",
        MachineFlow "machine-flow" "From placement on branches and falling through lead to exactly the successors, and the last block does not fall off the end.",
        MachineSense "machine-sense" "Placement keeps the condition under which each side of a branch is taken.",
        MachineFrame "machine-frame" "From placement on the entry takes the frame's size off the stack pointer, once, before any use.",
    }
    "Convergence": {
        ConvergeSync "converge-sync" "P2: a BSYNC waits at the barrier that was opened last, and that is open on every path.",
        ConvergeSet "converge-set" "P2: a barrier that is open is not set again.",
        ConvergeMeet "converge-meet" "P2: on all paths to a place from which a barrier is still waited at, the same barriers are open.",
        ConvergeTarget "converge-target" "P1: a BSSY names the place where its BSYNC stands.",
        ConvergeBranch "converge-branch" "P1: at a branch that may diverge, a barrier is open that is waited at where its paths meet, unless they only meet at the end.",
    }
    "The control tree": {
        TreeList "tree-list" "T1: a list is block, node, block, …, block.",
        TreeNode "tree-node" "T2: a node stands in one list under one root and knows it; a block has one node.",
        TreeTerminator "tree-terminator" "T3: a block ends as its place and its jump say.",
        TreeEdge "tree-edge" "T4: an edge passes an argument of the right type for each parameter.",
        TreeJump "tree-jump" "T5: a jump ends the last block of a list; break and continue stand in a loop.",
        TreeGoto "tree-goto" "T6: gotos stand in unstructured trees alone, where each block has a jump, and lead to blocks of the tree.",
        TreeParameter "tree-parameter" "T7: parameters stand behind an if, behind a loop, or on a loop's header.",
        TreeCritical "tree-critical" "T8: no edge is critical, and no block has two edges to one place.",
        TreeReducible "tree-reducible" "T9: the graph is reducible, and its loops start at loops of the tree.",
        TreeStart "tree-start" "T10: the first block of the tree is the function's entry, without parameters and predecessors.",
        TreeOutside "tree-outside" "T11: a block in no list is empty, without edges and without a jump.",
        TreeLoose "tree-loose" "T12: roots are the function's and those of loose lists, and no edge leads from one to another.",
    }
    "Words": {
        WordsCount "words-count" "There is one word for each instruction, and the rest is padding to 128 bytes: a branch to itself and NOPs.",
        WordsDecode "words-decode" "A word decodes to its instruction, control bits and distances of branches included.",
        WordsBits "words-bits" "Encoding what a word decodes to gives the word: no bit is lost.",
        WordsText "words-text" "The text of an instruction, control bits included, reads back as the instruction.",
        WordsControl "words-control" "The control bits of every word are legal.",
    }
    "The container": {
        CubinCode "cubin-code" "Code decodes, and is padded to 128 bytes.",
        CubinRegisters "cubin-registers" "The register count is the highest general register that the code names, plus one, plus what the hardware keeps.",
        CubinExits "cubin-exits" "The offsets of exits are where the code has them.",
        CubinCollectives "cubin-collectives" "The offsets of operations across lanes are where the code has them.",
        CubinBarriers "cubin-barriers" "Every named barrier of the code is declared, and no more.",
        CubinParameters "cubin-parameters" "The parameters lie inside their size, none on another, and the code reads none beyond.",
        CubinShared "cubin-shared" "Shared memory is declared as large as the function says, and where the code accesses it.",
        CubinFunction "cubin-function" "A function has the words, the frame and the size of parameters that were made for it.",
        CubinBranch "cubin-branch" "Branches lead to instructions of their function.",
        CubinAddress "cubin-address" "The code takes addresses from slots that exist.",
    }
}

/// `docs/invariants.md`.
pub fn document() -> String {
    let mut text = String::from(
        "# Invariants\n\nWhat the judges of `verify/check` hold each form to. Made from `verify/check/src/rules.rs`: change it there, and run\n\
         `BLESS=1 cargo test -p sassafras-check --test invariants`. P1 to P5 are those of `docs/convergence.md`.\n",
    );
    for (group, rules) in GROUPS {
        text.push_str(&format!("\n## {group}\n\n| rule | says |\n| --- | --- |\n"));
        for (id, says) in *rules {
            text.push_str(&format!("| `{id}` | {says} |\n"));
        }
    }
    text
}
