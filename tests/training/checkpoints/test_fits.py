"""Checkpoints of partitioned variables: they restore into any number of parts, and errors name the whole variable."""
import os
import re

import job_files
import numpy as np
import pytest
from diagonals import diagonals

from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.training.checkpoints.fits import by_checkpoint_name, check_fits

OPTIMIZERS = {
    "momentum": (lambda: tf.train.MomentumOptimizer(0.1, 0.9), ["w/Momentum"]),
    "adam": (lambda: tf.train.AdamOptimizer(0.1), ["w/Adam", "w/Adam_1", "beta1_power", "beta2_power"]),
}


def build(parts, optimizer, kind="resource", shape=(10, 3)):
    """Builds `w` in `parts` parts (0: not partitioned) and `b`, with slots and moving averages; returns the step."""
    partitioner = tf.fixed_size_partitioner(parts) if parts else None
    with tf.variable_scope(tf.get_variable_scope(), use_resource=kind == "resource"):
        w = tf.get_variable("w", shape, initializer=tf.random_normal_initializer(), partitioner=partitioner)
        b = tf.get_variable("b", [3], initializer=tf.ones_initializer())
        step = tf.train.get_or_create_global_step()
    train = optimizer().minimize(tf.reduce_sum(tf.square(tf.convert_to_tensor(w))) * tf.reduce_sum(b), step)
    averages = tf.train.ExponentialMovingAverage(0.9)
    with tf.control_dependencies([train]):
        return averages.apply(tf.trainable_variables())


def save(prefix, *arguments):
    with tf.Graph().as_default(), tf.Session() as session:
        train = build(*arguments)
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        return tf.train.Saver().save(session, prefix)


def contents(checkpoint):
    reader = tf.train.load_checkpoint(checkpoint)
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


@pytest.mark.parametrize(
    "parts, name, kind",
    diagonals(2, [(0, 3), (3, 0), (3, 2), (2, 5), (1, 3), (0, 1)], list(OPTIMIZERS), ["resource", "ref"]),
)
def test_a_checkpoint_restores_into_another_number_of_parts(tmp_path, parts, name, kind):
    (source, target), (optimizer, slots) = parts, OPTIMIZERS[name]
    checkpoint = save(str(tmp_path / "source"), source, optimizer, kind)
    build(target, optimizer, kind)
    named = by_checkpoint_name(tf.global_variables())
    expected = {"w", "b", "global_step", "w/ExponentialMovingAverage", "b/ExponentialMovingAverage"}
    expected |= set(slots) | {"b" + slot[1:] for slot in slots if slot.startswith("w/")}
    assert set(named) == expected == set(contents(checkpoint))
    assert isinstance(named["w"], list) == bool(target)
    check_fits(checkpoint, named)
    with tf.Session() as session:
        tf.train.Saver(named).restore(session, checkpoint)
        again = tf.train.Saver().save(session, str(tmp_path / "again"))
        of_w = [session.run(named[name]) for name in ["w", "w/ExponentialMovingAverage"]]
    before, after = contents(checkpoint), contents(again)
    assert set(before) == set(after)
    for name in before:
        np.testing.assert_array_equal(before[name], after[name], name)
    for name, values in zip(["w", "w/ExponentialMovingAverage"], of_w):
        np.testing.assert_array_equal(np.concatenate(values) if target else values, before[name])
    assert not np.array_equal(*[before[name] for name in ("w", "w/ExponentialMovingAverage")])


def test_the_error_for_another_shape_names_the_whole_variable(tmp_path):
    momentum = OPTIMIZERS["momentum"][0]
    checkpoint = save(str(tmp_path / "source"), 0, momentum)
    build(3, momentum, "resource", (11, 3))
    with pytest.raises(JobError, match=re.escape("has 'w' with shape [10, 3], the model has [11, 3]")):
        check_fits(checkpoint, by_checkpoint_name(tf.global_variables()))


def test_the_error_for_a_missing_partitioned_variable_names_it(tmp_path):
    checkpoint = save(str(tmp_path / "source"), 2, OPTIMIZERS["momentum"][0])
    build(3, OPTIMIZERS["adam"][0])
    with pytest.raises(JobError, match="lacks 'b/Adam', 'b/Adam_1', 'beta1_power', 'beta2_power', 'w/Adam'"):
        check_fits(checkpoint, by_checkpoint_name(tf.global_variables()))


# As job_files.LINE, with a weight in as many parts as given.
CUT = """global cut
        cut = tf.fixed_size_partitioner(parts) if parts else None
        return lt.Job("""
PARTS = job_files.LINE
for _old, _new in (
    ("bare=False,", "bare=False, parts=0,"),
    ("tf.zeros_initializer())", "tf.zeros_initializer(), partitioner=cut)"),
    ("tf.norm(w)", "tf.norm(tf.convert_to_tensor(w))"),
    ("return lt.Job(", CUT),
    ("tf.train.GradientDescentOptimizer(rate)", "tf.train.MomentumOptimizer(rate, 0.9)"),
):
    assert _old in PARTS
    PARTS = PARTS.replace(_old, _new)


@pytest.mark.slow
@pytest.mark.parametrize("average", ["", " --average 0.9"], ids=["plain", "averages"])
def test_a_run_resumes_with_another_number_of_parts(tmp_path, monkeypatch, capsys, average):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", PARTS)
    command = "train line.py --towers 2 --order fixed --per-tower-batch-size 10" + average
    for directory, first, second in (("whole", 0, 0), ("parts", 2, 3), ("cut", 0, 3), ("joined", 3, 0)):
        for steps, parts in ((3, first), (6, second)):
            asked = " --steps {} --checkpoint-dir {} --parts {}".format(steps, directory, parts)
            assert main((command + asked).split()) == 0
        shown = capsys.readouterr()
        assert "resuming from " + os.path.join(directory, "model.ckpt-3") in shown.out + shown.err
    values = {name: contents(tf.train.latest_checkpoint(name)) for name in ("whole", "parts", "cut", "joined")}
    for directory in ("parts", "cut", "joined"):
        assert set(values[directory]) == set(values["whole"])
        for name in values["whole"]:
            np.testing.assert_allclose(values[directory][name], values["whole"][name], rtol=1e-5, err_msg=name)
    printed = []
    for parts in (0, 2):
        assert main("evaluate line.py --checkpoint-dir parts --parts {}{}".format(parts, average).split()) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


# With LocalSGD, moving averages are of the synchronized values, one synchronization late: not as with the others.
CHANGES = [
    ("", ["parameter_server", "local_sgd:1", "partitioned:4+round_robin", "replicated"]),
    (" --average 0.9", ["parameter_server", "replicated", "partitioned:4", "balanced"]),
]


@pytest.mark.slow
@pytest.mark.parametrize("average, strategies", CHANGES, ids=["plain", "averages"])
def test_a_run_resumes_with_another_strategy(tmp_path, monkeypatch, capsys, average, strategies):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", PARTS)
    command = "train line.py --towers 2 --order fixed --per-tower-batch-size 10 --steps {} "
    for directory, names in (("one", strategies[:1] * len(strategies)), ("mixed", strategies)):
        for number, name in enumerate(names):
            asked = "--checkpoint-dir {} --variables {}".format(directory, name) + average
            assert main((command.format(2 * number + 2) + asked).split()) == 0
            shown = capsys.readouterr()
            resumed = "resuming from {}".format(os.path.join(directory, "model.ckpt-{}".format(2 * number)))
            assert (resumed in shown.out + shown.err) == (number > 0)
    one, mixed = (contents(tf.train.latest_checkpoint(name)) for name in ("one", "mixed"))
    averages = {"w/ExponentialMovingAverage"} if average else set()
    assert set(one) == set(mixed) == {"w", "w/Momentum", "global_step"} | averages
    for name in one:
        np.testing.assert_allclose(mixed[name], one[name], rtol=1e-5, err_msg=name)
