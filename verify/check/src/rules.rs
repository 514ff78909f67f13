//! Every rule of the judges of forms: its name and what it says, once. `docs/invariants.md` is made from this table.
//!
//! Those of hazards stand in their own crate, which this table hands on.
//!
//! Each has a file that its judge accepts and one that it rejects, in `tests/files/cases/rules`.

use sassafras_hazards::rules::HAZARDS;

sassafras_hazards::rules! {
    "The intermediate form": {
        IrName "ir-name" "Every block, instruction, value and variable that is named exists.",
        IrSingleDefinition "ir-single-definition" "An instruction stands in one place; a value has one definition and knows it.",
        IrEntry "ir-entry" "The entry has neither parameters nor predecessors.",
        IrEdge "ir-edge" "An edge passes one argument of the right width for each parameter; edges of a switch to one block pass the same.",
        IrGuard "ir-guard" "A guard is one bit wide and stands on a load, which has a value for each result where the guard fails, or on an operation without results.",
        IrWidth "ir-width" "Arguments and results have the number and the widths that the operation says.",
        IrParameter "ir-parameter" "Reads of parameters lie inside the parameter block.",
        IrDominance "ir-dominance" "Every path to a use passes its definition.",
        IrReducible "ir-reducible" "Behind `LoopMakeSingleEntry` every cycle has one entry, which dominates it.",
    }
    "Lowering": {
        LowerMeaning "lower-meaning" "On launches that the PTX gives one meaning, the IR ends the same way, leaves the same memory, accesses the same bytes and makes the same calls, and each thread does the same in the same order of what others see: fences, ordered accesses, atomics, barriers, operations across lanes.",
    }
    "Machine code": {
        MachineLayout "machine-layout" "The layout lists each block once, the entry first, and every block that is named is in it.",
        MachineEntry "machine-entry" "The entry has neither parameters nor predecessors.",
        MachineEdge "machine-edge" "An edge passes a register of the same class and units for each parameter.",
        MachineShape "machine-shape" "Before placement a block without successors ends the thread, one with one has no branch, one with two ends in a guarded branch to the first.",
        MachineCritical "machine-critical" "Between `prepare` and `allocate` no edge leads from a block with several successors to one with several predecessors.",
        MachineSsa "machine-ssa" "In SSA a virtual register has one definition, which writes all its units and lies on every path to a use.",
        MachineClass "machine-class" "An operand names units that its virtual register has, of the class that the field wants.",
        MachineTied "machine-tied" "The old value of a definition belongs to a register that the instruction writes; after allocation it is that register.",
        MachineVirtual "machine-virtual" "After allocation no virtual register, parameter or argument of an edge is left.",
        MachineAlignment "machine-alignment" "An operand of several registers starts at a multiple of their number.",
        MachineLimit "machine-limit" "Registers lie below the function's limit and inside their file.",
        MachinePseudo "machine-pseudo" "From placement on no pseudo-instruction is left; ParallelCopy and Pack are gone after allocation.",
        MachineFlow "machine-flow" "From placement on branches and falling through lead to exactly the successors, and the last block does not fall off the end.",
        MachineSense "machine-sense" "Placement keeps the condition under which each side of a branch is taken.",
        MachineLiveIn "machine-live-in" "Of the registers that are the compiler's own nothing is live into the entry: the stack pointer where there is a frame, uniform registers and predicates, convergence barriers.",
        MachineUniformBranch "machine-uniform-branch" "A branch that is marked uniform has a condition on which all lanes agree that execute it together.",
        MachineUniformValue "machine-uniform-value" "P5: what is written to a uniform register or predicate is the same in all lanes that execute the instruction, guard included.",
        MachineUniformPlace "machine-uniform-place" "P5: where lanes are apart, a uniform register gets what is fixed for the warp, or is read at once; and nobody there writes one that others read.",
        MachineFrame "machine-frame" "From placement on the entry takes the frame's size off the stack pointer, once, before any use.",
    }
    "Convergence": {
        ConvergeSync "converge-sync" "P2: a BSYNC waits at the barrier that was opened last, and that is open on every path.",
        ConvergeSet "converge-set" "P2: a barrier that is open is not set again.",
        ConvergeBreak "converge-break" "P2: a BREAK leaves a barrier that is open, with all lanes.",
        ConvergeMeet "converge-meet" "P2: on all paths to a place from which a barrier is still waited at, the same barriers are open.",
        ConvergeTarget "converge-target" "P1: a BSSY names the place where its BSYNC stands.",
        ConvergeBranch "converge-branch" "P1: at a branch that may diverge, barriers are open that are waited at at its meeting place and at those of the loops that lanes leave apart because of it.",
        ConvergeWait "converge-wait" "P2: no two barriers wait for each other: if lanes wait at one while they are in another, then nowhere the other way round, nor through further barriers.",
        ConvergeBarrier "converge-barrier" "C14: in and behind loops in which a BSYNC may let lanes go early, a barrier of the block stands behind a WARPSYNC of all lanes, on every path since; so does one from which a branch may keep lanes that end without it.",
        ConvergeMasked "converge-masked" "O4, O6: there lanes wait at a WARPSYNC in no convergence barrier.",
        ConvergeEarly "converge-early" "C13: there an operation across lanes stands behind a WARPSYNC, on every path since.",
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
        TreeKnown "tree-known" "T13: what is known of dominance and loops is of the tree as it stands, not as it was before an edit.",
    }
    "Allocation": {
        AllocationShape "allocation-shape" "Blocks, successors and instructions stay as they were, but for registers; moves of values may go, and moves, spills, reloads and repeated constants may come. Registers are real, aligned and within the limit.",
        AllocationUse "allocation-use" "Each use reads a location that surely holds the value that it named, on every path, through moves, spills and parts.",
        AllocationOverlap "allocation-overlap" "No two results of an instruction go to one register.",
        AllocationSlot "allocation-slot" "Spills and reloads lie inside the spill area, on whole words.",
        AllocationAdded "allocation-added" "An instruction of the hardware that was added writes registers and does nothing else.",
    }
    "The order of blocks": {
        OrderBlock "order-block" "An order holds each block once, and nothing else.",
        OrderEntry "order-entry" "The entry comes first.",
        OrderFixed "order-fixed" "Behind a block whose end cannot be rewritten stands what it falls into.",
        OrderCold "order-cold" "Where it was asked for, nothing that is not cold stands behind a cold block.",
        OrderRegion "order-region" "Where it was asked for, the blocks of a structured region stand together.",
        OrderScore "order-score" "The score is that of the order by its definition, and not below that of the source's order.",
        OrderEnding "order-ending" "A block's end leads to exactly its successors under their conditions, falls into what stands behind it, and never branches there.",
    }
    "Branch folding": {
        FoldingPath "folding-path" "Branch folding and tail duplication leave each path its instructions, operands, guards and modifiers included, and the conditions under which it is taken.",
        FoldingMerge "folding-merge" "What is recorded as merged was equal and had equal successors, and nothing else became one.",
        FoldingExact "folding-exact" "A merge keeps the graph reducible by EXACT: of the tails that become one, a successor dominates all or none, or nothing leads to it without those that it does not dominate.",
        FoldingReducible "folding-reducible" "A reducible graph stays reducible (T1 and T2).",
        FoldingTogether "folding-together" "P4: what looks at other lanes is executed by the same lanes together as before: no branch that may diverge leads to what became one, or to copies of one, on different sides.",
        FoldingBarrier "folding-barrier" "BSYNC and BREAK that became one belong to the same BSSYs.",
        FoldingReserved "folding-reserved" "No merged tail reads a reserved register, unless that was asked for.",
    }
    "Schedule": {
        ScheduleBlocks "schedule-blocks" "The blocks keep their order.",
        ScheduleFrame "schedule-frame" "Frame, shared memory, entry and virtual registers stay as they were.",
        ScheduleSuccessors "schedule-successors" "Each block keeps its successors and parameters.",
        ScheduleInstructions "schedule-instructions" "Each block has the instructions that it had, behind allocation but for control bits and added NOPs.",
        ScheduleDependence "schedule-dependence" "Two instructions of which one writes a register that the other reads or writes keep their order.",
        ScheduleMemory "schedule-memory" "Two accesses that may touch the same bytes, of which one writes, keep their order, as does what has an effect on control or other threads.",
    } then HAZARDS
    "Words": {
        WordsCount "words-count" "There is one word for each instruction, and the rest is padding to 128 bytes: a branch to itself and NOPs.",
        WordsDecode "words-decode" "A word decodes to its instruction, control bits and distances of branches included.",
        WordsBits "words-bits" "Encoding what a word decodes to gives the word: no bit is lost.",
        WordsText "words-text" "The text of an instruction, control bits included, reads back as the instruction.",
        WordsControl "words-control" "The control bits of every word are legal.",
        RoutineCall "routine-call" "A call of a routine goes to the routine that it names, and its return address, set in the segment in front of it, is the word behind it.",
        RoutineRegisters "routine-registers" "A routine writes no register but those that the convention gives it, and touches no memory.",
        RoutineReturn "routine-return" "A routine is one segment, and ends by a return to the address that it was given.",
        RoutineHazard "routine-hazard" "Into a routine and back, every result is ready when it is read.",
    }
    "The container": {
        CubinCode "cubin-code" "Code decodes, and is padded to 128 bytes.",
        CubinRegisters "cubin-registers" "The register count is the highest general register that the code names, plus one, plus what the hardware keeps.",
        CubinLaunch "cubin-launch" "A block of the size that an entry is bound to has its registers on one multiprocessor.",
        CubinExits "cubin-exits" "The offsets of exits are where the code has them.",
        CubinCollectives "cubin-collectives" "The offsets of operations across lanes are where the code has them.",
        CubinBarriers "cubin-barriers" "Every named barrier of the code is declared, and no more.",
        CubinParameters "cubin-parameters" "The parameters lie inside their size, none on another, and the code reads none beyond.",
        CubinShared "cubin-shared" "Shared memory is declared as large as the function says; a launch may add to it.",
        CubinSection "cubin-section" "A section has the type and the rights that go with its name.",
        CubinSegment "cubin-segment" "Each section that takes memory is loaded by one segment with the section's rights, and a segment loads nothing else.",
        CubinConstants "cubin-constants" "The constant bank of a kernel ends where its parameters end.",
        CubinStack "cubin-stack" "The stack that a kernel asks for holds its frame, and the frames of what it calls.",
        CubinFunction "cubin-function" "A function has the words, the frame and the size of parameters that were made for it.",
        CubinBranch "cubin-branch" "Branches lead to instructions of their function.",
        CubinAddress "cubin-address" "The code takes addresses from slots that exist.",
    }
    "Line information": {
        LinesShape "lines-shape" "A line program decodes; each of its sequences begins at a function, with rising addresses, and ends where the function ends; rows name files that exist; rows of calls come before those of inlined code.",
        LinesPlace "lines-place" "The row of a word says what the `.loc` says that holds for its line of PTX: file, line, and the calls around inlined code.",
        LinesPtx "lines-ptx" "The row of a word in `.nv_debug_line_sass` says the line of PTX that it was made from, and `.nv_debug_ptx_txt` has that line.",
        LinesKept "lines-kept" "A phase of machine code keeps the line of each instruction that it keeps.",
    }
}

/// `docs/invariants.md`.
pub fn document() -> String {
    let mut text = String::from(
        "# Invariants\n\nWhat the judges of `verify/check` hold each form to. Made from `verify/check/src/rules.rs` and `verify/hazards/src/rules.rs`: change it there, and run\n\
         `BLESS=1 cargo test -p sassafras-check --test invariants`. P1 to P5 are those of `docs/convergence.md`.\n\
         A rule `RULE` has a file that its judge accepts and one that it rejects: `tests/files/cases/rules/RULE`.\n",
    );
    for (group, rules) in GROUPS {
        let head = "| rule | says |\n| --- | --- |";
        text.push_str(&format!("\n## {group}\n\n{head}\n"));
        for (id, says) in *rules {
            text.push_str(&format!("| `{id}` | {says} |"));
            text.push('\n');
        }
    }
    text
}
