"""Strategies of TensorFlow 1.8 to 1.14 under `legacy-towers run`: recorded methods, and numbers of recorded loops."""
import inspect
import json

import numpy as np
import pytest
from run.runtime.prepared import script
from tf1_cases.contrib import distributed_estimator_cases, strategy_cases
from tf1_cases.record_strategies import LOOPS, METHODS

with open(LOOPS) as file:
    NUMBERS = json.load(file)
with open(METHODS) as file:
    # (dotted name, arguments or "property", the line with the versions that had it)
    RECORDED = [(*line[: line.index(" [")].partition(":")[::2], line.strip()) for line in file]
CASES = dict(strategy_cases.CASES, **distributed_estimator_cases.CASES)
NEEDS_KERAS = [pytest.mark.needs_layers]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=NEEDS_KERAS if "keras" in name else []) for name in CASES]
)
def test_loops_have_the_numbers_of_the_old_version(name):
    case, versions = CASES[name]
    assert set(NUMBERS[name]) == set(versions)
    with script() as (tf, run):
        found = strategy_cases.numbers(tf, case)
    np.testing.assert_allclose(found, NUMBERS[name][versions[-1]], rtol=1e-5, atol=1e-6)
    assert sorted(run.devices) and all("CPU" in device for _, device in run.devices)


def test_recorded_methods_and_arguments_are_supported():
    with script() as (tf, _):
        lacking = []
        for dotted, arguments, line in RECORDED:
            owner, _, member = dotted.rpartition(".")
            kind = tf
            for part in owner.split(".")[1:]:
                kind = getattr(kind, part)
            if owner.endswith(".ReplicaContext") and member != "__init__":
                kind = tf.distribute.get_replica_context()
            if not hasattr(kind, member):
                lacking.append(line)
            elif arguments.strip() != "property":
                absent = missing_arguments(getattr(kind, member), arguments)
                lacking += ["{} lacks {}".format(line, each) for each in absent]
    assert sorted(set(lacking)) == []


def missing_arguments(function, arguments):
    """Returns the recorded arguments that `function` does not take by name."""
    parameters = inspect.signature(inspect.unwrap(function)).parameters.values()
    if any(each.kind == each.VAR_KEYWORD for each in parameters):
        return []
    taken = {each.name for each in parameters}
    names = [part.partition("=")[0] for part in arguments.split()]
    return [name for name in names if not name.startswith("*") and name not in taken]


def replicas_of(tf, strategy):
    """Returns what `experimental_run_v2`, of 1.15, computes on each replica."""
    with strategy.scope():
        number = tf.get_variable("number", [], initializer=tf.constant_initializer(2.0))
        values = strategy.experimental_run_v2(lambda factor: number * factor, args=(3.0,))
        fetches = strategy.experimental_local_results(values)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(list(fetches))


@pytest.mark.parametrize(
    "name, arguments, replicas",
    [
        ("MirroredStrategy", (["/gpu:0", "/gpu:1", "/gpu:2"],), 3),
        ("OneDeviceStrategy", ("/gpu:0",), 1),
        ("experimental.CentralStorageStrategy", (["/gpu:0", "/gpu:1"], "/cpu:0"), 2),
        ("experimental.ParameterServerStrategy", (), 1),
        ("experimental.MultiWorkerMirroredStrategy", (), 1),
    ],
)
def test_experimental_run_v2_of_tf_distribute(name, arguments, replicas):
    with script() as (tf, _), tf.Graph().as_default():
        kind = tf.distribute
        for part in name.split("."):
            kind = getattr(kind, part)
        assert replicas_of(tf, kind(*arguments)) == [6.0] * replicas
