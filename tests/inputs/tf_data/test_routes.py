"""The routes from datasets to the towers: what they wait for, and how they end."""
import numpy as np
import pytest
from diagonals import diagonals

ROUTES = ["split", "next_per_tower", "sharded", "per_device"]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("remainder", ["drop", "short"])
@pytest.mark.parametrize("route, input_ops", list(zip(ROUTES, [1, 4, 4, 4])))
def test_input_ops_of_routes(route, input_ops, remainder, sparse, sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    examples = sources("arrays")
    if sparse and remainder == "drop":
        examples = examples.map(lambda example: {"s": tf.SparseTensor([[0]], tf.reshape(example["id"], [1]), [3])})
    pipeline = inputs.dataset(examples, per_tower_batch_size=4, route=route, remainder=remainder, epochs=1)
    batches = pipeline.build(cpus)
    waiting = [op for op in tf.get_default_graph().get_operations() if op.type == "IteratorGetNext"]
    assert list(batches.input_ops) == waiting and len(waiting) == input_ops


@pytest.mark.parametrize("route", ROUTES)
def test_input_ops_of_from_dataset(route, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(32).batch(8)
    batches = inputs.from_dataset((lambda towers, tower: dataset) if route == "sharded" else dataset, route).build(cpus)
    assert [op.type for op in batches.input_ops] == ["IteratorGetNext"] * (1 if route == "split" else 4)


@pytest.mark.parametrize("order", ["any", "fixed"])
@pytest.mark.parametrize("route", ROUTES)
def test_no_tower_starts_before_all_towers_have_a_batch(route, order, cpus):
    """In a step in which some towers have no batch, no update op runs, also in the towers that have one."""
    import legacy_towers as lt
    from legacy_towers.compat import tf

    # 60 examples: 3 steps of 16, and for a fourth one only three of four towers would have a batch.
    examples = lt.Examples.from_arrays({"id": np.arange(60)})
    batches = lt.inputs.dataset(examples, per_tower_batch_size=4, route=route, order=order, epochs=1).build(cpus)
    seen = []

    def note(tower, ids):
        seen.append(tower)
        return np.int64(ids.sum())

    updates = [tf.py_func(note, [tower, batch["id"]], tf.int64) for tower, batch in enumerate(batches.per_tower)]
    with tf.train.MonitoredTrainingSession(
        hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 4})
    ) as session:
        while not session.should_stop():
            session.run(updates)
    assert sorted(seen) == sorted([0, 1, 2, 3] * 3)


@pytest.mark.parametrize("remainder", ["drop", "short"])
@pytest.mark.parametrize("route", ROUTES)
def test_a_new_session_restarts_the_iterators(route, remainder, cpus):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    examples = lt.Examples.from_arrays({"id": np.arange(1000)})
    pipeline = lt.inputs.dataset(
        examples, per_tower_batch_size=4, route=route, order="fixed", remainder=remainder, epochs=9
    )
    batches = pipeline.build(cpus)
    config = tf.ConfigProto(device_count={"CPU": 4})
    for steps in (1, 5, 0, 2):
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
            for step in range(steps):
                ids = [tower["id"].tolist() for tower in session.run(batches.per_tower)]
                assert ids == np.arange(16 * step, 16 * step + 16).reshape(4, 4).tolist()


def ragged(numbers):
    from legacy_towers.compat import tf

    return {"r": tf.ragged.constant([[number] * (number % 3) for number in numbers], dtype=tf.int64)}


@pytest.mark.parametrize("route", ["split", "next_per_tower", "sharded"])
def test_ragged_parts(route, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    rows = [[number] * (number % 3) for number in range(32)]
    dataset = tf.data.Dataset.from_tensor_slices(ragged(range(32))).batch(8 if route == "split" else 2)
    source = (lambda towers, tower: dataset.shard(towers, tower)) if route == "sharded" else dataset
    seen = drive(inputs.from_dataset(source, route, order="fixed").build(cpus))
    assert [row for step in seen for tower in step for row in tower["r"].to_list()] == rows


READY = {"split": 8, "next_per_tower": 2, "per_device": 2}


@pytest.mark.parametrize(
    "route, structure, remainder", diagonals(2, sorted(READY), ["dict", "tuple", "tensor"], ["short", "pad"])
)
def test_from_dataset_with_a_short_last_batch(route, structure, remainder, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def element(number):
        forms = {"dict": {"a": number, "b": tf.fill([2], number)}, "tuple": (number, -number), "tensor": number}
        return forms[structure]

    ids = {"dict": lambda batch: batch["a"], "tuple": lambda batch: -batch[1], "tensor": lambda batch: batch}[structure]
    dataset = tf.data.Dataset.range(19).map(element).batch(READY[route])
    batches = inputs.from_dataset(dataset, route, order="fixed", remainder=remainder).build(cpus)
    steps = [[(ids(tower).tolist(), count) for tower, count in step] for step in drive(batches, counted=True)]
    assert steps[:2] == [[([place, place + 1], 2) for place in range(8 * step, 8 * step + 8, 2)] for step in (0, 1)]
    last = {
        "short": [([16, 17], 2), ([18], 1), ([16], 0), ([16], 0)],
        "pad": [([16, 17], 2), ([18, 16], 1), ([16, 16], 0), ([16, 16], 0)],
    }
    assert steps[2:] == [last[remainder]]
    assert batches.padded == (remainder == "pad")
    assert "as long as it lasts" in str(batches.plan) and "epoch" not in str(batches.plan)


def test_from_dataset_with_global_batches_that_are_not_divisible(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.from_dataset(tf.data.Dataset.range(25).batch(10), remainder="short").build(cpus)
    steps = [[(tower.tolist(), count) for tower, count in step] for step in drive(batches, counted=True)]
    assert [[count for _, count in step] for step in steps] == [[3, 3, 3, 1], [3, 3, 3, 1], [3, 2, 0, 0]]
    assert [number for step in steps for rows, count in step for number in rows[:count]] == list(range(25))


@pytest.mark.parametrize("route", sorted(READY))
def test_from_dataset_without_elements_ends_at_once(route, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(0).batch(READY[route])
    assert drive(inputs.from_dataset(dataset, route, remainder="pad").build(cpus), counted=True) == []


@pytest.mark.parametrize("route", sorted(READY))
def test_from_dataset_with_a_larger_batch_is_an_error(route, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    size = READY[route]
    dataset = tf.data.Dataset.range(size).batch(size).concatenate(tf.data.Dataset.range(40).batch(20))
    batches = inputs.from_dataset(dataset, route, remainder="pad").build(cpus)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most|more examples than the first one"):
        drive(batches, counted=True)


def wrong_calls():
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(8).batch(4)
    iterator = tf.data.make_initializable_iterator(dataset)
    return {
        "dict": (lambda: inputs.from_dataset({"x": dataset}), "dataset must be a tf.data.Dataset of batches, got dict"),
        "list": (lambda: inputs.from_dataset([1, 2], "next_per_tower"),
            "dataset must be a tf.data.Dataset of batches, got list"),
        "iterator": (lambda: inputs.from_dataset(iterator), "dataset must be a tf.data.Dataset of batches, got "),
        "sharded list": (lambda: inputs.from_dataset([dataset], "sharded"), "needs a function from (number of towers"),
        "shard": (
            lambda: inputs.from_dataset(lambda towers, tower: [dataset, {}][tower], "sharded").build(["/cpu:0"] * 2),
            "the function dataset must return a tf.data.Dataset for tower 1, got dict",
        ),
        "shards": (
            lambda: inputs.from_dataset(lambda towers, tower: dataset, "sharded", remainder="pad"),
            "remainder='pad' contradicts route=\"sharded\"",
        ),
        "remainder": (lambda: inputs.from_dataset(dataset, remainder="keep"), 'remainder must be "drop", "pad" or '),
    }


@pytest.mark.parametrize("case", ["dict", "list", "iterator", "sharded list", "shard", "shards", "remainder"])
def test_from_dataset_of_another_type_is_an_error(case):
    from legacy_towers.errors import ArgumentError

    call, message = wrong_calls()[case]
    with pytest.raises(ArgumentError) as raised:
        call()
    assert message in str(raised.value)
