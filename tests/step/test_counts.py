"""Batches that are not full: losses, gradients, metrics and update ops are weighted by true examples."""
import nets
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.inputs import Input, InputPlan, TowerBatches

SOME_EMPTY = (4, 1, 0)
COUNTS = [(4, 4, 1), SOME_EMPTY, (2, 0, 0), (4, 4, 4)]


class Counted(Input):
    """An input whose tower k gets counts[k] examples; a tower without examples gets a copy, or rows of `filler`."""

    def __init__(self, arrays, counts, padded=False, per_tower=4, filler=None):
        self.arrays, self.counts, self.padded, self.per_tower, self.filler = arrays, counts, padded, per_tower, filler

    def build(self, devices):
        per_tower, start = [], 0
        for count in self.counts:
            rows = list(range(start, start + count))
            wanted = self.per_tower if self.padded else max(count, 1)
            picked = rows + [0] * (wanted - count)
            start += count
            batch = {name: array[picked].copy() for name, array in self.arrays.items()}
            if self.filler is not None:
                batch["x"][count:] = self.filler
            # Of unknown length, as from a dataset: static shapes must not be required.
            per_tower.append(
                {
                    name: tf.placeholder_with_default(value, [None] + list(value.shape[1:]))
                    for name, value in batch.items()
                }
            )
        counts = [tf.constant(count, tf.int32) for count in self.counts]
        plan = InputPlan("counted", None, "fixed", None, None, 1, None, "the test", {})
        return TowerBatches(per_tower, [], plan, counts=counts, padded=self.padded)


class Whole(Input):
    """All arrays as one batch, for one device."""

    def __init__(self, arrays):
        self.arrays = arrays

    def build(self, devices):
        batch = {name: tf.constant(array) for name, array in self.arrays.items()}
        return TowerBatches([batch], [], InputPlan("whole", None, "fixed", None, None, 1, None, "the test", {}))


def with_metrics(model_fn, per_example):
    def model(batch, mode):
        big = tf.cast(batch["y"] > 2, tf.float64)
        metrics = {"big": big} if per_example else {"big": tf.reduce_mean(big), "hits": batch["y"] > 1}
        return model_fn(batch, mode)._replace(metrics=metrics)

    return model


def first_step(model_fn, source, towers, momentum=True, **arguments):
    """Returns loss, metrics and gradients of one step, and the variables after it."""
    with tf.Graph().as_default():
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9) if momentum else tf.train.GradientDescentOptimizer(0.1)
        step = lt.build_train_step(model_fn, source, optimizer, lt.devices.cpus(towers), **arguments)
        gradients = {variable.op.name: tf.convert_to_tensor(gradient) for gradient, variable in step.gradients}
        with tf.Session(config=nets.config(towers)) as session, step.running(session) as run:
            loss, metrics, values, _ = run([step.loss, step.metrics, gradients, step.train_op])
            return loss, metrics, values, session.run({v.op.name: v for v in tf.trainable_variables()})


def assert_same(found, expected, bound):
    loss, metrics, gradients, variables = found
    assert loss == pytest.approx(expected[0], rel=bound)
    assert sorted(metrics) == sorted(expected[1])
    for name in metrics:
        assert metrics[name] == pytest.approx(expected[1][name], rel=max(bound, 1e-6 if name == "hits" else 0)), name
    assert sorted(gradients) == sorted(expected[2])
    for name in gradients:
        assert np.abs(gradients[name] - expected[2][name]).max() <= bound * np.abs(expected[2][name]).max(), name
        assert np.abs(variables[name] - expected[3][name]).max() <= bound, name


TWO_COUNTS = pytest.mark.parametrize("counts", COUNTS[:2], ids=str)


@pytest.mark.parametrize("padded", [False, True], ids=["short", "pad"])
@pytest.mark.parametrize(
    "kind, counts, dtype, bound",
    [("dense", counts, np.float64, 1e-12) for counts in COUNTS]
    + [("dense", SOME_EMPTY, np.float32, 1e-5)]
    + [
        (kind, SOME_EMPTY, dtype, bound)
        for kind in ("conv", "embedding")
        for dtype, bound in ((np.float64, 1e-12), (np.float32, 1e-5))
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_three_towers_are_one_device_with_the_whole_remainder(kind, padded, counts, dtype, bound):
    arrays = nets.examples(kind, sum(counts), dtype)
    model_fn = with_metrics(nets.model(kind, dtype, per_example=padded), padded)
    found = first_step(model_fn, Counted(arrays, counts, padded), 3)
    assert_same(found, first_step(model_fn, Whole(arrays), 1), bound)


@pytest.mark.parametrize(
    "weights, collect, per_example",
    [
        (nets.get_variable_decay, False, False),
        (nets.get_variable_decay, False, True),
        (nets.tutorial_decay, True, False),
        (nets.tutorial_decay, True, True),
        (nets.total_loss_decay, False, False),
        (nets.total_loss_decay, False, True),
    ],
    ids=["get_variable", "get_variable-pad", "tutorial", "tutorial-pad", "get_total_loss", "get_total_loss-pad"],
)
@TWO_COUNTS
def test_weight_decay_counts_once_with_true_examples(weights, collect, per_example, counts):
    arrays = nets.examples("dense", sum(counts))
    model_fn = nets.model("dense", weights=weights, collect=collect, per_example=per_example)
    found = first_step(model_fn, Counted(arrays, counts, padded=per_example), 3)
    assert_same(found, first_step(model_fn, Whole(arrays), 1), 1e-12)


@pytest.mark.parametrize("holder", [0, 1, 2])
def test_weight_decay_in_one_towers_loss_alone_is_completed(holder, counts=SOME_EMPTY):
    def model_fn(batch, mode):
        output = nets.model("dense", weights=nets.get_variable_decay)(batch, mode)
        if tf.get_default_graph().get_name_scope() == "tower_{}".format(holder):
            output = output._replace(loss=output.loss + tf.losses.get_regularization_loss())
        return output

    arrays = nets.examples("dense", sum(counts))
    plain = nets.model("dense", weights=nets.get_variable_decay)
    found = first_step(model_fn, Counted(arrays, counts), 3)
    assert_same(found, first_step(plain, Whole(arrays), 1), 1e-12)


def with_activity_loss(batch, mode):
    """A regularizer of activations: each tower adds a loss of its own examples to the collection."""
    output = nets.model("dense")(batch, mode)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 0.5 * tf.reduce_mean(tf.square(batch["x"])))
    return output


@TWO_COUNTS
def test_regularization_of_a_towers_examples_has_the_weight_of_its_loss(counts):
    arrays = nets.examples("dense", sum(counts))
    found = first_step(with_activity_loss, Counted(arrays, counts), 3)
    assert_same(found, first_step(with_activity_loss, Whole(arrays), 1), 1e-12)


@pytest.mark.parametrize("filler", [np.nan, np.inf], ids=["NaN", "inf"])
@pytest.mark.parametrize("padded", [False, True], ids=["short", "pad"])
def test_nan_of_a_tower_without_examples_has_no_effect(padded, filler):
    arrays = nets.examples("dense", 5)
    model_fn = with_metrics(nets.model("dense", per_example=padded), padded)
    # Rows of padding are copies of true examples; a tower without true examples may have any rows.
    counts = (4, 1, 0) if not padded else (4, 0, 0)
    arrays = {name: array[: sum(counts)] for name, array in arrays.items()}
    found = first_step(model_fn, Counted(arrays, counts, padded, filler=filler), 3)
    assert_same(found, first_step(model_fn, Whole(arrays), 1), 1e-12)


def sparse_nan(batch, mode):
    """An embedding whose values' gradient is NaN where x is negative."""
    table = nets.variable("table", [6, 2], np.float64)
    rows = tf.nn.embedding_lookup(table, batch["y"])
    return lt.TowerOutput(loss=tf.reduce_mean(rows * tf.sqrt(batch["x"][:, :2])))


def test_an_empty_tower_leaves_no_row_in_a_sparse_gradient():
    arrays = {"x": np.ones([3, 2]), "y": np.array([1, 2, 3])}
    with tf.Graph().as_default():
        source = Counted(arrays, (2, 1, 0), filler=None)
        source.arrays = dict(arrays)
        step = lt.build_train_step(sparse_nan, source, tf.train.MomentumOptimizer(0.1, 0.9), lt.devices.cpus(3))
        ((gradient, _),) = step.gradients
        assert isinstance(gradient, tf.IndexedSlices)
        feeds = {step.towers[2].examples.batch["x"]: -np.ones([1, 2]), step.towers[2].examples.batch["y"]: [5]}
        with tf.Session(config=nets.config(3)) as session:
            session.run(tf.global_variables_initializer())
            indices, values, _ = session.run([gradient.indices, gradient.values, step.train_op], feeds)
            assert indices.tolist() == [1, 2, 3]
            np.testing.assert_allclose(values, np.full([3, 2], 1 / 6.0), rtol=1e-12)
            assert np.isfinite(session.run(step.towers[0].collected.global_variables[0])).all()


def moving_mean(batch, mode):
    mean = tf.get_variable("mean", [], tf.float64, tf.constant_initializer(100.0), trainable=False)
    weight = tf.get_variable("w", [], tf.float64, tf.constant_initializer(1.0))
    here = tf.reduce_mean(batch["x"])
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(mean, (mean - here) * 0.5))
    return lt.TowerOutput(loss=weight * here)


@pytest.mark.parametrize("kind", ["resource", "ref"])
@pytest.mark.parametrize(
    "policy, counts, expected",
    [
        ("first", (2, 1, 0), [50 + 1.5 / 2]),
        ("mean", (2, 1, 0), [50 + (1.5 * 2 + 3) / 3 / 2]),
        ("mean", (1, 1, 1), [50 + 2 / 2.0]),
        # Towers 0 and 1 read the mean before or after one another's write; tower 2 never writes.
        ("all", (2, 1, 0), [2.25, 25 + 1.5 / 4 + 1.5, 25 + 0.75 + 0.75]),
        ("all", (3, 0, 0), [50 + 2 / 2.0]),
    ],
    ids=["first", "mean", "mean-even", "all", "all-but-two"],
)
def test_update_ops_of_towers_without_examples(kind, policy, counts, expected):
    arrays = {"x": np.array([1.0, 2.0, 3.0])}
    with tf.Graph().as_default():
        step = lt.build_train_step(
            moving_mean,
            Counted(arrays, counts, filler=np.nan),
            tf.train.GradientDescentOptimizer(0.0),
            lt.devices.cpus(3),
            update_ops=policy,
            use_resource=kind == "resource",
        )
        with tf.Session(config=nets.config(3)) as session, step.running(session) as run:
            run()
            (mean,) = [variable for variable in tf.global_variables() if variable.op.name == "mean"]
            found = session.run(mean)
    assert np.isfinite(found)
    if policy == "all" and counts == (2, 1, 0):
        # Each of two updates halves the distance, to 1.5 and to 3, in any order or from the same value.
        both = 100 - (100 - 1.5) / 2 - (100 - 3) / 2
        in_turn = [(100 + 1.5) / 4 + 3 / 2.0, (100 + 3) / 4 + 1.5 / 2]
        assert any(found == pytest.approx(value, rel=1e-12) for value in [both] + in_turn)
    else:
        assert found == pytest.approx(expected[0], rel=1e-12)


@pytest.fixture
def newer_control_flow():
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def test_a_tower_without_examples_writes_nothing_under_newer_control_flow(newer_control_flow):
    step = lt.build_train_step(
        moving_mean, Counted({"x": np.array([1.0, 2.0, 3.0])}, (3, 0, 0), filler=np.nan),
        tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(3), update_ops="all",
    )
    with tf.Session(config=nets.config(3)) as session, step.running(session) as run:
        run()
        (mean,) = [variable for variable in tf.global_variables() if variable.op.name == "mean"]
        assert session.run(mean) == pytest.approx(51.0, rel=1e-12)


def test_update_ops_that_cant_be_skipped_are_refused_with_all():
    def model_fn(batch, mode):
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.no_op(name="odd"))
        return nets.model("dense")(batch, mode)

    with pytest.raises(TowerError, match="'tower_0/odd'.*can't be skipped in a tower without examples.*first"):
        first_step(model_fn, Counted(nets.examples("dense", 5), (4, 1, 0)), 3, update_ops="all")


def scalar_metric(batch, mode):
    output = nets.model("dense", per_example=True)(batch, mode)
    return output._replace(metrics={"accuracy": tf.reduce_mean(batch["x"])})


def shapeless(batch, mode):
    output = nets.model("dense", per_example=True)(batch, mode)
    return output._replace(loss=tf.placeholder_with_default(output.loss, None))


def activity_loss(batch, mode):
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.reduce_mean(tf.square(batch["x"]), name="activity"))
    return nets.model("dense", per_example=True)(batch, mode)


@pytest.mark.parametrize(
    "model_fn, message",
    [
        (nets.model("dense"), r'the loss of tower 0 .* is a scalar: remainder="pad" .*[Rr]eturn a vector.*"short"'),
        (nets.model("dense", collect=True), r"the loss of tower 0 .* is a scalar"),
        (scalar_metric, r"the metric 'accuracy' of tower 0 is a scalar: remainder=\"pad\""),
        (shapeless, r"the loss of tower 0 .* has an unknown shape"),
        (activity_loss, r"loss 'tower_0/activity' is computed of the examples of tower 0.*\"pad\".*\"short\""),
    ],
    ids=["loss", "collected", "metric", "unknown", "activity"],
)
def test_scalars_that_would_contain_padding_are_refused(model_fn, message):
    with pytest.raises(TowerError, match=message):
        first_step(model_fn, Counted(nets.examples("dense", 5), (4, 1, 0), padded=True), 3)


def two_per_example(batch, mode):
    losses = nets.model("dense", per_example=True)(batch, mode).loss
    return lt.TowerOutput(loss=tf.reshape(tf.stack([losses, losses], axis=1), [-1]))


def test_a_vector_of_wrong_length_fails_in_the_run():
    with pytest.raises(tf.errors.InvalidArgumentError, match="the loss of tower .: give one value|give one value per"):
        first_step(two_per_example, Counted(nets.examples("dense", 5), (4, 1, 0), padded=True), 3)


def test_without_counts_a_loss_per_example_is_averaged():
    arrays = nets.examples("dense", 8)
    vector = first_step(nets.model("dense", per_example=True), Whole(arrays), 1)
    assert_same(vector, first_step(nets.model("dense"), Whole(arrays), 1), 1e-13)


def test_the_plan_describes_weights_by_true_examples():
    source = Counted(nets.examples("dense", 5), (4, 1, 0), padded=True)
    step = lt.build_train_step(
        nets.model("dense", per_example=True), source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(3)
    )
    assert "mean over towers: each tower is weighted by its true examples in the step; copies" in str(step.plan)
    assert step.plan.as_dict()["weights"] == step.plan.weights
