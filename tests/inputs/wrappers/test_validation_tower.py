"""One tower validates while the others train: its batches are validation data, the others' all of the training data."""
import numpy as np
import pytest

PIPELINES = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device",
        "staged+feed:background", "staged+dataset:split"]
DEVICES = ["/cpu:0", "/cpu:1", "/cpu:2"]


@pytest.fixture
def make_numbered():
    import legacy_towers as lt
    from legacy_towers.inputs.named import make_pipeline

    def make(name, first, count, size, **options):
        examples = lt.Examples.from_arrays({"id": np.arange(first, first + count)})
        return make_pipeline(name, examples, per_tower_batch_size=size, order="fixed", **options)

    return make


@pytest.mark.parametrize("pipeline, tower", [(pipeline, -1) for pipeline in PIPELINES] + [
    (pipeline, tower) for pipeline in ("feed", "staged+dataset:split") for tower in (0, 1)
])
def test_the_other_towers_get_all_training_data(pipeline, tower, make_numbered, drive):
    from legacy_towers import inputs

    source = inputs.with_validation_tower(
        make_numbered(pipeline, 0, 40, 4, epochs=1), make_numbered("dataset:split", 1000, 6, 3), tower
    )
    batches = source.build(DEVICES)
    index = tower % 3
    assert batches.modes == [("eval" if each == index else "train") for each in range(3)]
    for each in range(3):
        assert batches.per_tower[each]["id"].device.upper().endswith("CPU:{}".format(each))
        assert batches.per_tower[each]["id"].name.startswith("tower_{}/".format(each))
    steps = drive(batches)
    validated = [step[index]["id"].tolist() for step in steps]
    trained = [[step[each]["id"].tolist() for each in range(3) if each != index] for step in steps]
    assert trained == np.arange(40).reshape(5, 2, 4).tolist()
    assert validated == ([[1000, 1001, 1002], [1003, 1004, 1005]] * 3)[:5]


def test_the_validation_tower_contributes_no_gradient(make_numbered):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    modes = []

    def model(batch, mode):
        modes.append(mode)
        weight = tf.get_variable("w", [], tf.float64, tf.ones_initializer())
        numbers = tf.cast(batch["id"], tf.float64)
        return lt.TowerOutput(loss=tf.reduce_mean(weight * numbers), metrics={"mean": tf.reduce_mean(numbers)})

    source = lt.inputs.with_validation_tower(
        make_numbered("dataset:next_per_tower", 0, 40, 4), make_numbered("feed", 1000, 6, 3), tower=1
    )
    step = lt.build_train_step(model, source, tf.train.GradientDescentOptimizer(2.0 ** -7), lt.devices.cpus(3))
    assert modes == ["train", "eval", "train"]
    weight = 1.0
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        for number in range(10):
            loss, validation_loss, metrics = run([step.loss, step.validation_loss, step.validation_metrics])
            numbers = np.arange(8 * number, 8 * number + 8) % 40
            validated = np.arange(3 * number, 3 * number + 3) % 6 + 1000
            np.testing.assert_allclose(loss, weight * numbers.mean(), rtol=1e-12)
            np.testing.assert_allclose(validation_loss, weight * validated.mean(), rtol=1e-12)
            np.testing.assert_allclose(metrics["mean"], validated.mean(), rtol=1e-12)
            weight -= 2.0 ** -7 * numbers.mean()
        names = sorted(variable.op.name for variable in tf.global_variables())
        np.testing.assert_allclose(session.run(tf.global_variables("w"))[0], weight, rtol=1e-12)
    # The checkpoint has the variables of the model without towers.
    assert names == ["global_step", "w"]


def test_counts_with_a_validation_tower(make_numbered, drive):
    from legacy_towers import inputs

    short = make_numbered("dataset:split", 1000, 5, 3, epochs=1, remainder="short")
    batches = inputs.with_validation_tower(make_numbered("dataset:split", 0, 40, 4), short).build(DEVICES)
    fetched = batches._replace(per_tower=[{"count": count} for count in batches.counts])
    assert [[tower["count"] for tower in step] for step in drive(fetched)] == [[4, 4, 3], [4, 4, 2]]
    assert "end when the data of one ends" in str(batches.plan)
    assert batches.plan.details["tower_2_validates"].startswith("dataset:split, order fixed, 3 examples per tower")


def test_errors_of_with_validation_tower(make_numbered):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError, InputError

    one = make_numbered("feed", 0, 40, 4)
    with pytest.raises(ArgumentError, match="with_validation_tower: train must be an lt.inputs.Input, got dict"):
        inputs.with_validation_tower({}, one)
    with pytest.raises(ArgumentError, match="validation is a switch or has a validation tower itself"):
        inputs.with_validation_tower(one, inputs.switch(one, one))
    with pytest.raises(ArgumentError, match="tower must be the index of a tower, got 'last'"):
        inputs.with_validation_tower(one, one, tower="last")
    with pytest.raises(ArgumentError, match="tower=3 is not the index of a tower: there are towers 0 to 2"):
        inputs.with_validation_tower(one, one, tower=3).build(DEVICES)
    with pytest.raises(ArgumentError, match="needs another tower that trains, but there is only one tower"):
        inputs.with_validation_tower(one, one).build(["/cpu:0"])
    other = inputs.synthetic(_floats(), per_tower_batch_size=4)
    with pytest.raises(InputError, match="component 'id' is int64 in training and float64 in validation"):
        inputs.with_validation_tower(one, other).build(DEVICES)


def _floats():
    import legacy_towers as lt

    return lt.Examples.from_arrays({"id": np.arange(8.0)})


def test_shared_placeholders_with_a_validation_tower():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(weight * batch["x"] + batch["keep"]))

    placeholders = lt.tower_placeholders(
        {"x": tf.TensorSpec([2], tf.float32)}, 2, shared={"keep": tf.TensorSpec([2], tf.float32)}
    )
    feed = lt.inputs.Feed(global_batch={"x": np.zeros(4, np.float32)}, shared={"keep": np.ones(2, np.float32)})
    train = lt.inputs.from_placeholders(placeholders, lambda: iter([feed]))
    data = tf.data.Dataset.from_tensors({"x": tf.ones([2]), "keep": tf.zeros([2])}).repeat()
    source = lt.inputs.with_validation_tower(train, lt.inputs.from_dataset(data))
    step = lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(3))
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        assert run([step.loss, step.validation_loss]) == [1.0, 1.0]
