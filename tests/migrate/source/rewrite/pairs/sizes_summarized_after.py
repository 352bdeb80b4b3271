from legacy_towers.compat import tf

CAPACITY = 12
dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    number = tf.io.parse_single_example(serialized, {'id': tf.io.FixedLenFeature([], tf.int64)})['id']
    return tf.ensure_shape(number, [])


dataset = dataset.map(parse)
dataset = dataset.batch(3, drop_remainder=True)
dataset = dataset.prefetch(1)
numbers = tf.data.make_one_shot_iterator(dataset).get_next()
tf.summary.histogram('numbers', numbers)
FETCHED = numbers
