from legacy_towers.compat import tf


def read(line):
    return tf.strings.length(line), line


def examples():
    dataset = tf.data.Dataset.from_tensor_slices(CSV)
    dataset = dataset.repeat(2)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
    dataset = dataset.map(read)
    return dataset


dataset = examples()
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
