"""How often data crosses the network in a step, counted in the graphs that workers with parameter servers build."""
import numpy as np
import pytest
from scaling.simulated_links import job

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.scaling import asynchronous, parameter_servers
from legacy_towers.scaling.placement import on_servers
from legacy_towers.scaling.values import VariableCosts


def task_of(operation, own):
    # TensorFlow runs what uses a resource where the resource is, whatever device was asked for.
    resources = [tensor.op for tensor in operation.inputs if tensor.dtype == tf.resource]
    device = tf.DeviceSpec.from_string((resources or [operation])[0].device or "")
    return (device.job, device.task) if device.job else own


def ways(last, own):
    """Returns (operation -> when it is done, when the run is over), in ways over the network; all else takes no time.

    The run starts at 0 on the own task, and with its call at 1 on the others. A task that needs a tensor of another one
    asks for it when it starts, and gets it one way after it is there and the question has arrived.
    """
    def starts(task):
        return int(task != own)

    found, pending = {}, [last]
    while pending:
        operation = pending[-1]
        before = [tensor.op for tensor in operation.inputs] + list(operation.control_inputs)
        missing = [each for each in before if each not in found]
        if missing:
            pending += missing
            continue
        pending.pop()
        here = task_of(operation, own)
        found[operation] = max([starts(here)] + [
            found[each] if task_of(each, own) == here else max(found[each], starts(here) + 1) + 1 for each in before
        ])
    return found, found[last] + starts(task_of(last, own))


def model_fn(batch, mode):
    x = batch["x"]
    if "word" in batch:
        x += tf.reduce_mean(tf.nn.embedding_lookup(tf.get_variable("table", [100, 8]), batch["word"]), axis=1)
    for layer in range(3):
        x = tf.tanh(tf.matmul(x, tf.get_variable("w{}".format(layer), [8, 8])))
    return lt.TowerOutput(loss=tf.reduce_mean(x))


def built(strategy, servers, has_words):
    """Returns the step, and the loads that are predicted from."""
    hosts = ["127.0.0.1:{}".format(2222 + number) for number in range(2 + servers)]
    text = "worker={};ps={}".format(",".join(hosts[:2]), ",".join(hosts[2:]))
    cluster = lt.cluster.from_environment({}, hosts=text, task="worker:0")
    batch = {"x": tf.constant(np.ones([4, 8], np.float32))}
    if has_words:
        batch["word"] = tf.constant(np.ones([4, 2], np.int64))
    step = lt.build_train_step(
        model_fn, lt.inputs.from_tensors([batch]), tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(1),
        variables=strategy, cluster=cluster,
    )
    table = VariableCosts("table", 3200, 256, 40, 320, 1.0, rows=1, index_bytes=64)
    return step, on_servers([table] * has_words + job([256] * 3).variables, servers)


CASES = pytest.mark.parametrize("servers, has_words", [(1, False), (1, True), (2, False), (2, True)])


@CASES
def test_latencies_of_synchronous_steps_are_those_of_the_graph(servers, has_words):
    step, loads = built("balanced", servers, has_words)
    assert ways(step.train_op, ("worker", 0))[1] == parameter_servers.latencies(loads)


@CASES
def test_latencies_of_asynchronous_rounds_are_those_of_the_graph(servers, has_words):
    step, loads = built("asynchronous", servers, has_words)
    done, found = ways(step.train_op, ("worker", 0))
    by_type = {operation.type: when for operation, when in done.items()}
    locked = by_type["ConsumeMutexLock"] - by_type["MutexLock"]
    assert locked == asynchronous.locked_latencies(loads)
    assert found == asynchronous.free_latencies(loads) + locked
