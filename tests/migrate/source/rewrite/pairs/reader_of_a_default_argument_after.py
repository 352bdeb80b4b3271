from legacy_towers.compat import tf


def parse(line, columns=3):
    return tf.decode_csv(line, [[""]] * columns)


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))


def parse_example(line):
    a, _, label = parse(line)
    return a, label


dataset = dataset.map(parse_example)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
