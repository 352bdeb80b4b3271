"""The share of waiting in planted traces."""
import pytest

from legacy_towers.measure.step_ops import StepOp
from legacy_towers.measure.waiting import stretches, traced_step, without

INPUT_OPS = {"next"}


def op(name, kind, start, end, tower=None):
    return StepOp(name, kind, "/cpu:0", start, end, tower)


@pytest.mark.parametrize(
    "intervals, others, left",
    [
        ([(0, 5), (7, 9)], [(2, 3), (8, 12)], [(0, 2), (3, 5), (7, 8)]),
        ([(0, 5)], [], [(0, 5)]),
        ([(0, 5)], [(0, 5)], []),
        ([(2, 3)], [(0, 9)], []),
        ([(0, 5)], [(5, 9)], [(0, 5)]),
        ([(3, 9)], [(0, 4), (6, 7)], [(4, 6), (7, 9)]),
    ],
    ids=["parts", "no others", "all", "inside", "touching", "over the start"],
)
def test_without(intervals, others, left):
    assert without(intervals, others) == left


def test_waiting_counts_only_while_no_op_computes():
    step = traced_step([
        op("next", "IteratorGetNext", 0, 40),
        op("w", "VarHandleOp", 0, 1),  # does not compute
        op("tower_0/input/Identity", "Identity", 30, 31, 0),
        op("early", "Mul", 10, 20),  # does not depend on the input
        op("tower_0/MatMul", "MatMul", 40, 90, 0),
        op("update", "ResourceApplyGradientDescent", 90, 100),
    ], INPUT_OPS, 0)
    assert step.exposed == [(0, 10), (20, 40)]
    assert step.waiting_share == pytest.approx(0.3)
    assert (step.start, step.end, step.fed) == (0, 100, None)


def test_the_time_of_hooks_before_the_run_counts_as_waiting():
    step = traced_step([op("tower_0/MatMul", "MatMul", 1000, 1060, 0)], INPUT_OPS, 40)
    assert (step.start, step.end, step.fed) == (960, 1060, (960, 1000))
    assert step.waiting_share == pytest.approx(0.4)


def test_a_step_without_ops_does_not_wait():
    assert traced_step([], INPUT_OPS, 0).waiting_share == 0


def test_other_waiting_ops_do_not_count_as_input():
    step = traced_step([
        op("recv", "_Recv", 0, 50), op("tower_0/MatMul", "MatMul", 50, 100, 0),
    ], INPUT_OPS, 0)
    assert step.waiting_share == 0


def test_stretches_have_a_row_per_tower_and_waiting():
    ops = [
        op("next", "IteratorGetNext", 0, 2000000),
        op("tower_0/MatMul", "MatMul", 2000000, 5000000, 0),
        op("tower_1/MatMul", "MatMul", 2500000, 6000000, 1),
        op("update", "AssignAdd", 6000000, 7000000),
    ]
    step = traced_step(ops, INPUT_OPS, 1000000)
    assert stretches(step, ops, INPUT_OPS) == [
        ("tower 0", "compute", 3.0, 6.0),
        ("tower 1", "compute", 3.5, 7.0),
        ("variables, update", "compute", 7.0, 8.0),
        ("input", "wait", 1.0, 3.0),
        ("input", "feed", 0.0, 1.0),
        ("towers wait", "wait", 1.0, 3.0),
    ]


def test_stretches_of_many_ops_are_joined_over_short_gaps():
    ops = [op("tower_0/op_{}".format(n), "Mul", 1000 * n, 1000 * n + 400, 0) for n in range(5000)]
    found = stretches(traced_step(ops, INPUT_OPS, 0), ops, INPUT_OPS, most=50)
    assert 1 <= len(found) <= 50
    assert found[0][2] == 0.0 and found[-1][3] == pytest.approx(4999.4 / 1000)
