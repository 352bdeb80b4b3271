"""Choices for a job with objectives that have their own reductions."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.training.choices import check_reduction_is_used, notes_on, own_reductions, with_choices

DEVICES = lt.devices.cpus(2)


def job(**reductions):
    def optimizer(global_step):
        return [lt.Objective(name, tf.train.AdamOptimizer(0.1), name, reduction=reductions.get(name)) for name in "ab"]

    return lt.Job(lambda batch, mode: None, lt.Examples.from_arrays({"x": np.ones([4, 2])}), optimizer)


def test_notes_list_objectives_that_keep_their_own_reduction():
    given = job(b=lt.gradients.sum())
    assert own_reductions(given) == {"a": None, "b": "sum()"}
    check_reduction_is_used(given, "--reduction")
    chosen = with_choices(given, None, "tree", DEVICES)
    assert notes_on(given, chosen, DEVICES) == [
        "the objective 'b' keeps its own reduction, sum(), whatever is chosen for the job"
    ]
    assert notes_on(given, with_choices(given, "replicated", None, DEVICES), DEVICES) == []
    assert notes_on(job(), with_choices(job(), None, "tree", DEVICES), DEVICES) == []


def test_a_reduction_can_not_be_chosen_if_every_objective_has_its_own():
    given = job(a=lt.gradients.mean(), b=lt.gradients.sum())
    message = r"--reduction: every objective of the job has its own reduction \(a: mean\(\), b: sum\(\)\), so there is"
    with pytest.raises(ArgumentError, match=message):
        check_reduction_is_used(given, "--reduction")


def test_a_job_with_one_optimizer_has_no_reductions_of_objectives():
    alone = job().replace(optimizer=lambda global_step: tf.train.AdamOptimizer(0.1))
    assert own_reductions(alone) == {"": None}
    check_reduction_is_used(alone, "--reduction")
