"""A session that lacks a device on which variables live, or gradients are summed, is refused before the first step."""
import pytest
from diagonals import diagonals

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
    "mean on": (dict(reduction=gradients.mean(on="/cpu:9")), "^the gradients of 'one', 'two' are reduced on /cpu:9, "),
    "tree on": (dict(reduction=gradients.tree(on=["/cpu:9", "/cpu:0"])), "gradients of 'one' are reduced on /cpu:9"),
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


@pytest.mark.parametrize("case", ["parameter server", "mean on"])
def test_check_devices_runs_nothing_and_needs_no_session_of_the_steps_graph(case):
    options, message = LACKING[case]
    step = built(**options)
    with tf.Session(graph=tf.Graph(), config=lt.session_config(logical_cpus=2)) as session:
        with pytest.raises(DeviceError, match=message):
            step.check_devices(session)
    with tf.Session(graph=tf.Graph(), config=lt.session_config(logical_cpus=10)) as session:
        step.check_devices(session)


def monitored(step, **graph_options):
    config = lt.session_config(logical_cpus=2)
    for name, value in graph_options.items():
        setattr(config.graph_options, name, value)
    return tf.train.MonitoredTrainingSession(hooks=step.hooks, config=config)


@pytest.mark.parametrize("case", ["mean on", "tree on", "a GPU"])
def test_the_hook_of_a_step_refuses_a_monitored_session_that_places_only_what_runs(case):
    options, message = LACKING[case]
    step = built(**options)
    with pytest.raises(DeviceError, match=message):
        monitored(step, place_pruned_graph=True)


SESSIONS = {
    "monitored": monitored,
    "bare": lambda step: tf.Session(config=lt.session_config(logical_cpus=2)).run(tf.global_variables_initializer()),
    "callable": lambda step: tf.Session(config=lt.session_config(logical_cpus=2)).make_callable(
        tf.global_variables_initializer()
    ),
}


@pytest.mark.parametrize("case, session", diagonals(3, sorted(LACKING), sorted(SESSIONS)))
def test_a_session_that_places_the_whole_graph_raises_the_same_error_and_that_of_tensorflow(case, session):
    """Placement comes with the first run, that of the initializers, before a hook sees the session."""
    options, message = LACKING[case]
    step = built(**options)
    with pytest.raises(DeviceError, match=message) as caught:
        SESSIONS[session](step)
    assert isinstance(caught.value.__cause__, tf.errors.InvalidArgumentError)
    assert "Cannot assign a device for operation" in str(caught.value.__cause__)


@pytest.mark.parametrize("session", sorted(SESSIONS))
def test_a_session_that_places_the_whole_graph_names_the_tower_and_what_to_do(session):
    batches = [tf.placeholder_with_default(1.0, []) for _ in range(3)]
    inputs = lt.inputs.from_tensors(per_tower=batches, shared_by_towers=True)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    step = lt.build_train_step(model_fn, inputs, optimizer, lt.devices.cpus(3))
    message = (
        r"^tower 2 \(/cpu:2\) asks for a device that this session does not have \(it has /cpu:0 and /cpu:1, no GPU\): "
        r"create the session with config=lt.session_config\(logical_cpus=3\)$"
    )
    with pytest.raises(DeviceError, match=message):
        SESSIONS[session](step)


def test_an_operation_outside_of_the_step_keeps_the_error_of_tensorflow():
    built()
    with tf.device("/cpu:8"):
        tf.constant(1.0, name="mine") + 1.0
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation"):
            session.run(tf.global_variables_initializer())


def test_two_steps_of_one_graph_each_explain_their_devices():
    step = built(variables=variables.ParameterServer("/cpu:9"))
    with tf.variable_scope("other"):
        built(on_missing="drop")
    with pytest.raises(DeviceError, match="'one', 'two', 'global_step' live on /cpu:9, which this session does not"):
        SESSIONS["bare"](step)


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
