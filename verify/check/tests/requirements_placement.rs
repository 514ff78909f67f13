//! `docs/requirements-placement.md`: each requirement on block placement, and the tests that hold us to it.

mod requirements_page;

use requirements_page::Row;

const CHAINS: &str = "compiler/placement/tests/placement/chains.rs";
const COMPILER: &str = "compiler/cli/tests/profile.rs";
const COMPILER_KNOBS: (&str, &str) = (COMPILER, "mbp_25a_knobs_of_the_compiler");
const SETTLED: (&str, &str) = (COMPILER, "bf_02c_branch_fold_placement_settles_what_depends_on_the_order");
const DUPLICATES: &str = "compiler/placement/tests/placement/duplicates.rs";
const ESTIMATES: &str = "compiler/placement/tests/placement/estimates.rs";
const EVALUATOR: &str = "compiler/placement/tests/placement/evaluator.rs";
const KNOBS: &str = "compiler/placement/tests/placement/knobs.rs";
const ORDERS: &str = "compiler/placement/tests/placement/orders.rs";
const JUDGE: &str = "verify/check/tests/orders.rs";
const DEFAULTS: (&str, &str) = (KNOBS, "mbp_11_and_25_defaults");
const METHODS: (&str, &str) = (KNOBS, "mbp_03_the_order_of_methods");
const WEIGHTS: (&str, &str) = (KNOBS, "mbp_11_weights_and_distances");
const ENDS: (&str, &str) = (JUDGE, "each_fault_in_an_end_is_caught");

const ROWS: &[Row] = &[
    (
        "MBP-01",
        "names of the pass and of its statistics",
        &[
            (ORDERS, "mbp_01_and_25a_statistics_of_branches"),
            (COMPILER, "mbp_01_the_pass_has_its_names"),
            COMPILER_KNOBS,
        ],
        "part of the phase layout, `--disable-phase block-placement`; statistics go to `--report`; one registration",
    ),
    (
        "MBP-02",
        "frequencies, probabilities, loops, post-dominators; hooks",
        &[
            (ESTIMATES, "mbp_02_loops_turn"),
            (ESTIMATES, "mbp_02_traps_are_seldom_and_hints_are_believed"),
            (ESTIMATES, "mbp_02_lanes_that_part_run_both_sides"),
            (ESTIMATES, "mbp_02_what_enters_leaves"),
            (ESTIMATES, "mbp_02_irreducible_cycles_have_frequencies"),
        ],
        "hooks are data: fixed ends, kinds of edges, knobs",
    ),
    (
        "MBP-03",
        "which methods are asked, in which order",
        &[METHODS, (COMPILER, "mbp_03_the_compiler_copies_tails_if_asked")],
        "the compiler copies tails where `--knob tail-dup-placement=true` asks for it; the better order by score is kept (E12)",
    ),
    ("MBP-04", "cost of a taken branch", &[(EVALUATOR, "mbp_04_taken_branches_cost")], ""),
    (
        "MBP-05",
        "fields of a chain",
        &[(CHAINS, "mbp_05_every_block_is_in_the_last_chain_once")],
        "a chain is a vector of blocks",
    ),
    (
        "MBP-06",
        "chains over fall-throughs that cannot be changed",
        &[
            (CHAINS, "mbp_06_only_fixed_fall_throughs_are_kept"),
            (CHAINS, "mbp_06_no_chain_leads_into_the_entry"),
            (ORDERS, "mbp_06_fixed_blocks_keep_their_followers"),
        ],
        "",
    ),
    (
        "MBP-07",
        "chains of loops, cold blocks out of them",
        &[
            (CHAINS, "mbp_07_cold_blocks_leave_their_loop"),
            (CHAINS, "mbp_07_warm_blocks_of_a_loop_stand_together"),
            (CHAINS, "mbp_25d_cold_blocks_are_forced_out_without_a_profile"),
        ],
        "",
    ),
    ("MBP-08", "the best successor", &[(CHAINS, "mbp_08_the_best_successor_follows")], ""),
    (
        "MBP-09",
        "branches rewritten, every target kept",
        &[(ORDERS, "mbp_09_and_28_branches_keep_their_targets"), ENDS],
        "",
    ),
    (
        "MBP-10",
        "scores compared, the better order kept",
        &[(ORDERS, "mbp_10_never_below_the_source"), METHODS],
        "",
    ),
    ("MBP-11", "weights of branches", &[DEFAULTS, WEIGHTS], ""),
    ("MBP-11b", "weights of fall-throughs, distances", &[DEFAULTS, WEIGHTS], ""),
    ("MBP-11c", "limits of merging", &[DEFAULTS, (KNOBS, "mbp_11c_limits_of_merging"), METHODS], ""),
    ("MBP-12", "order of functions", &[], "nothing orders functions yet"),
    (
        "MBP-13",
        "no tail duplication where lanes part",
        &[
            (DUPLICATES, "mbp_13_nothing_is_copied_where_lanes_part"),
            (COMPILER, "mbp_03_the_compiler_copies_tails_if_asked"),
        ],
        "",
    ),
    (
        "MBP-14",
        "when other orders are proposed",
        &[
            (EVALUATOR, "mbp_14_the_gate"),
            (EVALUATOR, "mbp_25c_branch_fold_placement_asks_for_proposals"),
            SETTLED,
        ],
        "tails are merged before placement (decision 56); what depends on the order is settled behind it",
    ),
    (
        "MBP-15",
        "state of the evaluator",
        &[(EVALUATOR, "mbp_17_proposals_are_cheaper_and_keep_no_state")],
        "a value that borrows the flow and keeps nothing",
    ),
    ("MBP-16", "three modes", &[(EVALUATOR, "mbp_16_the_mode_has_three_values")], ""),
    (
        "MBP-17",
        "propose, score, accept",
        &[
            (EVALUATOR, "mbp_17_proposals_are_cheaper_and_keep_no_state"),
            (EVALUATOR, "mbp_17_the_threshold"),
            (EVALUATOR, "mbp_29_distance_to_the_meeting_place_costs_on_older_chips"),
        ],
        "the threshold is cost for each run of the function",
    ),
    (
        "MBP-18",
        "costs by chip",
        &[
            (EVALUATOR, "mbp_18_indices_of_chips"),
            (EVALUATOR, "mbp_29_distance_to_the_meeting_place_costs_on_older_chips"),
        ],
        "",
    ),
    (
        "MBP-19",
        "one cost for placement and register allocation",
        &[(EVALUATOR, "mbp_19_the_cost_serves_others")],
        "allocation splits no block, so it has nothing to ask: spilled values are stored and reloaded within their blocks",
    ),
    (
        "MBP-20",
        "threshold of tail duplication",
        &[(DUPLICATES, "mbp_20_the_threshold"), (DUPLICATES, "mbp_20_a_small_end_is_copied")],
        "",
    ),
    (
        "MBP-21",
        "loops turned, simply and precisely",
        &[(CHAINS, "mbp_21_basic_rotation"), (CHAINS, "mbp_21_precise_rotation")],
        "",
    ),
    ("MBP-22", "no split of a function", &[(ORDERS, "mbp_22_cold_blocks_stand_last_in_the_one_order")], ""),
    ("MBP-23", "conditions turned around", &[(ORDERS, "mbp_23_conditions_are_turned_around"), ENDS], ""),
    ("MBP-24", "alignment", &[(KNOBS, "mbp_24_alignment")], ""),
    (
        "MBP-25a",
        "disable-block-placement, statistics, renumbering for a view",
        &[DEFAULTS, METHODS, COMPILER_KNOBS],
        "",
    ),
    (
        "MBP-25b",
        "knobs of tail duplication",
        &[
            DEFAULTS,
            (DUPLICATES, "mbp_25b_knobs_of_tail_duplication"),
            (DUPLICATES, "mbp_25b_triangles_in_a_row"),
        ],
        "",
    ),
    (
        "MBP-25c",
        "branch-fold-placement, costs, bias of exits",
        &[
            DEFAULTS,
            (EVALUATOR, "mbp_25c_branch_fold_placement_asks_for_proposals"),
            (CHAINS, "mbp_25c_a_branch_without_a_cost_moves_nothing"),
            (CHAINS, "mbp_25c_the_exit_bias_keeps_the_first_exit"),
        ],
        "",
    ),
    (
        "MBP-25d",
        "cold blocks, precise rotation",
        &[
            DEFAULTS,
            (CHAINS, "mbp_07_cold_blocks_leave_their_loop"),
            (CHAINS, "mbp_25d_cold_blocks_are_forced_out_without_a_profile"),
            (CHAINS, "mbp_21_precise_rotation"),
        ],
        "",
    ),
    ("MBP-25e", "knobs of alignment", &[DEFAULTS, (KNOBS, "mbp_24_alignment")], ""),
    (
        "MBP-25f",
        "when ext-TSP is asked",
        &[
            DEFAULTS,
            METHODS,
            (KNOBS, "mbp_25f_orders_for_size_have_fewer_branches"),
            (COMPILER, "mbp_25f_the_compiler_orders_for_size_if_asked"),
        ],
        "no option compiles for size: the knob alone decides",
    ),
    ("MBP-26", "no state between functions", &[(ORDERS, "mbp_26_nothing_stays_between_functions")], ""),
    (
        "MBP-27",
        "structured regions stay together",
        &[(ORDERS, "mbp_27_structured_regions_stay_together"), (JUDGE, "each_fault_in_an_order_is_caught")],
        "when asked for (E16)",
    ),
    (
        "MBP-28",
        "branches only where nothing falls through",
        &[(ORDERS, "mbp_09_and_28_branches_keep_their_targets"), ENDS],
        "",
    ),
    (
        "MBP-29",
        "distance to where lanes meet",
        &[(EVALUATOR, "mbp_29_distance_to_the_meeting_place_costs_on_older_chips")],
        "",
    ),
];

/// Every id of section 1.1 of the requirements; three have parts.
fn ids() -> Vec<String> {
    let mut ids = Vec::new();
    for number in 1..=29 {
        match number {
            11 => ids.extend(["MBP-11", "MBP-11b", "MBP-11c"].map(String::from)),
            25 => ids.extend(["a", "b", "c", "d", "e", "f"].map(|part| format!("MBP-25{part}"))),
            _ => ids.push(format!("MBP-{number:02}")),
        }
    }
    ids
}

fn document() -> String {
    requirements_page::document(
        "# Requirements on block placement, and their tests\n\nMade from `verify/check/tests/requirements_placement.rs`, which fails if a test does not exist. The last column says what\n\
         is missing of a requirement, or stands in its place; one without a test is missing altogether.\n\n\
         | id | asks | shown by | missing, or instead |",
        ROWS,
    )
}

#[test]
fn every_test_exists_and_what_has_none_is_said_to_be_missing() {
    let listed: Vec<&str> = ROWS.iter().map(|row| row.0).collect();
    assert_eq!(listed, ids());
    for (id, _, tests, instead) in ROWS {
        assert!(!tests.is_empty() || !instead.is_empty(), "{id} has no test, and no word on why");
    }
    requirements_page::tests_exist(ROWS);
}

#[test]
fn the_page_is_made_from_the_table() {
    requirements_page::page("requirements-placement", "requirements_placement", &document());
}
