from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def model(number):
    return 2 * number


def show(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    serialized = tf.data.make_one_shot_iterator(dataset).get_next()
    number = parse(serialized)
    doubled = model(number)
    with tf.Session() as session:
        shown = [session.run([number, doubled]) for _ in range(3)]
    return shown


def batches(files):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(parse)
    dataset = dataset.batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


assert show(FILES) == [[0, 0], [1, 2], [2, 4]]
FETCHED = [batches(FILES)]
