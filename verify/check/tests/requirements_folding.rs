//! `docs/requirements-folding.md`: each requirement on branch folding, and the tests that hold us to it.

mod requirements_page;

use requirements_page::Row;

const WHOLE: &str = "compiler/codegen/tests/folding/whole.rs";
const KNOBS: &str = "compiler/codegen/tests/folding/knobs.rs";
const TAILS: &str = "compiler/codegen/tests/folding/tails.rs";
const BRANCHES: &str = "compiler/codegen/tests/folding/branches.rs";
const HOISTING: &str = "compiler/codegen/tests/folding/hoisting.rs";
const GATES: &str = "compiler/codegen/tests/folding/gates.rs";
const LANES: &str = "compiler/codegen/tests/folding/lanes.rs";
const REDUCIBLE: &str = "compiler/codegen/tests/folding/reducible.rs";
const PROFILE: &str = "compiler/cli/tests/profile.rs";
const IFCVT: &str = "compiler/opt/tests/if_convert.rs";

const ROWS: &[Row] = &[
    (
        "BF-01",
        "name, needs, fixed point",
        &[(WHOLE, "bf_01_name_and_needs"), (WHOLE, "bf_01_a_fixed_point")],
        "before placement (decision 56); there are no jump tables",
    ),
    (
        "BF-02a",
        "disable-branch-fold, enable-tail-merge",
        &[
            (KNOBS, "bf_02_the_defaults"),
            (KNOBS, "bf_02a_disable_branch_fold"),
            (KNOBS, "bf_02a_enable_tail_merge"),
        ],
        "",
    ),
    (
        "BF-02b",
        "tail-merge-threshold, tail-merge-size",
        &[
            (KNOBS, "bf_02_the_defaults"),
            (KNOBS, "bf_02b_tail_merge_threshold"),
            (KNOBS, "bf_02b_tail_merge_size"),
        ],
        "",
    ),
    (
        "BF-02c",
        "branch-fold-placement, ifcvt-branch-fold, disable-nvptx-require-structured-cfg",
        &[
            (KNOBS, "bf_02c_disable_nvptx_require_structured_cfg"),
            (IFCVT, "bf_02c_ifcvt_branch_fold"),
            (BRANCHES, "bf_09_6_a_block_that_ends_goes_to_the_end"),
            (PROFILE, "bf_02c_branch_fold_placement_settles_what_depends_on_the_order"),
        ],
        "`branch-fold-placement` is one of placement's knobs",
    ),
    ("BF-03", "tails are merged on this target", &[(TAILS, "bf_03_tails_are_merged_by_default")], ""),
    (
        "BF-04",
        "phases A and B",
        &[
            (TAILS, "bf_04_phase_a_blocks_that_end_the_thread"),
            (TAILS, "bf_04_phase_b_branches_are_read_as_leading_away"),
            (TAILS, "bf_04_phase_b_skips_loops_of_one_block"),
        ],
        "there are no landing pads and no asm that branches",
    ),
    (
        "BF-05",
        "pairs within a hash, one copy",
        &[(TAILS, "bf_05_a_group_shares_one_copy"), (TAILS, "bf_05_a_block_that_is_the_tail_is_used")],
        "",
    ),
    ("BF-06", "the hash", &[(TAILS, "bf_06_the_hash")], ""),
    (
        "BF-07",
        "the common length",
        &[(TAILS, "bf_07_the_common_length"), (TAILS, "bf_07_lines_do_not_count")],
        "",
    ),
    (
        "BF-08",
        "order of merges",
        &[(TAILS, "bf_08_pairs_without_a_branch_come_first")],
        "then the longest tail, then block numbers",
    ),
    (
        "BF-09",
        "six cases of branches",
        &[
            (BRANCHES, "bf_09_1_empty_blocks_go"),
            (BRANCHES, "bf_09_2_a_branch_to_one_place_is_none"),
            (BRANCHES, "bf_09_3_a_block_joins_its_only_successor"),
            (BRANCHES, "bf_09_4_a_branch_to_the_next_block_goes"),
            (BRANCHES, "bf_09_5_a_condition_is_turned_around_to_fall_through"),
            (BRANCHES, "bf_09_6_a_block_that_ends_goes_to_the_end"),
            (BRANCHES, "bf_09_each_success_is_followed"),
        ],
        "an empty block that keeps two loops apart stays",
    ),
    (
        "BF-10",
        "equal beginnings hoisted, legality",
        &[
            (HOISTING, "bf_10_equal_beginnings_move_up"),
            (HOISTING, "bf_10_what_may_not_move"),
            (HOISTING, "bf_10_both_sides_are_reached_from_the_branch_alone"),
        ],
        "",
    ),
    (
        "BF-11",
        "four gates in order",
        &[
            (GATES, "bf_11_gate_1_the_length"),
            (GATES, "bf_11_gate_2_the_branch"),
            (GATES, "bf_11_gate_3_reserved_registers"),
            (GATES, "bf_11_gate_4_the_profit"),
            (GATES, "bf_11_the_order_of_the_gates"),
        ],
        "",
    ),
    (
        "BF-12",
        "any reserved register rejects all",
        &[(GATES, "bf_12_any_hit_rejects_all"), (KNOBS, "bf_12_fold_reserved_registers")],
        "a table in place of bits of a mask",
    ),
    (
        "BF-13",
        "63 reserved registers",
        &[(GATES, "bf_13_the_63_registers"), (GATES, "bf_13_the_stack_pointer")],
        "`compiler/codegen/src/fold/reserved.csv`",
    ),
    ("BF-14", "live-ins without reserved registers", &[(GATES, "bf_14_live_ins_of_a_tail")], ""),
    (
        "BF-15",
        "convergent operations end the tail",
        &[
            (LANES, "bf_15_convergent_operations_end_the_tail"),
            (LANES, "bf_15_all_branches_on_the_way_count"),
            (LANES, "bf_15_uniform_branches_are_not_shared_by_lanes_that_part"),
            (LANES, "bf_15_nothing_across_lanes_is_cut_from_its_warpsync"),
            (LANES, "bf_15_registers_of_the_warp_do_not_cross_into_a_tail"),
        ],
        "unless no lanes part on the way (E24)",
    ),
    (
        "BF-16",
        "references of reconvergence follow",
        &[(LANES, "bf_16_barriers_come_later")],
        "barriers are placed behind folding (decision 56)",
    ),
    ("BF-17", "what was done", &[(WHOLE, "bf_17_what_was_done")], "statistics and a list of merges"),
    ("BF-18", "bound and end", &[(WHOLE, "bf_18_the_bound")], ""),
    (
        "2.1",
        "the condition on reducibility",
        &[
            (REDUCIBLE, "the_counterexample_is_left_alone"),
            (REDUCIBLE, "the_only_way_into_a_loop_may_be_merged_with_its_back_edge"),
            (REDUCIBLE, "every_graph_of_four_blocks"),
            (REDUCIBLE, "random_graphs"),
            (REDUCIBLE, "every_graph_of_five_blocks"),
            (REDUCIBLE, "a_hundred_thousand_random_graphs"),
        ],
        "the last two are `cargo xtask long folding`",
    ),
];

/// Every id of section 1.4 of the requirements, of which one has parts, and section 2.1.
fn ids() -> Vec<String> {
    let parts = ["BF-02a", "BF-02b", "BF-02c"].map(String::from);
    let rest = (3..=18).map(|number| format!("BF-{number:02}"));
    ["BF-01".to_owned()].into_iter().chain(parts).chain(rest).chain(["2.1".to_owned()]).collect()
}

fn document() -> String {
    requirements_page::document(
        "# Requirements on branch folding, and their tests\n\nMade from `verify/check/tests/requirements_folding.rs`, which fails if a test does not exist. The last column says what\n\
         is missing of a requirement, or stands in its place.\n\n\
         | id | asks | shown by | missing, or instead |",
        ROWS,
    )
}

#[test]
fn every_test_exists() {
    let listed: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(listed, ids());
    for (id, _, tests, _) in ROWS {
        assert!(!tests.is_empty(), "{id} has no test");
    }
    requirements_page::tests_exist(ROWS);
}

#[test]
fn the_page_is_made_from_the_table() {
    requirements_page::page("requirements-folding", "requirements_folding", &document());
}
