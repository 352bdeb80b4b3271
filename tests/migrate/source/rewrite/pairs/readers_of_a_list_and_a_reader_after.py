from legacy_towers.compat import tf


def read(line):
    x, number, _ = tf.decode_csv(line, [[0.0], [0], [""]])
    return x * 2.0, number


def joined(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.interleave(lambda filename: tf.data.TextLineDataset(filename).skip(1), cycle_length=2)
    dataset = dataset.map(read)
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


x, number = joined(CSV[:1])

# One file, in order.
dataset = tf.data.Dataset.from_tensor_slices(CSV[:1])
dataset = dataset.repeat(2)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = dataset.map(read)
dataset = dataset.batch(2, drop_remainder=True)
test = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [x, number, test]
