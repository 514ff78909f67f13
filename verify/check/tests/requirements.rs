//! `docs/requirements-control-flow.md`: each requirement on control flow, and the tests that hold us to it.

mod requirements_page;

use requirements_page::Row;

const GRAPHS: &str = "verify/check/tests/graphs.rs";
const DUMP: &str = "compiler/graph/src/dump.rs";
const ENTRY: &str = "compiler/opt/tests/single_entry.rs";
const OPTIONS: &str = "compiler/cli/tests/graph.rs";
const TREES: &str = "verify/check/tests/trees.rs";
const TREE: &str = "compiler/ir/tests/tree.rs";
const LOCKSTEP: &str = "verify/check/tests/lockstep/main.rs";
const TWINS: &str = "verify/check/tests/lockstep/twins.rs";
const FORMS: &str = "verify/check/tests/forms/faults.rs";
const SMALL: (&str, &str) = (GRAPHS, "every_graph_of_up_to_five_blocks");
const RANDOM: (&str, &str) = (GRAPHS, "random_graphs_of_up_to_twelve_blocks");
const EDITOR: (&str, &str) = (ENTRY, "the_editor_keeps_both_views_and_its_analyses");
const EDITS: (&str, &str) = (TREE, "every_edit_keeps_the_invariants_or_is_refused_and_changes_nothing");
const JUDGED: (&str, &str) = (TREES, "every_edit_leaves_a_tree_that_passes");
const CAUGHT: (&str, &str) = (TREES, "each_fault_is_caught_wherever_it_is_planted");
const FAULTS: (&str, &str) = (FORMS, "each_is_caught_wherever_it_is_planted");

const ROWS: &[Row] = &[
    (
        "CFG-01",
        "dense block indices, bix0 the entry without predecessors",
        &[(DUMP, "the_documents_samples_to_the_letter"), (DUMP, "unreached_blocks_have_no_number"), FAULTS],
        "",
    ),
    (
        "CFG-02",
        "fields of a block",
        &[EDITOR],
        "blocks, instructions and edges are arenas (`ir::Function`, `machine::Function`)",
    ),
    (
        "CFG-03",
        "two linked representations, one count",
        &[EDITOR],
        "one arena, whose length is the one count (E2)",
    ),
    ("CFG-04", "both views of an edge agree", &[EDITOR], ""),
    ("CFG-05", "FNV-1a of a block index", &[("compiler/graph/src/hash.rs", "by_its_definition")], ""),
    ("CFG-06", "hash map of edges", &[EDITOR], "edges are lists by block index; predecessors a sorted map"),
    (
        "CFG-07",
        "growth of the hash map",
        &[("compiler/graph/src/hash.rs", "by_its_definition")],
        "no map of our own grows; buckets are powers of two",
    ),
    ("CFG-08", "AnalyzeControlFlow, and again after each change", &[EDITOR, SMALL], ""),
    (
        "CFG-09",
        "how blocks end, and which edges follow",
        &[FAULTS, ("compiler/machine/src/flow.rs", "what_transfers_control_comes_last")],
        "",
    ),
    (
        "CFG-10",
        "SetControlFlowOpLastInBB",
        &[("compiler/machine/src/flow.rs", "what_transfers_control_comes_last")],
        "",
    ),
    ("CFG-11", "reverse post-order with a stack of its own", &[SMALL, RANDOM], ""),
    ("CFG-12", "growth of the order's array", &[SMALL], "the library's vectors grow"),
    (
        "CFG-13",
        "dump of edges",
        &[
            (DUMP, "one_line_for_each_edge_and_none_for_what_is_not_reached"),
            (OPTIONS, "graphs_of_a_compilation"),
        ],
        "",
    ),
    (
        "CFG-14",
        "dump of reverse post-order and back edges",
        &[(DUMP, "the_documents_samples_to_the_letter"), (OPTIONS, "graphs_of_a_compilation")],
        "",
    ),
    (
        "CFG-15",
        "dump for Graphviz",
        &[(DUMP, "the_documents_samples_to_the_letter"), (OPTIONS, "graphs_of_a_compilation")],
        "",
    ),
    ("CFG-16", "orders behind the picture", &[(OPTIONS, "graphs_of_a_compilation")], ""),
    ("CFG-17", "retreating edges", &[SMALL, RANDOM], ""),
    ("CFG-18", "natural loops and their nest", &[SMALL, RANDOM], ""),
    (
        "CFG-19",
        "LoopMakeSingleEntry and its gate",
        &[
            (ENTRY, "traces_stay_and_the_graph_becomes_reducible"),
            (OPTIONS, "a_loop_has_one_entry_unless_the_phase_is_left_out"),
        ],
        "",
    ),
    ("CFG-20", "dominators equal the iteration over bit vectors", &[SMALL, RANDOM], ""),
    (
        "CFG-21",
        "cold blocks leave loops and go last",
        &[(OPTIONS, "cold_blocks_stand_last_unless_the_phase_is_left_out")],
        "",
    ),
    (
        "CFG-22",
        "MarkAdditionalColdBlocks",
        &[(OPTIONS, "cold_blocks_stand_last_unless_the_phase_is_left_out")],
        "",
    ),
    (
        "CFG-23",
        "PlaceBlocksInSourceOrder: branches and falling through lead to the successors",
        &[FAULTS, (FORMS, "the_sense_of_branches_is_kept")],
        "",
    ),
    ("CFG-24", "-no-bb-merge and its help text", &[(OPTIONS, "blocks_are_merged_unless_asked_not_to")], ""),
    ("CFG-25", "several exits", &[SMALL, RANDOM], ""),
    (
        "CFG-26",
        "every change keeps everything up to date",
        &[EDITOR, (ENTRY, "passes_leave_edges_to_the_editor")],
        "",
    ),
    ("CFG-27", "splitting a block", &[EDITOR], ""),
    (
        "CFG-28",
        "passes that rebuild parts of the graph",
        &[
            EDITOR,
            (ENTRY, "passes_leave_edges_to_the_editor"),
            ("compiler/opt/tests/random.rs", "passes_keep_results"),
            ("compiler/opt/tests/corpus.rs", "every_file_becomes_selectable"),
        ],
        "",
    ),
    ("NIR-01", "node kinds", &[CAUGHT, JUDGED], ""),
    ("NIR-02", "shape of a list", &[CAUGHT, JUDGED], ""),
    ("NIR-03", "if: condition, hint, two lists", &[CAUGHT, EDITS], ""),
    ("NIR-04", "loop: body, hints, left only by break", &[CAUGHT, EDITS], ""),
    (
        "NIR-05",
        "block: successors, predecessors, dominance by interval",
        &[SMALL, JUDGED, (TREES, "analyses_are_of_the_tree_as_it_stands")],
        "",
    ),
    ("NIR-06", "start block and end block", &[CAUGHT, JUDGED], ""),
    ("NIR-07", "jumps", &[CAUGHT, EDITS], ""),
    ("NIR-08", "unstructured functions", &[CAUGHT], ""),
    ("NIR-09", "no critical edges", &[(TREES, "what_only_the_graph_shows_is_caught"), JUDGED], ""),
    (
        "NIR-10",
        "convergent operations stay under their conditions",
        &[
            (LOCKSTEP, "lanes_are_together_as_in_lock_step"),
            (TWINS, "a_loop_in_a_loop_is_no_continue"),
            ("compiler/opt/tests/if_convert.rs", "what_must_stay_under_its_branch_stays"),
        ],
        "",
    ),
    ("NIR-11", "cursors", &[EDITS], ""),
    ("NIR-12", "insert, extract, reinsert, delete, clone", &[EDITS, JUDGED], ""),
    ("NIR-13", "wrappers of these", &[EDITS, JUDGED], ""),
    ("NIR-14", "where parameters stand", &[CAUGHT, JUDGED], ""),
    ("NIR-15", "arguments stay one to one with predecessors", &[CAUGHT, JUDGED], ""),
    ("NIR-16", "invalid edits are refused", &[EDITS], ""),
];

/// Every id that section 1.0 and 1.3 of the requirements name.
fn ids() -> Vec<String> {
    let numbered = |name: &str, last: u32| (1..=last).map(|n| format!("{name}-{n:02}")).collect::<Vec<_>>();
    [numbered("CFG", 28), numbered("NIR", 16)].concat()
}

fn document() -> String {
    requirements_page::document(
        "# Requirements on control flow, and their tests\n\nMade from `verify/check/tests/requirements.rs`, which fails if an id lacks a test or a test does not exist. A third\n\
         column says what stands in the place of a data structure that nobody outside can see.\n\n\
         | id | asks | shown by | instead |",
        ROWS,
    )
}

#[test]
fn every_requirement_has_a_test_that_exists() {
    let root = sassafras_reference::workspace_root();
    let listed: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(listed, ids());
    for (id, _, tests, _) in ROWS {
        assert!(!tests.is_empty(), "{id} has no test");
        for (file, name) in *tests {
            let text =
                std::fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{id}: {file}: {e}"));
            assert!(text.contains("#[test]"), "{id}: {file} holds no test");
            assert!(text.contains(&format!("fn {name}(")), "{id}: {file} has no `{name}`");
        }
    }
}

#[test]
fn the_page_is_made_from_the_table() {
    requirements_page::page("requirements-control-flow", "requirements", &document());
}
