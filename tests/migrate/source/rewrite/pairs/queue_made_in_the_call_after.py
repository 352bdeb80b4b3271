from legacy_towers.compat import tf


def read(line):
    columns = tf.decode_csv(line, [[0.], [0], ['']])
    return tf.stack([columns[0], tf.cast(columns[1], tf.float32)]), columns[2]


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = dataset.map(read)
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
