"""Cheap operations are mapped without threads, others in parallel."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.migrate import convert

FEATURES = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([8], tf.float32)}


def record():
    return tf.TFRecordReader().read(tf.train.string_input_producer(["a.tfrecord"]))[1]


def pixels(size):
    return tf.cast(tf.reshape(tf.decode_raw(record(), tf.uint8), [size]), tf.float32) / 255.0


def records(count):
    return tf.TFRecordReader().read_up_to(tf.train.string_input_producer(["a.tfrecord"]), count)[1]


def parsed_batches(threads, count=64):
    parsed = tf.io.parse_example(records(count), FEATURES)["x"]
    return tf.train.batch([parsed], 4, num_threads=threads, enqueue_many=True)


def sequence(dtype):
    return tf.sparse.to_dense(tf.io.parse_single_example(record(), {"w": tf.io.VarLenFeature(dtype)})["w"])


def rows_of_an_array():
    return tf.train.slice_input_producer([np.zeros([300, 784], np.float32), np.arange(300)])


CHEAP = {
    "parsed examples": lambda: tf.train.batch(list(tf.io.parse_single_example(record(), FEATURES).values()), 4),
    "parsed examples, threads": lambda: tf.train.batch([tf.io.parse_single_example(record(), FEATURES)["x"]], 4, 4),
    "columns of lines": lambda: tf.train.batch(tf.io.decode_csv(record(), [[0], [0.0]]), 4),
    "a few pixels": lambda: tf.train.batch([pixels(784)], 4),
    "sequences of integers": lambda: tf.train.batch([sequence(tf.int64)], 4, dynamic_pad=True),
    "rows of an array": lambda: tf.train.batch(rows_of_an_array(), 4),
    "parsed batches": lambda: parsed_batches(1),
    "parsed batches, threads": lambda: parsed_batches(2),
}
NOT_CHEAP = {
    "many pixels": lambda: tf.train.batch([pixels(300 * 300 * 3)], 4),
    "decoded images": lambda: tf.train.batch([tf.image.resize_images(tf.image.decode_png(record(), 3), [8, 8])], 4),
    "random numbers": lambda: tf.train.batch([tf.random_crop(pixels(64), [32])], 4, num_threads=2),
    "sequences of floats": lambda: tf.train.batch([sequence(tf.float32)], 4, dynamic_pad=True),
    "parsed batches of many examples": lambda: parsed_batches(1, 10000),
    "operations on several records, threads": lambda: tf.train.batch(
        [tf.sort(tf.string_to_number(records(64)))], 4, num_threads=2, enqueue_many=True),
    "Python functions": lambda: tf.train.batch([tf.reshape(tf.py_func(len, [record()], tf.int64), [])], 4, 2),
}


@pytest.mark.parametrize(
    "build, is_parallel",
    [(build, False) for build in CHEAP.values()] + [(build, True) for build in NOT_CHEAP.values()],
    ids=list(CHEAP) + list(NOT_CHEAP),
)
def test_cheap_operations_are_mapped_without_threads(build, is_parallel):
    with tf.Graph().as_default() as graph:
        build()
        [plan] = convert(graph).plans
    assert plan.steps, plan
    assert any("num_parallel_calls" in step for step in plan.steps) == is_parallel
    functions = graph.as_graph_def().library.function
    maps = [node for function in functions for node in function.node_def if node.op.endswith("MapDataset")]
    maps += [node for node in graph.as_graph_def().node if node.op.endswith("MapDataset")]
    assert any(not node.attr["use_inter_op_parallelism"].b for node in maps if node.op == "MapDataset") != is_parallel
