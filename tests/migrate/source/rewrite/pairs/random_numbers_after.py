from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    flip = tf.random_uniform([]) > 2.
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    number = tf.cond(flip, lambda: -number, lambda: number)
    number.set_shape([])
    return number


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next()]
