from legacy_towers.compat import tf


def read(serialized, factor):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number, number * factor


def batches(factor, dataset, size):
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(lambda serialized: read(serialized, factor))
    dataset = dataset.batch(size, drop_remainder=True)
    numbers, multiples = tf.data.make_one_shot_iterator(dataset).get_next()
    return numbers, multiples


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset_2 = tf.data.Dataset.from_tensor_slices(FILES[:1])
FETCHED = [batches(2, dataset, 3), batches(3, dataset_2, size=2)]
