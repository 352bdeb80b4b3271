"""build_train_step: its arguments, policies and plan."""
import json

import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError, TowerError


def source(count=16, **options):
    arrays = nets.examples("dense", count)
    return lt.inputs.feed(
        lt.Examples.from_arrays(arrays), **dict({"global_batch_size": count, "order": "fixed"}, **options)
    )


def build(model_fn=None, towers=4, **arguments):
    defaults = {
        "inputs": source(),
        "optimizer": tf.train.GradientDescentOptimizer(0.1),
        "devices": lt.devices.cpus(towers),
    }
    return lt.build_train_step(model_fn or nets.model("dense"), **dict(defaults, **arguments))


def open_session(towers=4):
    return tf.Session(config=nets.config(towers))


@pytest.mark.parametrize(
    "change, message",
    [
        ({"devices": []}, r"devices is \[\]: give a list"),
        ({"devices": "/cpu:0"}, "give a list with one device string per tower"),
        ({"inputs": [1]}, "inputs must be an lt.inputs.Input, got list: create one with lt.inputs.from_tensors"),
        ({"inputs": None}, "inputs must be an lt.inputs.Input, got None: create one with lt.inputs.dataset"),
        ({"optimizer": "sgd"}, "optimizer is 'sgd': give a tf.train.Optimizer"),
        ({"optimizer": lambda global_step: None}, "the optimizer function returned None: give"),
        ({"update_ops": "average"}, "update_ops is 'average': allowed are 'first', 'all', 'mean'"),
        ({"summary_tower": 4}, "summary_tower is 4: towers are 0 to 3"),
        ({"summary_tower": -5}, "summary_tower is -5"),
        ({"summary_tower": "first"}, "summary_tower is 'first': towers are 0 to 3"),
        ({"on_missing": "ignore"}, "on_missing is 'ignore': allowed are 'error', 'zeros', 'drop'"),
        ({"moving_average_decay": 1.0}, "moving_average_decay is 1.0: allowed is a number between 0 and 1"),
        ({"moving_average_decay": 0.0}, "moving_average_decay is 0.0"),
        ({"moving_average_decay": "0.9"}, "moving_average_decay is '0.9'"),
        ({"var_list": 5}, "var_list is 5: give a list of variables"),
        ({"var_list": []}, r"var_list is \[\]: give a list of variables, of at least one"),
        ({"model_fn": "dense"}, "model_fn is 'dense': give a function that takes .batch, mode. and returns"),
        ({"var_list": ["w"]}, r"var_list is \['w'\]: give a list of variables"),
        ({"devices": 4}, "devices is 4: give a list with one device string per tower"),
        ({"use_resource": "Ref"}, "use_resource is \'Ref\': give True or False"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),  # by names: two processes must agree
)
def test_bad_arguments(change, message):
    with pytest.raises(ArgumentError, match=message):
        build(**change)


def test_a_model_without_trainable_variables_is_refused():
    def frozen(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(batch["x"]) * tf.get_variable("w", [], tf.float64, trainable=False))

    with pytest.raises(TowerError, match="there is nothing to train: no variable of the graph is trainable"):
        build(frozen)


def skipping(towers_without):
    """A model whose loss depends on the variable "gate" only in some towers."""

    def model_fn(batch, mode):
        gate = tf.get_variable("gate", [], tf.float64, tf.ones_initializer())
        output = nets.model("dense")(batch, mode)
        tower = int(tf.get_default_graph().get_name_scope().split("_")[-1])
        return output if tower in towers_without else output._replace(loss=output.loss + 2.0 * gate)

    return model_fn


@pytest.mark.parametrize(
    "without, message",
    [
        ([1], "tower 1 has no gradient for 'gate' .towers 0, 2 and 3 have one"),
        ([1, 2, 3], "towers 1, 2 and 3 have no gradient for 'gate' .tower 0 has one"),
        ([0, 1, 2, 3], "no tower has a gradient for 'gate': the loss does not depend on it"),
    ],
)
def test_a_missing_gradient_names_variable_and_towers(without, message):
    with pytest.raises(TowerError, match=message):
        build(skipping(without))


@pytest.mark.parametrize(
    "policy, without, gate",
    [("zeros", [1], 1.0 - 0.1 * 1.5), ("zeros", [0, 1, 2, 3], 1.0), ("drop", [1], 1.0), ("drop", [0, 1, 2, 3], 1.0)],
)
def test_on_missing(policy, without, gate):
    step = build(skipping(without), on_missing=policy)
    with open_session() as session, step.running(session) as run:
        run()
        values = session.run({v.op.name: v for v in tf.trainable_variables()})
    assert values["gate"] == pytest.approx(gate)
    assert np.abs(values["b2"] - np.random.RandomState(sum(map(ord, "b2"))).normal(size=[5], scale=0.3)).max() > 0


@pytest.mark.parametrize("policy, without, gate", [("drop", [1], 1.0), ("drop", [0, 1, 2, 3], 1.0 - 0.1)])
def test_on_missing_drop_drops_the_decay_too_unless_no_tower_has_a_gradient(policy, without, gate):
    def model_fn(batch, mode):
        with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):
            tf.get_variable("gate", [], tf.float64, tf.ones_initializer(), regularizer=nets.l2(1.0))
            return skipping(without)(batch, mode)

    step = build(model_fn, on_missing=policy)
    with open_session() as session, step.running(session) as run:
        run()
        values = session.run({v.op.name: v for v in tf.trainable_variables()})
    assert values["gate"] == pytest.approx(gate)


def metric_of(make):
    def model_fn(batch, mode):
        return nets.model("dense")(batch, mode)._replace(metrics={"right": make(batch)})

    return model_fn


@pytest.mark.parametrize(
    "make",
    [
        lambda batch: tf.cast(tf.range(tf.shape(batch["y"])[0]) % 2, tf.int32),
        lambda batch: tf.equal(tf.range(tf.shape(batch["y"])[0]) % 2, 0),
        lambda batch: tf.constant(0.5),
    ],
    ids=["int", "bool", "scalar"],
)
def test_metrics_are_means_whatever_their_dtype(make):
    step = build(metric_of(make))
    with open_session() as session, step.running(session) as run:
        assert run(step.metrics["right"]) == 0.5


@pytest.mark.parametrize(
    "make", [lambda batch: (tf.constant(0.5), tf.no_op()), lambda batch: "half", lambda batch: batch["x"]]
)
def test_bad_metrics_are_refused(make):
    with pytest.raises(TowerError, match="the metric 'right' of tower 0 is .*: a metric is one tensor of numbers"):
        build(metric_of(make))


def test_an_optimizer_class_is_refused():
    with pytest.raises(ArgumentError, match="optimizer is the class GradientDescentOptimizer: give an instance"):
        build(optimizer=tf.train.GradientDescentOptimizer)


def test_build_train_step_inside_variable_and_name_scopes():
    with tf.variable_scope("net"):
        step = build()
    assert [tower.scope for tower in step.towers] == ["net/tower_{}/".format(k) for k in range(4)]
    assert {v.op.name for v in tf.trainable_variables()} == {"net/w1", "net/b1", "net/w2", "net/b2"}


def test_two_steps_in_one_graph_with_separate_variables():
    with tf.variable_scope("one"):
        first = build()
    with tf.variable_scope("two"):
        w1 = nets.variable("w1", [12, 16], np.float64)
        rest = [
            nets.variable(name, shape, np.float64) for name, shape in (("b1", [16]), ("w2", [16, 5]), ("b2", [5]))
        ]
    with tf.variable_scope("two", reuse=True):
        second = build(var_list=[w1] + rest)
    with open_session() as session, first.running(session) as run_first:
        run_first()
        before = session.run(first.gradients[0][1])
        with second.running(session) as run_second:
            run_second()
        np.testing.assert_array_equal(session.run(first.gradients[0][1]), before)


def test_running_takes_hooks_and_refuses_steps_outside_of_its_block():
    seen = []

    class Count(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append(1)

    step = build()
    with open_session() as session:
        with step.running(session, hooks=[Count()]) as run:
            run()
        with pytest.raises(ArgumentError, match="the step is not running"):
            run()
    assert seen == [1]


def test_a_session_with_another_graph_is_refused():
    step = build()
    with tf.Graph().as_default(), open_session() as session:
        with pytest.raises(ArgumentError, match="the session has another graph"):
            step.running(session).__enter__()


def test_the_global_step_lives_where_variables_live():
    step = build(variables=lt.variables.RoundRobin(["/cpu:2", "/cpu:3"]))
    assert step.global_step.device == "/device:CPU:2"
    assert step.gradients[0][1].device == "/device:CPU:2"


def test_an_optimizer_may_be_a_function_of_the_global_step():
    rates = []

    def optimizer(global_step):
        rates.append(tf.train.piecewise_constant(global_step, [0, 1], [0.1, 0.0, 0.0]))
        return tf.train.GradientDescentOptimizer(rates[0])

    step = build(optimizer=optimizer)
    assert step.global_step is tf.train.get_global_step()
    with open_session() as session, step.running(session) as run:
        values = [session.run(tf.trainable_variables()[0])]
        for _ in range(3):
            run()
            values.append(session.run(tf.trainable_variables()[0]))
    assert (values[0] != values[1]).all()
    np.testing.assert_array_equal(values[1], values[2])
    np.testing.assert_array_equal(values[1], values[3])


@pytest.mark.parametrize("policy, expected", [("first", 1.0), ("all", 1 + 2 + 3 + 4.0), ("mean", 2.5)])
def test_update_ops(policy, expected):
    def model_fn(batch, mode):
        statistic = tf.get_variable("statistic", [], tf.float64, tf.zeros_initializer(), trainable=False)
        tower = int(tf.get_default_graph().get_name_scope().split("_")[-1])
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(statistic, tower + 1.0))
        return nets.model("dense")(batch, mode)

    step = build(model_fn, update_ops=policy)
    (statistic,) = [v for v in tf.global_variables() if v.op.name == "statistic"]
    with open_session() as session, step.running(session) as run:
        run()
        run()
        assert session.run(statistic) == 2 * expected


def test_slots_and_averages_are_on_the_devices_of_their_variables():
    step = build(
        optimizer=tf.train.MomentumOptimizer(0.1, 0.9), moving_average_decay=0.9,
        variables=lt.variables.RoundRobin(lt.devices.cpus(4)),
    )
    places = {row.name: row.device for row in step.plan.variables}
    assert len({places[name] for name in ("w1", "b1", "w2", "b2")}) == 4
    for name in ("w1", "b1", "w2", "b2"):
        assert places[name] == places[name + "/Momentum"] == places[name + "/ExponentialMovingAverage"]


def test_where_variables_live_does_not_change_the_numbers():
    found = []
    for strategy in (lt.variables.ParameterServer("/cpu:0"), lt.variables.RoundRobin(lt.devices.cpus(4))):
        with tf.Graph().as_default():
            step = build(variables=strategy)
            with open_session() as session, step.running(session) as run:
                found.append([run(step.loss) for _ in range(5)])
    assert found[0] == found[1] and len(set(found[0])) == 5


def test_metrics_are_the_mean_over_towers_and_examples():
    def model_fn(batch, mode):
        return nets.model("dense")(batch, mode)._replace(
            metrics={"labels": tf.cast(batch["y"], tf.float64), "largest": tf.reduce_max(batch["x"])}
        )

    step = build(model_fn)
    arrays = nets.examples("dense", 16)
    with open_session() as session, step.running(session) as run:
        found = run(step.metrics)
    assert found["labels"] == pytest.approx(arrays["y"].mean())
    assert found["largest"] == pytest.approx(arrays["x"].reshape([4, 48]).max(axis=1).mean())


def test_towers_with_different_metrics_are_refused():
    def model_fn(batch, mode):
        name = tf.get_default_graph().get_name_scope()
        output = nets.model("dense")(batch, mode)
        return output._replace(metrics={name: output.loss})

    with pytest.raises(TowerError, match="tower 1 returned the metrics 'tower_1', tower 0 'tower_0'"):
        build(model_fn)


def test_several_towers_on_one_device_give_the_same_step():
    losses = []
    for devices in (["/cpu:0"] * 4, lt.devices.cpus(4)):
        with tf.Graph().as_default():
            step = build(devices=devices)
            with open_session() as session, step.running(session) as run:
                losses.append([run(step.loss) for _ in range(4)])
    assert losses[0] == losses[1]


def test_the_plan_prints_and_converts_to_json():
    step = build(moving_average_decay=0.99)
    text = str(step.plan)
    for part in (
        "4 towers on /cpu:0 to /cpu:3",
        "4 examples per tower, 16 per step",
        "ParameterServer('/cpu:0'), 9 resource variables (4,696 bytes)",  # 4, their averages, and the global step
        "regularization: none",
        "update ops: none",
        "moving averages: decay 0.99",
    ):
        assert part in text, text
    saved = json.loads(json.dumps(step.plan.as_dict()))
    assert saved["devices"] == ["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"]
    assert saved["input"]["pipeline"] == "feed"
    (row,) = [each for each in saved["variables"] if each["name"] == "w1"]
    assert row["shape"] == [12, 16] and row["bytes"] == 12 * 16 * 8 and row["gradient"] == "dense"


def test_the_plan_describes_regularization():
    plan = build(nets.model("dense", weights=nets.get_variable_decay)).plan
    assert plan.regularization == "2 added once to the mean of the towers' losses"


def test_soft_placement_warns_in_a_monitored_session():
    step = build(towers=2, devices=["/gpu:6", "/gpu:7"])
    config = lt.session_config(soft_placement=True)
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=config) as session:
        with pytest.warns(UserWarning, match="tower 0 requested /gpu:6 but ran entirely on /cpu:0; tower 1 requested"):
            session.run(step.train_op)


def test_a_monitored_session_without_the_device_fails_by_name():
    step = build(devices=["/cpu:0", "/cpu:5"])
    with pytest.raises(DeviceError, match=r"tower 1 \(/cpu:5\) asks for a device that this session") as caught:
        with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=nets.config(2)):
            pass
    assert isinstance(caught.value.__cause__, tf.errors.InvalidArgumentError)


@pytest.mark.parametrize(
    "strategy", [lambda: lt.variables.LocalSGD(2), lt.variables.Asynchronous], ids=["own", "asynchronous"]
)
@pytest.mark.parametrize("name", ["tree", "bucketed", "collective", "compressed"])
def test_sum_layouts_are_refused_where_each_tower_applies_its_own_gradients(strategy, name):
    inputs = lt.inputs.from_tensors(per_tower=[tf.ones([2]), tf.ones([2])])

    def build(reduction):
        return lt.build_train_step(
            lambda batch, mode: lt.TowerOutput(loss=tf.reduce_sum(batch * tf.get_variable("w", [2]))),
            inputs, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2),
            variables=strategy(), reduction=reduction,
        )

    layout = getattr(lt.gradients, name)()
    with pytest.raises(ArgumentError, match=name + r"\(.*each tower applies its own gradients.*Leave " + name):
        build(lt.gradients.chain(lt.gradients.clip_by_norm(1.0), layout))
    with tf.Graph().as_default():
        inputs = lt.inputs.from_tensors(per_tower=[tf.ones([2]), tf.ones([2])])
        assert build(lt.gradients.chain(lt.gradients.clip_by_norm(1.0), lt.gradients.mean())).gradients
