from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.repeat()
dataset_2 = tf.data.Dataset.from_tensor_slices(CSV)
dataset_2 = dataset_2.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(record):
    number = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
numbers = tf.data.make_one_shot_iterator(dataset).get_next()


def parse(line):
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return a, label


dataset_2 = dataset_2.map(parse)
dataset_2 = dataset_2.batch(4, drop_remainder=True)
FETCHED = [numbers, tf.data.make_one_shot_iterator(dataset_2).get_next()]
