"""How often data crosses the network in a step, counted in the graphs that workers with parameter servers build."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.scaling import asynchronous, parameter_servers


def task_of(operation, own):
    # TensorFlow runs what uses a resource where the resource is, whatever device was asked for.
    resources = [tensor.op for tensor in operation.inputs if tensor.dtype == tf.resource]
    device = tf.DeviceSpec.from_string((resources or [operation])[0].device or "")
    return (device.job, device.task) if device.job else own


def crossings(last, own):
    """Returns how many edges of the longest path to `last` go from one task to another, its run included.

    What a worker asks a server for arrives there with the call that starts its part of the run.
    """
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
        counts = [found[each] + (task_of(each, own) != here) for each in before]
        found[operation] = max(counts + [int(here != own)])
    return found, found[last] + (task_of(last, own) != own)


def model_fn(batch, mode):
    x = batch["x"]
    for layer in range(3):
        x = tf.tanh(tf.matmul(x, tf.get_variable("w{}".format(layer), [8, 8])))
    return lt.TowerOutput(loss=tf.reduce_mean(x))


def built(strategy, servers):
    hosts = ["127.0.0.1:{}".format(2222 + number) for number in range(2 + servers)]
    text = "worker={};ps={}".format(",".join(hosts[:2]), ",".join(hosts[2:]))
    cluster = lt.cluster.from_environment({}, hosts=text, task="worker:0")
    inputs = lt.inputs.from_tensors([{"x": tf.constant(np.ones([4, 8], np.float32))}])
    return lt.build_train_step(
        model_fn, inputs, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(1), variables=strategy,
        cluster=cluster,
    )


@pytest.mark.parametrize("servers", [1, 2])
def test_latencies_of_synchronous_steps_are_those_of_the_graph(servers):
    _, found = crossings(built("balanced", servers).train_op, ("worker", 0))
    assert found == parameter_servers.latencies(servers)


@pytest.mark.parametrize("servers", [1, 2])
def test_latencies_of_asynchronous_rounds_are_those_of_the_graph(servers):
    step = built("asynchronous", servers)
    counts, found = crossings(step.train_op, ("worker", 0))
    by_type = {operation.type: count for operation, count in counts.items()}
    locked = by_type["ConsumeMutexLock"] - by_type["MutexLock"]
    assert locked == asynchronous.locked_latencies(servers)
    assert found == asynchronous.free_latencies(servers) + locked
