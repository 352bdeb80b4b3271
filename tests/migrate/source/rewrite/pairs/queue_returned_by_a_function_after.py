from legacy_towers.compat import tf


def file_queue(files, is_shuffled=False):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    if is_shuffled:
        dataset = dataset.shuffle(tf.size(files, out_type=tf.int64))
    return dataset


def line_queue(paths):
    dataset = tf.data.Dataset.from_tensor_slices(paths)
    return dataset


def parse(serialized):
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def batches(dataset, size):
    print(dataset)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse_example(line):
        number, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
        return number, label

    dataset = dataset.map(parse_example)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def inputs(files, size):
    dataset = file_queue(files)
    print(dataset)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = line_queue(CSV)
FETCHED = [inputs(FILES, 3), batches(dataset, 2)]
