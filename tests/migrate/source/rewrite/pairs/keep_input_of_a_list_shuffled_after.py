from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return (number, number * 2), tf.equal(number % 3, 1)


dataset = dataset.map(parse, num_parallel_calls=2)
dataset = dataset.filter(lambda example, keep: keep)
dataset = dataset.map(lambda example, keep: example)
dataset = dataset.shuffle(10)
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
