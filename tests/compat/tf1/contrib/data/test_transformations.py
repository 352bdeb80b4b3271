"""tf.contrib.data: transformations and the Dataset of TensorFlow 1.2."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf

IS_1_15 = tf.__version__.startswith("1.15")


def run(values):
    with tf.Session() as session:
        return session.run(values)


def elements(dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as session:
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found


DATA = tf.contrib.data
TRANSFORMATIONS = {
    "batch_and_drop_remainder": (lambda: DATA.batch_and_drop_remainder(2), [[0, 1], [2, 3]]),
    "map_and_batch": (lambda: DATA.map_and_batch(lambda x: 2 * x, 2), [[0, 2], [4, 6], [8]]),
    "map_and_batch_drop": (lambda: DATA.map_and_batch(lambda x: x, 2, 1, True), [[0, 1], [2, 3]]),
    "sliding_window_batch": (
        lambda: DATA.sliding_window_batch(3, window_stride=2),
        [[0, 2, 4]],
    ),
    "sliding_by_two": (lambda: DATA.sliding_window_batch(3, 2), [[0, 1, 2], [2, 3, 4]]),
    "enumerate_dataset": (lambda: DATA.enumerate_dataset(5), [(5, 0), (6, 1), (7, 2), (8, 3), (9, 4)]),
    "scan": (lambda: DATA.scan(np.int64(0), lambda state, x: (state + x, state + x)), [0, 1, 3, 6, 10]),
    "parallel_interleave": (
        lambda: DATA.parallel_interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2),
        [0, 1, 0, 1, 2, 3, 2, 3, 4, 4],
    ),
    "group_by_window": (lambda: DATA.group_by_window(lambda x: x % 2, lambda _, d: d.batch(9), 9), [[0, 2, 4], [1, 3]]),
    "assert_element_shape": (lambda: DATA.assert_element_shape(tf.TensorShape([])), [0, 1, 2, 3, 4]),
    "ignore_errors": (DATA.ignore_errors, [0, 1, 2, 3, 4]),
    "unique": (DATA.unique, [0, 1, 2, 3, 4]),
}


@pytest.mark.parametrize("name", sorted(TRANSFORMATIONS))
def test_transformation(name):
    make, expected = TRANSFORMATIONS[name]
    found = elements(tf.data.Dataset.range(5).apply(make()))
    assert [np.asarray(value).tolist() for value in found] == [np.asarray(value).tolist() for value in expected]


def test_counter_reducer_and_padded_batch():
    assert elements(DATA.Counter(3, 2).take(3)) == [3, 5, 7]
    reducer = DATA.Reducer(lambda _: np.int64(0), lambda state, x: state + x, lambda state: state)
    assert run(DATA.reduce_dataset(tf.data.Dataset.range(5), reducer)) == 10
    padded = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    (batch,) = elements(padded.apply(DATA.padded_batch_and_drop_remainder(2, [None])))
    np.testing.assert_array_equal(batch, [[1, 0], [2, 2]])


@pytest.mark.filterwarnings("ignore")
def test_dataset_of_1_2_takes_the_arguments_of_tf_data(tmp_path):
    kind = DATA.Dataset if hasattr(DATA, "Dataset") else tf.data.Dataset
    assert [each.tolist() for each in elements(kind.range(5).batch(2, drop_remainder=True))] == [[0, 1], [2, 3]]
    padded = kind.range(1, 4).map(lambda x: tf.fill([x], x), num_parallel_calls=2)
    found = elements(padded.padded_batch(2, [None], drop_remainder=True))
    assert [each.tolist() for each in found] == [[[1, 0], [2, 2]]]
    once = kind.range(4).shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(2)
    assert elements(once)[:4] == elements(once)[4:]
    interleaved = kind.range(2).interleave(kind.from_tensors, cycle_length=2, num_parallel_calls=2)
    assert elements(interleaved) == [0, 1]
    for name in "ab":
        (tmp_path / name).write_text("")
    files = elements(kind.list_files(str(tmp_path / "*"), shuffle=False, seed=None))
    assert files == [str(tmp_path / name).encode() for name in "ab"]


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has no tf.contrib.data.Dataset")
def test_datasets_of_tensorflow_1_2(tmp_path):
    dataset = DATA.Dataset.range(6).map(lambda x: 2 * x, num_threads=2, output_buffer_size=4)
    following = dataset.shuffle(1).repeat(2).batch(4).enumerate().make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(following)[1].tolist() == [0, 2, 4, 6]
        assert session.run(following)[1].tolist() == [8, 10, 0, 2]
    path = os.path.join(str(tmp_path), "lines")
    with open(path, "w") as file:
        file.write("a\nb\n")
    assert elements(DATA.TextLineDataset(path)) == [b"a", b"b"]
    iterator = DATA.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    initialize = iterator.make_initializer(DATA.Dataset.range(3))
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(initialize)
        assert session.run(following) == 0
