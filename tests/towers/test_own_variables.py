"""A copy of the variables per tower: under any names, in any scope."""
import numpy as np
import pytest
from diagonals import diagonals
from towers_with_copies import KINDS, STRATEGIES, build, initialized, names, plain, scalar

from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.towers import EVAL, TRAIN, TowerOutput
from legacy_towers.variables import LocalSGD, ParameterServer, Replicated


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


def named(value):
    """Returns the id of a parameter: the name of a function, else the value itself."""
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize("kind, strategy, model_fn", diagonals(2, KINDS, STRATEGIES, ODD_NAMES), ids=named)
def test_plain_names_are_kept_and_every_tower_has_copies(kind, strategy, model_fn):
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
    towers = build(nested, LocalSGD(2), devices=devices)
    variables = towers[0].variables.copies_of(tf.global_variables()[0])
    assert [variable.device for variable in variables] == ["/device:CPU:0", "/device:CPU:0", "/device:CPU:1"]


def test_tf_device_inside_the_model_applies_to_copies():
    def model_fn(batch, mode):
        with tf.device("/cpu:2"):
            return plain(batch, mode)

    towers = build(model_fn)
    assert {copy.device for copy in towers[0].variables.copies_of(tf.global_variables()[0])} == {"/device:CPU:2"}


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_variable_scope_object_from_outside_gives_copies(strategy):
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
def test_collections_inside_a_model_function(strategy):
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
def test_variables_created_before_the_towers_are_shared(strategy):
    with tf.variable_scope("net"):
        before = tf.get_variable("w", [])

    def model_fn(batch, mode):
        with tf.variable_scope("net", reuse=True):
            assert tf.get_variable("w", []) is before
        return TowerOutput(loss=before * scalar("own") * tf.reduce_sum(batch))

    build(model_fn, strategy)
    assert names(tf.global_variables()) == ["net/w", "own"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_each_tower_regularizes_its_own_copies(strategy):
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


def test_a_scope_below_a_variables_name_has_copies():
    def model_fn(batch, mode):
        weights = scalar("net/w")
        average = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([average.apply([weights])]):
            return TowerOutput(loss=average.average(weights) * tf.reduce_sum(batch))

    with tf.variable_scope("outer"):
        towers = build(model_fn, LocalSGD(2))
    made = names(tf.global_variables())
    assert made[0] == "outer/net/w" and len(made) == 2 and "replica" not in made[1]
    assert len(towers[0].variables.copies_of(tf.global_variables()[1])) == 3


def test_local_variables_are_per_tower():
    def model_fn(batch, mode):
        tf.get_variable("scratch", [], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
        return plain(batch, mode)

    towers = build(model_fn, LocalSGD(2))
    assert names(tf.global_variables()) == ["w"]
    assert {"scratch", "scratch/replica_1", "scratch/replica_2"} <= set(names(tf.local_variables()))
    assert names(group.plain for group in towers[0].variables.copied()) == ["w"]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
def test_a_second_set_of_towers_uses_the_existing_copies(strategy):
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
