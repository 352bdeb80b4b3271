from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    pair = tf.stack([number, -number])
    return pair


dataset = dataset.map(parse)
dataset = dataset.unbatch()
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = [tf.data.make_one_shot_iterator(dataset).get_next()]
