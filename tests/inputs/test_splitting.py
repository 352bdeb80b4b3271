"""Splitting a global batch among the towers, compared with numpy."""
import numpy as np
import pytest


def session():
    from legacy_towers.compat import tf

    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 4}))


def test_nested_dense_components_against_numpy():
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_batch

    texts = np.array([str(number) for number in range(12)], object)
    whole = {"a": np.arange(12), "pair": (np.arange(24.0).reshape(12, 2), texts)}
    batch = {"a": tf.constant(whole["a"]), "pair": tuple(tf.constant(part) for part in whole["pair"])}
    parts = split_batch(batch, 3)
    with session() as running:
        for tower, part in enumerate(running.run(parts)):
            np.testing.assert_array_equal(part["a"], np.split(whole["a"], 3)[tower])
            np.testing.assert_array_equal(part["pair"][0], np.split(whole["pair"][0], 3)[tower])
            assert [text.decode() for text in part["pair"][1]] == list(np.split(whole["pair"][1], 3)[tower])


def test_sparse_rows_against_numpy():
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_batch

    dense = np.random.RandomState(0).randint(0, 3, [8, 5])
    indices = np.argwhere(dense)
    parts = split_batch({"s": tf.SparseTensor(indices, dense[tuple(indices.T)], [8, 5])}, 4)
    with session() as running:
        rebuilt = running.run([tf.sparse.to_dense(part["s"]) for part in parts])
    for tower in range(4):
        np.testing.assert_array_equal(rebuilt[tower], dense[2 * tower:2 * tower + 2])


def test_ragged_rows_against_lists():
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_batch

    rows = [[1], [], [2, 3, 4], [5, 6], [7], [], [], [8, 9]]
    parts = split_batch(tf.ragged.constant(rows), 4)
    with session() as running:
        for tower, part in enumerate(parts):
            value = running.run(part)
            assert value.to_list() == rows[2 * tower:2 * tower + 2]


def sparse_of(rows):
    from legacy_towers.compat import tf

    count = tf.shape(rows)[0]
    return tf.sparse.from_dense(tf.ones([count, 2]))


def ragged_of(rows):
    from legacy_towers.compat import tf

    return tf.RaggedTensor.from_row_lengths(rows, tf.ones_like(rows, dtype=tf.int64))


@pytest.mark.parametrize("kind", ["dense", "sparse", "ragged"])
def test_split_batch_checks_unknown_batch_sizes_in_the_run(kind):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_batch

    rows = tf.placeholder(tf.float32, [None], name="rows")
    parts = split_batch({"x": {"dense": tf.identity, "sparse": sparse_of, "ragged": ragged_of}[kind](rows)}, 4)
    with session() as running:
        running.run(parts, {rows: np.zeros(8)})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be divisible by 4 towers"):
            running.run(parts, {rows: np.zeros(10)})


def test_split_batch_checks_static_batch_sizes_when_built():
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs.splitting import split_batch

    with pytest.raises(InputError, match="component 'x': 10 examples can't be split among 4 towers"):
        split_batch({"x": tf.zeros([10, 2])}, 4)
    with pytest.raises(InputError, match="component 'keep' is a scalar"):
        split_batch({"keep": tf.constant(0.5)}, 2)


DIFFERENT = {
    "dense": (lambda rows: rows, "component 'b' has 6 examples, but component 'a' has 4"),
    "sparse": (lambda rows: sparse_rows(rows), "component 'b' has 6 examples, but component 'a' has 4"),
}


def sparse_rows(rows):
    from legacy_towers.compat import tf

    return tf.SparseTensor([[0, 0]], [1.0], [rows.shape[0], 3])


@pytest.mark.parametrize("kind", sorted(DIFFERENT))
@pytest.mark.parametrize("call", ["split_batch", "split_incomplete"])
def test_components_of_different_static_sizes_are_an_error(call, kind):
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs import splitting

    make, message = DIFFERENT[kind]
    batch = {"a": tf.zeros([4, 2]), "b": make(tf.zeros([6]))}
    if call == "split_incomplete" and kind == "sparse":
        message = "component 'b' is a SparseTensor: remainder='pad' needs dense components"
    arguments = (2,) if call == "split_batch" else (2, 4, "pad")
    with pytest.raises(InputError, match=message):
        getattr(splitting, call)(batch, *arguments)


@pytest.mark.parametrize("call", ["split_batch", "split_incomplete"])
def test_components_of_different_unknown_sizes_fail_in_the_run(call):
    from legacy_towers.compat import tf
    from legacy_towers.inputs import splitting

    batch = {"a": tf.placeholder(tf.int64, [None]), "b": tf.placeholder(tf.float32, [None, 2])}
    if call == "split_batch":
        parts = splitting.split_batch(batch, 2)
    else:
        parts, _ = splitting.split_incomplete(batch, 2, 3, "short")
    feeds = lambda a, b: {batch["a"]: np.arange(a), batch["b"]: np.zeros([b, 2])}  # noqa: E731
    with session() as running:
        assert [len(part["b"]) for part in running.run(parts, feeds(6, 6))] == [3, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"b\W* and component \W*a\W* must have the same"):
            running.run(parts, feeds(4, 6))


@pytest.mark.parametrize("per_tower", [2, None], ids=["known", "tensor"])
@pytest.mark.parametrize("remainder", ["short", "pad"])
def test_split_incomplete_against_numpy(remainder, per_tower):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_incomplete

    rows = tf.placeholder(tf.int64, [None, 3])
    size = tf.placeholder_with_default(2, []) if per_tower is None else per_tower
    parts, counts = split_incomplete({"x": rows, "y": (tf.as_string(rows[:, 0]),)}, 3, size, remainder)
    static = [2, 3] if remainder == "pad" and per_tower else [None, 3]
    assert [part["x"].shape.as_list() for part in parts] == [static] * 3
    with session() as running:
        for number in range(1, 7):
            whole = np.arange(3 * number).reshape(number, 3)
            got, got_counts = running.run((parts, counts), {rows: whole})
            assert got_counts == [min(2, max(0, number - 2 * tower)) for tower in range(3)]
            for tower in range(3):
                own = whole[2 * tower:2 * tower + 2]
                missing = (2 if remainder == "pad" else max(1, len(own))) - len(own)
                expected = np.concatenate([own] + [whole[:1]] * missing)
                np.testing.assert_array_equal(got[tower]["x"], expected)
                assert [int(text) for text in got[tower]["y"][0]] == expected[:, 0].tolist()
        for number in (0, 7):
            with pytest.raises(tf.errors.InvalidArgumentError, match="at least 1 example and at most"):
                running.run(parts, {rows: np.zeros([number, 3])})


def test_split_incomplete_of_a_full_static_batch_adds_no_condition():
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_incomplete

    parts, counts = split_incomplete(tf.reshape(tf.range(12), [6, 2]), 3, 2, "short")
    assert not [op for op in tf.get_default_graph().get_operations() if op.type in ("Switch", "If", "GatherV2")]
    with session() as running:
        assert running.run(counts) == [2, 2, 2]
        assert [part.tolist() for part in running.run(parts)] == np.arange(12).reshape(3, 2, 2).tolist()


@pytest.mark.parametrize(
    "pipeline", ["dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device"]
)
def test_every_route_supports_sparse_components(pipeline, sources, make_input, drive, cpus):
    from legacy_towers.compat import tf

    def words(example):
        # Example i holds i % 3 words, all of them i.
        count = example["id"] % 3
        places = tf.reshape(tf.range(count), [-1, 1])
        return {"words": tf.SparseTensor(places, tf.fill([count], example["id"]), [3]), "id": example["id"]}

    batches = make_input(pipeline, sources("arrays").map(words), per_tower_batch_size=4, epochs=1, order="fixed").build(
        cpus
    )
    steps = drive(batches)
    assert len(steps) == 4
    for step in steps:
        for tower in step:
            rows = np.zeros([4, 3], np.int64)
            rows[tuple(np.array(tower["words"].indices).T)] = tower["words"].values
            expected = [[i if place < i % 3 else 0 for place in range(3)] for i in tower["id"]]
            np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("route", ["split", "next_per_tower"])
def test_routes_support_ragged_components(route, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    rows = [[number] * (number % 3) for number in range(16)]
    dataset = tf.data.Dataset.from_tensor_slices({"r": tf.ragged.constant(rows, dtype=tf.int64)})
    dataset = dataset.batch(8 if route == "split" else 2)
    batches = inputs.from_dataset(dataset, route=route, order="fixed").build(cpus)
    seen = drive(batches)
    assert [row for step in seen for tower in step for row in tower["r"].to_list()] == rows


@pytest.mark.parametrize("known", [True, False], ids=["known batch size", "unknown batch size"])
def test_sparse_parts_keep_their_static_shape(known, drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    whole = np.arange(12.0).reshape(4, 3)
    rows = np.int64(4) if known else tf.placeholder_with_default(np.int64(4), [])
    shape = [4, 3] if known else tf.stack([rows, 3])
    sparse = tf.SparseTensor(np.argwhere(whole), whole[whole != 0], shape)
    batches = inputs.from_tensors(global_batch=[sparse]).build(["/cpu:0", "/cpu:1"])
    assert [tower[0].shape.as_list() for tower in batches.per_tower] == [[2 if known else None, 3]] * 2
    assert [tower[0].values.device[-5:] for tower in batches.per_tower] == ["CPU:0", "CPU:1"]
    for tower, (part,) in enumerate(drive(batches, steps=1)[0]):
        dense = np.zeros([2, 3])
        dense[tuple(np.array(part.indices).T)] = part.values
        np.testing.assert_array_equal(dense, whole[2 * tower:2 * tower + 2])
        assert part.dense_shape.tolist() == [2, 3]


def test_tower_input_ops_are_inside_the_outer_name_scope(cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with tf.name_scope("net"):
        named = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
        with tf.name_scope("tower_3") as scope:
            assert scope == "net/tower_3/"  # the name is unused
    with tf.variable_scope("job"):
        under_variables = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
    alone = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
    assert named.per_tower[3]["x"].op.name.startswith("net/tower_3/input/")
    assert under_variables.per_tower[3]["x"].op.name.startswith("job/tower_3/input/")
    assert alone.per_tower[3]["x"].op.name.startswith("tower_3/input/")
