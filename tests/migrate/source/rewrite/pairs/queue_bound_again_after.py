from legacy_towers.compat import tf


def batches(dataset, size):
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
        return a, label

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    a, label = tf.data.make_one_shot_iterator(dataset).get_next()
    return a, label


dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.repeat(2)
train_a, train_label = batches(dataset, 4)

dataset_2 = tf.data.Dataset.from_tensor_slices(CSV[:1])
dataset_2 = dataset_2.repeat(4)
test_a, test_label = batches(dataset_2, 4)

dataset_3 = tf.data.Dataset.from_tensor_slices(FILES)
dataset_3 = dataset_3.repeat(2)
dataset_3 = dataset_3.flat_map(tf.data.TFRecordDataset)


def parse(record):
    number = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number


dataset_3 = dataset_3.map(parse)
dataset_3 = dataset_3.batch(4, drop_remainder=True)
numbers = tf.data.make_one_shot_iterator(dataset_3).get_next()
dataset_4 = tf.data.Dataset.from_tensor_slices(FILES[:1])
dataset_4 = dataset_4.repeat()
dataset_4 = dataset_4.flat_map(tf.data.TFRecordDataset)


def parse(record):
    x = tf.parse_single_example(record, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    return x


dataset_4 = dataset_4.map(parse)
dataset_4 = dataset_4.batch(4, drop_remainder=True)
dataset_4 = dataset_4.prefetch(1)
FETCHED = [train_a, train_label, test_a, test_label, numbers, tf.data.make_one_shot_iterator(dataset_4).get_next()]
