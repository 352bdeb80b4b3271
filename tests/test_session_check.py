"""A session that lacks a device on which variables live, or gradients are summed, is refused before the first step."""
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import DeviceError

variables, gradients = lt.variables, lt.gradients


def model_fn(batch, mode):
    one = tf.get_variable("one", [4], initializer=tf.ones_initializer())
    two = tf.get_variable("two", [2], initializer=tf.ones_initializer())
    return lt.TowerOutput(loss=tf.reduce_sum(one) * batch + tf.reduce_sum(two))


def built(**options):
    batches = [tf.placeholder_with_default(1.0, []) for _ in range(2)]
    inputs = lt.inputs.from_tensors(per_tower=batches, shared_by_towers=True)
    return lt.build_train_step(model_fn, inputs, tf.train.GradientDescentOptimizer(0.5), lt.devices.cpus(2), **options)


LACKING = {
    "parameter server": (
        dict(variables=variables.ParameterServer("/cpu:9")),
        # The step's counter lives where variables do.
        "^'one', 'two', 'global_step' live on /cpu:9, which this session does not have .it has '/cpu:0', '/cpu:1'.: "
        r"name devices that it has, or make it with config=lt.session_config\(logical_cpus=10\)$",
    ),
    "balanced": (dict(variables=variables.Balanced(["/cpu:0", "/cpu:5"])), "'two' lives on /cpu:5, .*logical_cpus=6"),
    "round robin": (
        dict(variables=variables.RoundRobin(["/cpu:7", "/cpu:0"])),
        "'one', 'global_step' live on /cpu:7, which",
    ),
    "partitioned": (
        dict(variables=variables.Partitioned(variables.Balanced(["/cpu:0", "/cpu:3"]), max_part_bytes=8)),
        "'one/part_1' lives on /cpu:3, which this session",
    ),
    "asynchronous": (
        dict(variables=variables.Asynchronous(variables.ParameterServer("/cpu:4"))), "'one', 'two', .*live on /cpu:4"
    ),
    "mean on": (dict(reduction=gradients.mean(on="/cpu:9")), "^the gradients of 'one', 'two' are made one on /cpu:9, "),
    "tree on": (dict(reduction=gradients.tree(on=["/cpu:9", "/cpu:0"])), "gradients of 'one' are made one on /cpu:9"),
    "a GPU": (dict(reduction=gradients.mean(on="/gpu:9")), "on /gpu:9, which this .*: name devices that it has$"),
    "another task": (
        dict(variables=variables.ParameterServer("/job:ps/task:0/cpu:0")),
        "live on /job:ps/task:0/cpu:0, which .*: name devices that it has$",
    ),
}


@pytest.mark.parametrize("case", sorted(LACKING))
def test_a_device_that_the_session_lacks(case):
    options, message = LACKING[case]
    step = built(**options)
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        with pytest.raises(DeviceError, match=message):
            with step.running(session):
                pass


def test_towers_are_named_first():
    step = built(variables=variables.ParameterServer("/cpu:9"))
    with tf.Session(config=lt.session_config(logical_cpus=1)) as session:
        with pytest.raises(DeviceError, match="tower 1 ./cpu:1. asks for a device that this session does not have"):
            with step.running(session):
                pass


def test_soft_placement_moves_them():
    step = built(variables=variables.Balanced(["/cpu:0", "/cpu:5"]), reduction=gradients.mean(on="/cpu:9"))
    config = lt.session_config(logical_cpus=2, soft_placement=True)
    with tf.Session(config=config) as session, step.running(session) as run:
        run()
        assert session.run(tf.trainable_variables()[0]).tolist() == [0.5] * 4


def test_a_session_that_has_them():
    step = built(variables=variables.Balanced(["/cpu:1", "/cpu:2"]), reduction=gradients.mean(on="/cpu:3"))
    with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run:
        run()
        assert session.run(tf.trainable_variables()[0]).tolist() == [0.5] * 4
