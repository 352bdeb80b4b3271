"""Plan: differences between two plans, JSON, and the table of variables."""
import json

import pytest

from legacy_towers.inputs.base import InputPlan
from legacy_towers.step.plan import ObjectivePlan, Plan, VariablePlan

INPUT = InputPlan("dataset", None, "any", 32, 64, None, 1000, "arrays", {"threads": 4, "prefetch": "on the host"})
WEIGHTS = VariablePlan(
    "w", [3, 2], "float32", 24, "/device:CPU:0", True, "dense", "add_n", "/cpu:0", None, "generator", []
)
COUNT = VariablePlan("count", [], "int64", 8, "", False, None, None, None, None, None, [])
OBJECTIVES = [
    ObjectivePlan("generator", "AdamOptimizer", 1, 1, None),
    ObjectivePlan("critic", "AdamOptimizer", 1, 5, None),
]
PLAN = Plan(
    ["/cpu:0", "/cpu:1"], INPUT, "Balanced()", "resource", "mean()", OBJECTIVES, [WEIGHTS, COUNT],
    regularization="none", update_ops="none", summaries="none", moving_average_decay=None,
)


@pytest.mark.parametrize(
    "changes, lines",
    [
        ({}, []),
        ({"reduction": "tree()", "moving_average_decay": 0.99},
         ["reduction: mean() -> tree()", "moving average decay: none -> 0.99"]),
        ({"devices": ["/cpu:{}".format(tower) for tower in range(4)]},
         ["devices: 2 towers on /cpu:0 and /cpu:1 -> 4 towers on /cpu:0 to /cpu:3"]),
        ({"input": INPUT._replace(epochs=3, details={"threads": 8, "cache": True}, shards=("rows 0", "rows 1"))},
         ["input epochs: none -> 3", "input details threads: 4 -> 8", "input details prefetch: on the host -> none",
          "input details cache: none -> yes", "input shards: none -> rows 0, rows 1"]),
        ({"objectives": [OBJECTIVES[0]._replace(steps=2), OBJECTIVES[1]._replace(name="discriminator")]},
         ["objective generator: steps 1 -> 2", "objective critic: only in the first",
          "objective discriminator: only in the second"]),
        ({"objectives": OBJECTIVES[::-1]}, ["objectives in another order: generator, critic -> critic, generator"]),
        ({"variables": [WEIGHTS._replace(copies=["/device:CPU:0", "/device:CPU:1"], bucket=0)]},
         ["w: bucket none -> 0", "w: copies none -> /device:CPU:0, /device:CPU:1", "count: only in the first"]),
        ({"validating": [1]}, ["validating: none -> 1"]),
    ],
    ids=["nothing", "values", "devices", "input", "objectives", "order of objectives", "variables", "validation"],
)
def test_differences(changes, lines):
    assert PLAN.differences(PLAN._replace(**changes)).splitlines() == lines


def test_uses():
    copied = PLAN._replace(variables=[WEIGHTS._replace(copies=["/device:CPU:0", "/device:CPU:1"]), WEIGHTS, COUNT])
    assert copied.uses() == [
        ("'w', 'w' live", "/device:CPU:0"),
        ("'w' lives", "/device:CPU:1"),
        ("'count' lives", ""),
        ("the gradients of 'w', 'w' are reduced", "/cpu:0"),
    ]


def test_as_json_is_complete_and_deterministic():
    saved = json.loads(PLAN.as_json())
    assert saved["objectives"][1] == {
        "name": "critic", "optimizer": "AdamOptimizer", "variables": 1, "steps": 5, "reduction": None
    }
    assert saved["input"]["details"] == INPUT.details and saved["variables"][0]["shape"] == [3, 2]
    assert PLAN.as_json() == PLAN._replace().as_json()


def test_table_leaves_out_empty_columns():
    header = PLAN.table().splitlines()[0]
    assert "bucket" not in header and "objective" in header
