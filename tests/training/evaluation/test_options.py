"""When training stops early, as a function of the evaluations; wrong options are refused."""
import math

import pytest

from legacy_towers.errors import ArgumentError
from legacy_towers.training.evaluation.evaluator import Evaluation
from legacy_towers.training.evaluation.options import EarlyStopping, EvaluationOptions

NAN = math.nan
# by, patience, min_delta, values of the evaluations; at which of them, from 1, training stops; which is the best
CASES = {
    "it improves": ("max:m", 2, 0.0, [1, 2, 3, 4, 5], None, None),
    "two without": ("max:m", 2, 0.0, [1, 3, 2, 3, 5], 4, 2),
    "in a row": ("max:m", 2, 0.0, [1, 3, 2, 4, 3, 5], None, None),
    "patience of one": ("max:m", 1, 0.0, [1, 1], 2, 1),
    "lower is better": ("min:m", 2, 0.0, [1.0, 0.5, 0.6, 0.7], 4, 2),
    "too small a gain": ("min:m", 2, 0.1, [1.0, 0.95, 0.91], 3, 1),
    "small gains add up": ("min:m", 2, 0.1, [1.0, 0.95, 0.85, 0.8, 0.7], None, None),
    "not a number": ("max:m", 2, 0.0, [1, NAN, math.inf], 3, 1),
    "never a number": ("max:m", 2, 0.0, [NAN, NAN], 2, None),
}


@pytest.mark.parametrize("by, patience, min_delta, values, stops, best", list(CASES.values()), ids=list(CASES))
def test_training_stops_after_evaluations_without_an_improvement(by, patience, min_delta, values, stops, best):
    early = EarlyStopping(by, patience, min_delta).checked()
    evaluations = [Evaluation(10 * number, 5, {"m": value}) for number, value in enumerate(values, 1)]
    ends = [number for number in range(len(values) + 1) if early.stopped(evaluations[:number])]
    assert ends[:1] == ([] if stops is None else [stops])
    if stops is not None:
        stopped = early.stopped(evaluations[:stops])
        assert (stopped.step, stopped.best_step) == (10 * stops, None if best is None else 10 * best)


def test_the_reason_is_a_sentence():
    evaluations = [Evaluation(step, 5, {"m": value}) for step, value in ((100, 0.25), (200, 0.5), (300, 0.45))]
    assert str(EarlyStopping("min:m", 2).stopped(evaluations)) == (
        "stopped early at step 300: m was lowest with 0.2500 at step 100 and has not fallen in the 2 evaluations since"
    )
    assert str(EarlyStopping("max:m", 1, 0.01).stopped(evaluations)) == (
        "stopped early at step 300: m was highest with 0.5000 at step 200 and has not risen by more than 0.01 in the "
        "1 evaluation since"
    )
    nothing = [Evaluation(100, 5, {"m": NAN})]
    assert str(EarlyStopping("max:m", 1).stopped(nothing)) == (
        "stopped early at step 100: m was not a finite number in 1 evaluation"
    )


def test_wrong_options_are_refused():
    for options, message in (
        ({"evaluate_steps": 0}, "--evaluate-steps is 0: at least 1 is needed"),
        ({"evaluate_seconds": 0.0}, "--evaluate-seconds is 0: a time above 0 is needed"),
        ({"evaluate_steps": 1, "stop_early": "loss"}, "--stop-early is 'loss': give max:METRIC or min:METRIC"),
        ({"evaluate_steps": 1, "stop_early": "min:loss", "patience": 0}, "--patience is 0: at least 1 is needed"),
        ({"evaluate_steps": 1, "stop_early": "min:loss", "min_delta": -1.0}, "--min-delta is -1: a number of at least"),
        ({"evaluate_steps": 1, "patience": 2}, "--patience has no effect without --stop-early"),
        ({"stop_early": "min:loss"}, "--stop-early min:loss: there is no evaluation during training"),
    ):
        with pytest.raises(ArgumentError, match=message):
            EvaluationOptions(**options).checked()
    options = EvaluationOptions(500, 60.0, "max:accuracy", 2, 0.01).checked()
    assert options.early_stopping() == EarlyStopping("max:accuracy", 2, 0.01)
    assert str(options) == (
        "every 500 steps, every 60 seconds and at the end; training stops early after 2 evaluations without a higher "
        "accuracy by more than 0.01"
    )
