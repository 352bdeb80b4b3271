"""The options of lt.inputs.dataset: their effects and errors."""
import collections

import numpy as np
import pytest
from diagonals import diagonals

ROUTES = ["split", "next_per_tower", "sharded", "per_device"]


def options_of(dataset):
    """Returns (deterministic, private threads) of a tf.data.Dataset, by the names that this TensorFlow has."""
    options = dataset.options()
    if hasattr(options, "deterministic"):
        return options.deterministic, options.threading.private_threadpool_size
    return options.experimental_deterministic, options.experimental_threading.private_threadpool_size


@pytest.mark.filterwarnings("ignore:To make it possible to preserve tf.data options")
@pytest.mark.parametrize("route, case", diagonals(2, ROUTES, [
    ({}, (None, None)),
    ({"deterministic": True}, (True, None)),
    ({"deterministic": False, "private_threads": 2}, (False, 2)),
    ({"order": "fixed", "private_threads": 1}, (True, 1)),
    ({"order": "fixed", "deterministic": True}, (True, None)),
]))
def test_deterministic_and_private_threads_reach_the_dataset(route, case, sources, drive, cpus):
    asked, expected = case
    from legacy_towers import inputs

    pipeline = inputs.dataset(sources("arrays"), per_tower_batch_size=4, route=route, epochs=1, **asked)
    datasets = pipeline.datasets(4).each
    assert len(datasets) == (4 if route == "sharded" else 1)
    for dataset in datasets:
        deterministic, threads = options_of(dataset)
        assert (deterministic, threads or None) == (expected[0], expected[1])
    batches = pipeline.build(cpus)
    assert sum(len(tower["id"]) for step in drive(batches) for tower in step) == 64
    details = {"deterministic": expected[0], "private_threads": expected[1]}
    for name, value in details.items():
        assert batches.plan.details.get(name) == value
        assert ("{}: {}".format(name.replace("_", " "), value) in str(batches.plan)) == (value is not None)


@pytest.mark.parametrize("deterministic, patience", [(True, 0.2), (False, 60)], ids=["ordered", "unordered"])
def test_deterministic_false_allows_another_order(deterministic, patience):
    """The first example's parse function waits until another example is returned, which never happens in order."""
    import threading

    import legacy_towers as lt
    from legacy_towers.compat import tf

    arrived = threading.Event()

    def slowly(number):
        if number == 0:
            arrived.wait(patience)
        return number

    def parse(example):
        number = tf.py_func(slowly, [example["id"]], tf.int64)
        number.set_shape([])
        return {"id": number}

    batches = lt.inputs.dataset(
        lt.Examples.from_arrays({"id": np.arange(32)}, shuffle=False).map(parse), per_tower_batch_size=1, epochs=1,
        parallel_calls=8, prefetch=0, deterministic=deterministic, private_threads=8,
    ).build(["/cpu:0"])
    seen = []
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks) as session:
        while not session.should_stop():
            seen.append(int(session.run(batches.per_tower[0]["id"])[0]))
            arrived.set()
    assert sorted(seen) == list(range(32))
    assert (seen[0] == 0) == (seen == list(range(32))) == deterministic


@pytest.mark.parametrize("parallel_calls", [1, 3])
def test_parallel_calls(parallel_calls, sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    pipeline = inputs.dataset(sources("arrays"), per_tower_batch_size=4, parallel_calls=parallel_calls)
    plan = pipeline.build(cpus).plan
    assert plan.details["parallel_calls"] == parallel_calls
    graph_def = tf.get_default_graph().as_graph_def()
    parallel = [node for node in graph_def.node if node.op.startswith("ParallelMap")]
    numbers = {
        tf.make_ndarray(source.attr["value"].tensor).item()
        for node in parallel for source in graph_def.node if source.name in node.input and source.op == "Const"
    }
    assert parallel_calls in numbers


@pytest.mark.parametrize("prefetch", [0, 3])
@pytest.mark.parametrize("route, in_a_step", [("split", 1), ("next_per_tower", 4), ("sharded", 1)])
def test_prefetch_is_counted_in_steps(route, in_a_step, prefetch, sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    pipeline = inputs.dataset(sources("arrays"), per_tower_batch_size=4, route=route, prefetch=prefetch)
    plan = pipeline.build(cpus).plan
    assert plan.details["prefetch"] == "{} steps".format(prefetch)
    operations = tf.get_default_graph().get_operations()
    buffers = [op.inputs[1] for op in operations if op.type.startswith("PrefetchDataset")]
    # A parallel map that changes nothing is the prefetch of several datasets on TF 1.15.
    maps = [op for op in operations if op.type.startswith("ParallelMap")]
    buffers += [op.inputs[1] for op in maps if "unchanged" in op.get_attr("f").name]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        assert set(session.run(buffers)) == ({prefetch * in_a_step} if prefetch else set())


@pytest.mark.parametrize("kind", ["tfrecords", "fixed_length", "csv"])
@pytest.mark.parametrize("numbered", [False, True], ids=["plain", "numbered"])
def test_the_read_buffer_reaches_the_files(kind, numbered, sources, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    examples = sources(kind)
    examples = examples.with_ids() if numbered else examples
    pipeline = inputs.dataset(examples, per_tower_batch_size=4, epochs=1, read_buffer_bytes=7777)
    batches = pipeline.build(cpus)
    assert batches.plan.details["read_buffer_bytes"] == 7777
    functions = tf.get_default_graph().as_graph_def().library.function
    sizes = [
        tf.make_ndarray(node.attr["value"].tensor).item()
        for function in functions for node in function.node_def
        if node.op == "Const" and node.attr["dtype"].type == tf.int64.as_datatype_enum
        and not node.attr["value"].tensor.tensor_shape.dim
    ]
    assert 7777 in sizes
    ids = [tower["example" if numbered else "id"] for step in drive(batches) for tower in step]
    ids = [each["id"] if numbered else each for each in ids]
    assert collections.Counter(np.concatenate(ids).tolist()) == {number: 1 for number in range(64)}


BAD = [
    ({"order": "fixed", "deterministic": False}, 'deterministic=False contradicts order="fixed"'),
    ({"deterministic": "yes"}, "deterministic must be True, False or None, got 'yes'"),
    ({"private_threads": 0}, "private_threads must be a whole number of at least 1"),
    ({"parallel_calls": 1.5}, "parallel_calls must be a whole number of at least 1"),
    ({"route": "per_device", "prefetch": 0}, 'prefetch=0 contradicts route="per_device"'),
    ({"read_buffer_bytes": 0}, "read_buffer_bytes must be a whole number of at least 1"),
    ({"read_buffer_bytes": 100}, "read_buffer_bytes=100: arrays (id, part/x) is not read from record files"),
    ({"remainder": "keep"}, 'remainder must be "drop", "pad" or "short"'),
]


@pytest.mark.parametrize("options, message", BAD, ids=[message[:30] for _, message in BAD])
def test_options_of_dataset_that_are_errors(options, message, sources):
    from legacy_towers import inputs
    from legacy_towers.errors import ArgumentError

    with pytest.raises(ArgumentError) as raised:
        inputs.dataset(sources("arrays"), per_tower_batch_size=4, **options)
    assert message in str(raised.value)


def test_sharded_remainder_of_a_damaged_file_is_an_error(tmp_path, cpus):
    """Shards are completed by their number of examples, which is unknown if a file is damaged."""
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    path = str(tmp_path / "damaged.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(4):
            writer.write(b"12345678")
    with open(path, "r+b") as file:
        file.seek(24)  # the length of the second record
        file.write(b"\xff")
    examples = lt.Examples.from_tfrecords(path, lambda record: {"x": record})
    options = dict(per_tower_batch_size=4, route="sharded", epochs=1)
    lt.inputs.dataset(examples, **options).build(cpus)
    with pytest.raises(InputError, match="damaged.tfrecord"):
        lt.inputs.dataset(examples, remainder="short", **options).build(cpus)


@pytest.mark.parametrize("remainder", ["short", "pad"])
@pytest.mark.parametrize("route", ROUTES)
def test_endless_data_has_static_batch_sizes(route, remainder, sources, drive, cpus):
    from legacy_towers import inputs

    pipeline = inputs.dataset(
        sources("arrays"), per_tower_batch_size=5, route=route, remainder=remainder, order="fixed"
    )
    batches = pipeline.build(cpus)
    assert batches.per_tower[0]["part"]["x"].shape.as_list() == [5, 3]
    for number, step in enumerate(drive(batches, steps=10, counted=True)):
        assert [count for _, count in step] == [5] * 4
        assert np.concatenate([tower["id"] for tower, _ in step]).tolist() == [
            (20 * number + row) % 64 for row in range(20)
        ]


@pytest.mark.parametrize("route", ROUTES)
def test_sparse_components_need_remainder_drop(route, sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    examples = sources("arrays").map(
        lambda example: {"words": tf.SparseTensor([[0]], tf.reshape(example["id"], [1]), [3])}
    )
    pipeline = inputs.dataset(examples, per_tower_batch_size=4, route=route, remainder="pad", epochs=1)
    with pytest.raises(InputError, match="component 'words' is a SparseTensor: remainder='pad' needs dense components"):
        pipeline.build(cpus)


# In the order "any" a tower takes the next batch, so that only the sums are known.
@pytest.mark.slow
@pytest.mark.parametrize("remainder", ["short", "pad"])
@pytest.mark.parametrize("order", ["any", "fixed"])
@pytest.mark.parametrize("route", ROUTES)
def test_remainders_of_a_thousand_examples_on_three_towers(route, order, remainder, drive, cpus):
    import legacy_towers as lt

    examples = lt.Examples.from_arrays({"id": np.arange(1000), "name": np.arange(1000).astype(str)}, seed=3)
    pipeline = lt.inputs.dataset(
        examples, per_tower_batch_size=7, route=route, order=order, remainder=remainder, epochs=1
    )
    counted, steps = collections.Counter(), 0
    for step in drive(pipeline.build(cpus[:3]), counted=True):
        steps += 1
        for tower, count in step:
            counted.update(tower["id"][:count].tolist())
            assert [int(name) for name in tower["name"]] == tower["id"].tolist()
    assert counted == {number: 1 for number in range(1000)}
    assert steps == 48  # 47 full ones of 21 and one of 13, and as many by shards of 334, 333 and 333


def test_a_full_batch_is_not_gathered(sources, cpus):
    """Only the branch for incomplete batches gathers rows."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    examples = sources("tfrecords")  # rows of arrays are gathered one by one
    inputs.dataset(examples, per_tower_batch_size=4, route="split", remainder="pad", epochs=1).build(cpus)
    graph_def = tf.get_default_graph().as_graph_def()
    gathering = [
        function.signature.name for function in graph_def.library.function
        if any(node.op.startswith("Gather") for node in function.node_def)
    ]
    assert gathering and all("false" in name for name in gathering)
