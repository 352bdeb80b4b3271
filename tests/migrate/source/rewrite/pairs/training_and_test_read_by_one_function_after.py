from legacy_towers.compat import tf


def read(line):
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return a, label


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.repeat(2)
dataset_2 = tf.data.Dataset.from_tensor_slices(CSV[:1])
dataset_2 = dataset_2.repeat(4)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset_2 = dataset_2.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
# Batches of training.
dataset = dataset.map(read)
dataset = dataset.batch(4, drop_remainder=True)
train = tf.data.make_one_shot_iterator(dataset).get_next()
# Batches of the test.
dataset_2 = dataset_2.map(read)
dataset_2 = dataset_2.batch(4, drop_remainder=True)
test = tf.data.make_one_shot_iterator(dataset_2).get_next()
FETCHED = [train, test]
