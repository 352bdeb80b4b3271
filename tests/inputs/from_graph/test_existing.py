"""`from_dataset`, `from_tensors` and `from_placeholders`."""
import numpy as np
import pytest


@pytest.mark.parametrize("order", ["any", "fixed"])
def test_from_dataset_splits_global_batches(order, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    split = inputs.from_dataset(tf.data.Dataset.range(32).batch(8), order=order).build(cpus)
    assert [[tower.tolist() for tower in step] for step in drive(split)] == np.arange(32).reshape(4, 4, 2).tolist()


def test_from_dataset_next_per_tower_and_sharded(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(32).batch(2)
    per_tower = inputs.from_dataset(dataset, route="next_per_tower", order="fixed").build(cpus)
    sharded = inputs.from_dataset(
        lambda towers, tower: tf.data.Dataset.range(32).batch(2).shard(towers, tower), route="sharded"
    ).build(cpus)
    expected = np.arange(32).reshape(4, 4, 2).tolist()
    assert [[tower.tolist() for tower in step] for step in drive(per_tower)] == expected
    assert [[tower.tolist() for tower in step] for step in drive(sharded)] == expected


def test_from_dataset_without_a_static_batch_size(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.from_dataset(tf.data.Dataset.range(18).batch(8)).build(cpus)
    assert batches.plan.per_tower_batch_size is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="the batch: .* must be divisible by 4 towers"):
        drive(batches)  # 8, 8, and then 2


def test_from_tensors_per_tower_and_global(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    own = [{"x": tf.constant([tower, tower])} for tower in range(4)]
    batches = inputs.from_tensors(own).build(cpus)
    assert [tower["x"].tolist() for tower in drive(batches, steps=1)[0]] == [[0, 0], [1, 1], [2, 2], [3, 3]]
    assert batches.plan.global_batch_size == 8
    with tf.Graph().as_default():
        batches = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
        assert [tower["x"].tolist() for tower in drive(batches, steps=1)[0]] == [[0, 1], [2, 3], [4, 5], [6, 7]]
        assert [tower["x"].device[-5:] for tower in batches.per_tower] == ["CPU:0", "CPU:1", "CPU:2", "CPU:3"]


@pytest.mark.parametrize("form", ["per tower", "global", "Feed"])
def test_from_placeholders_accepts_every_form_of_batches(form, drive, cpus):
    import legacy_towers as lt
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    placeholders = inputs.tower_placeholders({"x": tf.TensorSpec([None], tf.int64)}, towers=4)
    steps = np.arange(24).reshape(3, 4, 2)
    forms = {
        "per tower": lambda step: [{"x": part} for part in step],
        "global": lambda step: {"x": step.ravel()},
        "Feed": lambda step: lt.inputs.Feed(per_tower=[{"x": part} for part in step]),
    }
    batches = inputs.from_placeholders(placeholders, lambda: (forms[form](step) for step in steps)).build(cpus)
    assert [[tower["x"].tolist() for tower in step] for step in drive(batches)] == steps.tolist()


def test_each_towers_batch_has_the_shared_values(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    placeholders = inputs.tower_placeholders(
        {"x": tf.TensorSpec([2], tf.float32)}, towers=4, shared={"keep": tf.TensorSpec([], tf.float32)}
    )
    feeds = [inputs.Feed(global_batch={"x": np.ones(8, np.float32)}, shared={"keep": 0.5})]
    batches = inputs.from_placeholders(placeholders, feeds).build(cpus)
    assert [tower["keep"] for tower in drive(batches)[0]] == [0.5] * 4
    assert batches.per_tower[0]["keep"] is batches.per_tower[3]["keep"]


def test_from_placeholders_of_a_list_of_placeholders(drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    own = [tf.placeholder(tf.float32, [None]) for _ in range(2)]
    batches = inputs.from_placeholders(own, [np.float32([1, 2, 3, 4])]).build(["/cpu:0", "/cpu:1"])
    assert [tower.tolist() for tower in drive(batches)[0]] == [[1, 2], [3, 4]]


def test_a_list_of_tensors_is_structure(drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    query, positive = np.arange(8.0).reshape(4, 2), -np.arange(4)
    batches = inputs.from_tensors(global_batch=[tf.constant(query), tf.constant(positive)]).build(["/cpu:0", "/cpu:1"])
    assert [type(tower) for tower in batches.per_tower] == [list, list]
    seen = drive(batches, steps=1)[0]
    for tower in range(2):
        np.testing.assert_array_equal(seen[tower][0], query[2 * tower:2 * tower + 2])
        np.testing.assert_array_equal(seen[tower][1], positive[2 * tower:2 * tower + 2])


def test_from_tensors_of_a_list_from_tf_train_batch(drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    image, label = tf.train.slice_input_producer([tf.range(8), tf.range(8) * 10], num_epochs=1, shuffle=False)
    batch = tf.train.batch([image, label], 4)
    assert isinstance(batch, list)
    steps = drive(inputs.from_tensors(global_batch=batch).build(["/cpu:0", "/cpu:1"]))
    assert [[[part.tolist() for part in tower] for tower in step] for step in steps] == [
        [[[0, 1], [0, 10]], [[2, 3], [20, 30]]],
        [[[4, 5], [40, 50]], [[6, 7], [60, 70]]],
    ]


@pytest.mark.parametrize("form", ["per tower", "global"])
def test_from_placeholders_of_lists_for_each_tower(form, drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    own = [[tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None])] for _ in range(2)]
    item = [[[1, 2], [10, 20]], [[3, 4], [30, 40]]] if form == "per tower" else ([1, 2, 3, 4], [10, 20, 30, 40])
    batches = inputs.from_placeholders(own, [item]).build(["/cpu:0", "/cpu:1"])
    seen = [[part.tolist() for part in tower] for tower in drive(batches)[0]]
    assert seen == [[[1, 2], [10, 20]], [[3, 4], [30, 40]]]


@pytest.mark.parametrize("pipeline", ["feed", "dataset:split"])
def test_a_list_of_specs_of_a_generator(pipeline, make_input, drive):
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    spec = [tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)]
    examples = Examples.from_generator(lambda: ([i, -i] for i in range(4)), spec, shuffle=False)
    seen = drive(make_input(pipeline, examples, global_batch_size=4, epochs=1).build(["/cpu:0", "/cpu:1"]))
    parts = [[part.tolist() for part in tower] for tower in seen[0]]
    assert parts == [[[0, 1], [0, -1]], [[2, 3], [-2, -3]]]


def bad_calls():
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def collision():
        spec = {"x": tf.TensorSpec([2], tf.float32)}
        return inputs.from_placeholders(inputs.tower_placeholders(spec, 2, shared=spec), []).build(["/cpu:0"] * 2)

    dataset = tf.data.Dataset.range(4)
    return {
        "route": (lambda: inputs.from_dataset(dataset, "sharded"),
            "needs a function from (number of towers, index of the tower)"),
        "function": (lambda: inputs.from_dataset(lambda: dataset), "route='split' needs a dataset, got a function"),
        "order": (lambda: inputs.from_dataset(dataset, order="x"), 'order must be "any" or "fixed"'),
        "neither": (inputs.from_tensors, "exactly one of per_tower and global_batch"),
        "towers": (lambda: inputs.from_tensors([1, 2]).build(["/cpu:0"]),
            "per_tower has tensors for 2 towers, but the step has 1"),
        "collision": (collision, "component 'x' is both shared and per tower"),
        "batches": (lambda: inputs.from_placeholders([tf.placeholder(tf.int32)], 3), "batches must be an iterable or"),
    }


@pytest.mark.parametrize("case", ["route", "function", "order", "neither", "towers", "collision", "batches"])
def test_errors_of_wrong_calls(case):
    from legacy_towers.errors import UserError

    call, message = bad_calls()[case]
    with pytest.raises(UserError) as raised:
        call()
    assert message in str(raised.value)
