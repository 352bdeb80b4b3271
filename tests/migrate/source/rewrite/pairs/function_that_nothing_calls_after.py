"""Reads examples: programs call `batches`, or `read` for a list of tensors of a single example."""
from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def read(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(serialized):
        number = parse(serialized)
        return number, number * 2

    dataset = dataset.map(parse_example)
    return list(tf.data.make_one_shot_iterator(dataset).get_next())


def batches(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(serialized):
        number = parse(serialized)
        return number, number * 3

    dataset = dataset.map(parse_example)
    dataset = dataset.batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(FILES)
