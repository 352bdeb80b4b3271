"""Chosen global steps are traced, each into a file of its own."""
import json
import os

import pytest
from measured_runs import build, run

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.measure.trace_steps import TraceStepsHook
from legacy_towers.specs.step_numbers import parse_steps


def test_chosen_steps_of_a_resumed_run_are_traced_and_the_others_are_named(tmp_path):
    path = str(tmp_path / "new" / "step.json")
    with tf.Graph().as_default():
        step = build()
        hook = TraceStepsHook(step, path, "2,5:6,30")
        with pytest.warns(UserWarning, match=r"^steps 2, 30 were not traced: this run ended at step 8$"):
            run(step, 8, [hook], start=3)
    assert sorted(os.listdir(str(tmp_path / "new"))) == ["step-5.json", "step-6.json"]
    assert sorted(hook.traces) == [5, 6]
    for name in ("step-5.json", "step-6.json"):
        with open(str(tmp_path / "new" / name)) as source:
            titles = {each["args"].get("name") for each in json.load(source)["traceEvents"]}
        assert {"tower 0", "tower 1"} <= titles
    assert hook.sentences()[1].endswith("(trace of step 6 in {})".format(hook.path_of(6)))


def test_a_single_step_is_written_to_the_file_itself(tmp_path):
    with tf.Graph().as_default():
        step = build()
        hook = TraceStepsHook(step, str(tmp_path / "step.json"), [2])
        run(step, 3, [hook])
    assert os.listdir(str(tmp_path)) == ["step.json"] and hook.traces[2].ops


@pytest.mark.parametrize("text, message", [
    ("", "'' does not name steps: give numbers from 1 and ranges, such as 100,200 or 100:103"),
    ("0", "'0' does not name steps"),
    ("7:5", "'7:5' does not name steps"),
    ("1:5000", "'1:5000' names more than 1,000 steps"),
])
def test_what_is_wrong_with_a_spec_of_steps_is_named(text, message):
    with pytest.raises(ArgumentError) as caught:
        parse_steps(text)
    assert message in str(caught.value)
    assert parse_steps("100,3:5,4") == [3, 4, 5, 100]
