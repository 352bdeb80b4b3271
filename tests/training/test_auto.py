"""Training with "auto" as strategy or reduction: the candidates, and training with the choice."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.training.auto import candidates_of, check_seconds, resolve_auto
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.training.settings import TrainSettings, check_settings

DEVICES = lt.devices.cpus(2)
CONFIG = lt.session_config(logical_cpus=2)


def job(**options):
    rows = np.random.RandomState(0).normal(size=[64, 4]).astype(np.float32)

    def model_fn(batch, mode):
        weights = tf.get_variable("w", [4], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * weights, axis=1) - 1)))

    return lt.Job(
        model_fn,
        train=lt.Examples.from_arrays({"x": rows}),
        optimizer=lambda step: tf.train.GradientDescentOptimizer(0.1),
        **options
    )


def names(candidates):
    return {repr(each.variables) for each in candidates}, {repr(each.reduction) for each in candidates}


def test_a_jobs_own_choices_are_not_replaced():
    strategies, reductions = names(candidates_of(job(variables="auto", reduction="auto"), DEVICES))
    assert len(strategies) >= 3 and len(reductions) >= 3
    strategies, reductions = names(candidates_of(job(variables="auto", reduction="tree"), DEVICES))
    assert len(strategies) >= 3 and reductions == {"tree()"}
    strategies, reductions = names(candidates_of(job(variables="replicated", reduction="auto"), DEVICES))
    assert strategies == {"Replicated()"} and len(reductions) >= 3
    strategies, reductions = names(candidates_of(job(reduction="auto"), DEVICES))
    assert strategies == {"ParameterServer('/cpu:0')"}
    strategies, reductions = names(candidates_of(job(variables="auto"), DEVICES))
    assert reductions == {"mean()"}


def test_equal_candidates_are_measured_once():
    candidates = candidates_of(job(variables="auto"), DEVICES)
    assert len({str(each) for each in candidates}) == len(candidates)
    # The simplest one is first, so that it is chosen among equal ones.
    candidates = candidates_of(job(variables="replicated", reduction="auto"), DEVICES)
    assert [repr(each.reduction) for each in candidates][:2] == ["mean()", "mean(on='variable')"]


def test_nothing_is_measured_without_auto():
    given = job(variables="balanced", reduction="tree")
    assert resolve_auto(given, DEVICES, 4, 1.0, CONFIG) == (given, None)


@pytest.mark.parametrize(
    "choices, seconds, message",
    [
        ({"variables": "auto"}, 5.0, None),
        ({"reduction": "auto", "variables": "balanced"}, 5.0, None),
        ({}, None, None),
        ({"variables": "balanced"}, 5.0, "--auto-seconds is 5, but nothing is measured: it needs --variables auto"),
        ({}, 5.0, "--auto-seconds is 5, but nothing is measured"),
    ],
    ids=str,
)
def test_auto_seconds_require_auto(choices, seconds, message):
    if message is None:
        check_seconds(job(**choices), seconds)
        return
    with pytest.raises(ArgumentError, match=message):
        check_seconds(job(**choices), seconds)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_auto_seconds_must_be_above_0(seconds):
    with pytest.raises(ArgumentError, match="--auto-seconds is .*: a time above 0 is needed"):
        check_settings(TrainSettings(variables="auto", auto_seconds=seconds))


def test_training_uses_the_choice():
    lines = []
    resolved, choice = resolve_auto(job(variables="auto", reduction="auto"), DEVICES, 4, 1.0, CONFIG, lines.append)
    assert strategy_of(resolved, DEVICES) is choice.variables and reduction_of(resolved) is choice.reduction
    assert len(lines) == len(choice.measured) + 1 and all(each.rounds for each in choice.measured)


def test_objectives_with_their_own_reductions_keep_them():
    def model_fn(batch, mode):
        w = tf.get_variable("a/w", [4], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss={"a": tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * w, axis=1) - 1))})

    def optimizer(global_step):
        return [lt.Objective("a", tf.train.AdamOptimizer(0.1), "a", reduction=lt.gradients.sum())]

    given = job(variables="auto").replace(model_fn=model_fn, optimizer=optimizer)
    resolved, choice = resolve_auto(given, DEVICES, 4, 0.5, CONFIG)
    assert resolved.reduction is None and resolved.variables is choice.variables
    assert all(each.problem is None for each in choice.measured)


def test_an_error_without_a_candidate_that_can_be_measured():
    with pytest.raises(JobError, match="'auto' is supported by legacy-towers train only"):
        strategy_of(job(variables="auto"), DEVICES)
