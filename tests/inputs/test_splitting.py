"""A global batch among the towers, against numpy."""
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
def test_an_unknown_batch_size_is_checked_as_it_runs(kind):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.splitting import split_batch

    rows = tf.placeholder(tf.float32, [None], name="rows")
    parts = split_batch({"x": {"dense": tf.identity, "sparse": sparse_of, "ragged": ragged_of}[kind](rows)}, 4)
    with session() as running:
        running.run(parts, {rows: np.zeros(8)})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must divide among 4 towers"):
            running.run(parts, {rows: np.zeros(10)})


def test_what_the_graph_knows_is_refused_when_it_is_built():
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs.splitting import split_batch

    with pytest.raises(InputError, match="component 'x': 10 examples can't be split among 4 towers"):
        split_batch({"x": tf.zeros([10, 2])}, 4)
    with pytest.raises(InputError, match="component 'keep' is a single value"):
        split_batch({"keep": tf.constant(0.5)}, 2)


@pytest.mark.parametrize("way", ["dataset:split", "dataset:next_per_tower", "dataset:sharded"])
def test_sparse_parts_come_through_every_route(way, sources, make_input, drive, cpus):
    from legacy_towers.compat import tf

    def words(example):
        # Example i holds i % 3 words, all of them i.
        count = example["id"] % 3
        places = tf.reshape(tf.range(count), [-1, 1])
        return {"words": tf.SparseTensor(places, tf.fill([count], example["id"]), [3]), "id": example["id"]}

    batches = make_input(way, sources("arrays").map(words), per_tower_batch_size=4, epochs=1, order="fixed").build(cpus)
    steps = drive(batches)
    assert len(steps) == 4
    for step in steps:
        for tower in step:
            rows = np.zeros([4, 3], np.int64)
            rows[tuple(np.array(tower["words"].indices).T)] = tower["words"].values
            expected = [[i if place < i % 3 else 0 for place in range(3)] for i in tower["id"]]
            np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("route", ["split", "next_per_tower"])
def test_ragged_parts_come_through(route, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    rows = [[number] * (number % 3) for number in range(16)]
    dataset = tf.data.Dataset.from_tensor_slices({"r": tf.ragged.constant(rows, dtype=tf.int64)})
    dataset = dataset.batch(8 if route == "split" else 2)
    batches = inputs.from_dataset(dataset, route=route, order="fixed").build(cpus)
    seen = drive(batches)
    assert [row for step in seen for tower in step for row in tower["r"].to_list()] == rows


@pytest.mark.parametrize("known", [True, False], ids=["known batch size", "unknown batch size"])
def test_the_graph_still_knows_the_shape_of_sparse_parts(known, drive):
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


def test_a_towers_input_stands_in_the_outer_scope(cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with tf.name_scope("net"):
        named = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
        with tf.name_scope("tower_3") as scope:
            assert scope == "net/tower_3/"  # still free
    with tf.variable_scope("job"):
        under_variables = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
    alone = inputs.from_tensors(global_batch={"x": tf.range(8)}).build(cpus)
    assert named.per_tower[3]["x"].op.name.startswith("net/tower_3/input/")
    assert under_variables.per_tower[3]["x"].op.name.startswith("job/tower_3/input/")
    assert alone.per_tower[3]["x"].op.name.startswith("tower_3/input/")
