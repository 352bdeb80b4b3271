"""What of a step is waiting: arithmetic on planted traces."""
import pytest

from legacy_towers.measure.step_ops import StepOp
from legacy_towers.measure.waiting import stretches, traced_step, without

PULLS = {"pull"}


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
    ids=["parts", "nothing to take", "all", "inside", "touching", "over the start"],
)
def test_without(intervals, others, left):
    assert without(intervals, others) == left


def test_only_waiting_while_nothing_computes_counts():
    step = traced_step([
        op("pull", "IteratorGetNext", 0, 40),
        op("w", "VarHandleOp", 0, 1),  # a handle is no work
        op("tower_0/input/Identity", "Identity", 30, 31, 0),
        op("early", "Mul", 10, 20),  # work that needs no input
        op("tower_0/MatMul", "MatMul", 40, 90, 0),
        op("update", "ResourceApplyGradientDescent", 90, 100),
    ], PULLS, 0)
    assert step.exposed == [(0, 10), (20, 40)]
    assert step.waiting_share == pytest.approx(0.3)
    assert (step.start, step.end, step.fed) == (0, 100, None)


def test_what_a_hook_spent_before_the_run_counts():
    step = traced_step([op("tower_0/MatMul", "MatMul", 1000, 1060, 0)], PULLS, 40)
    assert (step.start, step.end, step.fed) == (960, 1060, (960, 1000))
    assert step.waiting_share == pytest.approx(0.4)


def test_a_step_without_ops_waits_for_nothing():
    assert traced_step([], PULLS, 0).waiting_share == 0


def test_other_waits_are_not_for_input():
    step = traced_step([
        op("recv", "_Recv", 0, 50), op("tower_0/MatMul", "MatMul", 50, 100, 0),
    ], PULLS, 0)
    assert step.waiting_share == 0


def test_the_picture_has_a_row_per_tower_and_the_waits():
    ops = [
        op("pull", "IteratorGetNext", 0, 2000000),
        op("tower_0/MatMul", "MatMul", 2000000, 5000000, 0),
        op("tower_1/MatMul", "MatMul", 2500000, 6000000, 1),
        op("update", "AssignAdd", 6000000, 7000000),
    ]
    step = traced_step(ops, PULLS, 1000000)
    assert stretches(step, ops, PULLS) == [
        ("tower 0", "compute", 3.0, 6.0),
        ("tower 1", "compute", 3.5, 7.0),
        ("variables, update", "compute", 7.0, 8.0),
        ("input", "wait", 1.0, 3.0),
        ("input", "feed", 0.0, 1.0),
        ("towers wait", "wait", 1.0, 3.0),
    ]


def test_a_picture_of_many_ops_closes_short_gaps():
    ops = [op("tower_0/op_{}".format(n), "Mul", 1000 * n, 1000 * n + 400, 0) for n in range(5000)]
    found = stretches(traced_step(ops, PULLS, 0), ops, PULLS, most=50)
    assert 1 <= len(found) <= 50
    assert found[0][2] == 0.0 and found[-1][3] == pytest.approx(4999.4 / 1000)
