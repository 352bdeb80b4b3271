"""Reads examples: programs call `batches`, or `read` for a list of tensors of a single example."""
from legacy_towers.compat import tf


def parse(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def read(files):
    number = parse(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))
    return [number, number * 2]


def batches(files):
    number = parse(tf.train.string_input_producer(files, num_epochs=1, shuffle=False))
    return tf.train.batch([number, number * 3], 4)


FETCHED = batches(FILES)
