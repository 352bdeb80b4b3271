import pytest

from legacy_towers.measure.overlap import Overlap, merged, overlap_of


@pytest.mark.parametrize("intervals, union", [
    ([], []),
    ([(0, 3), (2, 5), (7, 9)], [(0, 5), (7, 9)]),
    ([(7, 9), (0, 3)], [(0, 3), (7, 9)]),
    ([(0, 9), (2, 3)], [(0, 9)]),
    ([(0, 3), (3, 5)], [(0, 5)]),
    ([(4, 4), (6, 5)], []),
], ids=["none", "overlapping", "unsorted", "nested", "touching", "empty"])
def test_merged(intervals, union):
    assert merged(intervals) == union


@pytest.mark.parametrize("towers, shared, per_tower", [
    # 0 . . . . 5
    #     2 . . . . . . 10    3 of 10 together
    ({0: [(0, 5)], 1: [(2, 10)]}, 0.3, {0: 0.5, 1: 0.8}),
    ({0: [(0, 5)], 1: [(5, 10)]}, 0.0, {0: 0.5, 1: 0.5}),
    ({0: [(0, 10)], 1: [(0, 10)]}, 1.0, {0: 1.0, 1: 1.0}),
    ({0: [(0, 4), (2, 6)], 1: [(8, 10)]}, 0.0, {0: 0.6, 1: 0.2}),
    ({0: [(0, 10)], 1: [(0, 10)], 2: [(5, 10)]}, 1.0, {0: 1.0, 1: 1.0, 2: 0.5}),
    ({0: [(0, 2), (4, 6), (8, 10)], 1: [(1, 9)]}, 0.4, {0: 0.6, 1: 0.8}),
    ({3: [(100, 110)], 7: [(105, 120)]}, 0.25, {3: 0.5, 7: 0.75}),
    ({0: [(0, 5)]}, 0.0, {0: 1.0}),
    ({0: [(0, 5)], 1: []}, 0.0, {0: 1.0}),
    ({}, 0.0, {}),
], ids=["partial", "sequential", "complete", "ops of one tower", "three towers", "several intervals", "late start",
        "one tower", "an idle tower", "none"])
def test_overlap_of(towers, shared, per_tower):
    found = overlap_of(towers)
    assert found.shared == shared
    assert found.per_tower == per_tower


def test_the_step_lasts_from_the_first_tower_op_to_the_last():
    assert overlap_of({0: [(10, 1000010)], 1: [(2000000, 3000010)]}).step_milliseconds == 3.0


@pytest.mark.parametrize("shared, towers, sentence", [
    (0.634, 2, "towers overlapped for 63 % of the step (first tower op to last): the loop is not serial"),
    (0.03, 2, "towers overlapped for 3 % of the step (first tower op to last): the loop is nearly serial"),
    (0.0004, 2, "towers overlapped for less than 1 % of the step (first tower op to last): the loop is nearly serial"),
    (0.0, 2, "towers never overlapped in the step (first tower op to last): the loop is serial"),
    (0.0, 1, "only tower 0 computed in this step: there is nothing to overlap"),
    (0.0, 0, "no tower computed in this step: there is nothing to overlap"),
])
def test_an_overlap_prints_as_a_sentence(shared, towers, sentence):
    assert str(Overlap(shared, {tower: 0.5 for tower in range(towers)}, 1.0)) == sentence
