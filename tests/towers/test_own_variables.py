"""A copy of the variables per tower: under any names, in any scope, and nobody else's."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.towers import EVAL, TRAIN, TowerOutput, replicate
from legacy_towers.variables import Independent, ParameterServer, Replicated

KINDS = ["resource", "ref"]
STRATEGIES = [Replicated(), Independent(2)]


def build(model_fn, strategy=None, towers=3, kind="resource", devices=None, **options):
    devices = devices or ["/cpu:{}".format(index) for index in range(towers)]
    batches = [tf.constant(np.full([2, 3], index + 1.0), tf.float32) for index in range(len(devices))]
    return replicate(model_fn, batches, devices, strategy or Replicated(), variable_kind=kind, **options)


def names(variables):
    return [str(variable.op.name) for variable in variables]


def initialized(towers=3):
    session = tf.Session(config=lt.session_config(logical_cpus=towers))
    session.run(tf.global_variables_initializer())
    session.run(tf.local_variables_initializer())
    return session


def scalar(name, **options):
    return tf.get_variable(name, [], initializer=tf.random_normal_initializer(), **options)


def plain(batch, mode):
    return TowerOutput(loss=scalar("w") * tf.reduce_sum(batch))


def begins_with_v(batch, mode):
    return TowerOutput(loss=scalar("v") * scalar("v0/value") * scalar("vars/v") * tf.reduce_sum(batch))


def named_replica(batch, mode):
    return TowerOutput(loss=scalar("replica_1") * scalar("replica_2/replica_1") * tf.reduce_sum(batch))


def one_inside_another(batch, mode):
    return TowerOutput(loss=scalar("w") * scalar("w/w") * scalar("w/w/w") * tf.reduce_sum(batch))


def nested(batch, mode):
    with tf.variable_scope("a"), tf.variable_scope("b"), tf.name_scope("other"):
        return TowerOutput(loss=scalar("c/d") * tf.reduce_sum(batch))


def unnamed_scopes(batch, mode):
    total = tf.reduce_sum(batch)
    for _ in range(2):
        with tf.variable_scope(None, default_name="block"):
            total = total * scalar("w")
    return TowerOutput(loss=total)


def asks_twice(batch, mode):
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        one, other = scalar("w"), scalar("w")
    assert one is other
    with tf.variable_scope("net", reuse=True):
        assert scalar("w") is one
    tf.get_variable_scope().reuse_variables()
    with tf.variable_scope("net"):
        assert scalar("w") is one
    return TowerOutput(loss=one * tf.reduce_sum(batch))


def from_a_value(batch, mode):
    weights = tf.get_variable("w", initializer=np.array([1.0, 2.0, 3.0], np.float32))
    count = tf.get_variable("n", initializer=tf.constant(7, tf.int64), trainable=False)
    return TowerOutput(loss=tf.reduce_sum(batch * weights) * tf.cast(count, tf.float32))


def own_getter(batch, mode):
    def doubled(getter, name, shape=None, dtype=None, initializer=None, **options):
        options.pop("constraint", None)
        return 2.0 * getter(name, shape=shape, dtype=dtype, initializer=initializer, **options)

    def old_style(getter, name, shape, dtype, initializer, regularizer, reuse, trainable, collections,
                  caching_device, partitioner, validate_shape, use_resource, synchronization, aggregation):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, reuse=reuse,
                      trainable=trainable, collections=collections, caching_device=caching_device,
                      partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource)

    with tf.variable_scope("net", custom_getter=doubled):
        weights = scalar("w")
    with tf.variable_scope("old", custom_getter=old_style):
        return TowerOutput(loss=scalar("w") * weights * tf.reduce_sum(batch))


def in_parts(batch, mode):
    table = tf.get_variable("table", [6, 2], partitioner=tf.fixed_size_partitioner(3))
    return TowerOutput(loss=tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 5], "div")) * tf.reduce_sum(batch))


def in_a_loop(batch, mode):
    def body(index, total):
        return index + 1, total + tf.get_variable("step/w", [], initializer=tf.ones_initializer()).read_value()

    total = tf.while_loop(lambda index, total: index < 3, body, [0, tf.reduce_sum(batch)])[1]
    return TowerOutput(loss=total)


ODD_NAMES = {
    plain: ["w"],
    begins_with_v: ["v", "v0/value", "vars/v"],
    named_replica: ["replica_1", "replica_2/replica_1"],
    one_inside_another: ["w", "w/w", "w/w/w"],
    nested: ["a/b/c/d"],
    unnamed_scopes: ["block/w", "block_1/w"],
    asks_twice: ["net/w"],
    from_a_value: ["w", "n"],
    own_getter: ["net/w", "old/w"],
    in_parts: ["table/part_0", "table/part_1", "table/part_2"],
    in_a_loop: ["step/w"],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
@pytest.mark.parametrize("model_fn", ODD_NAMES, ids=lambda fn: fn.__name__)
def test_plain_names_stay_and_every_tower_has_its_own(model_fn, strategy, kind):
    towers = build(model_fn, strategy, kind=kind)
    assert names(tf.global_variables()) == ODD_NAMES[model_fn]
    variables = towers[0].variables
    copies = [variables.copies_of(variable) for variable in tf.global_variables()]
    assert all(len(set(names(each))) == 3 for each in copies)
    local = set(names(tf.local_variables()))
    for variable, each in zip(tf.global_variables(), copies):
        assert [variables.own(tower, variable) for tower in range(3)] == each or strategy.center
        assert (each[0] is variable) is not strategy.center
        assert set(names(each[1:])) <= local and variable.op.name not in local
    with initialized() as session:
        first, values = session.run([tf.global_variables(), copies])
        for value, others in zip(first, values):
            for other in others:
                np.testing.assert_array_equal(value, other)
        assert np.isfinite(session.run([tower.loss for tower in towers])).all()


def test_names_of_copies_and_devices():
    towers = build(nested, Replicated())
    variables = towers[0].variables.copies_of(tf.global_variables()[0])
    assert names(variables) == ["a/b/c/d", "a/b/c/d/replica_1", "a/b/c/d/replica_2"]
    assert [variable.device for variable in variables] == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]


def test_several_towers_per_device():
    devices = ["/cpu:0", "/cpu:0", "/cpu:1"]
    towers = build(nested, Independent(2), devices=devices)
    variables = towers[0].variables.copies_of(tf.global_variables()[0])
    assert [variable.device for variable in variables] == ["/device:CPU:0", "/device:CPU:0", "/device:CPU:1"]


def test_an_inner_device_stands_for_copies_too():
    def model_fn(batch, mode):
        with tf.device("/cpu:2"):
            return plain(batch, mode)

    towers = build(model_fn)
    assert {copy.device for copy in towers[0].variables.copies_of(tf.global_variables()[0])} == {"/device:CPU:2"}


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_scope_object_made_outside_gives_copies_too(strategy):
    with tf.variable_scope("generator") as scope:
        pass

    def model_fn(batch, mode):
        with tf.variable_scope(scope):
            return plain(batch, mode)

    towers = build(model_fn, strategy)
    assert names(tf.global_variables()) == ["generator/w"]
    assert len(set(towers[0].variables.copies_of(tf.global_variables()[0]))) == 3


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_templates(strategy):
    def network(batch):
        return scalar("w") * tf.reduce_sum(batch)

    def model_fn(batch, mode):
        template = tf.make_template("net", network)
        return TowerOutput(loss=template(batch) + template(batch))

    towers = build(model_fn, strategy)
    assert names(tf.global_variables()) == ["net/w"]
    assert len(towers[0].variables.copies_of(tf.global_variables()[0])) == 3
    outside = tf.make_template("outside", network)
    with pytest.raises(TowerError, match="tower 1 calls a template .* that tower 0 called before"):
        build(lambda batch, mode: TowerOutput(loss=outside(batch)), strategy)


@pytest.mark.needs_layers
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_unnamed_layers_with_batch_norm(strategy):
    def model_fn(batch, mode):
        hidden = tf.layers.batch_normalization(tf.layers.dense(batch, 4), training=True)
        return TowerOutput(loss=tf.reduce_mean(tf.layers.dense(hidden, 1)))

    towers = build(model_fn, strategy)
    assert names(tf.trainable_variables()) == [
        "dense/kernel",
        "dense/bias",
        "batch_normalization/gamma",
        "batch_normalization/beta",
        "dense_1/kernel",
        "dense_1/bias",
    ]
    statistics = ["batch_normalization/moving_mean", "batch_normalization/moving_variance"]
    assert [name for name in names(tf.global_variables()) if "moving" in name] == statistics
    for tower in towers:
        own = [tower.variables.own(tower.index, variable) for variable in tf.trainable_variables()]
        gradients = tf.gradients(tower.loss, own)
        assert None not in gradients
        assert len(tower.collected.update_ops) == 2


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_what_a_model_function_sees_in_the_collections(strategy):
    outside = tf.get_variable("outside", [])
    seen = []

    def model_fn(batch, mode):
        weights = scalar("w", collections=[tf.GraphKeys.GLOBAL_VARIABLES, "mine"])
        scalar("statistic", trainable=False)
        tf.add_to_collection("decayed", weights)
        seen.append(
            [names(tf.trainable_variables()), names(tf.global_variables())]
            + [names(tf.get_collection(key)) for key in ("mine", "decayed")]
        )
        return TowerOutput(loss=weights * outside * tf.reduce_sum(batch))

    towers = build(model_fn, strategy)
    for index, tower in enumerate(towers):
        ending = "/replica_{}".format(index) if index or strategy.center else ""
        assert seen[index] == [
            ["outside", "w" + ending],
            ["outside", "w" + ending, "statistic" + ending],
            ["w" + ending],
            ["w" + ending],
        ]
        assert names(tower.collected.trainable_variables) == ["w" + ending]
    assert names(tf.trainable_variables()) == ["outside", "w"]
    assert names(tf.global_variables()) == ["outside", "w", "statistic"]
    assert names(tf.get_collection("mine")) == ["w"] and names(tf.get_collection("decayed")) == ["w"]
    assert towers[2].variables.own(2, outside) is outside
    assert towers[2].variables.copies_of(outside) == []


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_what_get_variable_knew_before_is_shared(strategy):
    with tf.variable_scope("net"):
        before = tf.get_variable("w", [])

    def model_fn(batch, mode):
        with tf.variable_scope("net", reuse=True):
            assert tf.get_variable("w", []) is before
        return TowerOutput(loss=before * scalar("own") * tf.reduce_sum(batch))

    build(model_fn, strategy)
    assert names(tf.global_variables()) == ["net/w", "own"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_each_tower_decays_its_own(strategy):
    totals = []

    def model_fn(batch, mode):
        weights = tf.get_variable("w", [3], regularizer=lambda weights: tf.reduce_sum(weights, name="sum"))
        with tf.variable_scope("other", regularizer=lambda weights: 2.0 * tf.reduce_sum(weights)):
            other = tf.get_variable("w", [3])
        totals.append(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
        by_hand = tf.add_n([tf.nn.l2_loss(variable) for variable in tf.trainable_variables()])
        return TowerOutput(loss=tf.reduce_sum(batch * weights * other) * 0.0 + tf.losses.get_regularization_loss(),
                           metrics={"by_hand": by_hand})

    towers = build(model_fn, strategy)
    assert totals == [2, 2, 2]
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 2
    with initialized() as session:
        for tower in towers:
            own = [tower.variables.own(tower.index, variable) for variable in tf.trainable_variables()]
            assert len(tower.collected.regularization_losses) == 2
            for index, copy in enumerate(own):
                session.run(tf.assign(copy, [10.0 * tower.index + index] * 3))
        values = session.run([[tower.loss, tower.output.metrics["by_hand"]] for tower in towers])
        own_losses = session.run([tower.collected.regularization_losses for tower in towers])
    for index in range(3):
        first, second = 10.0 * index, 10.0 * index + 1.0
        assert own_losses[index] == pytest.approx([3 * first, 6 * second])
        assert values[index] == pytest.approx([3 * first + 6 * second, 1.5 * (first**2 + second**2)])


def test_what_stands_beside_a_variable_has_copies_by_its_name():
    def model_fn(batch, mode):
        weights = scalar("net/w")
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([average.apply([weights])]):
            return TowerOutput(loss=average.average(weights) * tf.reduce_sum(batch))

    with tf.variable_scope("outer"):
        towers = build(model_fn, Independent(2))
    made = names(tf.global_variables())
    assert made[0] == "outer/net/w" and len(made) == 2 and "replica" not in made[1]
    assert len(towers[0].variables.copies_of(tf.global_variables()[1])) == 3


def test_local_variables_are_each_towers_own_and_never_written():
    def model_fn(batch, mode):
        tf.get_variable("scratch", [], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        return plain(batch, mode)

    towers = build(model_fn, Independent(2))
    assert names(tf.global_variables()) == ["w"]
    assert {"scratch", "scratch/replica_1", "scratch/replica_2"} <= set(names(tf.local_variables()))
    assert names(group.plain for group in towers[0].variables.copied()) == ["w"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_second_set_of_towers_uses_the_copies_that_are_there(strategy):
    build(plain, strategy)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        again = build(plain, strategy, towers=2, mode=EVAL)
    assert names(tf.global_variables()) == ["w"]
    assert len(tf.local_variables()) == (3 if strategy.center else 2)
    assert again[0].variables.training == {0, 1, 2}


def test_a_validating_tower_has_copies_and_may_lack_some():
    def model_fn(batch, mode):
        output = plain(batch, mode)
        return output if mode == EVAL else TowerOutput(loss=output.loss * scalar("for_training"))

    towers = build(model_fn, mode=[TRAIN, TRAIN, EVAL])
    variables = towers[0].variables
    assert variables.training == {0, 1}
    first, second = tf.global_variables()
    assert names(variables.copies_of(first)) == ["w", "w/replica_1", "w/replica_2"]
    assert names(variables.copies_of(second)) == ["for_training", "for_training/replica_1"]
    with pytest.raises(TowerError, match="tower 2 has no copy of 'for_training': towers 0, 1 have"):
        variables.own(2, second)


def test_shared_strategies_have_no_copies():
    towers = build(plain, ParameterServer("/cpu:0"))
    (weights,) = tf.global_variables()
    assert towers[1].variables.own(1, weights) is weights
    assert towers[1].variables.copies_of(weights) == [] and towers[1].variables.copied() == []


def own_variable(batch, mode):
    return TowerOutput(loss=tf.reduce_sum(batch * tf.Variable(1.0, name="mine")))


def named_by_tower(batch, mode):
    name = tf.get_default_graph().get_name_scope()
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.get_variable(name + "/w", []))


def of_another_shape(batch, mode):
    towers_so_far = len([name for name in names(tf.local_variables()) if "w/replica" in name])
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.reduce_sum(tf.get_variable("w", [2 + towers_so_far])))


def of_another_dtype(batch, mode):
    dtype = tf.float64 if tf.local_variables() else tf.float32
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.cast(tf.get_variable("w", [], dtype), tf.float32))


def of_another_value(batch, mode):
    value = np.zeros([3 if tf.local_variables() else 2], np.float32)
    return TowerOutput(loss=tf.reduce_sum(batch) * tf.reduce_sum(tf.get_variable("w", initializer=value)))


def one_less(batch, mode):
    output = plain(batch, mode)
    return output if tf.local_variables() else TowerOutput(loss=output.loss * scalar("other"))


REFUSED = [
    (own_variable, Replicated(), "tower 1 creates the trainable variable 'tower_1/mine', which tower 0 does not have"),
    (own_variable, Independent(1), "tower 1 creates the trainable variable 'tower_1/mine', which tower 0"),
    (named_by_tower, Replicated(), "tower 1 creates the trainable variable 'tower_1/w'.*it has 'tower_0/w'"),
    (of_another_shape, Replicated(), r"tower 2 makes 'w' of shape \(3,\), tower 0 of \(2,\)"),
    (of_another_value, Replicated(), r"tower 2 makes 'w' of shape \(3,\), tower 0 of \(2,\)"),
    (of_another_dtype, Independent(1), "makes 'w' as float64, tower 0 as float32"),
    (one_less, Replicated(), "tower 2 does not make the variables 'other', which tower 0 makes"),
]


@pytest.mark.parametrize(
    "model_fn, strategy, message", REFUSED, ids=lambda value: getattr(value, "__name__", "-")
)
def test_what_towers_with_copies_may_not_do(model_fn, strategy, message):
    with pytest.raises(TowerError, match=message):
        build(model_fn, strategy)


@pytest.mark.needs_layers
@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_layer_made_outside_is_refused(strategy):
    layer = tf.layers.Dense(1)
    with pytest.raises(TowerError, match="tower 1 uses the variables 'dense/bias.*', 'dense/kernel.*', which are no"):
        build(lambda batch, mode: TowerOutput(loss=tf.reduce_sum(layer(batch))), strategy)


def test_one_strategy_with_copies_per_graph():
    build(plain, Replicated())
    with tf.variable_scope("other"):
        build(plain, Replicated())
        with pytest.raises(ArgumentError, match="this graph has towers whose variables are copied by another strategy"):
            build(plain, Independent(2))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_further_towers_behind_those_of_a_step_are_refused(strategy):
    """Their copies would keep their first values: the step that is there writes those that it knew."""
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        build(plain, strategy, towers=2)
        with pytest.raises(ArgumentError, match="3 towers in a graph whose step was built for 2.*copies of tower 2"):
            build(plain, strategy, towers=3, mode=EVAL)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_further_towers_before_those_of_a_step_follow_it(strategy):
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        evaluated = build(plain, strategy, towers=3, mode=EVAL)
        step = lt.build_train_step(
            plain,
            lt.inputs.from_tensors(per_tower=[tf.constant(1.0), tf.constant(2.0)]),
            tf.train.GradientDescentOptimizer(0.5),
            ["/cpu:0", "/cpu:1"],
            strategy,
        )
    copies = [evaluated[0].variables.own(tower, tf.trainable_variables()[0]) for tower in range(3)]
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        before = session.run(copies)
        run()
        run()
        np.testing.assert_allclose(session.run(copies), np.array(before) - 0.5 * 1.5 * 2, rtol=1e-5)
