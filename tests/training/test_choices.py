"""What is chosen for a job beside what the job says itself: parts that keep their own reductions."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.training.choices import check_for_parts, notes_on, own_reductions, with_choices

DEVICES = lt.devices.cpus(2)


def job(**reductions):
    def optimizer(global_step):
        return [lt.Part(name, tf.train.AdamOptimizer(0.1), name, reduction=reductions.get(name)) for name in "ab"]

    return lt.Job(lambda batch, mode: None, lt.Examples.from_arrays({"x": np.ones([4, 2])}), optimizer)


def test_what_parts_keep_is_told_where_another_is_chosen():
    given = job(b=lt.gradients.sum())
    assert own_reductions(given) == {"a": None, "b": "sum()"}
    check_for_parts(given, "--reduction")
    chosen = with_choices(given, None, "tree", DEVICES)
    assert notes_on(given, chosen, DEVICES) == [
        "the part 'b' keeps its own reduction, sum(), whatever is chosen for the job"
    ]
    assert notes_on(given, with_choices(given, "replicated", None, DEVICES), DEVICES) == []
    assert notes_on(job(), with_choices(job(), None, "tree", DEVICES), DEVICES) == []


def test_where_every_part_has_its_own_there_is_none_to_choose():
    given = job(a=lt.gradients.mean(), b=lt.gradients.sum())
    message = r"--reduction: every part of the job has a reduction of its own \(a: mean\(\), b: sum\(\)\), so there is"
    with pytest.raises(ArgumentError, match=message):
        check_for_parts(given, "--reduction")


def test_a_job_without_parts_has_none_of_its_own():
    alone = job()._replace(optimizer=lambda global_step: tf.train.AdamOptimizer(0.1))
    assert own_reductions(alone) == {"": None}
    check_for_parts(alone, "--reduction")
