""""auto" in place of a strategy or a reduction: what is measured, and that training goes on with what was chosen."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError
from legacy_towers.training.auto import candidates_of, check_seconds, settled
from legacy_towers.training.choices import reduction_of, strategy_of

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


def test_what_the_job_says_stands():
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


def test_the_same_is_not_measured_twice():
    candidates = candidates_of(job(variables="auto"), DEVICES)
    assert len({str(each) for each in candidates}) == len(candidates)
    # The simplest stays in front, where all that is alike falls to it.
    candidates = candidates_of(job(variables="replicated", reduction="auto"), DEVICES)
    assert [repr(each.reduction) for each in candidates][:2] == ["mean()", "mean(on='variable')"]


def test_nothing_is_measured_unless_asked_for():
    given = job(variables="balanced", reduction="tree")
    assert settled(given, DEVICES, 4, 1.0, CONFIG) == (given, None)


@pytest.mark.parametrize(
    "choices, seconds, message",
    [
        ({"variables": "auto"}, 5.0, None),
        ({"reduction": "auto", "variables": "balanced"}, 5.0, None),
        ({}, None, None),
        ({"variables": "auto"}, 0.0, "--auto-seconds is 0: a time above 0 is needed"),
        ({"variables": "auto"}, float("nan"), "--auto-seconds is nan: a time above 0 is needed"),
        ({"variables": "balanced"}, 5.0, "--auto-seconds is 5, but nothing is measured: it is for --variables auto"),
        ({}, 5.0, "--auto-seconds is 5, but nothing is measured"),
    ],
    ids=str,
)
def test_a_time_to_measure_for_is_given_where_something_is_measured(choices, seconds, message):
    if message is None:
        check_seconds(job(**choices), seconds)
        return
    with pytest.raises(ArgumentError, match=message):
        check_seconds(job(**choices), seconds)


def test_training_goes_on_with_the_choice():
    said = []
    made, choice = settled(job(variables="auto", reduction="auto"), DEVICES, 4, 1.0, CONFIG, said.append)
    assert strategy_of(made, DEVICES) is choice.variables and reduction_of(made) is choice.reduction
    assert len(said) == len(choice.measured) + 1 and all(each.rounds for each in choice.measured)


def test_parts_that_all_have_reductions_of_their_own_keep_them():
    def model_fn(batch, mode):
        w = tf.get_variable("a/w", [4], initializer=tf.zeros_initializer())
        return lt.TowerOutput(loss={"a": tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * w, axis=1) - 1))})

    def optimizer(global_step):
        return [lt.Part("a", tf.train.AdamOptimizer(0.1), "a", reduction=lt.gradients.sum())]

    given = job(variables="auto")._replace(model_fn=model_fn, optimizer=optimizer)
    made, choice = settled(given, DEVICES, 4, 0.5, CONFIG)
    assert made.reduction is None and made.variables is choice.variables
    assert all(each.problem is None for each in choice.measured)


def test_where_nothing_can_be_measured():
    with pytest.raises(JobError, match="'auto' is settled by measuring, before training alone"):
        strategy_of(job(variables="auto"), DEVICES)
